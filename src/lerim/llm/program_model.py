"""An agent's program behind the interface of every model, so that budget, books, tries and fallbacks are the same.

Loads pydantic-ai: only who asks a model imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from lerim.errors import ModelNotReady
from lerim.llm.programs import Program

_TEXT_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class ProgramModel(Model):
    """Answers in a given form. It has no tools: an agent's program reads for Lerim, and does nothing else."""

    def __init__(self, program: Program, model: str, env: Mapping[str, str]) -> None:
        super().__init__()
        self._program = program
        self._model = model
        self._env = env

    @property
    def model_name(self) -> str:
        return self._model or self._program.command

    @property
    def system(self) -> str:
        return str(self._program.provider)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        asked = model_request_parameters
        if asked.function_tools:
            problem = f"{self._program.title} can read for Lerim, but not lead or explore: it is given no tools"
            raise ModelNotReady(problem, hint="lerim models use, or a server for roles.lead and roles.explorer")
        tool = asked.output_tools[0] if asked.output_tools else None
        schema: Mapping[str, Any] = tool.parameters_json_schema if tool else _TEXT_SCHEMA
        instructions = [message.instructions for message in messages if isinstance(message, ModelRequest)]
        answer = await self._program.ask(
            instructions[-1] or "", _conversation(messages), schema, model=self._model, env=self._env
        )
        part: ModelResponsePart = (
            ToolCallPart(tool.name, answer.json) if tool else TextPart(str(answer.json.get("text", answer.json)))
        )
        usage = RequestUsage(input_tokens=answer.tokens.input, output_tokens=answer.tokens.output)
        details = {"cost": answer.usd} if answer.usd is not None else None
        return ModelResponse(parts=[part], usage=usage, model_name=self.model_name, provider_details=details)


def _conversation(messages: list[ModelMessage]) -> str:
    """What was said so far, as one text: what was asked, what was answered, and what was wrong with it."""
    told: list[str] = []
    for message in messages:
        for part in message.parts:
            content = getattr(part, "content", None)
            if isinstance(message, ModelRequest):
                told.append(str(content))
            elif isinstance(part, ToolCallPart):
                told.append(f"You answered:\n{part.args_as_json_str()}")
            elif content:
                told.append(f"You answered:\n{content}")
    return "\n\n".join(told)
