"""Cursor's agent conversations outside the editor's database: transcripts and the stores of `cursor-agent`.

- Transcripts: JSON lines `{"role", "message": {"content": [blocks]}}` without ids, times, model or tool results; older
  ones are text with `user:` and `assistant:` lines.
- Stores: SQLite with content-addressed blobs. `meta` names the root blob, a protobuf message whose field 1 lists the
  32-byte ids of the messages in order; each message is JSON with AI-SDK parts.

In both, what the user typed stands in `<user_query>`; the tags around it are Cursor's. The markers are not escaped, so
they are read from outside in: a query inside one of Cursor's other tags is an attached file's, and a query ends where
nothing but Cursor's tags follows.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources import jsonl, sqlite_file
from lerim.sources.base import Account, Reading, SessionRef
from lerim.sources.cursor_editor import folder_in
from lerim.sources.pieces import Pen
from lerim.sources.plain_file import read_bytes
from lerim.sources.protobuf import fields
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import (
    MAX_TOOL_TEXT,
    Event,
    Happening,
    Header,
    Injected,
    Injection,
    Line,
    Reasoning,
    ToolCall,
    ToolResult,
    User,
    Via,
)
from lerim.sources.values import as_object, call_text, compact, instant, objects, parsed, payload, shown, spoken, string

_TAG = compile_later(r"\s*<([a-zA-Z][\w-]*)(?:\s[^>]*)?>(.*?)</\1>\s*", re.DOTALL)
_KINDS = {
    "system_reminder": Injection.REMINDER,
    "system-reminder": Injection.REMINDER,
    "system_notification": Injection.NOTIFICATION,
    "task_notification": Injection.NOTIFICATION,
    "rules": Injection.INSTRUCTIONS,
    "user_rules": Injection.INSTRUCTIONS,
    "always_applied_workspace_rules": Injection.INSTRUCTIONS,
    "agent_requestable_workspace_rules": Injection.INSTRUCTIONS,
    "agent_skills": Injection.SKILL,
    "manually_attached_skills": Injection.SKILL,
    "cursor_commands": Injection.TEMPLATE,
    "previous_conversation": Injection.COMPACTION,
    "conversation_summary": Injection.COMPACTION,
    "hook_context": Injection.HOOK,
    "attached_files": Injection.ENVIRONMENT,
    "external_links": Injection.ENVIRONMENT,
    "user_info": Injection.ENVIRONMENT,
    "git_status": Injection.ENVIRONMENT,
    "project_layout": Injection.ENVIRONMENT,
    "open_and_recently_viewed_files": Injection.ENVIRONMENT,
    "image_files": Injection.ENVIRONMENT,
    "terminal_files_information": Injection.ENVIRONMENT,
    "additional_data": Injection.ENVIRONMENT,
    "context": Injection.ENVIRONMENT,
}
_OPENING, _CLOSING = "<user_query>", "</user_query>"
_INJECTED_TAG = compile_later(rf"\s*<({'|'.join([*_KINDS, 'timestamp'])})(?:\s[^>]*)?>")
_BLANK = compile_later(r"\s*\Z")
# Thinking leaks into the text below headings that say what it is doing (`**Updating code logic**`): alone, before or
# after the words, with paragraphs in which the agent makes up its mind, or without.
_HEADING = compile_later(r"\*\*[^*\n]+\*\*")
_LEAKED_HEADING = compile_later(r"\*\*[A-Z]\w*ing\b[^*\n]*\*\*")
_DELIBERATION = compile_later(
    r"\b(?:I|[Ww]e)(?:['’](?:ll|d|m|re)| (?:need|should|think|want|can|can['’]t|could|might|must|wonder|will|plan))\b"
    r"|\b[Tt]he user\b|\b[Ll]et(?:['’]s| me)\b"
)
# Looks at a run of blank lines once: a text of nothing else must not take a minute.
_PARAGRAPHS = compile_later(r"(\n(?:[^\S\n]*+\n)+)")
_STRUCTURE = ("#", "-", "*", "|", ">", "```", "~~~", "1.")
# What stands where thinking was withheld.
_WITHHELD = compile_later(r"(?:^|(?<!\n)\n++)\[REDACTED\]\s*$")
_CLOCK = compile_later(r"(\w{3})\w* (\d+), (\d{4}),? (?:at )?(\d+:\d+) ?([AP]M) \((?:UTC|GMT)([+-]\d+)?(?::?(\d\d))?\)")
#: Cursor's own tool that asks the user, in its spellings. The names of servers' tools have more to them.
QUESTION_TOOLS = frozenset({"AskQuestion", "ask_question"})
_SKIPPED_QUESTION = "Questions skipped by the user"
_TEXT_PART = compile_later(r"\[(Tool call|Tool result|Thinking)\] ?(.*)")
# How deep a store's tree may be before it is taken for damaged.
_DEPTH = 16

Record = dict[str, Any]


@dataclass
class _Calls:
    """Links results to calls where the format gives no ids: a result belongs to the oldest call still open."""

    open: deque[str] = field(default_factory=deque)

    def asked(self, block: Record, place: str) -> str:
        call = string(block.get("id")) or string(block.get("toolCallId")) or place
        self.open.append(call)
        return call

    def answered(self, block: Record, place: str) -> str:
        call = string(block.get("tool_use_id")) or string(block.get("toolCallId"))
        if call in self.open:
            self.open.remove(call)
            return call
        return self.open.popleft() if self.open else call or place


def read_transcript(ref: SessionRef) -> Reading:
    """A transcript as JSON lines."""
    parent = transcript_parent(ref.path)
    account = Account()
    return Reading(_transcript_header(ref, parent), _record_lines(ref.path, account, bool(parent)), account)


def read_text_transcript(ref: SessionRef) -> Reading:
    """An older transcript as text."""
    parent = transcript_parent(ref.path)
    account = Account()
    return Reading(_transcript_header(ref, parent), _text_lines(ref.path, account, bool(parent)), account)


def read_store(ref: SessionRef) -> Reading:
    """A conversation of the command line agent."""
    with sqlite_file.opened(ref.path) as database:
        meta = store_meta(database)
        root = _blob(database, string(meta.get("latestRootBlobId")))
    beside = _beside(ref.path)
    header = Header(
        agent="cursor",
        run_id=string(meta.get("agentId")) or ref.run_id,
        cwd=string(beside.get("cwd")) or string(beside.get("workspacePath")) or folder_in(root),
        model=string(meta.get("lastUsedModel")) or None,
        started=instant(meta.get("createdAt")),
        title=string(meta.get("name")) or None,
    )
    account = Account()
    return Reading(header, _store_lines(ref.path, account), account)


def store_meta(database: AgentDatabase) -> Record:
    """What a store says about itself; empty when it is no store. The value is JSON, in hex since the first version."""
    if not {"id", "data"} <= database.columns("blobs") or "value" not in database.columns("meta"):
        return {}
    row = database.row("SELECT value FROM meta WHERE key = '0'")
    value = row[0] if row else ""
    try:
        return as_object(bytes.fromhex(value.decode() if isinstance(value, bytes) else value))
    except (ValueError, TypeError):
        return as_object(value)


def transcript_parent(path: Path) -> str | None:
    """The conversation a subagent's transcript belongs to: `<parent>/subagents/<id>.jsonl`."""
    return path.parent.parent.name if path.parent.name == "subagents" else None


