"""Whenever a session is looked at while its agent writes it, the archive ends up as if it had been read once.

Files are cut at any byte, documents are written anew with more items, databases grow below their log. What was archived
before stays where it was: nothing has to be kept beside it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import random
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lerim.errors import SourceError
from lerim.sessions.archive import archive, read_whole
from lerim.sources.base import SessionRef, Source
from lerim.sources.registry import SOURCES, source_for

HERE = Path(__file__).parent
SEED = 20261116
#: How often a session is looked at while it grows.
LOOKS = 8
each_seed = pytest.mark.parametrize(
    "seed", [SEED, *(pytest.param(SEED + more, marks=pytest.mark.drill) for more in range(1, 6))]
)


@dataclass(frozen=True)
class Growing:
    """A golden file of an agent that appends to it, or writes it anew."""

    source: Source
    quirk: Path
    path: Path

    def __str__(self) -> str:
        return f"{self.source.name}-{self.quirk.name}-{self.path.stem[-12:]}"


def _files(pattern: str) -> Iterator[Growing]:
    """Files of agents; traces of one's own and exports are written once."""
    for source in SOURCES:
        if source.name == "custom":
            continue
        for quirk in sorted(path for path in (HERE / source.name).iterdir() if path.is_dir()):
            for path in sorted(quirk.rglob(pattern)):
                if path.name != "expected.jsonl" and source.accepts(path) and len(path.read_bytes().split(b"\n")) > 2:
                    yield Growing(source, quirk, path)


def _chosen(found: list[Growing]) -> list[Any]:
    """The largest of each agent by default, all of them as a drill."""
    largest = {one.source.name: one for one in sorted(found, key=lambda one: one.path.stat().st_size)}
    return [pytest.param(one, id=str(one), marks=() if one in largest.values() else pytest.mark.drill) for one in found]


#: Words that wait move to where the agent takes them; a refusal's reason is known for one by what follows; an export is
#: written once; a request that VS Code takes off its list is gone.
_NOT_GROWING = {
    *(("claude", "queue"), ("claude", "rewind")),
    *(("cline", "refused"), ("cursor", "export"), ("vscode", "log")),
}
FILES = [one for one in _files("*.jsonl") if (one.source.name, one.quirk.name) not in _NOT_GROWING]


class _Watch:
    """Looks at one session again and again."""

    def __init__(self, source: Source, ref: SessionRef, folder: Path) -> None:
        self.source, self.ref, self.path = source, ref, folder / "archive" / "trace.jsonl"
        self.seen: object = None

    def look_if_changed(self, mark: object) -> None:
        """As a sync does: nothing is read of a session that looks as it did."""
        if mark != self.seen:
            self.look()
            self.seen = mark

    def look(self) -> None:
        try:
            done = archive(self.source.read(self.ref), self.path)
        except SourceError:
            # Nothing of it is there yet.
            assert not self.path.exists()
            return
        assert done.earlier is None, "what was archived is there, at its line"

    def compare(self) -> None:
        assert read_whole(self.source.read(self.ref)).trace == self.path.read_bytes()


@each_seed
@pytest.mark.parametrize("growing", _chosen(FILES))
def test_a_file_that_is_appended_to(growing: Growing, seed: int, tmp_path: Path) -> None:
    """Cut anywhere, also in the midst of a record or a character."""
    root = tmp_path / "agent"
    shutil.copytree(growing.quirk, root)
    live, raw = root / growing.path.relative_to(growing.quirk), growing.path.read_bytes()
    watch = _Watch(growing.source, SessionRef(growing.source.name, live, live.stem), tmp_path)
    for at in sorted(random.Random(seed).sample(range(len(raw)), min(LOOKS, len(raw)))):
        live.write_bytes(raw[:at])
        watch.look()
    live.write_bytes(raw)
    watch.look()
    watch.compare()


def _items(path: Path) -> tuple[Any, str | None, list[Any]] | None:
    """A document, the key of its list, and what is in it."""
    try:
        document = json.loads(path.read_bytes())
    except ValueError:
        return None
    if isinstance(document, list):
        return document, None, document
    key = next((name for name in ("history", "messages", "requests") if isinstance(document.get(name), list)), None)
    return (document, key, document[key]) if key else None


DOCUMENTS = [
    one for one in _files("*.json") if _items(one.path) and (one.source.name, one.quirk.name) not in _NOT_GROWING
]


