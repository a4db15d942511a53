"""Working off what machines uploaded: as long as there is something, and whenever there is something again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from lerim.errors import BudgetReached, LerimError, ModelUnavailable, StoreBusy, StoreUnreachable
from lerim.flows.flow import Flow
from lerim.storage.listening import SESSIONS

if TYPE_CHECKING:
    from lerim.runtime.worker import Taken, Worker
    from lerim.storage.listening import Listener

#: What passes by itself: a server that restarts, a budget of a day, a model that is asked too much.
_PASSING = (StoreUnreachable, StoreBusy, ModelUnavailable, BudgetReached)
#: Seconds before the next look at an empty queue: whoever uploads says so, where that can be heard.
_LOOK_EVERY = 5.0
#: Seconds after something that passes: twice as long each time.
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
#: Seconds between two looks at what uploads left.
_SWEEP_EVERY = 3600.0
#: Seconds between two looks whether an end was asked for.
_STEP = 0.2

#: Hears why the work stands still.
OnPause = Callable[[LerimError, float], None]


class TeamWork(Flow):
    """Takes sessions from the queue that machines share."""

    #: When it last looked at what uploads left.
    _swept = -math.inf

    def work(
        self, *, once: bool = False, is_over: Callable[[], bool] = lambda: False, on_pause: OnPause | None = None
    ) -> Iterator[Taken]:
        """Take what is due, one after the other: what became of each. With `once`, until nothing is left; else until
        `is_over` says so. What passes by itself is waited for. Raises NotFound where no store is shared, and what a
        person has to put right."""
        worker = self._workforce.team_worker()
        assert self._house.shared is not None, "else there is no such worker"
        with closing(self._house.shared.listener(SESSIONS)) as listener:
            yield from self._work(worker, listener, once, is_over, on_pause)

    def _work(
        self,
        worker: Worker,
        listener: Listener,
        once: bool,
        is_over: Callable[[], bool],
        on_pause: OnPause | None,
    ) -> Iterator[Taken]:
        pause = _FIRST_PAUSE
        while not is_over():
            try:
                for taken in worker.work():
                    pause = _FIRST_PAUSE
                    yield taken
                    if is_over():
                        return
            except _PASSING as error:
                # Who runs once wants to know; a server that restarts is not worth the word.
                if once and not isinstance(error, StoreUnreachable | StoreBusy):
                    raise
                if once and pause >= _LONGEST_PAUSE:
                    raise
                if on_pause:
                    on_pause(error, pause)
                _wait(pause, is_over, time.sleep)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            self._sweep()
            if once:
                return
            pause = _FIRST_PAUSE
            _wait(_LOOK_EVERY, is_over, listener.wait)

    def _sweep(self) -> None:
        """There is time now: see after what uploads left that were killed. The next one does, if it cannot be done."""
        if self._house.team is not None and time.monotonic() >= self._swept + _SWEEP_EVERY:
            self._swept = time.monotonic()
            with suppress(LerimError):
                self._house.team.sweep()


def _wait(seconds: float, is_over: Callable[[], bool], step: Callable[[float], bool | None]) -> None:
    """Let so many seconds pass, a few at a time; less when there is news."""
    until = time.monotonic() + seconds
    while not is_over() and (left := until - time.monotonic()) > 0:
        if step(min(left, _STEP)):
            return
