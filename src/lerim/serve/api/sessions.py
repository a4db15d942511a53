"""Sessions over HTTP: which there are, what each says, what became of it; and the syncs that take them in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from lerim.context.records import parse_time
from lerim.errors import TraceError, UsageError
from lerim.payloads.progress import SyncStartedPayload, sync_started_payload
from lerim.payloads.runs import DuePayload, TakenPayload, due_payload, taken_payload
from lerim.payloads.sessions import (
    AuditPayload,
    QueuedPayload,
    QueuePayload,
    SessionPayload,
    SheetPayload,
    TraceLinePayload,
    UnscopedPayload,
    audit_payload,
    queue_payload,
    queued_payload,
    session_payload,
    sheet_payload,
    trace_payload,
    unscoped_payload,
)
from lerim.payloads.web import PagePayload, page_payload
from lerim.payloads.why import ConsideredPayload, considered_payload
from lerim.serve.api.asking import Call, Limited, Nothing
from lerim.serve.api.pages_of import cursor_after, key_of, limit_of, paged
from lerim.serve.api.table import ApiTable
from lerim.serve.web.opened import project_of
from lerim.sessions.room import Sessions
from lerim.sessions.session import Session, SessionState
from lerim.sources.trace import Header

SESSIONS = ApiTable()
_WHO = Literal["user", "assistant", "reasoning", "tool_call", "tool_result", "injected", "event", "moved"]
_WAITING = (SessionState.RUNNING, SessionState.FAILED, SessionState.DEAD, SessionState.PENDING)
_LISTED = 50


class WindowAsked(TypedDict):
    since: NotRequired[Annotated[str, "only sessions active since then (default: the configured window)"]]
    all: NotRequired[Annotated[bool, "all sessions, no matter how old"]]


class SessionListAsked(WindowAsked, Limited):
    agent: NotRequired[Annotated[str, "only this agent's sessions"]]
    state: NotRequired[Annotated[SessionState, "only sessions in this state"]]


class QueueAsked(WindowAsked):
    state: NotRequired[Annotated[SessionState, "only sessions in this state"]]


class TraceAsked(Limited):
    who: NotRequired[Annotated[list[_WHO], "only these lines; repeat for several"]]
    first: NotRequired[Annotated[int, "only from this line on"]]
    last: NotRequired[Annotated[int, "only up to this line"]]


class SkipAsked(TypedDict):
    reason: NotRequired[Annotated[str, "why, for the audit"]]


class TraceImportAsked(TypedDict):
    text: Annotated[str, "canonical JSON lines, messages, or plain text"]
    name: Annotated[str, "what it shall be called"]
    cwd: NotRequired[Annotated[str, "the folder it belongs to (default: the project's)"]]
    profile: NotRequired[Annotated[str, "how it is read (default: as its project's sessions)"]]


class SyncAsked(WindowAsked):
    only: NotRequired[Annotated[str, "only this project's sessions (default: all projects)"]]
    limit: NotRequired[Annotated[int, "at most this many sessions, oldest first"]]
    jobs: NotRequired[Annotated[int, "read so many sessions at once (default: 1)"]]


def within(call: Call[Any]) -> Sessions:
    """The sessions within the window that is asked for, after a look at the disk."""
    asked, sessions = call.asked, call.lerim.sessions
    if asked.get("all") and "since" in asked:
        raise UsageError("'all' and 'since' cannot be used together", hint="drop one of them")
    if asked.get("all"):
        sessions = sessions.since(None)
    elif "since" in asked:
        sessions = sessions.since(parse_time(asked["since"], "since"))
    sessions.discover()
    return sessions


def the_session(call: Call[Any]) -> Session:
    """The session that a path names."""
    return call.lerim.sessions.find(f"{call.named('agent')}/{call.named('run')}")


def _moment(session: Session) -> tuple[str, int]:
    return session.started or session.active, session.id


@SESSIONS.get("/sessions", "sessions list")
def list_sessions(call: Call[SessionListAsked]) -> PagePayload[SessionPayload]:
    """The agents' sessions on this machine, newest first."""
    asked, sessions = call.asked, within(call)
    names = [source.name for source in sessions.sources]
    if "agent" in asked and asked["agent"] not in names:
        raise UsageError(f"unknown agent '{asked['agent'][:60]}'", hint=f"one of {', '.join(names)}")
    found = [one for one in sessions.queue.list(asked.get("state")) if asked.get("agent") in (None, one.agent)]
    items, after = paged(sorted(found, key=_moment, reverse=True), _moment, asked, str, int)
    return page_payload(call.lerim.titled(sessions.named(items)), session_payload, after)


@SESSIONS.get("/sessions/unscoped", "unscoped")
def unscoped_sessions(call: Call[WindowAsked]) -> list[UnscopedPayload]:
    """Sessions that belong to no project, and the command that assigns one."""
    return [unscoped_payload(group) for group in within(call).unscoped()]


@SESSIONS.get("/sessions/audit", "audit")
def audit_sessions(call: Call[WindowAsked]) -> AuditPayload:
    """Account for every discovered session and byte: ingested, waiting, skipped or failed."""
    return audit_payload(within(call).audit())


@SESSIONS.get("/sessions/{agent}/{run}", "sessions show")
def show_session(call: Call[Nothing]) -> SessionPayload:
    """One session: where it comes from, its size, and its state."""
    return session_payload(the_session(call))


