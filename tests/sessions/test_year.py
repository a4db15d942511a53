"""A team's day in short: the real queue and the real budget under a made-up clock, with all that goes wrong.

The whole year is `benchmarks/year.py`; here are days of a few hundred sessions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def year() -> Iterator[Any]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import year

        yield year
    finally:
        sys.path.remove(str(BENCHMARKS))


def small(year: Any, **load: Any) -> Any:
    """Two people, and as many sessions a day in the end as at the beginning."""
    return year.replace(year.Load(), **{"people": 2, "peak": 200, "each": 100, "outages": {}} | load)


def free(year: Any, **means: Any) -> Any:
    """Few workers without a budget, whose books are kept roughly."""
    return year.replace(year.Means(), **{"workers": 3, "budget": year.daily(0.0), "entries": 20} | means)


def passed(year: Any, load: Any, means: Any, day: int = 1, waiting: list[float] | None = None) -> Any:
    return year.measure(load, means, day, waiting or [0.0] * len(load.shares()), carry=1_000, seed=7)


def test_a_day_without_trouble_leaves_nothing_behind(year: Any) -> None:
    """Every session is read, once, and what cannot be read is given up after its attempts."""
    one = passed(year, small(year), free(year, hours_to_kill=0.0))

    assert one.arrived == one.done + one.dead
    assert (0, 0, 0) == (one.backlog, one.refused, one.twice)


def test_killed_and_sleeping_workers_lose_no_session_and_do_none_twice(year: Any) -> None:
    """Each worker is killed about once an hour of work; one in five wakes up too late, and is refused."""
    slow = year.Reading(median_seconds=60.0, bad=0.0, unlucky=0.0)
    one = passed(year, small(year), free(year, workers=6, hours_to_kill=0.3, reading=slow))

    assert one.killed > 5
    assert one.refused > 0
    assert (0, 0) == (one.twice, one.dead)
    assert one.arrived == one.done + one.backlog


def test_who_works_one_after_the_other_in_a_project_gains_nothing_by_more_workers(year: Any) -> None:
    """One project and slow models: what is done is what one worker can do, and the rest waits."""
    load, slow = small(year, people=1, projects_each=1, each=200), year.Reading(median_seconds=600.0, bad=0.0)
    few, many = (passed(year, load, free(year, workers=count, hours_to_kill=0.0, reading=slow)) for count in (1, 20))

    assert 0 < many.done <= few.done * 1.1
    assert many.backlog > 50


def test_what_an_outage_keeps_back_is_read_after_it(year: Any) -> None:
    """Workers stop asking and come back by themselves; no session is given up, and none is lost."""
    load = small(year, outages={1: (9.0, 3.0)})
    one = passed(year, load, free(year, hours_to_kill=0.0, reading=year.Reading(bad=0.0, unlucky=0.0)))

    assert one.unanswered > 0
    assert one.most_waiting > 10
    assert (one.done, 0) == (one.arrived, one.dead)
    assert one.wait_p95 > 3_600


def test_a_spent_budget_holds_back_the_rest_of_the_day(year: Any) -> None:
    """The ledger refuses, the sessions go back untouched, and no more is spent than was allowed."""
    one = passed(year, small(year), free(year, budget=year.daily(0.25), hours_to_kill=0.0, entries=200))

    assert one.stopped_by_budget > 0
    assert 0 < one.usd <= 0.25 * 1.05
    assert one.dead == 0
    assert one.arrived == one.done + one.backlog


def test_the_flows_of_a_year_agree_with_a_day_that_was_measured(year: Any) -> None:
    """Of 400 sessions and one worker who cannot do them all: about as many done, and about as many left."""
    load = small(year, people=1, peak=400, each=400, skew=0.0)
    means = free(year, workers=1, hours_to_kill=0.0, reading=year.Reading(median_seconds=200.0, bad=0.0, unlucky=0.0))
    flows = year.Year(load, means)
    simulated, measured = flows.pass_day(0), passed(year, load, means, day=0)

    assert measured.done == pytest.approx(simulated.done, rel=0.15)
    assert measured.backlog == pytest.approx(simulated.backlog, rel=0.15)
    assert "workers" == simulated.held_by
    assert "workers" == year.limits(load, means, [measured], size=1_000)[0].part
