"""PostgreSQL: the engine for several machines. Each of our databases is a schema of its own in one of the server's."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from lerim.errors import StoreTooNew, StoreTooOld, StoreUncertain, StoreUnreachable
from lerim.storage.connections import Address, borrowed, connect, explain, plain, pool_of
from lerim.storage.database import KeptVectors, Migration, Row, Table, TextMatch, Transaction, Value, migrations
from lerim.storage.postgres_vectors import PostgresVectors

if TYPE_CHECKING:
    from psycopg import ClientCursor, Connection, Cursor

_T = TypeVar("_T")
BUSY_SECONDS = 30.0
#: How long a server that went away in the middle of a commit is waited for: what became of it has to be known.
OUTCOME_SECONDS = 60.0
#: How long a schema is taken for what it was when it was last looked at, by a process that opens it again.
KNOWN_SECONDS = 60.0
# A word that stands in more records than these finds none by itself if another is rarer: all would have to be ranked.
_COMMON = 2000
# Whom a writer waits for: for everybody; for those who write to one project, or to all; for those who write to all.
# Then the transaction gets its number: what becomes of it can be looked up, whatever happens to its commit.
_WHO = "pg_current_xact_id()::text, pg_postmaster_start_time()::text"
_ALONE = f"SELECT pg_advisory_xact_lock(%(all)s), {_WHO}"
_OF_ONE = f"""SELECT pg_advisory_xact_lock_shared(%(all)s), pg_advisory_xact_lock(%(one)s),
  set_config('lerim.project', %(of)s, true), {_WHO}"""
_AMONG = f"SELECT pg_advisory_xact_lock_shared(%(all)s), {_WHO}"
# Statements that go in one message at most.
_TOGETHER = 500
_WORDS = "records_by_words"
#: What became of a transaction whose commit got no answer.
_COMMITTED, _ABORTED = "committed", "aborted"


# When each schema, up to a step, was looked at through the connections of an address: with new ones, it is again.
_KNOWN: WeakKeyDictionary[Any, dict[tuple[str, int], float]] = WeakKeyDictionary()


class PostgresTransaction:
    """One transaction on one connection of the pool."""

    def __init__(self, connection: Connection[Any], address: Address) -> None:
        self._connection = connection
        self._address = address
        # Statements whose answers nobody waits for: they go with the next one, so that others wait less for this.
        self._later: list[str] = []

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with _explained(self._address):
            return self._run(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        with _explained(self._address):
            found: Row | None = self._run(sql, values).fetchone()
            return found

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        with _explained(self._address):
            return self._run(sql, values).rowcount

    def run_many(self, sql: str, values: Iterable[Sequence[Value]]) -> None:
        with _explained(self._address):
            mogrified = self._cursor().mogrify
            for row in values:
                self._later.append(mogrified(translated(sql), plain(row)))
                if len(self._later) >= _TOGETHER:
                    self.end()

    def end(self, *last: str) -> None:
        """Have everything done that waits, and this after it."""
        waiting, self._later = [*self._later, *last], []
        if waiting:
            with _explained(self._address):
                self._connection.execute("; ".join(waiting))

    def _run(self, sql: str, values: Sequence[Value]) -> Cursor[Any]:
        """A statement after those that wait, in one message; what the last of them gives."""
        if not self._later:
            return self._connection.execute(translated(sql), plain(values))
        cursor = self._cursor()
        waiting, self._later = [*self._later, cursor.mogrify(translated(sql), plain(values))], []
        cursor.execute("; ".join(waiting))
        while cursor.nextset():
            pass
        return cursor

    def _cursor(self) -> ClientCursor[Any]:
        cursor: Any = self._connection.cursor()
        return cursor  # type: ignore[no-any-return]

    def tables(self) -> list[Table]:
        columns = _by_table(self.rows(_WRITTEN_COLUMNS))
        keys, points_at = _by_table(self.rows(_KEYS)), _by_table(self.rows(_REFERENCES))
        return [
            Table(
                name,
                tuple(column for column, _ in found),
                tuple(column for (column,) in keys.get(name, ())),
                frozenset(other for (other,) in points_at.get(name, ())) - {name},
                any(is_blob for _, is_blob in found),
            )
            for name, found in columns.items()
        ]

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        named = ", ".join(columns)
        if self.row("SELECT row_security_active(?)", (table,)) == (True,):
            # PostgreSQL copies only for those who may do anything.
            self.run_many(f"INSERT INTO {table} ({named}) VALUES ({', '.join('?' * len(columns))})", rows)
        else:
            copied = f"COPY {table} ({named}) FROM STDIN"
            self.end()
            with _explained(self._address), self._connection.cursor() as cursor, cursor.copy(copied) as copy:
                for row in rows:
                    copy.write_row(plain(row))
        self.number_after(table)

    def number_after(self, table: str) -> None:
        """Number what is new in a table after what is there."""
        for (column,) in self.rows(_NUMBERED, (table,)):
            # Never back: numbers are not taken back with a transaction, and rows of before may still be there then.
            sql = f"SELECT setval(s.oid, greatest(max(t.{column}), coalesce(pg_sequence_last_value(s.oid), 1)))"
            series = "(SELECT pg_get_serial_sequence(?, ?)::regclass AS oid)"
            self.rows(f"{sql} FROM {table} t, {series} s GROUP BY s.oid HAVING count(*) > 0", (table, column))

    def now(self) -> float:
        row = self.row("SELECT extract(epoch FROM clock_timestamp())")
        assert row is not None
        return float(row[0])

    def among(self, *columns: str) -> str:
        return f"jsonb_build_array({', '.join(columns)}) IN (SELECT jsonb_array_elements((?)::jsonb))"

    def unheld(self, table: str) -> str:
        return f"FOR UPDATE OF {table} SKIP LOCKED"

    def take_turn(self, of: str) -> None:
        self.rows("SELECT pg_advisory_xact_lock(?)", (_number(f"turn/{of}"),))

    def is_turn(self, of: str) -> bool:
        row = self.row("SELECT pg_try_advisory_xact_lock(?)", (_number(f"turn/{of}"),))
        return bool(row and row[0])


class PostgresDatabase:
    """The schema `name` at an address. An empty one is made; one that is older than this Lerim is refused, because
    others use it too: somebody has to say that it is time.

    Raises StoreUnreachable, StoreTooNew, StoreTooOld, StoreBusy or StoreError, each with what to do.
    """

    is_read_only = False

    def __init__(
        self, address: Address, name: str, *, busy_seconds: float = BUSY_SECONDS, upgrade: bool = False
    ) -> None:
        self.address = address
        self.name = name
        self._busy_seconds = busy_seconds
        self._steps = migrations("postgres", name)
        self._prepare(upgrade=upgrade)

    @property
    def location(self) -> str:
        return str(self.address)

    @property
    def schema(self) -> str:
        """What PostgreSQL calls the schema."""
        return f"lerim_{self.name}"

    # Transactions

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._connection() as connection:
            self._begin(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield PostgresTransaction(connection, self.address)
            finally:
                _end(connection, "ROLLBACK")

    def write(self, of: str = "") -> contextlib.AbstractContextManager[Transaction]:
        return self._written(_OF_ONE if of else _ALONE, of)

    def write_among(self) -> contextlib.AbstractContextManager[Transaction]:
        return self._written(_AMONG)

    @contextlib.contextmanager
    def _written(self, turn: str, of: str = "") -> Iterator[Transaction]:
        with self._connection() as connection:
            tx = PostgresTransaction(connection, self.address)
            try:
                number, server = self._take_turn(connection, turn, of)
                yield tx
                self._commit(tx, number, server)
            except BaseException:
                _end(connection, "ROLLBACK")
                raise

    def guarded(self, work: Callable[[], _T], *, repeatable: bool = False) -> _T:
        return work()

    @contextlib.contextmanager
    def _connection(self) -> Iterator[Connection[Any]]:
        with borrowed(self.address) as connection:
            yield connection

    def _begin(self, connection: Connection[Any], begin: str, then: str = "", of: str = "") -> Row | None:
        """Begin a transaction, in one message with what it begins with; what that gives."""
        role = f"SET LOCAL ROLE {_quoted(self.address.role)};" if self.address.role else ""
        waiting = f"SET LOCAL lock_timeout = {max(int(self._busy_seconds * 1000), 1)}"
        variables = "".join(
            f"SELECT set_config('lerim.{name}', %({name})s, true);" for name, _ in self.address.variables
        )
        values = {"all": _number(self.schema), "one": _number(f"{self.schema}/{of}"), "of": of}
        with _explained(self.address):
            cursor = connection.execute(
                f"{begin}; {role} SET LOCAL search_path = {self.schema}, public; {variables} {waiting}; {then}",
                values | dict(self.address.variables),
            )
            while cursor.nextset():
                pass
            return cursor.fetchone() if then else None

    def _take_turn(self, connection: Connection[Any], turn: str, of: str) -> tuple[str, str]:
        """Begin to write as soon as nobody else does: to this project, or to the whole. The transaction's number, and
        which server it is of."""
        # Read committed: what is read after the lock is what others committed before it.
        row = self._begin(connection, "BEGIN ISOLATION LEVEL READ COMMITTED", turn, of)
        assert row is not None
        return row[-2], row[-1]

    def _commit(self, tx: PostgresTransaction, number: str, server: str) -> None:
        """Commit. One that got no answer is looked up: it counts exactly when the server has it."""
        try:
            tx.end("COMMIT")
        except StoreUnreachable:
            if not self._is_committed(number, server):
                raise

    def _is_committed(self, number: str, server: str) -> bool:
        """What became of a transaction, as soon as the server is there and knows. Raises StoreUncertain."""
        deadline = time.monotonic() + OUTCOME_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(StoreUnreachable), contextlib.closing(connect(self.address)) as again:
                with _explained(self.address):
                    is_same = again.execute("SELECT pg_postmaster_start_time()::text").fetchone() == (server,)
                    outcome = _outcome(again, number)
                # After a crash, numbers that were on no disk yet are given again. So one that is taken now may be
                # another's; but ours was not saved if it is free, open or taken back.
                if not is_same and outcome == _COMMITTED:
                    break
                if not is_same or outcome in (_COMMITTED, _ABORTED):
                    return outcome == _COMMITTED
            time.sleep(0.2)
        raise StoreUncertain(
            f"{self.address} went away in the middle of a commit: whether it was saved is not known",
            hint="look whether it is there, then run it again if it is not",
        )

    # Text

    def match(self, words: Sequence[str], *, every: bool, of: str) -> TextMatch:
        return TextMatch(
            source="found_by_words(?) m JOIN records r ON r.project_id = m.project_id AND r.seq = m.seq",
            where="TRUE",
            rank="m.rank",
            value=json.dumps({"project": of, "every": every, "words": list(words), "common": _COMMON}),
        )

    def held(self, tx: Transaction, words: Sequence[str], of: str, most: int) -> dict[str, int]:
        asked = json.dumps({"project": of, "words": list(words), "most": most})
        return dict(tx.rows("SELECT word, held FROM words_held(?)", (asked,)))

    def text_count(self, tx: Transaction) -> int:
        row = tx.row("SELECT count(*) FROM records WHERE words IS NOT NULL")
        return int(row[0]) if row else 0

    def rebuild_text(self, tx: Transaction) -> None:
        # The engine keeps it by itself; who owns it may have it made anew.
        if tx.row("SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(?)", (_WORDS,)) == (
            True,
        ):
            tx.run(f"REINDEX INDEX {_WORDS}")

    def vectors(self, project_id: str, model: str) -> KeptVectors | None:
        return PostgresVectors(project_id, model) if self._has_vectors else None

    @cached_property
    def _has_vectors(self) -> bool:
        with self.read() as tx:
            return tx.row("SELECT to_regclass(?) IS NOT NULL", (f"{self.schema}.vectors",)) == (True,)

    # The whole

    def problems(self) -> list[str]:
        """What is missing, and rows that point nowhere."""
        with self.read() as tx:
            there = {row[0] for row in tx.rows(_COLUMNS, (self.schema,))}
            unchecked = tx.rows(_UNCHECKED, (self.schema,))
        missing = [f"{name} is missing" for name in sorted(self._declared - there)]
        return missing + [f"{name} is not checked" for (name,) in unchecked]

    @cached_property
    def _declared(self) -> set[str]:
        """Every column that the schema has, found out by making it and taking it back. Members cannot make one, and
        need not: what is missing is for those who can mend it."""
        with self._connection() as connection, _explained(self.address):
            if connection.execute(_MAY_MAKE).fetchone() != (True,):
                return set()
            connection.execute("BEGIN")
            try:
                self._make(connection, f"{self.schema}_model", self._steps)
                rows = connection.execute(translated(_COLUMNS), (f"{self.schema}_model",)).fetchall()
            finally:
                _end(connection, "ROLLBACK")
        return {row[0] for row in rows}

    def backup(self, target: Path) -> None:
        from lerim.storage.copying import into_file  # Start-up: copies are rare.

        into_file(self, self.name, target)

    def become(self, source: Path, meanwhile: Callable[[], None]) -> None:
        from lerim.storage.copying import from_file  # As above.

        from_file(source, self, self.name, meanwhile)

    def close(self) -> None:
        """Connections belong to the pool, and others may be using it."""

    # The schema

    def _prepare(self, *, upgrade: bool) -> None:
        """See to it that the schema is the one that this Lerim knows. Whoever opens it often is not told each time."""
        known, what = _KNOWN.setdefault(pool_of(self.address), {}), (self.name, self._steps[-1].number)
        if upgrade or time.monotonic() - known.get(what, -KNOWN_SECONDS) >= KNOWN_SECONDS:
            self._check(upgrade=upgrade)
            known[what] = time.monotonic()

    def _check(self, *, upgrade: bool) -> None:
        found, newest = self._step(), self._steps[-1].number
        refuse_newer(self.address, found, newest)
        if found == 0 or (upgrade and found < newest):
            self._upgrade()
        elif found < newest:
            raise StoreTooOld(
                f"{self.address} was made by an older Lerim (schema {found}, this one needs {newest}); left untouched",
                hint="lerim storage upgrade",
            )

    def _step(self) -> int:
        with self._connection() as connection, _explained(self.address):
            return applied_step(connection, self.schema)

    def _upgrade(self) -> None:
        with self._connection() as connection, _explained(self.address):
            connection.execute("BEGIN")
            try:
                # Others may be about to do the same.
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_number("lerim schema"),))
                # Who may see what is decided by the team's schema, whoever asks.
                for name in dict.fromkeys((TEAM, self.name)):
                    self._make(connection, f"lerim_{name}", migrations("postgres", name))
                connection.execute(_ARM)
            except BaseException:
                _end(connection, "ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _make(self, connection: Connection[Any], schema: str, steps: Sequence[Migration]) -> None:
        run = connection.execute
        if run("SELECT to_regnamespace(%s)", (schema,)).fetchone() == (None,):
            run(f"CREATE SCHEMA {schema}")
        run(f"SET LOCAL search_path = {schema}, public")
        run("CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())")
        done = {row[0] for row in run("SELECT number FROM steps").fetchall()}
        for step in steps:
            if step.number not in done:
                self._apply(connection, step)

    def _apply(self, connection: Connection[Any], step: Migration) -> None:
        connection.execute(step.path.read_text("utf-8"))
        connection.execute("INSERT INTO steps (number) VALUES (%s)", (step.number,))


def upgrade(address: Address, name: str) -> None:
    """Bring a schema up to what this Lerim needs."""
    PostgresDatabase(address, name, upgrade=True)


def refuse_newer(address: Address, found: int, newest: int) -> None:
    """Raise StoreTooNew for a schema that this Lerim does not know."""
    if found > newest:
        raise StoreTooNew(
            f"{address} was made by a newer Lerim (schema {found}, this one knows {newest}); left untouched",
            hint="pip install --upgrade lerim",
        )


def applied_step(connection: Connection[Any], schema: str) -> int:
    """The newest step of a schema that was applied; 0 when there is none."""
    row = connection.execute("SELECT to_regclass(%s)", (f"{schema}.steps",)).fetchone()
    if row is None or row[0] is None:
        return 0
    row = connection.execute(f"SELECT max(number) FROM {schema}.steps").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


#: The schema that says who may do what. It is there before any other.
TEAM = "team"
# New tables are for the members, too, where there are any.
_ARM = "SELECT lerim_team.arm() WHERE EXISTS (SELECT FROM lerim_team.members)"
_MAY_MAKE = "SELECT has_database_privilege(current_database(), 'CREATE')"
# Every column of every table of a schema, as `table.column`.
_COLUMNS = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = ?"
_UNCHECKED = "SELECT conname FROM pg_constraint WHERE NOT convalidated AND connamespace = to_regnamespace(?)"


# Of the schema at hand: the columns that are written, with whether they are bytes; the keys; who points at whom.
_OF_THE_SCHEMA = (
    "c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'p') AND c.relname <> 'steps'"
)
_WRITTEN_COLUMNS = (
    "SELECT c.relname, a.attname, a.atttypid = 'bytea'::regtype"
    " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    f" WHERE {_OF_THE_SCHEMA} AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY 1, a.attnum"
)
_KEYS = (
    "SELECT c.relname, a.attname FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary"
    " CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)"
    f" JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number WHERE {_OF_THE_SCHEMA} ORDER BY 1, k.place"
)
_REFERENCES = (
    "SELECT c.relname, f.relname FROM pg_class c JOIN pg_constraint x ON x.conrelid = c.oid AND x.contype = 'f'"
    f" JOIN pg_class f ON f.oid = x.confrelid WHERE {_OF_THE_SCHEMA}"
)
_NUMBERED = (
    "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attidentity <> '' AND NOT attisdropped"
)


def _by_table(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by what stands first in them."""
    found: dict[str, list[Row]] = {}
    for name, *rest in rows:
        found.setdefault(name, []).append(tuple(rest))
    return found


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """A statement of the rooms as psycopg takes it: a value is `%s` there, and a percent sign is two."""
    return sql.replace("%", "%%").replace("?", "%s")


def _quoted(name: str) -> str:
    """A name as SQL writes one."""
    return '"' + name.replace('"', '""') + '"'


def _number(name: str) -> int:
    """A name as an advisory lock knows it: 64 bits with a sign."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _end(connection: Connection[Any], how: str) -> None:
    """End a transaction on a connection that may be gone: then the server has ended it."""
    import psycopg  # It is loaded where there is a connection.

    with contextlib.suppress(psycopg.Error):
        connection.execute(how)


def _outcome(connection: Connection[Any], number: str) -> str | None:
    """What the server says of a transaction; None of one that it has not come to yet."""
    from psycopg import errors  # As above.

    try:
        row = connection.execute("SELECT pg_xact_status(%s::xid8)", (number,)).fetchone()
    except errors.InvalidParameterValue:
        return None
    return row[0] if row else None


@contextlib.contextmanager
def _explained(address: Address) -> Iterator[None]:
    try:
        import psycopg  # As above.
    except ImportError:
        yield  # `pool_of` says it better.
        return
    try:
        yield
    except psycopg.Error as error:
        raise explain(error, address) from error
