"""Clinic: what goes wrong again and again, what had to be said again, and whether what was handed out helped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from lerim.dataclass import dataclass
from lerim.serve.pages.charts import Calendar, Chart, calendar, columns, lines, told
from lerim.serve.pages.sessions import session_path
from lerim.serve.pages.shell import count as counted
from lerim.serve.pages.shell import page
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.context.records import Record
    from lerim.service import Lerim
    from lerim.sessions.served import ServedDay, Usefulness
    from lerim.views.view import RenderedView

#: How sessions end, from good to bad; whatever else they say is the last.
_ENDS = ("done", "partly done", "interrupted", "failed")
_OTHER = "unknown"
_TONES = {
    "done": "good",
    "partly done": "teal",
    "interrupted": "warn",
    "failed": "bad",
    _OTHER: "dim",
    "checks failed": "bad",
    "not finished": "warn",
    "frictions told": "teal",
    "followed": "good",
    "ignored": "teal",
    "contradicted": "bad",
    "not known yet": "dim",
}
_MOST_BARS = 10
#: As many as the template names.
_MOST_MEMORIES = 12


@dataclass(frozen=True)
class SaidAgainBar:
    """What had to be said in several sessions."""

    record: str
    title: str
    times: int
    #: Of the one that was said most often.
    share: float
    sessions: tuple[str, ...]


async def clinic(request: Request) -> Response:
    return page(
        request,
        "clinic.html",
        session_path=lambda name: session_path(*name.split("/", 1)),
        **await in_lerim(request, _found),
    )


def _found(lerim: Lerim) -> dict[str, Any]:
    from lerim.context.filters import Filter
    from lerim.context.records import Kind
    from lerim.views.view import ViewName

    view = lerim.views.render(ViewName.CLINIC)
    used, days = lerim.serving.usefulness(), lerim.serving.by_day()
    friction = [kept.record for kept in lerim.memory.select(Filter(kind=Kind.FRICTION))]
    sessions: Sequence[Mapping[str, Any]] = view.data.get("sessions", ())
    when = calendar([*(one["at"] for one in sessions), *(_day(one) for one in friction), *(one.day for one in days)])
    return {
        "view": view,
        "sections": _sections(view),
        "titles": _titles(lerim, view),
        "used": used,
        "used_titles": {one.record: _title(lerim, one.record) for one in used.memories[:_MOST_MEMORIES]},
        "endings": _endings(sessions, when),
        "frictions": _friction(view.data, friction, when),
        "repeated": _repeated(lerim, view),
        "outcomes": _outcomes(used, days, when),
        "tokens": _tokens(used, days, when),
        "parts": _parts(used),
    }


# --- charts


def _endings(sessions: Sequence[Mapping[str, Any]], when: Calendar) -> Chart:
    by_end = {end: [(one["at"], 1.0) for one in sessions if _end(one) == end] for end in (*_ENDS, _OTHER)}
    series = {end: when.sums(days) for end, days in by_end.items()}
    bad = sum(len(by_end[end]) for end in _ENDS[1:])
    done = f"{bad} of {counted(len(sessions), 'session')} ended without having done what was asked."
    says = done if sessions else "No session was read yet."
    return columns("How sessions ended", says, when, series if sessions else {}, _TONES)


def _end(session: Mapping[str, Any]) -> str:
    return session["outcome"] if session["outcome"] in _ENDS else _OTHER


def _friction(data: Mapping[str, Any], records: Sequence[Record], when: Calendar) -> Chart:
    """Whatever shows that work went against the grain, by when it did."""
    at = {one["session"]: one["at"] for one in data.get("sessions", ())}
    signs = {
        "checks failed": [at[one] for check in data.get("checks", ()) for one in check["failed_in"] if one in at],
        "not finished": [one["at"] for one in data.get("sessions", ()) if _end(one) in _ENDS[1:]],
        "frictions told": [_day(one) for one in records],
    }
    total = sum(map(len, signs.values()))
    parts = [f"{len(days):,} {name}" for name, days in signs.items() if days]
    says = f"{counted(total, 'sign')} of friction: {', '.join(parts)}." if total else "No session shows any friction."
    series = {name: when.sums((day, 1.0) for day in days) for name, days in signs.items()}
    return columns("Friction over time", says, when, series if total else {}, _TONES)


def _outcomes(used: Usefulness, days: Sequence[ServedDay], when: Calendar) -> Chart:
    series = {
        "followed": when.sums((one.day, one.followed) for one in days),
        "ignored": when.sums((one.day, one.ignored) for one in days),
        "contradicted": when.sums((one.day, one.contradicted) for one in days),
        "not known yet": when.sums((one.day, one.unknown) for one in days),
    }
    judged = used.followed + used.ignored + used.contradicted
    if not used.sessions:
        says = "No session was given a memory yet: lerim connect hands the memory to your agents."
    elif not judged:
        given = "was given" if used.sessions == 1 else "were given"
        says = f"{counted(used.sessions, 'session')} {given} memories; none was read since."
    else:
        given = f"{counted(judged, 'time')} that a session was given a memory"
        says = f"Of {given}, it was followed {used.followed:,} and contradicted {used.contradicted:,}."
    return columns("What became of what was handed out", says, when, series if used.sessions else {}, _TONES)


def _tokens(used: Usefulness, days: Sequence[ServedDay], when: Calendar) -> Chart:
    given = when.sums((one.day, one.tokens) for one in days)
    followed = when.sums((one.day, one.followed) for one in days)
    each = [tokens / times if times else None for tokens, times in zip(given, followed, strict=True)]
    if used.tokens_per_useful is None:
        says = "Not known before a session follows what it was given."
    else:
        price = f"About {told(round(used.tokens_per_useful))} tokens of brief"
        says = f"{price} for each time that a memory was followed; less is better."
    series: dict[str, Sequence[float | None]] = {"tokens": each} if any(one is not None for one in each) else {}
    return lines("Tokens per useful memory", says, when, series)


def _parts(used: Usefulness) -> list[tuple[float, str, str]]:
    """All that was handed out as one bar."""
    given = sum(one.given for one in used.memories)
    numbers = (used.followed, used.ignored, used.contradicted)
    rest = given - sum(numbers)
    named = zip(("followed", "ignored", "contradicted", "not known yet"), (*numbers, rest), strict=True)
    return [(number / given, _TONES[name], f"{number:,} {name}") for name, number in named if given and number > 0]


def _repeated(lerim: Lerim, view: RenderedView) -> list[SaidAgainBar]:
    found: dict[str, dict[str, None]] = {}
    for one in view.data.get("corrections", ()):
        found.setdefault(one["record"], {}).update(dict.fromkeys(one["sessions"]))
    for one in (view.data.get("handed_out") or {}).get("said_again", ()):
        found.setdefault(one["record"], {}).update({one["session"]: None})
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:_MOST_BARS]
    most = max((len(sessions) for _, sessions in ranked), default=1)
    return [
        SaidAgainBar(record, _title(lerim, record), len(sessions), len(sessions) / most, tuple(sessions)[:4])
        for record, sessions in ranked
    ]


# --- the page's own words


def _sections(view: RenderedView) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in view.data.get("lines", ()):
        found.setdefault(line["section"], []).append(line)
    return found


def _titles(lerim: Lerim, view: RenderedView) -> dict[str, str]:
    ids = dict.fromkeys(str(one) for line in view.data.get("lines", ()) for one in line["records"])
    return {one: _title(lerim, one) for one in ids}


def _title(lerim: Lerim, record: str) -> str:
    from lerim.errors import Conflict, NotFound

    try:
        return lerim.memory.find(record).record.title
    except (NotFound, Conflict):
        return record


def _day(record: Record) -> str:
    return record.last_said.at.date().isoformat()


ROUTES = [Route("/clinic", clinic)]
