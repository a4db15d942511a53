"""What all pages share: how a template is filled in, how a form is read, and what an error looks like."""

from __future__ import annotations

from functools import lru_cache
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import HTMLResponse, RedirectResponse

from lerim.errors import UsageError
from lerim.serve.web.gate import COOKIE_KEY
from lerim.serve.web.logins import Logins
from lerim.serve.web.opened import project_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response


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
FORM_FIELD = "form_token"


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
    return made


def link_to(request: Request, path: str) -> str:
    """A page of the project that a request is about."""
    from urllib.parse import quote

    return f"/p/{quote(project_of(request), safe='')}{path}"


def page(request: Request, template: str, code: int = 200, **given: Any) -> Response:
    """A page, filled in."""
    cookie = request.scope.get(COOKIE_KEY) or ""
    site = request.app.state.site
    text = (
        templates()
        .get_template(template)
        .render(
            request=request,
            project=project_of(request),
            link=lambda path: link_to(request, path),
            form_token=Logins.form_token(cookie) if cookie else "",
            is_read_only=site.is_read_only,
            path=request.url.path,
            **given,
        )
    )
    return HTMLResponse(text, code, headers={"cache-control": "no-store"})


def error_page(request: Request, code: int, message: str, hint: str | None = None) -> Response:
    """What went wrong, and what to type."""
    return page(request, "error.html", code, message=message, hint=hint)


def see_other(request: Request, path: str) -> Response:
    """Where to look after something was done: reloading does not do it again."""
    return RedirectResponse(link_to(request, path), 303)


async def form_of(request: Request) -> FormData:
    """What a form of ours says. Raises UsageError for one that some other page made."""
    form = await request.form()
    cookie = request.scope.get(COOKIE_KEY) or ""
    given = form.get(FORM_FIELD)
    if cookie and not (isinstance(given, str) and compare_digest(given, Logins.form_token(cookie))):
        raise UsageError("this form is not from here, or from before you logged in", hint="reload the page")
    return form
