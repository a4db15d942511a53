"""How things stand on this machine, over HTTP: status, settings, agents, models, helper, daemon, this server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

from lerim import __version__
from lerim.daemon.address import SocketAddress, address_in, daemon_address
from lerim.daemon.report import daemon_state, start_daemon, stop_daemon
from lerim.daemon.talk import helper_asked
from lerim.errors import LerimError, StoreBusy, UsageError
from lerim.payloads.connect import ConnectionPayload
from lerim.payloads.daemon import DaemonPayload, DaemonStoppedPayload, daemon_payload, daemon_stopped_payload
from lerim.payloads.helper import HelperPayload, HelperStoppedPayload, helper_payload, helper_stopped_payload
from lerim.payloads.models import (
    ReaderPayload,
    ReaderPlanPayload,
    RolePayload,
    reader_payload,
    reader_plan_payload,
    role_payload,
)
from lerim.payloads.objectives import ObjectivesPayload, objectives_payload
from lerim.payloads.progress import ProgressPayload
from lerim.payloads.setup import SettingPayload, setting_payload
from lerim.payloads.sources import (
    AgentFolderPayload,
    AgentPayload,
    ExaminedAgentPayload,
    FoundAgentsPayload,
    UnreadAgentPayload,
    agent_folder_payload,
    agent_payload,
    examined_agent_payload,
    found_agents_payload,
    unread_agent_payload,
)
from lerim.payloads.status import StatusPayload, status_payload
from lerim.payloads.web import ServerPayload, server_payload
from lerim.serve.api.asking import Call, Nothing
from lerim.serve.api.table import ApiTable
from lerim.serve.web.events import progress
from lerim.service import Lerim
from lerim.sessions.room import Sessions

MACHINE = ApiTable()


class ModelCheckAsked(TypedDict):
    offline: NotRequired[Annotated[bool, "call no model; check settings, keys and packages only"]]


class UseModelAsked(TypedDict):
    name: Annotated[str, "claude, codex, ollama, openai … or embedded, to go back"]
    model: NotRequired[Annotated[str, "the model, if not the reader's own choice"]]
    base_url: NotRequired[Annotated[str, "where a server is, if not at its usual address"]]
    lead: NotRequired[Annotated[bool, "let it lead and explore, too: many more requests"]]
    yes: NotRequired[Annotated[bool, "do it; without, only what it would change is told"]]


class SourceAsked(TypedDict):
    path: NotRequired[Annotated[str, "a folder laid out like the agent's own, or a file of its sessions"]]
    profile: NotRequired[Annotated[str, "how the sessions in it are read"]]


@MACHINE.get("/server")
def show_server(call: Call[Nothing]) -> ServerPayload:
    """This server: its version, where it is, and whether it only reads."""
    site = call.request.app.state.site
    root = call.lerim.house.project_root
    project = str(root) if root else None
    return server_payload(site.url, os.getpid(), __version__, project, read_only=site.is_read_only)


@MACHINE.get("/status", "status")
def show_status(call: Call[Nothing]) -> StatusPayload:
    """The state of the memory here, and what to do next."""
    return status_payload(call.lerim.status())


@MACHINE.get("/objectives")
def show_objectives(call: Call[Nothing]) -> ObjectivesPayload:
    """Service objectives, and whether they are kept: `lerim status --slo`."""
    return objectives_payload(call.lerim.objectives())


@MACHINE.get("/progress")
def show_progress(call: Call[Nothing]) -> ProgressPayload:
    """How far syncs and runs have come: what `/events` tells whenever it changes."""
    return progress(call.lerim)


@MACHINE.get("/config", "config show")
def show_config(call: Call[Nothing]) -> list[SettingPayload]:
    """Every setting in effect here, and the layer it comes from."""
    config = call.lerim.config
    ignored = {item.key: str(item.layer.path) for item in config.ignored}
    return [setting_payload(entry, ignored.get(entry.key)) for entry in config.entries()]


@MACHINE.get("/connections", "connect list")
def list_connections(call: Call[Nothing]) -> list[ConnectionPayload]:
    """The agents, and whether the memory is handed to each."""
    asked = call.request.app.state.connections
    return asked(call.lerim) if asked else []


# --- agents that are read ---------------------------------------------------------------------------------------------


@MACHINE.get("/sources", "sources list")
def list_sources(call: Call[Nothing]) -> list[AgentPayload]:
    """The agents that can be read, and where their sessions are."""
    return [agent_payload(item) for item in call.lerim.sessions.examine(thoroughly=False)]


@MACHINE.get("/sources/doctor", "sources doctor", takes_long=True)
def examine_sources(call: Call[Nothing]) -> list[ExaminedAgentPayload]:
    """For each agent where its sessions are, how many, the last one, and what cannot be read."""
    return [examined_agent_payload(item) for item in call.lerim.sessions.examine(thoroughly=True)]


@MACHINE.post("/sources/auto", "sources auto")
def find_sources(call: Call[Nothing]) -> FoundAgentsPayload:
    """Find the agents on this machine and their sessions."""
    found = call.lerim.sessions.discover()
    health = [item for item in call.lerim.sessions.examine(thoroughly=False) if item.containers]
    return found_agents_payload(health, found)


@MACHINE.post("/sources/{agent}", "sources add")
def add_source(call: Call[SourceAsked]) -> AgentFolderPayload:
    """Read an agent that was removed again, or add another of its folders."""
    asked, sessions, name = call.asked, call.lerim.sessions, call.named("agent")
    _require_agent(sessions, name)
    if sessions.is_disabled(name):
        raise UsageError(f"'{name}' is disabled in the settings", hint="take it out of sources.disabled")
    source = next(source for source in sessions.sources if source.name == name)
    path = Path(asked["path"]).expanduser() if "path" in asked else None
    if path is not None and not path.is_dir() and not any(True for _ in source.containers(path)):
        raise UsageError(f"{path} is not a folder of {source.title}")
    if "profile" in asked:
        if path is None:
            raise UsageError("a profile belongs to a folder", hint="send `path`, too")
        call.lerim.house.rules.profiles.find(asked["profile"])
    sessions.connections.add(name, path.resolve() if path else None, asked.get("profile"))
    return agent_folder_payload(name, path)


@MACHINE.delete("/sources/{agent}", "sources remove")
def remove_source(call: Call[Nothing]) -> UnreadAgentPayload:
    """Stop reading an agent. What was already ingested stays; the agent's own files are never touched."""
    name = call.named("agent")
    _require_agent(call.lerim.sessions, name)
    call.lerim.sessions.connections.remove(name)
    return unread_agent_payload(name)


