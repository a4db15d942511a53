"""SQLite: the default engine. WAL, short write transactions, foreign keys on, no loadable extension."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from lerim.errors import StoreBusy, StoreCorrupt, StoreError, StoreTooNew
from lerim.private import is_writable, tighten
from lerim.storage.database import KeptVectors, Migration, Row, Table, TextMatch, Transaction, Value, migrations

BUSY_SECONDS = 30.0
#: How long others have to close a database that is about to be replaced.
ALONE_SECONDS = 3.0
#: A file that is shorter is no database yet.
_HEADER_BYTES = 100
#: What SQLite says of a database that is sound, and somebody else's.
_NOT_OURS = ("no such table", "no such column", "has no column named", "already exists")
_T = TypeVar("_T")
# Full-text indexes keep tables of their own.
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_fts*'"
    " ORDER BY name"
)
# Title words say most, tags were chosen with care, a description sums up.
_RANK = "bm25(records_fts, 4.0, 1.0, 2.0, 2.0)"


class SqliteTransaction:
    """Explains its own errors: where two databases are read at once, only it knows which of them failed."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise _explain(error, self._path) from error

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        try:
            found: Row | None = self._connection.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise _explain(error, self._path) from error
        return found

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        try:
            return self._connection.execute(sql, values).rowcount
        except sqlite3.Error as error:
            raise _explain(error, self._path) from error

    def run_many(self, sql: str, values: Iterable[Sequence[Value]]) -> None:
        try:
            self._connection.executemany(sql, values)
        except sqlite3.Error as error:
            raise _explain(error, self._path) from error

    def tables(self) -> list[Table]:
        return [self._table(name) for (name,) in self.rows(_TABLES)]

    def _table(self, name: str) -> Table:
        columns = self.rows("SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", (name,))
        key = sorted((place, column) for column, _, place in columns if place)
        points_at = self.rows('SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)', (name,))
        return Table(
            name,
            tuple(column for column, _, _ in columns),
            tuple(column for _, column in key),
            frozenset(other for (other,) in points_at) - {name},
            any(kind == "BLOB" for _, kind, _ in columns),
        )

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        places = ", ".join("?" * len(columns))
        self.run_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)

    def now(self) -> float:
        # julianday: `unixepoch('subsec')` came with SQLite 3.42.
        row = self.row("SELECT (julianday('now') - 2440587.5) * 86400.0")
        assert row is not None
        return float(row[0])

    def among(self, *columns: str) -> str:
        return f"json_array({', '.join(columns)}) IN (SELECT json(value) FROM json_each(?))"

    def unheld(self, table: str) -> str:
        return ""  # There is one writer.

    def take_turn(self, of: str) -> None:
        """There is one writer, and this is it."""

    def is_turn(self, of: str) -> bool:
        return True  # As above.


