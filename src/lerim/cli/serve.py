"""`lerim serve` and `lerim dashboard`: the memory over HTTP, for programs and for a browser."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import DIM, Output
from lerim.errors import UsageError
from lerim.payloads.mcp import ServingPayload, dashboard_payload, serving_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from socket import socket

    from starlette.applications import Starlette

    from lerim.serve.http import TlsFiles
    from lerim.serve.web.logins import Logins
    from lerim.serve.web.refusals import App
    from lerim.serve.web.site import Site

COMMANDS = Commands()
_ARGUMENTS = (
    argument("--port", type=whole_number, help="which port (default 7437; 0 for any that is free)"),
    argument("--read-only", action="store_true", help="let nobody change anything"),
    argument("--host", metavar="HOST", help="an address other than this machine's own; needs TLS, or --insecure-bind"),
    argument("--name", action="append", default=[], metavar="NAME", help="a name by which others reach it; repeatable"),
    argument("--tls-cert", type=Path, metavar="FILE", help="a certificate, in PEM"),
    argument("--tls-key", type=Path, metavar="FILE", help="the key of the certificate, in PEM"),
    argument("--insecure-bind", action="store_true", help="let others on the network read along: no TLS elsewhere"),
)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ANY = ("0.0.0.0", "::")
_LOG = "serve.log"
_LOG_BYTES = 1_000_000


@COMMANDS.add(
    "serve",
    "Serve the memory over HTTP on this machine: an API for programs, pages for people, MCP for agents.",
    example="lerim serve --port 7437",
    arguments=_ARGUMENTS,
)
def serve(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    def told(site: Site, logins: Logins, serving: ServingPayload) -> None:
        out.data(serving)
        out.say(f"serving {lerim.house.project_root or lerim.house.cwd} on {site.url}")
        out.say(out.style(f"  the token is in {serving['token_file']}; only you can read it", DIM))
        out.note("Ctrl-C ends it; to look at it in a browser: lerim dashboard")

    _serve(lerim, args, out, told)


@COMMANDS.add(
    "dashboard",
    "Open the dashboard in your browser, logged in. A server that runs already is used, else one is started here.",
    example="lerim dashboard",
    arguments=[*_ARGUMENTS, argument("--no-open", action="store_true", help="print the link, and open no browser")],
)
def dashboard(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.serve.http import token_in  # Start-up: only a server needs it.
    from lerim.serve.web.app import link_into
    from lerim.serve.web.running import link_from_running

    house = lerim.house
    here = lerim.projects.at(house.project_root) if house.project_root else None
    token = token_in(house.home, house.random)
    link = link_from_running(house.home, token, here.id if here else None, house.random)
    if link is not None:
        _show(link, args, out, started=False)
        return

    def told(site: Site, logins: Logins, serving: ServingPayload) -> None:
        _show(link_into(site, logins), args, out, started=True)
        out.note("Ctrl-C ends it")

    _serve(lerim, args, out, told)


def _show(link: str, args: argparse.Namespace, out: Output, *, started: bool) -> None:
    """Open a link in the browser; where there is none, or none is wanted, whoever reads along opens it."""
    is_open = not args.no_open and not out.as_json and _opened(link, os.environ)
    out.data(dashboard_payload(link, os.getpid() if started else None))
    if is_open:
        out.say(f"opened {link.partition('/login')[0]} in your browser")
    else:
        out.say(link)
        out.note("it logs one browser in, once, within two minutes")


def _opened(link: str, env: Mapping[str, str]) -> bool:
    # A browser in the terminal would take it over; one without a screen cannot be seen.
    has_screen = sys.platform in ("darwin", "win32") or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
    if not has_screen and not env.get("BROWSER"):
        return False
    import webbrowser

    try:
        return webbrowser.open(link)
    except (webbrowser.Error, OSError):
        return False


def _serve(
    lerim: Lerim, args: argparse.Namespace, out: Output, told: Callable[[Site, Logins, ServingPayload], None]
) -> None:
    import time

    from lerim.config.acting import coming_by
    from lerim.serve.http import PORT, TOKEN_FILE, listen_on, token_in  # Start-up: only a server needs it.
    from lerim.serve.web.logins import Logins
    from lerim.serve.web.running import noted
    from lerim.serve.web.site import HOST, Site

    house, host, tls = lerim.house, args.host or HOST, _tls(args, out)
    token, where = token_in(house.home, house.random), house.home / TOKEN_FILE
    port = PORT if args.port is None else args.port
    with listen_on(port, host, command=f"lerim {args.command.name}") as line:
        site = Site(
            line.getsockname()[1],
            token,
            str(house.cwd),
            coming_by(house.env, "http"),
            host=host,
            has_tls=tls is not None,
            is_read_only=args.read_only,
            also_named=tuple(args.name),
        )
        logins = Logins(house.random, time.monotonic)
        # Whoever reads that it serves may ask at once: what pages need is loaded first.
        app = _application(site, logins, lerim)
        with noted(house.home, site, tls.cert if tls else None):
            told(site, logins, serving_payload(site.url, where, os.getpid()))
            home = house.home
            lerim.close()  # Each request opens what it needs, and nothing is held between them.
            with suppress(OSError):
                _log_into(home / _LOG)
            _run(app, line, tls)


def _tls(args: argparse.Namespace, out: Output) -> TlsFiles | None:
    """The files for TLS. Raises UsageError when what is asked for would let others read along, and nobody said so."""
    from lerim.serve.http import TlsFiles  # As above.

    if (args.tls_cert is None) != (args.tls_key is None):
        raise UsageError("a certificate goes with its key", hint="--tls-cert FILE --tls-key FILE")
    tls = TlsFiles(args.tls_cert, args.tls_key) if args.tls_cert else None
    if tls is not None:
        _require_pair(tls)
    if args.host in (None, *_LOOPBACK):
        return tls
    if not args.host.strip():
        raise UsageError("--host needs an address", hint="--host 127.0.0.1")
    if tls is None and not args.insecure_bind:
        raise UsageError(
            f"{args.host} is reached from other machines, which would read along",
            hint="--tls-cert FILE --tls-key FILE, or --insecure-bind if the network is yours alone",
        )
    out.warn(f"other machines can reach this on {args.host}: whoever has the token or a link reads and changes all")
    if args.host in _ANY and not args.name:
        out.warn("requests from other machines are refused unless they name one of --name NAME")
    if tls is None:
        out.warn("without TLS whoever is on the way sees the token, and all that is remembered")
    return tls


def _require_pair(tls: TlsFiles) -> None:
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.cert, tls.key)
    except (OSError, ValueError) as error:
        raise UsageError(f"{tls.cert} and {tls.key} are no certificate and its key: {error}") from None


def _application(site: Site, logins: Logins, lerim: Lerim) -> App:
    import time

    from lerim.cli.connect import connections_of
    from lerim.serve.web.app import application
    from lerim.serve.web.later import LoadedLater

    members = None
    if lerim.house.shared is not None:
        from lerim.serve.web.members import MemberDoors

        members = MemberDoors(site, lerim.house.home, lerim.house.shared.address, lerim.house.random, time.monotonic)
    agents = LoadedLater(partial(_agents, site))
    return application(site, agents, logins=logins, connections=connections_of, members=members)


def _agents(site: Site) -> Starlette:
    """What agents talk to. Start-up: its SDK takes twice as long to load as all the rest, and who looks at a page does
    not need it."""
    from lerim.serve.http import mcp_application
    from lerim.serve.server import McpServer

    return mcp_application(McpServer(site.folder, site.env), site)


def _run(app: App, line: socket, tls: TlsFiles | None) -> None:
    import anyio

    from lerim.serve.http import serve_http

    anyio.run(serve_http, app, line, tls)


def _log_into(path: Path) -> None:
    """What nobody expected to go wrong is told to a file, and not to whoever asked or whoever watches."""
    import logging
    from logging.handlers import RotatingFileHandler

    from lerim.private import open_private

    open_private(path, append=True).close()
    handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
