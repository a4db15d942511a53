"""The Context Store: one project's records and all their versions, in the database.

Reading goes through `Snapshot`, writing through `Change`; each is one transaction. Whoever keeps something made from
the records, files or an index, follows the versions in the order they were written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lerim.context.filters import Filter, PageMark, like
from lerim.context.past import stood_at
from lerim.context.records import (
    FIELDS,
    Clock,
    Primitive,
    Record,
    RecordId,
    Status,
    Trust,
    parse_time,
    time_text,
    utc_now,
    valid,
)
from lerim.context.rows import decode, encode, from_snapshot, has_filed, to_snapshot
from lerim.dataclass import dataclass, field, replace
from lerim.errors import Conflict, NotFound, SupersedeCycle
from lerim.storage.database import Database, Row, TextMatch, Transaction, Value

if TYPE_CHECKING:
    from lerim.context.disclosure import SuspectedSecret

_COLUMNS = ", ".join(f"r.{name}" for name in FIELDS)
#: What `decode` takes, and where it comes from: for those who join something of their own to it.
COLUMNS = f"{_COLUMNS}, u.last_used, u.uses"
RECORDS = "records r LEFT JOIN uses u ON u.record_seq = r.seq"
_SELECT = f"SELECT {COLUMNS} FROM {RECORDS}"
_INSERT = (
    f"INSERT INTO records (project_id, {', '.join(FIELDS)}) VALUES {{rows}}"
    " ON CONFLICT (project_id, id) DO NOTHING RETURNING id, seq"
)
_INSERT_ROW = f"(?{', ?' * len(FIELDS)})"
# Rows a statement: after each one the text index is written, and engines take 32,000 values at most.
_INSERT_ROWS = 500
_UPDATE = f"UPDATE records SET {', '.join(f'{name} = ?' for name in FIELDS)}, filed = ? WHERE seq = ? AND version = ?"
_INSERT_VERSION = (
    "INSERT INTO versions (record_seq, version, change_id, operation, at, snapshot) VALUES (?, ?, ?, ?, ?, ?)"
)
# Said outright: an index that holds hearsay alone is used only then.
_HEARSAY = f"r.trust = '{Trust.SHARED}'"
_OWN = f"r.trust <> '{Trust.SHARED}'"
#: What a `Version` is made of: of a version `v` and its change `c`.
VERSION_COLUMNS = "v.snapshot, v.operation, v.at, c.author, c.reason, c.id, c.run_id"
# A change that took others back.
_IS_UNDO = "EXISTS (SELECT 1 FROM changes u WHERE u.undone_by = c.id)"
#: Of a version: the change that took it back, if one did. A record that was changed again since is not taken back.
TAKEN_BACK = (
    "(SELECT min(b.undone_by) FROM changes b JOIN versions w ON w.change_id = b.undone_by"
    " AND w.record_seq = v.record_seq WHERE b.id = v.change_id)"
)


@dataclass(frozen=True)
class Version:
    """What a record was, and who made it so, when and why."""

    record: Record
    operation: str
    at: datetime
    author: str
    reason: str
    change: int
    run_id: str | None

    @classmethod
    def of(cls, row: Row) -> Version:
        """A version from its `VERSION_COLUMNS`; what stands behind them is the caller's."""
        snapshot, operation, at, author, reason, change, run_id = row[:7]
        return cls(from_snapshot(snapshot), operation, parse_time(at), author, reason, change, run_id)


@dataclass(frozen=True)
class ChangeInfo:
    """One change as the log lists it."""

    id: int
    at: datetime
    author: str
    reason: str
    run_id: str | None


@dataclass
class Undone:
    """What taking changes back did, and which records somebody had changed again since."""

    changes: Sequence[ChangeInfo]
    records: list[Record] = field(default_factory=list)
    kept: list[Record] = field(default_factory=list)


@dataclass(frozen=True)
class Touched:
    """A record this change wrote. `filed` is False when it shall have no file any more."""

    seq: int
    record: Record
    filed: bool = True


@dataclass(frozen=True)
class FileImage:
    """A record's file as it was before a run wrote over it: where it lay, and its bytes."""

    path: str
    data: bytes


