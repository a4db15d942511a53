"""What is due, and when: a look after files were touched and fell quiet, a look anyway, one after a failure, the night.

Values in, values out. Moments are `ticks`: seconds of a clock that only goes forward, also while the machine sleeps.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from lerim.daemon.nights import Nights


class ChoreKind(StrEnum):
    """What the daemon does by itself, each in a process of its own."""

    SYNC = "sync"
    MAINTAIN = "maintain"


#: What a process that is to do a chore runs. Here, so that nobody has to load chores to have them done.
CHORE_PROGRAM = "from lerim.daemon.chores import run; run()"


class ChorePace(NamedTuple):
    """How soon things are done, in seconds."""

    #: A session that nobody wrote to for so long is worth reading.
    quiet: float
    #: Between two looks at the disk, whatever happens.
    period: float
    #: After a hook said that a session has ended: its agent still writes the last lines.
    ended: float = 2.0
    #: After a failure: twice as long each time, up to an hour.
    first_wait: float = 30.0
    longest_wait: float = 3600.0
    #: The same for work that could not be done: most likely another process is at it for a moment.
    first_turn: float = 3.0

    def wait(self, times: int, first: float | None = None) -> float:
        return float(min(self.longest_wait, (first or self.first_wait) * 2.0 ** min(times - 1, 20)))


class ChoreResult(NamedTuple):
    """What became of a chore: whether it was done, how much, and in how many seconds more can be."""

    is_done: bool
    taken: int = 0
    due_in: float | None = None


#: So many files are told apart; of more, it only counts that there are some.
_MOST_TOUCHED = 10_000


class Schedule:
    """What to do next."""

    def __init__(self, pace: ChorePace, nights: Nights, ticks: float) -> None:
        self.pace = pace
        self.nights = nights
        self._look_at = ticks
        self._touched: dict[Hashable, float] = {}
        self._wait_until: dict[ChoreKind, float] = dict.fromkeys(ChoreKind, ticks)
        self._failures: dict[ChoreKind, int] = dict.fromkeys(ChoreKind, 0)
        self._fruitless = 0

    # What happens

    def touched(self, file: Hashable, ticks: float) -> None:
        """Somebody wrote to a file."""
        if file in self._touched or len(self._touched) < _MOST_TOUCHED:
            self._touched[file] = ticks
        else:
            self.look_within(self.pace.quiet, ticks)

    def look_within(self, seconds: float, ticks: float) -> None:
        """Look at the disk soon."""
        self._look_at = min(self._look_at, ticks + seconds)

    def began(self, kind: ChoreKind, ticks: float) -> None:
        """What was touched until now will be seen."""
        if kind is ChoreKind.SYNC:
            self._touched.clear()
            self._look_at = ticks + self.pace.period

    def ended(self, kind: ChoreKind, result: ChoreResult, wall: datetime, ticks: float) -> None:
        if not result.is_done:
            self._failures[kind] += 1
            self._wait_until[kind] = ticks + self.pace.wait(self._failures[kind])
            if kind is ChoreKind.SYNC:
                self.look_within(0.0, ticks)
            return
        self._failures[kind] = 0
        self._wait_until[kind] = ticks
        if kind is ChoreKind.MAINTAIN:
            self.nights.done(wall, ticks)
        elif result.due_in is not None:
            self._fruitless = 0 if result.taken else self._fruitless + 1
            least = self.pace.wait(self._fruitless, self.pace.first_turn) if self._fruitless else 0.0
            self.look_within(max(result.due_in, least), ticks)

    # What is due

    def due(self, wall: datetime, ticks: float) -> ChoreKind | None:
        """What to do now. The night comes first: it is one chore, and looks are many."""
        left = self.seconds_left(wall, ticks)
        return next((kind for kind in (ChoreKind.MAINTAIN, ChoreKind.SYNC) if left[kind] <= 0.0), None)

    def seconds_left(self, wall: datetime, ticks: float) -> dict[ChoreKind, float]:
        """How long until each is due."""
        look = min([self._look_at, *(last + self.pace.quiet for last in self._touched.values())])
        left = {
            ChoreKind.SYNC: look - ticks,
            ChoreKind.MAINTAIN: self.nights.seconds_left(wall, ticks),
        }
        return {kind: max(seconds, self._wait_until[kind] - ticks, 0.0) for kind, seconds in left.items()}
