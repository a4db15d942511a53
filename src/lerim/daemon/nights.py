"""When the nightly work is due: once a night, however the clock is set and whoever slept. Values in, values out.

A night is named by the day on which its hour strikes. It is told by the clock on the wall, which may be wrong or be put
right; so a clock that only goes forward, also while the machine sleeps, has a say: no two nights within half a day, and
none that waits for longer than a day and a half.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

HOUR = 3600.0
LEAST, MOST = 12 * HOUR, 36 * HOUR


class Nights:
    """The nights that were worked on. `ticks` are seconds of the clock that only goes forward."""

    def __init__(self, hour: int, last: date | None, ticks: float) -> None:
        """`last` is the last night that was worked on, before this process was there."""
        self.hour = hour
        self.last = last
        #: When a night was last worked on here; without one, when this began to count.
        self._done: float | None = None
        self._since = ticks

    def is_due(self, wall: datetime, ticks: float) -> bool:
        """Whether it is time. `wall` is local."""
        night = self.night(wall)
        if self.last is None:
            # Nobody ever did: the first night is one to come, and whoever starts a daemon has not asked for it now.
            self.last = night
        if self.last > night:
            # The clock was ahead when that was noted. What was done is done; the next night counts.
            self.last = night
        if self._done is not None and ticks - self._done < LEAST:
            return False
        return night > self.last or ticks - (self._since if self._done is None else self._done) >= MOST

    def done(self, wall: datetime, ticks: float) -> date:
        """Tonight's is done: which night that was."""
        self.last, self._done = self.night(wall), ticks
        return self.last

    def night(self, wall: datetime) -> date:
        return (wall - timedelta(hours=self.hour)).date()

    def seconds_left(self, wall: datetime, ticks: float) -> float:
        """How long until it is due, if the clock is left alone."""
        if self.is_due(wall, ticks):
            return 0.0
        strikes = wall.replace(hour=self.hour, minute=0, second=0, microsecond=0)
        wait = (strikes - wall).total_seconds()
        wait += 0.0 if wait > 0 else 24 * HOUR
        return wait if self._done is None else max(wait, LEAST - (ticks - self._done))