@dataclass(frozen=True)
class RunChanges:
    """What is left of a run's changes: when it made them, and how many records they touch."""

    run_id: str
    at: datetime
    records: int


class ContextStore:
    """Records of one project. The clock is passed in; the database may be shared with other projects."""

    def __init__(self, database: Database, project_id: str, clock: Clock = utc_now) -> None:
        self.database = database
        self.project_id = project_id
        self.clock = clock

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        with self.database.read() as tx:
            yield Snapshot(tx, self.project_id, self.clock())

    @contextmanager
    def change(self, author: str, reason: str, run_id: str | None = None) -> Iterator[Change]:
        """All that happens inside becomes one change: committed at the end, or nothing of it."""
        with self.database.write(self.project_id) as tx:
            yield Change(tx, self.project_id, self.clock(), author, reason, run_id)


class Snapshot:
    """A consistent view of one project's records."""

    def __init__(self, tx: Transaction, project_id: str, now: datetime) -> None:
        self.tx = tx
        self.project_id = project_id
        self.now = now

    def find(self, record_id: str) -> Record | None:
        row = self.tx.row(f"{_SELECT} WHERE r.project_id = ? AND r.id = ?", (self.project_id, record_id))
        return decode(row) if row else None

    def ids(self) -> set[str]:
        """Every id there is, whatever its record's status."""
        return {row[0] for row in self.tx.rows("SELECT id FROM records WHERE project_id = ?", (self.project_id,))}

    def ids_from(self, prefix: str, limit: int) -> list[str]:
        """The first ids that begin so."""
        sql = "SELECT id FROM records WHERE project_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?"
        return [row[0] for row in self.tx.rows(sql, (self.project_id, prefix, prefix + "\x7f", limit))]

    def fetch(self, record_id: str) -> Record:
        """The record, whatever its status. Raises NotFound."""
        record = self.find(record_id)
        if record is None:
            raise NotFound(f"no record '{record_id}' in this scope", hint="lerim memory list --status all")
        return record

    def row_of(self, record_id: str) -> tuple[int, Record]:
        """A record with its row number. Raises NotFound."""
        record = self.fetch(record_id)
        row = self.tx.row("SELECT seq FROM records WHERE project_id = ? AND id = ?", (self.project_id, record_id))
        return int(_only(row)), record

    def starting_with(self, prefix: str) -> list[Record]:
        """Records whose id begins with `prefix`: people type as little as they can."""
        upper = prefix + "\x7f"
        rows = self.tx.rows(
            f"{_SELECT} WHERE r.project_id = ? AND r.id >= ? AND r.id < ? ORDER BY r.id LIMIT 5",
            (self.project_id, prefix, upper),
        )
        return [decode(row) for row in rows]

    def current(self, record_id: str) -> Record:
        """The record that holds today: `record_id` itself, or what superseded it last.

        Raises NotFound. An archived record is still returned; archiving is not replacing.
        """
        record = self.fetch(record_id)
        while record.superseded_by is not None:
            record = self.fetch(record.superseded_by)
        return record

    def select(self, wanted: Filter = Filter()) -> list[Record]:  # noqa: B008 - frozen
        """Records that the filter takes, last changed first."""
        where, values = wanted.where(self.tx)
        sql = f"{_SELECT} WHERE r.project_id = ? AND {where} ORDER BY r.updated DESC, r.seq DESC"
        return [decode(row) for row in self.tx.rows(sql, (self.project_id, *values))]

    def page(self, wanted: Filter, limit: int, offset: int = 0) -> list[Record]:
        """So many of the records that the filter takes, after the first `offset` of them: the user's own before
        hearsay, last changed first. No others are read."""
        found = self._part(wanted, _OWN, limit, offset)
        if len(found) < limit and wanted.hearsay and self.keeps_hearsay():
            own = self.count(replace(wanted, hearsay=False))
            found += self._part(wanted, _HEARSAY, limit - len(found), max(offset - own, 0))
        return found

    def _part(self, wanted: Filter, whose: str, limit: int, offset: int) -> list[Record]:
        where, values = wanted.where(self.tx)
        sql = f"{_SELECT} WHERE r.project_id = ? AND {where} AND {whose} ORDER BY r.updated DESC, r.seq DESC"
        rows = self.tx.rows(f"{sql} LIMIT ? OFFSET ?", (self.project_id, *values, limit, offset))
        return [decode(row) for row in rows]

    def following(self, wanted: Filter, limit: int, mark: PageMark | None) -> list[Record]:
        """So many of the records that the filter takes, in the order of `page`, after the one where a page ended:
        whatever came since, and however much came before, no others are read."""
        found: list[Record] = []
        for whose, is_hearsay in ((_OWN, False), (_HEARSAY, True)):
            if len(found) < limit and not (mark and mark.is_hearsay and not is_hearsay):
                seek = mark if mark and mark.is_hearsay is is_hearsay else None
                found += self._part_after(wanted, whose, limit - len(found), seek)
        return found

    def _part_after(self, wanted: Filter, whose: str, limit: int, mark: PageMark | None) -> list[Record]:
        where, values = wanted.where(self.tx)
        if mark is not None:
            row = self.tx.row("SELECT seq FROM records WHERE project_id = ? AND id = ?", (self.project_id, mark.id))
            where, values = f"{where} AND (r.updated, r.seq) < (?, ?)", [*values, mark.updated, row[0] if row else 0]
        sql = f"{_SELECT} WHERE r.project_id = ? AND {where} AND {whose} ORDER BY r.updated DESC, r.seq DESC LIMIT ?"
        return [decode(row) for row in self.tx.rows(sql, (self.project_id, *values, limit))]

    def count(self, wanted: Filter) -> int:
        """How many records the filter takes."""
        where, values = wanted.where(self.tx)
        sql = f"SELECT count(*) FROM records r WHERE r.project_id = ? AND {where}"
        return int(_only(self.tx.row(sql, (self.project_id, *values))))

    def keeps_hearsay(self) -> bool:
        """Whether any record came with a repository that was not trusted then, nor since."""
        sql = f"SELECT 1 FROM records r WHERE r.project_id = ? AND {_HEARSAY} LIMIT 1"
        return self.tx.row(sql, (self.project_id,)) is not None

    def matching(self, match: TextMatch, wanted: Filter, limit: int) -> list[tuple[Record, float]]:
        """Records whose text matches and that the filter takes, best first, each with its rank (lower is better)."""
        where, values = wanted.where(self.tx)
        sql = (
            f"SELECT {_COLUMNS}, u.last_used, u.uses, {match.rank} AS rank"
            f" FROM {match.source} LEFT JOIN uses u ON u.record_seq = r.seq"
            f" WHERE {match.where} AND r.project_id = ? AND {where} ORDER BY rank, r.seq DESC LIMIT ?"
        )
        rows = self.tx.rows(sql, (match.value, self.project_id, *values, limit))
        return [(decode(row[:-1]), row[-1]) for row in rows]

    def containing(self, text: str, wanted: Filter, limit: int) -> list[Record]:
        """Records with this very text in title or body: for scripts that put no spaces between words."""
        where, values = wanted.where(self.tx)
        sql = (
            f"{_SELECT} WHERE (r.title LIKE ? ESCAPE '\\' OR r.body LIKE ? ESCAPE '\\')"
            f" AND r.project_id = ? AND {where} ORDER BY r.updated DESC LIMIT ?"
        )
        pattern = f"%{like(text)}%"
        return [decode(row) for row in self.tx.rows(sql, (pattern, pattern, self.project_id, *values, limit))]

    def select_as_of(self, moment: datetime, wanted: Filter = Filter()) -> list[Record]:  # noqa: B008 - frozen
        """The records as they stood at `moment`, by when they were said; last changed first."""
        found = [record for record in self._as_of(moment) if wanted.takes(record)]
        found.reverse()
        return sorted(found, key=lambda record: record.updated, reverse=True)

    def fetch_as_of(self, record_id: str, moment: datetime) -> Record:
        """One record as it stood at `moment`. Raises NotFound when it was not said yet."""
        self.fetch(record_id)
        if (found := next(self._as_of(moment, " AND r.id = ?", record_id), None)) is None:
            raise NotFound(
                f"'{record_id}' did not exist at {time_text(moment)}", hint=f"lerim memory history {record_id}"
            )
        return found

    def _as_of(self, moment: datetime, whose: str = "", *values: str) -> Iterator[Record]:
        """What was taken back never was."""
        rows = self.tx.rows(
            "SELECT v.record_seq, v.snapshot, v.at FROM versions v JOIN records r ON r.seq = v.record_seq"
            f" WHERE r.project_id = ?{whose} AND {TAKEN_BACK} IS NULL ORDER BY v.record_seq, v.version",
            (self.project_id, *values),
        )
        told = (
            stood_at([(from_snapshot(text), parse_time(at)) for _, text, at in versions], moment)
            for _, versions in groupby(rows, key=itemgetter(0))
        )
        return (record for record in told if record is not None)

    def history(self, record_id: str) -> list[Version]:
        """Every version of a record, oldest first. Raises NotFound."""
        rows = self.tx.rows(
            f"SELECT {VERSION_COLUMNS} FROM versions v"
            " JOIN changes c ON c.id = v.change_id JOIN records r ON r.seq = v.record_seq"
            " WHERE r.project_id = ? AND r.id = ? ORDER BY v.version",
            (self.project_id, record_id),
        )
        if not rows:
            self.fetch(record_id)
        return [Version.of(row) for row in rows]

    def citing(self, agent: str, run_id: str) -> list[Record]:
        """Records with evidence from a session, whatever their status. Hearsay may cite what it likes: left out."""
        sql = (
            f"{_SELECT} JOIN cited_sessions s ON s.record_seq = r.seq"
            " WHERE s.project_id = ? AND s.agent = ? AND s.run_id = ? AND r.trust <> ? ORDER BY r.seq"
        )
        return [decode(row) for row in self.tx.rows(sql, (self.project_id, agent, run_id, str(Trust.SHARED)))]

    def summary_of(self, agent: str, run_id: str) -> Record | None:
        """The summary of a session, whatever its status; None when it left none."""
        sql = "SELECT summary_id FROM sessions WHERE project_id = ? AND agent = ? AND run_id = ?"
        row = self.tx.row(sql, (self.project_id, agent, run_id))
        return self.find(row[0]) if row else None

    def summary_titles(self) -> dict[str, str]:
        """What the sessions were about that left a summary, by `agent/run_id`."""
        sql = (
            "SELECT s.agent || '/' || s.run_id, r.title FROM sessions s"
            " JOIN records r ON r.project_id = s.project_id AND r.id = s.summary_id"
            f" WHERE s.project_id = ? AND r.status = '{Status.ACTIVE}'"
        )
        return dict(self.tx.rows(sql, (self.project_id,)))

    def successors(self) -> dict[RecordId, RecordId]:
        """What replaced what."""
        sql = "SELECT id, superseded_by FROM records WHERE project_id = ? AND superseded_by IS NOT NULL"
        return {RecordId(old): RecordId(new) for old, new in self.tx.rows(sql, (self.project_id,))}

    def filed(self) -> list[Touched]:
        """Every record that shall have a file: all but those archived because their file was deleted."""
        sql = (
            f"SELECT r.seq, {_COLUMNS}, NULL, NULL FROM records r WHERE r.project_id = ? AND r.filed = 1 ORDER BY r.seq"
        )
        return [Touched(row[0], decode(row[1:])) for row in self.tx.rows(sql, (self.project_id,))]

    def has_filed(self) -> bool:
        """Whether any record shall have a file."""
        return has_filed(self.tx, self.project_id)

    def standing(self, record_id: str) -> tuple[int, bool]:
        """A record's version, and whether it shall have a file. Raises NotFound."""
        sql = "SELECT version, filed FROM records WHERE project_id = ? AND id = ?"
        row = self.tx.row(sql, (self.project_id, record_id))
        if row is None:
            self.fetch(record_id)
        assert row is not None
        return int(row[0]), bool(row[1])

    def counts(self) -> dict[tuple[Primitive, Status], int]:
        rows = self.tx.rows(
            "SELECT primitive, status, count(*) FROM records WHERE project_id = ? GROUP BY primitive, status",
            (self.project_id,),
        )
        return {(Primitive(primitive), Status(status)): count for primitive, status, count in rows}

    def last_change(self) -> ChangeInfo:
        """The newest change that is neither an undo nor undone. Raises NotFound."""
        found = self._changes(
            f"undone_by IS NULL AND NOT {_IS_UNDO} AND EXISTS (SELECT 1 FROM versions v WHERE v.change_id = c.id)",
            (),
            "LIMIT 1",
        )
        if not found:
            raise NotFound("there is nothing to undo in this scope", hint="lerim memory list --status all")
        return found[0]

    def changes_of_run(self, run_id: str) -> list[ChangeInfo]:
        """What a run changed and nobody took back yet, newest first."""
        return self._changes("run_id = ? AND undone_by IS NULL", (run_id,))

    def find_change(self, change_id: int) -> ChangeInfo:
        """A change that can be undone. Raises NotFound, or Conflict when it is undone already."""
        found = self._changes("id = ?", (change_id,))
        if not found:
            raise NotFound(f"no change {change_id} in this scope", hint="lerim memory history ID")
        if not self._changes("id = ? AND undone_by IS NULL", (change_id,)):
            raise Conflict(f"change {change_id} is undone already", hint="lerim memory history ID")
        return found[0]

    def touched_by(self, change: ChangeInfo) -> list[RecordId]:
        """The records that a change wrote."""
        sql = "SELECT DISTINCT r.id FROM versions v JOIN records r ON r.seq = v.record_seq WHERE v.change_id = ?"
        return [RecordId(name) for (name,) in self.tx.rows(f"{sql} ORDER BY r.id", (change.id,))]

    def changed_since(self, change: ChangeInfo) -> list[Record]:
        """The records of a change that somebody changed again, and nobody took that back."""
        sql = "SELECT r.id, r.seq, v.version FROM versions v JOIN records r ON r.seq = v.record_seq"
        rows = self.tx.rows(f"{sql} WHERE v.change_id = ? ORDER BY r.id", (change.id,))
        return [self.fetch(name) for name, seq, version in rows if self._is_changed_again(seq, version, [change.id])]

    def _is_changed_again(self, seq: int, version: int, changes: Sequence[int]) -> bool:
        """Whether a record was changed after a version, by other changes than these, and that still counts."""
        marks = ", ".join("?" * len(changes))
        later = f"v.version > ? AND c.id NOT IN ({marks}) AND c.undone_by IS NULL AND NOT {_IS_UNDO}"
        sql = f"SELECT 1 FROM versions v JOIN changes c ON c.id = v.change_id WHERE v.record_seq = ? AND {later}"
        return self.tx.row(sql, (seq, version, *changes)) is not None

    def runs(self, limit: int = 20) -> list[RunChanges]:
        """The newest runs with changes that nobody took back yet."""
        sql = (
            "SELECT c.run_id, max(c.at), count(DISTINCT v.record_seq) FROM changes c"
            " JOIN versions v ON v.change_id = c.id WHERE c.project_id = ? AND c.run_id IS NOT NULL"
            " AND c.undone_by IS NULL GROUP BY c.run_id ORDER BY max(c.id) DESC LIMIT ?"
        )
        return [RunChanges(r[0], parse_time(r[1]), r[2]) for r in self.tx.rows(sql, (self.project_id, limit))]

    def _changes(self, where: str, values: Sequence[Value], ending: str = "") -> list[ChangeInfo]:
        sql = f"SELECT id, at, author, reason, run_id FROM changes c WHERE project_id = ? AND {where} ORDER BY id DESC"
        rows = self.tx.rows(f"{sql} {ending}", (self.project_id, *values))
        return [ChangeInfo(r[0], parse_time(r[1]), r[2], r[3], r[4]) for r in rows]


