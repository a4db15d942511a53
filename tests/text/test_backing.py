"""What a text may say that rests on passages of others: the same in other words, and never the opposite."""

from __future__ import annotations

import pytest

from lerim.text.backing import OPPOSITE, Backing

#: What somebody said, and its opposite in the same words: what was ruled out beside what holds instead.
TURNED = [
    ("Logs go to stdout, never to files.", "Logs go to files"),
    ("We ship the firmware with West, not with plain cmake", "We ship the firmware with plain cmake"),
    ("Prices are kept in cents, never as floats", "Prices are kept as floats"),
    ("every endpoint answers with JSON, never with HTML pages.", "Endpoints answer with HTML pages"),
    ("Termine stehen in UTC, nicht in Ortszeit", "Termine stehen in Ortszeit"),
    ("Never store dates in local time, always in UTC", "Store dates in local time"),
]
#: The same, told by who understood it.
SAID = [
    ("Logs go to stdout, never to files.", "Log to stdout, not to files"),
    ("Logs go to stdout, never to files.", "Logs never go to files"),
    ("We ship the firmware with West, not with plain cmake", "Ship the firmware with West"),
    ("We ship the firmware with West, not with plain cmake", "Never ship with plain cmake"),
    ("Prices are kept in cents, never as floats", "Prices: cents instead of floats"),
    ("We write logs to files. From now on logs go to stdout, never to files.", "We write logs to files"),
    ("Tabs in Go and spaces in Python", "Python: spaces"),
]
#: What was said of one thing, told of the other.
CROSSED = [
    ("We use tabs in Go and spaces in Python", "Use spaces in Go and tabs in Python"),
    ("Use Postgres in production and SQLite in tests", "Use SQLite in production and Postgres in tests"),
]


@pytest.mark.parametrize(("passage", "text"), TURNED)
def test_what_was_ruled_out_is_never_told_as_what_holds(passage: str, text: str) -> None:
    gap = Backing([passage]).gap(text)
    assert gap is not None
    assert gap.startswith(OPPOSITE)


@pytest.mark.parametrize(("passage", "text"), SAID)
def test_what_was_said_may_be_told_in_other_words(passage: str, text: str) -> None:
    assert Backing([passage]).gap(text) is None


@pytest.mark.parametrize(("passage", "text"), CROSSED)
def test_what_is_said_of_two_things_is_not_told_the_other_way_round(passage: str, text: str) -> None:
    assert Backing([passage]).gap(text) is not None
