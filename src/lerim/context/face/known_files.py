"""What this machine knows of a project's files: how each one looked last, and which version of its record it says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from lerim.context.face.folder import GROUPS, FileState, FoundFile
from lerim.context.records import RecordId
from lerim.dataclass import dataclass
from lerim.digests import blake2b
from lerim.storage.database import Row, Transaction

NowNs = Callable[[], int]
# File systems count time in steps of up to two seconds: a file this young may change again without its state changing.
YOUNG_NS = 2_000_000_000
#: No version of a record: the file is to be written again.
UNWRITTEN = 0

_KEEP = (
    "INSERT INTO files (project_id, path, record_id, version, mtime_ns, size, inode, seen_ns, digest, problem, line)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, path) DO UPDATE SET"
    " record_id = excluded.record_id, version = excluded.version, mtime_ns = excluded.mtime_ns, size = excluded.size,"
    " inode = excluded.inode, seen_ns = excluded.seen_ns, digest = excluded.digest,"
    " problem = excluded.problem, line = excluded.line"
)
# Values a statement takes at most, with room to spare.
_AT_ONCE = 500
_ROWS = "SELECT path, record_id, version, digest, problem, line FROM files WHERE project_id = ?"

# The state of a file that was sound, and old enough to trust, when it was last looked at; of any other, one that no
# file has. One with a problem is looked at every time: what is wrong with it may lie in another file.
_STATES = (
    "SELECT path, CASE WHEN seen_ns - mtime_ns >= ? AND problem IS NULL THEN mtime_ns ELSE -1 END, size, inode"
    " FROM files WHERE project_id = ?"
)
# By the indexes of the few files it asks for: by its key, a planner would walk through all files of a project.
_OF_PROJECT = "project_id || '' = ?"
_KEEP_UNCHANGED = (
    "INSERT INTO unchanged_files (project_id, number, fingerprint) VALUES (?, ?, ?)"
    " ON CONFLICT (project_id, number) DO UPDATE SET fingerprint = excluded.fingerprint"
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
    record_id: RecordId | None
    version: int
    digest: str
    problem: str | None
    line: int | None


@dataclass(frozen=True)
class SeenFile:
    """A file as it looks now, and the record and version it speaks for; none when it cannot be read."""

    path: str
    state: FileState
    digest: str
    record_id: RecordId | None
    version: int
    problem: tuple[str, int] | tuple[None, None] = (None, None)


class KnownFiles:
    """The file rows of one project, inside a transaction on the local database."""

    def __init__(self, local: Transaction, project_id: str, now_ns: NowNs = time.time_ns) -> None:
        self._local = local
        self._project = project_id
        self._now_ns = now_ns

    def unchanged(self, groups: Sequence[Sequence[FoundFile]]) -> set[int]:
        """The numbers of those groups of files that look just as they did when all was noted about them."""
        sql = "SELECT number, fingerprint FROM unchanged_files WHERE project_id = ?"
        noted: dict[int, bytes] = dict(self._local.rows(sql, (self._project,)))
        return {number for number, group in enumerate(groups) if group and noted.get(number) == fingerprint(group)}

    def states(self, besides: Iterable[int] = ()) -> set[Row]:
        """Every file as it looked last: its path, mtime_ns, size and inode, but for some groups. One that cannot be
        trusted looks like none that is there."""
        # Few are asked for, nearly always: to find a number among them takes less than among all others.
        numbers = ", ".join(map(str, set(range(GROUPS)).difference(besides)))
        sql = f"{_STATES} AND inode & {GROUPS - 1} IN ({numbers})"
        return set(self._local.rows(sql, (YOUNG_NS, self._project)))

    def keep_unchanged(self, groups: Mapping[int, Sequence[FoundFile]]) -> None:
        """Note how whole groups of files look, as far as each file looks as noted and can be trusted."""
        known = self.states(set(range(GROUPS)) - groups.keys())
        by_number: dict[int, set[Row]] = {}
        for row in known:
            by_number.setdefault(row[3] % GROUPS, set()).add(row)
        self._local.run_many(
            _KEEP_UNCHANGED,
            [
                (self._project, number, fingerprint(group))
                for number, group in groups.items()
                if by_number.get(number) == set(group)
            ],
        )

    def state(self, path: str) -> Row:
        """The same of one file, without its path; nothing when it is not known."""
        row = self._local.row(f"{_STATES} AND path = ?", (YOUNG_NS, self._project, path))
        return row[1:] if row else ()

    def known(self) -> dict[str, KnownFile]:
        return {row[0]: KnownFile(*row) for row in self._local.rows(_ROWS, (self._project,))}

    def file_of(self, record_id: RecordId) -> KnownFile | None:
        row = self._local.row(f"{_ROWS} AND record_id = ?", (self._project, record_id))
        return KnownFile(*row) if row else None

    def file_at(self, path: str) -> KnownFile | None:
        row = self._local.row(f"{_ROWS} AND path = ?", (self._project, path))
        return KnownFile(*row) if row else None

    def files_at(self, paths: Sequence[str]) -> dict[str, KnownFile]:
        """Those of many paths that are known."""
        return {known.path: known for known in self._among("path", paths)}

    def files_of(self, ids: Sequence[RecordId]) -> dict[RecordId, KnownFile]:
        """The files of many records, by record; one that has none is not there."""
        return {RecordId(str(known.record_id)): known for known in self._among("record_id", ids)}

    def _among(self, column: str, values: Sequence[str]) -> Iterator[KnownFile]:
        for start in range(0, len(values), _AT_ONCE):
            some = values[start : start + _AT_ONCE]
            sql = f"{_ROWS} AND {column} IN ({', '.join('?' * len(some))})"
            yield from (KnownFile(*row) for row in self._local.rows(sql, (self._project, *some)))

    def problems(self) -> list[Problem]:
        sql = f"SELECT path, line, problem FROM files WHERE {_OF_PROJECT} AND problem IS NOT NULL ORDER BY path"
        return [Problem(*row) for row in self._local.rows(sql, (self._project,))]

    def keep(self, seen: SeenFile) -> None:
        """Note how a file looks now, and whose it is."""
        if seen.record_id is not None:
            sql = "DELETE FROM files WHERE project_id = ? AND record_id = ? AND path <> ?"
            self._local.run(sql, (self._project, seen.record_id, seen.path))
        self.keep_new([seen])

    def keep_new(self, files: Iterable[SeenFile]) -> None:
        """Note the first files of their records, or those that they have, as they look now."""
        now = self._now_ns()
        self._local.run_many(
            _KEEP,
            ((self._project, f.path, f.record_id, f.version, *f.state, now, f.digest, *f.problem) for f in files),
        )

    def forget(self, path: str) -> None:
        self._local.run("DELETE FROM files WHERE project_id = ? AND path = ?", (self._project, path))

    def forget_all(self) -> None:
        self._local.run("DELETE FROM files WHERE project_id = ?", (self._project,))

    def forget_states(self) -> None:
        """Have every file read again at the next look."""
        sql = "UPDATE files SET mtime_ns = -1, seen_ns = -1, digest = '' WHERE project_id = ?"
        self._local.run(sql, (self._project,))

    def unwritten(self) -> set[RecordId]:
        """Records whose file is to be written again, whatever their version is."""
        sql = f"SELECT record_id FROM files WHERE {_OF_PROJECT} AND version = {UNWRITTEN} AND record_id IS NOT NULL"
        return {row[0] for row in self._local.rows(sql, (self._project,))}

    def unwrite(self) -> None:
        """Have the file of every record written again, also one that could not be read."""
        sql = f"UPDATE files SET version = {UNWRITTEN} WHERE project_id = ?"
        self._local.run(sql, (self._project,))
        sql = "UPDATE files SET problem = NULL, line = NULL, digest = '' WHERE project_id = ? AND problem IS NOT NULL"
        self._local.run(f"{sql} AND record_id IS NOT NULL", (self._project,))


def tag(record_id: str, version: int) -> str:
    """What tells a prepared file from every other one."""
    return f"{record_id}-{version}"


def fingerprint(files: Sequence[FoundFile]) -> bytes:
    """What tells files and their states from all others."""
    import marshal  # Start-up: not every command looks at files.

    # Of this version: later ones also say how the strings lie in memory.
    return blake2b(marshal.dumps(list(files), 2), digest_size=16).digest()


def digest_of(data: bytes) -> str:
    """A fingerprint of a file's bytes."""
    return blake2b(data, digest_size=16).hexdigest()
