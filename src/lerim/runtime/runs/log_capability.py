"""The log of a run that a model leads, as the framework for models takes it.

Loads pydantic-ai: only who lets a model lead or explore imports this module.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolRetryError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition

from lerim.runtime.deps import RunDeps
from lerim.runtime.runs.logbook import LedTurn, Logbook


@dataclass
class LogCapability(AbstractCapability[RunDeps]):
    """Tells a log of every request to a model and every call of a tool."""

    log: Logbook

    async def wrap_model_request(
        self, ctx: RunContext[RunDeps], *, request_context: ModelRequestContext, handler: Any
    ) -> ModelResponse:
        began = time.monotonic()
        response: ModelResponse = await handler(request_context)
        calls = [part.tool_name for part in response.parts if isinstance(part, ToolCallPart)]
        usage = response.usage.input_tokens, response.usage.output_tokens
        turn = LedTurn(ctx.run_step, len(request_context.messages), response.model_name, calls, *usage)
        self.log.requested(ctx.deps, turn, began)
        return response

    async def wrap_tool_validate(
        self, ctx: RunContext[RunDeps], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        try:
            return await handler(args)
        except (ValidationError, ModelRetry) as error:
            why = _problems(error) if isinstance(error, ValidationError) else error.message
            self.log.misunderstood(ctx.deps, call.tool_name, why)
            raise

    async def wrap_tool_execute(
        self, ctx: RunContext[RunDeps], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        return await self.log.executed(ctx.deps, call.tool_name, args, handler, _refusal)


def _refusal(error: Exception) -> str | None:
    # Nearer to the tool it is a ModelRetry, further out what the model will read.
    if isinstance(error, ModelRetry):
        return error.message
    if isinstance(error, ToolRetryError):
        return str(error.tool_retry.content)
    if isinstance(error, UnexpectedModelBehavior):
        # It was refused once too often: the reason is the one before.
        cause = error.__cause__
        return cause.message if isinstance(cause, ModelRetry) else str(error)
    return None


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found)