def _transcript_header(ref: SessionRef, parent: str | None) -> Header:
    project = next((folder.parent for folder in ref.path.parents if folder.name == "agent-transcripts"), None)
    cwd = folder_of_slug(project.name, Path(ref.path.anchor or "/")) if project else None
    return Header(agent="cursor", run_id=ref.run_id, cwd=cwd, parent=parent)


def folder_of_slug(slug: str, anchor: Path) -> str | None:
    """The folder whose path, with a dash for everything but letters and digits, reads as the slug; None if it is gone.

    The slug alone is ambiguous (`a-b` may be `a/b`), so the folders that exist decide.
    """
    drive = re.match(r"([A-Za-z])-", slug) if os.name == "nt" else None
    if drive:
        anchor, slug = Path(f"{drive[1]}:/"), slug[2:]
    found = _descend(anchor, slug)
    return str(found) if found else None


def _descend(folder: Path, rest: str) -> Path | None:
    if not rest:
        return folder
    try:
        inside = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return None
    for name in inside:
        plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
        fits = plain and (rest == plain or rest.startswith(plain + "-"))
        if fits and (found := _descend(folder / name, rest[len(plain) + 1 :])):
            return found
    return None


def _record_lines(path: Path, account: Account, is_subagent: bool) -> Iterator[Line]:
    calls = _Calls()
    for number, record in jsonl.records(path, account):
        lines: Iterable[Line] = []
        if record.get("type") == "turn_ended":
            lines = _turn_end(record, number)
            reason = "end of a turn"
        elif (role := string(record.get("role"))) in {"user", "assistant", "system", "tool"}:
            content = as_object(record.get("message")).get("content", record.get("content"))
            lines = _message_lines(role, content, number, calls, is_subagent)
            reason = "empty message"
        else:
            reason = f"unknown: {record.get('type') or record.get('role')}"
        yield from _counted(number, lines, reason, account)


