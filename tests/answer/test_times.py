"""The time a question names becomes a span."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.answer.times import find_span

# A Wednesday.
NOW = datetime(2026, 8, 12, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("decisions in March", "2026-03-01", "2026-03-31"),
        ("decisions in November", "2025-11-01", "2025-11-30"),
        ("decisions in March 2025", "2025-03-01", "2025-03-31"),
        ("decisions in 2025", "2025-01-01", "2025-12-31"),
        ("decisions since March", "2026-03-01", None),
        ("decisions after March", "2026-04-01", None),
        ("decisions before March 2026", None, "2026-02-28"),
        ("decisions until 2026-03-05", None, "2026-03-05"),
        ("decisions on 5 March", "2026-03-05", "2026-03-05"),
        ("decisions on March 5th, 2025", "2025-03-05", "2025-03-05"),
        ("decisions between January and March", "2026-01-01", "2026-03-31"),
        ("decisions from 2026-01-05 to 2026-02-06", "2026-01-05", "2026-02-06"),
        ("what changed today", "2026-08-12", "2026-08-12"),
        ("what changed yesterday", "2026-08-11", "2026-08-11"),
        ("what changed this week", "2026-08-10", "2026-08-16"),
        ("what changed last week", "2026-08-03", "2026-08-09"),
        ("what changed last month", "2026-07-01", "2026-07-31"),
        ("what changed last year", "2025-01-01", "2025-12-31"),
        ("what changed in Q1", "2026-01-01", "2026-03-31"),
        ("what changed last quarter", "2026-04-01", "2026-06-30"),
        ("what changed in the last 3 days", "2026-08-09", "2026-08-12"),
        ("what changed in the past two weeks", "2026-07-29", "2026-08-12"),
        ("what changed in the last week", "2026-08-05", "2026-08-12"),
        ("what changed over the past month", "2026-07-12", "2026-08-12"),
        ("what changed since Monday", "2026-08-10", None),
        ("what changed since last Friday", "2026-08-07", None),
        ("what changed 2 weeks ago", "2026-07-29", "2026-07-29"),
    ],
)
def test_a_time_is_understood(text: str, first: str | None, last: str | None) -> None:
    """Whole days, the calendar's weeks and months; a month without a year is the last one there was."""
    span, _ = find_span(text, NOW)

    assert span is not None
    assert first == (span.since and f"{span.since:%Y-%m-%d}")
    assert last == (span.until and f"{span.until:%Y-%m-%d}")


@pytest.mark.parametrize(
    "text",
    [
        "may we deploy on demand",
        "can I deploy on friday",
        "do we release on Mondays",
        "keep 2000 rows",
        "port 8080",
        "31 February",
        "the march of progress",
        "",
    ],
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    """A word that could be a month, and a number that could be a year, are just words."""
    assert (None, text) == find_span(text, NOW)


def test_the_rest_of_the_question_stays() -> None:
    """What named the time is taken out, so that it is not looked for as a word."""
    assert "decisions about redis" == " ".join(find_span("decisions since March about redis", NOW)[1].split())


@given(st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31)))  # noqa: DTZ001 - zones are added below
def test_a_day_holds_its_moments_and_no_others(moment: datetime) -> None:
    """From its first to its last second."""
    moment = moment.replace(tzinfo=UTC, microsecond=0)
    span, _ = find_span(f"on {moment:%Y-%m-%d}", NOW)

    assert span is not None
    assert span.holds(moment)
    assert (span.since, span.until) == (
        moment.replace(hour=0, minute=0, second=0),
        moment.replace(hour=23, minute=59, second=59),
    )


@given(st.text(max_size=80))
def test_no_text_is_too_strange(text: str) -> None:
    """Whatever people type, it names a span or it does not."""
    span, rest = find_span(text, NOW)

    assert (span is None) == (rest == text)
