"""The application: pages, the API and MCP behind one gate."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lerim.errors import LerimError
from lerim.serve.api.answering import api_failure, status_of
from lerim.serve.api.document import openapi
from lerim.serve.api.routes import api_routes
from lerim.serve.pages.clinic import ROUTES as CLINIC
from lerim.serve.pages.graph import ROUTES as GRAPH
from lerim.serve.pages.health import ROUTES as HEALTH
from lerim.serve.pages.interface import api_page
from lerim.serve.pages.memory import ROUTES as MEMORY
from lerim.serve.pages.review import ROUTES as REVIEW
from lerim.serve.pages.runs import ROUTES as RUNS
from lerim.serve.pages.sessions import ROUTES as SESSIONS
from lerim.serve.pages.shell import Flashes, error_page
from lerim.serve.pages.team import ROUTES as TEAM
from lerim.serve.pages.today import ROUTES as TODAY
from lerim.serve.web.events import Watchers, events
from lerim.serve.web.gate import COOKIE_KEY, FAULT, MCP_PATH, Doors, Gate
from lerim.serve.web.limits import Patience
from lerim.serve.web.logins import Logins
from lerim.serve.web.opened import HERE, Opener
from lerim.serve.web.proof import proof_of
from lerim.serve.web.refusals import API, App, HttpRefusal, Receive, Scope, Send
from lerim.serve.web.syncs import Syncs

if TYPE_CHECKING:
    from starlette.requests import Request

    from lerim.serve.web.opened import Connections
    from lerim.serve.web.site import Site

STATIC = Path(__file__).parent.parent / "pages" / "static"
LOG = logging.getLogger("lerim.serve")
_USED = "this link has been used, or is too old"
#: Where a browser goes that came by a link on another page: it sends its new cookie only to what we lead it to.
_ONWARD = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Lerim</title><meta http-equiv="refresh" content="0; url={path}"></head>
<body><p><a href="{path}">Go on to the dashboard</a></p></body>
</html>
"""


def application(
    site: Site,
    mcp: App | None = None,
    *,
    logins: Logins | None = None,
    connections: Connections | None = None,
    members: Doors | None = None,
    patience: Patience = Patience(),  # noqa: B008 - frozen
) -> App:
    """All that is served on one port; `mcp` is what agents talk to, `connections` tells how those are connected, and
    `members` lets those of a shared store in."""
    logins = logins or Logins(os.urandom, time.monotonic)
    failures = {LerimError: _failed, HTTPException: _missing, HttpRefusal: _refused, Exception: _broken}
    web = Starlette(routes=routes(), exception_handlers=failures)
    opener = Opener(site)

    async def both(scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = mcp is not None and (scope["type"] == "lifespan" or scope["path"] == MCP_PATH)
        await (mcp if is_mcp and mcp is not None else web)(scope, receive, send)

    gate = Gate(both, site, logins, patience=patience, on_fault=_fault, members=members)
    state = {
        "site": site,
        "opener": opener,
        "logins": logins,
        "gate": gate,
        "connections": connections,
        "flashes": Flashes(),
        "syncs": Syncs(site.env),
        "watchers": Watchers(opener),
    }
    for name, value in state.items():
        setattr(web.state, name, value)
    return gate


def routes() -> list[Route | Mount]:
    return [
        Route("/login", login),
        Route("/login/link", link, methods=["POST"]),
        Route("/logout", logout, methods=["POST"]),
        Route("/hello", hello),
        Route("/events", events),
        Route("/openapi.json", document),
        Route("/api", api_page),
        Route("/", home),
        Mount("/api/v1", routes=api_routes()),
        Mount(
            "/p/{project}",
            routes=[*TODAY, *MEMORY, *REVIEW, *SESSIONS, *GRAPH, *CLINIC, *RUNS, *HEALTH, *TEAM],
            name="pages",
        ),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def home(request: Request) -> Response:
    return RedirectResponse(f"/p/{HERE}/", 303)


async def document(request: Request) -> Response:
    return JSONResponse(openapi())


async def hello(request: Request) -> Response:
    """Proof that this server has the token, for whoever has it too and does not want to show it to anybody else."""
    nonce = request.query_params.get("nonce", "")
    return JSONResponse({"proof": proof_of(request.app.state.site.token, nonce), "pid": os.getpid()})


async def link(request: Request) -> Response:
    """A link that logs a browser in, once: for whoever has the token."""
    if request.scope[COOKIE_KEY]:
        raise HttpRefusal(403, "only the token makes links")
    return JSONResponse({"url": link_into(request.app.state.site, request.app.state.logins, _wanted(request))})


def link_into(site: Site, logins: Logins, project: str = HERE) -> str:
    """A link that logs a browser in, once, and leads to a project."""
    from urllib.parse import quote

    return f"{site.url}/login?once={logins.link()}" + ("" if project == HERE else f"&project={quote(project, safe='')}")


def _wanted(request: Request) -> str:
    return request.query_params.get("project", HERE)


async def login(request: Request) -> Response:
    """Where such a link leads."""
    logins: Logins = request.app.state.logins
    site: Site = request.app.state.site
    cookie = logins.enter(request.query_params.get("once", ""))
    if cookie is None:
        if not request.app.state.gate.wrong.take():
            raise HttpRefusal(429, "too many links that are none; ask again in a moment")
        raise HttpRefusal(401, _USED, "lerim dashboard")
    path = request.url_for("pages", project=_wanted(request), path="/").path
    is_from_elsewhere = request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    answer = HTMLResponse(_ONWARD.format(path=path)) if is_from_elsewhere else RedirectResponse(path, 303)
    answer.set_cookie(site.cookie, cookie, httponly=True, samesite="strict", secure=site.has_tls)
    return answer


async def logout(request: Request) -> Response:
    """Forget this browser."""
    request.app.state.logins.leave(request.scope[COOKIE_KEY])
    answer = error_page(request, 200, "You are logged out.", "lerim dashboard")
    answer.delete_cookie(request.app.state.site.cookie, httponly=True, samesite="strict")
    return answer


# --- what goes wrong --------------------------------------------------------------------------------------------------


def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, LerimError)
    if request.url.path.startswith(API):
        return api_failure(error)
    return error_page(request, status_of(error), error.message, error.hint)


def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing at this address", 405: "that is not how this address is asked"}
    return _refused(request, HttpRefusal(error.status_code, words.get(error.status_code, error.detail)))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HttpRefusal)
    is_page = request.url.path.startswith("/p/") and request.scope.get(COOKIE_KEY)
    if is_page:
        return error_page(request, error.code, error.words, error.hint)
    kind, body = error.said_to(request.scope)
    headers = {name.decode(): value.decode() for name, value in error.headers}
    return Response(body, error.code, headers, media_type=kind.decode())


def _broken(request: Request, error: Exception) -> Response:
    """What nobody expected: the gate hears of it next, and tells the log."""
    return _refused(request, HttpRefusal(500, FAULT))


def _fault(path: str, error: Exception) -> None:
    LOG.error("at %r", path, exc_info=error)
