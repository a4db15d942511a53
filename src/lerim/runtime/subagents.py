"""The explorer: a read-only agent that looks through the memory on the lead's behalf. It has no tool that writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic_ai import Agent, AgentRetries, ModelRetry, RunContext, UsageLimits
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from lerim.context.records import LESSONS, Primitive
from lerim.errors import Refused
from lerim.llm.sending import SendingNotes
from lerim.observability import Tracing, instrumentation
from lerim.runtime.boundary import resolve
from lerim.runtime.declining import Declined
from lerim.runtime.deps import RunDeps
from lerim.runtime.prompts import explorer_prompt
from lerim.runtime.read_tools import READ_TOOLS
from lerim.runtime.runs.log_capability import LogCapability
from lerim.runtime.runs.logbook import Logbook
from lerim.runtime.toolbox import framework_tools
from lerim.runtime.wire import ExplorerEnvelope, ExploreTask, Nearby, Sighting

_RETRIES = AgentRetries(tools=2, output=2)


@lru_cache(maxsize=8)  # Its schemas are made once; the model is named at each run.
def the_explorer(tracing: Tracing | None) -> Agent[RunDeps, ExplorerEnvelope]:
    """The explorer, with `glob`, `read` and `grep` and nothing else."""
    prompt = explorer_prompt()
    notes = SendingNotes(lambda ctx: ctx.deps.note_prompt(prompt))
    agent = Agent[RunDeps, ExplorerEnvelope](
        output_type=ExplorerEnvelope,
        deps_type=RunDeps,
        name="lerim-explorer",
        instructions=prompt.text,
        tools=framework_tools(READ_TOOLS),
        retries=_RETRIES,
        capabilities=[LogCapability(Logbook(lambda deps: deps.subagents_log)), notes, *instrumentation(tracing)],
    )

    @agent.output_validator
    async def only_what_is_there(ctx: RunContext[RunDeps], found: ExplorerEnvelope) -> ExplorerEnvelope:
        for sighting in found.evidence:
            if memory_file(ctx.deps, sighting.path) is None:
                raise ModelRetry(f"'{sighting.path[:200]}' is no file of the memory. Return only paths the tools gave.")
        return found

    return agent


async def run_explorer(
    deps: RunDeps, model: Model, query: str, nearest: Sequence[Nearby], usage: RunUsage
) -> Sequence[Sighting]:
    """What the explorer finds. What it used is counted into `usage`. Raises Declined when it did not finish."""
    spent = RunUsage()
    limits = UsageLimits(request_limit=deps.explorer_steps, tool_calls_limit=16 * deps.explorer_steps)
    # A summary tells what happened; only a question is about that.
    folders = tuple(one.traits.folder for one in (Primitive if deps.board is None else LESSONS))
    roots = tuple(map(str, deps.memories))
    task = ExploreTask(query=query, memory_roots=roots, folders=folders, nearest=tuple(nearest)).text()
    try:
        # Four at most: a model that asks for forty at once would be throttled by its provider.
        async with deps.slots:
            result = await the_explorer(deps.tracing).run(
                task, model=model, deps=deps, usage=spent, usage_limits=limits
            )
    except AgentRunError as error:
        deps.subagents_log_line("failed", query=query[:200], error=str(error)[:500])
        raise Declined(f"The explorer did not finish: {str(error)[:200]} Ask for something narrower.") from None
    finally:
        usage.incr(spent)
    return result.output.evidence


def memory_file(deps: RunDeps, text: str) -> Path | None:
    """The file of a memory that a path names; None when there is none within the memory."""
    try:
        path = resolve(text, deps.roots.start)
    except Refused:
        return None
    for root in deps.memories:
        real = deps.roots.real.get(root, root)
        for spelling in dict.fromkeys((root, real)):
            if path.is_relative_to(spelling) and (real / path.relative_to(spelling)).is_file():
                return real / path.relative_to(spelling)
    return None