@each_seed
@pytest.mark.parametrize("growing", _chosen(DOCUMENTS))
def test_a_document_that_is_written_anew(growing: Growing, seed: int, tmp_path: Path) -> None:
    """With more in its list each time, and now and then only half of it on the disk."""
    root, dice = tmp_path / "agent", random.Random(seed)
    shutil.copytree(growing.quirk, root)
    live = root / growing.path.relative_to(growing.quirk)
    document, key, items = _items(growing.path) or (None, None, [])
    watch = _Watch(growing.source, SessionRef(growing.source.name, live, live.stem), tmp_path)
    for count in range(1, len(items) + 1):
        live.write_text(json.dumps(items[:count] if key is None else {**document, key: items[:count]}))
        if dice.random() < 0.7 or count == len(items):
            watch.look()
    watch.compare()


# --- databases -----------------------------------------------------------------------------------------------------


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"growing_{name}", HERE / f"test_{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _opencode(name: str) -> Callable[[Path], Path]:
    return lambda into: _loaded("opencode").build(HERE / "opencode" / "database", _made(into) / name)


#: How each is built, and the tables that get rows while the agent works, in the order in which they do.
DATABASES: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "opencode": (_opencode("opencode.db"), ("message", "part")),
    "opencode-kilo": (_opencode("kilo.db"), ("message", "part")),
    "crush": (lambda into: _loaded("crush").build(into), ("messages",)),
    "goose": (lambda into: _loaded("goose").build(_made(into)), ("messages",)),
    "openclaw": (lambda into: _loaded("openclaw").build(into), ("transcript_events",)),
    "zed": (lambda into: _loaded("zed").build(into), ("threads",)),
}


