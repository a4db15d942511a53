"""A person's word on a memory corrects its confidence, and deletes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.context.feedback import LEAST_CONFIDENCE, MOST_CONFIDENCE, Verdict, corrected, feedback
from lerim.context.memory import Memory
from lerim.context.place import Kept
from lerim.context.records import Draft, Primitive, Status
from lerim.errors import Conflict


@pytest.fixture
def kept(memory: Memory) -> Kept:
    return memory.add(Draft(Primitive.DECISION, "Use JWT", "Stateless."))


def test_useful_counts_as_a_use_and_raises_confidence(kept: Kept, memory: Memory) -> None:
    """A little, and as a version of its own with the person's name on it."""
    given = feedback(kept, Verdict.USEFUL, note="saved me an hour")

    record = memory.find(kept.record.id).record
    last = memory.history(kept)[-1]
    assert (0.83, 1) == (record.confidence, record.uses)
    assert record.confidence == given.record.confidence
    assert ("person", "feedback: useful, saved me an hour") == (last.author, last.reason)


def test_wrong_halves_confidence_and_puts_away_in_the_end(kept: Kept, memory: Memory) -> None:
    """Once lowers it, twice puts it away; every version is still there."""
    once = feedback(kept, Verdict.WRONG)
    twice = feedback(once, Verdict.WRONG)

    assert (0.4, Status.ACTIVE) == (once.record.confidence, once.record.status)
    assert (0.2, Status.ARCHIVED) == (twice.record.confidence, twice.record.status)
    assert [0.8, 0.4, 0.2] == [version.record.confidence for version in memory.history(kept)]


def test_outdated_closes_its_time_and_archives(kept: Kept, memory: Memory, clock: Any) -> None:
    """It held until now; as of yesterday it still does."""
    before = clock.now
    now = clock.tick(days=3)

    given = feedback(kept, Verdict.OUTDATED)

    assert (Status.ARCHIVED, now, 0.4) == (given.record.status, given.record.valid_until, given.record.confidence)
    assert memory.as_of(kept, before).record.holds


def test_what_was_put_away_comes_back(kept: Kept, memory: Memory) -> None:
    """Restoring opens its time again."""
    restored = memory.restore(feedback(kept, Verdict.OUTDATED), reason="it does hold")

    assert restored.record.holds
    assert restored.record.valid_until is None


@pytest.mark.parametrize("verdict", [Verdict.WRONG, Verdict.OUTDATED])
def test_what_does_not_hold_cannot_be_called_so_again(kept: Kept, verdict: Verdict) -> None:
    """It is archived already, and nothing is written."""
    away = feedback(kept, Verdict.OUTDATED)

    with pytest.raises(Conflict, match="archived already"):
        feedback(away, verdict)


@given(st.floats(0, 1), st.lists(st.sampled_from(Verdict), max_size=20))
def test_confidence_stays_within_its_bounds(start: float, verdicts: list[Verdict]) -> None:
    """However often people speak: never above what it was or the most, never below what it was or the least."""
    confidence = start
    for verdict in verdicts:
        after = corrected(confidence, verdict)

        assert after >= confidence if verdict is Verdict.USEFUL else after <= confidence
        confidence = after
    assert min(start, LEAST_CONFIDENCE) <= confidence <= max(start, MOST_CONFIDENCE)
