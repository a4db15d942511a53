"""Agents' live SQLite files, opened so that the agent never notices: no write, no long lock, no file left beside them.

Which way a file is opened depends on what lies beside it:
- A database in rollback mode: `mode=ro`. Every query is complete when it returns, so no shared lock outlives it and
  the agent can commit between two of them.
- WAL mode with a `-wal` file: the agent has it open, or crashed. `mode=ro` reads what is only in the log. Where the
  agent runs, its `-shm` exists and nothing is created; SQLite's readers sign in there. A log without `-shm` (a copied
  folder) makes SQLite create one, and it stays: deleting it could pull it from under an agent that started meanwhile.
- WAL mode without a `-wal` file, or with an empty one and no `-shm`: nobody has it open and everything is in the main
  file. `mode=ro` would create both side files and, being read-only, could not remove them. So it is opened `immutable`,
  and when the main file has changed by the time we are done, the reading is refused rather than trusted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lerim.errors import SourceError
from lerim.sources.plain_file import opened_file

MAGIC = b"SQLite format 3\0"
BUSY_SECONDS = 2.0
# Checking a database reads all of it.
_MOST_CHECKED = 64 * 1024 * 1024
# Byte 18 of the file header: the version needed to write it. 2 is WAL.
_WRITE_VERSION, _WAL = 18, 2


class AgentDatabase:
    """A database of an agent, for reading. Every query is finished when its method returns."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query. Ask for few: ids first, then one item at a time. Raises SourceError."""
        try:
            return self._connection.execute(sql, values).fetchall()
        # A value that SQLite cannot take: a number of more than 64 bits, or half a character.
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise _refusal(self.path, error) from error

    def row(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def require_sound(self) -> None:
        """For a database in which nothing was found: a damaged one must not pass for an empty one."""
        if self.path.stat().st_size <= _MOST_CHECKED and self.rows("PRAGMA quick_check(1)") != [("ok",)]:
            raise SourceError(f"cannot read {self.path}: the database is damaged")

    def columns(self, table: str) -> set[str]:
        """The names of a table's columns; empty when there is no such table."""
        return {name for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", table)}


@contextmanager
def opened(path: Path) -> Iterator[AgentDatabase]:
    """An agent's database, read-only. Raises SourceError when it is locked, damaged, gone or no database."""
    untouched = _state_of(path) if _is_at_rest(path) else None
    _require_file(path)
    try:
        connection = _connect(path, immutable=untouched is not None)
    except sqlite3.Error as error:
        raise _refusal(path, error) from error
    try:
        yield AgentDatabase(path, connection)
    finally:
        connection.close()
    if untouched is not None and untouched != _state_of(path):
        raise SourceError(f"{path} was written while it was read", hint="lerim sync")


def state(path: Path) -> tuple[int, int, int] | None:
    """What changes when a database does: newest mtime and total size of file and log, inode. None: there is no file."""
    try:
        main = path.stat()
    except OSError:
        return None
    try:
        log = _beside(path, "-wal").stat()
    except OSError:
        return main.st_mtime_ns, main.st_size, main.st_ino
    return max(main.st_mtime_ns, log.st_mtime_ns), main.st_size + log.st_size, main.st_ino


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite files do."""
    return _head(path).startswith(MAGIC)


def has_row(path: Path, is_ours: Callable[[AgentDatabase], bool], sql: str, *values: Any) -> bool:
    """Whether a database is there, is of the kind that is looked for, and answers with a row. One that cannot be read
    has none."""
    try:
        if not is_database(path):
            return False
        with opened(path) as database:
            return is_ours(database) and database.row(sql, *values) is not None
    except SourceError:
        return False


def _connect(path: Path, *, immutable: bool) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"
    # Lines are produced lazily and may be consumed on another thread than the one that asked for them.
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.text_factory = _decode
    return connection


def _is_at_rest(path: Path) -> bool:
    head = _head(path)
    if len(head) <= _WRITE_VERSION or head[_WRITE_VERSION] != _WAL:
        return False
    log = _beside(path, "-wal")
    try:
        return log.stat().st_size == 0 and not _beside(path, "-shm").exists()
    except OSError:
        return True


def _require_file(path: Path) -> None:
    # SQLite would wait for a pipe.
    with opened_file(path):
        pass


def _head(path: Path) -> bytes:
    try:
        with opened_file(path) as file:
            return file.read(_WRITE_VERSION + 1)
    except SourceError:
        return b""


def _state_of(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
    return found.st_mtime_ns, found.st_size


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _refusal(path: Path, error: Exception) -> SourceError:
    reason = str(error)
    if "locked" in reason or "busy" in reason:
        return SourceError(f"{path} is locked by its agent", hint="lerim sync")
    if not path.exists():
        return SourceError(f"cannot read {path}: no such file")
    return SourceError(f"cannot read {path}: {reason}")
