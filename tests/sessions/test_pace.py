"""How sessions and memories come along, asked of every engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lerim.context.pace import growth, read_since, registered
from lerim.sessions.pace import ended_since, given_since, hook_errors_since, waiting
from lerim.sessions.spool import note_error
from lerim.storage.database import Database

PUT = """
INSERT INTO sessions (agent, run_id, container_id, fingerprint, active, ended, project_id, state)
VALUES ('claude', ?, 1, 'f', ?, ?, ?, ?)
"""


@pytest.fixture
def catalog(sessions_database: Database) -> Database:
    with sessions_database.write() as tx:
        tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'claude', 't', 0, 0)")
        tx.run(PUT, ("old", "2026-01-01T00:00:00Z", None, "prj-a", "done"))
        tx.run(PUT, ("read", "2026-03-01T10:00:00Z", "2026-03-01T09:59:00Z", "prj-a", "done"))
        tx.run(PUT, ("waits", "2026-03-02T10:00:00Z", None, "prj-a", "pending"))
        tx.run(PUT, ("again", "2026-03-03T10:00:00Z", None, "prj-b", "failed"))
        tx.run(PUT, ("left", "2026-03-04T10:00:00Z", None, "prj-b", "skipped"))
        tx.run(PUT, ("nobody", "2026-03-04T10:00:00Z", None, "", "skipped"))
    return sessions_database


def test_sessions_that_ended_are_told_with_what_became_of_them(catalog: Database) -> None:
    """Newest first, by their own word when they ended, and without those that promised nothing."""
    found = ended_since(catalog, "2026-02-01T00:00:00Z")

    assert ["again", "waits", "read"] == [one.run_id for one in found]
    assert ("2026-03-01T09:59:00Z", "done", "prj-a") == (found[2].ended, found[2].state, found[2].project_id)
    assert ["again"] == [one.run_id for one in ended_since(catalog, "2026-02-01T00:00:00Z", limit=1)]


def test_what_waits_is_counted_with_its_oldest(catalog: Database) -> None:
    """What failed waits, too."""
    assert (2, "2026-03-02T10:00:00Z") == waiting(catalog)


def test_no_session_waits_in_an_empty_catalog(sessions_database: Database) -> None:
    assert (0, None) == waiting(sessions_database)
    assert 0 == given_since(sessions_database, "2026-01-01T00:00:00Z")


@pytest.fixture
def store(engine: Any, tmp_path: Path) -> Iterator[Database]:
    with closing(engine.open(tmp_path, "context")) as database:
        yield database


def test_a_store_without_records_has_nothing_to_tell(store: Database) -> None:
    assert {} == read_since(store, "2026-01-01T00:00:00Z", 10)
    assert (0, 0) == growth(store, "2026-01-01T00:00:00Z")
    assert {} == registered(store)


def test_errors_of_hooks_are_counted_by_their_time(tmp_path: Path) -> None:
    """Lines without one, as a full disk leaves them, are not."""
    assert 0 == hook_errors_since(tmp_path, "2026-01-01T00:00:00Z")
    note_error(str(tmp_path), "lerim hook: no")
    with (tmp_path / "spool" / "errors.log").open("a") as file:
        file.write("half a line\n2025-01-01T00:00:00Z lerim hook: long ago\n")

    assert 1 == hook_errors_since(tmp_path, "2026-01-01T00:00:00Z")
    assert 2 == hook_errors_since(tmp_path, "2024-01-01T00:00:00Z")
