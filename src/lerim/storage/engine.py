"""Which engine keeps a database. Rooms open theirs here and see a `Database`; no room names an engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lerim.errors import StoreCorrupt
from lerim.private import make_home, make_private
from lerim.storage import sqlite
from lerim.storage.database import Database, Row


def open_database(
    path: Path, name: str, *, busy_seconds: float = sqlite.BUSY_SECONDS, derived: bool = False
) -> Database:
    """The database at `path` with the schema `name`, made and migrated if need be.

    What is `derived` can be made again: its commits survive a kill, but need not survive a power cut.
    Raises StoreTooNew, StoreCorrupt, StoreBusy or StoreError, each with what to do.
    """
    return sqlite.SqliteDatabase(path, name, busy_seconds=busy_seconds, durable=not derived)


def open_beside(path: Path, name: str, mend: Callable[[], None], *, derived: bool = False) -> Database:
    """A database beside the store, in a folder of the home that only its owner reads. A damaged one is made anew once
    `mend` has taken it out of the way. Raises StoreTooNew, StoreBusy or StoreError."""
    make_home(path.parents[1])
    make_private(path.parent)
    try:
        return open_database(path, name, derived=derived)
    except StoreCorrupt:
        mend()
        return open_database(path, name, derived=derived)


def open_shared(url: str, name: str, *, role: str = "", variables: tuple[tuple[str, str], ...] = ()) -> Database:
    """The database that several machines share, with the schema `name`; `role` is whose rights count there, and
    `variables` what the server hears of them.

    Raises StoreUnreachable, StoreTooNew, StoreTooOld, StoreBusy, StoreError or ConfigError, each with what to do.
    """
    from lerim.storage.connections import Address  # Start-up: most stores are files.
    from lerim.storage.postgres import PostgresDatabase

    return PostgresDatabase(Address(url, role, variables), name)


def inspect(path: Path) -> tuple[list[str], dict[str, int]]:
    """What is wrong with a database that nobody uses, and how many rows each of its tables has. Changes no byte."""
    return sqlite.inspect(path)


def copy(source: Path, target: Path) -> None:
    """A consistent copy of a database, taken while others may write; only its owner can read it."""
    sqlite.copy(source, target)


def salvage(path: Path, sql: str) -> list[Row]:
    """Rows of a damaged database, as far as they can be read."""
    return sqlite.salvage(path, sql)
