"""`lerim storage`, and what the memory's own commands do when it is kept on a server: as somebody types them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lerim.storage.connections import close_pools

from ..postgres_server import MISSING, execute, server, url_of


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    if not server():
        pytest.skip(MISSING)
    name = f"storage_{os.getpid()}"
    execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield name
    close_pools()
    execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def url(database: str) -> Iterator[str]:
    """A server with nothing of ours."""
    yield url_of(database)
    close_pools()
    schemas = execute("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'lerim_')", database)
    for (schema,) in schemas:
        execute(f"DROP SCHEMA {schema} CASCADE", database)


@pytest.fixture
def home(shell: Any) -> str:
    return os.environ["LERIM_HOME"]


def test_a_memory_moves_to_a_server_and_back(shell: Any, home: str, url: str, tmp_path: Path, monkeypatch):
    """Whoever goes on there finds all of it, in the same project, as trusted as before; and so it comes back."""
    shell.add("Use JWT bearer tokens")
    shell.add("Keep retries below three", "--scope", "global")
    before = shell.ok("memory", "list", "--json").json

    shell.ok("storage", "copy", home, url)
    monkeypatch.setenv("LERIM_STORAGE_URL", url)

    assert before == shell.ok("memory", "list", "--json").json
    assert [] == shell.ok("memory", "check", "--json").json["findings"]
    shell.add("Added on the server")
    shell.ok("storage", "copy", url, str(tmp_path / "back"))
    monkeypatch.delenv("LERIM_STORAGE_URL")
    monkeypatch.setenv("LERIM_HOME", str(tmp_path / "back"))

    titles = {one["title"] for one in shell.ok("memory", "list", "--json").json}
    assert {"Use JWT bearer tokens", "Keep retries below three", "Added on the server"} == titles
    assert ["trusted"] == [one["trust"] for one in shell.ok("project", "list", "--json").json]


def test_a_copy_is_refused_where_something_is(shell: Any, home: str, url: str):
    """And says how to add to it instead; asked twice for the same, it says that all is there."""
    shell.add("Use JWT bearer tokens")
    shell.ok("storage", "copy", home, url)
    again = shell.ok("storage", "copy", home, url, "--json").json
    shell.add("Another one")

    refused = shell("storage", "copy", home, url)

    assert [True] == [one["was_there"] for one in again["databases"]]
    assert (1, True) == (refused.code, "lerim memory import" in refused.err)
    replaced = shell.ok("storage", "copy", home, url, "--overwrite", "--json").json["databases"][0]["replaced"]
    assert 1 == shell.ok("storage", "status", replaced, "--json").json["records"]
    assert 2 == shell.ok("storage", "status", url, "--json").json["records"]


def test_a_rehearsal_changes_nothing(shell: Any, home: str, url: str, database: str):
    """Not even a schema is made."""
    shell.add("Use JWT bearer tokens")

    done = shell.ok("storage", "copy", home, url, "--dry-run", "--json").json

    assert done["dry_run"]
    assert [] == execute("SELECT 1 FROM pg_namespace WHERE starts_with(nspname, 'lerim_')", database)


def test_a_check_looks_at_everything_and_makes_nothing(shell: Any, url: str, database: str):
    """Of a server that nobody has used yet, and of one that is in use."""
    names = {one["name"] for one in shell.ok("storage", "check", url, "--json").json}

    assert {"reachable", "latency", "version", "encoding", "pgvector", "rights", "clock", "connections"} <= names
    assert [] == execute("SELECT 1 FROM pg_namespace WHERE starts_with(nspname, 'lerim_')", database)


@pytest.mark.parametrize("verb", ["check", "status"])
def test_what_cannot_be_reached_is_told_with_the_next_step(shell: Any, verb: str):
    """Without the password, and as a failure."""
    done = shell("storage", verb, "postgresql://ada:secret@127.0.0.1:1/lerim")

    assert done.code != 0
    assert "postgresql://ada@127.0.0.1:1/lerim" in done.out
    assert "next: " in done.out
    assert "secret" not in done.out + done.err


def test_without_the_driver_it_says_what_to_install(shell: Any, monkeypatch):
    """In one line."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    done = shell("storage", "check", "postgresql://ada@127.0.0.1:1/lerim")

    assert (1, True) == (done.code, "pip install 'lerim[postgres]'" in done.out)


