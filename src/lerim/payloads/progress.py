"""How far the work at hand has come, whoever does it: what `/events` tells, and what starting a sync answers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from lerim.payloads.runs import RunPayload, run_payload

if TYPE_CHECKING:
    from lerim.runtime.runs.folder import RunInfo
    from lerim.sessions.session import Session, SessionState


class SessionAtWorkPayload(TypedDict):
    name: str
    title: str | None
    project_root: str | None
    attempts: int


class ProgressPayload(TypedDict):
    #: Sessions by state, of all projects on this machine.
    sessions: dict[str, int]
    working: list[SessionAtWorkPayload]
    #: The newest runs of the project that was asked about.
    runs: list[RunPayload]


class SyncStartedPayload(TypedDict):
    pid: int
    started: bool


def progress_payload(
    counts: "Mapping[SessionState, int]", working: "Sequence[Session]", runs: "Sequence[RunInfo]"
) -> ProgressPayload:
    return {
        "sessions": {str(state): count for state, count in counts.items()},
        "working": [
            {
                "name": one.name,
                "title": one.title,
                "project_root": str(one.project_root) if one.project_root else None,
                "attempts": one.attempts,
            }
            for one in working
        ],
        "runs": [run_payload(run) for run in runs],
    }


def sync_started_payload(pid: int, *, started: bool) -> SyncStartedPayload:
    return {"pid": pid, "started": started}
