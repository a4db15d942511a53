"""The tools of a run as the framework for models takes them: described by their arguments, refusals told to the model.

Loads pydantic-ai: only who lets a model lead or explore imports this module.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache
from typing import Any, get_type_hints

from pydantic_ai import ModelRetry, RunContext, Tool

from lerim.runtime.declining import Declined
from lerim.runtime.read_tools import RunTool


def framework_tools(tools: Sequence[RunTool]) -> list[Tool[Any]]:
    """The same tools, for a model to call."""
    return [_framework_tool(tool) for tool in tools]


@cache  # Its schema is made once.
def _framework_tool(tool: RunTool) -> Tool[Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return await tool.function(*args, **kwargs)
        except Declined as error:
            raise ModelRetry(error.message) from None

    hints = get_type_hints(tool.function, localns={"ToolContext": RunContext})
    signature = inspect.signature(tool.function)
    called = [one.replace(annotation=hints[name]) for name, one in signature.parameters.items()]
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = tool.function.__doc__
    call.__annotations__ = hints
    call.__signature__ = signature.replace(parameters=called)  # type: ignore[attr-defined]
    return Tool(call, sequential=tool.alone, docstring_format="google", require_parameter_descriptions=False)
