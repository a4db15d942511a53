"""Our models for dspy: its language model asks ours, so that budget, books, tries and fallbacks are the same.

Loads dspy and pydantic-ai: only who extracts with dspy imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import dspy  # type: ignore[import-untyped]
from dspy.lm15 import (  # type: ignore[import-untyped]
    Message,
    Request,
    Response,
    Usage,
    response_to_events,
)
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from lerim.observability import Tracing


def language_model(build: Callable[[], Model], name: str, tracing: Tracing | None) -> dspy.LM:
    """A dspy.LM that asks the model `build` gives. Nothing is cached: dspy would keep conversations on disk."""
    return dspy.LM(f"lerim/{name}", engine=_Engine(build, tracing), cache=False, num_retries=0)


class _Engine:
    """One request of dspy as one of ours. Text only, which is all that dspy.RLM sends."""

    def __init__(self, build: Callable[[], Model], tracing: Tracing | None) -> None:
        self._build = build
        self._spans = tracing.of_agents() if tracing else None

    def complete(self, request: Request) -> Response:
        # In a thread of its own: dspy is called from within an event loop as well as outside of any.
        with ThreadPoolExecutor(1) as thread:
            answer = thread.submit(copy_context().run, asyncio.run, self._ask(request)).result()
        usage = Usage(input_tokens=answer.usage.input_tokens, output_tokens=answer.usage.output_tokens)
        message = Message.assistant(answer.text or " ")
        return Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def stream(self, request: Request) -> Iterator[object]:
        return iter(response_to_events(self.complete(request)))

    def close(self) -> None:
        pass

    async def _ask(self, request: Request) -> ModelResponse:
        asked = _messages(request)
        return await model_request(self._build(), asked, model_settings=_settings(request), instrument=self._spans)


def _messages(request: Request) -> list[ModelMessage]:
    system = request.system
    instructions = system if isinstance(system, str | None) else "".join(part.text for part in system)
    messages: list[ModelMessage] = []
    for message in request.messages:
        text = message.text or ""
        if message.role == "assistant":
            messages.append(ModelResponse(parts=[TextPart(text)]))
        else:
            messages.append(ModelRequest.user_text_prompt(text, instructions=instructions))
    return messages


def _settings(request: Request) -> ModelSettings:
    settings: ModelSettings = {}
    if request.config.max_tokens is not None:
        settings["max_tokens"] = request.config.max_tokens
    if request.config.temperature is not None:
        settings["temperature"] = request.config.temperature
    return settings
