"""What views are made of: the records of a scope that may be told to an agent, as they stand or as they stood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from lerim.context.filters import ANY
from lerim.context.projects import Project
from lerim.context.records import Primitive, Record, RecordId, Status, Trust, parse_time
from lerim.context.rows import decode, from_snapshot
from lerim.context.store import COLUMNS, RECORDS, ContextStore, Snapshot
from lerim.dataclass import dataclass, replace
from lerim.views.at_hand import AtHand

#: Records of a place that are looked at in full. A brief has room for a tenth of that; what stands behind so many that
#: are newer, surer or more used would not come into it.
MOST_RECORDS = 800
_SPOKEN = f"r.trust <> '{Trust.SHARED}' AND r.primitive <> '{Primitive.SUMMARY}'"
# Newest by when it began to hold; surest; most used: each a part of what is looked at.
_ORDERS = (
    ("r.valid_from DESC, r.seq DESC", MOST_RECORDS // 2),
    ("u.uses DESC NULLS LAST, r.confidence DESC, r.valid_from DESC, r.seq DESC", MOST_RECORDS // 2),
)


#: How records are read from one place.
Reading = Callable[[Snapshot, datetime | None], list[Record]]


@dataclass(frozen=True)
class Held:
    """A record that may be told, and the memory that keeps it."""

    record: Record
    is_global: bool = False

    @property
    def id(self) -> RecordId:
        return self.record.id


@dataclass(frozen=True)
class Source:
    """A project's records, or the global memory's."""

    project: Project
    store: ContextStore


@dataclass(frozen=True)
class Material:
    """Where a view looks from: the places in order, the moment, and what somebody is at."""

    sources: Sequence[Source]
    #: None for the present.
    as_of: datetime | None
    now: datetime
    at_hand: AtHand = AtHand()

    def lessons(self) -> list[Held]:
        """Decisions and learnings that hold, in the user's own memory; never hearsay, and nothing that is only noted:
        that is no record yet."""
        return self._held(_lessons)

    def summaries(self, limit: int) -> list[Held]:
        """What the last sessions left, newest session first."""
        found = self._held(lambda snapshot, moment: _summaries(snapshot, moment, limit))
        return sorted(found, key=lambda held: (held.record.last_said.at, held.id), reverse=True)[:limit]

    def _held(self, read: Reading) -> list[Held]:
        found: list[Held] = []
        for source in self.sources:
            with source.store.read() as snapshot:
                found += [Held(record, source.project.is_global) for record in read(snapshot, self.as_of)]
        return found


def _lessons(snapshot: Snapshot, moment: datetime | None) -> list[Record]:
    if moment is not None:
        return [record for record in stood_at(snapshot, moment) if record.primitive.is_lesson]
    by_id: dict[RecordId, Record] = {}
    for order, limit in _ORDERS:
        sql = (
            f"SELECT {COLUMNS} FROM {RECORDS} WHERE r.project_id = ? AND r.status = '{Status.ACTIVE}' AND {_SPOKEN}"
            f" ORDER BY {order} LIMIT ?"
        )
        for row in snapshot.tx.rows(sql, (snapshot.project_id, limit)):
            record = decode(row)
            by_id[record.id] = record
    return [record for record in by_id.values() if record.may_brief]


def _summaries(snapshot: Snapshot, moment: datetime | None, limit: int) -> list[Record]:
    if moment is not None:
        return [record for record in stood_at(snapshot, moment) if not record.primitive.is_lesson]
    sql = (
        f"SELECT {COLUMNS} FROM {RECORDS} WHERE r.project_id = ? AND r.status = '{Status.ACTIVE}'"
        f" AND r.primitive = '{Primitive.SUMMARY}' AND r.trust <> '{Trust.SHARED}'"
        " ORDER BY r.valid_from DESC, r.seq DESC LIMIT ?"
    )
    return [decode(row) for row in snapshot.tx.rows(sql, (snapshot.project_id, limit))]


def stood_at(snapshot: Snapshot, moment: datetime) -> list[Record]:
    """What held at a moment, by when it was said: a session that was read a month late taught what it taught then.

    The words are those that were written by then; of what was written later, the first.
    """
    texts: dict[RecordId, Record] = {}
    sql = (
        "SELECT v.snapshot, v.at FROM versions v JOIN records r ON r.seq = v.record_seq WHERE r.project_id = ?"
        " ORDER BY v.record_seq, v.version"
    )
    for text, at in snapshot.tx.rows(sql, (snapshot.project_id,)):
        version = from_snapshot(text)
        if version.id not in texts or parse_time(at) <= moment:
            texts[version.id] = version
    now_or_then = ((now, texts.get(now.id, now)) for now in snapshot.select(ANY) if not now.is_hearsay)
    found = (_as_of(now, then, moment) for now, then in now_or_then)
    return [record for record in found if record is not None]


def _as_of(now: Record, then: Record, moment: datetime) -> Record | None:
    """A record as it held at a moment; None when it did not: not said yet, replaced or put away by then."""
    began = min(now.valid_from or now.created, then.valid_from or then.created)
    ends = [one.valid_until for one in (now, then) if one.status is Status.SUPERSEDED and one.valid_until]
    if began > moment or then.status is Status.ARCHIVED or any(end <= moment for end in ends):
        return None
    evidence = tuple(piece for piece in then.evidence if piece.said is None or piece.said <= moment)
    return replace(
        then, status=Status.ACTIVE, superseded_by=None, valid_until=None, valid_from=began, evidence=evidence
    )
