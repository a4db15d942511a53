"""What the store knows of the files: how each one looked last, and which are still to be written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lerim.context.folder import FileState
from lerim.context.records import RecordId
from lerim.storage.database import Row, Transaction

NowNs = Callable[[], int]
# File systems count time in steps of up to two seconds: a file this young may change again without its state changing.
YOUNG_NS = 2_000_000_000

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


class Ledger:
    """The file rows of one project, inside a transaction."""

    def __init__(self, tx: Transaction, project_id: str, now_ns: NowNs = time.time_ns) -> None:
        self._tx = tx
        self._project = project_id
        self._now_ns = now_ns

    def settled(self) -> dict[str, Row]:
        """The state of every file that was old enough to trust when it was last looked at."""
        sql = "SELECT path, mtime_ns, size, inode FROM files WHERE project_id = ? AND seen_ns - mtime_ns >= ?"
        return {row[0]: row[1:] for row in self._tx.rows(sql, (self._project, YOUNG_NS))}

    def paths(self) -> Iterable[str]:
        return (row[0] for row in self._tx.rows("SELECT path FROM files WHERE project_id = ?", (self._project,)))

    def known(self) -> dict[str, KnownFile]:
        return {row[0]: KnownFile(*row) for row in self._tx.rows(f"{_ROWS} WHERE f.project_id = ?", (self._project,))}

    def file_of(self, seq: int) -> KnownFile | None:
        row = self._tx.row(f"{_ROWS} WHERE f.record_seq = ?", (seq,))
        return KnownFile(*row) if row else None

    def problems(self) -> list[Problem]:
        sql = "SELECT path, line, problem FROM files WHERE project_id = ? AND problem IS NOT NULL ORDER BY path"
        return [Problem(*row) for row in self._tx.rows(sql, (self._project,))]

    def keep(
        self, path: str, state: FileState, digest: str, seq: int | None, problem: tuple[str, int] | tuple[None, None]
    ) -> None:
        """Note how a file looks now, and whose it is."""
        if seq is not None:
            self._tx.run("DELETE FROM files WHERE record_seq = ? AND path <> ?", (seq, path))
        self._tx.run(
            "INSERT INTO files (project_id, path, record_seq, mtime_ns, size, inode, seen_ns, digest, problem, line)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, path) DO UPDATE SET"
            " record_seq = excluded.record_seq, mtime_ns = excluded.mtime_ns, size = excluded.size,"
            " inode = excluded.inode, seen_ns = excluded.seen_ns, digest = excluded.digest,"
            " problem = excluded.problem, line = excluded.line",
            (self._project, path, seq, *state, self._now_ns(), digest, *problem),
        )

    def forget(self, path: str) -> None:
        self._tx.run("DELETE FROM files WHERE project_id = ? AND path = ?", (self._project, path))

    def forget_states(self) -> None:
        """Have every file read again at the next look."""
        self._tx.run("UPDATE files SET mtime_ns = -1, seen_ns = -1, digest = '' WHERE project_id = ?", (self._project,))

    def pending(self) -> list[Pending]:
        sql = "SELECT record_seq, path, digest FROM pending_files WHERE project_id = ? ORDER BY record_seq"
        return [Pending(*row) for row in self._tx.rows(sql, (self._project,))]

    def intend(self, seq: int, path: str | None, digest: str) -> None:
        """Commit to a file together with its record."""
        self._tx.run(
            "INSERT INTO pending_files (record_seq, project_id, path, digest) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (record_seq) DO UPDATE SET path = excluded.path, digest = excluded.digest",
            (seq, self._project, path, digest),
        )

    def settle(self, seq: int) -> None:
        """The file is in place, or a person's file took its turn."""
        self._tx.run("DELETE FROM pending_files WHERE record_seq = ?", (seq,))

    def is_taken(self, path: str, seq: int) -> bool:
        """Whether another record has this path, or is about to."""
        return any(
            self._tx.row(f"SELECT 1 FROM {table} WHERE project_id = ? AND path = ? AND record_seq <> ?", values)
            for table in ("files", "pending_files")
            for values in [(self._project, path, seq)]
        )


def digest_of(data: bytes) -> str:
    """A fingerprint of a file's bytes."""
    import hashlib  # Only files that changed get here.

    return hashlib.blake2b(data, digest_size=16).hexdigest()
