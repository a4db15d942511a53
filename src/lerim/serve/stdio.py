"""Serving whoever started this process, on its standard input and output."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import IO, Any

from lerim.serve.opening import Lists, Opening, Say


def serve_stdio(env: Mapping[str, str]) -> int:
    """Serve until the client is done with us. Most clients greet, ask what there is, and never call: for them, the SDK
    is not even loaded."""
    cwd = os.getcwd()  # noqa: PTH109 - start-up: without pathlib
    incoming, say = _own_line()
    opened = Opening(say, _lists(env)).listen(incoming)
    if not opened.heard:
        return 0
    # Start-up: the SDK takes most of a second, and sixty megabytes. Here somebody calls.
    import anyio

    from lerim.serve.server import McpServer, serve_line

    anyio.run(serve_line, McpServer(cwd, env), opened, incoming, say)
    return 0


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


# --- what clients ask for first; the SDK answers the same when it is asked (server.py) --------------------------------


def _lists(env: Mapping[str, str]) -> Lists:
    return {"tools/list": partial(_tools, env), "resources/list": _resources, "prompts/list": _prompts}


def _tools(env: Mapping[str, str]) -> dict[str, Any]:
    # Start-up: a greeting needs neither a list nor the settings.
    from lerim.serve.allowed import may_write
    from lerim.serve.tools import offered, tool_schema

    return {"tools": [tool_schema(tool) for tool in offered(write=may_write(env))]}


def _resources() -> dict[str, Any]:
    from lerim.serve.tools import RESOURCES, resource_schema  # As above.

    return {"resources": [resource_schema(one) for one in RESOURCES]}


def _prompts() -> dict[str, Any]:
    from lerim.serve.tools import prompt_schema  # As above.

    return {"prompts": [prompt_schema()]}
