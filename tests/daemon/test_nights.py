"""The nightly work is done once a night, whatever becomes of the clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.daemon.nights import HOUR, LEAST, MOST, Nights

START = datetime(2026, 3, 10, 20, 0, tzinfo=UTC)


class Sleeper:
    """A daemon's nights, lived through hour by hour. `jumps` are hours by which the wall clock is set, by hour."""

    def __init__(self, hour: int = 3, last: date | None = None) -> None:
        self.nights = Nights(hour, last, 0.0)
        self.ticks = 0.0
        self.wrong = timedelta()
        self.done: list[float] = []

    @property
    def wall(self) -> datetime:
        return START + timedelta(seconds=self.ticks) + self.wrong

    def look(self) -> None:
        if self.nights.is_due(self.wall, self.ticks):
            self.nights.done(self.wall, self.ticks)
            self.done.append(self.ticks / HOUR)

    def live(self, hours: float, step: float = 1.0, jumps: dict[int, float] | None = None) -> None:
        for number in range(int(hours / step)):
            self.wrong += timedelta(hours=(jumps or {}).get(number, 0.0))
            self.look()
            self.ticks += step * HOUR


def test_each_night_is_worked_on_once() -> None:
    sleeper = Sleeper()

    sleeper.live(24 * 5)

    assert [7.0, 31.0, 55.0, 79.0, 103.0] == sleeper.done  # From eight in the evening to three.


def test_who_is_new_waits_for_the_night() -> None:
    assert not Nights(3, None, 0.0).is_due(START, 0.0)


def test_a_night_that_was_slept_through_is_made_up_for_once() -> None:
    """The machine was asleep at three; the clock that counts sleep went on."""
    sleeper = Sleeper(last=START.date())
    sleeper.look()

    sleeper.ticks += 14 * HOUR  # Ten in the morning.
    sleeper.look()
    sleeper.look()

    assert [14.0] == sleeper.done


def test_a_night_that_another_process_worked_on_is_not_done_again() -> None:
    morning = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)

    assert not Nights(3, date(2026, 3, 11), 0.0).is_due(morning, 0.0)
    assert Nights(3, date(2026, 3, 10), 0.0).is_due(morning, 0.0)


def test_a_note_from_the_future_does_not_stop_it_for_years() -> None:
    """The clock was ten years ahead when the last night was noted, and is right again."""
    sleeper = Sleeper(last=date(2036, 3, 10))

    sleeper.live(24 * 3)

    assert [7.0, 31.0, 55.0] == sleeper.done


@pytest.mark.parametrize("jump", [-30 * 24.0, -25.0, -2.0, 2.0, 25.0, 30 * 24.0])
def test_a_clock_that_jumps_and_is_put_right_repeats_and_skips_nothing(jump: float) -> None:
    """Around the hour itself: each day has its night, and no two come close."""
    for at in range(2, 12):
        sleeper = Sleeper()
        sleeper.live(24 * 6, jumps={at: jump, at + 3: -jump})

        gaps = [later - earlier for earlier, later in pairwise(sleeper.done)]
        assert all(LEAST / HOUR <= gap <= MOST / HOUR for gap in gaps), (at, sleeper.done)
        assert 5 <= len(sleeper.done) <= 7


@given(
    jumps=st.dictionaries(st.integers(0, 24 * 12 - 1), st.floats(-24.0 * 400, 24.0 * 400), max_size=40),
    hour=st.integers(0, 23),
)
def test_whatever_the_clock_does_nights_come_neither_twice_nor_never(jumps: dict[int, float], hour: int) -> None:
    """Measured by a clock that nobody sets: half a day apart at least, a day and a half at most."""
    sleeper = Sleeper(hour)

    sleeper.live(24 * 12, jumps=jumps)

    moments = [0.0, *sleeper.done, sleeper.ticks / HOUR]
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert all(gap >= LEAST / HOUR for gap in gaps[1:-1])
    assert all(gap <= MOST / HOUR + 1.0 for gap in gaps)


@given(hour=st.integers(0, 23), minutes=st.integers(0, 3 * 24 * 60), done=st.booleans())
def test_what_is_said_to_be_left_is_left(hour: int, minutes: int, done: bool) -> None:
    """It is due then, and not a minute before."""
    nights, wall, ticks = Nights(hour, START.date(), 0.0), START + timedelta(minutes=minutes), minutes * 60.0
    if done:
        nights.done(wall, ticks)

    left = nights.seconds_left(wall, ticks)

    assert nights.is_due(wall + timedelta(seconds=left), ticks + left)
    if left > 60.0:
        assert not nights.is_due(wall + timedelta(seconds=left - 60.0), ticks + left - 60.0)
