"""Workers of a machine: what they took from the queue that machines share."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from lerim.daemon.crew import CrewSummary


class WorkerPayload(TypedDict):
    workers: int
    taken: int
    failed: int
    written: int
    crashes: int
    stopped: bool
    waiting: int
    error: str | None
    hint: str | None


def worker_payload(workers: int, done: "CrewSummary", waiting: int) -> WorkerPayload:
    return {
        "workers": workers,
        "taken": done.taken,
        "failed": done.failed,
        "written": done.written,
        "crashes": done.crashes,
        "stopped": done.is_stopped,
        "waiting": waiting,
        "error": done.error,
        "hint": done.hint,
    }
