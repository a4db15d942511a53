"""A store on its way from one engine to another: all of it arrives, once, whatever happens in between."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.errors import Conflict, NotFound, StoreCorrupt, StoreTooNew, StoreTooOld, UsageError
from lerim.storage.connections import Address
from lerim.storage.copying import streams
from lerim.storage.database import migrations
from lerim.storage.depots import NAMES, Depot, depot
from lerim.storage.engine import open_database
from lerim.storage.landing import landing_of
from lerim.storage.moving import CopiedDatabase, copy_database, is_empty
from lerim.storage.postgres import PostgresDatabase, upgrade

from ..postgres_server import MISSING, PostgresEngine, execute, server

# What text may hold, and what likes to get lost: quotes, escapes, other planes, what looks like a command to COPY.
LETTERS = [
    "a",
    "B",
    "é",
    "e\u0301",
    "ß",
    "日本",
    "👨\u200d👩",
    "\U0010ffff",
    "\\",
    "\\N",
    "\\.",
    "'",
    '"',
    "\t",
    "\n",
    "\r",
]
LETTERS += ["\r\n", "%s", "?", "$1", "{}", "\u2028", "\ufeff", "\x01", "\x7f", ",", ";", "--", "NULL", " ", ""]
CHOICES: dict[str, list[Any]] = {
    "primitive": ["decision", "learning"],
    "status": ["active", "superseded", "archived"],
    "confidence": [0.0, 1.0, 0.1 + 0.2, 5e-324],
    "filed": [0, 1],
    "state": ["done", "dead", "skipped", "accepted", "rejected", "outdated"],
    "choice": ["take", "leave", None],
    "outcome": ["followed", "ignored", "contradicted", None],
}
OF_THE_QUEUE, OF_THE_REVIEW = CHOICES["state"][:3], CHOICES["state"][3:]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Depot]:
    """An empty database of a server."""
    if not server():
        pytest.skip(MISSING)
    engine = PostgresEngine()
    url = engine.url_in(tmp_path)
    yield depot(url)
    execute(f"DROP DATABASE {engine.name_of(tmp_path)} WITH (FORCE)")


class RandomStore:
    """Rows for every table of a database: what a column may hold, it may hold here."""

    def __init__(self, path: Path, name: str, seed: int, most: int = 4) -> None:
        self._random = Random(seed)
        self._most = most
        self._made: dict[str, list[dict[str, Any]]] = {}
        open_database(path, name).close()
        with closing(sqlite3.connect(path)) as self._connection:
            self._connection.execute("DELETE FROM identity") if name == "context" else None
            with open_database(path, name).read() as tx:
                order = streams(tx.tables(), tx.tables())
            for stream in order:
                if not stream.is_derived:
                    self._fill(stream.table, stream.columns, stream.key)
            self._connection.commit()

    def _fill(self, table: str, columns: tuple[str, ...], key: tuple[str, ...]) -> None:
        rows: dict[Any, dict[str, Any]] = {}
        for _ in range(1 if table == "identity" else self._random.randint(0, self._most)):
            row = self._row(table)
            if row is not None and all(row[name] is not None for name in key):
                rows.setdefault(tuple(row[name] for name in key) if key else "only", row)
        self._made[table] = list(rows.values())
        if table == "changes":
            self._undo_some(self._made[table])
        places = ", ".join("?" * len(columns))
        for row in self._made[table]:
            sql = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({places})"
            self._connection.execute(sql, [row[name] for name in columns])

    def _undo_some(self, changes: list[dict[str, Any]]) -> None:
        for change in changes:
            later = [c["id"] for c in changes if c["project_id"] == change["project_id"] and c["id"] != change["id"]]
            change["undone_by"] = self._random.choice([*later, None])

    def _row(self, table: str) -> dict[str, Any] | None:
        found = self._connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
        foreign = {row[3]: (row[2], row[4]) for row in self._connection.execute(f"PRAGMA foreign_key_list({table})")}
        row: dict[str, Any] = {}
        project: str | None = None
        for _, name, kind, needed, _, key, hidden in found:
            if hidden:
                continue
            if name in foreign and foreign[name][0] != table:
                parents = self._made.get(foreign[name][0], [])
                # What hangs on a record and on a change hangs on those of one project.
                parents = [p for p in parents if project is None or p.get("project_id", project) == project]
                if not parents and needed:
                    return None
                parent = self._random.choice(parents) if parents else {foreign[name][1]: None}
                row[name] = parent[foreign[name][1]]
                if project is None:
                    project = row[name] if name == "project_id" else parent.get("project_id")
            elif name in CHOICES:
                row[name] = self._chosen(table, name)
            elif name == "evidence":
                row[name] = self._evidence()
            elif name == "undone_by":
                row[name] = None
            elif not needed and not key and name != "project_id" and self._random.random() < 0.3:
                row[name] = None
            else:
                row[name] = self._value(kind)
        return row

    def _chosen(self, table: str, name: str) -> Any:
        if name == "state":
            return self._random.choice(OF_THE_REVIEW if table == "review" else OF_THE_QUEUE)
        return self._random.choice(CHOICES[name])

    def _evidence(self) -> str:
        pieces = [
            [self._text(), self._text(), self._random.randint(1, 2**40), 3, self._text() + "\0", "user"]
            for _ in range(self._random.randint(0, 3))
        ]
        return json.dumps(pieces, ensure_ascii=False)

    def _value(self, kind: str) -> Any:
        if kind == "INTEGER":
            return self._random.choice([0, 1, -1, 2**63 - 1, -(2**63), self._random.randint(0, 10**6)])
        if kind == "REAL":
            return self._random.choice([0.0, -1.5, 1e308, self._random.random(), self._random.random() * 1e10])
        if kind == "BLOB":
            return self._random.randbytes(self._random.randint(0, 300))
        return self._text()

    def _text(self) -> str:
        return "".join(self._random.choices(LETTERS, k=self._random.randint(0, 12)))


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that a file holds but which store it is."""
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'identity'"
        names = [name for (name,) in connection.execute(sql) if not name.startswith("records_fts_")]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names}


def copied(source: Depot, target: Depot, name: str = "context", **settings: Any) -> CopiedDatabase:
    return copy_database(source, target, name, {}, **{"tell": lambda *_: None, **settings})


@pytest.fixture(scope="module")
def travelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Depot]]:
    """A folder and a server for many stores, one after the other."""
    if not server():
        pytest.skip(MISSING)
    folder, engine = tmp_path_factory.mktemp("travelled"), PostgresEngine()
    yield folder, depot(engine.url_in(folder))
    execute(f"DROP DATABASE {engine.name_of(folder)} WITH (FORCE)")


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32))
def test_a_store_survives_the_way_there_and_back(travelled: tuple[Path, Depot], name: str, seed: int):
    """Every table, to the byte."""
    folder, there = travelled
    first, back = folder / f"{name}-first.sqlite3", folder / f"{name}-back.sqlite3"
    for path in (first, back):
        path.unlink(missing_ok=True)
    RandomStore(first, name, seed)

    copied(depot(str(first)), there, name, keep_in=folder / "replaced")
    copied(there, depot(str(back)), name)

    assert dump(first) == dump(back)
    with closing(open_database(back, name)) as database:
        assert [] == database.problems()
    assert there.address is not None
    assert [] == PostgresDatabase(there.address, name).problems()
