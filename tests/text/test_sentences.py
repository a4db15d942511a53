"""Text taken apart into sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.text.sentences import first_sentence, sentence_spans, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use pnpm. Never npm!", ["Use pnpm.", "Never npm!"]),
        ("Really? yes", ["Really?", "yes"]),
        ("Tools, e.g. ruff, etc. are pinned. So be it.", ["Tools, e.g. ruff, etc. are pinned.", "So be it."]),
        ("It needs v1.2 of a.py and J. Doe.", ["It needs v1.2 of a.py and J. Doe."]),
        ("Import with the shop. prefix, always. Then test.", ["Import with the shop. prefix, always.", "Then test."]),
        ("It goes to shop. Prefix all routes.", ["It goes to shop.", "Prefix all routes."]),
        ("At most max. 5 retries. See fig. 3 of it.", ["At most max. 5 retries.", "See fig. 3 of it."]),
        ('He said "stop." Then left', ['He said "stop."', "Then left"]),
        ("one line\nanother line", ["one line", "another line"]),
        ("用 pnpm。不用 npm！", ["用 pnpm。", "不用 npm！"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_sentence_ends_at_its_mark(text: str, expected: list[str]) -> None:
    """The mark belongs to it. A full stop within a name or after an abbreviation ends none; a line's end does."""
    assert expected == sentences(text)


@given(st.text())
def test_every_letter_is_in_one_sentence(text: str) -> None:
    """Spans follow each other, and leave nothing but white space between them."""
    at = 0
    for span in sentence_spans(text):
        assert text[at : span.start].strip() == ""
        assert span.of(text) == span.of(text).strip() != ""
        at = span.end
    assert text[at:].strip() == ""


@given(st.text())
def test_the_first_sentence_is_the_first(text: str) -> None:
    """An empty text has none."""
    assert first_sentence(text) == next(iter(sentences(text)), "")


def test_a_slice_is_split_where_it_stands() -> None:
    """Places are those of the whole text."""
    text = "Skip this. Take that. And this."

    assert ["Take that.", "And"] == [span.of(text) for span in sentence_spans(text, 11, 25)]


def test_the_name_of_a_file_ends_a_sentence():
    """One letter behind a dot is an ending here, and an abbreviation in `i.e. this`."""
    assert ["Two long lines in adc.c.", "Shall I wrap them?"] == sentences(
        "Two long lines in adc.c. Shall I wrap them?"
    )
    assert ["The board, i.e. the red one."] == sentences("The board, i.e. the red one.")
