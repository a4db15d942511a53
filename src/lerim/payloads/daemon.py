"""The daemon: how it is, why it ended, and what its installation did."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from lerim.daemon.log import last_errors, log_path
from lerim.daemon.report import DaemonState, DaemonTrouble
from lerim.daemon.service_files import ServiceChange, installed_in

if TYPE_CHECKING:
    from lerim.service import Lerim

_MOST_ERRORS = 5


class DaemonErrorPayload(TypedDict):
    at: str
    message: str


class DaemonPayload(TypedDict):
    running: bool
    pid: int | None
    since: str | None
    doing: str | None
    paused: str | None
    next: dict[str, str]
    errors: list[DaemonErrorPayload]
    queue: dict[str, int]
    events: bool
    searcher: int | None
    installed: str | None
    log: str


class DaemonStoppedPayload(TypedDict):
    stopped: bool


class DaemonEndedPayload(TypedDict):
    ended: str


class DaemonServicePayload(TypedDict):
    file: str
    text: str | None
    changed: bool
    problem: str | None


def daemon_payload(lerim: Lerim, state: DaemonState | None) -> DaemonPayload:
    """How the daemon is, and what waits for it. Of one that is gone, the log knows what went wrong."""
    home, installed = lerim.house.home, installed_in(lerim.house.env)
    known = state.errors if state and state.answers else ()
    errors = known or [DaemonTrouble(*error) for error in last_errors(home, _MOST_ERRORS)]
    return {
        "running": state is not None,
        "pid": state.pid or None if state else None,
        "since": state.since or None if state else None,
        "doing": state.doing or None if state else None,
        "paused": state.paused or None if state else None,
        "next": dict(state.due) if state else {},
        "errors": [{"at": error.at, "message": error.message} for error in errors],
        "queue": lerim.outlook().sessions,
        "events": bool(state and state.hears),
        "searcher": state.searcher if state else None,
        "installed": str(installed) if installed else None,
        "log": str(log_path(home)),
    }


def daemon_stopped_payload(*, stopped: bool) -> DaemonStoppedPayload:
    return {"stopped": stopped}


def daemon_ended_payload(ended: str) -> DaemonEndedPayload:
    return {"ended": ended}


def daemon_service_payload(change: ServiceChange, text: str | None) -> DaemonServicePayload:
    return {"file": str(change.path), "text": text, "changed": change.has_changed, "problem": change.failed}
