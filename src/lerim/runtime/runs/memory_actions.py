"""What became of each candidate of a session: from what is on the board, and from nobody's word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lerim.context.records import Record
from lerim.runtime.board import Operation, Write
from lerim.runtime.runs.accounts import PathOf
from lerim.runtime.runs.artifacts import How, MemoryAction
from lerim.runtime.sync_board import SyncBoard, verb_of
from lerim.runtime.wire import SyncVerb

#: What a staged write is called. What is left for review is not written: of it, too, nothing was done.
_ACTIONS: Mapping[SyncVerb, Literal["add", "update", "no-op"]] = {
    SyncVerb.ADD: "add",
    SyncVerb.UPDATE: "update",
    SyncVerb.NO_OP: "no-op",
}


def memory_actions(board: SyncBoard, path_of: PathOf) -> list[MemoryAction]:
    """The actions that were reported, with what is staged for them. None before the run gave its account."""
    return [
        MemoryAction(
            candidate=report.candidate,
            action=_ACTIONS[verb_of(write)],
            how=_how(write),
            record=write.record.id if write else None,
            path=path_of(write.record) if write else None,
            replaces=tuple(record.id for record in write.closed) if write else (),
            title=write.record.title if write else board.candidates[report.candidate].title,
            reason=report.reason,
        )
        for report in board.reports or ()
        for write in [board.write_for(report.candidate)]
    ]


def _how(write: Write | None) -> How | None:
    if write is None:
        return None
    if write.operation is Operation.REVISE:
        return "revise"
    if write.replaced_by and not write.base:
        return "history"
    return "supersede" if write.base else "create"


def nowhere(record: Record) -> str | None:
    """Where the records of a failed run have their files."""
    return None
