"""The explorer: a read-only agent that looks through the memory on the lead's behalf. It has no tool that writes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic_ai import Agent, AgentRetries, ModelRetry, RunContext, UsageLimits
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from lerim.context.records import LESSONS, Primitive
from lerim.errors import Refused
from lerim.runtime.boundary import resolve
from lerim.runtime.deps import RunDeps
from lerim.runtime.prompts import explore_task, explorer_prompt
from lerim.runtime.runs.logbook import Logbook
from lerim.runtime.tools import EXPLORER_TOOLS

MAX_EVIDENCE = 20
_EXCERPT = 2_000
_RETRIES = AgentRetries(tools=2, output=2)


class Sighting(BaseModel):
    """A memory that bears on the query, as the explorer tells it."""

    path: Annotated[str, Field(max_length=4096, description="The file, as the tools gave it.")]
    record_id: Annotated[str | None, Field(max_length=64, description="The id in its frontmatter.")] = None
    title: Annotated[str, Field(max_length=400)] = ""
    excerpt: Annotated[str, Field(max_length=_EXCERPT, description="A part of it, copied.")] = ""
    relevance: Annotated[float, Field(ge=0, le=1)] = 0.5


class ExplorerEnvelope(BaseModel):
    """What the explorer returns: evidence, best first. An empty list is an answer, too."""

    evidence: Annotated[list[Sighting], Field(max_length=MAX_EVIDENCE)] = []


def build_explorer(model: Model) -> Agent[RunDeps, ExplorerEnvelope]:
    """The explorer, with `glob`, `read` and `grep` and nothing else."""
    agent = Agent[RunDeps, ExplorerEnvelope](
        model,
        output_type=ExplorerEnvelope,
        deps_type=RunDeps,
        name="lerim-explorer",
        instructions=explorer_prompt().text,
        tools=EXPLORER_TOOLS,
        retries=_RETRIES,
        capabilities=[Logbook(lambda desk: desk.subagents_log)],
    )

    @agent.output_validator
    def only_what_is_there(ctx: RunContext[RunDeps], said: ExplorerEnvelope) -> ExplorerEnvelope:
        for sighting in said.evidence:
            if memory_file(ctx.deps, sighting.path) is None:
                raise ModelRetry(f"'{sighting.path[:200]}' is no file of the memory. Return only paths the tools gave.")
        return said

    return agent


async def run_explorer(desk: RunDeps, query: str, usage: RunUsage) -> list[Sighting]:
    """What the explorer finds. What it used up is counted into `usage`. Raises ModelRetry when it did not finish."""
    assert desk.explorer is not None
    spent = RunUsage()
    limits = UsageLimits(request_limit=desk.explorer_steps, tool_calls_limit=16 * desk.explorer_steps)
    try:
        # Four at most: a model that asks for forty at once would be throttled by its provider.
        async with desk.slots:
            # A summary tells what happened; only a question is about that.
            folders = [one.traits.folder for one in (Primitive if desk.board is None else LESSONS)]
            task = explore_task(query, desk.memories, folders)
            result = await build_explorer(desk.explorer).run(task, deps=desk, usage=spent, usage_limits=limits)
    except AgentRunError as error:
        desk.subagents_log_line("failed", query=query[:200], error=str(error)[:500])
        raise ModelRetry(f"The explorer did not finish: {str(error)[:200]} Ask for something narrower.") from None
    finally:
        usage.incr(spent)
    return result.output.evidence


def memory_file(desk: RunDeps, text: str) -> Path | None:
    """The file of a memory that a path names; None when there is none within the memory."""
    try:
        path = resolve(text, desk.roots.start)
    except Refused:
        return None
    for root in desk.memories:
        real = desk.roots.real.get(root, root)
        for spelling in dict.fromkeys((root, real)):
            if path.is_relative_to(spelling) and (real / path.relative_to(spelling)).is_file():
                return real / path.relative_to(spelling)
    return None
