"""What a run hands back to whoever asked for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lerim.curate.room import CurationPlan


@dataclass(frozen=True)
class WrittenRecord:
    """A record that a run wrote. `path` is its file, relative to the memory folder."""

    record_id: str
    title: str
    path: str | None
    action: str
    #: What it took the place of: id and title of each.
    replaced: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RunResult:
    """What a finished run did."""

    run_id: str
    run_folder: str
    memory_root: str
    workspace_root: str
    text: str
    written: tuple[WrittenRecord, ...]
    counts: dict[str, int]
    artifacts: dict[str, str]
    seconds: float
    cost_usd: float | None
    #: What people should know although the run is done, as a file that could not be put in place yet.
    notice: str | None = None

    def payload(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class SyncResult(RunResult):
    """What became of one session. Counts: added, updated, unchanged. `noted` is what waits for review."""

    session: str = ""
    trace_path: str = ""
    summary: WrittenRecord | None = None
    noted: int = 0


@dataclass(frozen=True)
class CuratedItem:
    """Something that a maintain run did, or did not do, in a line, and why."""

    action: str
    what: str
    records: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class MaintainResult(RunResult):
    """What became of the memory. Counts: merged, superseded, revised, archived, restored, review, unchanged."""

    #: What was looked at: records, clusters, changed, since, left.
    looked_at: dict[str, Any] = field(default_factory=dict)
    done: tuple[CuratedItem, ...] = ()
    #: What was not done, and why.
    refused: tuple[CuratedItem, ...] = ()
    #: How many proposals wait for a person.
    waiting: int = 0
    #: The plan that has them, when one was written.
    plan: str | None = None
    #: What waits, itself.
    left: CurationPlan | None = None

    def with_plan(self, path: str) -> MaintainResult:
        return replace(self, plan=path)

    def payload(self) -> dict[str, Any]:
        values = asdict(replace(self, left=None))
        del values["left"]
        return values
