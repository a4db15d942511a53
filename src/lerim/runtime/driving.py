"""A model at work: the agent of a mode with that mode's tools, run until it is finished.

Loads pydantic-ai: only who has a run to do imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from pydantic_ai import Agent, AgentRetries, RunContext, Tool, UsageLimits
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model

from lerim.errors import ModelError
from lerim.llm import Models, Spending
from lerim.llm.models import RoleName
from lerim.llm.sending import SendingNotes
from lerim.observability import Tracing, instrumentation
from lerim.runtime.deps import RunDeps
from lerim.runtime.prompts import Prompt, lead_prompts
from lerim.runtime.roots import Mode
from lerim.runtime.runs.logbook import Logbook
from lerim.runtime.wire import AgentTask

Output = TypeVar("Output")

#: How often a model may hear the same thing again before the run is given up.
_RETRIES = AgentRetries(tools=4, output=3)
#: Whose work a run may wait for.
_WAITED_FOR: tuple[RoleName, ...] = ("lead", "extract", "summarize")


def step_seconds(models: Models) -> float:
    """How long one call of a tool may take."""
    return float(max(models.role(role).timeout_seconds for role in _WAITED_FOR))


def build_agent(
    mode: Mode, tools: Sequence[Tool[Any]], output: type[Output], seconds: float, tracing: Tracing | None
) -> Agent[Any, Output]:
    """The agent of a mode, with these tools and no others. A call of one may take so many seconds."""
    prompts = lead_prompts(mode)
    return Agent[Any, Output](
        output_type=output,
        deps_type=RunDeps,
        name=f"lerim-{mode}",
        instructions=[prompt.text for prompt in prompts],
        tools=tools,
        retries=_RETRIES,
        tool_timeout=seconds,
        capabilities=[Logbook(lambda deps: deps.agent_log), noting(*prompts), *instrumentation(tracing)],
    )


def noting(*prompts: Prompt) -> SendingNotes:
    """What tells the run's account of prompts as they are sent."""

    def note(ctx: RunContext[RunDeps]) -> None:
        for prompt in prompts:
            ctx.deps.note_prompt(prompt)

    return SendingNotes(note)


def drive(
    agent: Agent[Any, Output], model: Model, task: AgentTask, deps: RunDeps, limits: UsageLimits, models: Models
) -> Output:
    """Let a model work until it is finished. Raises ModelError when it does not finish."""

    async def work() -> Output:
        return (await agent.run(task.text(), model=model, deps=deps, usage_limits=limits)).output

    return driven(work(), deps, models)


def driven(work: Coroutine[Any, Any, Output], deps: RunDeps, models: Models) -> Output:
    """See some work to its end, as long as a run may take. Raises ModelError when it does not finish."""
    seconds = sum(models.role(role).timeout_seconds for role in _WAITED_FOR)

    async def run() -> Output:
        async with asyncio.timeout(seconds):
            return await work

    try:
        return asyncio.run(run())
    except AgentRunError as error:
        # That a tool refused too often says little; why it did is what people need to know.
        why = f"; the last refusal was: {deps.last_refusal}" if deps.last_refusal else ""
        raise ModelError(f"{error.message.partition('. ')[0]}{why}") from error


def explorer_model(models: Models, spending: Spending) -> Model | None:
    """The model that explores; None when the memory's own search answers."""
    return None if models.is_embedded("explorer") else models.model("explorer", spending)


def run_limits(models: Models, extra: int = 0) -> UsageLimits:
    """How many requests and calls a run may take. `extra` counts what there is to look at from the beginning."""
    lead, explorer = models.role("lead"), models.role("explorer")
    # Tokens and money are the ledger's business: it knows what other runs used, and ends the work cleanly.
    return UsageLimits(
        request_limit=lead.max_iterations + extra * explorer.max_iterations,
        tool_calls_limit=8 * lead.max_iterations + extra * (8 + 4 * explorer.max_iterations),
    )
