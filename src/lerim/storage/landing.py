"""Where a copy arrives: beside the database, batch by batch, each noted with how far it got. Then it takes its place.

Killed anywhere, a copy goes on where it stood, and nobody ever sees a half of it.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from lerim.dataclass import dataclass
from lerim.errors import StoreBusy
from lerim.storage.connections import connect
from lerim.storage.copying import Stream, TableTally, clear, compare, tally
from lerim.storage.database import Database, Transaction, Value
from lerim.storage.postgres import PostgresDatabase, PostgresTransaction
from lerim.storage.quarantine import SIDE_FILES, alone
from lerim.storage.sqlite import SqliteDatabase, check_references, unchecked

_MAKE_NOTES = "CREATE TABLE IF NOT EXISTS arrived (what TEXT PRIMARY KEY, upto TEXT, count TEXT)"
_NOTE = (
    "INSERT INTO arrived (what, upto, count) VALUES (?, ?, ?)"
    " ON CONFLICT (what) DO UPDATE SET upto = excluded.upto, count = excluded.count"
)
# Beside others who write: nobody but a copy has to do with what arrives.
_TURN = "what arrives"


@dataclass(frozen=True)
class Arrived:
    """How far a table got: the key of its last row, and what there is of it."""

    upto: tuple[Value, ...]
    tally: TableTally


class Landing(Protocol):
    """The place beside a database where a copy arrives."""

    def alone(self) -> AbstractContextManager[None]:
        """Nobody else copies to the same database meanwhile."""
        ...

    def session(self) -> AbstractContextManager[Transaction]:
        """One transaction on what has arrived."""
        ...

    def make(self, streams: Sequence[Stream]) -> None:
        """Make it, if it is not there."""
        ...

    def remove(self) -> None:
        """Forget what has arrived."""
        ...

    def settle(
        self, streams: Sequence[Stream], sent: Mapping[str, TableTally], also: Callable[[Transaction], None]
    ) -> None:
        """Have the database hold what has arrived, all at once, unless it is not what was sent."""
        ...


class PostgresLanding:
    """A schema of its own in the same database: bare tables, which nobody but its owner may read."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._schema = f"{database.schema}_arriving"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        # A connection of its own: the lock goes with it, however this process ends.
        with contextlib.closing(connect(self._database.address)) as connection:
            if connection.execute("SELECT pg_try_advisory_lock(hashtext(%s))", (self._schema,)).fetchone() != (True,):
                raise StoreBusy(f"another copy to {self._database.address} is under way", hint="wait until it is done")
            yield

    @contextlib.contextmanager
    def session(self) -> Iterator[Transaction]:
        with self._database.write(_TURN) as tx:
            tx.run(f"SET LOCAL search_path = {self._schema}, public")
            yield tx

    def make(self, streams: Sequence[Stream]) -> None:
        with self._database.write(_TURN) as tx:
            tx.run(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            for stream in streams:
                columns = f"SELECT {', '.join(stream.columns)} FROM {self._database.schema}.{stream.table}"
                tx.run(f"CREATE TABLE IF NOT EXISTS {self._schema}.{stream.table} AS {columns} WITH NO DATA")
        with self.session() as tx:
            tx.run(_MAKE_NOTES)

    def remove(self) -> None:
        with self._database.write(_TURN) as tx:
            tx.run(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE")

    def settle(
        self, streams: Sequence[Stream], sent: Mapping[str, TableTally], also: Callable[[Transaction], None]
    ) -> None:
        with self._database.write() as tx:
            clear(tx, streams)
            for stream in streams:
                if not stream.is_derived:
                    self._take_over(tx, stream)
            compare(sent, tx, streams)
            also(tx)
            tx.run(f"DROP SCHEMA {self._schema} CASCADE")

    def _take_over(self, tx: Transaction, stream: Stream) -> None:
        columns = ", ".join(stream.columns)
        tx.run(f"INSERT INTO {stream.table} ({columns}) SELECT {columns} FROM {self._schema}.{stream.table}")
        assert isinstance(tx, PostgresTransaction)
        tx.number_after(stream.table)


class SqliteLanding:
    """A file beside the one it is for, with the same schema."""

    def __init__(self, path: Path, name: str) -> None:
        self._target = path
        self._path = path.with_name(f"{path.name}.arriving")
        self._name = name

    def session(self) -> AbstractContextManager[Transaction]:
        return unchecked(self._path)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        with alone(self._path.with_name(f"{self._path.name}.lock")):
            yield

    def make(self, streams: Sequence[Stream]) -> None:
        fresh = not self._path.exists()
        SqliteDatabase(self._path, self._name).close()
        with self.session() as tx:
            if fresh:
                clear(tx, streams)
            tx.run(_MAKE_NOTES)

    def remove(self) -> None:
        for suffix in SIDE_FILES:
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def settle(
        self, streams: Sequence[Stream], sent: Mapping[str, TableTally], also: Callable[[Transaction], None]
    ) -> None:
        with self.session() as tx:
            compare(sent, tx, streams)
            check_references(tx, self._path)
            also(tx)
            tx.run("DROP TABLE arrived")
        with contextlib.closing(SqliteDatabase(self._target, self._name)) as database:
            database.become(self._path, lambda: None)
        self.remove()


def landing_of(database: Database, name: str) -> Landing:
    """Where a copy into a database arrives."""
    if isinstance(database, PostgresDatabase):
        return PostgresLanding(database)
    return SqliteLanding(Path(database.location), name)


def land(
    landing: Landing, source: Transaction, streams: Sequence[Stream], tell: Callable[[str, int], None]
) -> dict[str, TableTally]:
    """Have everything arrive that has not yet; what there is of each table then. What arrived before counts if it still
    stands so in the source."""
    landing.make(streams)
    return {
        stream.table: tally(stream.rows(source)) if stream.is_derived else _land(landing, source, stream, tell)
        for stream in streams
    }


def _land(landing: Landing, source: Transaction, stream: Stream, tell: Callable[[str, int], None]) -> TableTally:
    arrived = _arrived(landing, stream)
    # A table without a key comes at once.
    if not arrived.upto or tally(stream.rows(source, upto=arrived.upto)) != arrived.tally:
        arrived = Arrived((), TableTally())
        with landing.session() as tx:
            tx.run(f"DELETE FROM {stream.table}")
            tx.run("DELETE FROM arrived WHERE what = ?", (stream.table,))
    for batch in stream.batches(source, after=arrived.upto):
        arrived = Arrived(batch.last, arrived.tally + tally(batch.rows))
        with landing.session() as tx:
            tx.load(stream.table, stream.columns, batch.rows)
            tx.run(_NOTE, (stream.table, repr(arrived.upto), repr((arrived.tally.rows, arrived.tally.total))))
        tell(stream.table, arrived.tally.rows)
    return arrived.tally


def _arrived(landing: Landing, stream: Stream) -> Arrived:
    with landing.session() as tx:
        row = tx.row("SELECT upto, count FROM arrived WHERE what = ?", (stream.table,))
    return (
        Arrived(ast.literal_eval(row[0]), TableTally(*ast.literal_eval(row[1]))) if row else Arrived((), TableTally())
    )
