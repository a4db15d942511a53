"""Agents' databases are read without the agent noticing: nothing written, locked for long, or left beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources import sqlite_file


def make(path: Path, mode: str = "wal") -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("CREATE TABLE t(x)")
    connection.execute("INSERT INTO t VALUES ('one')")
    return connection


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def values(path: Path) -> list[str]:
    with sqlite_file.opened(path) as database:
        return [value for (value,) in database.rows("SELECT x FROM t")]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(make(tmp_path / "live.db")) as connection:
        yield connection


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_database_at_rest_is_left_exactly_as_it_was(tmp_path: Path, mode: str) -> None:
    """No -wal or -shm appears beside a database that its agent has closed, whatever its journal mode."""
    make(tmp_path / "rest.db", mode).close()
    before = files(tmp_path)

    assert ["one"] == values(tmp_path / "rest.db")
    assert before == files(tmp_path)


def test_live_database_is_read_with_what_is_only_in_its_log(tmp_path: Path, live: sqlite3.Connection) -> None:
    """A row that is still in the -wal is seen. Only the -shm changes: it is where SQLite's readers sign in."""
    live.execute("INSERT INTO t VALUES ('two')")
    before = files(tmp_path)

    assert ["one", "two"] == values(tmp_path / "live.db")
    after = files(tmp_path)
    assert before.keys() == after.keys()
    assert {"live.db-shm"} >= {name for name in before if before[name] != after[name]}


def test_agent_can_write_between_two_queries(tmp_path: Path) -> None:
    """In rollback mode a reader that kept its lock would make the agent's commit fail; ours keeps none."""
    with closing(make(tmp_path / "live.db", "delete")) as agent, sqlite_file.opened(tmp_path / "live.db") as database:
        agent.execute("PRAGMA busy_timeout = 0")
        before = database.rows("SELECT x FROM t")
        agent.execute("INSERT INTO t VALUES ('two')")
        after = database.rows("SELECT x FROM t")

    assert ([("one",)], [("one",), ("two",)]) == (before, after)


def test_nothing_can_be_written(tmp_path: Path, live: sqlite3.Connection) -> None:
    """A writing statement is refused."""
    with pytest.raises(SourceError), sqlite_file.opened(tmp_path / "live.db") as database:
        database.rows("DELETE FROM t")


def test_locked_database_is_an_error_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that holds its database exclusively is named as the reason."""
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.01)
    with closing(make(tmp_path / "locked.db", "delete")) as agent:
        agent.execute("BEGIN EXCLUSIVE")

        with pytest.raises(SourceError, match="locked by its agent"):
            values(tmp_path / "locked.db")


@pytest.mark.parametrize(
    "content",
    [b"", b"no database at all, but long enough to be one" * 40, sqlite_file.MAGIC + b"\xff" * 4000],
    ids=["empty", "text", "damaged"],
)
def test_damaged_database_is_a_source_error(tmp_path: Path, content: bytes) -> None:
    """Whatever is wrong with the file, the caller gets the one error it expects."""
    (tmp_path / "bad.db").write_bytes(content)

    with pytest.raises(SourceError):
        values(tmp_path / "bad.db")


def test_missing_database_is_a_source_error(tmp_path: Path) -> None:
    """A database that went away is not created by asking for it."""
    with pytest.raises(SourceError):
        values(tmp_path / "gone.db")

    assert {} == files(tmp_path)


def test_database_that_changed_while_it_was_read_is_not_trusted(tmp_path: Path) -> None:
    """A database taken for closed that its agent opened and wrote meanwhile is read again another time."""
    path = tmp_path / "rest.db"
    make(path).close()

    with pytest.raises(SourceError, match="while it was read"), sqlite_file.opened(path) as database:
        database.rows("SELECT x FROM t")
        with closing(sqlite3.connect(path)) as agent, agent:
            agent.execute("INSERT INTO t VALUES ('two')")


def test_text_that_is_no_unicode_is_read_with_replacements(tmp_path: Path) -> None:
    """One bad byte in a text costs that byte."""
    with closing(make(tmp_path / "t.db")) as connection:
        connection.execute("UPDATE t SET x = CAST(x'6fff6b' AS TEXT)")

    assert ["o�k"] == values(tmp_path / "t.db")


def test_state_changes_when_only_the_log_grows(tmp_path: Path, live: sqlite3.Connection) -> None:
    """A write that has not reached the main file yet makes the container new."""
    before = sqlite_file.state(tmp_path / "live.db")
    live.execute("INSERT INTO t VALUES ('two')")

    assert before != sqlite_file.state(tmp_path / "live.db")
    assert sqlite_file.state(tmp_path / "no.db") is None
