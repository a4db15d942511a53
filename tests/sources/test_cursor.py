"""Cursor's three stores: who said what, in which order, and what was taken back."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, Reading, SessionRef
from lerim.sources.cursor import SOURCE
from lerim.sources.cursor_agent import folder_of_slug
from lerim.sources.pieces import container
from lerim.sources.trace import Line, User

HERE = Path(__file__).parent / "cursor"
Golden = Callable[..., list[Account]]
COMPOSER = "6f0c1f5e-0000-4000-8000-0000000000d1"


def build_databases(folder: Path, into: Path) -> Path:
    """The databases a `databases.json` describes: tables of keys and values, and a workspace's own file."""
    for name, tables in json.loads((folder / "databases.json").read_text()).items():
        path = into / name
        path.parent.mkdir(parents=True)
        if "workspace.json" in tables:
            (path.parent / "workspace.json").write_text(json.dumps(tables.pop("workspace.json")))
        fill(path, tables)
    return into


def fill(path: Path, tables: dict[str, list[tuple[str | None, Any]]]) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, rows in tables.items():
            connection.execute(f"CREATE TABLE IF NOT EXISTS {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
            stored = [(key, value if value is None else json.dumps(value)) for key, value in rows]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", stored)


def build_stores(folder: Path, into: Path) -> Path:
    """The stores a `stores.json` describes: content-addressed blobs below a root in protobuf."""
    for name, store in json.loads((folder / "stores.json").read_text()).items():
        path = into / name
        path.parent.mkdir(parents=True)
        blobs = [json.dumps(message).encode() for message in store["messages"]]
        cwd = store["cwd"].encode()
        ids = [hashlib.sha256(blob).digest() for blob in blobs]
        root = b"".join(b"\x0a\x20" + blob for blob in ids) + b"\x2a\x00J" + bytes([len(cwd)]) + cwd + b"P\x01"
        root += b"\x42\x20" + hashlib.sha256(b"another tree").digest()
        meta = {**store["meta"], "latestRootBlobId": hashlib.sha256(root).hexdigest()}
        blobs += [root, *(json.dumps(message).encode() for message in store["orphans"])]
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
            connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
            connection.execute("INSERT INTO meta VALUES ('0', ?)", [json.dumps(meta).encode().hex()])
            rows = {hashlib.sha256(blob).hexdigest(): blob for blob in blobs}
            connection.executemany("INSERT INTO blobs VALUES (?, ?)", list(rows.items()))
    return into


def read(path: Path, run_id: str = "x") -> tuple[Reading, list[Line]]:
    reading = SOURCE.read(SessionRef("cursor", path, run_id))
    return reading, list(reading.lines)


def found_in(path: Path) -> Iterator[tuple[Path, str]]:
    for found in container("cursor", path):
        for ref in SOURCE.sessions(found):
            yield path, ref.run_id


def found(root: Path) -> list[tuple[str, str]]:
    refs = [ref for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]
    return [(ref.path.relative_to(root).as_posix(), ref.run_id) for ref in refs]


@pytest.mark.parametrize(
    "quirk", ["transcript", "transcript_results", "leaked_thoughts", "subagent", "text_transcript", "export"]
)
def test_files_read_as_expected(golden: Golden, quirk: str) -> None:
    """Transcripts and exports give the canonical trace beside them."""
    golden(SOURCE, HERE / quirk)


@pytest.mark.parametrize("quirk", ["chat_tabs", "composer_rows", "prompts_and_binaries"])
def test_editor_databases_read_as_expected(golden: Golden, quirk: str, tmp_path: Path) -> None:
    """Chat tabs, inline composers and composers with a row per bubble give the canonical trace."""
    golden(SOURCE, HERE / quirk, root=build_databases(HERE / quirk, tmp_path))


def test_stores_read_as_expected(golden: Golden, tmp_path: Path) -> None:
    """The messages of a command line chat come in the root's order; one sent twice is there twice."""
    (account,) = golden(SOURCE, HERE / "store", root=build_stores(HERE / "store", tmp_path))

    assert {"node of the conversation tree": 1, "blob outside the current conversation": 1} == account.skipped


def test_prompts_of_a_workspace_alone_are_a_session(tmp_path: Path) -> None:
    """A copy of a workspace's database, without the editor's: all its prompts are there, under a name that stays."""
    rows = [("aiService.prompts", [{"text": f"prompt {n}", "commandType": 4} for n in range(284)])]
    fill(tmp_path / "copy.vscdb", {"ItemTable": rows})
    ((_, run_id),) = [*found_in(tmp_path / "copy.vscdb")]
    reading, lines = read(tmp_path / "copy.vscdb", run_id)
    fill(tmp_path / "copy.vscdb", {"ItemTable": [("aiService.prompts", [*rows[0][1], {"text": "one more"}])]})
    ((_, later),) = [*found_in(tmp_path / "copy.vscdb")]

    assert SOURCE.accepts(tmp_path / "copy.vscdb")
    assert 284 == len(lines)
    assert reading.account.is_balanced
    assert run_id == later


def test_transcripts_of_pi_are_not_cursors(tmp_path: Path) -> None:
    """Its records have a role and a message, too."""
    path = tmp_path / "1_reviewer_transcript.jsonl"
    path.write_text('{"recordType":"message","role":"user","message":{"role":"user","content":"review"}}\n')

    assert not SOURCE.accepts(path)


def test_account_data_never_reaches_a_line(tmp_path: Path) -> None:
    """Keys below cursorAuth lie in the same table and are not read."""
    root = build_databases(HERE / "chat_tabs", tmp_path)
    texts = [
        line.text for c in SOURCE.containers(root) for ref in SOURCE.sessions(c) for line in read(c.path, ref.run_id)[1]
    ]

    assert texts
    assert [] == [text for text in texts if "do-not-read" in text]


def test_empty_composers_are_no_sessions(tmp_path: Path) -> None:
    """Cursor makes a composer for every new window; it is a session once something was typed."""
    root = build_databases(HERE / "composer_rows", tmp_path)
    runs = [run_id for _, run_id in found(root)]

    assert [COMPOSER, COMPOSER[:-1] + "3"] == runs
    reading, lines = read(root / "globalStorage" / "state.vscdb", COMPOSER[:-1] + "2")
    assert ([], {"empty conversation": 1}) == (lines, reading.account.skipped)
    assert reading.account.is_balanced


def test_one_conversation_has_one_run_id_in_every_store(tmp_path: Path) -> None:
    """The editor's database, the transcript and the store name a conversation alike."""
    build_databases(HERE / "composer_rows", tmp_path)
    transcript = tmp_path / "projects" / "home-ada-code-till" / "agent-transcripts" / COMPOSER / f"{COMPOSER}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text('{"role":"user","message":{"content":"hi"}}\n')
    (tmp_path / "chats" / "0c" / COMPOSER).mkdir(parents=True)
    (tmp_path / "chats" / "0c" / COMPOSER / "store.db").touch()

    assert 3 == [run_id for _, run_id in found(tmp_path)].count(COMPOSER)


def test_fingerprint_changes_with_a_new_or_rewritten_bubble(tmp_path: Path) -> None:
    """A conversation is read again when a bubble was added or replaced, and only then."""
    path = build_databases(HERE / "composer_rows", tmp_path) / "globalStorage" / "state.vscdb"

    def fingerprints() -> dict[str, str]:
        refs = [ref for container in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(container)]
        return {ref.run_id: ref.fingerprint for ref in refs}

    before = fingerprints()
    fill(path, {"cursorDiskKV": [(f"bubbleId:{COMPOSER}:u4", {"type": 1, "text": "edited"})]})
    after = fingerprints()

    assert [COMPOSER] == [run_id for run_id in before if before[run_id] != after[run_id]]


def test_fingerprint_changes_while_a_reply_is_written(tmp_path: Path) -> None:
    """Chats of 2024 are one row; the time in it is that of the prompt."""
    path, key = tmp_path / "workspaceStorage" / "0a" / "state.vscdb", "workbench.panel.aichat.view.aichat.chatdata"
    path.parent.mkdir(parents=True)
    marks = []
    for reply in ("The men", "The menu is blue."):
        bubbles = [{"type": "user", "text": "why?"}, {"type": "ai", "text": reply}]
        fill(path, {"ItemTable": [(key, {"tabs": [{"tabId": "t", "lastSendTime": 1, "bubbles": bubbles}]})]})
        marks += [ref.fingerprint for found in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(found)]

    assert 2 == len(set(marks))


def test_listed_conversation_that_is_gone_is_a_source_error(tmp_path: Path) -> None:
    """A session that was deleted between listing and reading is an error, not an empty session."""
    path = build_databases(HERE / "composer_rows", tmp_path) / "globalStorage" / "state.vscdb"

    with pytest.raises(SourceError, match="no conversation"):
        read(path, "gone")


def test_earlier_lines_stay_when_a_transcript_grows(tmp_path: Path) -> None:
    """Reading a longer file begins with what the shorter one gave."""
    whole = (HERE / "transcript_results" / "session.jsonl").read_bytes()
    path = tmp_path / "t.jsonl"
    path.write_bytes(whole)
    _, lines = read(path)
    for end in range(0, len(whole), 37):
        path.write_bytes(whole[:end])
        assert lines[: len(part := read(path)[1])] == part


def test_folder_of_a_slug_is_the_one_that_exists(tmp_path: Path) -> None:
    """`my-app` in a slug is `my-app`, `my.app` or `my/app`, whichever is there."""
    (tmp_path / "code" / "my.app" / "api").mkdir(parents=True)
    (tmp_path / "code" / "my").mkdir()

    assert str(tmp_path / "code" / "my.app" / "api") == folder_of_slug("code-my-app-api", tmp_path)
    assert folder_of_slug("code-other", tmp_path) is None


@pytest.mark.parametrize(
    ("platform", "editor"),
    [
        ("linux", ".config/Cursor/User"),
        ("darwin", "Library/Application Support/Cursor/User"),
        ("win32", "AppData/Roaming/Cursor/User"),
    ],
)
def test_roots_follow_the_system(platform: str, editor: str) -> None:
    """The editor's folder is where programs keep data on that system; the agents' is the same everywhere."""
    home = Path("/home/ada")

    assert [home / editor, home / ".cursor"] == SOURCE.roots(Machine(home, {}, platform))
    assert Path("/x") == SOURCE.roots(Machine(home, {"CURSOR_CONFIG_DIR": "/x"}, platform))[1]


def test_only_cursors_files_are_accepted(tmp_path: Path) -> None:
    """Transcripts, exports and Cursor's databases are known by content; other agents' files are not taken."""
    claude = tmp_path / "claude.jsonl"
    claude.write_text('{"type":"user","uuid":"1","message":{"role":"user","content":"hi"}}\n')
    code = tmp_path / "state.vscdb"
    fill(code, {"ItemTable": [("workbench.theme", "dark")]})
    ours = build_databases(HERE / "chat_tabs", tmp_path / "chat")
    store = build_stores(HERE / "store", tmp_path / "store")

    assert not SOURCE.accepts(claude)
    assert not SOURCE.accepts(code)
    assert not SOURCE.accepts(tmp_path / "missing")
    paths = [HERE / "export" / "conversation.jsonl", HERE / "transcript_results" / "session.jsonl"]
    paths += [*ours.rglob("*.vscdb"), *store.rglob("*.db"), *(HERE / "text_transcript").rglob("*.txt")]
    assert [True] * 5 == [SOURCE.accepts(path) for path in paths]


def test_dropped_turns_stay_where_they_were(tmp_path: Path) -> None:
    """A reply that the user sent away stands between the prompt and the reply that replaced it."""
    path = build_databases(HERE / "composer_rows", tmp_path) / "globalStorage" / "state.vscdb"
    _, lines = read(path, COMPOSER)
    undone = [line.undone for line in lines]

    assert isinstance(lines[1], User)
    assert [False, False, True, True, True, False] == undone[:6]
