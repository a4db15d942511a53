"""How attention fades: bounded, steady, reset by use, and never hasty."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.context.decay import DecayRule, effective_confidence, fades_on, is_faded, is_must, last_touched
from lerim.context.records import Draft, Evidence, Kind, Primitive, Trust

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
    said = Evidence("claude", "a", 1, 1, "T", Trust.USER, T0)
    draft = Draft(Primitive.DECISION, "T", source="sync", evidence=(said,))
    return replace(draft.record(T0), confidence=confidence, **fields)


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


def test_age_counts_from_when_it_was_last_said_or_used():
    """Not from when it was read, tagged or worded anew; a person's own words count from when they chose them."""
    changed = record(updated=T0 + timedelta(days=2))
    written = replace(Draft(Primitive.DECISION, "T").record(T0), updated=T0 + timedelta(days=2))
    mine = replace(written, version=2, worded=T0 + timedelta(days=1))

    assert T0 == last_touched(changed)
    assert T0 + timedelta(days=3) == last_touched(replace(changed, last_used=T0 + timedelta(days=3)))
    assert T0 + timedelta(days=1) == last_touched(mine)
    # A file that was read long after the day it tells of, and then tagged.
    assert T0 == last_touched(written) == last_touched(replace(written, version=2))


def test_what_an_old_session_said_has_its_grace_from_when_it_was_read():
    """Else a first sync would lose on the next day what was said half a year ago."""
    read_late = record(created=T0 + timedelta(days=300))

    assert not is_faded(read_late, RULE, T0 + timedelta(days=330))
    assert is_faded(read_late, RULE, T0 + timedelta(days=331))
    assert T0 + timedelta(days=330) == fades_on(read_late, RULE)


def test_nothing_younger_than_a_day_is_put_away():
    """Whatever the settings say, and however long ago it was said."""
    read_late = record(created=T0 + timedelta(days=300))
    hasty = DecayRule(period_days=1, grace_days=0)

    assert not is_faded(read_late, hasty, T0 + timedelta(days=300, hours=23))
    assert is_faded(read_late, hasty, T0 + timedelta(days=301))


@pytest.mark.parametrize(
    ("fields", "is_kept"),
    [
        ({}, False),
        ({"source": "manual", "evidence": ()}, True),
        ({"title": "Never push to main"}, True),
        ({"title": "All dates must be UTC"}, True),
        ({"tags": ("must",)}, True),
        ({"primitive": Primitive.LEARNING, "kind": Kind.INSIGHT, "title": "The build never finishes on ARM"}, False),
        ({"primitive": Primitive.LEARNING, "kind": Kind.PREFERENCE, "title": "Always squash"}, True),
        ({"trust": Trust.AGENT}, False),
    ],
)
def test_what_a_person_wrote_and_what_must_be_does_not_go_by_age(fields, is_kept):
    """Everything else does."""
    old = record(**fields)

    assert is_kept is not is_faded(old, RULE, T0 + timedelta(days=4000))
    assert is_kept is (fades_on(old, RULE) is None)


def test_a_fact_that_has_the_word_is_no_rule():
    """Only what tells people what to do can be a must."""
    assert not is_must(record(primitive=Primitive.LEARNING, kind=Kind.INSIGHT, title="It must be the cache"))


def test_a_floor_at_the_threshold_keeps_everything():
    """Whatever the digits are."""
    rule = DecayRule(period_days=1, floor=0.05948753142653819, archive_threshold=0.05948753142653819, grace_days=0)

    assert not is_faded(record(1.0), rule, T0 + timedelta(days=1))


@given(confidences, rules, idle)
def test_it_is_known_beforehand_when_a_record_may_fade(confidence, rule, age):
    """Before that moment it never has, and some time after it has, if ever."""
    one, now = record(confidence), T0 + age
    on = fades_on(one, rule)

    if on is None:
        assert not is_faded(one, rule, now)
    else:
        assert not (now < on - timedelta(seconds=1) and is_faded(one, rule, now))
        settled = on + timedelta(days=rule.period_days)
        assert is_faded(one, rule, settled) or min(rule.floor, confidence) >= rule.archive_threshold - 1e-6
