"""OpenClaw's database, and the files it kept before, become traces."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import zstandard

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.openclaw import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "openclaw"
FILE = HERE / "files/main/sessions/3f4f4fd4-0000-4000-8000-000000000001.jsonl"
THIRD = "3f4f4fd4-0000-4000-8000-000000000003"
TABLES = """
CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, created_via TEXT);
CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL);
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
    created_at INTEGER NOT NULL, event_zstd BLOB, PRIMARY KEY (session_id, seq));
CREATE TABLE auth_profiles (secret TEXT);
"""


def build(folder: Path) -> Path:
    """The database that `database.json` describes; every third event compressed."""
    path = folder / "main" / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        for session in json.loads((HERE / "database" / "database.json").read_text())["sessions"]:
            name, key = session["session_id"], session["session_key"]
            connection.execute("INSERT INTO session_nodes VALUES (?, ?)", (key, session["created_via"]))
            connection.execute("INSERT INTO session_windows VALUES (?, ?)", (name, key))
            for seq, event in enumerate(session["events"]):
                text = json.dumps(event)
                packed = zstandard.compress(text.encode()) if seq % 3 == 2 else None
                row = (name, seq, None if packed else text, 1, packed)
                connection.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", row)
    return path


def test_the_database_reads_as_expected(golden: Callable[..., list[Account]], tmp_path: Path) -> None:
    """The owner's words, and those of somebody else, of another session, of itself; a session that an agent began."""
    build(tmp_path)

    golden(SOURCE, HERE / "database", root=tmp_path)


def test_files_read_as_expected(golden: Callable[..., list[Account]]) -> None:
    """One of the owner's, and one of a schedule."""
    golden(SOURCE, HERE / "files")


def test_a_session_that_moved_into_the_database_is_read_from_there(tmp_path: Path) -> None:
    """The file stays behind."""
    build(tmp_path)
    shutil.copytree(HERE / "files" / "main" / "sessions", tmp_path / "main" / "sessions")
    (tmp_path / "main/sessions" / FILE.name).rename(tmp_path / "main/sessions" / f"{THIRD}.jsonl")

    refs = [ref for found in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(found)]
    assert [".sqlite"] == [ref.path.suffix for ref in refs if ref.run_id == THIRD]


def test_a_live_database_only_adds_lines(tmp_path: Path) -> None:
    """Each event is seen as soon as it is in the log."""
    whole = build(tmp_path / "whole")
    expected = _lines(whole)
    live = tmp_path / "live" / "main" / "agent" / whole.name
    live.parent.mkdir(parents=True)
    with closing(sqlite3.connect(whole)) as connection:
        rows = connection.execute("SELECT * FROM transcript_events WHERE session_id = ?", (THIRD,)).fetchall()
    marks = set()
    with closing(sqlite3.connect(live)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.executescript(TABLES)
        agent.execute("INSERT INTO session_windows VALUES (?, 'agent:main:main')", (THIRD,))
        for row in rows:
            agent.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", row)
            agent.commit()
            lines = _lines(live)
            marks |= {r.fingerprint for found in SOURCE.containers(tmp_path / "live") for r in SOURCE.sessions(found)}

            assert expected[: len(lines)] == lines
    assert len(rows) == len(marks)


def test_its_files_are_told_from_pis(tmp_path: Path) -> None:
    """Both begin alike; what only OpenClaw writes is looked for."""
    pis = tmp_path / "x.jsonl"
    pis.write_text('{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}\n')

    assert SOURCE.accepts(FILE)
    assert SOURCE.accepts(build(tmp_path))
    assert not SOURCE.accepts(pis)


def test_sessions_lie_where_the_environment_says() -> None:
    assert Path("/h/.openclaw/agents") == SOURCE.roots(Machine(Path("/h"), {}))[0]
    assert [Path("/o/agents")] == SOURCE.roots(Machine(Path("/h"), {"OPENCLAW_STATE_DIR": "/o"}))


def _lines(path: Path) -> list[Line]:
    return list(SOURCE.read(SessionRef("openclaw", path, THIRD)).lines)
