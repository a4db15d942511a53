"""A glance rules patterns out that are not there, and never one that is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.glance import Glance, Together, seldom
from lerim.ingest import introductions, own_words, quoted_speech
from lerim.ingest.signals import (
    asked,
    cues,
    kinds,
    replies,
    summary_cues,
    summary_drafts,
    summary_happened,
    summary_holding,
    summary_later,
    summary_rollback,
    summary_words,
    titles,
)

PATTERNS = [
    re.compile(r"\bnever\b(?! mind)"),
    re.compile(r"(?<![\w.])use(?=\s)", re.IGNORECASE),
    re.compile(r"^(?:yes|no)\b", re.MULTILINE),
    re.compile(r"done[.!]?$"),
    re.compile(r"done\Z"),
    re.compile(r"[])}\]x-]{2,3}"),
    re.compile(r"(?=[ab(])[^\](]b\)"),
    re.compile(r"a \s b   # two letters, (and) a blank [", re.VERBOSE),
    re.compile(r"é|ß+|→ \w"),
    re.compile(r"a.b", re.DOTALL),
    re.compile(r"x{2,}\d{0,2}\b"),
    re.compile(r"use.{0,60}done [a-x]{1,20}?"),
]
GLANCING = [
    *(introductions, own_words, quoted_speech),
    *(asked, kinds, replies, titles),
    *(summary_cues, summary_drafts, summary_happened, summary_holding, summary_later, summary_rollback, summary_words),
]
#: Blanks and letters that RE2 takes for none, and halves of characters.
STRANGE = "\x0b\x1c\x1f\x85\xa0\u2003éßſK’—→\ud800"
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(["never", "use", "yes", "no", "done", ".", "!", "\n", "]", "x-", "ab)", "a", "b", "xx1"]),
        st.sampled_from(STRANGE + " \n\t"),
    ),
    max_size=12,
).map("".join)


@given(TEXTS)
def test_nothing_that_is_there_is_ruled_out(text: str) -> None:
    likely = Glance(*PATTERNS).likely(text)
    assert {place for place, pattern in enumerate(PATTERNS) if pattern.search(text)} <= set(likely)


@given(TEXTS)
def test_only_patterns_there_are_may_be_found(text: str) -> None:
    """Blanks that RE2 knows no better leave it open what is there; they are no pattern of anybody's."""
    said = ["never", "use", "yes", "no", "done", "a", "b", "xx1", "ab"] * 8
    many = Glance(*(re.compile(rf"\b(?:{word})\b") for word in said))

    assert all(place < len(said) for place in many.likely(text))


def test_most_is_ruled_out() -> None:
    glance = Glance(*PATTERNS)
    assert list(glance.likely("Nothing of it is said here")) == []
    assert glance.misses("Nothing — of it — is said here")
    assert list(glance.likely("we never\nno")) == [0, 2]
    assert not glance.misses("naïve")  # Nobody glanced at it.


@pytest.mark.parametrize("module", GLANCING, ids=lambda module: module.__name__)
def test_a_pattern_behind_a_glance_finds_what_it_would_find_alone(module: object) -> None:
    patterns = [found for found in vars(module).values() if type(found).__name__ == "_Seldom"]
    texts = [text for found in patterns for text in _made_of(found.pattern)[::4]]
    assert patterns and texts
    for found in patterns:
        alone = re.compile(found.pattern, found.flags)
        for text in texts:
            assert _span(found.search(text)) == _span(alone.search(text))


def test_every_cue_is_seen_at_a_glance() -> None:
    for whose, groups in (("user", cues.USER), ("agent", cues.AGENT)):
        for place, patterns in enumerate(groups.values()):
            for text in (text for pattern in patterns for text in _made_of(pattern)):
                if any(re.search(pattern, text, re.MULTILINE) for pattern in patterns):
                    assert place in cues._glance(whose).likely(text)


@given(st.lists(TEXTS, min_size=20, max_size=20))
def test_patterns_that_are_looked_for_together_find_what_each_finds_alone(texts: list[str]) -> None:
    together = Together()
    behind = [together.also(pattern) for pattern in PATTERNS]
    for text in texts * 4:
        assert [_span(one.search(text)) for one in behind] == [_span(one.search(text)) for one in PATTERNS]


@given(TEXTS)
def test_several_glances_at_a_text_see_what_each_would_alone(text: str) -> None:
    first, second = Glance(*PATTERNS[::2]), Glance(*PATTERNS[1::2])
    seen = [set(first.likely(text)), set(second.likely(text)), set(first.likely(text))]
    other = "".join(reversed(text)) + "!"
    second.likely(other)

    assert seen[0] == seen[2] == set(first.likely(text))
    assert seen[1] == set(second.likely(text))


def test_bounds_are_kept() -> None:
    found = seldom(r"\bone\b")
    for _ in range(60):
        assert found.search("one two one", 1).start() == 8
        assert found.search("no such thing") is None
        assert found.search("just one").start() == 5


def _span(found: re.Match[str] | None) -> tuple[int, int] | None:
    return found.span() if found else None


def _made_of(pattern: str) -> list[str]:
    """Texts that a pattern may well be found in: pieces of its own source, side by side."""
    words = re.findall(r"[^\W\d_]{2,}", pattern)
    return [" ".join(words[at : at + 3]) for at in range(0, len(words), 2)]
