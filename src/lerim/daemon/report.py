"""What the daemon says of itself when it is asked, and how it is asked."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from lerim.daemon.address import SocketAddress
from lerim.daemon.helper import started
from lerim.daemon.single import holder
from lerim.daemon.talk import HelperRequest, ask, this_code

#: Seconds in which a daemon that is started is there, and one that is stopped is gone.
STARTS, STOPS = 60.0, 90.0
_BETWEEN = 0.05


class DaemonTrouble(NamedTuple):
    """Something that went wrong, and when."""

    at: str
    message: str


class DaemonState(NamedTuple):
    """How a daemon is."""

    pid: int
    since: str = ""
    #: What it does now, in words; empty when it waits.
    doing: str = ""
    #: Why it does nothing by itself; empty when nothing keeps it.
    paused: str = ""
    #: When each chore is due next.
    due: Mapping[str, str] = {}
    errors: tuple[DaemonTrouble, ...] = ()
    #: Whether the system tells of changed files.
    hears: bool = False
    #: The process that answers searches, while there is one.
    searcher: int | None = None
    answers: bool = True


def encoded_state(state: DaemonState) -> str:
    return json.dumps({**state._asdict(), "errors": [tuple(error) for error in state.errors]})


def decoded_state(text: str) -> DaemonState:
    """The same the other way. Raises ValueError for anything else."""
    document = json.loads(text)
    if not isinstance(document, dict) or not isinstance(document.get("pid"), int):
        raise ValueError("no state of a daemon")
    known = {name: value for name, value in document.items() if name in DaemonState._fields}
    errors = tuple(DaemonTrouble(str(at), str(message)) for at, message in known.pop("errors", ()))
    return DaemonState(**known, errors=errors)


def daemon_state(address: SocketAddress) -> DaemonState | None:
    """How the daemon of a home is; None when there is none. One that does not answer is known by its lock alone."""
    reply = ask(address, HelperRequest("status", code=this_code()), address.daemon)
    if reply is not None:
        with suppress(ValueError, TypeError):
            return decoded_state(reply.out)
    pid = holder(address.daemon_lock)
    return None if pid is None else DaemonState(pid, answers=False)


def start_daemon(address: SocketAddress, env: Mapping[str, str]) -> DaemonState | None:
    """Start a daemon in the background, and wait until it is there. None when none comes."""
    pid = started(env, "daemon", "run")
    until = time.monotonic() + STARTS
    while time.monotonic() < until:
        state = daemon_state(address)
        if state is not None and state.answers:
            return state
        if os.waitpid(pid, os.WNOHANG)[0]:
            return daemon_state(address)  # Another one was faster; or none can be.
        time.sleep(_BETWEEN)
    return None


def stop_daemon(address: SocketAddress, state: DaemonState) -> bool:
    """Have a daemon finish, and wait for its end. Whether it came."""
    if ask(address, HelperRequest("stop", code=this_code()), address.daemon) is None and state.pid:
        with suppress(OSError):
            os.kill(state.pid, signal.SIGTERM)
    until = time.monotonic() + STOPS
    while time.monotonic() < until:
        if holder(address.daemon_lock) is None:
            return True
        time.sleep(_BETWEEN)
    return False