def test_an_older_schema_is_refused_until_it_is_upgraded(shell: Any, home: str, url: str, database: str, monkeypatch):
    """Each command says which one helps; that one does."""
    shell.add("Use JWT bearer tokens")
    shell.ok("storage", "copy", home, url)
    # As an older Lerim would have left it: without its last step.
    execute("ALTER TABLE lerim_context.records DROP COLUMN worded", database)
    execute("DELETE FROM lerim_context.steps WHERE number = (SELECT max(number) FROM lerim_context.steps)", database)
    close_pools()
    monkeypatch.setenv("LERIM_STORAGE_URL", url)

    refused = shell("memory", "list")
    checked = shell("storage", "check", "--json")

    assert (1, True) == (refused.code, "lerim storage upgrade" in refused.err)
    assert ["lerim storage upgrade"] == [one["fix"] for one in checked.json if not one["ok"]]
    assert ["context"] == [
        one["name"] for one in shell.ok("storage", "upgrade", "--json").json["upgraded"] if one["step"]
    ]
    assert 1 == len(shell.ok("memory", "list", "--json").json)


def test_a_shared_store_goes_back_to_a_backup_for_all(shell: Any, home: str, url: str, monkeypatch):
    """When whoever owns it says so; both faces agree then."""
    shell.add("Use JWT bearer tokens")
    shell.ok("storage", "copy", home, url)
    monkeypatch.setenv("LERIM_STORAGE_URL", url)
    shell.ok("backup")
    shell.add("Too much")

    refused = shell("restore")
    assert (2, True) == (refused.code, "--yes" in refused.err)
    assert 2 == len(shell.ok("memory", "list", "--json").json)

    shell.ok("restore", "--yes")
    assert ["Use JWT bearer tokens"] == [one["title"] for one in shell.ok("memory", "list", "--json").json]
    assert [] == shell.ok("memory", "check", "--json").json["findings"]
    assert 1 == len(list((shell.memory / "decisions").iterdir()))


def test_a_shared_projects_memory_is_deleted_by_its_name(shell: Any, home: str, url: str, monkeypatch):
    """`--yes` alone is for a machine's own."""
    shell.add("Use JWT bearer tokens")
    shell.ok("storage", "copy", home, url)
    monkeypatch.setenv("LERIM_STORAGE_URL", url)

    refused = shell("memory", "reset", "--scope", "project", "--yes")
    assert (2, True, 1) == (
        refused.code,
        "--shared shop" in refused.err,
        len(list((shell.memory / "decisions").iterdir())),
    )

    shell.ok("memory", "reset", "--scope", "project", "--yes", "--shared", "shop")
    assert [] == shell.ok("memory", "list", "--json").json


def test_a_shared_store_is_never_made_anew_by_one_machine(shell: Any, home: str, url: str, database: str, monkeypatch):
    """What is missing there is told with the command that looks at it, and nothing is set aside."""
    shell.add("Use JWT bearer tokens")
    shell.ok("storage", "copy", home, url)
    monkeypatch.setenv("LERIM_STORAGE_URL", url)
    execute("ALTER TABLE lerim_context.review DROP COLUMN against", database)

    done = shell("memory", "check", "--json")

    assert (1, {"lerim storage check"}) == (done.code, {one["fix"] for one in done.json["findings"]})
    shell("memory", "rebuild", "--from", "files")
    assert [(1,)] == execute("SELECT count(*) FROM lerim_context.records", database)
    assert [] == [name for name in os.listdir(home) if "damaged" in name]
