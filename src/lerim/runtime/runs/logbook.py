"""What a run did, line by line: every request to a model and every call of a tool, by size and outcome."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lerim.runtime.declining import Declined
from lerim.runtime.deps import RunDeps
from lerim.runtime.runs.folder import RunLog
from lerim.runtime.wire import ToolArguments

_SHOWN = 300


@dataclass(frozen=True)
class LedTurn:
    """What whoever leads was asked and said."""

    step: int
    #: How many messages went before it.
    messages: int
    model: str | None
    asks_for: Sequence[str]
    input_tokens: int = 0
    output_tokens: int = 0


def declined(error: Exception) -> str | None:
    """In which words a tool refused; None when it failed."""
    return error.message if isinstance(error, Declined) else None


@dataclass
class Logbook:
    """Writes to the log that `of` names; to none when there is none, as in `ask`."""

    of: Callable[[RunDeps], RunLog | None]

    def requested(self, deps: RunDeps, turn: LedTurn, began: float) -> None:
        """Note a turn of whoever leads."""
        self._line(
            deps,
            "request",
            step=turn.step,
            model=turn.model,
            messages=turn.messages,
            asks_for=[name[:100] for name in turn.asks_for],
            input_tokens=turn.input_tokens,
            output_tokens=turn.output_tokens,
            seconds=_since(began),
        )

    def misunderstood(self, deps: RunDeps, tool: str, why: str) -> None:
        """Note a call whose arguments are none."""
        deps.last_refusal = f"{tool}: {why[:_SHOWN]}"
        self._line(deps, "tool", tool=tool, outcome="bad arguments", why=why[:_SHOWN])

    async def executed(
        self,
        deps: RunDeps,
        tool: str,
        args: Mapping[str, ToolArguments],
        handler: Callable[[Mapping[str, ToolArguments]], Awaitable[Any]],
        refusal: Callable[[Exception], str | None] = declined,
    ) -> Any:
        """Call a tool, and note what came of it. `refusal` tells in which words it refused, if it did not fail."""
        began = time.monotonic()
        outcome, why, size = "failed", None, 0
        try:
            result = await handler(args)
            outcome, size = "done", len(str(result))
        except Exception as error:
            if (words := refusal(error)) is None:
                why = type(error).__name__
            else:
                outcome, why = "refused", words[:_SHOWN]
                deps.last_refusal = f"{tool}: {why}"
            raise
        else:
            return result
        finally:
            about = {"tool": tool, "arguments": _sizes(args), "outcome": outcome, "result": size}
            self._line(deps, "tool", **about, why=why, seconds=_since(began))

    def _line(self, deps: RunDeps, event: str, **fields: object) -> None:
        if (log := self.of(deps)) is not None:
            log.line(event, **{name: value for name, value in fields.items() if value is not None})


def _sizes(args: Mapping[str, ToolArguments]) -> dict[str, int]:
    """How long each argument is that was given."""
    given = ((name, getattr(call, name)) for call in args.values() for name in type(call).model_fields)
    return {name: len(str(value)) for name, value in given if value is not None}


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
