"""A model at work: the agent of a mode with that mode's tools, run until it is finished.

Loads pydantic-ai: only who has a run to do imports this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from pydantic_ai import Agent, AgentRetries, ModelRetry, RunContext, UsageLimits
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model

from lerim.errors import ModelError
from lerim.llm import Models
from lerim.llm.sending import SendingNotes
from lerim.observability import Tracing, instrumentation
from lerim.runtime.bounds import last_words, run_through
from lerim.runtime.deps import RunDeps, Unfinished
from lerim.runtime.prompts import Prompt, lead_prompts
from lerim.runtime.read_tools import RunTool
from lerim.runtime.roots import Mode
from lerim.runtime.runs.log_capability import LogCapability
from lerim.runtime.runs.logbook import Logbook
from lerim.runtime.toolbox import framework_tools
from lerim.runtime.wire import AgentTask

Output = TypeVar("Output")

#: How often a model may hear the same thing again before the run is given up.
_RETRIES = AgentRetries(tools=4, output=3)


def build_agent(
    mode: Mode, tools: Sequence[RunTool], output: type[Output], seconds: float, tracing: Tracing | None
) -> Agent[Any, Output]:
    """The agent of a mode, with these tools and no others. A call of one may take so many seconds."""
    prompts = lead_prompts(mode)
    return Agent[Any, Output](
        output_type=output,
        deps_type=RunDeps,
        name=f"lerim-{mode}",
        instructions=[prompt.text for prompt in prompts],
        tools=framework_tools(tools),
        retries=_RETRIES,
        tool_timeout=seconds,
        capabilities=[LogCapability(Logbook(lambda deps: deps.agent_log)), noting(*prompts), *instrumentation(tracing)],
    )


@lru_cache(maxsize=8)  # Its schemas are made once a process; the model is named at each run.
def lead_agent(
    tools: tuple[RunTool, ...], unfinished: Unfinished, seconds: float, tracing: Tracing | None
) -> Agent[Any, str]:
    """The agent of a sync. It is finished when `unfinished` says so, whatever the model thinks."""
    agent = build_agent("sync", tools, str, seconds, tracing)

    @agent.output_validator
    async def finished(ctx: RunContext[RunDeps], text: str) -> str:
        if (problem := unfinished(ctx.deps, text)) is not None:
            raise ModelRetry(problem)
        return text

    return agent


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

    try:
        return run_through(work(), models)
    except AgentRunError as error:
        raise ModelError(last_words(error.message, deps.last_refusal)) from error


def run_limits(models: Models, extra: int = 0) -> UsageLimits:
    """How many requests and calls a run may take. `extra` counts what there is to look at from the beginning."""
    lead, explorer = models.role("lead"), models.role("explorer")
    # Tokens and money are the ledger's business: it knows what other runs used, and ends the work cleanly.
    return UsageLimits(
        request_limit=lead.max_iterations + extra * explorer.max_iterations,
        tool_calls_limit=8 * lead.max_iterations + extra * (8 + 4 * explorer.max_iterations),
    )
