"""What the user wished and did not take back at once, and what became of it: scrapped, undone, changed, put right.

Apart from what the agent tells, since it is known from the user's words and from the files alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from lerim.ingest.signals.cues import scraps_that
from lerim.ingest.signals.summary_changes import ValueChange, correction_of, value_changes
from lerim.ingest.signals.summary_deeds import Deeds
from lerim.ingest.signals.summary_tasks import StoryTask, StoryTurn, tasks_of


@dataclass(frozen=True)
class WishFate:
    """What became of what was wished and done."""

    #: The turns that the user took back right behind them, and those of whose changes nothing is left.
    scrapped: frozenset[int]
    undone: frozenset[int]
    #: The values that were set anew, what puts the first wish right, and that wish.
    changes: list[ValueChange]
    fixed: StoryTask | None
    wish: str


def wishes_of(turns: Sequence[StoryTurn], deeds: Deeds) -> tuple[list[StoryTask], WishFate]:
    """What the user asked for and did not take back at once, and what became of it."""
    scrapped = frozenset(number - 1 for number, turn in enumerate(turns) if number and scraps_that(turn.text))
    wished = _without_scrapped(tasks_of(turns), scrapped)
    undone = _undone(turns, deeds) | ({0} & scrapped)
    wish = wished[0].text if wished else ""
    return wished, WishFate(scrapped, undone, value_changes(turns), correction_of(wished, turns), wish)


def _without_scrapped(tasks: Sequence[StoryTask], scrapped: Collection[int]) -> list[StoryTask]:
    """What the user asked for, but for what they asked for last before they took it back; what the session began with
    is told with that."""
    last = {task.turn: task for task in tasks}
    return [task for task in tasks if not task.turn or task.turn not in scrapped or last[task.turn] is not task]


def _undone(turns: Sequence[StoryTurn], deeds: Deeds) -> frozenset[int]:
    """The turns of whose changes nothing is left, where something is left of others."""
    if not deeds.files and not deeds.commits:
        return frozenset()
    return frozenset(number for number, turn in enumerate(turns) if turn.edited and deeds.gone.issuperset(turn.edited))


def with_changes(tasks: Sequence[StoryTask], changes: Sequence[ValueChange]) -> list[StoryTask]:
    """The wishes with their values as they are in the end. A value that was set anew stands where it was wished first,
    or, where only the agent had named one, in the wish that set it."""
    told = list(tasks)
    for change in changes:
        before = [task for task in told if task.turn < change.turn and change.is_wished_in(task.text)]
        if before:
            also = " ".join(one.new for one in changes if one.turn == change.turn and one is not change)
            told = [task for task in told if task.turn != change.turn or not change.is_all_of(task.text, also)]
        elif change.is_in_digits and all(task.turn != change.turn for task in told):
            said = StoryTask(change.new, change.turn)
            told = sorted([*told, said], key=lambda task: task.turn)
        told = [_with_change(task, change, is_wished=bool(before)) for task in told]
    return told


def _with_change(task: StoryTask, change: ValueChange, *, is_wished: bool) -> StoryTask:
    if task.turn < change.turn:
        return replace(task, text=change.told_in(task.text), bare=change.told_in(task.bare))
    if task.turn == change.turn and not is_wished:
        return replace(task, text=change.with_first(task.text), bare=change.with_first(task.bare))
    return task