@each_seed
@pytest.mark.parametrize("name", DATABASES)
def test_a_database_that_grows_below_its_log(name: str, seed: int, tmp_path: Path) -> None:
    """The agent has it open all the time and commits row after row; we look in between."""
    build, growing = DATABASES[name]
    source, dice = source_for(name.partition("-")[0]), random.Random(seed)
    whole = build(tmp_path / "whole")
    live = tmp_path / "live" / whole.relative_to(tmp_path / "whole")
    live.parent.mkdir(parents=True)
    with closing(sqlite3.connect(whole)) as given, closing(sqlite3.connect(live)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("PRAGMA wal_autocheckpoint = 5")
        waiting = _begun(given, agent, growing)
        watches: dict[str, _Watch] = {}
        while waiting:
            for _ in range(dice.randint(1, 4)):
                if waiting:
                    agent.execute(*waiting.pop(0))
            agent.commit()
            _look_at_all(source, live, watches, tmp_path)
        for watch in watches.values():
            watch.compare()
        assert watches


def _look_at_all(source: Source, live: Path, watches: dict[str, _Watch], folder: Path) -> None:
    root = next(parent for parent in live.parents if any(found.path == live for found in source.containers(parent)))
    for held in source.containers(root):
        for ref in source.sessions(held):
            watch = watches.setdefault(ref.run_id, _Watch(source, ref, folder / ref.run_id))
            watch.look_if_changed(ref.fingerprint or held.state)


def _begun(given: sqlite3.Connection, agent: sqlite3.Connection, growing: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Everything but the growing tables is there; the statements that make them grow."""
    tables = given.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    waiting: list[tuple[int, int, str, Any]] = []
    for table, sql in tables.fetchall():
        agent.execute(sql)
        rows = given.execute(f'SELECT * FROM "{table}"').fetchall()
        for number, row in enumerate(rows):
            statement = f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(row))})'
            if table in growing:
                waiting.append((growing.index(table), number, statement, row))
            else:
                agent.execute(statement, row)
    agent.commit()
    return [(statement, row) for _, _, statement, row in sorted(waiting, key=lambda item: item[:2])]


@each_seed
def test_a_conversation_of_kiro_that_is_written_anew_below_its_log(seed: int, tmp_path: Path) -> None:
    """One row holds all of a conversation: each turn replaces it."""
    source, dice = source_for("kiro"), random.Random(seed)
    items = json.loads((HERE / "kiro" / "conversation" / "c-1.json").read_text())["history"]
    live, watches = tmp_path / "live" / "data.sqlite3", dict[str, _Watch]()
    live.parent.mkdir()
    with closing(sqlite3.connect(live)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("PRAGMA wal_autocheckpoint = 5")
        agent.execute("CREATE TABLE conversations_v2 (key, conversation_id PRIMARY KEY, value, created_at, updated_at)")
        for count in range(1, len(items) + 1):
            value = json.dumps({"conversation_id": "c-1", "history": items[:count]})
            agent.execute("REPLACE INTO conversations_v2 VALUES ('/w/shop', 'c-1', ?, 1, ?)", (value, count))
            agent.commit()
            if dice.random() < 0.7 or count == len(items):
                _look_at_all(source, live, watches, tmp_path)
        (watch,) = watches.values()
        watch.compare()


#: What one commit of Cursor writes: rows of a table, by their key.
_Commit = list[tuple[str, str, bytes | str]]
_EDITOR = "CREATE TABLE {} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"


def _described(quirk: str, path: str, table: str) -> dict[str, Any]:
    """The rows that a golden database of the editor gets."""
    tables = json.loads((HERE / "cursor" / quirk / "databases.json").read_text())[path]
    return {key: value for key, value in tables[table] if key}


def _bubbles() -> Iterator[_Commit]:
    """A row for each bubble, and the composer anew with its list, together or one after the other."""
    rows = _described("composer_rows", "globalStorage/state.vscdb", "cursorDiskKV")
    key, composer = next((key, value) for key, value in rows.items() if key.startswith("composerData:"))
    heads = composer["fullConversationHeadersOnly"]
    for count, head in enumerate(heads, 1):
        listed = {**composer, "fullConversationHeadersOnly": heads[:count], "lastUpdatedAt": count}
        commit = [("cursorDiskKV", key, json.dumps(listed))]
        if count % 3 == 0:
            yield commit
            commit = []
        bubble = f"bubbleId:{key.partition(':')[2]}:{head['bubbleId']}"
        if bubble in rows:
            commit.append(("cursorDiskKV", bubble, json.dumps(rows[bubble])))
        yield commit


def _tabs() -> Iterator[_Commit]:
    """One row holds all chats of a workspace: each message replaces it."""
    rows = _described("chat_tabs", "workspaceStorage/0a/state.vscdb", "ItemTable")
    key = "workbench.panel.aichat.view.aichat.chatdata"
    tab = max(rows[key]["tabs"], key=lambda tab: len(tab["bubbles"]))
    for count in range(1, len(tab["bubbles"]) + 1):
        yield [("ItemTable", key, json.dumps({"tabs": [{**tab, "bubbles": tab["bubbles"][:count]}]}))]


def _prompts() -> Iterator[_Commit]:
    """One row holds all prompts of a workspace."""
    key = "aiService.prompts"
    listed = _described("prompts_and_binaries", "workspaceStorage/0b/state.vscdb", "ItemTable")[key]
    for count in range(1, len(listed) + 1):
        yield [("ItemTable", key, json.dumps(listed[:count]))]


def _blobs() -> Iterator[_Commit]:
    """A blob for each message, another root that names all of them, and the row that names the root."""
    (store,) = json.loads((HERE / "cursor" / "store" / "stores.json").read_text()).values()
    root = b""
    for message in store["messages"]:
        blob = json.dumps(message).encode()
        root += b"\x0a\x20" + hashlib.sha256(blob).digest()
        named = hashlib.sha256(root).hexdigest()
        meta = json.dumps({**store["meta"], "latestRootBlobId": named}).encode().hex()
        yield [("blobs", hashlib.sha256(blob).hexdigest(), blob), ("blobs", named, root), ("meta", "0", meta)]


_STORE = ("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
#: Where each of Cursor's databases is, its tables, and what is written to it.
CURSOR: dict[str, tuple[str, tuple[str, ...], Callable[[], Iterator[_Commit]]]] = {
    "bubbles": ("globalStorage/state.vscdb", (_EDITOR.format("ItemTable"), _EDITOR.format("cursorDiskKV")), _bubbles),
    "tabs": ("workspaceStorage/0a/state.vscdb", (_EDITOR.format("ItemTable"),), _tabs),
    "prompts": ("workspaceStorage/0b/state.vscdb", (_EDITOR.format("ItemTable"),), _prompts),
    "store": ("chats/9e10/6f0c1f5e-0000-4000-8000-0000000000e1/store.db", _STORE, _blobs),
}


@each_seed
@pytest.mark.parametrize("name", CURSOR)
def test_a_database_of_cursor_that_grows_below_its_log(name: str, seed: int, tmp_path: Path) -> None:
    place, tables, commits = CURSOR[name]
    source, dice = source_for("cursor"), random.Random(seed)
    live, watches = tmp_path / "live" / place, dict[str, _Watch]()
    live.parent.mkdir(parents=True)
    with closing(sqlite3.connect(live)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("PRAGMA wal_autocheckpoint = 5")
        for sql in tables:
            agent.execute(sql)
        for commit in commits():
            for table, key, value in commit:
                agent.execute(f"REPLACE INTO {table} VALUES (?, ?)", (key, value))
            agent.commit()
            if dice.random() < 0.7:
                _look_at_all(source, live, watches, tmp_path)
        _look_at_all(source, live, watches, tmp_path)
        (watch,) = watches.values()
        watch.compare()
