"""Hearing of what others did in a shared store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lerim.storage.connections import Address
from lerim.storage.listening import SESSIONS, Listener

from ..conftest import ENGINES
from ..postgres_server import MISSING, PostgresEngine, execute, server


@pytest.fixture
def engine_of_many() -> Iterator[PostgresEngine]:
    if not server():
        pytest.skip(MISSING)
    engine = ENGINES["postgres"]
    assert isinstance(engine, PostgresEngine)
    yield engine
    engine.done()


def test_who_waits_hears_that_a_session_waits(engine_of_many: PostgresEngine, tmp_path: Path) -> None:
    database = engine_of_many.open(tmp_path, "sessions")
    with closing(Listener(Address(engine_of_many.url_in(tmp_path)), SESSIONS)) as listener:
        assert not listener.wait(0.01)
        with database.write() as tx:
            holder = tx.row("INSERT INTO containers (agent, path, size, inode) VALUES ('a', 'p', 0, 0) RETURNING id")
            assert holder is not None
            values = ("a", "r", holder[0], "f", "2026", "prj-1", "pending")
            columns = "agent, run_id, container_id, fingerprint, active, project_id, state"
            tx.run(f"INSERT INTO sessions ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)

        assert listener.wait(60.0)
        assert not listener.wait(0.01)


def test_a_connection_that_was_cut_is_made_again(engine_of_many: PostgresEngine, tmp_path: Path) -> None:
    engine_of_many.open(tmp_path, "sessions")
    name = engine_of_many.name_of(tmp_path)
    with closing(Listener(Address(engine_of_many.url_in(tmp_path)), SESSIONS)) as listener:
        listener.wait(0.01)
        others = "pid <> pg_backend_pid() AND datname = current_database()"
        execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}", name)
        for _ in range(100):
            listener.wait(0.01)
        execute(f"NOTIFY {SESSIONS}", name)

        assert any(listener.wait(1.0) for _ in range(60))


def test_without_a_server_time_passes_all_the_same() -> None:
    with closing(Listener(Address("postgresql://nobody@127.0.0.1:1/none"), SESSIONS)) as listener:
        assert not listener.wait(0.01)
