"""The embedded policy at work: the same tools, the same log and the same last check as of a model that leads.

A framework for models has to expect anything of one: it looks at every message again, asks every hook and keeps an
account of tokens. It takes longer to load than a dozen sessions take, and the policy is code of ours: it does without.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from lerim.errors import ModelError
from lerim.llm import Models
from lerim.runtime.bounds import last_words, run_through, step_seconds
from lerim.runtime.declining import Declined
from lerim.runtime.deps import RunDeps, ToolContext, Unfinished
from lerim.runtime.policy import NAME, Called, Move, PolicyStuck, RunHistory, next_move
from lerim.runtime.read_tools import RunTool
from lerim.runtime.runs.logbook import LedTurn, Logbook
from lerim.runtime.wire import ToolArguments


def play(task: str, tools: Sequence[RunTool], unfinished: Unfinished, deps: RunDeps, models: Models) -> str:
    """Let the policy work until it is finished: its last word. Raises ModelError when it does not finish."""
    performance = Performance(tools, deps, step_seconds(models))
    try:
        return run_through(performance.play(task, unfinished), models)
    except PolicyStuck as error:
        raise ModelError(last_words(str(error), deps.last_refusal)) from error


class Performance:
    """One run of the policy: its tools, what they work with, and how long a call may take."""

    def __init__(self, tools: Sequence[RunTool], deps: RunDeps, seconds: float) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._context = ToolContext(deps)
        self._log = Logbook(lambda deps: deps.agent_log)
        self._seconds = seconds

    async def play(self, task: str, unfinished: Unfinished) -> str:
        """LedTurn by turn, until the run is finished: the last word. Raises PolicyStuck."""
        calls: tuple[Called[Any], ...] = ()
        turns, is_done = 0, False
        while True:
            move = self._turn(RunHistory(task, turns, calls, is_done))
            turns += 1
            if not isinstance(move, str):
                calls += tuple(await self._called(move))
            elif unfinished(self._context.deps, move) is None:
                await _interruptible()
                return move
            else:
                is_done = True
            await _interruptible()

    def _turn(self, history: RunHistory) -> Move:
        began = time.monotonic()
        move = next_move(history)
        calls = [] if isinstance(move, str) else [call.tool for call in move]
        # As many messages as a conversation has: the task, then each turn and what came of it.
        turn = LedTurn(history.turns + 1, 2 * history.turns + 1, NAME, calls)
        self._log.requested(self._context.deps, turn, began)
        return move

    async def _called(self, calls: Sequence[ToolArguments]) -> list[Called[Any]]:
        """What came of the calls of one turn: all at once, unless one of them has to be alone."""
        if any(self._tools[call.tool].alone for call in calls):
            return [await self._call(call) for call in calls]
        return list(await asyncio.gather(*map(self._call, calls)))

    async def _call(self, call: ToolArguments) -> Called[Any]:
        try:
            return Called(call, await self._answer(call), refused=False)
        except Declined as error:
            return Called(call, error.message, refused=True)

    async def _answer(self, call: ToolArguments) -> Any:
        async def handler(args: Mapping[str, ToolArguments]) -> Any:
            async with asyncio.timeout(self._seconds):
                return await self._tools[call.tool].function(self._context, *args.values())

        return await self._log.executed(self._context.deps, call.tool, {"call": call}, handler)


async def _interruptible() -> None:
    """Let an interrupt be heard: it ends what waits, and code of ours waits for nobody."""
    await asyncio.sleep(0)
