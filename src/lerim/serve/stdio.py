"""Serving whoever started this process, on its standard input and output."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from lerim.serve.opening import Lists, Opening, Say

if TYPE_CHECKING:
    from lerim.serve.calls import ToolAnswer


def serve_stdio(env: Mapping[str, str]) -> int:
    """Serve until the client is done with us. Most clients greet, ask what there is, and call nothing or only what
    reads: for them, the SDK is not even loaded."""
    cwd = os.getcwd()  # noqa: PTH109 - start-up: without pathlib
    incoming, say = _own_line()
    opened = Opening(say, _lists(env), partial(_called, cwd, env)).listen(incoming)
    if not opened.heard:
        return 0
    # Start-up: the SDK takes most of a second, and sixty megabytes. Here somebody wants more than is known without it.
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


# --- what they call; the SDK answers the same -------------------------------------------------------------------------


def _called(cwd: str, env: Mapping[str, str], params: Mapping[str, Any], agent: str) -> dict[str, Any] | None:
    """What comes of a call that only reads; None for any other."""
    # Start-up: as above.
    from lerim.serve.folder import folder_of
    from lerim.serve.tools import BY_NAME

    name, arguments = params.get("name"), params.get("arguments") or {}
    tool = BY_NAME.get(name) if isinstance(name, str) else None
    if tool is None or tool.writes or not isinstance(arguments, dict) or params.keys() - _OF_A_CALL:
        return None
    from lerim.serve.calls import McpCall, answer_always

    return _as_result(answer_always(McpCall(tool.name, arguments, folder_of([], env, cwd), env, agent)))


_OF_A_CALL = {"name", "arguments", "_meta"}


def _as_result(done: ToolAnswer) -> dict[str, Any]:
    told = {"content": [{"type": "text", "text": done.text}], "isError": done.failed}
    return told if done.data is None else {**told, "structuredContent": dict(done.data)}
