"""The dates that texts name."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.text.dates import NamedDate, named_dates, read_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we decide on 2026-03-15?", [NamedDate(2026, 3, 15)]),
        ("the release of March 15, 2026", [NamedDate(2026, 3, 15)]),
        ("on the 7th of May 2026", [NamedDate(2026, 5, 7)]),
        ("what happened in June?", [NamedDate(None, 6, None)]),
        ("in March 2025 or in 2026", [NamedDate(2025, 3, None), NamedDate(2026, None, None)]),
        ("may I march on?", []),
        ("error 2099 of 1024 bytes", [NamedDate(2099, None, None)]),
        ("May 99", []),
        ("no date at all", []),
    ],
)
def test_dates_are_read_as_far_as_they_are_given(text: str, expected: list[NamedDate]) -> None:
    """A month without a year is any year's; a verb is no month."""
    assert expected == named_dates(text)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (NamedDate(2026, 3, 15), 2.0),
        (NamedDate(2026, 3, 14), 1.0),
        (NamedDate(None, 3, None), 1.0),
        (NamedDate(2026, None, None), 0.3),
        (NamedDate(2025, 3, 15), 0.0),
        (NamedDate(2026, 4, 15), 0.0),
    ],
)
def test_the_nearer_a_day_the_better_it_fits(named: NamedDate, expected: float) -> None:
    """The day itself fits best, another month or year not at all."""
    assert expected == named.closeness(date(2026, 3, 15))


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    """Numbers that are no dates are no dates."""
    assert all(named.month is None or 1 <= named.month <= 12 for named in named_dates(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-15", NamedDate(2026, 3, 15)),
        ("2026-03", NamedDate(2026, 3, None)),
        ("May", NamedDate(None, 5, None)),
        ("Sept. 3rd", NamedDate(None, 9, 3)),
        ("7th of May, 2026", NamedDate(2026, 5, 7)),
        ("2026", NamedDate(2026, None, None)),
        ("2026-13-01", None),
        ("next May", None),
        ("", None),
    ],
)
def test_a_text_that_is_a_date_is_read_as_one(text: str, expected: NamedDate | None) -> None:
    """Alone, "May" can only be the month; with anything else around it, it is no date."""
    assert expected == read_date(text)


@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%b %d %Y"])
)
def test_every_way_to_write_a_day_names_it(day: date, form: str) -> None:
    """Whether it stands alone or within a text."""
    named = NamedDate(day.year, day.month, day.day)

    assert named == read_date(day.strftime(form))
    assert [named] == named_dates(f"what about {day.strftime(form)}?")