class SqliteDatabase:
    """One SQLite file with the schema `name`, created and migrated when opened.

    Raises StoreTooNew, StoreCorrupt, StoreBusy or StoreError, each with what to do.
    """

    def __init__(self, path: Path, name: str, *, busy_seconds: float = BUSY_SECONDS, durable: bool = True) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._durable = durable
        #: What is derived can be made again in memory, where there is nothing to be read.
        self.is_read_only = not is_writable(path) and (path.exists() or not durable)
        self._steps = migrations("sqlite", name)
        with self._explained():
            self._refuse_newer(self._steps[-1].number)
            self._connection = self._connect_to_read() if self.is_read_only else self._connect()
            try:
                self._prepare(self._steps)
            except BaseException:
                self._connection.close()
                raise

    @property
    def location(self) -> str:
        return str(self.path)

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._transaction("BEGIN") as tx:
            yield tx

    @contextlib.contextmanager
    def write(self, of: str = "") -> Iterator[Transaction]:
        # There is one lock, whatever project is written to.
        if self.is_read_only:
            raise _not_writable(self.path, "it is read-only")
        # IMMEDIATE takes the write lock now, where waiting is possible; a lock upgraded later fails at once.
        with self._transaction("BEGIN IMMEDIATE") as tx:
            yield tx

    def write_among(self) -> contextlib.AbstractContextManager[Transaction]:
        return self.write()

    def guarded(self, work: Callable[[], _T], *, repeatable: bool = False) -> _T:
        return work()

    def match(self, words: Sequence[str], *, every: bool, of: str) -> TextMatch:
        quoted = ['"' + word.replace('"', '""') + '"' for word in words]
        return TextMatch(
            source="records_fts JOIN records r ON r.seq = records_fts.rowid",
            where="records_fts MATCH ?",
            rank=_RANK,
            value=(" AND " if every else " OR ").join(quoted),
        )

    def held(self, tx: Transaction, words: Sequence[str], of: str, most: int) -> dict[str, int]:
        sql = "SELECT count(*) FROM (SELECT 1 FROM records_fts WHERE records_fts MATCH ? LIMIT ?) found"
        found = {word: tx.row(sql, (self.match([word], every=True, of=of).value, most)) for word in words}
        return {word: int(row[0]) if row else 0 for word, row in found.items()}

    def text_count(self, tx: Transaction) -> int:
        row = tx.row("SELECT count(*) FROM records_fts_docsize")
        return int(row[0]) if row else 0

    def rebuild_text(self, tx: Transaction) -> None:
        tx.run("INSERT INTO records_fts (records_fts) VALUES ('rebuild')")

    def vectors(self, project_id: str, model: str) -> KeptVectors | None:
        return None

    def problems(self) -> list[str]:
        with self._explained():
            found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
            for table, rowid, parent, _ in self._connection.execute("PRAGMA foreign_key_check"):
                found.append(f"row {rowid} of {table} points at a missing row of {parent}")
            found += self._missing()
            if not self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'records_fts'").fetchone():
                return found
            if self.is_read_only:
                return found
            try:
                with self.write() as tx:
                    # rank 1: also compare the index with the records it mirrors.
                    tx.run("INSERT INTO records_fts (records_fts, rank) VALUES ('integrity-check', 1)")
            except StoreCorrupt:
                found.append("the full-text index does not match the records")
        return found

    def _missing(self) -> list[str]:
        """Tables and columns that a database of ours has, and this one has not."""
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
            for step in self._steps:
                model.executescript(step.path.read_text("utf-8"))
            return [f"{name} is missing" for name in sorted(_columns(model) - _columns(self._connection))]

    def backup(self, target: Path) -> None:
        _make_private_file(target)
        with self._explained(), contextlib.closing(sqlite3.connect(target)) as copy:
            self._connection.backup(copy)

    def become(self, source: Path, meanwhile: Callable[[], None]) -> None:
        if self.is_read_only:
            raise _not_writable(self.path, "it is read-only")
        with self._explained(), contextlib.closing(_open_to_read(source)) as copy:
            _check_age(source, _schema_number(copy), self._steps[-1].number)
            with self._alone():
                meanwhile()
                # One transaction: a kill takes all of it back.
                copy.backup(self._connection)
            self._prepare(self._steps)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else has it open, and nobody can open it."""
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            # Out of WAL there is no way while another connection is open; and then the lock is kept.
            self._retry_busy("PRAGMA journal_mode = DELETE", ALONE_SECONDS)
            self._connection.execute("BEGIN EXCLUSIVE")
            self._connection.execute("COMMIT")
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise StoreBusy(
                f"another process has {self.path} open", hint="end it (lerim chat, sync, a server), then run it again"
            ) from error
        finally:
            # A connection that was alone once does not let go of it all: a new one has no such past.
            self._connection.close()
            self._connection = self._connect()
            self._retry_busy("PRAGMA journal_mode = WAL", self._busy_seconds)

    def close(self) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        with self._explained():
            self._connection.execute(begin)
            try:
                yield SqliteTransaction(self._connection, self.path)
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled back already; a second rollback would hide the first error.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _refuse_newer(self, newest: int) -> None:
        """Look before opening for real: a database from the future must not even get a new WAL file."""
        # A stale answer is fine: the number only ever grows.
        _check_age(self.path, schema_number(self.path), newest)

    def _connect_to_read(self) -> sqlite3.Connection:
        """A connection to what this process may only read: as it stands, or as a copy where that takes writing."""
        copy = sqlite3.connect(":memory:", isolation_level=None)
        if self.path.exists():
            with contextlib.closing(_open_to_read(self.path)) as source:
                # A copy can be brought up to date, and asks nobody for a lock that could not be taken.
                source.backup(copy)
        return copy

    def _connect(self) -> sqlite3.Connection:
        _make_private_file(self.path)
        connection = sqlite3.connect(self.path, timeout=self._busy_seconds, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = ON")
        # FULL: a commit that was reported must survive a power cut too, and we commit rarely. With NORMAL, a power cut
        # takes the last commits back, whole ones.
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        return connection

    def _prepare(self, steps: list[Migration]) -> None:
        if not self.is_read_only and self._connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            self._retry_busy("PRAGMA journal_mode = WAL", self._busy_seconds)
        # Once more: what a newer Lerim committed may have stood in the WAL, which the first look did not read.
        found = _schema_number(self._connection)
        _check_age(self.path, found, steps[-1].number)
        if found == steps[-1].number:
            return
        with self._transaction("BEGIN IMMEDIATE"):
            for step in steps:
                # Read again under the lock: another process may have been faster.
                if step.number > _schema_number(self._connection):
                    self._apply(step)

    def _apply(self, step: Migration) -> None:
        for statement in _statements(step.path.read_text("utf-8")):
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA user_version = {step.number}")

    def _retry_busy(self, sql: str, seconds: float) -> None:
        """SQLite does not wait for a lock on this statement, whatever the timeout says."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self._connection.execute(sql)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error


