"""The embedded policy as a model: for runs whose spans are the framework's, and for rehearsals.

Loads pydantic-ai: only who lets the framework drive the policy imports this module.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from lerim.runtime.policy import NAME, Called, PolicyStuck, RunHistory, next_move
from lerim.runtime.wire import CALLS


class LeadPolicy(Model[None]):
    """A pydantic-ai model that plays the lead agent of a sync. It uses no tokens and costs nothing."""

    _announces_system_voice = False

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return "embedded"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        parts = self.turn(history_of(messages))
        return ModelResponse(parts=list(parts), usage=RequestUsage(), model_name=self.model_name)

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        # Nothing is sent anywhere: what other models must not misread need not be checked.
        return messages

    def turn(self, history: RunHistory) -> Sequence[ModelResponsePart]:
        """What it says next. Raises UnexpectedModelBehavior when it knows no way to go on."""
        try:
            move = next_move(history)
        except PolicyStuck as error:
            raise UnexpectedModelBehavior(str(error)) from None
        if isinstance(move, str):
            return [TextPart(move)]
        return [ToolCallPart(call.tool, call.model_dump(mode="json")) for call in move]


def history_of(messages: Sequence[ModelMessage]) -> RunHistory:
    """A conversation as the policy needs it."""
    requests = [part for m in messages if isinstance(m, ModelRequest) for part in m.parts]
    responses = [m for m in messages if isinstance(m, ModelResponse)]
    asked = {part.tool_call_id: part for m in responses for part in m.parts if isinstance(part, ToolCallPart)}
    task = next(part.content for part in requests if isinstance(part, UserPromptPart))
    answers = [part for part in requests if isinstance(part, ToolReturnPart) and part.tool_call_id in asked]
    calls = [
        Called(
            CALLS[a.tool_name].model_validate(asked[a.tool_call_id].args_as_dict()), a.content, a.outcome != "success"
        )
        for a in answers
    ]
    is_done = bool(responses) and any(isinstance(part, TextPart) for part in responses[-1].parts)
    return RunHistory(str(task), len(responses), tuple(calls), is_done)
