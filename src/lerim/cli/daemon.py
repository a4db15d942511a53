"""`lerim daemon`: the process that does by itself what is due."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, YELLOW, Output
from lerim.config.layers import user_home
from lerim.daemon.address import SocketAddress, address_in, daemon_address
from lerim.daemon.helper import RUN
from lerim.daemon.log import DaemonLog, log_path
from lerim.daemon.report import daemon_state, start_daemon, stop_daemon
from lerim.daemon.service_files import ServiceChange, install, installed_in, service_file, uninstall
from lerim.errors import LerimError, StoreBusy, UsageError
from lerim.house.rooms import House
from lerim.payloads.daemon import (
    daemon_ended_payload,
    daemon_payload,
    daemon_service_payload,
    daemon_stopped_payload,
)
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.daemon.supervisor import Habits
    from lerim.storage.listening import Listener

COMMANDS = Commands()
PARTLY_DONE = 3
_WAITING = ("pending", "failed", "running", "dead")


@COMMANDS.add(
    "run",
    "Do what is due, here and until it is stopped: read sessions that fell quiet, maintain memories at night.",
    example="lerim daemon run --once",
    arguments=[argument("--once", action="store_true", help="do what is due now, and end")],
)
def run(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    from lerim.daemon.supervisor import Daemon, DaemonEnd, DaemonWorld  # Start-up: the other commands only ask it.

    address, env, home = _address(lerim), lerim.house.env, lerim.house.home
    log = DaemonLog(home, tell=lambda line: out.note(out.style(line, DIM)))
    spool, clock = lerim.house.spool, lerim.house.clock
    lerim.close()  # What stays for days holds no file open.
    if not args.once:
        os.chdir("/")  # It stands in nobody's way.
    world = DaemonWorld(
        *(address, env, lambda: _habits(lerim), lambda: spool.has_ended(clock()), log), line=lambda: _line(lerim)
    )
    daemon = Daemon(world)
    ended = daemon.run(once=args.once)
    if ended is DaemonEnd.REPLACED:
        _begin_anew(args.once)
    out.data(daemon_ended_payload(ended))
    out.say(f"ended: {ended}")
    if ended is DaemonEnd.TAKEN:
        out.note("to see what it does: lerim daemon status")
    return PARTLY_DONE if args.once and daemon.has_failed else 0


def _line(lerim: Lerim) -> Listener | None:
    """A line to the store that other machines share; None when there is none."""
    if lerim.house.shared is None:
        return None
    from lerim.storage.listening import CHANGES  # Start-up: few share a store.

    return lerim.house.shared.listener(CHANGES)


def _habits(lerim: Lerim) -> Habits:
    """As the settings are now: it lives longer than they do. Raises ConfigError."""
    from lerim.daemon.supervisor import Habits  # As above.

    env = lerim.house.env
    settings = House("/", env=env).user_config.settings
    daemon, answers = settings.daemon, settings.helper.enabled and address_in(env) is not None
    return Habits(
        daemon.quiet_minutes * 60.0, daemon.poll_minutes * 60.0, daemon.maintain_hour, daemon.pause_on_battery, answers
    )


def _begin_anew(once: bool) -> None:
    """The same process with the code as it is now: whoever watches over it sees no end."""
    os.execv(sys.executable, [sys.executable, "-P", "-c", RUN, "daemon", "run", *(["--once"] if once else [])])


@COMMANDS.add(
    "start", "Start the daemon in the background, until the machine is shut down.", example="lerim daemon start"
)
def start(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    address = _address(lerim)
    known = daemon_state(address)
    state = known or start_daemon(address, lerim.house.env)
    if state is None:
        raise LerimError(f"the daemon did not start; its log: {log_path(lerim.house.home)}", hint="lerim daemon run")
    out.data(daemon_payload(lerim, state))
    out.say(f"{'it runs already' if known else 'started'}, as process {state.pid}")
    if installed_in(lerim.house.env) is None:
        out.note("to have it started with your session: lerim daemon install")


@COMMANDS.add("stop", "Stop the daemon: the session it reads is finished or given back.", example="lerim daemon stop")
def stop(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    address = _address(lerim)
    state = daemon_state(address)
    if state is not None and not stop_daemon(address, state):
        raise StoreBusy(f"process {state.pid} has not ended yet", hint="lerim daemon status")
    out.data(daemon_stopped_payload(stopped=state is not None))
    out.say("stopped" if state else "not running")


@COMMANDS.add(
    "status", "Show what the daemon does, what is due next, and what went wrong.", example="lerim daemon status"
)
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    state = daemon_state(_address(lerim))
    payload = daemon_payload(lerim, state)
    out.data(payload)
    if state is None:
        out.say("not running")
    elif not state.answers:
        out.say(f"process {state.pid or 'unknown'} holds its lock, and does not answer")
    else:
        out.say(f"running as process {state.pid} since {_local(state.since)}")
        out.fact("now", state.doing or ("paused: " + state.paused if state.paused else "waits"))
        out.fact(
            "next", ", ".join(f"{what} {_local(at)}" for what, at in sorted(state.due.items(), key=lambda d: d[1]))
        )
        how = "the system tells of changed files" if state.hears else "it looks for changed files now and then"
        out.fact("hears", how)
    waiting = ", ".join(f"{count} {name}" for name, count in payload["queue"].items() if count and name in _WAITING)
    out.fact("queue", waiting or "nothing waits")
    for error in payload["errors"]:
        out.fact("error", f"{_local(error['at'])} {out.style(error['message'], YELLOW)}")
    out.fact("log", payload["log"])
    if payload["installed"]:
        out.fact("service", payload["installed"])
    if state is None:
        install_it = "" if payload["installed"] else "; with each session of yours: lerim daemon install"
        out.note(f"to start it: lerim daemon start{install_it}")


@COMMANDS.add(
    "install",
    "Have the system start the daemon with your session: a systemd user unit, or a launchd agent.",
    example="lerim daemon install --dry-run",
    arguments=[argument("--dry-run", action="store_true", help="only show the file that would be written")],
)
def install_service(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    _address(lerim)
    file = service_file(user_home(lerim.house.env), lerim.house.env)
    if args.dry_run:
        out.data(daemon_service_payload(ServiceChange(file.path, False), file.text))
        out.note(f"would be written to {file.path}:")
        out.block(file.text.rstrip("\n"))
        return 0
    change = install(file, lerim.house.env)
    out.data(daemon_service_payload(change, file.text))
    out.say(f"{'written' if change.has_changed else 'is there already'}: {change.path}")
    if change.failed is None:
        out.say("the daemon runs, and will with each session of yours")
        return 0
    out.warn(f"the service manager did not take it: {change.failed}")
    out.note("to start the daemon without it: lerim daemon start")
    return PARTLY_DONE


@COMMANDS.add("uninstall", "Take back what install did, and stop the daemon.", example="lerim daemon uninstall")
def uninstall_service(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    file = service_file(user_home(lerim.house.env), lerim.house.env)
    change = uninstall(file, lerim.house.env)
    out.data(daemon_service_payload(change, None))
    out.say(f"removed: {change.path}" if change.has_changed else "not installed")
    if change.failed is None:
        return 0
    out.warn(f"the service manager did not hear of it: {change.failed}")
    out.note("to stop a daemon that runs: lerim daemon stop")
    return PARTLY_DONE


def _address(lerim: Lerim) -> SocketAddress:
    """Where the daemon of this home is. Raises UsageError where there can be none."""
    address = daemon_address(lerim.house.env)
    if address is None:
        if os.name != "posix":
            raise UsageError("there is no daemon on this system", hint="lerim sync")
        raise UsageError(
            "LERIM_HOME or LERIM_CONFIG is no full path", hint="name both in full: a daemon stands elsewhere"
        )
    return address


def _local(at: str) -> str:
    """A moment as the clock on the wall shows it."""
    try:
        moment = datetime.fromisoformat(at).astimezone()
    except ValueError:
        return at
    is_today = moment.date() == datetime.now().astimezone().date()
    return moment.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M")
