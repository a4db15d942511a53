"""The daemon: how it is, why it ended, and what its installation did."""

from collections.abc import Mapping
from typing import TypedDict

from lerim.daemon.report import DaemonState, DaemonTrouble
from lerim.daemon.service_files import ServiceChange


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


def daemon_payload(
    state: DaemonState | None,
    errors: list[DaemonTrouble],
    queue: Mapping[str, int],
    installed: str | None,
    log: str,
) -> DaemonPayload:
    return {
        "running": state is not None,
        "pid": state.pid or None if state else None,
        "since": state.since or None if state else None,
        "doing": state.doing or None if state else None,
        "paused": state.paused or None if state else None,
        "next": dict(state.due) if state else {},
        "errors": [{"at": error.at, "message": error.message} for error in errors],
        "queue": dict(queue),
        "events": bool(state and state.hears),
        "searcher": state.searcher if state else None,
        "installed": installed,
        "log": log,
    }


def daemon_stopped_payload(*, stopped: bool) -> DaemonStoppedPayload:
    return {"stopped": stopped}


def daemon_ended_payload(ended: str) -> DaemonEndedPayload:
    return {"ended": ended}


def daemon_service_payload(change: ServiceChange, text: str | None) -> DaemonServicePayload:
    return {"file": str(change.path), "text": text, "changed": change.has_changed, "problem": change.failed}
