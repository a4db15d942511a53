"""The gate before everything that is served over HTTP.

A page in a browser can reach this machine, too. So a request must name us as its host, come from no other page's
origin, and bring the token or a login; all of that is looked at before a byte of what it says. What a browser changes
must moreover come from a form of ours. That is looked at here, for every request alike: no page and no route of the
API can forget it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from hmac import compare_digest
from typing import Any, Protocol

from lerim.serve.web.limits import MAX_BODY, MAX_FORM, Pace, Patience
from lerim.serve.web.logins import Logins
from lerim.serve.web.refusals import API, App, HttpRefusal, Receive, Scope, Send, refuse
from lerim.serve.web.site import Site

#: Where the gate leaves the cookie of a browser that is logged in; empty for whoever brought the token.
COOKIE_KEY = "lerim.cookie"
#: Where the gate leaves what a member of a shared store is served with, who came with a token of their own.
MEMBER_KEY = "lerim.member"
#: What a form of ours has as a field, and what a script of ours sends along.
FORM_FIELD = "form_token"
FORM_HEADER = b"x-lerim-form"
SAFE_METHODS = ("GET", "HEAD")
MCP_PATH = "/mcp"
LINK_PATH = "/login/link"
_METHODS = (*SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE")
#: What needs no login: where one logs in, where one finds out whose server this is, and what pages are drawn with.
_OPEN = ("/login", "/hello")
_STATIC = "/static/"
#: Headers of which a request has one.
_SINGLE = (b"host", b"origin", b"authorization", b"content-length", b"transfer-encoding", b"content-type", FORM_HEADER)
#: What pages may load, and from where: nothing but our own, and no script or style in their text.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: What browsers are told of every answer.
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Not less: a form of a page without a referrer says that it comes from nowhere, and would be refused.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
#: Wrong tokens and links; and requests of those who are let in. Many times what a person and their programs need.
_WRONG = (20.0, 1.0)
_ASKED = (600.0, 200.0)
_LOG_IN = "lerim dashboard"
#: What is said of what nobody expected.
FAULT = "something went wrong here; the server's log tells what"

#: Hears of what nobody expected to go wrong.
OnFault = Callable[[str, Exception], None]


class Doors(Protocol):
    """How members of a shared store get in."""

    async def door(self, given: bytes, scope: Scope) -> object | None:
        """What somebody is served with who brings this; None for a stranger. Raises HttpRefusal."""
        ...

    def serves(self, scope: Scope) -> bool:
        """Whether members may ask for this."""
        ...


class Gate:
    """Lets nobody in who does not name us, or has neither the token nor a login."""

    def __init__(
        self,
        app: App,
        site: Site,
        logins: Logins | None = None,
        *,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        on_fault: OnFault = lambda path, error: None,
        members: Doors | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._site = site
        self._logins = logins
        self._patience = patience
        self._on_fault = on_fault
        self._members = members
        self._expected = f"bearer {site.token}".encode()
        self.wrong = Pace(*_WRONG, clock)
        self._asked = Pace(*_ASKED, clock)
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            self._at_work += 1
            try:
                await self._serve(scope, receive, _Answering(send, scope))
            finally:
                self._at_work -= 1

    async def _serve(self, scope: Scope, receive: Receive, send: _Answering) -> None:
        try:
            headers = await self._let_in(scope)
            body = await self._heard(scope, headers, receive)
            receive = _again(body, receive)
            self._require_form(scope, headers, body)
        except HttpRefusal as refusal:
            await refuse(scope, receive, send, refusal)
            return
        try:
            await self._app(scope, receive, send)
        except Exception as error:  # Whatever it is: whoever asked gets a plain word, and the log the rest.
            self._on_fault(scope["path"], error)
            if not send.has_begun:
                await refuse(scope, receive, send, HttpRefusal(500, FAULT))

    async def _let_in(self, scope: Scope) -> Mapping[bytes, bytes]:
        """Look at where a request comes from and what it brings. Raises HttpRefusal."""
        if self._at_work > self._patience.requests:
            raise HttpRefusal(503, "too many requests at once; ask again in a moment")
        headers = _require_plain(scope)
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._site.names:
            raise HttpRefusal(421, f"this server is reached as {self._site.url} only")
        if origin and origin not in self._site.origins:
            raise HttpRefusal(403, "pages of other sites have no business here")
        # Another port of this machine is the same site, to which browsers send the cookie, but not the same origin.
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin") and scope["path"] != "/login":
            raise HttpRefusal(403, "pages of other sites have no business here; type the address, or:", _LOG_IN)
        scope[COOKIE_KEY] = await self._brought(scope, headers)
        # Members have a pace of their own, each.
        if MEMBER_KEY not in scope and not self._asked.take():
            raise HttpRefusal(429, "so many requests in so short a time; ask again in a moment")
        if self._site.is_read_only and scope["method"] not in SAFE_METHODS and scope["path"] != LINK_PATH:
            raise HttpRefusal(405, "this server only reads; start it without --read-only to change things")
        if any(part in ("..", ".") for part in scope["path"].split("/")) or not scope["path"].isprintable():
            raise HttpRefusal(404, "there is nothing at this address")
        return headers

    async def _brought(self, scope: Scope, headers: Mapping[bytes, bytes]) -> str:
        """The cookie of a browser that is logged in; nothing for tokens, and what is open. Raises HttpRefusal."""
        if b"authorization" in headers:
            given = headers[b"authorization"]
            if not compare_digest(given[:7].lower() + given[7:], self._expected):
                await self._let_member_in(scope, given)
            return ""
        cookie = _cookie_in(headers, self._site.cookie)
        if self._logins is not None and cookie and scope["path"] != MCP_PATH and self._logins.is_in(cookie):
            return cookie
        path, is_safe = scope["path"], scope["method"] in SAFE_METHODS
        if self._logins is not None and is_safe and (path in _OPEN or path.startswith(_STATIC)):
            return ""
        raise self._stranger()

    async def _let_member_in(self, scope: Scope, given: bytes) -> None:
        """Raises HttpRefusal for a stranger, and for what is not for members."""
        door = await self._members.door(given, scope) if self._members else None
        if door is None or self._members is None:
            raise self._stranger()
        if not self._members.serves(scope):
            raise HttpRefusal(
                403, "this is about the server's own machine: members ask for memories, and who may see them"
            )
        scope[MEMBER_KEY] = door

    def _stranger(self) -> HttpRefusal:
        if not self.wrong.take():
            return HttpRefusal(429, "too many requests without the right token; ask again in a moment")
        return HttpRefusal(401, "you are not logged in: a bearer token is needed, or a login in a browser", _LOG_IN)

    async def _heard(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """All that a request says: no longer than it may be, and no slower. Raises HttpRefusal."""
        from anyio import fail_after

        most = MAX_BODY if scope["path"] == MCP_PATH or scope["path"].startswith(API) else MAX_FORM
        if int(headers.get(b"content-length", b"0")) > most:
            raise HttpRefusal(413, f"a request may have {most // 2**20} MB")
        heard = bytearray()
        try:
            with fail_after(self._patience.body):
                while (message := await receive())["type"] == "http.request":
                    heard += message.get("body", b"")
                    if len(heard) > most:
                        raise HttpRefusal(413, f"a request may have {most // 2**20} MB")
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            raise HttpRefusal(408, "what you send takes too long to arrive") from None
        return bytes(heard)

    def _require_form(self, scope: Scope, headers: Mapping[bytes, bytes], body: bytes) -> None:
        """What a browser changes comes from a form of ours, or a script of ours. Raises HttpRefusal.

        SameSite=Strict keeps the cookie from other sites' requests; this keeps out those of other ports, too.
        """
        cookie = scope[COOKIE_KEY]
        if not cookie or scope["method"] in SAFE_METHODS:
            return
        if not headers.get(b"origin"):
            raise HttpRefusal(403, "a form without an origin is nobody's")
        expected = Logins.form_token(cookie).encode()
        given = headers.get(FORM_HEADER) or _field(headers, body)
        if not compare_digest(given, expected):
            raise HttpRefusal(403, "this form is not from here, or from before you logged in; reload the page")


class _Answering:
    """Where an answer goes, with what browsers are told of every one."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._is_static = scope["path"].startswith(_STATIC)
        self.has_begun = False

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = [*message.get("headers", ())]
            names = {bytes(name).lower() for name, _ in headers}
            # What was remembered is nobody's to keep on disk; files of ours may be, if they are asked for again.
            caching = (b"cache-control", b"no-cache" if self._is_static else b"no-store")
            message["headers"] = headers + [item for item in (*HEADERS, caching) if item[0] not in names]
        await self._send(message)


