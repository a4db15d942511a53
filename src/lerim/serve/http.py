"""The server over HTTP, for clients that start no program: on this machine alone, and for whoever has the token.

A page in a browser can reach this machine, too. So a request must name us as its host, come from no other page's
origin, and bring the token; all of that is looked at before a byte of what it says.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from hmac import compare_digest
from pathlib import Path
from typing import Any

from lerim.errors import StoreError, UsageError
from lerim.private import FILE_MODE, make_home
from lerim.serve.server import McpServer

HOST = "127.0.0.1"
#: Where a client that is set up once finds it again.
PORT = 7437
PATH = "/mcp"
TOKEN_FILE = "mcp.token"
#: Room for the longest trace that can be submitted.
MAX_BODY = 8 * 1024 * 1024
_TOKEN_BYTES = 32
#: What of a refused request is waited for, unheard, before its answer.
_DRAIN_BYTES = 64 * 1024
_DRAIN_SECONDS = 1.0

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def token_in(home: Path, random: Callable[[int], bytes]) -> str:
    """The token of this home, made if there is none yet. Raises StoreError for a file that others could have read."""
    make_home(home)
    path = home / TOKEN_FILE
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with suppress(FileExistsError), os.fdopen(os.open(path, flags, FILE_MODE), "w") as file:
        file.write(random(_TOKEN_BYTES).hex())
    found = path.lstat()
    is_private = stat.S_ISREG(found.st_mode) and not stat.S_IMODE(found.st_mode) & 0o077
    token = path.read_text("ascii", "replace").strip() if is_private else ""
    if len(token) != 2 * _TOKEN_BYTES:
        raise StoreError(f"{path} is no token that only you can read", hint=f"rm {path}, and start again")
    return token


def listen_on(port: int) -> socket.socket:
    """A socket that only this machine reaches; port 0 takes any that is free. Raises UsageError."""
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((HOST, port))
        line.listen(64)
    except (OSError, OverflowError) as error:
        line.close()
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise UsageError(f"port {port} cannot be used: {reason}", hint="lerim mcp --http --port 0 takes any") from None
    return line


def url_of(line: socket.socket) -> str:
    return f"http://{HOST}:{line.getsockname()[1]}{PATH}"


def application(server: McpServer, port: int, token: str) -> App:
    """The server as a web application behind its gate."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = [f"{name}:{port}" for name in (HOST, "localhost")]
    allowed = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    app = server.sdk.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=MAX_BODY, transport_security=allowed
    )
    return _gate(app, names, token)


def _gate(app: App, names: list[str], token: str) -> App:
    """Lets nobody in who does not name us, or has no token."""
    expected = f"bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
        origin = headers.get(b"origin", b"").decode("latin-1")
        given = headers.get(b"authorization", b"")
        given = given[:7].lower() + given[7:]
        if headers.get(b"host", b"").decode("latin-1") not in names:
            await _refuse(receive, send, 421, "this server is reached as http://127.0.0.1 only")
        elif origin and origin not in [f"http://{name}" for name in names]:
            await _refuse(receive, send, 403, "pages of other sites have no business here")
        elif not compare_digest(given, expected):
            await _refuse(receive, send, 401, "a bearer token is needed; lerim mcp --http says where it is")
        else:
            await app(scope, receive, send)

    return guarded


async def _refuse(receive: Receive, send: Send, code: int, words: str) -> None:
    body = f"{words}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if code == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await _drain(receive)
    await send({"type": "http.response.start", "status": code, "headers": headers})
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


async def serve_http(server: McpServer, line: socket.socket, token: str) -> None:
    """Serve until somebody ends the process."""
    import uvicorn

    app = application(server, line.getsockname()[1], token)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=64,
    )
    await uvicorn.Server(config).serve(sockets=[line])
