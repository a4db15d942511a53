"""The application: pages, the API and MCP behind one gate."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lerim.errors import LerimError
from lerim.serve.pages.clinic import ROUTES as CLINIC
from lerim.serve.pages.health import ROUTES as HEALTH
from lerim.serve.pages.runs import ROUTES as RUNS
from lerim.serve.pages.sessions import ROUTES as SESSIONS
from lerim.serve.pages.shell import Flashes, error_page
from lerim.serve.pages.today import ROUTES as TODAY
from lerim.serve.web.gate import COOKIE_KEY, App, Gate, Receive, Scope, Send
from lerim.serve.web.logins import Logins
from lerim.serve.web.opened import HERE, Opener

if TYPE_CHECKING:
    from starlette.requests import Request

    from lerim.serve.web.site import Site

STATIC = Path(__file__).parent.parent / "pages" / "static"
#: What pages may load, and from where: nothing but our own, and no script or style in their text.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def application(site: Site, mcp: App | None = None) -> App:
    """All that is served on one port; `mcp` is what agents talk to."""
    logins = Logins(os.urandom, time.monotonic)
    web = Starlette(routes=_routes(), exception_handlers={LerimError: _failed})
    web.state.opener = Opener(site)
    web.state.site = site
    web.state.logins = logins
    web.state.flashes = Flashes()

    async def both(scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = mcp is not None and (scope["type"] == "lifespan" or scope["path"] == "/mcp")
        await (mcp if is_mcp and mcp is not None else _with_headers(web))(scope, receive, send)

    return Gate(both, site, logins)


def _routes() -> list[Route | Mount]:
    return [
        Route("/login", login),
        Route("/login/link", link, methods=["POST"]),
        Route("/", home),
        Mount("/p/{project}", routes=[*TODAY, *SESSIONS, *CLINIC, *RUNS, *HEALTH], name="pages"),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def home(request: Request) -> Response:
    return RedirectResponse(f"/p/{HERE}/", 303)


async def link(request: Request) -> Response:
    """A link that logs a browser in, once: for whoever has the token."""
    if request.scope[COOKIE_KEY]:
        return JSONResponse({"error": "only the token makes links"}, 403)
    site: Site = request.app.state.site
    return JSONResponse({"url": f"{site.url}/login?once={request.app.state.logins.link()}"})


async def login(request: Request) -> Response:
    """Where such a link leads."""
    logins: Logins = request.app.state.logins
    site: Site = request.app.state.site
    cookie = logins.enter(request.query_params.get("once", ""))
    if cookie is None:
        return error_page(request, 401, "This link has been used, or is too old.", "lerim dashboard")
    project = request.query_params.get("project", HERE)
    answer = RedirectResponse(request.url_for("pages", project=project, path="/").path, 303)
    answer.set_cookie(site.cookie, cookie, httponly=True, samesite="strict", secure=site.has_tls)
    return answer


def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, LerimError)
    return error_page(request, status_of(error), error.message, error.hint)


def status_of(error: LerimError) -> int:
    """How HTTP calls what went wrong."""
    from lerim.errors import Conflict, NotFound, StoreBusy, UsageError

    for kind, code in ((NotFound, 404), (UsageError, 400), (Conflict, 409), (StoreBusy, 503)):
        if isinstance(error, kind):
            return code
    return 500


def _with_headers(app: App) -> App:
    """The same, with what browsers are told of every answer."""

    async def told(scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await app(scope, receive, sent)

    return told