def _make_private_file(path: Path) -> None:
    """SQLite makes its files by the umask, and those beside like the first: so that one is made, or closed, before."""
    if not path.exists():
        with contextlib.suppress(OSError):  # SQLite will say it better.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for suffix in ("", "-wal", "-shm"):
        tighten(path.with_name(path.name + suffix))


def _open_to_read(path: Path) -> sqlite3.Connection:
    """A database in a folder that we cannot write to. A log beside it counts; without one, nobody else can be at it."""
    uri = path.absolute().as_uri()
    wal = path.with_name(f"{path.name}-wal")
    has_log = wal.exists() and wal.stat().st_size > 0
    connection = sqlite3.connect(f"{uri}?mode=ro" + ("" if has_log else "&immutable=1"), uri=True)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if not has_log:
            raise
        return _open_copy(path)
    return connection


def _open_copy(path: Path) -> sqlite3.Connection:
    """A copy of a database and its log, for when reading the log takes a file that cannot be made beside it."""
    import shutil
    import tempfile

    connection = sqlite3.connect(":memory:")
    with tempfile.TemporaryDirectory(prefix="lerim-") as folder:
        for suffix in ("", "-wal"):
            shutil.copyfile(path.with_name(path.name + suffix), Path(folder, f"copy{suffix}"))
        with contextlib.closing(sqlite3.connect(Path(folder, "copy"))) as source:
            source.backup(connection)
    return connection


def schema_number(path: Path) -> int:
    """How far the schema of a file is, as far as a look tells; 0 when there is none."""
    # Immutable: SQLite neither locks it nor leaves side files. Never past SQLite: whoever closes a file takes all locks
    # away that the process has on it, also those of other connections, and the next process ruins what these write.
    with contextlib.suppress(OSError, sqlite3.Error):
        if path.stat().st_size >= _HEADER_BYTES:
            with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as look:
                return _schema_number(look)
    return 0


