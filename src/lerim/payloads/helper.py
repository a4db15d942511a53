"""The helper: whether it runs, and why it ended."""

from typing import TypedDict


class HelperPayload(TypedDict):
    running: bool
    pid: int | None
    answered: int
    enabled: bool
    idle_minutes: int


class HelperStoppedPayload(TypedDict):
    stopped: bool


class HelperEndedPayload(TypedDict):
    ended: str


def helper_payload(pid: int | None, answered: int, *, enabled: bool, idle_minutes: int) -> HelperPayload:
    return {
        "running": pid is not None,
        "pid": pid,
        "answered": answered,
        "enabled": enabled,
        "idle_minutes": idle_minutes,
    }


def helper_stopped_payload(*, stopped: bool) -> HelperStoppedPayload:
    return {"stopped": stopped}


def helper_ended_payload(ended: str) -> HelperEndedPayload:
    return {"ended": ended}
