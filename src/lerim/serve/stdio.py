"""Serving whoever started this process, on its standard input and output."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from functools import partial
from typing import IO, Any

from lerim.serve.folder import folder_of
from lerim.serve.opening import Lists, Opening, Say
from lerim.serve.tools import PROMPT, PROMPT_ABOUT, RESOURCES, offered, tool_schema


def serve_stdio(cwd: str, env: Mapping[str, str]) -> None:
    """Serve until the client is done with us."""
    incoming, say = _own_line()
    loading = threading.Thread(target=_load, daemon=True)
    opened = Opening(say, _lists(cwd, env), loading.start).listen(incoming)
    if not opened.heard:
        return
    if loading.is_alive():
        # Two threads in one package of the SDK's would wait for each other.
        loading.join()
    # Start-up: the SDK takes most of a second. Here it is needed, and may be there already.
    import anyio

    from lerim.serve.server import McpServer, serve_line

    anyio.run(serve_line, McpServer(cwd, env), opened, incoming, say)


def _own_line() -> tuple[IO[bytes], Say]:
    """The line to the client, for us alone: what anything else prints goes where errors go."""
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)

    def say(data: bytes) -> None:
        while data:
            data = data[os.write(outgoing, data) :]

    return os.fdopen(incoming, "rb"), say


def _load() -> None:
    """Load the SDK, and nothing of ours: a list that is asked for meanwhile opens rooms."""
    import mcp.server.lowlevel.server
    import mcp.server.stdio  # noqa: F401


# --- what clients ask for first; the SDK answers the same when it is asked (server.py) --------------------------------


def _lists(cwd: str, env: Mapping[str, str]) -> Lists:
    return {"tools/list": partial(_tools, cwd, env), "resources/list": _resources, "prompts/list": _prompts}


def _tools(cwd: str, env: Mapping[str, str]) -> dict[str, Any]:
    from lerim.serve.calls import may_write  # The rooms: not before somebody asks.

    return {"tools": [tool_schema(tool) for tool in offered(write=may_write(folder_of([], env, cwd), env))]}


def _resources() -> dict[str, Any]:
    told = [{"uri": one.uri, "name": one.view, "description": one.about} for one in RESOURCES]
    return {"resources": [{**one, "mimeType": "text/markdown"} for one in told]}


def _prompts() -> dict[str, Any]:
    return {"prompts": [{"name": PROMPT, "description": PROMPT_ABOUT}]}
