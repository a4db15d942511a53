"""Slips of the pen in questions."""

from __future__ import annotations

from typing import Any

import pytest

from lerim.answer.spelling import is_slip, mended

RELEASE = "Release with `just release patch`. Procrastinate keeps the jobs. Laptops are encrypted."


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("how do i relase it", "how do i release it"),
        ("where does procrastiante keep jobs", "where does procrastinate keep jobs"),
        # A word of its own, an ending, a name that is too short, a word that nothing has.
        ("how do we lease it", "how do we lease it"),
        ("how are laptop encrypted", "how are laptop encrypted"),
        ("do we use jst", "do we use jst"),
        ("do we use kubernetes", "do we use kubernetes"),
    ],
)
def test_a_slip_is_put_right_by_what_the_memory_says(typed: str, meant: str) -> None:
    """Only what is no word, and a letter away from one that a memory has."""
    assert meant == mended(typed, [RELEASE])


@pytest.mark.parametrize("typed", ["relese", "releases", "rellease", "erlease", "releasd"])
def test_one_letter_is_a_slip(typed: str) -> None:
    """Left out, added, doubled, swapped or mistaken. Another ending is the same word."""
    assert is_slip(typed, "release") == (typed != "releases")


def test_a_question_with_a_slip_is_asked_again(ask: Any, keep: Any) -> None:
    """And says how it was understood."""
    kept = keep("Passwords are hashed with argon2id")

    answer = ask("are passwrods hashed with argon?", ())

    assert f"Passwords are hashed with argon2id [{kept.record.id}]." == answer.text
    assert any("understood as" in line for line in answer.explained())
