"""`lerim mcp`: serve the memory to agents over the Model Context Protocol."""

from __future__ import annotations

import argparse
import os
import sys

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import DIM, Output
from lerim.errors import UsageError
from lerim.payloads.mcp import serving_payload
from lerim.printable import shell_word
from lerim.serve.stdio import serve_stdio
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "mcp",
    "Serve the memory to an agent over MCP. Agents start this themselves, and it ends with them.",
    example="lerim mcp --http --port 7437",
    arguments=[
        argument("--http", action="store_true", help="on a port of this machine, for clients that start no program"),
        argument("--port", type=whole_number, help="which port (default 7437; 0 for any that is free)"),
    ],
)
def mcp(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.http:
        _over_http(lerim, args, out)
    elif args.port is not None:
        raise UsageError("--port is for --http", hint="lerim mcp --http --port N")
    elif out.as_json or sys.stdin.isatty():
        raise UsageError(
            "lerim mcp talks to a program, on standard input and output",
            hint="lerim connect sets agents up; docs/mcp.md tells how to do it by hand",
        )
    else:
        lerim.close()  # Each call opens what it needs, and nothing is held between them.
        serve_stdio(lerim.house.env)


def _over_http(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    import anyio  # Start-up: the SDK takes most of a second, and only a server needs it.

    from lerim.serve.http import PORT, TOKEN_FILE, gated, listen_on, serve_http, token_in, url_of
    from lerim.serve.server import McpServer
    from lerim.serve.web.site import Site

    house = lerim.house
    token, where = token_in(house.home, house.random), house.home / TOKEN_FILE
    with listen_on(PORT if args.port is None else args.port) as line:
        url = url_of(line)
        out.data(serving_payload(url, where, os.getpid()))
        out.say(f"serving {house.project_root or house.cwd} on {url}")
        out.say(out.style(f"  the token is in {where}; only you can read it", DIM))
        out.say(
            out.style(
                f'  claude mcp add -t http lerim {url} -H "Authorization: Bearer $(cat {shell_word(str(where))})"', DIM
            )
        )
        out.note("Ctrl-C ends it")
        lerim.close()
        site = Site(line.getsockname()[1], token, str(house.cwd), house.env)
        anyio.run(serve_http, gated(McpServer(site.folder, site.env), site), line)
