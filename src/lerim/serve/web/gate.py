"""The gate before everything that is served over HTTP.

A page in a browser can reach this machine, too. So a request must name us as its host, come from no other page's
origin, and bring the token or a login; all of that is looked at before a byte of what it says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from hmac import compare_digest
from typing import Any

from lerim.serve.web.logins import Logins
from lerim.serve.web.site import Site

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Where the gate leaves the cookie of a browser that is logged in; empty for whoever brought the token.
COOKIE_KEY = "lerim.cookie"
#: Besides a form's own field: what a script of ours sends along.
FORM_HEADER = b"x-lerim-form"
SAFE_METHODS = ("GET", "HEAD")
#: What needs no login: where one logs in, and what a page that says so is drawn with.
_OPEN = ("/login", "/static/")
#: What of a refused request is waited for, unheard, before its answer.
_DRAIN_BYTES = 64 * 1024
_DRAIN_SECONDS = 1.0


class Refusal(Exception):
    """Why a request is not let in."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class Gate:
    """Lets nobody in who does not name us, or has neither the token nor a login."""

    def __init__(self, app: App, site: Site, logins: Logins | None = None) -> None:
        self._app = app
        self._site = site
        self._logins = logins
        self._expected = f"bearer {site.token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            try:
                self._let_in(scope)
            except Refusal as refusal:
                await refuse(receive, send, refusal)
            else:
                await self._app(scope, receive, send)

    def _let_in(self, scope: Scope) -> None:
        """Look at where a request comes from and what it brings. Raises Refusal."""
        headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
        origin = headers.get(b"origin", b"").decode("latin-1")
        if headers.get(b"host", b"").decode("latin-1") not in self._site.names:
            raise Refusal(421, f"this server is reached as {self._site.url} only")
        if origin and origin not in self._site.origins:
            raise Refusal(403, "pages of other sites have no business here")
        if self._site.is_read_only and scope["method"] not in SAFE_METHODS and scope["path"] != "/login/link":
            raise Refusal(405, "this server only reads; start it without --read-only to change things")
        scope[COOKIE_KEY] = "" if self._has_token(headers) else self._cookie(scope, headers, origin)

    def _has_token(self, headers: Mapping[bytes, bytes]) -> bool:
        given = headers.get(b"authorization", b"")
        return compare_digest(given[:7].lower() + given[7:], self._expected)

    def _cookie(self, scope: Scope, headers: Mapping[bytes, bytes], origin: str) -> str:
        """The cookie of a browser that is logged in. Raises Refusal."""
        cookie = _cookie_in(headers, self._site.cookie)
        if self._logins is not None and cookie and self._logins.is_in(cookie):
            # SameSite=Strict keeps the cookie from other pages' requests, and a form of ours says where it comes from.
            if scope["method"] not in SAFE_METHODS and not origin:
                raise Refusal(403, "a form without an origin is nobody's")
            return cookie
        if self._logins is not None and scope["path"].startswith(_OPEN) and scope["method"] in SAFE_METHODS:
            return ""
        raise Refusal(401, "a bearer token is needed, or a login; lerim dashboard opens a browser that has one")


def _cookie_in(headers: Mapping[bytes, bytes], name: str) -> str:
    from http.cookies import CookieError, SimpleCookie

    try:
        found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


async def refuse(receive: Receive, send: Send, refusal: Refusal) -> None:
    body = f"{refusal.words}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refusal.code == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await _drain(receive)
    await send({"type": "http.response.start", "status": refusal.code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _drain(receive: Receive) -> None:
    """Let go of what a refused request says: a line closed upon unread words is reset, and the answer with it."""
    from anyio import move_on_after

    heard = 0
    with move_on_after(_DRAIN_SECONDS):
        while heard < _DRAIN_BYTES:
            message = await receive()
            heard += len(message.get("body", b""))
            if not message.get("more_body"):
                return
