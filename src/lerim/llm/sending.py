"""Which prompts were really sent: told when a request has left, and not when a budget kept it back.

Loads pydantic-ai: only who asks a model imports this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext

from lerim.errors import BudgetReached

#: The `system` of models that are code of ours: nothing is sent to them.
EMBEDDED = "embedded"


@dataclass
class SendingNotes(AbstractCapability[Any]):
    """Calls `note` for each request of an agent that left this process."""

    note: Callable[[RunContext[Any]], None]

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Any
    ) -> ModelResponse:
        try:
            response: ModelResponse = await handler(request_context)
        except BudgetReached:
            raise
        except BaseException:
            self._noted(ctx)
            raise
        self._noted(ctx)
        return response

    def _noted(self, ctx: RunContext[Any]) -> None:
        if ctx.model.system != EMBEDDED:
            self.note(ctx)