def _counted(number: int, found: Iterable[Line], reason: str, account: Account) -> list[Line]:
    try:
        lines = list(found)
    # Whatever a record does to its reader, it costs only itself.
    except Exception as error:
        account.trouble(number, f"unexpected shape: {type(error).__name__}: {error}")
        return []
    if lines:
        account.used += 1
    else:
        account.skip(reason)
    return lines


def _turn_end(record: Record, number: int) -> Iterator[Line]:
    status, error = string(record.get("status")), compact(record.get("error"))
    if "abort" in f"{status} {error}".lower() or "cancel" in status.lower():
        yield Event(**shown(error), src=number, kind=Happening.INTERRUPTED)
    elif status == "error":
        yield Event(**shown(error), src=number, kind=Happening.ERROR)


def _message_lines(role: str, content: object, number: int, calls: _Calls, is_subagent: bool) -> Iterator[Line]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
    for position, block in enumerate(blocks):
        yield from _block_lines(role, block, number, f"{number}.{position}", calls, is_subagent)


def _block_lines(role: str, block: Record, number: int, place: str, calls: _Calls, is_subagent: bool) -> Iterator[Line]:
    text = string(block.get("text"))
    match string(block.get("type")).replace("-", "_"):
        case "text":
            yield from _text_block(role, text, number, is_subagent)
        case "thinking" | "reasoning":
            if thought := string(block.get("thinking")) or text:
                yield Reasoning(**spoken(thought), src=number)
        case "tool_use" | "tool_call":
            asked = block.get("input", block.get("args"))
            name = string(block.get("name")) or string(block.get("toolName")) or "tool"
            yield ToolCall(**shown(call_text(asked)), src=number, tool=name, call=calls.asked(block, place))
        case "tool_result":
            yield from _result_block(block, number, calls.answered(block, place))
        case "image" | "file" | "image_url":
            url = block.get("image") or block.get("data") or block.get("url") or block.get("image_url")
            mark = payload(string(block.get("mimeType")) or string(block.get("mediaType")) or "image/", compact(url))
            yield Injected(text=mark, src=number, kind=Injection.ENVIRONMENT)
        case _ if text.strip():
            # A block of a kind we do not know: kept, but as nobody's words.
            yield Injected(**shown(text), src=number)


def _text_block(role: str, text: str, number: int, is_subagent: bool) -> Iterator[Line]:
    if role == "assistant":
        yield from _assistant_text(text, number)
    elif role == "user":
        yield from _user_text(text, number, is_subagent)
    elif text.strip():
        yield Injected(**shown(text), src=number, kind=Injection.INSTRUCTIONS)


