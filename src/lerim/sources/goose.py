"""goose.

One database since 1.10, `sessions/sessions.db` under ~/.local/share/goose (XDG_DATA_HOME), on macOS also in
~/Library/Application Support/Block/goose, on Windows in %APPDATA%\\Block\\goose\\data; GOOSE_PATH_ROOT names a folder
whose `data` takes its place. `sessions` has a row for each, with its folder and its kind; `messages` have a role and
`content_json`, a list of parts. Before, each session was a file of JSON lines: a head, then the messages.

Under the user's role stand typed words and the answers of tools. Sessions of the kinds `sub_agent`, `scheduled` and
`hidden` were started by a program: what they ask is nobody's word.

Written down from the program's own source (block/goose, `session_manager.rs`, 2026); never seen on real data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from lerim.errors import SourceError
from lerim.sources import sqlite_file
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, translated, words
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Happening, Header, Injection, Line
from lerim.sources.values import as_object, compact, count, instant, objects, parsed, string

_DATABASE = "sessions.db"
_COLUMNS = ("name", "description", "working_dir", "created_at", "session_type", "model_config_json")
_PROGRAMS = frozenset({"sub_agent", "scheduled", "hidden"})
#: What a tool answers when the user refused its call.
_REFUSED = "The user has declined to run this tool"


class GooseSource:
    name = "goose"
    title = "goose"

    def roots(self, machine: Machine) -> list[Path]:
        if named := machine.env.get("GOOSE_PATH_ROOT"):
            return [Path(named) / "data" / "sessions"]
        homes = [machine.data_home / "goose", machine.app_support / "Block" / "goose"]
        return [*(home / "sessions" for home in homes), homes[1] / "data" / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        if state := sqlite_file.state(root / _DATABASE):
            yield Container(self.name, root / _DATABASE, state)
        for path in sorted(root.glob("*.jsonl")):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        path = container.path
        if not sqlite_file.is_database(path):
            if not _is_migrated(path):
                yield SessionRef(self.name, path, path.stem)
            return
        with sqlite_file.opened(path) as database:
            found = _listed(database)
            if not found:
                database.require_sound()
        for run_id, fingerprint in found:
            yield SessionRef(self.name, path, run_id, fingerprint)

    def accepts(self, path: Path) -> bool:
        try:
            if sqlite_file.is_database(path):
                with sqlite_file.opened(path) as database:
                    return _is_ours(database)
            first = next((record for _, record in islice(records(path, Account()), 1)), {})
        except SourceError:
            return False
        return {"working_dir", "message_count"} <= first.keys()

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        if sqlite_file.is_database(ref.path):
            facts = _facts(ref)
            return Reading(_header(ref, facts), translated(_rows(ref, account), account, _reader(facts)), account)
        facts = next((record for _, record in records(ref.path, Account()) if "working_dir" in record), {})
        if not facts and not any("role" in record for _, record in records(ref.path, Account())):
            raise SourceError(f"no goose session in {ref.path}")
        return Reading(_header(ref, facts), translated(records(ref.path, account), account, _reader(facts)), account)


SOURCE = GooseSource()


def _is_ours(database: AgentDatabase) -> bool:
    has_messages = {"session_id", "role", "content_json"} <= database.columns("messages")
    return has_messages and "working_dir" in database.columns("sessions")


def _is_migrated(path: Path) -> bool:
    """Whether the database beside a file has its session: goose takes the files in, and leaves them."""
    sql = "SELECT 1 FROM messages WHERE session_id = ? LIMIT 1"
    return sqlite_file.has_row(path.with_name(_DATABASE), _is_ours, sql, path.stem)


def _listed(database: AgentDatabase) -> list[tuple[str, str]]:
    """Sessions with messages. Rows are added and never changed: the last one's number says whether there are more."""
    if not _is_ours(database):
        return []
    sql = "SELECT session_id, max(rowid), count(*) FROM messages GROUP BY session_id ORDER BY min(rowid)"
    return [(string(run_id), f"{last}-{number}") for run_id, last, number in database.rows(sql)]


