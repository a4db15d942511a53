"""What curation has to look at: what changed since it last did, what may have faded by now, and what is still open.

How far it came is noted in the machine's own database. So the cost of a look follows what happened since, and not how
much is known; lost notes only make the next look a long one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from lerim.context.decay import DecayRule, fades_on
from lerim.context.feed import START, Feed, Followed, Position
from lerim.context.place import Place
from lerim.context.records import Record, RecordId, parse_time, time_text
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS
from lerim.dataclass import dataclass
from lerim.storage.database import Row, Transaction

#: What of this machine follows the feed here.
FOLLOWS = "curated"
#: Versions that are looked at in one go. What is left is for the next time.
MOST = 2_000
#: Records at a time that nobody changed, but whose time has come.
_DUE = 1_000
_AT_ONCE = 5_000
#: The due date of what waits for a person: always.
_OPEN = ""


@dataclass(frozen=True)
class DueRecords:
    """What is to be looked at, by row, and where in the feed that ends."""

    #: Records that changed, and those whose time has come; only what may be curated.
    changed: Mapping[int, Record]
    timed: Mapping[int, Record]
    #: Rows of both kinds that are nothing to curate any more.
    gone: tuple[int, ...]
    store: str
    start: Position
    end: Position
    #: How many versions are left for the next time.
    left: int
    #: When somebody looked before; None at the first time.
    since: datetime | None

    @property
    def records(self) -> dict[RecordId, Record]:
        return {record.id: record for record in (*self.changed.values(), *self.timed.values())}

    @property
    def rows(self) -> dict[RecordId, int]:
        return {record.id: seq for seq, record in (*self.changed.items(), *self.timed.items())}


def is_curated(record: Record) -> bool:
    """Whether a record is curation's business: a lesson that holds, and no stranger's."""
    return record.holds and record.primitive.is_lesson and not record.is_hearsay


def due_records(place: Place, now: datetime, most: int | None = MOST, suspects: Iterable[RecordId] = ()) -> DueRecords:
    """What there is to look at; at most so many versions of the feed. `suspects` are looked at in any case."""
    project = place.project.id
    with place.local.read() as local, place.store.read() as snapshot:
        feed = Feed(snapshot.tx, project)
        start = Followed(local, project, FOLLOWS).position(feed) or START
        versions = feed.since(start, (most or 10**9) + 1)
        some = versions[: most or None]
        seqs = {position.seq for position in some}
        sql = "SELECT record_seq FROM curated WHERE project_id = ? AND due <= ? ORDER BY due LIMIT ?"
        timed = {row[0] for row in local.rows(sql, (project, time_text(now), _DUE))}
        timed |= {snapshot.row_of(one)[0] for one in suspects if snapshot.find(one)}
        found = records_at(snapshot.tx, sorted(seqs | timed))
        kept = {seq: record for seq, record in found.items() if is_curated(record)}
        row = local.row("SELECT at FROM curations WHERE project_id = ?", (project,))
        return DueRecords(
            {seq: kept[seq] for seq in sorted(seqs) if seq in kept},
            {seq: kept[seq] for seq in sorted(timed - seqs) if seq in kept},
            tuple(sorted((seqs | timed) - kept.keys())),
            feed.store(),
            start,
            some[-1] if some else start,
            len(versions) - len(some),
            parse_time(row[0]) if row and start != START else None,
        )


def records_at(tx: Transaction, seqs: Sequence[int]) -> dict[int, Record]:
    """Records by row."""
    rows: list[Row] = []
    for start in range(0, len(seqs), _AT_ONCE):
        some = seqs[start : start + _AT_ONCE]
        rows += tx.rows(f"SELECT r.seq, {COLUMNS} FROM {RECORDS} WHERE r.seq IN ({', '.join('?' * len(some))})", some)
    return {row[0]: decode(row[1:]) for row in rows}


def note_looked(place: Place, due: DueRecords, still_open: set[RecordId], rule: DecayRule, now: datetime) -> None:
    """Note how far the look came, and when each record has to be looked at again. Another look since then counts."""
    project = place.project.id
    dates = [(seq, _due_on(record, still_open, rule)) for seq, record in (*due.changed.items(), *due.timed.items())]
    with place.local.write() as local:
        followed = Followed(local, project, FOLLOWS)
        if not followed.stands_at(due.store, due.start) and due.start != START:
            return
        followed.advance(due.store, due.end)
        gone = [*due.gone, *(seq for seq, date in dates if date is None)]
        local.run_many("DELETE FROM curated WHERE project_id = ? AND record_seq = ?", ((project, one) for one in gone))
        local.run_many(
            "INSERT INTO curated (project_id, record_seq, due) VALUES (?, ?, ?)"
            " ON CONFLICT (project_id, record_seq) DO UPDATE SET due = excluded.due",
            ((project, seq, date) for seq, date in dates if date is not None),
        )
        local.run(
            "INSERT INTO curations (project_id, at) VALUES (?, ?)"
            " ON CONFLICT (project_id) DO UPDATE SET at = excluded.at",
            (project, time_text(now)),
        )


def _due_on(record: Record, still_open: set[RecordId], rule: DecayRule) -> str | None:
    if record.id in still_open:
        return _OPEN
    date = fades_on(record, rule)
    return time_text(date) if date is not None else None
