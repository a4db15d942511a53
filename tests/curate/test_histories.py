"""A long life in short: months of a project's history, taken in and curated, against what was true all along.

The whole of it is `benchmarks/life.py`; here are a few of its matters, and bounds that may only get better.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.context.decay import DecayRule, effective_confidence, is_faded
from lerim.context.records import Draft, Primitive, Status

BEGAN_ON = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
#: What the shares may not fall below: the whole two years are told in benchmarks/README.md.
PRECISION, RECALL = 0.75, 0.75
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def life() -> Iterator[Any]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import life
        import life_history

        life.told = life_history
        yield life
    finally:
        sys.path.remove(str(BENCHMARKS))


def lived(life: Any, folder: Path, said: list[Any]) -> tuple[Any, set[Any]]:
    """How the memory stands in the end, and what its active records state."""
    with life.begun(folder) as one:
        count = life.live(one, said, lambda count: None, nights=10)[-1]
        states = {fact for record in one.records() if record.holds for fact in one.states[record.id]}
        closed = [record for record in one.records() if record.status is Status.SUPERSEDED]
        assert all(record.superseded_by for record in closed)
    return count, states


def test_a_history_is_the_same_every_time(life: Any) -> None:
    """By its seed; and no session is read before it was held."""
    said = life.history(3, days=200, scale=0.1)

    assert said == life.history(3, days=200, scale=0.1)
    assert said != life.history(4, days=200, scale=0.1)
    assert all(one.said <= one.read for one in said)


def test_after_a_year_most_of_what_is_active_is_true_and_most_truths_are_active(life: Any, tmp_path: Path) -> None:
    """Reversals in other words, repetitions, stale words of agents and late sessions included."""
    said = life.history(7, days=365, scale=0.08, talk=10)

    count, _ = lived(life, tmp_path, said)

    assert len(said) > 40
    assert count.precision >= PRECISION
    assert count.recall >= RECALL
    # What is said again does not pile up.
    assert count.active <= 2 * len(life.told.truths(said, said[-1].read))


@given(st.integers(0, 400), st.integers(0, 400), st.floats(0.05, 1.0))
def test_attention_only_fades(sooner: int, later: int, confidence: float) -> None:
    """Without a use, a record is never worth more than before, and what has faded stays so."""
    day = BEGAN_ON
    record = Draft(Primitive.DECISION, "Use pnpm", confidence=confidence, source="sync").record(day)
    first, last = sorted((day + timedelta(days=sooner), day + timedelta(days=later)))
    rule = DecayRule()

    assert effective_confidence(record, rule, last) <= effective_confidence(record, rule, first)
    assert is_faded(record, rule, last) >= is_faded(record, rule, first)
