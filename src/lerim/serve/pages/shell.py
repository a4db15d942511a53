"""What all pages share: how a template is filled in, how a form is read, what is said after it, and errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from starlette.responses import HTMLResponse, RedirectResponse

from lerim.context.projects import GLOBAL
from lerim.context.records import parse_time, utc_now
from lerim.context.review.candidates import TOLD_BY
from lerim.dataclass import dataclass, field
from lerim.serve.pages.prose import coded, prose
from lerim.serve.web.gate import COOKIE_KEY
from lerim.serve.web.logins import Logins
from lerim.serve.web.opened import HERE, in_lerim, project_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.serve.web.opened import KnownProjects
    from lerim.service import Lerim

_T = TypeVar("_T")


class NavLink(NamedTuple):
    """A page as the menu names it, and the key that leads there after `g`."""

    name: str
    path: str
    key: str


NAV = (
    NavLink("Today", "/", "t"),
    NavLink("Memory", "/memory", "m"),
    NavLink("Review", "/review", "r"),
    NavLink("Sessions", "/sessions", "s"),
    NavLink("Graph", "/graph", "g"),
    NavLink("Clinic", "/clinic", "c"),
    NavLink("Runs", "/runs", "u"),
    NavLink("Health", "/health", "h"),
)
#: Browsers whose next page has something to say to them.
_MOST_FLASHES = 64
#: Words and what is between them.
_PIECES = re.compile(r"(\W+)")


class ProjectLink(NamedTuple):
    """A project as the switcher names it."""

    id: str
    name: str
    root: str
    is_shown: bool


class Flash(NamedTuple):
    """What the next page says of what was just done, and how it is taken back."""

    text: str
    tone: str = "good"
    #: The change that is undone, and where one looks then.
    undo: int | None = None
    back: str = ""
    #: What takes it back where no change does.
    restore: str = ""


@dataclass
class Flashes:
    """What each browser is still to be told, once."""

    _waiting: dict[str, Flash] = field(default_factory=dict)

    def put(self, cookie: str, flash: Flash) -> None:
        self._waiting[cookie] = flash
        while len(self._waiting) > _MOST_FLASHES:
            del self._waiting[next(iter(self._waiting))]

    def take(self, cookie: str) -> Flash | None:
        return self._waiting.pop(cookie, None)


#: By cookies that are never given twice, so that one is enough for every server of this process.
_FLASHES = Flashes()


@lru_cache(maxsize=1)
def templates() -> Environment:
    """Everything put into a template is escaped, and what is missing is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("lerim.serve.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["NAV"] = NAV
    made.filters["ago"] = ago
    made.filters["moment"] = moment
    made.filters["count"] = count
    made.filters["session_path"] = session_path
    made.tests["told_by_an_agent"] = is_told_by_an_agent
    made.filters["prose"] = prose
    made.filters["coded"] = coded
    made.filters["pieces"] = pieces_of
    return made


def ago(when: str | datetime, now: datetime | None = None) -> str:
    """A moment as people say it: how long ago, or the day when that is a week and more."""
    at, now = _local(when), (now or utc_now()).astimezone()
    passed = now - at
    if timedelta(0) <= passed < timedelta(minutes=1):
        return "just now"
    if timedelta(0) <= passed < timedelta(hours=1):
        return f"{passed.seconds // 60} min ago"
    if timedelta(0) <= passed < timedelta(days=1):
        return f"{passed.seconds // 3600} h ago"
    if timedelta(0) <= passed < timedelta(days=7):
        return "a day ago" if passed.days == 1 else f"{passed.days} days ago"
    return f"{at:%b} {at.day}" + (f", {at.year}" if at.year != now.year else "")


def moment(when: str | datetime) -> str:
    """A moment in full, by this machine's clock."""
    at = _local(when)
    return f"{at:%a, %b} {at.day}, {at:%Y, %H:%M:%S %Z}"


def _local(when: str | datetime) -> datetime:
    return (parse_time(when) if isinstance(when, str) else when).astimezone()


def count(number: float, one: str = "", many: str = "") -> str:
    """A number that can be read, with what is counted: `1,204 memories`."""
    figure = f"{number:,}"
    return f"{figure} {one if number == 1 else many or one + 's'}" if one else figure


def session_path(reference: str) -> str:
    """The page of a session, at the line that evidence names: `claude/3f0a#L120-L124`."""
    from urllib.parse import quote

    session, _, lines = reference.partition("#")
    line = lines.partition("-")[0]
    return f"/sessions/{quote(session)}" + (f"#{quote(line)}" if line else "")


def is_told_by_an_agent(session: str) -> bool:
    """Whether it is no session, but what an agent said over MCP: there is no page of it."""
    return session.startswith(f"{TOLD_BY}/")


def pieces_of(text: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """A text in pieces, those that begin like one of the words told apart."""
    found, starts = list[tuple[str, bool]](), tuple(word.casefold() for word in words if word)
    for piece in _PIECES.split(text):
        found.append((piece, bool(starts) and piece.casefold().startswith(starts)))
    return found


def link_to(request: Request, path: str) -> str:
    """A page of the project that a request is about."""
    from urllib.parse import quote

    return f"/p/{quote(project_of(request), safe='')}{path}"


async def in_memory(request: Request, work: Callable[[Lerim], _T]) -> _T:
    """Do what a request asks, as one entry: however much of it there is, the files are looked at once."""
    return await in_lerim(request, lambda lerim: lerim.enter(lambda: work(lerim)))


def page(request: Request, template: str, code: int = 200, **given: Any) -> Response:
    """A page, filled in."""
    cookie = request.scope.get(COOKIE_KEY) or ""
    text = (
        templates()
        .get_template(template)
        .render(
            request=request,
            project=project_of(request),
            projects=_project_links(request),
            link=lambda path: link_to(request, path),
            form_token=Logins.form_token(cookie) if cookie else "",
            is_read_only=request.app.state.site.is_read_only,
            path=request.url.path,
            flash=_FLASHES.take(cookie),
            **given,
        )
    )
    return HTMLResponse(text, code, headers={"cache-control": "no-store"})


def part(request: Request, template: str, **given: Any) -> Response:
    """A part of a page, for a script of ours that puts it where the old one was."""
    cookie = request.scope.get(COOKIE_KEY) or ""
    text = (
        templates()
        .get_template(template)
        .render(
            link=lambda path: link_to(request, path),
            form_token=Logins.form_token(cookie) if cookie else "",
            is_read_only=request.app.state.site.is_read_only,
            **given,
        )
    )
    return HTMLResponse(text, headers={"cache-control": "no-store"})


def _project_links(request: Request) -> list[ProjectLink]:
    """What the switcher offers, the one that is looked at marked. Nothing for whoever is still to log in."""
    if not request.url.path.startswith("/p/"):
        return []
    known: KnownProjects = request.app.state.opener.known
    site, asked = request.app.state.site, project_of(request)
    here = known.here
    shown = here.id if asked == HERE and here else asked
    found = [ProjectLink(one.id, one.name, str(one.root), shown in (one.id, one.name)) for one in known.all]
    if here is None:
        name = site.folder.rstrip("/").rpartition("/")[2] or "/"
        found.insert(0, ProjectLink(HERE, name, site.folder, asked == HERE))
    return [*found, ProjectLink(GLOBAL, "Global", "what holds in every project", asked == GLOBAL)]


def error_page(request: Request, code: int, message: str, hint: str | None = None) -> Response:
    """What went wrong, and what to type."""
    return page(request, "error.html", code, message=message, hint=hint)


def see_other(request: Request, path: str, flash: Flash | str | None = None) -> Response:
    """Where to look after something was done, and what is said there once: reloading does not do it again."""
    cookie = request.scope.get(COOKIE_KEY) or ""
    if flash and cookie:
        _FLASHES.put(cookie, Flash(flash) if isinstance(flash, str) else flash)
    return RedirectResponse(link_to(request, path), 303)


async def form_of(request: Request) -> FormData:
    """What a form of ours says: that it is one of ours, the gate has seen to."""
    return await request.form()


def entry(form: FormData, name: str) -> str:
    """What a form says in a field of text; nothing when it has none. Lines end as everywhere else here."""
    value = form.get(name)
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""
