"""From one database to another with the same schema, whatever engines keep them: table by table, counted and hashed.

What an engine derives by itself (full-text indexes, generated columns, what triggers keep) is not copied; what is
derived as rows is compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from pathlib import Path

from lerim.dataclass import dataclass, replace
from lerim.errors import StoreCorrupt
from lerim.storage.connections import plain
from lerim.storage.database import Database, Row, Table, Transaction, Value
from lerim.storage.sqlite import fill_file, read_file

#: Rows that are read at once; of those with bytes in them, which may be megabytes each, a few.
_ROWS, _LARGE_ROWS = 1000, 32
#: Which store it is: one row, and a copy is another store.
IDENTITY = "identity"
#: Tables that triggers fill from others.
_KEPT_BY_TRIGGERS = frozenset({"cited_sessions"})
#: What triggers add up while rows come in: sums, which are not the same in another order.
ADDED_UP = frozenset({"sums"})
# One machine's store knows the project of what hangs on a record from the record.
_OF_THE_RECORD = "(SELECT r.project_id FROM records r WHERE r.seq = t.record_seq)"
_HASH_BYTES = 16

#: What a row is called where it goes: it gets a row of some columns, and gives it back as it shall be written.
Renamed = Callable[[Mapping[str, Value]], Mapping[str, Value]]
#: The same for each table that needs it.
Renaming = Mapping[str, Renamed]


@dataclass(frozen=True)
class TableTally:
    """How many rows there are, and a hash of all of them in whatever order."""

    rows: int = 0
    total: int = 0

    def __add__(self, other: TableTally) -> TableTally:
        return TableTally(self.rows + other.rows, (self.total + other.total) % (1 << 8 * _HASH_BYTES))

    @property
    def digest(self) -> str:
        return self.total.to_bytes(_HASH_BYTES, "big").hex()


def tally(rows: Iterable[Row]) -> TableTally:
    """Count and hash rows. What both engines read is the same in Python, so its `repr` is too."""
    count = total = 0
    for row in rows:
        digest = hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
        count, total = count + 1, total + int.from_bytes(digest, "big")
    return TableTally(count, 0) + TableTally(0, total)


@dataclass(frozen=True)
class Batch:
    """Some rows as they are written, and the key of the last of them where they come from."""

    rows: list[Row]
    last: tuple[Value, ...]


@dataclass(frozen=True)
class Stream:
    """One table on its way: what is read there, in the order of its key, and what is written here."""

    table: str
    columns: tuple[str, ...]
    #: What is read for each column, and of which rows.
    reads: tuple[str, ...]
    where: str
    #: The columns of its key, as the source has it, and as the target does.
    key: tuple[str, ...]
    key_here: tuple[str, ...]
    most: int
    renamed: Renamed | None = None

    @property
    def is_derived(self) -> bool:
        return self.table in _KEPT_BY_TRIGGERS

    def batches(self, tx: Transaction, after: Sequence[Value] = (), upto: Sequence[Value] = ()) -> Iterator[Batch]:
        """What the source has after one key and up to another, a few rows at a time."""
        key = ", ".join(f"t.{column}" for column in self.key)
        read = f"SELECT {', '.join((*self.reads, *key.split(', ')) if key else self.reads)} FROM {self.table} t"
        order = f" ORDER BY {key} LIMIT {self.most}" if key else ""
        while True:
            bounds = [(f"({key}) > ({_places(after)})", after), (f"({key}) <= ({_places(upto)})", upto)]
            given = [self.where] * bool(self.where) + [condition for condition, values in bounds if values]
            where = f" WHERE {' AND '.join(given)}" if given else ""
            rows = tx.rows(f"{read}{where}{order}", [*after, *upto])
            if rows:
                after = tuple(rows[-1][len(self.columns) :])
                yield Batch([self._written(row) for row in rows], tuple(after))
            if not key or len(rows) < self.most:
                return

    def rows(self, tx: Transaction, upto: Sequence[Value] = ()) -> Iterator[Row]:
        for batch in self.batches(tx, upto=upto):
            yield from batch.rows

    def _written(self, row: Row) -> Row:
        values = plain(row[: len(self.columns)])
        if self.renamed is not None:
            values = list(self.renamed(dict(zip(self.columns, values, strict=True))).values())
        return tuple(values)

    @property
    def back(self) -> Stream:
        """The same, read where it was written."""
        reads = tuple(f"t.{column}" for column in self.columns)
        return replace(self, reads=reads, where="", key=self.key_here, renamed=None)


def _places(values: Sequence[Value]) -> str:
    return ", ".join("?" * len(values))


def streams(source: Sequence[Table], target: Sequence[Table], renaming: Renaming | None = None) -> list[Stream]:
    """Every table that both sides have, those that others point at first."""
    there, here = {table.name: table for table in source}, {table.name: table for table in target}
    order = TopologicalSorter({name: here[name].references for name in sorted(here)}).static_order()
    known = [name for name in order if name in there and name in here and name not in ADDED_UP]
    return [replace(_stream(there[name], here[name]), renamed=(renaming or {}).get(name)) for name in known]


def _stream(source: Table, target: Table) -> Stream:
    known: dict[str, str] = {column: f"t.{column}" for column in source.columns}
    if "record_seq" in known:
        known.setdefault("project_id", _OF_THE_RECORD)
    columns = tuple(column for column in target.columns if column in known)
    # Where each member of a team has a row of their own and the target knows no members, ours are meant.
    where = "t.member = lerim_team.me()" if "member" in source.key and "member" not in target.columns else ""
    most = _LARGE_ROWS if source.has_blobs or target.has_blobs else _ROWS
    reads = tuple(known[column] for column in columns)
    return Stream(target.name, columns, reads, where, source.key, target.key, most)


def pour(source: Transaction, target: Transaction) -> None:
    """Fill one database with what another one holds: in place of all that it has in the same tables.

    Raises StoreCorrupt when something else arrived than was sent; whoever holds the transaction takes it back.
    """
    found = streams(source.tables(), target.tables())
    clear(target, found)
    for stream in found:
        if not stream.is_derived:
            target.load(stream.table, stream.columns, stream.rows(source))
    compare({stream.table: tally(stream.rows(source)) for stream in found}, target, found)


def clear(target: Transaction, found: Sequence[Stream]) -> None:
    """Take out all that stands in tables."""
    # Last: what is taken out is taken off them.
    sums = [table.name for table in target.tables() if table.name in ADDED_UP]
    for name in [*(stream.table for stream in reversed(found)), *sums]:
        target.run(f"DELETE FROM {name}")


def compare(sent: Mapping[str, TableTally], target: Transaction, found: Sequence[Stream]) -> None:
    """Raise StoreCorrupt unless what was sent is what is there."""
    arrived = {stream.table: tally(stream.back.rows(target)) for stream in found}
    if wrong := [name for name, there in sent.items() if there != arrived[name]]:
        what = ", ".join(_difference(name, sent[name], arrived[name]) for name in wrong)
        raise StoreCorrupt(f"the copy is not what was copied: {what}; nothing was changed", hint="lerim memory check")


def _difference(name: str, sent: TableTally, arrived: TableTally) -> str:
    if sent.rows != arrived.rows:
        return f"{name} has {arrived.rows:,} rows instead of {sent.rows:,}"
    return f"rows of {name} differ"


def into_file(database: Database, name: str, path: Path) -> None:
    """A file with the same schema, `name`, that holds what the database holds at this moment."""
    with fill_file(path, name) as target, database.read() as source:
        pour(source, target)


def from_file(path: Path, database: Database, name: str, meanwhile: Callable[[], None]) -> None:
    """Have the database, with the schema `name`, hold what a file holds. Others see what was there until it is done."""
    with read_file(path, name) as source, database.write() as target:
        meanwhile()
        pour(source, target)
