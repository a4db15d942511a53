"""OpenCode and its fork Kilo Code: one database since 1.2, a tree of JSON files before, and what `export` prints.

Where, on every system: $XDG_DATA_HOME/opencode, else ~/.local/share/opencode. OPENCODE_DB names another database;
builds of other channels use `opencode-<channel>.db`. Before mid-2025 each project had a tree of its own below
`project/<slug>/storage`. The tree stays when sessions move into the database, so the database is asked first.
Kilo Code since 1.0, its extension and its command line, is the same program with `kilo` for `opencode` in all names.
The Go program of the same name keeps `<repo>/.opencode/opencode.db`; see `opencode_legacy`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lerim.errors import SourceError
from lerim.sources import opencode_legacy, sqlite_file
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.json_file import read_document
from lerim.sources.opencode_parts import MessageReader
from lerim.sources.plain_file import read_bytes
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Header, Line
from lerim.sources.values import as_object, count, instant, objects, parsed, string

_PROGRAMS = ("opencode", "kilo")
_DATABASES = (*(f"{program}*.db" for program in _PROGRAMS), ".opencode/opencode.db")
_TREES = ("storage/session/*/*.json", "project/*/storage/session/info/*.json", "session/*/*.json")
_SESSION_FIELDS = ("id", "parent_id", "directory", "title", "version", "revert", "model", "time_created")
# Titles OpenCode gives before it knows a better one.
_UNTITLED = ("New session - ", "Child session - ")
# How many messages to look into for the folder and model that older sessions do not name.
_LOOK_AHEAD = 4

Info = dict[str, Any]
Messages = Iterator[tuple[Info, list[Info]]]


# As file systems have it.
_LONGEST_NAME = 255
_MESSAGES = b'"messages"'


class OpenCodeSource:
    name = "opencode"
    title = "OpenCode, Kilo Code"

    def roots(self, machine: Machine) -> list[Path]:
        """The data folders, and the databases OPENCODE_DB and KILO_DB name if they lie elsewhere."""
        found = [machine.data_home / program for program in _PROGRAMS]
        for data, program in zip(tuple(found), _PROGRAMS, strict=True):
            named = machine.env.get(f"{program.upper()}_DB")
            if named and named != ":memory:" and data / named != data / f"{program}.db":
                found.append(data / named)
        return found

    def containers(self, root: Path) -> Iterator[Container]:
        """Databases, and one session file each of the JSON trees."""
        databases = (
            [root] if root.is_file() else [path for pattern in _DATABASES for path in sorted(root.glob(pattern))]
        )
        for path in databases:
            if state := sqlite_file.state(path):
                yield Container(self.name, path, state)
        for pattern in _TREES:
            for path in sorted(root.glob(pattern)):
                yield Container(self.name, path, _tree_state(path))

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        """The sessions of a database that have messages; a file of a tree is one, unless a database has it too."""
        path = container.path
        if path.suffix == ".db" or sqlite_file.is_database(path):
            with sqlite_file.opened(path) as database:
                found = list(_listed(database))
                if not found:
                    database.require_sound()
            for run_id, fingerprint in found:
                yield SessionRef(self.name, path, run_id, fingerprint)
        elif not _is_migrated(path):
            # Parts are files of their own: the session's file stays as it is while they are written.
            newest, size, _ = container.state
            yield SessionRef(self.name, path, path.stem, f"{newest}-{size}")

    def accepts(self, path: Path) -> bool:
        """A database with OpenCode's tables, an export, or the session file of a tree."""
        try:
            if sqlite_file.is_database(path):
                with sqlite_file.opened(path) as database:
                    return _is_current(database) or opencode_legacy.is_legacy(database)
            if path.suffix not in {".json", ".jsonl"} or not path.is_file():
                return False
            document = _json(path)
        except SourceError:
            return False
        return _is_export(document) or {"id", "projectID", "time"} <= document.keys()

    def read(self, ref: SessionRef) -> Reading:
        """One session. Raises SourceError when the file cannot be read or has no such session."""
        if sqlite_file.is_database(ref.path):
            with sqlite_file.opened(ref.path) as database:
                if not _is_current(database):
                    return opencode_legacy.read(ref)
                info = _session(database, ref)
            return _reading(info, lambda account: _database_messages(ref, account))
        try:
            info = _json(ref.path)
        except SourceError as error:
            return _damaged(ref.path, error)
        if _is_export(info):
            return _reading(as_object(info["info"]), lambda _: _exported_messages(info))
        return _reading(info, lambda account: _tree_messages(ref.path, info, account))


def _damaged(path: Path, error: SourceError) -> Reading:
    """What is left of a session whose file is damaged: whole messages of an export, or those of a tree beside it."""
    info = {"id": path.stem}
    if (_message_folder(path) / path.stem).is_dir():
        return _reading(info, lambda account: _beside_damage(path, info, error, account))
    if _MESSAGES not in read_bytes(path):
        raise error
    return _reading(info, lambda account: _whole_messages(path, account))


