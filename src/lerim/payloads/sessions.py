"""Sessions of agents: what is known of each, and what is to be done with them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

if TYPE_CHECKING:
    from lerim.ingest.sheet.page import Sheet
    from lerim.sessions.audit import Audit
    from lerim.sessions.catalog import UnscopedSessions
    from lerim.sessions.session import Session, SessionState
    from lerim.sources.trace import Header, Line


class SessionPayload(TypedDict):
    name: str
    id: int
    agent: str
    run_id: str
    path: str
    state: str
    reason: str | None
    project_id: str | None
    project_root: str | None
    cwd: str | None
    other_cwds: list[str]
    branch: str | None
    model: str | None
    version: str | None
    title: str | None
    started: str | None
    ended: str | None
    active: str
    turns: int | None
    tool_calls: int | None
    errors: int | None
    input_tokens: int | None
    output_tokens: int | None
    size: int | None
    fingerprint: str
    parent: str | None
    forked_from: str | None
    rewritten: bool
    gone: bool
    attempts: int
    deaths: int
    worker: str | None


class UnscopedPayload(TypedDict):
    folder: str | None
    sessions: int
    last_active: str
    fix: str | None
    reason: str | None


class AuditEntryPayload(TypedDict):
    fate: str
    reason: str | None
    sessions: int
    bytes: int


class AuditPayload(TypedDict):
    sessions: int
    bytes: int
    whole: bool
    entries: list[AuditEntryPayload]


class QueuePayload(TypedDict):
    counts: dict[str, int]
    sessions: list[SessionPayload]


class QueuedPayload(TypedDict):
    queued: int


class TraceLinePayload(TypedDict):
    line: int
    type: str
    schema: NotRequired[int]
    text: NotRequired[str]
    at: NotRequired[str]
    src: NotRequired[int]
    undone: NotRequired[bool]
    cut: NotRequired[int]
    via: NotRequired[str]
    tool: NotRequired[str]
    call: NotRequired[str]
    ok: NotRequired[bool]
    exit_code: NotRequired[int]
    running: NotRequired[bool]
    kind: NotRequired[str]
    agent: NotRequired[str]
    run_id: NotRequired[str]
    cwd: NotRequired[str]
    branch: NotRequired[str]
    model: NotRequired[str]
    version: NotRequired[str]
    started: NotRequired[str]
    title: NotRequired[str]
    parent: NotRequired[str]
    forked_from: NotRequired[str]
    remote: NotRequired[str]


class SheetUnitPayload(TypedDict):
    id: str
    speaker: str
    line: int
    text: str
    manner: str
    answers: list[str]
    taken_up: list[str]


class SheetNotePayload(TypedDict):
    line: int
    note: str


class NearRecordPayload(TypedDict):
    id: str
    record: str
    primitive: str
    kind: str | None
    title: str


class SheetPayload(TypedDict):
    session: str
    part: int
    parts: int
    tokens: int
    facts: str
    goal: str
    known: list[NearRecordPayload]
    units: list[SheetUnitPayload]
    notes: list[SheetNotePayload]
    deeds: list[str]


def session_payload(session: "Session") -> SessionPayload:
    # The fields of a session, in their order; those that are not JSON are put into text.
    texts = {
        "path": str(session.path),
        "state": str(session.state),
        "project_root": str(session.project_root) if session.project_root else None,
    }
    return cast(SessionPayload, {"name": session.name, **vars(session), **texts})


def unscoped_payload(group: "UnscopedSessions") -> UnscopedPayload:
    return {
        "folder": str(group.folder) if group.folder else None,
        "sessions": group.sessions,
        "last_active": group.last_active,
        "fix": group.fix,
        "reason": group.reason,
    }


def audit_payload(view: "Audit") -> AuditPayload:
    return {
        "sessions": view.sessions,
        "bytes": view.bytes,
        "whole": view.is_whole,
        "entries": [
            {"fate": str(entry.fate), "reason": entry.reason, "sessions": entry.sessions, "bytes": entry.bytes}
            for entry in view.entries
        ],
    }


def queue_payload(counts: Mapping["SessionState", int], listed: Sequence["Session"]) -> QueuePayload:
    return {
        "counts": {str(state): count for state, count in counts.items()},
        "sessions": [session_payload(session) for session in listed],
    }


def queued_payload(count: int) -> QueuedPayload:
    return {"queued": count}


def trace_payload(lines: Iterable[tuple[int, "Header | Line"]]) -> list[TraceLinePayload]:
    from lerim.sources.trace import encode  # Start-up: only reading a trace needs it.

    return [cast(TraceLinePayload, {"line": number, **json.loads(encode(line))}) for number, line in lines]


def sheet_payload(sheet: "Sheet") -> SheetPayload:
    notes = [entry for entry in sheet.entries if entry not in sheet.units.values()]
    return {
        "session": sheet.session,
        "part": sheet.part,
        "parts": sheet.parts,
        "tokens": sheet.tokens,
        "facts": sheet.facts,
        "goal": sheet.goal,
        "known": [
            {
                "id": near.id,
                "record": near.record,
                "primitive": str(near.primitive),
                "kind": str(near.kind) if near.kind else None,
                "title": near.title,
            }
            for near in sheet.known
        ],
        "units": [
            {
                "id": unit.id,
                "speaker": str(unit.speaker),
                "line": unit.line,
                "text": unit.text,
                "manner": unit.manner,
                "answers": list(unit.answers),
                "taken_up": list(unit.taken_up),
            }
            for unit in sheet.units.values()
        ],
        "notes": [{"line": note.line, "note": note.text} for note in notes],
        "deeds": list(sheet.deeds),
    }