def _require_plain(scope: Scope) -> Mapping[bytes, bytes]:
    """The headers of a request that can be understood in one way only. Raises HttpRefusal."""
    if scope["method"] not in _METHODS:
        raise HttpRefusal(405, f"{scope['method'][:20]} is nothing that can be asked here")
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in _SINGLE and name in found:
            raise HttpRefusal(400, f"a request has one {name.decode('latin-1')}")
        found[bytes(name)] = bytes(value)
    if b"content-length" in found and b"transfer-encoding" in found:
        raise HttpRefusal(400, "a request says its length in one way")
    if b"upgrade" in found:
        raise HttpRefusal(400, "this server speaks HTTP alone")
    return found


def _again(body: bytes, receive: Receive) -> Receive:
    """What was heard, for whoever listens now; and then whatever comes."""
    waiting = [body]

    async def heard() -> MutableMapping[str, Any]:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return heard


def _field(headers: Mapping[bytes, bytes], body: bytes) -> bytes:
    """The form's own field, of a form as browsers send one."""
    from urllib.parse import parse_qsl

    if not headers.get(b"content-type", b"").startswith(b"application/x-www-form-urlencoded"):
        return b""
    fields = dict(parse_qsl(body, keep_blank_values=True))
    return fields.get(FORM_FIELD.encode(), b"")


def _cookie_in(headers: Mapping[bytes, bytes], name: str) -> str:
    from http.cookies import CookieError, SimpleCookie

    try:
        found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
