"""What somebody is told who is not let in, or whose request cannot be served: as a page, as JSON, or in a line."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

API = "/api/"
#: What of a refused request is waited for, unheard, before its answer.
_DRAIN_BYTES = 32 * 1024 * 1024
_DRAIN_SECONDS = 2.0
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Lerim</title>
<link rel="stylesheet" href="/static/app.css">
<link rel="icon" href="/static/icon.svg">
</head>
<body>
<main id="main">
<h1>{title}</h1>
{next}
</main>
</body>
</html>
"""


class HttpRefusal(Exception):
    """Why a request is not let in, or not served. `hint` is what to type."""

    def __init__(self, code: int, words: str, hint: str | None = None) -> None:
        super().__init__(words)
        self.code = code
        self.words = words
        self.hint = hint

    def said_to(self, scope: Scope) -> tuple[bytes, bytes]:
        """The content type and the body for whoever asks: a browser, a program of ours, or another."""
        if scope["path"].startswith(API):
            told = {"error": self.words, "hint": self.hint, "code": self.code}
            return b"application/json", json.dumps(told).encode()
        if b"text/html" in _header(scope, b"accept"):
            next_step = f"<p>Next: <code>{escape(self.hint)}</code></p>" if self.hint else ""
            title = escape(self.words[:1].upper() + self.words[1:])
            return b"text/html; charset=utf-8", _PAGE.format(title=title, next=next_step).encode()
        text = f"{self.words}; try: {self.hint}\n" if self.hint else f"{self.words}\n"
        return b"text/plain; charset=utf-8", text.encode()

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """What else HTTP wants said of it."""
        if self.code == 401:
            return [(b"www-authenticate", b"Bearer")]
        return [(b"retry-after", b"2")] if self.code in (429, 503) else []


async def refuse(scope: Scope, receive: Receive, send: Send, refusal: HttpRefusal) -> None:
    """Say so, and hang up."""
    kind, body = refusal.said_to(scope)
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *refusal.headers,
    ]
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


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value) for key, value in scope["headers"] if key == name), b"")
