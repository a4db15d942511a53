"""Taking back all that a run did, files and store, item by item. What was changed since stays, with a clear word."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.context.place import Place
from lerim.context.records import Record, RecordId
from lerim.context.store import Change, ChangeInfo
from lerim.curate.history import RUNS
from lerim.dataclass import dataclass
from lerim.errors import FileDelayed, NotFound


@dataclass(frozen=True)
class UndoneItem:
    """Something that a run did: what it was, the records, and why it was not taken back, if it was not."""

    what: str
    records: tuple[RecordId, ...]
    refusal: str = ""


@dataclass(frozen=True)
class UndoneRun:
    """What became of taking back a run in one place."""

    run_id: str
    items: tuple[UndoneItem, ...]
    #: What people should know although it is done.
    notice: str | None = None

    @property
    def undone(self) -> tuple[UndoneItem, ...]:
        return tuple(item for item in self.items if not item.refusal)

    @property
    def refused(self) -> tuple[UndoneItem, ...]:
        return tuple(item for item in self.items if item.refusal)


def undo_run(place: Place, run_id: str, only: Sequence[str] = ()) -> UndoneRun:
    """Take back what a run did and nobody took back yet; of several items, `only` those of records whose ids begin so.
    Raises NotFound when there is nothing."""
    items: list[UndoneItem] = []
    try:
        with place.change("person", f"undo of {run_id}") as change:
            changes = change.changes_of_run(run_id)
            if not changes:
                raise NotFound(f"'{run_id}' changed nothing that is not undone already", hint="lerim undo")
            if only:
                changes = [
                    one for one in changes if any(name.startswith(tuple(only)) for name in change.touched_by(one))
                ]
                if not changes:
                    raise NotFound(f"'{run_id}' changed none of {', '.join(only)}", hint=f"lerim runs show {run_id}")
            if run_id.startswith(RUNS):
                items += [_undo_item(change, info) for info in changes]
            else:
                items += _undo_records(change, changes)
    except FileDelayed as error:
        return UndoneRun(run_id, tuple(items), error.message)
    return UndoneRun(run_id, tuple(items))


def _undo_item(change: Change, info: ChangeInfo) -> UndoneItem:
    """Take back one item of a run whole, or not at all: half a merge is none."""
    what = info.reason.removeprefix("maintain: ")
    if again := change.changed_since(info):
        return UndoneItem(what, tuple(record.id for record in again), _changed(again[0]))
    return UndoneItem(what, tuple(record.id for record in change.undo([info]).records))


def _undo_records(change: Change, changes: Sequence[ChangeInfo]) -> list[UndoneItem]:
    """Take back what a run wrote, record by record: each stands for itself."""
    done = change.undo(changes)
    return [
        *(UndoneItem(record.title, (record.id,)) for record in done.records),
        *(UndoneItem(record.title, (record.id,), _changed(record)) for record in done.kept),
    ]


def _changed(record: Record) -> str:
    return f"'{record.id}' was changed since, and stays as it is"