def _assistant_text(text: str, number: int) -> Iterator[Line]:
    text = _WITHHELD.sub("", text)
    if _HEADING.fullmatch(text.strip()):
        yield Reasoning(text=text.strip(), src=number)
        return
    pen = Pen(number)
    for is_thought, piece in _without_leaks(text):
        if is_thought:
            yield pen.reasoning(piece)
        else:
            yield from pen.said(piece)


def _without_leaks(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces, each with whether it is a thought that leaked into it."""
    # Paragraphs and the blank lines between them, in turns.
    parts = _PARAGRAPHS.split(text)
    start = at = 0
    while at < len(parts):
        end = _leak_end(parts, at)
        if end > at:
            yield False, "".join(parts[start:at]).rstrip()
            yield True, "".join(parts[at:end]).strip()
            start = end + 1
        at = end + 1 if end > at else at + 2
    yield False, "".join(parts[start:])


def _leak_end(parts: list[str], at: int) -> int:
    """Behind the last paragraph of a thought whose heading is here; `at` itself when none begins here."""
    heading, _, rest = parts[at].strip().partition("\n")
    if not _LEAKED_HEADING.fullmatch(heading) or (rest and not _is_deliberation(rest)):
        return at
    end = at + 1
    # A heading of one word may well be the agent's: "Testing", "Pricing".
    while " " in heading and end + 1 < len(parts) and _is_deliberation(parts[end + 1]):
        end += 2
    has_body = rest or end > at + 1
    return end if has_body or not any(part.strip() for part in parts[end:]) else at


def _is_deliberation(paragraph: str) -> bool:
    return not paragraph.lstrip().startswith(_STRUCTURE) and _DELIBERATION.search(paragraph) is not None


def _user_text(text: str, number: int, is_subagent: bool) -> Iterator[Line]:
    """The user's words and what stands around them, in the order of the text."""
    query = _query_in(text)
    start, end = query or (-1, -1)
    at = _clock(text[:start] if query else text[:200])
    if query:
        yield from _injected(text[:start], number, at)
        words = text[start + len(_OPENING) : end].strip()
        yield from _query(words, number, at, is_subagent)
        yield from _injected(text[end + len(_CLOSING) :], number, at)
        return
    if _OPENING in text and _CLOSING in text:
        # A query that is inside something else, and none of the user's.
        yield from _injected(text, number, at)
        return
    rest = text
    while (tag := _INJECTED_TAG.match(rest)) and (close := rest.rfind(f"</{tag[1]}>")) >= 0:
        close += len(tag[1]) + 3
        yield from _injected(rest[:close], number, at)
        rest = rest[close:]
    yield from _query(rest.strip(), number, at, is_subagent)


def _query_in(text: str) -> tuple[int, int] | None:
    """Where the query begins and where it closes; None without one that is not inside another of Cursor's tags."""
    opened: dict[str, int] = {}
    for tag in _INJECTED_TAG.finditer(text):
        opened.setdefault(tag[1], tag.start())
    around = [(first, text.rfind(f"</{tag}>")) for tag, first in opened.items()]
    for found in re.finditer(_OPENING, text):
        start = found.start()
        if not any(first < start < last for first, last in around):
            ends = (close.start() for close in re.compile(_CLOSING).finditer(text, start))
            return next(((start, end) for end in ends if _is_followed_by_tags(text, end + len(_CLOSING))), None)
    return None


def _is_followed_by_tags(text: str, at: int) -> bool:
    return _BLANK.match(text, at) is not None or _INJECTED_TAG.match(text, at) is not None


def _query(query: str, number: int, at: str | None, is_subagent: bool) -> Iterator[Line]:
    if query and is_subagent:
        yield Injected(**shown(query), at=at, src=number, kind=Injection.NOTIFICATION)
    elif query:
        yield from Pen(number, at).typed(query)


def _injected(text: str, number: int, at: str | None) -> Iterator[Line]:
    while text.strip():
        tag = _TAG.match(text)
        piece = tag[0] if tag else text
        text = text[len(piece) :]
        if tag and tag[1] == "timestamp" and at:
            continue
        kind = _KINDS.get(tag[1], Injection.OTHER) if tag else Injection.OTHER
        for told in (piece,) if tag else _by_lines(piece):
            yield Injected(**shown(told.strip()), at=at, src=number, kind=kind)


def _by_lines(text: str) -> Iterator[str]:
    """Text that nothing encloses, in pieces that are not cut: only a line that is too long by itself is.

    A line with a speaker or a mark may be damaged; what follows it must not go with one that swelled.
    """
    piece = ""
    for line in text.splitlines(keepends=True):
        if piece.strip() and len(piece) + len(line) > MAX_TOOL_TEXT:
            yield piece
            piece = ""
        piece += line
    if piece.strip():
        yield piece


def _clock(text: str) -> str | None:
    """The time in a `<timestamp>` tag: ISO, or as people write it, `Friday, Feb 20, 2026, 9:05 AM (UTC+1)`."""
    tag = re.search(r"<timestamp>\s*(.*?)\s*</timestamp>", text, re.DOTALL)
    if tag is None:
        return None
    if written := _CLOCK.search(tag[1]):
        month, day, year, hour, half, offset, minutes = written.groups()
        sign, hours = (offset or "+0")[0], int((offset or "+0")[1:])
        zone = f"{sign}{hours:02}{minutes or '00'}"
        try:
            moment = datetime.strptime(f"{month} {day} {year} {hour} {half} {zone}", "%b %d %Y %I:%M %p %z")
        except ValueError:
            return None
        return instant(moment.isoformat())
    return instant(tag[1])


def _result_block(block: Record, number: int, call: str) -> Iterator[Line]:
    content = block.get("content", block.get("result", block.get("output")))
    text = "\n".join(string(item.get("text")) for item in objects(content)) or compact(content)
    failed = block.get("is_error", block.get("isError"))
    yield ToolResult(**shown(text), src=number, call=call, ok=not failed if isinstance(failed, bool) else None)
    if (
        string(block.get("toolName")) in QUESTION_TOOLS
        and not failed
        and text
        and not text.startswith(_SKIPPED_QUESTION)
    ):
        yield User(**spoken(text), src=number, via=Via.ANSWER)


def _text_lines(path: Path, account: Account, is_subagent: bool) -> Iterator[Line]:
    calls = _Calls()
    is_printed = False
    for number, role, body in _spoken_blocks(path):
        account.records += 1
        if role == "user":
            # Results are never printed here. One that is may hold anything, also lines that name a speaker.
            lines = list(_injected(body, number, None) if is_printed else _user_text(body, number, is_subagent))
        elif not role:
            lines = list(_injected(body, number, None))
        else:
            lines = list(_text_parts(body, number, calls))
            is_printed = is_printed or any(isinstance(line, ToolResult) and line.text for line in lines)
        yield from _counted(number, lines, "empty message", account)


def _spoken_blocks(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, speaker and text of each block. A speaker's line inside an open query is part of what was typed.

    What stands before the first of those lines is nobody's: a line with a speaker may have been damaged.
    """
    lines = read_bytes(path).decode("utf-8", "replace").split("\n")
    start, role, body, is_open = 0, "", list[str](), False
    for number, line in enumerate(lines, 1):
        if line.rstrip() in {"user:", "assistant:"} and not is_open:
            if role:
                yield start, role, "\n".join(body)
            start, role, body = number, line.rstrip().rstrip(":"), []
        elif role:
            body.append(line)
            is_open = (is_open or "<user_query>" in line) and "</user_query>" not in line
        elif line.strip():
            yield number, "", line
    if role:
        yield start, role, "\n".join(body)


def _text_parts(body: str, number: int, calls: _Calls) -> Iterator[Line]:
    """An assistant's block: marked parts run to the next mark; a call's input is what is indented below it."""
    kind, title, rows = "", "", list[str]()
    for position, line in enumerate([*body.split("\n"), "[Thinking] "]):
        mark = _TEXT_PART.match(line)
        over = kind.startswith("Tool call") and line and not line[0].isspace()
        if mark or over:
            yield from _text_part(kind, title, "\n".join(rows), number, f"{number}.{position}", calls)
            kind, title, rows = (mark[1], mark[2], []) if mark else ("", "", [line])
        else:
            rows.append(line)


def _text_part(kind: str, title: str, body: str, number: int, place: str, calls: _Calls) -> Iterator[Line]:
    if kind == "Tool call":
        yield ToolCall(**shown(body.strip()), src=number, tool=title.strip(), call=calls.asked({}, place))
    elif kind == "Tool result":
        printed, *beyond = [*_by_lines(body)] or [""]
        yield ToolResult(**shown(printed.strip()), src=number, call=calls.answered({}, place))
        yield from (Injected(**shown(piece.strip()), src=number) for piece in beyond)
    elif kind == "Thinking":
        if thought := f"{title}\n{body}".strip():
            yield Reasoning(**spoken(thought), src=number)
    elif body.strip():
        yield from _assistant_text(body.strip(), number)


def _beside(path: Path) -> Record:
    try:
        return as_object(read_bytes(path.parent / "meta.json"))
    except SourceError:
        return {}


def _store_lines(path: Path, account: Account) -> Iterator[Line]:
    with sqlite_file.opened(path) as database:
        root = string(store_meta(database).get("latestRootBlobId"))
        seen: set[str] = set()
        calls = _Calls()
        found = _leaves(database, root, seen, account) if _is_read(database, root) else _stored(database, seen, account)
        for number, blob in enumerate(found, 1):
            message = as_object(blob)
            role = string(message.get("role"))
            lines = _message_lines(role, message.get("content"), number, calls, False) if role else ()
            reason = "message without content" if role else "blob that is no message"
            yield from _counted(number, lines, reason, account)
        # After a summary or a rewind the root names other messages; the old ones stay, in no known order.
        for _ in {found for (found,) in database.rows("SELECT id FROM blobs")} - seen:
            account.records += 1
            account.skip("blob outside the current conversation")
        if not account.used:
            database.require_sound()


def _leaves(database: AgentDatabase, blob: str, seen: set[str], account: Account, depth: int = 0) -> Iterator[bytes]:
    """The messages below a node, in order; a message sent twice is one blob, named twice."""
    data = _blob(database, blob)
    if not data:
        return
    account.records += 1
    is_known = blob in seen
    seen.add(blob)
    if isinstance(parsed(data), dict):
        yield data
        return
    account.skip("node of the conversation tree")
    # Nodes that name each other over and over would be a conversation without end.
    if depth < _DEPTH and not is_known:
        for child in children(data):
            yield from _leaves(database, child, seen, account, depth + 1)


def _is_read(database: AgentDatabase, root: str) -> bool:
    """Whether a conversation can be read from its root: damaged, that names nothing."""
    data = _blob(database, root)
    return isinstance(parsed(data), dict) or any(_blob(database, child) for child in children(data))


def _stored(database: AgentDatabase, seen: set[str], account: Account) -> Iterator[bytes]:
    """All messages of a store in the order in which they were written: the best that is known without its root."""
    for (blob,) in database.rows("SELECT id FROM blobs ORDER BY rowid"):
        data = _blob(database, str(blob))
        if isinstance(parsed(data), dict):
            account.records += 1
            seen.add(str(blob))
            yield data


def _blob(database: AgentDatabase, blob: str) -> bytes:
    row = database.row("SELECT data FROM blobs WHERE id = ?", blob)
    data = row[0] if row else b""
    # A number is no content, and `bytes` would make as many zeros of it.
    return data.encode() if isinstance(data, str) else data if isinstance(data, bytes) else b""


def children(node: bytes) -> list[str]:
    """The blob ids in a protobuf message: those of field 1, which is the conversation, or else all there are."""
    found = [(number, value.hex()) for number, value in fields(node) if isinstance(value, bytes) and len(value) == 32]
    return [child for number, child in found if number == 1] or [child for _, child in found]
