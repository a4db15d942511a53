"""Kiro CLI, and Amazon Q Developer CLI, which it continues.

Conversations are kept in a SQLite file `data.sqlite3`, in `kiro-cli` (before: `amazon-q`) under ~/.local/share
(`XDG_DATA_HOME`), ~/Library/Application Support or %LOCALAPPDATA%: `conversations_v2`, and before it `conversations`
with one per directory. Newer versions write a journal per session, `~/.kiro/sessions/cli/<id>.jsonl`, with its facts in
`<id>.json` beside it (`KIRO_HOME` moves ~/.kiro). An exported conversation is the JSON of the database in a file.
No table but these two is ever read; others hold credentials.

In a conversation each entry of `history` is what was sent and what came back: `{"user": {"content": {"Prompt": …}},
"assistant": {"ToolUse": …}}`, where the user's part may also be the results of tools. In a journal each of these is a
line of its own. Compaction replaces the history in a database by a summary; what was read before is not in it any more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources import sqlite_file
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.json_file import JsonDocument, read_document
from lerim.sources.jsonl import MAX_LINE_BYTES, records
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, picture, taken_apart, translated
from lerim.sources.plain_file import opened_file, read_bytes, read_head
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, instant, objects, payload, string

_DATABASE = "data.sqlite3"
_PROGRAMS = ("kiro-cli", "amazon-q")
_CONTEXT = ("--- CONTEXT ENTRY BEGIN ---", "--- CONTEXT ENTRY END ---")
# "0", or "exit status: 0".
_STATUS = compile_later(r"-?\d+$")
_JOURNAL_KINDS = (b'"Prompt"', b'"AssistantMessage"', b'"ToolResults"', b'"Compaction"', b'"Clear"')


_HEAD_BYTES = 65_536


class KiroSource:
    """Kiro CLI and Amazon Q Developer CLI."""

    name = "kiro"
    title = "Kiro CLI"

    def roots(self, machine: Machine) -> list[Path]:
        local = {"darwin": machine.app_support, "win32": Path(machine.env.get("LOCALAPPDATA") or machine.app_support)}
        data = local.get(machine.platform, machine.data_home)
        home = Path(machine.env.get("KIRO_HOME") or machine.home / ".kiro")
        return [home / "sessions" / "cli", *(data / program for program in _PROGRAMS)]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.glob("*.jsonl")):
            yield from container(self.name, path)
        if state := sqlite_file.state(root / _DATABASE):
            yield Container(self.name, root / _DATABASE, state)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        if not sqlite_file.is_database(container.path):
            yield SessionRef(self.name, container.path, container.path.stem)
            return
        with sqlite_file.opened(container.path) as database:
            found = [SessionRef(self.name, container.path, row.run_id, row.fingerprint) for row in _rows(database)]
            if not found:
                database.require_sound()
        yield from found

    def accepts(self, path: Path) -> bool:
        if sqlite_file.is_database(path):
            with suppress(SourceError), sqlite_file.opened(path) as database:
                return any(_tables(database))
            return False
        head = read_head(path, _HEAD_BYTES)
        return _is_export(head) or _is_journal(head)

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        if sqlite_file.is_database(ref.path):
            row = _row(ref)
            return _conversation(ref, _counted(ref, row.value, account), account, row.facts)
        if not _is_export(read_head(ref.path, _HEAD_BYTES)) and _is_journal_file(ref.path):
            return _journal(ref, account)
        document = read_document(ref.path, account, "history", _is_entry)
        if account.bad and not document.items:
            raise SourceError(f"no session in {ref.path}")
        return _conversation(ref, document, account, {})


SOURCE = KiroSource()


def _is_export(head: bytes) -> bool:
    return head.startswith(b"{") and b'"history"' in head and (b'"Prompt"' in head or b'"conversation_id"' in head)


def _is_journal(head: bytes) -> bool:
    # However many lines before it are damaged.
    return any(
        line.startswith(b"{") and b'"kind"' in line and b'"data"' in line and any(k in line for k in _JOURNAL_KINDS)
        for line in head.split(b"\n")
    )


def _is_journal_file(path: Path) -> bool:
    """The same for all of a file: its first line may be damaged, and longer than a head."""
    with opened_file(path) as file:
        return any(map(_is_journal, iter(lambda: file.readline(MAX_LINE_BYTES), b"")))


def _is_entry(item: Record) -> bool:
    return "user" in item or "assistant" in item


# --- the database --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    run_id: str
    cwd: str
    value: str
    fingerprint: str
    created: object = None

    @property
    def facts(self) -> Record:
        return {"cwd": self.cwd, "started": instant(self.created)}


def _tables(database: AgentDatabase) -> Iterator[str]:
    for table in ("conversations_v2", "conversations"):
        if {"key", "value"} <= database.columns(table):
            yield table


def _rows(database: AgentDatabase) -> Iterator[_Row]:
    """The conversations, each once: those of the old table were copied into the new one."""
    seen: set[str] = set()
    for table in _tables(database):
        columns = database.columns(table)
        created = "created_at" if "created_at" in columns else "NULL"
        named = "conversation_id" if "conversation_id" in columns else "NULL"
        # One at a time: a conversation may have many megabytes.
        for (rowid,) in database.rows(f"SELECT rowid FROM {table} ORDER BY rowid"):
            found = database.row(f"SELECT key, {named}, value, {created} FROM {table} WHERE rowid = ?", rowid)
            if found and (row := _named(*found)).run_id not in seen:
                seen.add(row.run_id)
                yield row


def _named(cwd: object, run_id: object, value: object, created: object) -> _Row:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else string(value)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    name = string(run_id) or string(as_object(text).get("conversation_id"))
    return _Row(name or hashlib.sha256(string(cwd).encode()).hexdigest()[:16], string(cwd), text, digest, created)


def _row(ref: SessionRef) -> _Row:
    with sqlite_file.opened(ref.path) as database:
        for row in _rows(database):
            if row.run_id == ref.run_id:
                return row
    raise SourceError(f"no session {ref.run_id} in {ref.path}")


def _counted(ref: SessionRef, value: str, account: Account) -> JsonDocument:
    found = as_object(value)
    listed = found.get("history")
    if not isinstance(listed, list):
        raise SourceError(f"no history in session {ref.run_id} of {ref.path}")
    items: list[tuple[int, Record]] = []
    for number, item in enumerate(listed, 1):
        account.records += 1
        # Before the entries had names they were pairs.
        entry = dict(zip(("user", "assistant"), item, strict=False)) if isinstance(item, list) else item
        if isinstance(entry, dict):
            items.append((number, entry))
        else:
            account.trouble(number, f"a {type(item).__name__}, not an entry")
    return JsonDocument({name: fact for name, fact in found.items() if name != "history"}, items)


# --- conversations -------------------------------------------------------------------------------------------------


def _conversation(ref: SessionRef, document: JsonDocument, account: Account, known: Record) -> Reading:
    facts = document.facts
    first = document.items[0][1] if document.items else {}
    model = as_object(facts.get("model_info")).get("model_id") or facts.get("model")
    header = Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=string(known.get("cwd")) or _cwd(first),
        model=string(model) or None,
        started=known.get("started") or instant(as_object(first.get("user")).get("timestamp")),
    )
    reader = _Conversation()
    return Reading(header, reader.lines(document, account), account)


def _cwd(entry: Record) -> str | None:
    context = as_object(as_object(entry.get("user")).get("env_context"))
    return string(as_object(context.get("env_state")).get("current_working_directory")) or None


@dataclass
class _Conversation:
    """Reads entries of a history. Exports may leave all ids empty; calls are then named by their place."""

    pen: Pen = field(default_factory=Pen)
    waiting: list[str] = field(default_factory=list)

    def lines(self, document: JsonDocument, account: Account) -> Iterator[Line]:
        summary = document.facts.get("latest_summary")
        text = string(summary[0]) if isinstance(summary, list) and summary else string(summary)
        if text:
            yield self.pen.event(Happening.COMPACTED)
            yield self.pen.injected(text, Injection.COMPACTION)
        yield from translated(document.items, account, self.translate)

    def translate(self, number: int, entry: Record) -> Outcome:
        user, assistant = as_object(entry.get("user")), as_object(entry.get("assistant"))
        self.pen = Pen(number, instant(user.get("timestamp")))
        lines = [*self._from_user(user), *self._from_agent(assistant)]
        known = {"Prompt", "ToolUseResults", "CancelledToolUses", "Response", "ToolUse"}
        others = sorted((as_object(user.get("content")).keys() | assistant.keys()) - known)
        return lines or (f"unknown: {', '.join(others)}" if others else "empty")

    def _from_user(self, user: Record) -> Iterator[Line]:
        if context := string(user.get("additional_context")):
            yield self.pen.injected(context, Injection.ENVIRONMENT)
        content = as_object(user.get("content"))
        refused = as_object(content.get("CancelledToolUses"))
        for result in objects(as_object(content.get("ToolUseResults")).get("tool_use_results")):
            yield self._result(result)
        for result in objects(refused.get("tool_use_results")):
            yield self._result(result, is_refused=True)
        images = [_image(image) for image in objects(user.get("images"))]
        typed = string(as_object(content.get("Prompt")).get("prompt"))
        before, context, after = taken_apart(typed, *_CONTEXT)
        if context:
            yield self.pen.injected(context, Injection.ENVIRONMENT)
        if prompt := "\n".join(filter(None, [before.strip(), after.strip() if context else after, *images])):
            yield self.pen.user(prompt)
        if reason := string(refused.get("prompt")):
            yield self.pen.user(reason, Via.REJECTION)

    def _from_agent(self, assistant: Record) -> Iterator[Line]:
        for answer in (as_object(assistant.get("Response")), as_object(assistant.get("ToolUse"))):
            if text := string(answer.get("content")):
                yield from self.pen.said(text)
            for number, use in enumerate(objects(answer.get("tool_uses")), 1):
                call = string(use.get("id")) or f"entry-{self.pen.src}-{number}"
                self.waiting.append(call)
                yield self.pen.call(call, string(use.get("name")) or "tool", command_line(use.get("args")))

    def _result(self, result: Record, *, is_refused: bool = False) -> Line:
        call = string(result.get("tool_use_id")) or (self.waiting[0] if self.waiting else f"entry-{self.pen.src}")
        if call in self.waiting:
            self.waiting.remove(call)
        return _tool_result(self.pen, call, result, is_refused=is_refused)


def _tool_result(pen: Pen, call: str, result: Record, *, is_refused: bool = False) -> Line:
    parts = objects(result.get("content"))
    code = next((code for part in parts if (code := _exit_code(part)) is not None), None)
    ok = {"success": True, "error": False}.get(string(result.get("status")).lower())
    # A command that ran counts as a success of the tool, whatever it ended with.
    ok = False if is_refused or code else ok
    return pen.result(call, "\n".join(filter(None, map(_content, parts))), ok, code)


def _content(part: Record) -> str:
    """One part of a tool's result: `{"Text": …}`, `{"Json": …}`, or in a journal `{"kind": "text", "data": …}`."""
    for name, value in ((string(part.get("kind")), part.get("data")), *part.items()):
        match name.lower():
            case "text":
                return string(value)
            case "json":
                return _output(value)
            case "image":
                return _image(as_object(value))
    return ""