def _beside_damage(path: Path, info: Info, error: SourceError, account: Account) -> Messages:
    account.records += 1
    account.trouble(1, error.message)
    yield from _tree_messages(path, info, account)


def _whole_messages(path: Path, account: Account) -> Messages:
    found = Account()
    document = read_document(path, found, "messages", lambda item: "info" in item and "parts" in item)
    account.records += len(found.bad)
    account.bad += found.bad
    yield from _exported_messages({"messages": [item for _, item in document.items]})


def _reading(info: Info, messages: Callable[[Account], Messages]) -> Reading:
    revert = as_object(info.get("revert"))
    parent = string(info.get("parentID")) or None
    account = Account()
    conversation = MessageReader(
        account,
        is_subagent=parent is not None,
        reverted_message=string(revert.get("messageID")),
        reverted_part=string(revert.get("partID")),
    )
    header = _header(info, parent, [item for item, _ in islice(messages(Account()), _LOOK_AHEAD)])
    return Reading(header, _lines(conversation, messages(account)), account)


def _lines(conversation: MessageReader, messages: Messages) -> Iterator[Line]:
    for info, parts in messages:
        yield from conversation.lines(info, parts)


def _header(info: Info, parent: str | None, first: list[Info]) -> Header:
    title = string(info.get("title"))
    early = [as_object(as_object(item.get("metadata")).get("assistant")) for item in first]
    folders = (string(as_object(item.get("path")).get("cwd")) for item in [*first, *early])
    models = (
        string(as_object(item.get("model")).get("modelID")) or string(item.get("modelID")) for item in [*first, *early]
    )
    return Header(
        agent="opencode",
        run_id=string(info.get("id")),
        cwd=string(info.get("directory")) or next(filter(None, folders), None),
        model=string(as_object(info.get("model")).get("id")) or next(filter(None, models), None),
        version=string(info.get("version")) or None,
        started=instant(as_object(info.get("time")).get("created")),
        title=None if title.startswith(_UNTITLED) else title or None,
        parent=parent,
    )


def _is_current(database: AgentDatabase) -> bool:
    return {"session_id", "data"} <= database.columns("message") and "message_id" in database.columns("part")


def _listed(database: AgentDatabase) -> list[tuple[str, str]]:
    if not _is_current(database):
        return opencode_legacy.listed(database)
    messages, parts = _latest(database, "message"), _latest(database, "part")
    found = database.rows("SELECT id, time_updated FROM session ORDER BY time_created, id")
    return [
        (run_id, _fingerprint(count(updated), messages[run_id], parts.get(run_id, (0, 0))))
        for run_id, updated in found
        if run_id in messages
    ]


def _fingerprint(updated: int, messages: tuple[int, int], parts: tuple[int, int]) -> str:
    # Numbers too: a part may be written within the millisecond of the one before, or come with an older time.
    return f"{max(updated, messages[0], parts[0])}-{messages[1]}-{parts[1]}"


def _latest(database: AgentDatabase, table: str) -> dict[str, tuple[int, int]]:
    """For each session, when a row of a table was last written, and how many it has.

    A session's own row is not always written after its messages and parts: a part may be finished minutes later.
    """
    written = "time_updated" if "time_updated" in database.columns(table) else "0"
    rows = database.rows(f"SELECT session_id, max({written}), count(*) FROM {table} GROUP BY session_id")
    return {run_id: (count(newest), number) for run_id, newest, number in rows}


def _session(database: AgentDatabase, ref: SessionRef) -> Info:
    """The row of a session in the words of the JSON tree."""
    fields = [field for field in _SESSION_FIELDS if field in database.columns("session")]
    row = database.row(f"SELECT {', '.join(fields)} FROM session WHERE id = ?", ref.run_id)
    if row is None:
        raise SourceError(f"{ref.path} has no session {ref.run_id}")
    found = dict(zip(fields, row, strict=True))
    return {**found, "parentID": found.get("parent_id"), "time": {"created": found.get("time_created")}}


def _database_messages(ref: SessionRef, account: Account) -> Messages:
    # Ids first, then one message at a time: a session can be large, and no query may stay open meanwhile.
    with sqlite_file.opened(ref.path) as database:
        ids = database.rows("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id", ref.run_id)
        for (message,) in ids:
            try:
                row = database.row("SELECT data FROM message WHERE id = ?", message)
                parts = database.rows("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", message)
            except SourceError as error:
                account.records += 1
                account.trouble(account.records, error.message)
                continue
            info = as_object(row[0]) if row else {}
            yield {**info, "id": message}, [{**as_object(data), "id": part} for part, data in parts]
        if "session_id" in database.columns("session_message"):
            row = database.row("SELECT count(*) FROM session_message WHERE session_id = ?", ref.run_id)
            _leave_out(row[0] if row else 0, "session_message: a newer record of the same session", account)


