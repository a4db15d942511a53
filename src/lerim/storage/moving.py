"""Copying databases from one place to another: resumed where it stood, verified, and never over what is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from lerim.dataclass import dataclass
from lerim.errors import Conflict
from lerim.storage.copying import ADDED_UP, IDENTITY, Renaming, Stream, TableTally, streams, tally
from lerim.storage.database import Database, Transaction
from lerim.storage.depots import Depot
from lerim.storage.landing import land, landing_of

#: What is copied, how far it is: the database and its table, and the rows that have arrived.
TellCopy = Callable[[str, str, int], None]


@dataclass(frozen=True)
class CopiedDatabase:
    """What a copy of one database came to."""

    name: str
    tables: Mapping[str, TableTally]
    #: Tables that the other side does not have, with their rows.
    left_out: Mapping[str, int]
    #: It was there already.
    was_there: bool = False
    #: Where what it replaced is kept.
    replaced: Path | None = None

    @property
    def rows(self) -> int:
        """How many there are in all."""
        return sum(found.rows for found in self.tables.values())


def look(source: Depot, name: str) -> CopiedDatabase:
    """What a copy would take along. Nothing is made or changed."""
    with source.read(name) as there:
        tables = there.tables()
        found = {stream.table: tally(stream.rows(there)) for stream in streams(tables, tables)}
    return CopiedDatabase(name, _without_identity(found), {})


def is_empty(target: Depot, name: str) -> bool:
    """Whether there is nothing in a database yet. Nothing is made or changed."""
    if not target.has(name):
        return True
    with target.read(name) as tx:
        return not any(tx.row(f"SELECT 1 FROM {table.name} LIMIT 1") for table in tx.tables() if table.name != IDENTITY)


def copy_database(
    source: Depot,
    target: Depot,
    name: str,
    renaming: Renaming,
    *,
    keep_in: Path | None = None,
    tell: TellCopy,
) -> CopiedDatabase:
    """Have one database hold what another one does, verified, or leave it as it is.

    One that is not empty is replaced only when `keep_in` names a folder for what it held: Conflict otherwise.
    """
    with source.read(name) as there, target.open(name) as database:
        landing = landing_of(database, name)
        with landing.alone():
            with database.read() as here:
                found = streams(there.tables(), here.tables(), renaming)
                left_out = _left_out(there, found)
                if _is_same(there, here, found):
                    same = {stream.table: tally(stream.rows(there)) for stream in found}
                    landing.remove()
                    return CopiedDatabase(name, _without_identity(same), left_out, was_there=True)
                has_rows = _has_rows(here, found)
            if has_rows and keep_in is None:
                raise not_empty(target)
            sent = land(landing, there, found, lambda table, rows: tell(name, table, rows))
            replaced = _kept(database, keep_in / f"{name}.sqlite3") if has_rows and keep_in else None
            database.close()
            landing.settle(found, sent, _as_another_store)
    return CopiedDatabase(name, _without_identity(sent), left_out, replaced=replaced)


def _without_identity(tallies: Mapping[str, TableTally]) -> dict[str, TableTally]:
    return {name: found for name, found in tallies.items() if name != IDENTITY}


def _left_out(there: Transaction, found: list[Stream]) -> dict[str, int]:
    copied = {stream.table for stream in found} | ADDED_UP
    others = [table.name for table in there.tables() if table.name not in copied]
    counts = {name: int((there.row(f"SELECT count(*) FROM {name}") or (0,))[0]) for name in others}
    return {name: count for name, count in counts.items() if count}


def _has_rows(here: Transaction, found: list[Stream]) -> bool:
    return any(here.row(f"SELECT 1 FROM {stream.table} LIMIT 1") for stream in found if stream.table != IDENTITY)


def _is_same(there: Transaction, here: Transaction, found: list[Stream]) -> bool:
    """Whether a copy has been made already: a reply that was lost, or a command that is run twice."""
    if not _has_rows(here, found):
        return False
    return all(
        tally(stream.rows(there)) == tally(stream.back.rows(here)) for stream in found if stream.table != IDENTITY
    )


def not_empty(target: Depot) -> Conflict:
    return Conflict(
        f"{target} holds memories already; nothing was copied",
        hint="--overwrite replaces them; to add to them instead: lerim memory export, then lerim memory import",
    )


def _kept(database: Database, path: Path) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    database.backup(path)
    return path


def _as_another_store(tx: Transaction) -> None:
    """Whoever has followed the one does not go on with the other: they part ways from here."""
    if any(table.name == IDENTITY for table in tx.tables()):
        tx.run(f"UPDATE {IDENTITY} SET id = ?", (os.urandom(16).hex(),))