def _output(value: object) -> str:
    """What a command printed, when the result is one; any other result as JSON."""
    printed = as_object(value)
    if not {"stdout", "stderr"} & printed.keys():
        return compact(value)
    return "\n".join(filter(None, (string(printed.get("stdout")), string(printed.get("stderr")))))


def _exit_code(part: Record) -> int | None:
    status = as_object(part.get("Json") or part.get("data")).get("exit_status")
    found = _STATUS.search(str(status))
    return int(found[0]) if found else None


def _image(part: Record) -> str:
    source = as_object(part.get("source"))
    data = source.get("Bytes") or source.get("bytes") or source.get("data")
    if isinstance(data, list):
        return f"[image, {len(data):,} bytes]"
    return picture({"type": "image", "data": string(data)}) or payload("image/*", "")


# --- journals ------------------------------------------------------------------------------------------------------


def _journal(ref: SessionRef, account: Account) -> Reading:
    about = _beside(ref.path)
    state = as_object(as_object(about.get("session_state")).get("rts_model_state"))
    header = Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=string(about.get("cwd")) or None,
        model=string(as_object(state.get("model_info")).get("model_id")) or None,
        started=instant(about.get("created_at")) or _first_time(records(ref.path, Account())),
        title=string(about.get("title")) or None,
        parent=string(about.get("parent_session_id")) or None,
    )
    return Reading(header, translated(records(ref.path, account), account, _Journal().translate), account)


