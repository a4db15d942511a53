"""OpenCode's database, JSON trees and exports, and the Go program's database: one reading for all of them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.opencode import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "opencode"
Golden = Callable[..., list[Account]]

CURRENT = """
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT,
    version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER, model TEXT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
    data TEXT);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, data TEXT, seq INTEGER);
CREATE TABLE account (id TEXT PRIMARY KEY, access_token TEXT);
INSERT INTO account VALUES ('ada', 'do-not-read');
"""
LEGACY = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER,
    prompt_tokens INTEGER, completion_tokens INTEGER, updated_at INTEGER, created_at INTEGER);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER);
"""


def build(folder: Path, path: Path) -> Path:
    """A current database with the sessions of a `database.json`; ids are columns, not repeated in the data."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(CURRENT)
        for session in json.loads((folder / "database.json").read_text())["sessions"]:
            messages, newer = session.pop("messages"), session.pop("session_messages")
            marks = ", ".join("?" * len(session))
            connection.execute(f"INSERT INTO session ({', '.join(session)}) VALUES ({marks})", [*session.values()])
            for message in messages:
                add_message(connection, session["id"], message)
            for number in range(newer):
                row = [f"{session['id']}-{number}", session["id"], "user", "{}", number]
                connection.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?)", row)
    return path


def add_message(connection: sqlite3.Connection, session: str, message: dict[str, Any]) -> None:
    info = {key: value for key, value in message["info"].items() if key not in {"id", "sessionID"}}
    created, number = info["time"]["created"], message["info"]["id"]
    connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", [number, session, created, 0, json.dumps(info)])
    for part in message["parts"]:
        data = {key: value for key, value in part.items() if key not in {"id", "sessionID", "messageID"}}
        connection.execute(
            "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", [part["id"], number, session, 0, 0, json.dumps(data)]
        )


def build_legacy(folder: Path, path: Path) -> Path:
    """The Go program's database with the sessions of a `database.json`."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(LEGACY)
        for session in json.loads((folder / "database.json").read_text())["sessions"]:
            fields = {**session, "message_count": len(session["messages"])}
            messages = fields.pop("messages")
            marks = ", ".join("?" * len(fields))
            connection.execute(f"INSERT INTO sessions ({', '.join(fields)}) VALUES ({marks})", [*fields.values()])
            for number, (role, parts, model) in enumerate(messages):
                content = parts if isinstance(parts, str) else json.dumps(parts)
                row = [f"{session['id']}-{9 - number}", session["id"], role, content, model, session["created_at"]]
                connection.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)", row)
    return path


def runs(root: Path) -> list[str]:
    return [ref.run_id for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]


def fingerprints(root: Path) -> dict[str, str]:
    refs = [ref for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]
    return {ref.run_id: ref.fingerprint for ref in refs}


def lines(path: Path, run_id: str) -> list[Line]:
    return list(SOURCE.read(SessionRef("opencode", path, run_id)).lines)


@pytest.mark.parametrize("quirk", ["export", "tree", "tree_early"])
def test_files_read_as_expected(golden: Golden, quirk: str) -> None:
    """An export and both layouts of the JSON tree give the canonical trace beside them."""
    golden(SOURCE, HERE / quirk)


def test_database_reads_as_expected(golden: Golden, tmp_path: Path) -> None:
    """Sessions of the database: a reverted end, a compaction, a subagent; the empty one is not there."""
    build(HERE / "database", tmp_path / "opencode.db")
    first, _ = golden(SOURCE, HERE / "database", root=tmp_path)

    assert 2 == first.skipped["session_message: a newer record of the same session"]


def test_database_of_the_go_program_reads_as_expected(golden: Golden, tmp_path: Path) -> None:
    """Rows come in the order they were written, although their times are whole seconds and their ids random."""
    build_legacy(HERE / "legacy", tmp_path / "any" / "opencode.db")

    golden(SOURCE, HERE / "legacy", root=tmp_path / "any")


def test_go_program_works_in_the_folder_above_its_database(tmp_path: Path) -> None:
    """`<repo>/.opencode/opencode.db` is found below a repository and belongs to it."""
    path = build_legacy(HERE / "legacy", tmp_path / ".opencode" / "opencode.db")

    assert ["s1", "c1"] == runs(tmp_path)
    assert str(tmp_path) == SOURCE.read(SessionRef("opencode", path, "s1")).header.cwd


