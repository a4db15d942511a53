"""What a run did, line by line: every request to a model and every call of a tool, by size and outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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
from lerim.runtime.runs.folder import RunLog
from lerim.runtime.wire import ToolArguments

_SHOWN = 300


@dataclass
class Logbook(AbstractCapability[RunDeps]):
    """Writes to the log that `of` names; to none when there is none, as in `ask`."""

    of: Callable[[RunDeps], RunLog | None]

    async def wrap_model_request(
        self, ctx: RunContext[RunDeps], *, request_context: ModelRequestContext, handler: Any
    ) -> ModelResponse:
        began = time.monotonic()
        response: ModelResponse = await handler(request_context)
        self.requested(ctx.deps, ctx.run_step, len(request_context.messages), response, began)
        return response

    def requested(self, deps: RunDeps, step: int, messages: int, response: ModelResponse, began: float) -> None:
        """Note a turn of whoever leads, and how many messages went before it."""
        self._line(
            deps,
            "request",
            step=step,
            model=response.model_name,
            messages=messages,
            asks_for=[part.tool_name[:100] for part in response.parts if isinstance(part, ToolCallPart)],
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            seconds=_since(began),
        )

    async def wrap_tool_validate(
        self, ctx: RunContext[RunDeps], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        try:
            return await handler(args)
        except (ValidationError, ModelRetry) as error:
            why = _problems(error) if isinstance(error, ValidationError) else error.message
            ctx.deps.last_refusal = f"{call.tool_name}: {why[:_SHOWN]}"
            self._line(ctx.deps, "tool", tool=call.tool_name, outcome="bad arguments", why=why[:_SHOWN])
            raise

    async def wrap_tool_execute(
        self, ctx: RunContext[RunDeps], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        return await self.executed(ctx.deps, call.tool_name, args, handler)

    async def executed(self, deps: RunDeps, tool: str, args: Mapping[str, ToolArguments], handler: Any) -> Any:
        """Call a tool, and note what came of it."""
        began = time.monotonic()
        outcome, why, size = "failed", None, 0
        try:
            result = await handler(args)
            outcome, size = "done", len(str(result))
        except (ModelRetry, ToolRetryError) as error:
            # Nearer to the tool it is a ModelRetry, further out what the model will read.
            why = error.message if isinstance(error, ModelRetry) else str(error.tool_retry.content)
            outcome, why = "refused", why[:_SHOWN]
            deps.last_refusal = f"{tool}: {why}"
            raise
        except UnexpectedModelBehavior as error:
            # It was refused once too often: the reason is the one before.
            outcome, cause = "refused", error.__cause__
            why = cause.message[:_SHOWN] if isinstance(cause, ModelRetry) else str(error)[:_SHOWN]
            deps.last_refusal = f"{tool}: {why}"
            raise
        except Exception as error:
            why = type(error).__name__
            raise
        else:
            return result
        finally:
            about = {"tool": tool, "arguments": _sizes(args), "outcome": outcome, "result": size}
            self._line(deps, "tool", **about, why=why, seconds=_since(began))

    def _line(self, deps: RunDeps, event: str, **fields: object) -> None:
        if (log := self.of(deps)) is not None:
            log.line(event, **{name: value for name, value in fields.items() if value is not None})


def _sizes(args: Mapping[str, ToolArguments]) -> dict[str, int]:
    """How long each argument is that was given."""
    given = ((name, getattr(call, name)) for call in args.values() for name in type(call).model_fields)
    return {name: len(str(value)) for name, value in given if value is not None}


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
