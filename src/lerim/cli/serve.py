"""`lerim serve` and `lerim dashboard`: the memory over HTTP, for programs and for a browser."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import DIM, Output
from lerim.payloads.mcp import serving_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from socket import socket

    from lerim.serve.web.site import Site

COMMANDS = Commands()
PORT_ARGUMENT = argument("--port", type=whole_number, help="which port (default 7437; 0 for any that is free)")
READ_ONLY = argument("--read-only", action="store_true", help="let nobody change anything")


@COMMANDS.add(
    "serve",
    "Serve the memory over HTTP on this machine: an API for programs, pages for people, MCP for agents.",
    example="lerim serve --port 7437",
    arguments=[PORT_ARGUMENT, READ_ONLY],
)
def serve(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    _serve(lerim, args, out)


@COMMANDS.add(
    "dashboard",
    "Open the dashboard in your browser, logged in.",
    example="lerim dashboard",
    arguments=[
        PORT_ARGUMENT,
        READ_ONLY,
        argument("--no-open", action="store_true", help="print the link, and open no browser"),
    ],
)
def dashboard(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    _serve(lerim, args, out)


def _serve(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.serve.http import PORT, TOKEN_FILE, listen_on, token_in  # Start-up: only a server needs it.
    from lerim.serve.web.site import Site

    house = lerim.house
    token, where = token_in(house.home, house.random), house.home / TOKEN_FILE
    with listen_on(PORT if args.port is None else args.port) as line:
        site = Site(line.getsockname()[1], token, str(house.cwd), house.env, is_read_only=args.read_only)
        out.data(serving_payload(site.url, where, os.getpid()))
        out.say(f"serving {house.project_root or house.cwd} on {site.url}")
        out.say(out.style(f"  the token is in {where}; only you can read it", DIM))
        out.note("Ctrl-C ends it")
        lerim.close()
        _run(site, line)


def _run(site: Site, line: socket) -> None:
    import anyio

    from lerim.serve.http import mcp_application, serve_http
    from lerim.serve.server import McpServer
    from lerim.serve.web.app import application

    agents = mcp_application(McpServer(site.folder, site.env), site)
    anyio.run(serve_http, application(site, agents), line)