def test_account_data_never_reaches_a_line(tmp_path: Path) -> None:
    """The accounts in the same file are not read."""
    path = build(HERE / "database", tmp_path / "opencode.db")
    texts = [line.text for run_id in runs(tmp_path) for line in lines(path, run_id)]

    assert texts
    assert [] == [text for text in texts if "do-not-read" in text]


def test_session_in_database_and_tree_is_listed_once(tmp_path: Path) -> None:
    """The tree remains after the move into the database; what the database has is taken from there."""
    shutil.copytree(HERE / "tree" / "storage", tmp_path / "storage")
    shutil.copytree(HERE / "tree_early" / "project", tmp_path / "project")
    assert ["ses_1", "ses_8", "ses_9"] == runs(tmp_path)

    build(HERE / "database", tmp_path / "opencode-dev.db")
    assert ["ses_1", "ses_2", "ses_8", "ses_9"] == runs(tmp_path)


def test_export_and_database_give_the_same_lines(tmp_path: Path) -> None:
    """What is stored in rows and what is printed as one object is the same conversation."""
    export = json.loads((HERE / "export" / "ses_1.json").read_text())
    path = build(HERE / "database", tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO session (id, time_created) VALUES ('ses_x', 0)")
        for message in export["messages"]:
            fresh = {**message, "info": {**message["info"], "id": "x" + message["info"]["id"]}}
            fresh["parts"] = [{**part, "id": "x" + part["id"]} for part in message["parts"]]
            add_message(connection, "ses_x", fresh)

    assert lines(HERE / "export" / "ses_1.json", "ses_1") == lines(path, "ses_x")


def test_earlier_lines_stay_when_a_session_grows(tmp_path: Path) -> None:
    """Each further message adds lines at the end."""
    export = json.loads((HERE / "export" / "ses_1.json").read_text())
    whole = lines(HERE / "export" / "ses_1.json", "ses_1")
    for end in range(len(export["messages"])):
        path = tmp_path / "part.json"
        path.write_text(json.dumps({**export, "messages": export["messages"][:end]}))
        part = lines(path, "ses_1")
        assert whole[: len(part)] == part


def test_container_of_a_tree_changes_with_a_new_message(tmp_path: Path) -> None:
    """A message is a new file; the session's own file may be older."""
    shutil.copytree(HERE / "tree" / "storage", tmp_path / "storage")
    before = [container.state for container in SOURCE.containers(tmp_path)]
    (tmp_path / "storage" / "message" / "ses_1" / "msg_09.json").write_text('{"id":"msg_09","role":"user"}')

    assert before != [container.state for container in SOURCE.containers(tmp_path)]


def test_fingerprint_is_the_sessions_own(tmp_path: Path) -> None:
    """A message in one session of a database does not make the others new."""
    path = build(HERE / "database", tmp_path / "opencode.db")

    before = fingerprints(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO message VALUES ('msg_99', 'ses_2', 1, 1, '{}')")

    assert ["ses_2"] == [run_id for run_id, was in before.items() if was != fingerprints(tmp_path)[run_id]]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO part VALUES ('prt_99', 'msg_02', 'ses_1', 0, 1773119999000, '{}')",
        "UPDATE part SET data = '{}', time_updated = 1773119999000 WHERE id = 'prt_020'",
        "UPDATE message SET data = '{}', time_updated = 1773119999000 WHERE id = 'msg_02'",
    ],
)
def test_what_is_written_after_the_sessions_row_is_seen(tmp_path: Path, statement: str) -> None:
    """A part or message that is added or finished changes its session's fingerprint, and no other's."""
    path = build(HERE / "database", tmp_path / "opencode.db")
    before = fingerprints(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)

    assert ["ses_1"] == [run_id for run_id, was in before.items() if was != fingerprints(tmp_path)[run_id]]


@pytest.mark.parametrize(
    ("layout", "session", "written"),
    [
        ("tree", "ses_1", "storage/part/msg_03/prt_030.json"),
        ("tree", "ses_1", "storage/message/ses_1/msg_03.json"),
        ("tree_early", "ses_9", "project/home-ada-code-depot/storage/session/part/ses_9/msg_01/prt_02.json"),
        ("tree_early", "ses_9", "project/home-ada-code-depot/storage/session/part/ses_9/msg_01/prt_01.json"),
    ],
)
def test_what_is_written_into_a_tree_is_seen(tmp_path: Path, layout: str, session: str, written: str) -> None:
    """The session's own file stays as it is while the parts of its last message are written and finished."""
    shutil.copytree(HERE / layout, tmp_path, dirs_exist_ok=True)
    for file in tmp_path.rglob("*"):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    before = fingerprints(tmp_path)
    (tmp_path / written).parent.mkdir(exist_ok=True)
    (tmp_path / written).write_text('{"id":"x","type":"text","text":"later"}')

    assert [session] == [run_id for run_id, was in before.items() if was != fingerprints(tmp_path)[run_id]]


