"""What a run has done so far, and the writes that wait for its end: all of them are written in one change, or none.

A model only ever stages. Every refusal is a `Declined` that says what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from lerim.context.authority import is_by_hand
from lerim.context.place import Place
from lerim.context.records import Draft, Moment, Primitive, Random, Record, RecordId, new_id, valid
from lerim.context.store import Change
from lerim.errors import Conflict, FileDelayed, InvalidRecord
from lerim.ingest.findings import Candidate
from lerim.ingest.words import parts, stems
from lerim.runtime.declining import Declined
from lerim.runtime.holdings import Holdings
from lerim.text.backing import Backing

#: What an update may change. All else about a record stays what it is.
REVISABLE = ("title", "body", "tags", "confidence", "kind", "evidence", "valid_from")
#: What of it a model may say. Since when it holds, its evidence says.
_DRAFTED = tuple(name for name in REVISABLE if name != "valid_from")
#: What a session that grew changes in its summary.
SUMMARY_FIELDS = (*("title", "body", "tags", "evidence", "description", "date", "time"), "raw_trace_path", "repo_name")
# Whose words a memory rests on may be said.
_SPEAKERS = "user agent"


class Unbacked(Declined):
    """A model's words say more than what they rest on."""


class Operation(StrEnum):
    """What a write does to the memory."""

    CREATE = "create"
    REVISE = "revise"
    ARCHIVE = "archive"


@dataclass(frozen=True)
class Write:
    """A write that waits. `base` are the records it replaces or changes, as the run saw them: a revision changes the
    first, and replaces the others."""

    operation: Operation
    record: Record
    base: tuple[Record, ...] = ()
    candidate: str | None = None
    #: What was said later and holds instead: the new record is history from the start.
    replaced_by: RecordId | None = None
    #: Since when a revision replaces the others.
    since: datetime | None = None

    @property
    def targets(self) -> tuple[RecordId, ...]:
        return tuple(record.id for record in self.base)

    @property
    def closed(self) -> tuple[Record, ...]:
        """The records that hold no more because of it."""
        return self.base if self.operation is Operation.CREATE else self.base[1:]

    def apply(self, change: Change) -> Record:
        """Write it. Raises Conflict when somebody changed what it is based on."""
        for old in self.base:
            if change.fetch(old.id).version != old.version:
                raise Conflict(f"'{old.id}' was changed while the run went on", hint=f"lerim memory history {old.id}")
        match self.operation:
            case Operation.ARCHIVE:
                return change.archive(self.record.id)
            case Operation.REVISE if self._is_a_persons(change):
                return change.fetch(self.record.id)
            case Operation.REVISE:
                names = SUMMARY_FIELDS if self.record.primitive is Primitive.SUMMARY else REVISABLE
                values = {name: getattr(self.record, name) for name in names}
                if is_by_hand(self.record):
                    # It only rests on more: what its person last said of it, and when, stays.
                    values["updated"] = self.base[0].updated
                record = change.revise(self.record.id, **values)
                for old in self.closed:
                    change.supersede(old.id, by=record.id, at=self.since)
                return record
            case Operation.CREATE:
                return self._create(change)

    def _create(self, change: Change) -> Record:
        record = change.create(self.record)
        for old in self.base:
            change.supersede(old.id, by=record.id, at=max(record, old, key=_said).last_said.at)
        if self.replaced_by is None:
            return record
        return change.supersede(record.id, by=self.replaced_by, at=change.fetch(self.replaced_by).last_said.at)

    def _is_a_persons(self, change: Change) -> bool:
        """A summary that a person put right stays so; there is only one, so nobody else will ever fix it."""
        is_summary = self.record.primitive is Primitive.SUMMARY
        return is_summary and change.history(self.record.id)[-1].author == "person"


@dataclass(frozen=True)
class Committed:
    """What was written. `notice` is there when a file could not be put in place yet; the memory is kept."""

    records: tuple[Record, ...] = ()
    notice: str | None = None


