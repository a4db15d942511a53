"""goose's database, and the files it kept before, become traces."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.goose import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "goose"
TABLES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, created_at TIMESTAMP, session_type TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
    content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);
"""
ADD = "INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?)"


def build(folder: Path) -> Path:
    """The database a `database.json` describes."""
    path = folder / "sessions.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        for session in json.loads((HERE / "database" / "database.json").read_text())["sessions"]:
            messages = session.pop("messages")
            connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", [*session.values()])
            for said in messages:
                row = (session["id"], said["role"], json.dumps(said["content"]), said["created"])
                connection.execute(ADD, (*row, json.dumps(said.get("metadata") or {})))
    return path


def test_files_read_as_expected(golden: Callable[..., list[Account]]) -> None:
    """A head, and messages whose tools answer under the user's role."""
    golden(SOURCE, HERE / "lines")


def test_the_database_reads_as_expected(golden: Callable[..., list[Account]], tmp_path: Path) -> None:
    """Words a person typed, and what a schedule asked for; a session without messages is none."""
    build(tmp_path)

    golden(SOURCE, HERE / "database", root=tmp_path)


def test_the_file_and_the_database_say_the_same(tmp_path: Path) -> None:
    """The messages moved into the database as they were."""
    path = build(tmp_path)

    assert [line.type for line in _lines(path, "20260202_1")] == [
        line.type for line in _lines(HERE / "lines" / "20260202_1.jsonl", "x")
    ]


def test_a_file_that_the_database_took_in_is_not_read_twice(tmp_path: Path) -> None:
    """goose leaves it where it was."""
    build(tmp_path)
    (tmp_path / "20260202_1.jsonl").write_bytes((HERE / "lines" / "20260202_1.jsonl").read_bytes())
    refs = [ref for container in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(container)]

    assert ["sessions.db"] == [ref.path.name for ref in refs if ref.run_id == "20260202_1"]


def test_a_new_message_is_seen_and_only_adds_lines(tmp_path: Path) -> None:
    """The fingerprint is the session's own."""
    path = build(tmp_path)
    before, lines = _marks(tmp_path), _lines(path, "20260202_1")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(ADD, ("20260202_1", "user", '[{"type":"text","text":"and lock it"}]', 1770000009, "{}"))

    assert ["20260202_1"] == [run_id for run_id, mark in _marks(tmp_path).items() if mark != before[run_id]]
    assert lines == _lines(path, "20260202_1")[: len(lines)]


def test_only_gooses_files_are_accepted(tmp_path: Path) -> None:
    """By the columns of its tables, or the head of its lines."""
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE messages (session_id TEXT, role TEXT, parts TEXT)")

    assert SOURCE.accepts(build(tmp_path))
    assert SOURCE.accepts(HERE / "lines" / "20260202_1.jsonl")
    assert not SOURCE.accepts(other)


def test_sessions_lie_where_the_environment_says() -> None:
    """GOOSE_PATH_ROOT moves everything."""
    assert Path("/h/.local/share/goose/sessions") == SOURCE.roots(Machine(Path("/h"), {}, "linux"))[0]
    assert [Path("/g/data/sessions")] == SOURCE.roots(Machine(Path("/h"), {"GOOSE_PATH_ROOT": "/g"}))


def _marks(root: Path) -> dict[str, str]:
    refs = [ref for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]
    return {ref.run_id: ref.fingerprint for ref in refs}


def _lines(path: Path, run_id: str) -> list[Line]:
    return list(SOURCE.read(SessionRef("goose", path, run_id)).lines)
