"""`lerim connect` and `lerim disconnect`: what hands the memory to agents, put into their settings and taken out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.errors import UsageError
from lerim.payloads.connect import (
    connect_changes_payload,
    connection_check_payload,
    connection_part_payload,
    connection_payload,
    file_change_payload,
)
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.connect.agents import ConnectableAgent, Ground
    from lerim.connect.doctor import ConnectionCheck
    from lerim.connect.room import AgentStanding, Connector, ConnectPlan
    from lerim.payloads.connect import ConnectionPayload, FileChangePayload

COMMANDS = Commands()
_NAMES = argument("agent", nargs="*", metavar="AGENT", help="claude, codex, cursor, opencode, gemini, copilot …")
_ALL = "every agent that is on this machine"
_PROJECT = argument("--project", action="store_true", help="in this project's own files instead of yours")
_FILE = argument("--file", type=Path, metavar="PATH", help="the settings of another MCP client (with generic)")
_YES = argument("--yes", action="store_true", help="do not ask")


@COMMANDS.add(
    "add",
    "Hand the memory to agents: a hook that gives each new session the brief, one that says when a session ends, the"
    " MCP server and the skill. Shows the exact change, asks, and keeps a backup. `lerim connect AGENT` is the same."
    " Without a name, lists what is there.",
    example="lerim connect add claude codex",
    arguments=[_NAMES, argument("--all", action="store_true", help=_ALL), _PROJECT, _FILE, _YES],
)
def add(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    from lerim.connect.command_line import is_passing  # As below.

    ground = _ground(lerim, args)
    connector = _connector(lerim, ground)
    if not args.agent and not args.all:
        return _list(connector, out, hint=True)
    agents = _chosen(args, ground, connector)
    if any(agent.name == "generic" for agent in agents) and ground.file is None:
        return _tell_entry(ground, out)
    if is_passing(ground.launcher.program):
        out.warn(f"agents would start {ground.launcher.program}, which lies in a cache and may be gone tomorrow")
        out.note("  try: install Lerim to stay (pipx install, uv tool install), then connect again")
    plan = connector.plan(agents)
    left = [f"{agent.title}: {text}" for agent in agents if agent.name in plan.agents for text in _left(agent, ground)]
    _tell_plan(plan, out)
    done = not plan.changes or args.yes or _agreed(out, plan)
    if done:
        connector.connect(plan)
        connector.note_holders(plan, agents)
    _tell_connected(plan, left, out, done=done, in_project=ground.project is not None)
    refused = {name: error.message for name, error in plan.refused.items()}
    changes = _changes(plan)
    out.data(
        connect_changes_payload(
            plan.agents, changes, refused=refused, warnings=plan.warnings, left_to_do=left if done else (), done=done
        )
    )
    return _code(plan) if done else 1


@COMMANDS.add("list", "List the agents, and whether each is connected.", example="lerim connect list")
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    return _list(_connector(lerim, _ground(lerim, args)), out)


@COMMANDS.add(
    "doctor",
    "Prove each connection by trying it as the agent would: run its hook, greet the server, ask Codex what it trusts.",
    example="lerim connect doctor claude",
    arguments=[_NAMES, _PROJECT],
)
def doctor(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    from lerim.connect.doctor import examine  # Start-up: it starts programs, which no other command here does.
    from lerim.connect.room import agent_named  # As below.

    ground = _ground(lerim, args)
    connector = _connector(lerim, ground)
    wanted = [agent_named(name) for name in args.agent]
    checks = list(examine(connector, ground, wanted))
    out.data([connection_check_payload(c.agent, c.name, ok=c.ok, said=c.said, hint=c.hint) for c in checks])
    for check in checks:
        _tell_check(check, out)
    problems = sum(not check.ok for check in checks)
    if not checks:
        out.say("no agent is connected (lerim connect list)")
    else:
        out.say("every connection works" if not problems else f"{plural(problems, 'problem')} found")
    return 1 if problems else 0


@COMMANDS.add(
    "disconnect",
    "Take out of agents' settings what connect put there: byte for byte as it was, or, if somebody changed a file"
    " since, exactly our entries.",
    example="lerim disconnect claude",
    arguments=[
        _NAMES,
        argument("--all", action="store_true", help="every agent that is connected"),
        *(_PROJECT, _FILE, _YES),
    ],
)
def disconnect(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    ground = _ground(lerim, args)
    connector = _connector(lerim, ground)
    if not args.agent and not args.all:
        raise UsageError("which agent?", hint="lerim connect list; lerim disconnect AGENT, or --all")
    agents = _connected(args, ground, connector)
    plan = connector.plan_disconnect(agents)
    changed = [change for change in plan.changes if change.before != change.after]
    _tell_plan(plan, out)
    done = not changed or args.yes or _agreed(out, plan)
    kept = connector.disconnect(plan) if done else []
    for path in kept:
        out.say(f"a file of Lerim's that was changed is kept: {path}")
    if not done:
        out.say("nothing was changed")
    elif changed:
        out.say(f"{', '.join(plan.agents)} disconnected")
    else:
        out.say(f"nothing of Lerim's was found for {', '.join(plan.agents) or 'any agent'}")
    changes = _changes(plan)
    out.data(
        connect_changes_payload(
            plan.agents, changes, refused={}, warnings=plan.warnings, kept=[*map(str, kept)], done=done
        )
    )
    return (3 if plan.warnings else 0) if done else 1


def _ground(lerim: Lerim, args: argparse.Namespace) -> Ground:
    from lerim.connect.agents import ground_of  # Start-up: `--help` of these commands needs none of it.
    from lerim.connect.command_line import Launcher, find_program  # As above.

    house, in_project = lerim.house, getattr(args, "project", False)
    if in_project and house.project_root is None:
        raise UsageError("there is no project here", hint="lerim init")
    # In a project's files a program is called by its name: others who work there have it elsewhere.
    program = "lerim" if in_project else find_program(sys.argv, house.env)
    home = None if in_project else house.env.get("LERIM_HOME") or None
    launcher = Launcher(program, home, windows=sys.platform == "win32")
    file = getattr(args, "file", None)
    root = house.project_root.resolve() if in_project and house.project_root else None
    return ground_of(house.env, launcher, sys.platform, project=root, file=file.absolute() if file else None)


def _connector(lerim: Lerim, ground: Ground) -> Connector:
    from lerim.connect.room import Connector  # As above.

    return Connector(lerim.house.home, ground, lerim.house.clock())


def _chosen(args: argparse.Namespace, ground: Ground, connector: Connector) -> list[ConnectableAgent]:
    from lerim.connect.agents import AGENTS  # As above.
    from lerim.connect.room import agent_named  # As above.

    named = [agent_named(name) for name in dict.fromkeys(args.agent)]
    found = [agent for agent in AGENTS.values() if agent.is_here(ground)] if args.all else []
    chosen = [*dict.fromkeys(agent.name for agent in (*named, *found))]
    if not chosen:
        raise UsageError("no agent was found on this machine", hint="lerim connect list; lerim connect AGENT")
    return [AGENTS[name] for name in chosen]


def _connected(args: argparse.Namespace, ground: Ground, connector: Connector) -> list[ConnectableAgent]:
    """The agents that are to be let go: those named, or all that have something of ours."""
    from lerim.connect.agents import AGENTS  # As above.
    from lerim.connect.room import LinkState, agent_named  # As above.

    named = [agent_named(name).name for name in args.agent]
    if args.all:
        standing = connector.standing()
        named += [each.agent.name for each in standing if each.standing is not LinkState.NO]
        named += [name for name in AGENTS if connector.is_booked(name)]
    return [AGENTS[name] for name in dict.fromkeys(named)]


def _left(agent: ConnectableAgent, ground: Ground) -> tuple[str, ...]:
    return agent.left_in_project if ground.project else agent.left


def _changes(plan: ConnectPlan) -> list[FileChangePayload]:
    changed = [change for change in plan.changes if change.before != change.after]
    return [file_change_payload(str(change.path), change.agents, change) for change in changed]


def _tell_plan(plan: ConnectPlan, out: Output) -> None:
    for change in plan.changes:
        colors = {"+": GREEN, "-": RED, "@": DIM}
        for line in change.diff:
            out.say(out.style(line, colors[line[0]]) if line[0] in colors else line)
    for error in plan.refused.values():
        out.fail(error.message, error.hint)
    for warning in plan.warnings:
        out.warn(warning)


def _tell_connected(plan: ConnectPlan, left: Sequence[str], out: Output, *, done: bool, in_project: bool) -> None:
    if not done:
        out.say("nothing was changed")
        return
    names = ", ".join(plan.agents)
    if plan.agents:
        out.say(f"{names} connected" if plan.changes else f"{names}: everything is in place")
    for text in left if plan.changes else ():
        out.say(f"left to do: {text}")
    if plan.agents and plan.changes:
        flag = " --project" if in_project else ""
        out.note(f"to try it: lerim connect doctor{flag}; to undo it: lerim disconnect {' '.join(plan.agents)}{flag}")


def _code(plan: ConnectPlan) -> int:
    if not plan.refused:
        return 0
    return 3 if plan.agents else 1


def _agreed(out: Output, plan: ConnectPlan) -> bool:
    """Whether a person agrees. Without one, nobody does."""
    if not (sys.stdin.isatty() and out.is_terminal):
        raise UsageError("nobody is here to agree; nothing was changed", hint="add --yes if you do")
    changed = sum(change.before != change.after for change in plan.changes)
    out.prompt(f"Change {plural(changed, 'file')}? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _tell_entry(ground: Ground, out: Output) -> int:
    """What another client needs, for whoever copies it there."""
    import json  # Only here.

    document = {"mcpServers": {"lerim": ground.launcher.mcp()}}
    out.block(json.dumps(document, indent=2, ensure_ascii=False))
    out.note("put this into your client's settings, or: lerim connect generic --file PATH")
    out.data(connect_changes_payload(["generic"], [], refused={}, warnings=[], done=False))
    return 0


def _list(connector: Connector, out: Output, *, hint: bool = False) -> int:
    standing = connector.standing()
    out.data([_payload(each) for each in standing])
    for each in standing:
        _tell_standing(each, out)
    if hint:
        out.note("lerim connect AGENT shows what it would change, and asks; --all takes every agent that is here")
    return 0


def connections_of(lerim: Lerim) -> list[ConnectionPayload]:
    """How each agent is connected, for whoever serves it to others."""
    ground = _ground(lerim, argparse.Namespace())
    return [_payload(each) for each in _connector(lerim, ground).standing()]


def _payload(each: AgentStanding) -> ConnectionPayload:
    parts = [connection_part_payload(p.part.edit.label, str(p.part.path), p.standing, p.problem) for p in each.parts]
    return connection_payload(each.agent.name, each.agent.title, each.standing, parts, found=each.is_here)


def _tell_standing(each: AgentStanding, out: Output) -> None:
    colors = {"connected": GREEN, "partly": YELLOW, "broken": RED, "no": DIM}
    words = {"no": "not connected" if each.is_here else "not found", "broken": "cannot be read"}
    state = words.get(each.standing, str(each.standing))
    line = f"{each.agent.name:<10}{each.agent.title:<20}{out.style(state, colors[each.standing])}"
    out.say(line)
    for part in each.parts:
        if each.standing in ("partly", "broken") and part.standing != "connected":
            what = part.problem or ("is missing" if part.standing == "no" else "was changed")
            out.say(f"          {part.part.edit.label}: {part.part.path}: {what}")
    if each.standing == "partly":
        out.say(f"          {out.style('try:', DIM)} lerim connect {each.agent.name}")


def _tell_check(check: ConnectionCheck, out: Output) -> None:
    state = out.style("ok", GREEN) if check.ok else out.style("!!", RED)
    out.say(f"{state}  {check.agent:<10}{check.name}: {check.said}")
    if check.hint:
        out.say(f"              {out.style('try:', DIM)} {check.hint}")