def test_an_answer_of_the_go_program_that_grows_is_seen(tmp_path: Path) -> None:
    """It writes an answer into its row piece by piece; the session's row says nothing of it."""
    path = build_legacy(HERE / "legacy", tmp_path / "any" / "opencode.db")
    before = fingerprints(path.parent)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE messages SET parts = parts || ' ' WHERE session_id = 's1'")

    assert ["s1"] == [run_id for run_id, was in before.items() if was != fingerprints(path.parent)[run_id]]


def test_a_live_database_gives_what_one_reading_gives(tmp_path: Path) -> None:
    """Whenever it is looked at while the agent writes, the last look sees everything: nothing is left behind a mark."""
    path = build(HERE / "database", tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        seen: dict[str, tuple[str, list[Line]]] = {}
        for step in range(6):
            with agent:
                data = json.dumps({"type": "text", "text": f"step {step}"})
                row = (f"prt_9{step}", "msg_02", "ses_1", 0, 1773119999000 + step, data)
                agent.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
            for run_id, mark in fingerprints(tmp_path).items():
                if run_id not in seen or seen[run_id][0] != mark:
                    seen[run_id] = mark, lines(path, run_id)

    assert {run_id: lines(path, run_id) for run_id in seen} == {run_id: read for run_id, (_, read) in seen.items()}


def test_kilo_code_keeps_its_sessions_as_opencode_does(tmp_path: Path) -> None:
    """Its database is found under its own name and moved by its own variable."""
    home, data = Path("/home/ada"), Path("/home/ada/.local/share/kilo")
    build(HERE / "database", tmp_path / "kilo" / "kilo.db")

    assert ["ses_1", "ses_2"] == runs(tmp_path / "kilo")
    assert data in SOURCE.roots(Machine(home, {}))
    assert data / "other.db" in SOURCE.roots(Machine(home, {"KILO_DB": "other.db"}))


def test_session_that_is_gone_is_a_source_error(tmp_path: Path) -> None:
    """A session deleted between listing and reading, or a file that is no JSON, is an error."""
    path = build(HERE / "database", tmp_path / "opencode.db")
    (tmp_path / "cut.json").write_text('{"info": {')

    with pytest.raises(SourceError, match="no session"):
        lines(path, "ses_gone")
    with pytest.raises(SourceError, match="not a JSON object"):
        lines(tmp_path / "cut.json", "cut")


def test_roots_follow_the_environment(tmp_path: Path) -> None:
    """XDG_DATA_HOME moves the folder; OPENCODE_DB names a database in it or elsewhere."""
    home, data = Path("/home/ada"), Path("/home/ada/.local/share/opencode")
    database = build(HERE / "database", tmp_path / "elsewhere.db")

    kilo = data.with_name("kilo")
    assert [data, kilo] == SOURCE.roots(Machine(home, {}))
    assert Path("/data/opencode") == SOURCE.roots(Machine(home, {"XDG_DATA_HOME": "/data"}))[0]
    assert [data, kilo, data / "beta.db"] == SOURCE.roots(Machine(home, {"OPENCODE_DB": "beta.db"}))
    assert [data, kilo] == SOURCE.roots(Machine(home, {"OPENCODE_DB": "opencode.db"}))
    *_, other = SOURCE.roots(Machine(home, {"OPENCODE_DB": str(database)}))
    assert ["ses_1", "ses_2"] == runs(other)


def test_only_opencodes_files_are_accepted(tmp_path: Path) -> None:
    """Exports, trees and both databases are known by content; another agent's `sessions` table is not enough."""
    other = tmp_path / "sessions.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE sessions (id TEXT)")
        connection.execute("CREATE TABLE messages (session_id TEXT, role TEXT, content_json TEXT)")
    (tmp_path / "a.json").write_text('{"messages": []}')

    assert [False] * 3 == [SOURCE.accepts(path) for path in (other, tmp_path / "a.json", tmp_path / "missing.json")]
    ours = [HERE / "export" / "ses_1.json", HERE / "tree" / "storage" / "session" / "p1" / "ses_1.json"]
    ours += [build(HERE / "database", tmp_path / "o.db"), build_legacy(HERE / "legacy", tmp_path / "l" / "o.db")]
    assert [True] * 4 == [SOURCE.accepts(path) for path in ours]