@dataclass
class Board:
    """The writes of a run, and the records it decides on."""

    holdings: Holdings
    now: datetime
    random: Random
    #: Ids the explorer found, in order: the only ones a write may change or replace.
    found: dict[str, None] = field(default_factory=dict)
    writes: dict[str, Write] = field(default_factory=dict)

    def note_found(self, ids: Iterable[str]) -> None:
        self.found.update(dict.fromkeys(ids))

    def commit(self, place: Place, run_id: str, reason: str) -> Committed:
        """Write all that waits, in one change. Raises Conflict, and nothing is written, when somebody was faster."""
        # What a person did during the run to the files of what is about to change comes first: it wins.
        if not place.face.is_as_noted({record.id for write in self.writes.values() for record in write.base}):
            place.face.take_in()
        written: list[Record] = []
        try:
            with place.change("lerim", reason, run_id) as change:
                written += [write.apply(change) for write in self.writes.values()]
                self.note(change, run_id)
        except FileDelayed as error:
            return Committed(tuple(written), error.message)
        return Committed(tuple(written))

    def note(self, change: Change, run_id: str) -> None:
        """What else belongs in the change."""

    def _put(self, write: Write) -> Record:
        self.writes[write.record.id] = write
        return write.record

    def _targets(self, ids: Sequence[str]) -> tuple[Record, ...]:
        """The active records these ids name, each free to be changed. Raises Declined."""
        busy = {target for write in self.writes.values() for target in write.targets}
        records = []
        for record_id in dict.fromkeys(ids):
            record = self.holdings.find(record_id) if record_id in self.found else None
            if record is None:
                raise Declined(f"There is no '{record_id}' among what explore found: {self._found_names()}.")
            if not record.holds or record.primitive is Primitive.SUMMARY:
                raise Declined(f"'{record_id}' is no active decision or learning: {record.status} {record.primitive}.")
            if record_id in busy:
                raise Declined(f"'{record_id}' is changed by another write of this run already.")
            records.append(record)
        return tuple(records)

    def _found_names(self) -> str:
        return ", ".join(list(self.found)[-30:]) or "nothing yet; call explore first"

    def _new(self, draft: Draft, base: tuple[Record, ...] = (), *, is_history: bool = False) -> Record:
        record = checked(
            Record(new_id(draft.primitive, self.random), draft.primitive, "x", "", self.now, self.now), draft
        )
        if not is_history and (twin := self._namesake(record.title, base)) is not None:
            raise Declined(f"'{twin}' has this very title. Update it (updates='{twin}'), or leave it as it is.")
        return record

    def _namesake(self, title: str, base: tuple[Record, ...]) -> RecordId | None:
        """A record of this very title, staged or active, that is not about to be replaced."""
        staged = (w.record for w in self.writes.values() if w.record.title.casefold() == title.casefold())
        held = (record for record in self.holdings.titled(title) if record not in base)
        return next((record.id for records in (staged, held) for record in records), None)


def checked(record: Record, draft: Draft) -> Record:
    """The record with what the model says in it. Raises Declined with the field that is wrong."""
    fields = {name: getattr(draft, name) for name in (*_DRAFTED, "source", "trust")}
    try:
        return valid(replace(record, **fields))
    except InvalidRecord as error:
        raise Declined(f"write_memory refused: {error.message}.") from None


def _said(record: Record) -> Moment:
    return record.last_said


def topics(text: str) -> frozenset[str]:
    return parts(stems(text))


def require_backed(draft: Draft, passages: Iterable[str], tags: Iterable[str] = ()) -> None:
    """Raises Unbacked for a title, body or tag that adds to the passages. `tags` may be used as well."""
    backing = Backing(passages, also=_SPEAKERS)
    for name, text in (("title", draft.title), ("body", draft.body)):
        if (gap := backing.gap(text)) is not None:
            raise Unbacked(f"Nothing supports the {name}: {gap}. Write only what the evidence says, in its own words.")
    known = backing.tags(draft.tags)
    if unknown := [tag for tag in draft.tags if tag not in known and tag not in (*tags,)]:
        raise Unbacked(f"Nothing supports the tag '{unknown[0][:80]}'. Take words of the evidence, or leave it out.")


def text_of(record: Record | Candidate) -> str:
    return f"{record.title}\n{record.body}\n{' '.join(record.tags)}"