class Change(Snapshot):
    """One unit of work on a project's records."""

    def __init__(
        self,
        tx: Transaction,
        project_id: str,
        now: datetime,
        author: str,
        reason: str,
        run_id: str | None = None,
    ) -> None:
        super().__init__(tx, project_id, now)
        #: Records written so far, in order, each as it stands.
        self.touched: dict[RecordId, Touched] = {}
        #: What looked like a secret and was masked, by record.
        self.masked: dict[RecordId, tuple[SuspectedSecret, ...]] = {}
        #: Files that shall be what they were, as far as nobody needs their place.
        self.images: dict[RecordId, FileImage] = {}
        self._first_changes: dict[RecordId, int] = {}
        self._author = author
        self._info: tuple[Value, ...] = (project_id, time_text(now), author, reason, run_id)
        self._id: int | None = None

    @property
    def id(self) -> int:
        """The change's number in the log. A change that writes nothing leaves no row."""
        if self._id is None:
            sql = "INSERT INTO changes (project_id, at, author, reason, run_id) VALUES (?, ?, ?, ?, ?) RETURNING id"
            self._id = int(_only(self.tx.row(sql, self._info)))
        return self._id

    def leave_row(self) -> None:
        """Be in the log though no record changes: what is told of them does, and views follow the log."""
        _ = self.id

    def begin_part(self, reason: str) -> None:
        """Let what follows be a change of its own in the log, which can be taken back by itself. It is still committed
        with the rest, or not at all."""
        project_id, at, author, _, run_id = self._info
        self._info, self._id = (project_id, at, author, reason, run_id), None

    def create(self, record: Record, operation: str = "create") -> Record:
        """Store a new record. Raises Conflict when its id is taken, InvalidRecord when a field is wrong."""
        record = self._screened(valid(replace(record, version=1)))
        self._insert([record], operation)
        return record

    def create_all(self, records: Sequence[Record], operation: str = "create") -> None:
        """Store many new records, each at version 1 and as `valid` returned it. Raises Conflict when an id is taken."""
        for start in range(0, len(records), _INSERT_ROWS):
            batch = [self._screened(record) for record in records[start : start + _INSERT_ROWS]]
            self._insert(batch, operation)

    def revise(
        self, record_id: str, operation: str = "revise", *, base: int | None = None, filed: bool = True, **changes: Any
    ) -> Record:
        """Give a record new field values as a new version. Without a difference, nothing is written.

        `base` is the version the caller saw: Conflict when somebody was faster.
        """
        seq, old = self.row_of(record_id)
        if base is not None and old.version != base:
            raise Conflict(
                f"'{old.id}' is at version {old.version} now, not {base}", hint=f"lerim memory diff {old.id}"
            )
        changes.setdefault("updated", max(self.now, old.updated))
        new = self._screened(valid(replace(old, **changes)), old)
        if self._author != "lerim" and (new.title, new.body) != (old.title, old.body):
            new = replace(new, worded=changes.get("worded", new.updated))
        if replace(new, updated=old.updated) == old and (filed or not self.standing(record_id)[1]):
            return old
        return self._write(seq, old, new, operation, filed=filed)

    def supersede(self, old_id: str, by: str, at: datetime | None = None) -> Record:
        """Close `old_id` in favor of `by`, as of now or of the moment when that was said.

        Raises SupersedeCycle, or Conflict when `by` leads to nothing active.
        """
        old, new = self.fetch(old_id), self.fetch(by)
        if old.id == new.id:
            raise SupersedeCycle(f"'{old.id}' cannot replace itself", hint="name the record that holds instead")
        chain = [new.id]
        while new.superseded_by is not None and old.id not in chain:
            new = self.fetch(new.superseded_by)
            chain.append(new.id)
        if old.id in chain:
            raise SupersedeCycle(f"'{by}' is itself replaced by '{old.id}'", hint=f"lerim memory history {old.id}")
        if not new.holds:
            raise Conflict(f"'{new.id}' is archived and cannot replace anything", hint=f"lerim memory restore {new.id}")
        return self.revise(
            old.id,
            "supersede",
            status=Status.SUPERSEDED,
            superseded_by=RecordId(by),
            valid_until=max(at or self.now, (old.valid_from if at else None) or old.created),
        )

    def archive(self, record_id: str, *, filed: bool = True, operation: str = "archive") -> Record:
        """Put a record away. Its history stays, and what it superseded stays superseded."""
        return self.revise(record_id, operation, status=Status.ARCHIVED, filed=filed)

    def restore(self, record_id: str) -> Record:
        """Bring back an archived record as it was, or make a superseded one hold again."""
        old = self.fetch(record_id)
        if old.status is Status.ARCHIVED and old.superseded_by is not None:
            return self.revise(record_id, "restore", status=Status.SUPERSEDED)
        return self.revise(record_id, "restore", status=Status.ACTIVE, superseded_by=None, valid_until=None)

    def file(self, record_id: str) -> None:
        """Note that a record has a file again. Makes no version: it says the same."""
        sql = "UPDATE records SET filed = 1 WHERE project_id = ? AND id = ? AND filed = 0"
        self.tx.run(sql, (self.project_id, record_id))

    @property
    def is_of_a_run(self) -> bool:
        return self._info[-1] is not None

    def keep_image(self, record_id: RecordId, image: FileImage) -> None:
        """Note how the file of a touched record looks before it is written over."""
        self.tx.run(
            "INSERT INTO file_images (change_id, record_seq, path, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (self._first_changes[record_id], self.touched[record_id].seq, image.path, image.data),
        )

    def forget_images(self, record_id: RecordId) -> None:
        """Forget how a record's file looked before runs wrote over it."""
        seq, _ = self.row_of(record_id)
        self.tx.run("DELETE FROM file_images WHERE record_seq = ?", (seq,))

    def touch(self, record_ids: Iterable[str], *, counted: bool = True) -> None:
        """Note a use of each record. Makes no version: attention is not truth. One that is not `counted` keeps it from
        fading and no more: what was handed out need not have been of use."""
        whose, now = [(self.project_id, record_id) for record_id in record_ids], time_text(self.now)
        self.tx.run_many(
            "INSERT INTO uses (record_seq, last_used, uses)"
            " SELECT seq, '', 0 FROM records WHERE project_id = ? AND id = ? ON CONFLICT DO NOTHING",
            whose,
        )
        self.tx.run_many(
            "UPDATE uses SET uses = uses + ?, last_used = ?"
            " WHERE record_seq = (SELECT seq FROM records WHERE project_id = ? AND id = ?)",
            [(int(counted), now, *one) for one in whose],
        )

    def undo(self, changes: Sequence[ChangeInfo]) -> Undone:
        """Take changes back with new versions. A record that somebody changed again since is left as it is."""
        undone = Undone(changes)
        ids = [change.id for change in changes]
        marks = ", ".join("?" * len(ids))
        rows = self.tx.rows(
            f"SELECT r.id, min(v.version) FROM versions v JOIN records r ON r.seq = v.record_seq"
            f" WHERE v.change_id IN ({marks}) GROUP BY r.id ORDER BY min(v.change_id), r.id",
            ids,
        )
        for record_id, first in rows:
            seq, record = self.row_of(record_id)
            if self._is_changed_again(seq, first, ids):
                undone.kept.append(record)
            elif first == 1:
                # It did not exist before: no file, and out of the way. `restore` still finds it.
                undone.records.append(self.archive(record_id, filed=False, operation="undo"))
            else:
                undone.records.append(self._back_to(seq, record, first - 1))
        for record in undone.records:
            self._refuse_circle(record)
        # A change without versions decided on candidates for review only; those look at it.
        if undone.records or not rows:
            self.tx.run(f"UPDATE changes SET undone_by = ? WHERE id IN ({marks})", (self.id, *ids))
        return undone

    def _screened(self, record: Record, before: Record | None = None) -> Record:
        """The record as it may be shared. Only people can say that what looks like a secret stays, and write as they
        like: what Lerim writes keeps the conversation to itself."""
        # Start-up: most commands write no record.
        from lerim.context.disclosure import is_allowed, screen
        from lerim.context.discretion import discreet_record

        if self._author == "lerim":
            record = discreet_record(record, before)
        if is_allowed(record) and self._author != "lerim":
            return record
        screened, found = screen(record, before)
        if found:
            self.masked[record.id] = found
        return screened

    def _insert(self, records: Sequence[Record], operation: str) -> None:
        rows = [encode(record) for record in records]
        sql = _INSERT.format(rows=", ".join([_INSERT_ROW] * len(rows)))
        inserted = self.tx.rows(sql, [value for row in rows for value in (self.project_id, *row)])
        seqs: dict[str, int] = dict(inserted)
        versions = []
        for record, row in zip(records, rows, strict=True):
            seq = seqs.pop(record.id, None)
            if seq is None:
                raise Conflict(f"'{record.id}' exists already", hint=f"lerim memory show {record.id}")
            # What was learned before it came here held before it came here: reading as of a date depends on it.
            versions.append(self._version(Touched(seq, record), row, operation, min(self.now, record.created)))
            if record.primitive is Primitive.SUMMARY:
                self._keep_session(record)
        self.tx.run_many(_INSERT_VERSION, versions)

    def _refuse_circle(self, record: Record) -> None:
        """What was no circle when it was written may be one by now."""
        seen, at = {record.id}, record.superseded_by
        while at is not None:
            if at in seen:
                raise SupersedeCycle(
                    f"taking this back would make '{record.id}' replace itself", hint=f"lerim memory history {at}"
                )
            seen.add(at)
            at = self.fetch(at).superseded_by

    def _back_to(self, seq: int, now: Record, version: int) -> Record:
        row = self.tx.row("SELECT snapshot FROM versions WHERE record_seq = ? AND version = ?", (seq, version))
        said = replace(from_snapshot(_only(row)), last_used=now.last_used, uses=now.uses)
        before = self._screened(said, now)
        sql = (
            "SELECT i.path, i.data FROM file_images i JOIN versions v ON v.change_id = i.change_id"
            " AND v.record_seq = i.record_seq WHERE v.record_seq = ? AND v.version = ?"
        )
        # A file with what is masked now is not put back.
        if before == said and (image := self.tx.row(sql, (seq, version + 1))) is not None:
            self.images[now.id] = FileImage(image[0], image[1])
        return self._write(seq, now, before, "undo", filed=True)

    def _write(self, seq: int, old: Record, new: Record, operation: str, *, filed: bool) -> Record:
        row = self.tx.row("SELECT at FROM versions WHERE record_seq = ? AND version = ?", (seq, old.version))
        # A clock that went backwards must not reorder history.
        at = max(self.now, parse_time(_only(row)))
        new = replace(new, version=old.version + 1)
        values = encode(new)
        if self.tx.run(_UPDATE, (*values, int(filed), seq, old.version)) != 1:
            raise Conflict(f"'{old.id}' changed while it was being written")
        self.tx.run(_INSERT_VERSION, self._version(Touched(seq, new, filed), values, operation, at))
        return new

    def _version(self, touched: Touched, values: Sequence[Value], operation: str, at: datetime) -> tuple[Value, ...]:
        """The row of a version about to be kept; notes that its record was touched."""
        record = touched.record
        self.touched[record.id] = touched
        self._first_changes.setdefault(record.id, self.id)
        return touched.seq, record.version, self.id, operation, time_text(at), to_snapshot(values)

    def _keep_session(self, record: Record) -> None:
        if record.coding_agent and record.run_id and not record.is_hearsay:
            self.tx.run(
                "INSERT INTO sessions (project_id, agent, run_id, started, trace_path, summary_id)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, agent, run_id) DO UPDATE SET"
                " started = excluded.started, trace_path = excluded.trace_path, summary_id = excluded.summary_id",
                (
                    *(self.project_id, record.coding_agent, record.run_id),
                    *(f"{record.date}T{record.time}Z", record.raw_trace_path, record.id),
                ),
            )


def _only(row: Row | None) -> Any:
    assert row is not None
    return row[0]
