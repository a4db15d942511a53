"""The embedded policy at work: the same tools, the same log and the same last check as of a model that leads.

A framework for models has to expect anything of one: it looks at every message again, asks every hook and keeps an
account of tokens. The policy is code of ours, and that work is most of what a small session costs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pydantic_ai import ModelRetry, RunContext, Tool
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.usage import RunUsage

from lerim.runtime.deps import RunDeps
from lerim.runtime.policy import Called, LeadPolicy, RunHistory
from lerim.runtime.runs.logbook import Logbook
from lerim.runtime.wire import CALLS, ToolArguments

#: Says what a run still lacks when its last word is out. Raises ModelRetry.
Finished = Callable[[RunContext[Any], str], Awaitable[str]]


class Performance:
    """One run of a policy: its tools, what they work with, and how long a call may take."""

    def __init__(self, policy: LeadPolicy, tools: Sequence[Tool[Any]], deps: RunDeps, seconds: float) -> None:
        self._policy = policy
        self._tools = {tool.name: tool for tool in tools}
        self._context: RunContext[Any] = RunContext(deps=deps, model=policy, usage=RunUsage())
        self._log = Logbook(lambda deps: deps.agent_log)
        self._seconds = seconds

    async def play(self, task: str, finished: Finished) -> str:
        """Turn by turn, until the run is finished: the last word. Raises AgentRunError."""
        calls: tuple[Called[Any], ...] = ()
        turns, is_done = 0, False
        while True:
            parts = self._turn(RunHistory(task, turns, calls, is_done))
            turns += 1
            words = [part.content for part in parts if isinstance(part, TextPart)]
            if words:
                try:
                    last = await finished(self._context, words[-1])
                except ModelRetry:
                    is_done = True
                else:
                    await _interruptible()
                    return last
            calls += tuple(await self._called([part for part in parts if isinstance(part, ToolCallPart)]))
            await _interruptible()

    def _turn(self, history: RunHistory) -> Sequence[ModelResponsePart]:
        began = time.monotonic()
        said = ModelResponse(parts=list(self._policy.turn(history)), model_name=self._policy.model_name)
        # As many messages as a conversation has: the task, then each turn and what came of it.
        self._log.requested(self._context.deps, history.turns + 1, 2 * history.turns + 1, said, began)
        return said.parts

    async def _called(self, parts: Sequence[ToolCallPart]) -> list[Called[Any]]:
        """What came of the calls of one turn: all at once, unless one of them has to be alone."""
        if any(self._tools[part.tool_name].sequential for part in parts):
            return [await self._call(part) for part in parts]
        return list(await asyncio.gather(*map(self._call, parts)))

    async def _call(self, part: ToolCallPart) -> Called[Any]:
        call = CALLS[part.tool_name].of(part)
        try:
            return Called(call, await self._answer(part.tool_name, call), refused=False)
        except ModelRetry as error:
            return Called(call, error.message, refused=True)

    async def _answer(self, name: str, call: ToolArguments) -> Any:
        async def handler(args: Mapping[str, ToolArguments]) -> Any:
            async with asyncio.timeout(self._seconds):
                return await self._tools[name].function(self._context, *args.values())

        return await self._log.executed(self._context.deps, name, {"call": call}, handler)


async def _interruptible() -> None:
    """Let an interrupt be heard: it ends what waits, and code of ours waits for nobody."""
    await asyncio.sleep(0)