def _leave_out(number: int, reason: str, account: Account) -> None:
    account.records += number
    for _ in range(number):
        account.skip(reason)


def _json(path: Path) -> Info:
    document = parsed(read_bytes(path))
    if not isinstance(document, dict):
        raise SourceError(f"cannot read {path}: not a JSON object")
    return document


def _is_export(document: Info) -> bool:
    return isinstance(document.get("info"), dict) and isinstance(document.get("messages"), list)


def _exported_messages(document: Info) -> Messages:
    for message in objects(document["messages"]):
        yield as_object(message.get("info")), objects(message.get("parts"))


def _tree_messages(path: Path, session: Info, account: Account) -> Messages:
    messages, parts = _files_in(_message_folder(path), path.stem), _part_folder(path, path.stem)
    loose = _loose_parts(parts)
    # Ids sort by time, and so do the names; only the dates are sure to.
    for message, info in _dated(messages, account):
        files = _files_in(parts, message) or loose.get(message, [])
        stored = [item for file in files if (item := _tree_item(file, account))]
        yield info, stored or objects(info.get("parts"))


def _dated(files: list[Path], account: Account) -> list[tuple[str, Info]]:
    """The messages with their ids, by their dates. One that cannot be read has its parts still, and its place."""
    found: list[tuple[int, str, Info]] = []
    created = 0
    for file in files:
        info = _tree_item(file, account) or {}
        created = count(as_object(info.get("time")).get("created")) or created
        # A file is named by its message's id.
        found.append((created, file.stem, {**info, "id": file.stem}))
    return [(message, info) for _, message, info in sorted(found, key=lambda item: item[0])]


def _is_plain(name: str) -> bool:
    is_name = name not in {"", ".", ".."} and Path(name).name == name and "\0" not in name
    return is_name and len(name.encode("utf-8", "replace")) <= _LONGEST_NAME


def _files_in(folder: Path, name: str) -> list[Path]:
    """The JSON files of a folder inside another. A record's own name for itself must not lead elsewhere."""
    if not _is_plain(name):
        return []
    return sorted((folder / name).glob("*.json"))


def _tree_item(file: Path, account: Account) -> Info | None:
    try:
        return _json(file)
    except SourceError as error:
        account.records += 1
        account.trouble(account.records, error.message)
        return None


def _message_folder(path: Path) -> Path:
    """Where the messages of sessions are, a folder for each."""
    # `session/info/<id>.json` has its messages in `session/message`, `session/<project>/<id>.json` in `message`.
    base = path.parent.parent if path.parent.name == "info" else path.parent.parent.parent
    return base / "message"


def _part_folder(path: Path, run_id: str) -> Path:
    if path.parent.name == "info":
        return path.parent.parent / "part" / (run_id if _is_plain(run_id) else path.stem)
    return path.parent.parent.parent / "part"


def _loose_parts(folder: Path) -> dict[str, list[Path]]:
    """Parts that lie in one folder for all messages and name theirs."""
    found: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("*.json")):
        found.setdefault(string((_tree_item(file, Account()) or {}).get("messageID")), []).append(file)
    return found


def _tree_state(path: Path) -> tuple[int, int, int]:
    """The session's file is rewritten at the end of a turn. Before that, a new message shows in the folder's time, and
    a part that is written or finished in the files of the last message: earlier ones are done."""
    found = path.stat()
    messages = _message_folder(path) / path.stem
    times = [found.st_mtime_ns, *_times(messages, is_folder_only=True)]
    if last := max(_names(messages), default=""):
        times += _times(messages / last)
        times += _times(_part_folder(path, path.stem) / last.removesuffix(".json"))
    return max(times), found.st_size, found.st_ino


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder)]
    except OSError:
        return []


def _times(path: Path, *, is_folder_only: bool = False) -> Iterator[int]:
    """When a file or folder was last changed, and each file in it; nothing when it is not there."""
    inside = [] if is_folder_only else [path / name for name in _names(path)]
    for item in (path, *inside):
        with contextlib.suppress(OSError):
            yield item.stat().st_mtime_ns


def _is_migrated(path: Path) -> bool:
    storage = next((folder for folder in path.parents if folder.name == "storage"), None)
    if storage is None:
        return False
    data = storage.parent.parent.parent if storage.parent.parent.name == "project" else storage.parent
    databases = [found for program in _PROGRAMS for found in sorted(data.glob(f"{program}*.db"))]
    return any(_holds(found, path.stem) for found in databases)


def _holds(path: Path, run_id: str) -> bool:
    try:
        with sqlite_file.opened(path) as database:
            known = _is_current(database)
            return known and database.row("SELECT 1 FROM message WHERE session_id = ?", run_id) is not None
    except SourceError:
        return False


SOURCE = OpenCodeSource()
