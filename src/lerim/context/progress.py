"""How far a long step has come, reported to whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
#: The step in words, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]
# Often enough to see it move, rarely enough to cost nothing.
EVERY = 200


def silent(step: str, done: int, total: int) -> None:
    """Nobody is watching."""


def with_progress(items: Sequence[Item], step: str, progress: Progress) -> Iterator[Item]:
    """The items, reporting progress as they pass."""
    for number, item in enumerate(items, 1):
        yield item
        if number % EVERY == 0 or number == len(items):
            progress(step, number, len(items))
