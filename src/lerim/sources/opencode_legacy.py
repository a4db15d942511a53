"""The Go program that was OpenCode before: `<repo>/.opencode/opencode.db` with `sessions` and `messages`.

Times are in seconds although its schema says milliseconds. Parts are JSON in the message row.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lerim.dataclass import replace
from lerim.errors import SourceError
from lerim.sources import sqlite_file, zstd
from lerim.sources.base import Account, Reading, SessionRef
from lerim.sources.opencode_parts import user_lines
from lerim.sources.pieces import Pen
from lerim.sources.plain_file import MAX_DOCUMENT_BYTES
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import (
    Event,
    Happening,
    Header,
    Injected,
    Injection,
    Line,
    Reasoning,
    ToolCall,
    ToolResult,
)
from lerim.sources.values import as_object, call_text, compact, instant, objects, parsed, payload, shown, spoken, string

_ENDINGS = {
    "canceled": Happening.INTERRUPTED,
    "cancelled": Happening.INTERRUPTED,
    "error": Happening.ERROR,
    "permission_denied": Happening.REJECTED,
}

Part = dict[str, Any]


def is_legacy(database: AgentDatabase) -> bool:
    """Whether these are its tables; others have `sessions` and `messages`, but not the parts in them."""
    return {"session_id", "role", "parts"} <= database.columns("messages") and bool(database.columns("sessions"))


def listed(database: AgentDatabase) -> list[tuple[str, str]]:
    """Id and fingerprint of the sessions that have messages."""
    if not is_legacy(database):
        return []
    # An answer grows in its row while its session's stays as it is, and times are whole seconds.
    sizes = dict(database.rows("SELECT session_id, sum(length(parts)) FROM messages GROUP BY session_id"))
    found = database.rows("SELECT id, updated_at, message_count FROM sessions ORDER BY created_at, id")
    return [(run_id, f"{updated}-{messages}-{sizes.get(run_id)}") for run_id, updated, messages in found if messages]


def read(ref: SessionRef) -> Reading:
    """One session. Raises SourceError when it is not there."""
    with sqlite_file.opened(ref.path) as database:
        if not is_legacy(database):
            raise SourceError(f"{ref.path} is not an OpenCode database")
        row = database.row(
            "SELECT title, parent_session_id, created_at, prompt_tokens, completion_tokens FROM sessions WHERE id = ?",
            ref.run_id,
        )
        models = "SELECT model FROM messages WHERE session_id = ? AND model <> '' ORDER BY created_at, rowid LIMIT 1"
        model = database.row(models, ref.run_id)
    if row is None:
        raise SourceError(f"{ref.path} has no session {ref.run_id}")
    title, parent, created, prompted, completed = row
    header = Header(
        agent="opencode",
        run_id=ref.run_id,
        cwd=_folder(ref.path),
        model=string(model[0]) if model else None,
        started=instant(created),
        title=None if title == "New Session" else string(title) or None,
        parent=string(parent) or None,
    )
    account = Account(input_tokens=prompted or 0, output_tokens=completed or 0)
    return Reading(header, _lines(ref, account, bool(parent)), account)


def _folder(path: Path) -> str | None:
    return str(path.parent.parent) if path.parent.name == ".opencode" else None


def _lines(ref: SessionRef, account: Account, is_subagent: bool) -> Iterator[Line]:
    with sqlite_file.opened(ref.path) as database:
        # Seconds are too coarse to order by; rows are only ever added.
        rows = database.rows("SELECT rowid FROM messages WHERE session_id = ? ORDER BY created_at, rowid", ref.run_id)
        for (number,) in rows:
            message = database.row("SELECT role, parts, created_at FROM messages WHERE rowid = ?", number)
            role, parts, created = message or ("", "[]", 0)
            yield from _message_lines(role, _plain(ref.path, parts), created, account, is_subagent)


def _plain(path: Path, parts: object) -> object:
    """The parts of a message; Crush compresses them since 2026."""
    if isinstance(parts, bytes) and parts.startswith(zstd.MAGIC):
        return zstd.row_bytes(path, parts, MAX_DOCUMENT_BYTES)
    return parts


def _message_lines(role: str, parts: object, created: int, account: Account, is_subagent: bool) -> Iterator[Line]:
    found = parsed(parts)
    if not isinstance(found, list):
        account.records += 1
        account.trouble(account.records, "parts are not JSON")
        return
    for part in objects(found):
        account.records += 1
        kind = string(part.get("type"))
        lines = list(
            _part_lines(role, kind, as_object(part.get("data")), instant(created), account.records, is_subagent)
        )
        if lines:
            account.used += 1
        else:
            account.skip(
                "finish" if kind == "finish" else f"empty {kind}" if kind == "text" else f"unknown: part {kind}"
            )
        yield from lines


def _part_lines(role: str, kind: str, data: Part, at: str | None, number: int, is_subagent: bool) -> Iterator[Line]:
    text = string(data.get("text")) or string(data.get("thinking"))
    match kind:
        case "text" if text.strip():
            yield from _text_lines(role, text, at, number, is_subagent)
        case "reasoning" if text.strip():
            yield Reasoning(**spoken(text), at=at, src=number)
        case "tool_call":
            asked, name = call_text(data.get("input")), string(data.get("name"))
            yield ToolCall(**shown(asked), at=at, src=number, tool=name, call=string(data.get("id")))
        case "tool_result":
            call, ok = string(data.get("tool_call_id")), not data.get("is_error")
            yield ToolResult(**shown(compact(data.get("content"))), at=at, src=number, call=call, ok=ok)
        case "image_url" | "binary":
            mime, url = string(data.get("MIMEType")) or "image/", string(data.get("url"))
            mark = payload(mime, url or f"data:;base64,{compact(data.get('Data'))}", string(data.get("Path")))
            yield Injected(text=mark, at=at, src=number, kind=Injection.ENVIRONMENT)
        case "finish":
            if ending := _ENDINGS.get(string(data.get("reason"))):
                yield Event(text="", at=at, src=number, kind=ending)


def _text_lines(role: str, text: str, at: str | None, number: int, is_subagent: bool) -> Iterator[Line]:
    if role != "user":
        yield from Pen(number, at).said(text)
    elif is_subagent:
        yield Injected(**shown(text), at=at, src=number, kind=Injection.NOTIFICATION)
    else:
        yield from (replace(line, src=number) for line in user_lines(text, at))
