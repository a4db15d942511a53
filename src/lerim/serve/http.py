"""The server over HTTP, for clients that start no program: on this machine alone, and for whoever has the token."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.dataclass import dataclass
from lerim.errors import StoreError, UsageError
from lerim.private import FILE_MODE, make_home
from lerim.serve.web.gate import MCP_PATH, Gate
from lerim.serve.web.limits import MAX_BODY, Patience
from lerim.serve.web.refusals import App
from lerim.serve.web.site import HOST, Site

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from lerim.serve.server import McpServer

#: Where a client that is set up once finds it again.
PORT = 7437
TOKEN_FILE = "mcp.token"
_TOKEN_BYTES = 32
#: Connections that wait to be taken up: those of a burst wait, none is turned away by the system.
_BACKLOG = 512


def token_in(home: Path, random: Callable[[int], bytes]) -> str:
    """The token of this home, made if there is none yet. Raises StoreError for a file that others could have read."""
    path = home / TOKEN_FILE
    try:
        make_home(home)
        if not os.path.lexists(path):
            _make_token(path, random)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be made: {error.strerror or error}; without it nobody could be let in",
            hint=f"make {home} writable once, or set LERIM_HOME to another folder",
        ) from error
    found = path.lstat()
    is_private = stat.S_ISREG(found.st_mode) and not stat.S_IMODE(found.st_mode) & 0o077
    token = path.read_text("ascii", "replace").strip() if is_private else ""
    if len(token) != 2 * _TOKEN_BYTES:
        raise StoreError(f"{path} is no token that only you can read", hint=f"rm {path}, and start again")
    return token


def _make_token(path: Path, random: Callable[[int], bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with suppress(FileExistsError), os.fdopen(os.open(path, flags, FILE_MODE), "w") as file:
        file.write(random(_TOKEN_BYTES).hex())


def listen_on(port: int, host: str = HOST, *, command: str = "lerim mcp --http") -> socket.socket:
    """A socket that only this machine reaches, unless another host is given; port 0 takes any that is free. Raises
    UsageError."""
    try:
        family = socket.getaddrinfo(host or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
    except (OSError, UnicodeError):
        raise UsageError(f"there is no host '{host}' here", hint="--host 127.0.0.1") from None
    line = socket.socket(family, socket.SOCK_STREAM)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((host, port))
        line.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        line.close()
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise UsageError(f"port {port} cannot be used: {reason}", hint=f"{command} --port 0 takes any") from None
    return line


def url_of(line: socket.socket) -> str:
    return f"http://{HOST}:{line.getsockname()[1]}{MCP_PATH}"


def mcp_application(server: McpServer, site: Site) -> Starlette:
    """What agents talk to, as a web application without a gate."""
    from mcp.server.transport_security import TransportSecuritySettings

    allowed = TransportSecuritySettings(allowed_hosts=[*site.names], allowed_origins=[*site.origins])
    return server.sdk.streamable_http_app(
        streamable_http_path=MCP_PATH, max_request_body_size=MAX_BODY, transport_security=allowed
    )


def gated(server: McpServer, site: Site) -> App:
    """The same behind its gate."""
    return Gate(mcp_application(server, site), site)


@dataclass(frozen=True)
class TlsFiles:
    """A certificate, and the key that goes with it."""

    cert: Path
    key: Path


def http_server(app: App, patience: Patience = Patience(), tls: TlsFiles | None = None) -> uvicorn.Server:  # noqa: B008
    """A server for an application; `serve(sockets=[…])` serves until somebody ends the process."""
    import uvicorn

    from lerim.serve.web.wire import lines_with

    config = uvicorn.Config(
        app,
        http=lines_with(patience),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        ssl_certfile=tls.cert if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    return uvicorn.Server(config)


async def serve_http(app: App, line: socket.socket, tls: TlsFiles | None = None) -> None:
    """Serve until somebody ends the process."""
    await http_server(app, tls=tls).serve(sockets=[line])