def _beside(path: Path) -> Record:
    with suppress(SourceError):
        return as_object(read_bytes(path.with_suffix(".json")))
    return {}


def _first_time(found: Iterable[tuple[int, Record]]) -> str | None:
    return next((at for _, record in found if (at := _time(as_object(record.get("data"))))), None)


def _time(data: Record) -> str | None:
    return instant(as_object(data.get("meta")).get("timestamp"))


@dataclass
class _Journal:
    """Reads the lines of a journal."""

    pen: Pen = field(default_factory=Pen)

    def translate(self, number: int, record: Record) -> Outcome:
        data = as_object(record.get("data"))
        self.pen = Pen(number, _time(data))
        match record.get("kind"):
            case "Prompt":
                prompt = "\n".join(filter(None, map(_content, objects(data.get("content")))))
                return [self.pen.user(prompt)] if prompt else "empty"
            case "AssistantMessage" | "ToolResults":
                return [line for part in objects(data.get("content")) for line in self._part(part)]
            case "Compaction":
                summary = self.pen.injected(string(data.get("summary")), Injection.COMPACTION)
                return [self.pen.event(Happening.COMPACTED), *([summary] if summary.text else [])]
            case "Clear":
                return "cleared"
            case other:
                return f"unknown: {other}"

    def _part(self, part: Record) -> list[Line]:
        data = as_object(part.get("data"))
        call = string(data.get("toolUseId"))
        match part.get("kind"):
            case "text":
                return self.pen.said(string(part.get("data")))
            case "thinking" | "reasoning":
                thought = string(part.get("data")) or string(data.get("text"))
                return [self.pen.reasoning(thought)] if thought else []
            case "toolUse":
                return [self.pen.call(call, string(data.get("name")) or "tool", command_line(data.get("input")))]
            case "toolResult":
                return [_tool_result(self.pen, call, data)]
            case _:
                return []
