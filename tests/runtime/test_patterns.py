"""Patterns: globs match as a shell's do, and a search by regular expression has an end."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.errors import Refused
from lerim.runtime.patterns import Exhausted, Glob, LineSearch, Work

# Globs


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*.md", ["a.md", "ü.md"], ["a.txt", "x/a.md", ".a.md"]),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt", ".x/a.md", "x/.a.md"]),
        ("**", ["a", "x/a", "x/y/a"], [".a", "x/.a"]),
        ("x/**", ["x/a", "x/y/a"], ["a", "y/x/a"]),
        ("x/**/y/*", ["x/y/a", "x/z/y/a"], ["x/a", "y/a"]),
        ("**/**/a", ["a", "x/a", "x/y/a"], ["b"]),
        ("./a?[0-9]", ["ab1"], ["a1", "abc"]),
        ("[!a]", ["b"], ["a"]),
        (".x/*", [".x/a"], ["x/a", ".x/.a"]),
        ("a[", ["a["], ["a"]),
        ("(a+)+$", ["(a+)+$"], ["aaa"]),
    ],
)
def test_a_glob_matches_names_between_slashes(pattern: str, matching: list[str], other: list[str]) -> None:
    """`*` stays within a name, `**` spans folders, hidden names must be asked for."""
    found = [path for path in [*matching, *other] if _matches(Glob(pattern), path)]

    assert matching == found


def _matches(glob: Glob, path: str) -> bool:
    at = glob.begin()
    for name in path.split("/"):
        at = glob.step(at, name)
    return glob.matches(at)


def test_many_stars_are_no_more_work_than_few() -> None:
    """Positions in the pattern are followed together: their number is bounded by its length."""
    glob = Glob("**/a/" * 50 + "b")
    at = glob.begin()
    for _ in range(200):
        at = glob.step(at, "a")

    assert len(at) <= 102
    assert glob.matches(glob.step(at, "b"))


# Regular expressions


def test_a_search_that_costs_too_much_is_given_up() -> None:
    """Work runs out, not the reader's patience; and the same search always stops at the same place."""
    search = LineSearch(r"(a|b)*a(a|b){200}c", Work(5_000_000))

    assert search.end("ab" * 1000) is None
    with pytest.raises(Exhausted):
        for _ in range(10):
            search.end("ab" * 1000)


@pytest.mark.parametrize(
    ("pattern", "reason"), [("", "The pattern is empty."), ("(a", "missing )"), (r"(?<!no )token", "looks around")]
)
def test_a_pattern_that_cannot_be_searched_for_is_refused(pattern: str, reason: str) -> None:
    """The message names what is wrong with it."""
    with pytest.raises(Refused, match=re.escape(reason)):
        LineSearch(pattern)


@given(
    st.sampled_from(
        ["ab", "a$", "^b", r"\bb\b", r"\Ba", r"\Aa", r"b\z", "[^a]b", "(?s)a.b", r"a\s*b", "(?m)^a$", "a?"]
    ),
    st.text("ab \n", max_size=12),
)
def test_a_text_is_passed_over_only_when_no_line_of_it_matches(pattern: str, text: str) -> None:
    """Whatever the pattern asks of the line's ends."""
    search = LineSearch(pattern)
    matching = [line for line in text.split("\n") if search.end(line) is not None]

    assert search.may_be_in(text) or not matching
