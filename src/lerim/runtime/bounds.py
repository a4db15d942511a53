"""How long a run and each of its steps may take, and who explores in it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from lerim.llm import Models, Spending

if TYPE_CHECKING:
    # Start-up: a run that no model leads does without their framework.
    from pydantic_ai.models import Model

    from lerim.llm.models import RoleName

_T = TypeVar("_T")
#: Whose work a run may wait for.
_WAITED_FOR: tuple[RoleName, ...] = ("lead", "extract", "summarize")


def step_seconds(models: Models) -> float:
    """How long one call of a tool may take."""
    return float(max(models.role(role).timeout_seconds for role in _WAITED_FOR))


def run_through(work: Coroutine[Any, Any, _T], models: Models) -> _T:
    """See some work to its end, as long as a run may take. Raises TimeoutError."""
    seconds = sum(models.role(role).timeout_seconds for role in _WAITED_FOR)

    async def run() -> _T:
        async with asyncio.timeout(seconds):
            return await work

    return asyncio.run(run())


def last_words(problem: str, refusal: str | None) -> str:
    """Why a run ended. That a tool refused too often says little; why it did is what people need to know."""
    return f"{problem.partition('. ')[0]}{f'; the last refusal was: {refusal}' if refusal else ''}"


def explorer_model(models: Models, spending: Spending) -> Model | None:
    """The model that explores; None when the memory's own search answers."""
    return None if models.is_embedded("explorer") else models.model("explorer", spending)
