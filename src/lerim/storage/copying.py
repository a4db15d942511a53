"""From one database to another with the same schema, whatever engines keep them: table by table, counted and hashed.

What an engine derives by itself (full-text indexes, generated columns, what triggers keep) is not copied, but what is
derived as rows is compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.dataclass import dataclass, replace
from lerim.errors import StoreCorrupt
from lerim.storage.connections import plain
from lerim.storage.database import Row, Table, Transaction, Value
from lerim.storage.sqlite import fill_file, read_file

if TYPE_CHECKING:
    from lerim.storage.postgres import PostgresDatabase

#: Rows that are read at once; of those with bytes in them, which may be megabytes each, a few.
_ROWS, _LARGE_ROWS = 2000, 32
#: Tables that triggers fill from others.
_KEPT_BY_TRIGGERS = frozenset({"cited_sessions"})
# One machine's store knows the project of what hangs on a record from the record.
_OF_THE_RECORD = "(SELECT r.project_id FROM records r WHERE r.seq = t.record_seq)"
_HASH_BYTES = 16


@dataclass(frozen=True)
class Tally:
    """How many rows there are, and a hash of all of them in whatever order."""

    rows: int = 0
    total: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.rows + other.rows, (self.total + other.total) % (1 << 8 * _HASH_BYTES))

    @property
    def digest(self) -> str:
        return self.total.to_bytes(_HASH_BYTES, "big").hex()


def tally(rows: Iterable[Row]) -> Tally:
    """Count and hash rows. What both engines read is the same in Python, so its `repr` is too."""
    found = Tally()
    for row in rows:
        digest = hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
        found += Tally(1, int.from_bytes(digest, "big"))
    return found


@dataclass(frozen=True)
class Stream:
    """One table on its way: what is read there, in the order of its key, and what is written here."""

    table: str
    columns: tuple[str, ...]
    #: What is read for each column.
    reads: tuple[str, ...]
    #: The columns of its key, as the source has it, and as the target does.
    key: tuple[str, ...]
    key_here: tuple[str, ...]
    most: int

    @property
    def is_derived(self) -> bool:
        return self.table in _KEPT_BY_TRIGGERS

    def batches(self, tx: Transaction, after: Sequence[Value] = ()) -> Iterator[list[Row]]:
        """What the source has after this key, a few rows at a time."""
        key = ", ".join(f"t.{column}" for column in self.key)
        read = f"SELECT {', '.join(self.reads)}{', ' if key else ''}{key} FROM {self.table} t"
        while True:
            beyond = f" WHERE ({key}) > ({', '.join('?' * len(after))})" if after else ""
            order = f" ORDER BY {key} LIMIT {self.most}" if key else ""
            rows = tx.rows(f"{read}{beyond}{order}", after)
            if rows:
                yield [tuple(plain(row[: len(self.columns)])) for row in rows]
            if not key or len(rows) < self.most:
                return
            after = rows[-1][len(self.columns) :]

    def rows(self, tx: Transaction) -> Iterator[Row]:
        for batch in self.batches(tx):
            yield from batch

    @property
    def back(self) -> Stream:
        """The same, read where it was written."""
        reads = tuple(f"t.{column}" for column in self.columns)
        return replace(self, reads=reads, key=self.key_here)


def streams(source: Sequence[Table], target: Sequence[Table]) -> list[Stream]:
    """Every table that both sides have, those that others point at first."""
    there, here = {table.name: table for table in source}, {table.name: table for table in target}
    order = TopologicalSorter({name: here[name].references for name in sorted(here)}).static_order()
    return [_stream(there[name], here[name]) for name in order if name in there and name in here]


def _stream(source: Table, target: Table) -> Stream:
    known: dict[str, str] = {column: f"t.{column}" for column in source.columns}
    if "record_seq" in known:
        known.setdefault("project_id", _OF_THE_RECORD)
    columns = tuple(column for column in target.columns if column in known)
    most = _LARGE_ROWS if source.has_blobs or target.has_blobs else _ROWS
    return Stream(target.name, columns, tuple(known[column] for column in columns), source.key, target.key, most)


def pour(source: Transaction, target: Transaction) -> dict[str, Tally]:
    """Fill one database with what another one holds: in place of all that it has in the same tables.

    Raises StoreCorrupt when something else arrived than was sent; whoever holds the transaction takes it back.
    """
    found = streams(source.tables(), target.tables())
    for stream in reversed(found):
        target.run(f"DELETE FROM {stream.table}")
    for stream in found:
        if not stream.is_derived:
            target.load(stream.table, stream.columns, stream.rows(source))
    return compare(source, target, found)


def compare(source: Transaction, target: Transaction, found: Sequence[Stream]) -> dict[str, Tally]:
    """What is in each table on both sides. Raises StoreCorrupt where they differ."""
    sent = {stream.table: tally(stream.rows(source)) for stream in found}
    arrived = {stream.table: tally(stream.back.rows(target)) for stream in found}
    if other := [name for name in sent if sent[name] != arrived[name]]:
        raise StoreCorrupt(
            f"the copy is not what was copied: {_differences(other, sent, arrived)}; nothing was changed"
        )
    return sent


def _differences(names: Iterable[str], sent: Mapping[str, Tally], arrived: Mapping[str, Tally]) -> str:
    return ", ".join(
        f"{name} has {arrived[name].rows} rows for {sent[name].rows}"
        if arrived[name].rows != sent[name].rows
        else f"rows of {name} differ"
        for name in names
    )


def into_file(database: PostgresDatabase, path: Path) -> None:
    """A file with the same schema that holds what the database holds at this moment."""
    with fill_file(path, database.name) as target, database.read() as source:
        pour(source, target)


def from_file(path: Path, database: PostgresDatabase, meanwhile: Callable[[], None]) -> None:
    """Have the database hold what a file holds. Others read what was there until all of it is done."""
    with read_file(path, database.name) as source, database.write() as target:
        meanwhile()
        pour(source, target)