def _facts(ref: SessionRef) -> Record:
    with sqlite_file.opened(ref.path) as database:
        names = [name for name in _COLUMNS if name in database.columns("sessions")]
        row = database.row(f"SELECT {', '.join(names)} FROM sessions WHERE id = ?", ref.run_id) if names else None
    if row is None:
        raise SourceError(f"{ref.path} has no session {ref.run_id}")
    return dict(zip(names, row, strict=True))


def _rows(ref: SessionRef, account: Account) -> Iterator[tuple[int, Record]]:
    with sqlite_file.opened(ref.path) as database:
        extra = ", metadata_json" if "metadata_json" in database.columns("messages") else ""
        ids = database.rows("SELECT rowid FROM messages WHERE session_id = ? ORDER BY rowid", ref.run_id)
        for number, (row_id,) in enumerate(ids, 1):
            account.records += 1
            sql = f"SELECT role, content_json, created_timestamp{extra} FROM messages WHERE rowid = ?"
            row = database.row(sql, row_id) or ("", "", 0)
            content = parsed(row[1])
            if not isinstance(content, list):
                account.trouble(number, "the content is not JSON")
                continue
            yield number, {"role": row[0], "content": content, "created": row[2], "metadata": as_object(row[-1])}


def _header(ref: SessionRef, facts: Record) -> Header:
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=string(facts.get("working_dir")) or None,
        model=string(as_object(facts.get("model_config_json")).get("model_name")) or None,
        started=instant(string(facts.get("created_at")).replace(" ", "T")),
        title=string(facts.get("name")) or string(facts.get("description")) or None,
    )


def _reader(facts: Record) -> Callable[[int, Record], Outcome]:
    is_program = string(facts.get("session_type")) in _PROGRAMS

    def translate(number: int, message: Record) -> Outcome:
        if "working_dir" in message and "role" not in message:
            return "session header"
        pen = Pen(number, instant(count(message.get("created"))))
        is_hidden = as_object(message.get("metadata")).get("userVisible") is False
        lines = [line for part in objects(message.get("content")) for line in _part(message, part, pen)]
        if message.get("role") != "user" or not (is_program or is_hidden):
            return lines
        return [pen.injected(line.text, Injection.NOTIFICATION) if line.type == "user" else line for line in lines]

    return translate


def _part(message: Record, part: Record, pen: Pen) -> Iterator[Line]:
    match part.get("type"):
        case "text":
            text = string(part.get("text"))
            if message.get("role") == "assistant":
                yield from pen.said(text)
            elif text.strip():
                yield from pen.typed(text)
        case "thinking" | "reasoning":
            if (thought := string(part.get("thinking")) or string(part.get("text"))).strip():
                yield pen.reasoning(thought)
        case "toolRequest" | "frontendToolRequest":
            call = as_object(part.get("toolCall"))
            asked = as_object(call.get("value"))
            written = command_line(asked.get("arguments")) if asked else compact(call.get("error"))
            yield pen.call(string(part.get("id")), string(asked.get("name")) or "tool", written)
        case "toolResponse":
            yield from _result(part, pen)
        case "image":
            yield pen.injected(words(part), Injection.ENVIRONMENT)
        case "systemNotification" | "contextLengthExceeded" | "summarizationRequested" as kind:
            is_compaction = kind != "systemNotification" or "ompact" in string(part.get("msg"))
            if is_compaction:
                yield pen.event(Happening.COMPACTED, string(part.get("msg")))


def _result(part: Record, pen: Pen) -> Iterator[Line]:
    outcome = as_object(part.get("toolResult"))
    value = outcome.get("value")
    content = as_object(value).get("content") if isinstance(value, dict) else value
    text = words(content) or compact(outcome.get("error"))
    is_error = outcome.get("status") == "error" or as_object(value).get("isError") is True
    yield pen.result(string(part.get("id")), text, not is_error)
    if text.startswith(_REFUSED):
        yield pen.event(Happening.REJECTED, "tool call refused")