def _schema_number(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_age(path: Path, found: int, newest: int) -> None:
    if found > newest:
        raise StoreTooNew(
            f"{path} was written by a newer Lerim (schema {found}, this one knows {newest}); left untouched",
            hint="pip install --upgrade lerim",
        )


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: `executescript` would commit our transaction first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _not_writable(path: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot write to {path}: {why}; nothing was changed",
        hint="check its permissions, or set LERIM_HOME to another folder",
    )


def _explain(error: sqlite3.Error, path: Path) -> StoreError:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(
                f"another process has been writing to {path} for a while", hint="wait a moment, then run it again"
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreCorrupt(
                f"{path} is damaged: {error}", location=str(path), hint="lerim memory rebuild --from files"
            )
        case sqlite3.SQLITE_FULL:
            return StoreError(f"no space left for {path}; nothing was changed", hint="free some space, then try again")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_AUTH:
            return _not_writable(path, str(error))
        case sqlite3.SQLITE_IOERR:
            return StoreError(f"cannot read or write {path}: {error}; nothing was changed", hint="check the disk")
        case sqlite3.SQLITE_ERROR if any(words in str(error) for words in _NOT_OURS):
            return StoreCorrupt(
                f"{path} is no database of Lerim's: {error}",
                location=str(path),
                hint="lerim memory rebuild --from files",
            )
    return StoreError(f"{path}: {error}", hint="lerim memory check")


def _columns(connection: sqlite3.Connection) -> set[str]:
    """Every column of every table, as `table.column`."""
    rows = connection.execute(
        "SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
    )
    return {name for (name,) in rows}


def inspect(path: Path) -> tuple[list[str], dict[str, int]]:
    """What is wrong with a database that nobody uses, and how many rows each of its tables has. Changes no byte."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
            return problems, _counts(connection)
    except sqlite3.Error as error:
        raise _explain(error, path) from error


def copy(source: Path, target: Path) -> None:
    """A consistent copy of a database, taken while others may write."""
    _make_private_file(target)
    try:
        with contextlib.closing(sqlite3.connect(source)) as one, contextlib.closing(sqlite3.connect(target)) as two:
            one.backup(two)
    except sqlite3.Error as error:
        raise _explain(error, source) from error


@contextlib.contextmanager
def read_file(path: Path, name: str) -> Iterator[Transaction]:
    """What a file with the schema `name` holds, as of one moment, while others may write. One of an older Lerim is
    brought up to date in a copy; text that is none is read as well as it can be.

    Raises StoreTooNew, StoreCorrupt or StoreError.
    """
    newest = migrations("sqlite", name)[-1].number
    with contextlib.ExitStack() as held:
        try:
            connection = held.enter_context(contextlib.closing(_open_beside_others(path)))
            _check_age(path, found := _schema_number(connection), newest)
            if found < newest:
                current = held.enter_context(_brought_up(path, name))
                connection = held.enter_context(contextlib.closing(_open_beside_others(current)))
            connection.execute("BEGIN")
        except sqlite3.Error as error:
            raise _explain(error, path) from error
        yield SqliteTransaction(connection, path)


def _open_beside_others(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise StoreError(f"there is no {path}", hint="lerim storage status")
    connection = sqlite3.connect(path) if is_writable(path) else _open_to_read(path)
    connection.isolation_level = None
    connection.execute("PRAGMA query_only = ON")
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


@contextlib.contextmanager
def _brought_up(path: Path, name: str) -> Iterator[Path]:
    """A copy of a file, with the schema that this Lerim knows."""
    import tempfile  # Start-up: as in `_open_copy`.

    with tempfile.TemporaryDirectory(prefix="lerim-") as folder:
        current = Path(folder, path.name)
        copy(path, current)
        SqliteDatabase(current, name).close()
        yield current


@contextlib.contextmanager
def fill_file(path: Path, name: str) -> Iterator[Transaction]:
    """A file with the schema `name`, made if need be, to be filled in any order. All of it is there, or nothing."""
    SqliteDatabase(path, name).close()
    with unchecked(path) as tx:
        yield tx
        check_references(tx, path)


@contextlib.contextmanager
def unchecked(path: Path) -> Iterator[Transaction]:
    """A transaction on a file that nobody else uses, in which rows may point at such as come later."""
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield SqliteTransaction(connection, path)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise _explain(error, path) from error


def check_references(tx: Transaction, path: Path) -> None:
    """Raise StoreCorrupt when a row points at one that is not there."""
    if lost := tx.row("PRAGMA foreign_key_check"):
        what = f"a row of {lost[0]} points at a missing row of {lost[2]}"
        raise StoreCorrupt(f"{path}: {what}", location=str(path), hint="lerim memory check")


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    names = connection.execute(_TABLES).fetchall()
    return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in names}


def salvage(path: Path, sql: str) -> list[Row]:
    """Rows of a damaged database, as far as they can be read."""
    rows: list[Row] = []  # filled one by one: what comes before the damage counts
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        for row in connection.execute(sql):
            rows.append(row)
    return rows
