"""What is due, and when: a busy file waits, a failure waits longer each time, and something is always next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lerim.daemon.nights import Nights
from lerim.daemon.schedule import ChoreKind, ChorePace, ChoreResult, Schedule

NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
PACE = ChorePace(quiet=300.0, period=3600.0)


class Day:
    """A schedule, and the clocks beside it."""

    def __init__(self, pace: ChorePace = PACE) -> None:
        self.now = 0.0
        self.schedule = Schedule(pace, Nights(3, NOON.date(), 0.0), 0.0)

    @property
    def wall(self) -> datetime:
        return NOON + timedelta(seconds=self.now)

    def left(self, kind: ChoreKind = ChoreKind.SYNC) -> float:
        return self.schedule.seconds_left(self.wall, self.now)[kind]

    def due(self) -> ChoreKind | None:
        return self.schedule.due(self.wall, self.now)

    def do(self, result: ChoreResult, kind: ChoreKind = ChoreKind.SYNC) -> None:
        self.schedule.began(kind, self.now)
        self.schedule.ended(kind, result, self.wall, self.now)


def looked(due_in: float | None = None, taken: int = 0) -> Day:
    """A day on which one look is done."""
    day = Day()
    day.do(ChoreResult(True, taken, due_in))
    return day


def test_it_begins_with_a_look_and_goes_on_with_one_an_hour() -> None:
    assert ChoreKind.SYNC is Day().due()
    assert 3600.0 == looked().left()


def test_a_file_is_looked_at_when_nobody_has_written_to_it_for_a_while() -> None:
    day = looked()
    for _ in range(20):
        day.schedule.touched("a.jsonl", day.now)
        day.now += 60.0

    assert 240.0 == day.left()


def test_a_file_that_rests_does_not_wait_for_one_that_does_not() -> None:
    day = looked()
    day.schedule.touched("rests.jsonl", day.now)
    for _ in range(5):
        day.schedule.touched("busy.jsonl", day.now)
        day.now += 60.0

    assert 0.0 == day.left()


def test_a_file_that_never_rests_is_looked_at_within_the_hour() -> None:
    day = looked()
    while day.due() is None:
        day.schedule.touched("busy.db", day.now)
        day.now += 60.0

    assert 3600.0 == day.now


def test_what_is_written_during_a_look_is_seen_by_the_next() -> None:
    day = Day()
    day.schedule.began(ChoreKind.SYNC, day.now)
    day.schedule.touched("a.jsonl", day.now)
    day.schedule.ended(ChoreKind.SYNC, ChoreResult(True), day.wall, day.now)

    assert 300.0 == day.left()


def test_fifty_thousand_files_are_one_look_and_no_memory_without_end() -> None:
    day = looked()
    for number in range(50_000):
        day.schedule.touched(number, day.now)
    assert len(day.schedule._touched) <= 10_000

    assert 300.0 == day.left()


def test_what_the_queue_has_next_is_looked_at_then() -> None:
    assert 120.0 == looked(due_in=120.0).left()
    assert 0.0 == looked(due_in=0.0, taken=200).left()


def test_work_that_nobody_can_do_is_tried_less_and_less() -> None:
    """As when another process has the project for hours."""
    day, waits = Day(), []
    for _ in range(13):
        day.do(ChoreResult(True, 0, 0.0))
        waits.append(day.left())
        day.now += day.left()

    assert [3.0, 6.0, 12.0, 24.0] == waits[:4]
    assert 3600.0 == waits[-1]
    day.do(ChoreResult(True, 3, 0.0))
    assert 0.0 == day.left()


def test_a_failure_waits_longer_each_time_whatever_is_written() -> None:
    day, waits = Day(), []
    for _ in range(9):
        day.do(ChoreResult(False))
        day.schedule.touched("a.jsonl", day.now - 300.0)
        waits.append(day.left())
        day.now += day.left()

    assert [30.0, 60.0, 120.0] == waits[:3]
    assert 3600.0 == waits[-1]
    day.do(ChoreResult(True))
    assert 3600.0 == day.left()


def test_a_night_that_fails_is_tried_again_and_keeps_nobody_from_looking() -> None:
    day = looked()
    day.now = 15.0 * 3600
    assert ChoreKind.MAINTAIN is day.due()

    day.do(ChoreResult(False), ChoreKind.MAINTAIN)
    assert ChoreKind.SYNC is day.due()
    day.now += 30.0
    assert ChoreKind.MAINTAIN is day.due()
    day.do(ChoreResult(True), ChoreKind.MAINTAIN)

    assert 0.0 < day.left(ChoreKind.MAINTAIN)


def test_a_machine_that_slept_looks_at_once() -> None:
    """The clock it goes by counts sleep: an hour passed, and so did the night."""
    day = looked()
    day.now += 20 * 3600.0

    assert {ChoreKind.SYNC: 0.0, ChoreKind.MAINTAIN: 0.0} == day.schedule.seconds_left(day.wall, day.now)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 7200).map(float),
            st.booleans(),
            st.sampled_from(ChoreKind),
            st.integers(0, 3),
            st.one_of(st.none(), st.integers(0, 1_000_000).map(float)),
        ),
        max_size=60,
    )
)
def test_whatever_happens_a_look_is_never_further_than_its_period(
    events: list[tuple[float, bool, ChoreKind, int, float | None]],
) -> None:
    """Nothing makes it stop, and nothing is later than the longest wait."""
    day = Day()
    for step, is_done, kind, taken, due_in in events:
        day.now += step
        day.schedule.touched(taken, day.now)
        day.do(ChoreResult(is_done, taken, due_in), kind)
        assert 0.0 <= day.left() <= PACE.period
