"""Cues are looked for by plain text first. That must find what the patterns find, no more and no less."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.ingest.signals import cues

SENTENCES = (
    "We decided to use pnpm instead of npm, because the lockfile is pnpm's.",
    "never commit generated files",
    "From now on always run the tests before you push!",
    "hmm, given the privacy focus I think it's better not to log that",
    "can you check why this fails?",
    "yes please, option B",
    "for now let's keep it",
    "Remember this: the staging database is read-only.",
    "Root cause: the port was taken. The fix was to bind to port 0.",
    "I'd rather not; there is no point in doing it twice.",
    "immer uv benutzen, niemals pip",
    "从现在开始 always 不要",
    "",
)
WORDS = sorted(
    {
        word
        for group in (*cues.USER.values(), *cues.AGENT.values())
        for p in group
        for word in re.findall(r"[a-z']{3,}", p)
    }
)


def by_patterns(groups: dict[str, tuple[str, ...]], text: str) -> frozenset[str]:
    return frozenset(
        name
        for name, patterns in groups.items()
        if re.search("|".join(patterns), text, re.MULTILINE if name in cues._BY_LINE else 0)
    )


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_shows_the_cues_its_patterns_find(sentence: str) -> None:
    """The user's and the agent's alike."""
    low = sentence.lower()

    assert by_patterns(cues.USER, low) == cues.user_cues(low)
    assert by_patterns(cues.AGENT, low.lstrip("*# ")) == cues.agent_cues(low)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join))
def test_whatever_words_stand_together_the_cues_are_the_same(text: str) -> None:
    """Words of the patterns themselves, in any order."""

    assert by_patterns(cues.USER, text) == cues.user_cues(text)
