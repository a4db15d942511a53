"""A store on its way from one engine to another: all of it arrives, once, whatever happens in between."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.errors import Conflict, NotFound, StoreError, StoreTooNew, StoreTooOld, UsageError
from lerim.storage.connections import close_pools
from lerim.storage.copying import streams
from lerim.storage.database import migrations
from lerim.storage.depots import NAMES, Depot, depot
from lerim.storage.engine import open_database
from lerim.storage.moving import CopiedDatabase, copy_database, is_empty
from lerim.storage.postgres import PostgresDatabase, upgrade

from ..conftest import examples
from ..postgres_server import MISSING, execute, server, url_of

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
    # What is added up on the way.
    "input_tokens": [0, 7, 10**6],
    "output_tokens": [0, 7, 10**6],
    "cost_usd": [0.0, 0.25, None],
    "state": ["done", "dead", "skipped", "accepted", "rejected", "outdated"],
    "choice": ["take", "leave", None],
    "outcome": ["followed", "ignored", "contradicted", None],
}
OF_THE_QUEUE, OF_THE_REVIEW = CHOICES["state"][:3], CHOICES["state"][3:]


@contextmanager
def database_of_its_own() -> Iterator[Depot]:
    """An empty database of a server: what schemas are in it is what these tests are about."""
    if not server():
        pytest.skip(MISSING)
    name = f"copying_{os.getpid()}_{next(NUMBERS)}"
    execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield depot(url_of(name))
    close_pools()
    execute(f"DROP DATABASE {name} WITH (FORCE)")


NUMBERS = count()


@pytest.fixture
def there() -> Iterator[Depot]:
    with database_of_its_own() as found:
        yield found


class RandomStore:
    """Rows for every table of a database: what a column may hold, it may hold here."""

    def __init__(self, path: Path, name: str, seed: int, most: int = 4, least: int = 0) -> None:
        self._random = Random(seed)
        self._range = (least, most)
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
        for _ in range(1 if table == "identity" else self._random.randint(*self._range)):
            row = self._row(table)
            if row is not None and all(row[name] is not None for name in key):
                rows.setdefault(tuple(row[name] for name in key) if key else "only", row)
        self._made[table] = list(rows.values())
        if table == "changes":
            self._undo_some(self._made[table])
        sql = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        for row in self._made[table].copy():
            if not self._connection.execute(sql, [row[name] for name in columns]).rowcount:
                self._made[table].remove(row)

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
            elif name == "undone_by" or (self._may_lack(name, needed, key) and self._random.random() < 0.3):
                row[name] = None
            else:
                row[name] = self._value(kind)
        return row

    def _may_lack(self, name: str, needed: int, key: int) -> bool:
        return not needed and not key and name != "project_id"

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
            usual = [self._random.randint(0, 10**6)] * 9
            return self._random.choice([0, 1, -1, 2**63 - 1, -(2**63), *usual])
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
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
        names = {name for (name,) in connection.execute(sql)} - {"identity", "sums"}
        names = {name for name in names if not name.startswith("records_fts_")}
        return {name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names}


def copied(source: Depot, target: Depot, name: str = "context", **settings: Any) -> CopiedDatabase:
    return copy_database(source, target, name, {}, **{"tell": lambda *_: None, **settings})


@pytest.fixture(scope="module")
def travelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Depot]]:
    """A folder and a server for many stores, one after the other."""
    with database_of_its_own() as found:
        yield tmp_path_factory.mktemp("travelled"), found


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(8))
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


CONTEXT_TABLES = ["projects", "records", "changes", "versions", "review", "uses", "sessions", "file_images", "undated"]


class TestCopy:
    """What a copy promises, on the way to a server and to a file."""

    @pytest.fixture
    def full(self, tmp_path: Path) -> Depot:
        """A store with something in every table."""
        path = tmp_path / "full" / "context.sqlite3"
        path.parent.mkdir()
        RandomStore(path, "context", seed=11, most=60, least=20)
        assert all(dump(path)[table] for table in CONTEXT_TABLES)
        return depot(str(path))

    @pytest.fixture(params=["to a server", "to a file"])
    def target(self, request: pytest.FixtureRequest, tmp_path: Path) -> Depot:
        if request.param == "to a file":
            return depot(str(tmp_path / "new"))
        found: Depot = request.getfixturevalue("there")
        return found

    def back(self, target: Depot, tmp_path: Path) -> dict[str, list[tuple[Any, ...]]]:
        path = tmp_path / "back.sqlite3"
        path.unlink(missing_ok=True)
        copied(target, depot(str(path)))
        return dump(path)

    def test_what_is_there_already_is_not_copied_again(self, full, target):
        """A command whose reply was lost is run again: nothing is doubled, and it says so."""
        first, second = copied(full, target), copied(full, target)

        assert (False, True) == (first.was_there, second.was_there)
        assert first.tables == second.tables

    def test_a_place_that_is_not_empty_is_left_alone(self, full, target, tmp_path):
        """Unless somebody asks: then what was there is kept as a file."""
        copied(full, target)
        before = self.back(target, tmp_path)
        other = tmp_path / "other.sqlite3"
        RandomStore(other, "context", seed=5, most=3)

        with pytest.raises(Conflict) as caught:
            copied(depot(str(other)), target)
        assert "nothing was copied" in caught.value.message
        assert before == self.back(target, tmp_path)

        done = copied(depot(str(other)), target, keep_in=tmp_path / "kept")
        assert done.replaced is not None
        assert (dump(other), before) == (self.back(target, tmp_path), dump(done.replaced))

    def test_a_copy_is_another_store(self, full, target, tmp_path):
        """Whoever has followed the changes of the one starts over with the other."""
        copied(full, target)

        with full.read("context") as one, target.read("context") as other:
            assert one.row("SELECT id FROM identity") != other.row("SELECT id FROM identity")

    def test_what_comes_after_a_copy_is_numbered_after_it(self, there, tmp_path):
        """Changes get numbers that nobody has."""
        path = tmp_path / "few.sqlite3"
        with closing(open_database(path, "context")) as few, few.write() as tx:
            tx.run("INSERT INTO projects (id, root, name, created) VALUES ('p', '/p', 'p', '')")
            tx.run("INSERT INTO changes (id, project_id, at, author, reason) VALUES (41, 'p', '', '', '')")
        copied(depot(str(path)), there)
        assert there.address is not None

        with PostgresDatabase(there.address, "context").write() as tx:
            sql = "INSERT INTO changes (project_id, at, author, reason) VALUES ('p', '', '', '') RETURNING id"
            assert (42,) == tx.row(sql)

    def test_rows_that_changed_since_an_interruption_are_read_again(self, full, target, tmp_path, monkeypatch):
        """What arrived before counts only if it still stands so."""
        interrupt(full, target, after=3, monkeypatch=monkeypatch)
        with closing(sqlite3.connect(full.path)) as connection:
            connection.execute("UPDATE projects SET name = 'renamed since'")
            connection.commit()

        copied(full, target)

        assert dump(full.path) == self.back(target, tmp_path)

    def test_what_was_interrupted_goes_on_where_it_stood(self, full, target, tmp_path, monkeypatch):
        """Nobody sees a half meanwhile, and what arrived is not sent twice."""
        whole = told(full, depot(str(tmp_path / "elsewhere")), monkeypatch)
        seen = interrupt(full, target, after=5, monkeypatch=monkeypatch)

        assert is_empty(target, "context")
        rest = told(full, target, monkeypatch)

        assert (whole, dump(full.path)) == (seen + rest, self.back(target, tmp_path))

    def test_a_zero_in_a_text_becomes_what_stands_for_no_character(self, full, there, tmp_path):
        """PostgreSQL has none in its texts; neither has a memory, but a title that an agent wrote may."""
        with closing(sqlite3.connect(full.path)) as connection:
            connection.execute("UPDATE projects SET name = 'a' || char(0) || 'b'")
            connection.commit()

        copied(full, there)

        assert {"a\ufffdb"} == {row[2] for row in self.back(there, tmp_path)["projects"]}

    def test_text_that_is_none_arrives_as_well_as_it_can(self, full, target, tmp_path):
        """Bytes that no UTF-8 has, from whatever wrote them: the copy does not stop at them."""
        with closing(sqlite3.connect(full.path)) as connection:
            connection.execute("UPDATE projects SET name = CAST(X'61eda08062ff' AS TEXT)")
            connection.commit()

        copied(full, target)

        names = {row[2] for row in self.back(target, tmp_path)["projects"]}
        assert {"a", "b", "\ufffd"} == set("".join(names))

    def test_a_source_that_contradicts_itself_is_not_copied(self, full, target, tmp_path):
        """A row that points nowhere is found before anything is changed."""
        with closing(sqlite3.connect(full.path)) as connection:
            connection.execute("DELETE FROM changes WHERE id IN (SELECT change_id FROM versions)")
            connection.commit()

        with pytest.raises(StoreError):
            copied(full, target)

        assert is_empty(target, "context")

    def test_a_store_of_an_older_lerim_is_brought_up_on_the_way(self, tmp_path, target):
        """The old file itself stays as it is."""
        path = tmp_path / "context.sqlite3"
        with closing(sqlite3.connect(path)) as connection:
            for step in migrations("sqlite", "context")[:8]:
                connection.executescript(step.path.read_text("utf-8"))
            connection.execute("PRAGMA user_version = 8")
            connection.execute("INSERT INTO projects (id, root, name, created) VALUES ('p', '/p', 'p', '')")
            connection.commit()
        before = path.read_bytes()

        done = copied(depot(str(path)), target)

        assert (1, before) == (done.tables["projects"].rows, path.read_bytes())

    def test_a_store_of_a_newer_lerim_is_refused(self, full, target):
        """Wherever it is; with the command that helps."""
        with closing(sqlite3.connect(full.path)) as connection:
            connection.execute("PRAGMA user_version = 99")

        with pytest.raises(StoreTooNew) as caught:
            copied(full, target)

        assert "pip install --upgrade lerim" == caught.value.hint

    def test_nothing_is_made_of_nothing(self, there, tmp_path):
        """A place without a memory is named, and the other one is not touched."""
        for empty in (there, depot(str(tmp_path / "none"))):
            with pytest.raises(NotFound):
                copied(empty, depot(str(tmp_path / "new")))

        assert [] == sorted(tmp_path.iterdir())


class TestSchemas:
    """A schema that is older or newer than this Lerim."""

    def test_an_older_one_is_refused_until_somebody_upgrades_it(self, there, monkeypatch):
        """Others use it too: nobody is surprised by a schema that their Lerim does not know."""
        assert there.address is not None
        of_old = {"context": migrations("postgres", "context")[:1]}
        monkeypatch.setattr(
            "lerim.storage.postgres.migrations", lambda engine, name: of_old.get(name) or migrations(engine, name)
        )
        PostgresDatabase(there.address, "context")
        monkeypatch.undo()

        with pytest.raises(StoreTooOld) as caught:
            PostgresDatabase(there.address, "context")
        assert "lerim storage upgrade" == caught.value.hint

        upgrade(there.address, "context")
        assert [] == PostgresDatabase(there.address, "context").problems()

    def test_it_is_looked_at_once_by_a_process_that_opens_it_often(self, there, monkeypatch):
        """And again after a while: somebody may have upgraded it."""
        assert there.address is not None
        PostgresDatabase(there.address, "context")
        execute("INSERT INTO lerim_context.steps (number) VALUES (99)", url_name(there))

        PostgresDatabase(there.address, "context")
        monkeypatch.setattr("lerim.storage.postgres.KNOWN_SECONDS", 0.0)

        with pytest.raises(StoreTooNew):
            PostgresDatabase(there.address, "context")

    def test_a_newer_one_is_left_untouched(self, there):
        """The hint is the command that helps."""
        assert there.address is not None
        PostgresDatabase(there.address, "context")
        execute("INSERT INTO lerim_context.steps (number) VALUES (99)", url_name(there))
        close_pools()  # As a process that begins now.

        for attempt in (lambda: PostgresDatabase(there.address, "context"), lambda: there.has("context")):
            with pytest.raises(StoreTooNew) as caught:
                attempt()
            assert "pip install --upgrade lerim" == caught.value.hint


class TestPlaces:
    """What somebody may name as a place, and what happens when it is none."""

    @pytest.mark.parametrize(
        "named",
        ["mysql://u:secret@h/x", "postgresql://u:sec/ret@h/x", "postgresql://u:sec ret@h/x", "postgresql://", "", " "],
    )
    def test_what_is_no_place_is_refused_without_being_repeated(self, named):
        """A password may be in it."""
        with pytest.raises(UsageError) as caught:
            depot(named)

        assert "sec" not in caught.value.message + str(caught.value.hint)

    @pytest.mark.parametrize(
        ("change", "says", "hint"),
        [
            ({"database": "nosuch"}, "there is no such database", "createdb"),
            ({"user": "nobody"}, "there is no such user", "createuser"),
            ({"host": "/nowhere"}, "cannot reach", "lerim storage check"),
        ],
    )
    def test_a_server_that_does_not_let_us_in_says_why(self, there, change, says, hint):
        """Each with what to do next."""
        user, database, host = change.get("user", "postgres"), change.get("database", "postgres"), change.get("host")
        host = host or server().rpartition("host=")[2]

        with pytest.raises(StoreError) as caught:
            depot(f"postgresql://{user}:secret@/{database}?host={host}").has("context")

        assert says in caught.value.message
        assert hint in str(caught.value.hint)
        assert "secret" not in caught.value.message

    def test_a_folder_is_a_home_or_a_backup(self, tmp_path):
        """In a home, what stands beside the store has a folder of its own; in a backup all lie side by side."""
        for path in (tmp_path / "home/context.sqlite3", tmp_path / "home/index/usage.sqlite3"):
            path.parent.mkdir(parents=True, exist_ok=True)
            open_database(path, path.stem).close()
        for path in (tmp_path / "backup/context.sqlite3", tmp_path / "backup/usage.sqlite3"):
            path.parent.mkdir(exist_ok=True)
            open_database(path, path.stem).close()

        for folder in ("home", "backup"):
            found = depot(str(tmp_path / folder))
            assert {"context", "usage"} == {name for name in NAMES if found.has(name)}


class _Interrupted(Exception):
    """In the place of a kill: what was committed before it stays."""


def told(source: Depot, target: Depot, monkeypatch: pytest.MonkeyPatch, after: int | None = None) -> list[Any]:
    """Copy in small pieces; which pieces arrived."""
    monkeypatch.setattr("lerim.storage.copying._ROWS", 7)
    monkeypatch.setattr("lerim.storage.copying._LARGE_ROWS", 7)
    pieces: list[Any] = []

    def tell(*piece: Any) -> None:
        pieces.append(piece)
        if len(pieces) == after:
            raise _Interrupted

    with suppress(_Interrupted):
        copied(source, target, tell=tell)
    return pieces


def interrupt(source: Depot, target: Depot, *, after: int, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    pieces = told(source, target, monkeypatch, after)
    assert after == len(pieces)
    return pieces


def url_name(where: Depot) -> str:
    """What the server calls a database."""
    assert where.address is not None
    return urlsplit(where.address.url).path.strip("/")


# Another process: it copies in small pieces and says when each has arrived.
COPYING = """
import sys
from lerim.storage import copying
from lerim.storage.depots import depot
from lerim.storage.moving import copy_database
copying._ROWS = copying._LARGE_ROWS = 7
source, target = sys.argv[1:]
copy_database(depot(source), depot(target), "context", {}, tell=lambda *piece: print(*piece, flush=True))
print("done", flush=True)
"""


def killed_copy(source: str, target: str, *, after: int) -> int:
    """Kill a process that copies when so many pieces have arrived; how many it had told of in the end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", COPYING, source, target]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if len(lines) == after:
                process.kill()
        process.wait(60)
    return len(lines)


class TestKilled:
    """Killed at any moment and run again, it is the same store."""

    def run(self, tmp_path: Path, there: Depot, moments: list[int]) -> None:
        path, back = tmp_path / "context.sqlite3", tmp_path / "new" / "context.sqlite3"
        RandomStore(path, "context", seed=3, most=60, least=20)
        assert there.address is not None
        for moment in moments:
            killed_copy(str(path), there.address.url, after=moment)
        copied(depot(str(path)), there)
        for moment in moments:
            killed_copy(there.address.url, str(back.parent), after=moment)
        copied(there, depot(str(back.parent)))

        assert dump(path) == dump(back)
        assert not [name for name in os.listdir(back.parent) if name.endswith(".arriving")]

    def test_in_the_middle(self, tmp_path, there):
        """There and back."""
        self.run(tmp_path, there, [4])

    @pytest.mark.drill
    def test_again_and_again(self, tmp_path, there):
        """At every piece, and in the last step, which comes after the last of them."""
        self.run(tmp_path, there, [1, 1, 2, 3, 1, 8, 13, 1, 30, 45, 60, 1])