@SESSIONS.get("/sessions/{agent}/{run}/trace", "trace show")
def show_trace(call: Call[TraceAsked]) -> PagePayload[TraceLinePayload]:
    """A session's transcript, with the line numbers that evidence refers to."""
    asked, limit, after = call.asked, limit_of(call.asked), key_of(call.asked.get("cursor"), int)
    first = max(asked.get("first", 1), int(after[0]) + 1 if after else 1)
    shown = [
        (number, item)
        for number, item in call.lerim.sessions.show(the_session(call)).items
        if first <= number <= asked.get("last", number)
        and ("who" not in asked or (not isinstance(item, Header) and item.type in asked["who"]))
    ]
    more = cursor_after((shown[limit - 1][0],)) if len(shown) > limit else None
    return {"items": trace_payload(shown[:limit]), "next": more}


@SESSIONS.get("/sessions/{agent}/{run}/sheet", "trace sheet")
def show_sheet(call: Call[Nothing]) -> list[SheetPayload]:
    """A session as the readers of memories get it: numbered statements, what each answers, and what came of it."""
    return [sheet_payload(one) for one in call.lerim.sheet(the_session(call), call.lerim.sessions)]


@SESSIONS.get("/sessions/{agent}/{run}/considered", "why")
def show_considered(call: Call[Nothing]) -> ConsideredPayload:
    """All that the newest run over a session considered: kept, for review, rejected."""
    return considered_payload(call.lerim.considered(f"{call.named('agent')}/{call.named('run')}"))


@SESSIONS.post("/sessions/{agent}/{run}/skip", "skip")
def skip_session(call: Call[SkipAsked]) -> SessionPayload:
    """Exclude a session for good, even when it changes."""
    reason = call.asked.get("reason", "skipped by hand")
    return session_payload(call.lerim.sessions.queue.skip(the_session(call).id, reason))


@SESSIONS.post("/sessions/{agent}/{run}/retry", "retry")
def retry_session(call: Call[Nothing]) -> QueuedPayload:
    """Take a session again, even if it was skipped or is done."""
    call.lerim.sessions.queue.enqueue(the_session(call).id)
    return queued_payload(1)


@SESSIONS.post("/sessions/{agent}/{run}/ingest", "ingest", takes_long=True)
def ingest_session(call: Call[Nothing]) -> TakenPayload:
    """Ingest one session now."""
    call.lerim.setup.adopt()
    return taken_payload(call.lerim.ingest(the_session(call)))


@SESSIONS.get("/queue", "queue")
def show_queue(call: Call[QueueAsked]) -> QueuePayload:
    """Which sessions are waiting, running and failed, with their errors."""
    sessions = within(call)
    wanted = (call.asked["state"],) if "state" in call.asked else _WAITING
    listed = [one for state in wanted for one in sessions.queue.list(state, limit=_LISTED)]
    return queue_payload(sessions.queue.counts(), sessions.named(listed))


@SESSIONS.post("/queue/retry", "retry")
def retry_all(call: Call[Nothing]) -> QueuedPayload:
    """Try all failed and dead sessions again, now."""
    call.lerim.sessions.discover()
    return queued_payload(call.lerim.sessions.queue.retry())


@SESSIONS.post("/traces", "trace import", code=201, takes_long=True)
def import_trace(call: Call[TraceImportAsked]) -> list[SessionPayload]:
    """Import a trace of your own."""
    asked = call.asked
    if "profile" in asked:
        call.lerim.house.rules.profiles.find(asked["profile"])
    cwd = Path(asked["cwd"]) if "cwd" in asked else None
    try:
        found = call.lerim.traces.add_all(asked["text"], asked["name"], cwd, asked.get("profile"))
    except TraceError as error:
        raise UsageError(f"line {error.line}: {error.message}", hint=error.hint) from error
    return [session_payload(session) for session in found]


@SESSIONS.get("/sync/due", "sync")
def due_sessions(call: Call[SyncAsked]) -> DuePayload:
    """What a sync would ingest now, and what it would cost."""
    asked, lerim, sessions = call.asked, call.lerim, within(call)
    project = lerim.project(asked["only"]) if "only" in asked else None
    older = not ("since" in asked or asked.get("all"))  # As a sync does: whoever names a window has it.
    due = lerim.intake.due(sessions, project, asked.get("limit"), older=older)
    return due_payload(due, lerim.intake.forecast(sessions, due))


@SESSIONS.post("/sync", "sync", "ingest", code=202)
def start_sync(call: Call[SyncAsked]) -> SyncStartedPayload:
    """Find new sessions and ingest them, in the background: `/events` tells how far it has come."""
    asked, state = call.asked, call.request.app.state
    within_range = {"limit": (1, 10**9), "jobs": (1, 64)}
    flags: list[str] = ["--all"] if asked.get("all") else []
    for name, (least, most) in within_range.items():
        number = asked.get(name)
        if isinstance(number, int):
            if not least <= number <= most:
                raise UsageError(f"'{name}' must be from {least} to {most}")
            flags.append(f"--{name}={number}")
    if "since" in asked:
        parse_time(asked["since"], "since")
        flags.append(f"--since={asked['since']}")
    if "only" in asked:
        flags.append(f"--project={call.lerim.project(asked['only']).id}")
    pid, started = state.syncs.start(state.opener.folder(project_of(call.request)), flags)
    return sync_started_payload(pid, started=started)
