"""Zed's threads, JSON documents in a database, become traces."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.trace import Line
from lerim.sources.zed import SOURCE

HERE = Path(__file__).parent / "zed"
TABLE = "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT, \
data BLOB, parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT, created_at TEXT)"
FIRST = "5b0c9f0e-0000-4000-8000-000000000001"


def packed(thread: Any, kind: str) -> bytes | str:
    text = json.dumps(thread)
    return zstandard.compress(text.encode()) if kind == "zstd" else text


def put(path: Path, row: dict[str, Any]) -> None:
    """A thread as Zed writes it: the whole row, again after each turn."""
    values = {**row, "data": packed(row["thread"], row["data_type"])}
    del values["thread"]
    names = ", ".join(values)
    with closing(sqlite3.connect(path)) as connection, connection:
        sql = f"INSERT OR REPLACE INTO threads ({names}) VALUES ({', '.join('?' * len(values))})"
        connection.execute(sql, [*values.values()])


def rows() -> list[dict[str, Any]]:
    return json.loads((HERE / "database" / "database.json").read_text())["threads"]


def build(folder: Path) -> Path:
    """The database that `database.json` describes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "threads.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(TABLE)
    for row in rows():
        put(path, row)
    return path


def test_threads_read_as_expected(golden: Callable[..., list[Account]], tmp_path: Path) -> None:
    """Words among mentions, a refused call, a subagent's thread, one that somebody shared, one of the first form."""
    build(tmp_path)

    golden(SOURCE, HERE / "database", root=tmp_path)


def test_a_thread_that_grows_only_adds_lines(tmp_path: Path) -> None:
    """The row is written anew after each turn; its fingerprint is its own."""
    path, row = build(tmp_path), rows()[0]
    expected, messages = _lines(path), row["thread"]["messages"]
    marks = set()
    for count in range(1, len(messages) + 1):
        put(
            path,
            {
                **row,
                "updated_at": f"2026-02-02T10:{count:02}:00Z",
                "thread": row["thread"] | {"messages": messages[:count]},
            },
        )
        lines = _lines(path)
        marks.add(_marks(tmp_path)[FIRST])

        assert expected[: len(lines)] == lines
    assert len(messages) == len(marks)


def test_a_damaged_thread_costs_only_what_is_damaged(tmp_path: Path) -> None:
    """Of a document that is cut, the messages before are read; the other threads are not touched by it."""
    path = build(tmp_path)
    whole = json.dumps(rows()[0]["thread"])
    cut = whole[: whole.index("What should I do instead?") + 5]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE threads SET data = ? WHERE id = ?", (cut, FIRST))

    assert "Prices must round" in _lines(path)[0].text
    assert 4 == len(_marks(tmp_path))


def test_without_zstd_the_command_that_helps_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that are not compressed are read without it."""
    path = build(tmp_path)
    for module in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(SourceError, match="pip install 'lerim\\[zstd\\]'"):
        SOURCE.read(SessionRef("zed", path, FIRST))
    assert SOURCE.read(SessionRef("zed", path, "5b0c9f0e-0000-4000-8000-000000000002")).header.title


def test_only_its_own_database_is_accepted(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE threads (id TEXT, title TEXT)")

    assert SOURCE.accepts(build(tmp_path))
    assert not SOURCE.accepts(other)
    assert not SOURCE.accepts(HERE / "database" / "database.json")


def test_threads_lie_where_the_system_keeps_data() -> None:
    home = Path("/h")

    assert home / ".local/share/zed/threads" == SOURCE.roots(Machine(home, {}, "linux"))[0]
    assert [home / "Library/Application Support/Zed/threads"] == SOURCE.roots(Machine(home, {}, "darwin"))
    assert [Path("/l/Zed/threads")] == SOURCE.roots(Machine(home, {"LOCALAPPDATA": "/l"}, "win32"))


def _marks(root: Path) -> dict[str, str]:
    refs = [ref for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]
    return {ref.run_id: ref.fingerprint for ref in refs}


def _lines(path: Path, run_id: str = FIRST) -> list[Line]:
    return list(SOURCE.read(SessionRef("zed", path, run_id)).lines)
