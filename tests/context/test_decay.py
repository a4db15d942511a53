"""How attention fades: bounded, steady, reset by use, and never hasty."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.context.decay import DecayRule, effective_confidence, is_faded, last_touched
from lerim.context.records import Draft, Primitive

T0 = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
RULE = DecayRule()

confidences = st.floats(0, 1)
idle = st.timedeltas(timedelta(0), timedelta(days=1000))
rules = st.builds(
    DecayRule,
    period_days=st.integers(1, 1000),
    floor=confidences,
    archive_threshold=confidences,
    grace_days=st.integers(0, 400),
)


def record(confidence: float = 0.8, **fields):
    return replace(Draft(Primitive.DECISION, "T").record(T0), confidence=confidence, **fields)


@given(confidences, rules, st.timedeltas(timedelta(days=-1000), timedelta(days=1000)))
def test_attention_lies_between_the_floor_and_the_confidence(confidence, rule, age):
    """Also with a clock that went backwards, and with a confidence below the floor."""
    found = effective_confidence(record(confidence), rule, T0 + age)

    assert min(rule.floor, confidence) - 1e-9 <= found <= confidence + 1e-9


@given(confidences, rules, idle, idle)
def test_attention_only_falls_with_time(confidence, rule, one, two):
    """Longer without use is never more attention."""
    sooner, later = sorted([one, two])

    earlier = effective_confidence(record(confidence), rule, T0 + sooner)

    assert effective_confidence(record(confidence), rule, T0 + later) <= earlier + 1e-9


@given(confidences, rules, idle)
def test_a_use_brings_all_attention_back(confidence, rule, age):
    """A record used now deserves its whole confidence, however old it is, and is not archived."""
    used = record(confidence, last_used=T0 + age, uses=1)

    assert confidence == pytest.approx(effective_confidence(used, rule, T0 + age))
    assert not is_faded(used, rule, T0 + age)


@given(confidences, rules, idle)
def test_nothing_is_put_away_within_the_grace_period(confidence, rule, age):
    """However little attention is left."""
    now = T0 + age

    assert not (age <= timedelta(days=rule.grace_days) and is_faded(record(confidence), rule, now))


@pytest.mark.parametrize(("days", "expected"), [(0, 0.8), (45, 0.625), (90, 0.45), (180, 0.1), (3000, 0.1), (-5, 0.8)])
def test_the_line_is_straight(days, expected):
    """From the confidence to the floor over half a year."""
    assert expected == pytest.approx(effective_confidence(record(), RULE, T0 + timedelta(days=days)))


@pytest.mark.parametrize(
    ("confidence", "days", "faded"),
    [
        (0.8, 154, False),
        (0.8, 155, True),
        (0.15, 30, False),
        (0.15, 31, True),
        (1.0, 160, False),
        (0.8, 10_000, True),
    ],
)
def test_a_record_fades_when_its_line_crosses_the_threshold(confidence, days, faded):
    """And the grace period is over."""
    assert faded is is_faded(record(confidence), RULE, T0 + timedelta(days=days))


def test_a_change_counts_like_a_use():
    """Whichever came last."""
    changed = record(last_used=T0 + timedelta(days=1), updated=T0 + timedelta(days=2))

    assert T0 + timedelta(days=2) == last_touched(changed)
    assert T0 + timedelta(days=3) == last_touched(replace(changed, last_used=T0 + timedelta(days=3)))
    assert T0 == last_touched(record())
