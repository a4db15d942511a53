"""What views are made of: the records of a scope that may be told to an agent, as they stand or as they stood."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from lerim.context.filters import BRIEF
from lerim.context.projects import Project
from lerim.context.records import Primitive, Record, RecordId, Status, Trust, time_text
from lerim.context.review.candidates import WAITING
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS, ContextStore, Snapshot
from lerim.dataclass import dataclass, field, replace
from lerim.sessions.served import MemoryUse, SaidAgain, ServedSums
from lerim.storage.database import Value
from lerim.views.at_hand import AtHand

if TYPE_CHECKING:
    from lerim.context.review.waiting import LaterWord

#: Records of a place that are looked at in full: several times what a brief has room for.
MOST_RECORDS = 300
#: Sessions whose summaries are looked at.
MOST_SESSIONS = 50
#: What is younger counts as new in the choice of those.
_NEW = timedelta(days=90)
_OWN = f"r.project_id = ? AND r.status = '{Status.ACTIVE}' AND r.trust <> '{Trust.SHARED}'"
# Whose word it is, how sure, how used, how new: roughly as `order.py` weighs them, for memories of any size. Only rows
# are sorted here; of a hundred thousand, few are read.
_BEST = (
    f"SELECT r.seq FROM {RECORDS} WHERE {_OWN} AND r.primitive <> '{Primitive.SUMMARY}' ORDER BY"
    f" CASE WHEN r.trust = '{Trust.USER}' THEN 2.0 ELSE 0.0 END + CASE WHEN r.evidence = '[]' THEN 1.0 ELSE 0.0 END"
    " + r.confidence + CASE WHEN u.uses > 10 THEN 1.0 ELSE 0.1 * coalesce(u.uses, 0) END"
    " + CASE WHEN r.valid_from >= ? THEN 0.5 ELSE 0.0 END DESC, r.valid_from DESC, r.seq DESC LIMIT ?"
)
# By way of the sessions: there are far fewer of them than records.
_LATEST = (
    "SELECT r.seq FROM sessions s JOIN records r ON r.project_id = s.project_id AND r.id = s.summary_id"
    f" WHERE {_OWN} ORDER BY r.valid_from DESC, r.seq DESC LIMIT ?"
)


@dataclass(frozen=True)
class ToldRecord:
    """A record that may be told, and the memory that keeps it."""

    record: Record
    project: Project
    #: It was decided on a branch that is not merged.
    is_provisional: bool = False
    #: What was said later and cannot hold together with it, while nobody has decided.
    rival: RecordId | None = None
    is_rival_sure: bool = True
    #: What that says, where it only waits: no view has a line for it.
    rival_said: str = ""

    @property
    def is_global(self) -> bool:
        return self.project.is_global

    @property
    def id(self) -> RecordId:
        return self.record.id


@dataclass(frozen=True)
class ViewedPlace:
    """A project's records, or the global memory's."""

    project: Project
    store: ContextStore


@dataclass(frozen=True)
class HandedOut:
    """What sessions of a project were given, and what they made of it."""

    sums: ServedSums
    uses: Sequence[MemoryUse]
    said_again: Sequence[SaidAgain]


@dataclass(frozen=True)
class Material:
    """Where views look from: the places in order, the moment, and what somebody is at. Read once for all of them."""

    sources: Sequence[ViewedPlace]
    #: None for the present.
    as_of: datetime | None
    now: datetime
    at_hand: AtHand = AtHand()
    #: What sessions were given of this project, when anybody knows.
    handed: HandedOut | None = None
    #: Records whose ground is gone, and decisions that wait for their branch to be merged.
    suspects: frozenset[RecordId] = frozenset()
    provisional: frozenset[RecordId] = frozenset()
    #: Of some records, those of them that each cannot hold together with.
    opposed: Callable[[Collection[RecordId]], Mapping[RecordId, Collection[RecordId]]] = lambda _: {}
    #: Of some records, those that the user said otherwise of, with the candidate that waits and when that was said.
    disputed: Callable[[Collection[RecordId]], Mapping[RecordId, LaterWord]] = lambda _: {}
    #: What sections are called in this kind of work, and their order; by default as they are named.
    headings: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()

    @cached_property
    def lessons(self) -> list[ToldRecord]:
        """Decisions and learnings that hold, in the user's own memory; never hearsay, and nothing that is only noted:
        that is no record yet."""
        since = time_text(self.now - _NEW)
        found = self._held(lambda snapshot: _chosen(snapshot, _BEST, since, MOST_RECORDS), is_lesson=True)
        by_id = {held.id: held for held in found}
        opposed, disputed = self.opposed(by_id), self.disputed(by_id)
        told = [_with_rival(held, [by_id[one] for one in opposed.get(held.id, ()) if one in by_id]) for held in found]
        return [_with_what_waits(held, disputed[held.id]) if held.id in disputed else held for held in told]

    @cached_property
    def summaries(self) -> list[ToldRecord]:
        """What the last sessions left, newest session first."""
        found = self._held(lambda snapshot: _chosen(snapshot, _LATEST, MOST_SESSIONS), is_lesson=False)
        return sorted(found, key=lambda held: (held.record.last_said.at, held.id), reverse=True)[:MOST_SESSIONS]

    @cached_property
    def hearsay(self) -> int:
        """How many memories came with a repository that is not trusted: counted, never told."""
        sql = f"SELECT count(*) FROM records WHERE project_id = ? AND status = ? AND trust = '{Trust.SHARED}'"
        found = 0
        for source in self.sources:
            with source.store.read() as snapshot:
                row = snapshot.tx.row(sql, (source.project.id, str(Status.ACTIVE)))
                found += int(row[0]) if row else 0
        return found

    def waiting(self, *, only_likely: bool = False) -> list[str]:
        """The session of each candidate that nobody has decided on yet: counted, never told."""
        if self.as_of is not None:
            return []
        from lerim.context.review.rows import IS_LIKELY  # Start-up: a brief that is there already asks for nothing.

        which = f"project_id = ? AND state = 'pending' AND {IS_LIKELY if only_likely else 'TRUE'}"
        sql = f"SELECT session FROM review WHERE {which} ORDER BY created DESC, id"
        found: list[str] = []
        for source in self.sources:
            with source.store.read() as snapshot:
                found += [row[0] for row in snapshot.tx.rows(sql, (source.project.id,))]
        return found

    def _held(self, read: Callable[[Snapshot], list[Record]], *, is_lesson: bool) -> list[ToldRecord]:
        found: list[ToldRecord] = []
        for source in self.sources:
            with source.store.read() as snapshot:
                records = read(snapshot) if self.as_of is None else _as_of(snapshot, self.as_of)
            found += [
                ToldRecord(record, source.project, record.id in self.provisional)
                for record in records
                if record.may_brief and record.primitive.is_lesson is is_lesson
            ]
        return found


def _with_rival(held: ToldRecord, opposed: Sequence[ToldRecord]) -> ToldRecord:
    """A record, and the last of those that were said after it and against it."""
    last = max(opposed, key=lambda other: other.record.last_said, default=None)
    return replace(held, rival=last.id) if last and last.record.last_said > held.record.last_said else held


def _with_what_waits(held: ToldRecord, later: LaterWord) -> ToldRecord:
    """A record, and what the user said later against it, if no other record does."""
    is_later = held.rival is None and later.said > held.record.last_said.at
    said = later.title if later.name.startswith(WAITING) else ""
    rival = RecordId(later.name)
    return replace(held, rival=rival, is_rival_sure=later.is_sure, rival_said=said) if is_later else held


def _chosen(snapshot: Snapshot, chosen: str, *values: Value) -> list[Record]:
    sql = f"SELECT {COLUMNS} FROM {RECORDS} WHERE r.seq IN ({chosen}) ORDER BY r.seq"
    return [decode(row) for row in snapshot.tx.rows(sql, (snapshot.project_id, *values))]


def _as_of(snapshot: Snapshot, moment: datetime) -> list[Record]:
    """What held at a moment; without what the user has come to distrust since."""
    sql = f"SELECT id FROM records WHERE project_id = ? AND trust = '{Trust.SHARED}'"
    hearsay = {row[0] for row in snapshot.tx.rows(sql, (snapshot.project_id,))}
    return [record for record in snapshot.select_as_of(moment, BRIEF) if record.id not in hearsay]