def _require_agent(sessions: Sessions, name: str) -> None:
    names = [source.name for source in sessions.sources]
    if name not in names:
        raise UsageError(f"unknown agent '{name[:60]}'", hint=f"one of {', '.join(names)}")


# --- models -----------------------------------------------------------------------------------------------------------


@MACHINE.post("/models/check", "models check", takes_long=True)
def check_models(call: Call[ModelCheckAsked]) -> list[RolePayload]:
    """Whether each role's model is configured, has its key and package, and can do what the role needs."""
    return [role_payload(role) for role in call.lerim.readers.check(offline=call.asked.get("offline", False))]


@MACHINE.get("/models/readers", "models use")
def list_readers(call: Call[Nothing]) -> list[ReaderPayload]:
    """Who could read sessions on this machine: agents' programs, local servers, providers with a key."""
    return [reader_payload(reader) for reader in call.lerim.readers.find()]


@MACHINE.post("/models/use", "models use", takes_long=True)
def use_model(call: Call[UseModelAsked]) -> ReaderPlanPayload:
    """Let a model read sessions: what would be sent where, what it would use, the exact change of the settings; and,
    with `yes`, it proves that it can, and they are changed."""
    asked, readers = call.asked, call.lerim.readers
    plan = readers.plan(
        asked["name"], asked.get("model", ""), asked.get("base_url", ""), also_lead=asked.get("lead", False)
    )
    if plan.before == plan.after or not asked.get("yes"):
        return reader_plan_payload(plan, {}, [], used=False)
    checks = readers.use(plan)
    used = all(role.ok and all(model.works for model in role.models) for role in checks)
    return reader_plan_payload(plan, {}, checks, used=used)


# --- the helper -------------------------------------------------------------------------------------------------------


@MACHINE.get("/helper", "helper status")
def show_helper(call: Call[Nothing]) -> HelperPayload:
    """Whether the helper is running, which keeps searches fast."""
    settings = call.lerim.house.user_config.settings.helper
    address = address_in(call.lerim.house.env)
    pid, answered = helper_asked(address, "status") or (None, 0)
    enabled = settings.enabled and address is not None
    return helper_payload(pid, answered, enabled=enabled, idle_minutes=settings.idle_minutes)


@MACHINE.post("/helper/stop", "helper stop")
def stop_helper(call: Call[Nothing]) -> HelperStoppedPayload:
    """Stop the helper. The next search by meaning starts one anew."""
    return helper_stopped_payload(stopped=helper_asked(address_in(call.lerim.house.env), "stop") is not None)


# --- the daemon -------------------------------------------------------------------------------------------------------


@MACHINE.get("/daemon", "daemon status")
def show_daemon(call: Call[Nothing]) -> DaemonPayload:
    """What the daemon does, what is due next, what waits, and what went wrong."""
    return daemon_payload(call.lerim, daemon_state(_daemon(call.lerim)))


@MACHINE.post("/daemon/start", "daemon start")
def run_daemon(call: Call[Nothing]) -> DaemonPayload:
    """Start the daemon in the background. One that runs already is left alone."""
    address = _daemon(call.lerim)
    state = daemon_state(address) or start_daemon(address, call.lerim.house.env)
    if state is None:
        raise LerimError("the daemon did not start", hint="lerim daemon run")
    return daemon_payload(call.lerim, state)


@MACHINE.post("/daemon/stop", "daemon stop")
def end_daemon(call: Call[Nothing]) -> DaemonStoppedPayload:
    """Stop the daemon: the session it reads is finished or given back."""
    address = _daemon(call.lerim)
    state = daemon_state(address)
    if state is not None and not stop_daemon(address, state):
        raise StoreBusy(f"process {state.pid} has not ended yet", hint="lerim daemon status")
    return daemon_stopped_payload(stopped=state is not None)


def _daemon(lerim: Lerim) -> SocketAddress:
    address = daemon_address(lerim.house.env)
    if address is None:
        raise UsageError("no daemon can run here", hint="lerim sync")
    return address
