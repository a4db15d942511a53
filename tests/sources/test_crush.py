"""Crush's databases, in the repositories it worked in, become traces."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import zstandard

from lerim.sources import registry
from lerim.sources.base import Account, Machine
from lerim.sources.crush import SOURCE

HERE = Path(__file__).parent / "crush"
TABLES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER,
    prompt_tokens INTEGER, completion_tokens INTEGER, updated_at INTEGER, created_at INTEGER, summary_message_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER,
    updated_at INTEGER, provider TEXT, is_summary_message INTEGER);
"""


def build(folder: Path, name: str = ".crush") -> Path:
    path = folder / name / "crush.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        for session in json.loads((HERE / "database" / "database.json").read_text())["sessions"]:
            messages = session.pop("messages")
            fields = {**session, "message_count": len(messages)}
            marks = ", ".join("?" * len(fields))
            connection.execute(f"INSERT INTO sessions ({', '.join(fields)}) VALUES ({marks})", [*fields.values()])
            for number, (role, parts, model) in enumerate(messages):
                row = (f"m{number}", session["id"], role, json.dumps(parts), model, session["created_at"] + number)
                connection.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, 0, 'p', 0)", row)
    return path


def test_a_database_reads_as_expected(golden: Callable[..., list[Account]], tmp_path: Path) -> None:
    """The same messages as the program it was had, under its own name."""
    path = build(tmp_path, "elsewhere")

    (account,) = golden(SOURCE, HERE / "database", root=path.parent)

    assert (10, 3) == (account.input_tokens, account.output_tokens)


def test_compressed_messages_say_the_same(tmp_path: Path) -> None:
    """Newer versions compress what older ones wrote plainly; a damaged one costs only itself."""
    path = build(tmp_path, "elsewhere")
    (found,) = SOURCE.containers(path.parent)
    (ref,) = SOURCE.sessions(found)
    plain = list(SOURCE.read(ref).lines)
    with closing(sqlite3.connect(path)) as connection, connection:
        for row, parts in connection.execute("SELECT rowid, parts FROM messages").fetchall():
            packed = zstandard.compress(parts.encode())
            connection.execute("UPDATE messages SET parts = ? WHERE rowid = ?", (packed, row))
    packed_lines = list(SOURCE.read(ref).lines)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE messages SET parts = substr(parts, 1, 12) WHERE rowid = 1")

    assert plain == packed_lines
    assert plain[-1] in list(SOURCE.read(ref).lines)


def test_databases_are_found_in_projects(tmp_path: Path) -> None:
    """A session belongs to the folder that its database lies in."""
    path = build(tmp_path / "shop")
    (found,) = SOURCE.containers(tmp_path / "shop")
    (ref,) = SOURCE.sessions(found)

    assert path == found.path
    assert str(tmp_path / "shop") == SOURCE.read(ref).header.cwd
    assert [tmp_path / ".local/share/crush"] == SOURCE.roots(Machine(tmp_path, {}))


def test_a_copy_is_told_from_the_program_it_was(tmp_path: Path) -> None:
    """OpenCode's older form has the same tables without the provider."""
    path = build(tmp_path)

    assert SOURCE is registry.recognize(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE messages DROP COLUMN provider")
    assert "opencode" == getattr(registry.recognize(path), "name", None)
