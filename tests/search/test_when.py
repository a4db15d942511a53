"""The dates that questions name."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.search.when import Named, named_dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we decide on 2026-03-15?", [Named(2026, 3, 15)]),
        ("the release of March 15, 2026", [Named(2026, 3, 15)]),
        ("on the 7th of May 2026", [Named(2026, 5, 7)]),
        ("what happened in June?", [Named(None, 6, None)]),
        ("in March 2025 or in 2026", [Named(2025, 3, None), Named(2026, None, None)]),
        ("may I march on?", []),
        ("error 2099 of 1024 bytes", [Named(2099, None, None)]),
        ("May 99", []),
        ("no date at all", []),
    ],
)
def test_dates_are_read_as_far_as_they_are_said(text: str, expected: list[Named]) -> None:
    """A month without a year is any year's; a verb is no month."""
    assert expected == named_dates(text)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (Named(2026, 3, 15), 2.0),
        (Named(2026, 3, 14), 1.0),
        (Named(None, 3, None), 1.0),
        (Named(2026, None, None), 0.3),
        (Named(2025, 3, 15), 0.0),
        (Named(2026, 4, 15), 0.0),
    ],
)
def test_the_nearer_a_day_the_better_it_fits(named: Named, expected: float) -> None:
    """The day itself fits best, another month or year not at all."""
    assert expected == named.closeness(date(2026, 3, 15))


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    """Numbers that are no dates are no dates."""
    assert all(named.month is None or 1 <= named.month <= 12 for named in named_dates(text))
