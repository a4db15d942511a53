"""Sessions: all agents' sessions and what state each is in; one of them line by line, and what it taught."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.routing import Route

from lerim.dataclass import dataclass
from lerim.errors import UsageError
from lerim.payloads.sessions import session_payload
from lerim.payloads.why import considered_payload
from lerim.serve.pages.charts import size_told
from lerim.serve.pages.shell import count as counted
from lerim.serve.pages.shell import form_of, link_to, page, see_other
from lerim.serve.pages.transcript import CitedLine, ShownTraceLine, cited_lines, shown_lines
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.context.place import Kept
    from lerim.payloads.why import ConsideredPayload
    from lerim.service import Lerim
    from lerim.sessions.listing import SessionDay, SessionFilter
    from lerim.sessions.session import Session

#: Sessions on a page of the list, days on its strip, and lines on a page of a transcript.
PER_PAGE = 50
DAYS = 90
LINES = 200
STATES = ("pending", "running", "done", "failed", "dead", "skipped")
#: What each state means, in a word and in a sentence.
STATE_WORDS = {
    "pending": ("waiting", "It waits for its turn."),
    "running": ("running", "It is being read right now."),
    "done": ("read", "It was read as it is now."),
    "failed": ("failed", "Reading it failed; it will be tried again by itself."),
    "dead": ("given up", "Reading it failed again and again; it waits for you."),
    "skipped": ("left out", "It is left out."),
}
#: How states are told apart on the strip: a few groups.
_GROUPS = {"done": "read", "pending": "waiting", "running": "waiting", "failed": "failed", "dead": "failed"}
GROUPS = ("read", "waiting", "failed", "left out")
ALL, HERE, NONE = "all", "here", "none"
_SAID = {
    "retry": "It waits for its turn again: the next sync reads it.",
    "skip": "It is left out from now on, even when it changes. “Read it again” takes it back in.",
    "ingest": "It was read just now.",
}


# --- the list


@dataclass(frozen=True)
class SessionsAsked:
    """What the list is asked for."""

    agent: str
    state: str
    project: str
    text: str
    day: str
    page: int

    @classmethod
    def of(cls, query: QueryParams) -> SessionsAsked:
        number = query.get("page", "1")
        return cls(
            query.get("agent", ""),
            query.get("state", ""),
            query.get("in", ""),
            query.get("q", ""),
            query.get("day", ""),
            min(int(number), 10**6) if number.isdecimal() and int(number[:8]) else 1,
        )

    def query(self, **other: str | int) -> str:
        """The same with something else, as the end of an address; from its first page on."""
        asked = {"agent": self.agent, "state": self.state, "in": self.project, "q": self.text, "day": self.day}
        found = {name: value for name, value in {**asked, **other}.items() if value}
        return f"?{urlencode(found)}" if found else "?"


async def sessions(request: Request) -> Response:
    asked = SessionsAsked.of(request.query_params)
    found = await in_lerim(request, partial(_listed, asked))
    return page(
        request,
        "sessions.html",
        asked=asked,
        states=STATES,
        words=STATE_WORDS,
        size=size_told,
        groups=GROUPS,
        address=partial(session_address, request),
        **found,
    )


async def look(request: Request) -> Response:
    """Look at the disk for what is new."""
    await form_of(request)
    found = await in_lerim(request, lambda lerim: lerim.sessions.discover(), takes_long=True)
    return see_other(
        request, "/sessions", f"Looked at the disk: {counted(found.new, 'new session')}, {found.grown:,} grown."
    )


def _listed(asked: SessionsAsked, lerim: Lerim) -> dict[str, Any]:
    listing = lerim.sessions.listing
    here = project_here(lerim)
    chosen = asked.project or (HERE if here else ALL)
    wanted = _wanted(asked, chosen, here)
    found = listing.page(wanted, PER_PAGE, PER_PAGE * (asked.page - 1))
    shown = lerim.sessions.named(found.sessions)
    counts = listing.projects()
    names = {project.id: project.name for project in lerim.projects.all() if not project.is_global}
    return {
        "sessions": [session_payload(one) for one in shown],
        "total": found.total,
        "first": PER_PAGE * (asked.page - 1),
        "pages": -(-found.total // PER_PAGE),
        "strip": _strip(listing.days(wanted, DAYS)),
        "agents": listing.agents(),
        "counts": listing.states(wanted),
        "chosen": chosen,
        "here": here,
        "of_projects": {one: (name, counts.get(one, 0)) for one, name in names.items() if counts.get(one)},
        "everywhere": sum(counts.values()),
        "homeless": counts.get("", 0),
        "project_names": names,
    }


def project_here(lerim: Lerim) -> str | None:
    """The id of the project that a request is about; None when it is about none."""
    root = lerim.house.project_root
    project = lerim.projects.at(root) if root else None
    return project.id if project else None


def _wanted(asked: SessionsAsked, chosen: str, here: str | None) -> SessionFilter:
    from lerim.sessions.listing import SessionFilter
    from lerim.sessions.session import NO_PROJECT, SessionState

    if asked.state and asked.state not in STATES:
        raise UsageError(f"no session is '{asked.state[:40]}'", hint=f"one of {', '.join(STATES)}")
    project = {ALL: None, HERE: here, NONE: NO_PROJECT}.get(chosen, chosen)
    state = SessionState(asked.state) if asked.state else None
    return SessionFilter(asked.agent or None, state, project, asked.day or None, asked.text)


@dataclass(frozen=True)
class StripBar:
    """A day on the strip: how tall each group of states stands, from the bottom up, in percent."""

    day: str
    at: float
    #: (group, y, height)
    parts: tuple[tuple[int, float, float], ...]
    counts: Mapping[str, int]
    total: int


@dataclass(frozen=True)
class Strip:
    """Sessions day by day."""

    first: str
    last: str
    most: int
    bars: tuple[StripBar, ...]


def _strip(days: Sequence[SessionDay]) -> Strip | None:
    try:
        last = date.fromisoformat(days[-1].day)
        first = last - timedelta(days=DAYS - 1)
    except (IndexError, ValueError, OverflowError):
        return None
    most = max(day.total for day in days)
    bars = []
    for day in days:
        counts: dict[str, int] = defaultdict(int)
        for state, count in day.counts.items():
            counts[_GROUPS.get(state, GROUPS[-1])] += count
        at = (date.fromisoformat(day.day) - first).days
        bars.append(StripBar(day.day, float(at), _parts(counts, most), dict(counts), day.total))
    return Strip(first.isoformat(), last.isoformat(), most, tuple(bars))


def _parts(counts: Mapping[str, int], most: int) -> tuple[tuple[int, float, float], ...]:
    parts, top = [], 100.0
    for number, group in enumerate(GROUPS):
        if counts.get(group):
            # A single session among thousands is still to be seen.
            tall = max(100.0 * counts[group] / most, 2.0)
            top = max(top - tall, 0.0)
            parts.append((number, round(top, 2), round(tall, 2)))
    return tuple(parts)


# --- one session


async def session(request: Request) -> Response:
    name = f"{request.path_params['agent']}/{request.path_params['run']}"
    query = request.query_params
    found = await in_lerim(
        request, partial(_session, name, _number(query, "line"), _number(query, "from"), "whole" in query)
    )
    return page(
        request,
        "session.html",
        words=STATE_WORDS,
        size=size_told,
        address=partial(session_address, request),
        **found,
    )


async def act(request: Request) -> Response:
    """Read it again, now or when its turn comes, or leave it out."""
    form = await form_of(request)
    name = f"{request.path_params['agent']}/{request.path_params['run']}"
    action, reason = str(form.get("action", "")), str(form.get("reason", "")).strip()[:500]
    if action not in _ACTIONS:
        raise UsageError("that is nothing to do with a session", hint=f"one of {', '.join(_ACTIONS)}")

    def work(lerim: Lerim) -> None:
        sessions = lerim.sessions
        sessions.discover()
        _ACTIONS[action](lerim, sessions.find(name), reason)

    await in_lerim(request, work, takes_long=action == "ingest")
    return see_other(request, session_path(*name.split("/", 1)), _SAID[action])


def _retry(lerim: Lerim, session: Session, reason: str) -> None:
    lerim.sessions.queue.enqueue(session.id)


def _skip(lerim: Lerim, session: Session, reason: str) -> None:
    lerim.sessions.queue.skip(session.id, reason or "skipped by hand")


def _ingest(lerim: Lerim, session: Session, reason: str) -> None:
    lerim.ingest(session)


_ACTIONS = {"retry": _retry, "skip": _skip, "ingest": _ingest}


def session_path(agent: str, run_id: str) -> str:
    """Where a session is shown, inside of its project."""
    return f"/sessions/{quote(agent, safe='')}/{quote(run_id, safe='')}"


def session_address(request: Request, agent: str, run_id: str, project_id: str | None = None) -> str:
    """Where a session is shown: among the memories of its own project, when it is known which that is."""
    path = session_path(agent, run_id)
    return f"/p/{quote(project_id, safe='')}{path}" if project_id else link_to(request, path)


def _number(query: QueryParams, name: str) -> int:
    """A line that is asked for; 0 when none is."""
    text = query.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _session(name: str, line: int, first: int, whole: bool, lerim: Lerim) -> dict[str, Any]:
    session = lerim.sessions.find(name)
    taught = _taught(lerim, session)
    start = max(1, first) if first else max(1, (line - 1) // LINES * LINES + 1)
    cited = cited_lines(session, (kept.record for kept in taught))
    return {
        "session": session_payload(session),
        "project_name": session.project_root.name if session.project_root else None,
        "taught": [_told(kept) for kept in taught if kept.record.primitive != "summary"],
        "summary": next((_told(kept) for kept in taught if kept.record.primitive == "summary"), None),
        "considered": _considered(lerim, session, taught),
        "cited": sorted(cited),
        "line": line,
        "page_lines": LINES,
        "session_path": session_path(session.agent, session.run_id),
        **_transcript(lerim, session, start, 1 if whole else LINES, cited, whole=whole),
    }


def _taught(lerim: Lerim, session: Session) -> list[Kept]:
    """The memories that rest on a session, in the order of their lines; its summary among them."""
    from lerim.context.filters import Filter

    found = lerim.memory.select(Filter(statuses=(), sessions={(session.agent, session.run_id)}))
    own = (session.agent, session.run_id)
    return sorted(
        found,
        key=lambda kept: min((e.first_line for e in kept.record.evidence if (e.agent, e.run_id) == own), default=0),
    )


def _told(kept: Kept) -> dict[str, Any]:
    from lerim.payloads.memory import kept_payload

    return {"kind": None, "description": None, **kept_payload(kept), "doubt": kept.doubt}


def _considered(lerim: Lerim, session: Session, taught: Iterable[Kept]) -> ConsideredPayload | None:
    """What the newest run over a session considered, found by what it wrote: however many runs there are."""
    from lerim.runtime.why import considered_by

    summary = next((kept for kept in taught if kept.record.primitive == "summary"), None)
    versions = reversed(lerim.memory.history(summary)) if summary else ()
    runs = dict.fromkeys(one.run_id for one in versions if one.run_id)
    found = (considered_by(session.name, run_id, lerim.runs) for run_id in runs)
    newest = next((one for one in found if one is not None), None)
    return considered_payload(newest) if newest else None


def _transcript(
    lerim: Lerim, session: Session, first: int, count: int, cited: Mapping[int, Sequence[CitedLine]], *, whole: bool
) -> dict[str, Any]:
    from lerim.errors import LerimError

    lines: list[ShownTraceLine] = []
    last: int | None = 0
    is_archived, trouble = False, ""
    try:
        found = lerim.sessions.window(session, first, count)
        lines = shown_lines(found.items, cited, whole=whole)
        last, is_archived = found.last, found.is_archived
    except (LerimError, OSError) as error:
        trouble = str(error)
    return {
        "lines": lines,
        "first": first,
        "until": lines[-1].number if lines else first,
        "last": last,
        "is_archived": is_archived,
        "trouble": trouble,
        "whole": whole,
    }


ROUTES = [
    Route("/sessions", sessions),
    Route("/sessions/look", look, methods=["POST"]),
    Route("/sessions/{agent}/{run:path}", session),
    Route("/sessions/{agent}/{run:path}", act, methods=["POST"]),
]
