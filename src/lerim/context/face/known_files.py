"""What the store knows of the files: how each one looked last, and which are still to be written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lerim.context.face.folder import FileState
from lerim.context.records import RecordId
from lerim.storage.database import Row, Transaction

NowNs = Callable[[], int]
# File systems count time in steps of up to two seconds: a file this young may change again without its state changing.
YOUNG_NS = 2_000_000_000

_KEEP = (
    "INSERT INTO files (project_id, path, record_seq, mtime_ns, size, inode, seen_ns, digest, problem, line)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, path) DO UPDATE SET"
    " record_seq = excluded.record_seq, mtime_ns = excluded.mtime_ns, size = excluded.size,"
    " inode = excluded.inode, seen_ns = excluded.seen_ns, digest = excluded.digest,"
    " problem = excluded.problem, line = excluded.line"
)
# Values a statement takes at most, with room to spare.
_AT_ONCE = 500
_ROWS = (
    "SELECT f.path, f.record_seq, r.id, f.digest, f.problem, f.line"
    " FROM files f LEFT JOIN records r ON r.seq = f.record_seq"
)


@dataclass(frozen=True)
class Problem:
    """A file that was left as it is, where, and why."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class KnownFile:
    """A file as it looked last. One that could not be read has a problem, and perhaps the record it once spoke for."""

    path: str
    seq: int | None
    record_id: RecordId | None
    digest: str
    problem: str | None
    line: int | None


@dataclass(frozen=True)
class Pending:
    """A file to be put in place; without a path, one to be taken away."""

    seq: int
    path: str | None
    digest: str
    #: Its record and version: the name it waits under beside its place.
    tag: str


class KnownFiles:
    """The file rows of one project, inside a transaction."""

    def __init__(self, tx: Transaction, project_id: str, now_ns: NowNs = time.time_ns) -> None:
        self._tx = tx
        self._project = project_id
        self._now_ns = now_ns

    def settled(self) -> dict[str, Row]:
        """The state of every file that was sound, and old enough to trust, when it was last looked at.

        One with a problem is looked at every time: what is wrong with it may lie in another file.
        """
        sql = (
            "SELECT path, mtime_ns, size, inode FROM files"
            " WHERE project_id = ? AND seen_ns - mtime_ns >= ? AND problem IS NULL"
        )
        return {row[0]: row[1:] for row in self._tx.rows(sql, (self._project, YOUNG_NS))}

    def count(self) -> int:
        row = self._tx.row("SELECT count(*) FROM files WHERE project_id = ?", (self._project,))
        return int(row[0]) if row else 0

    def paths(self) -> Iterable[str]:
        return (row[0] for row in self._tx.rows("SELECT path FROM files WHERE project_id = ?", (self._project,)))

    def known(self) -> dict[str, KnownFile]:
        return {row[0]: KnownFile(*row) for row in self._tx.rows(f"{_ROWS} WHERE f.project_id = ?", (self._project,))}

    def file_of(self, seq: int) -> KnownFile | None:
        row = self._tx.row(f"{_ROWS} WHERE f.record_seq = ?", (seq,))
        return KnownFile(*row) if row else None

    def files_of(self, seqs: Sequence[int]) -> dict[int, KnownFile]:
        """The files of many records, by record; one that has none is not there."""
        found: dict[int, KnownFile] = {}
        for start in range(0, len(seqs), _AT_ONCE):
            some = seqs[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            found |= {
                row[1]: KnownFile(*row) for row in self._tx.rows(f"{_ROWS} WHERE f.record_seq IN ({marks})", some)
            }
        return found

    def problems(self) -> list[Problem]:
        sql = "SELECT path, line, problem FROM files WHERE project_id = ? AND problem IS NOT NULL ORDER BY path"
        return [Problem(*row) for row in self._tx.rows(sql, (self._project,))]

    def keep(
        self, path: str, state: FileState, digest: str, seq: int | None, problem: tuple[str, int] | tuple[None, None]
    ) -> None:
        """Note how a file looks now, and whose it is."""
        if seq is not None:
            self._tx.run("DELETE FROM files WHERE record_seq = ? AND path <> ?", (seq, path))
        self._tx.run(_KEEP, (self._project, path, seq, *state, self._now_ns(), digest, *problem))

    def keep_new(self, files: Iterable[tuple[str, FileState, str, int]]) -> None:
        """Note the first files of records: path, state, digest and record of each."""
        now = self._now_ns()
        rows = ((self._project, path, seq, *state, now, digest, None, None) for path, state, digest, seq in files)
        self._tx.run_many(_KEEP, rows)

    def forget(self, path: str) -> None:
        self._tx.run("DELETE FROM files WHERE project_id = ? AND path = ?", (self._project, path))

    def forget_states(self) -> None:
        """Have every file read again at the next look."""
        self._tx.run("UPDATE files SET mtime_ns = -1, seen_ns = -1, digest = '' WHERE project_id = ?", (self._project,))

    def pending(self) -> list[Pending]:
        rows = self._tx.rows(
            "SELECT p.record_seq, p.path, p.digest, r.id, r.version FROM pending_files p"
            " JOIN records r ON r.seq = p.record_seq WHERE p.project_id = ? ORDER BY p.record_seq",
            (self._project,),
        )
        return [Pending(seq, path, digest, tag(id, version)) for seq, path, digest, id, version in rows]

    def intend(self, intents: Iterable[tuple[int, str | None, str]]) -> None:
        """Commit to files together with their records: record, path and digest of each."""
        self._tx.run_many(
            "INSERT INTO pending_files (record_seq, project_id, path, digest) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (record_seq) DO UPDATE SET path = excluded.path, digest = excluded.digest",
            ((seq, self._project, path, digest) for seq, path, digest in intents),
        )

    def settle(self, seq: int) -> None:
        """The file is in place, or a person's file took its turn."""
        self._tx.run("DELETE FROM pending_files WHERE record_seq = ?", (seq,))

    def settle_all(self) -> None:
        self._tx.run("DELETE FROM pending_files WHERE project_id = ?", (self._project,))

    def taken(self) -> dict[str, int]:
        """Every path that has a record, or is about to, and whose it is."""
        sql = (
            "SELECT path, record_seq FROM files WHERE project_id = ? UNION ALL"
            " SELECT path, record_seq FROM pending_files WHERE project_id = ? AND path IS NOT NULL"
        )
        return dict(self._tx.rows(sql, (self._project, self._project)))


def tag(record_id: str, version: int) -> str:
    """What tells a prepared file from every other one."""
    return f"{record_id}-{version}"


def digest_of(data: bytes) -> str:
    """A fingerprint of a file's bytes."""
    import hashlib  # Only files that changed get here.

    return hashlib.blake2b(data, digest_size=16).hexdigest()
