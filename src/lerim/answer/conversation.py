"""Follow-up questions: what "it", "and why?" and "what about staging?" mean, from what was asked before. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from lerim.answer.times import find_span
from lerim.answer.words import telling_words
from lerim.dataclass import dataclass


@dataclass(frozen=True)
class Exchange:
    """One question of a conversation, as it was understood, and the titles of the records that answered it."""

    question: str
    titles: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """What it was about: the first record that answered, or else the question's own words."""
        return self.titles[0] if self.titles else " ".join(telling_words(self.question))


_ABOUT = re.compile(
    r"^(?:and |but |ok |so )*(?:what|how) about (?P<other>.+)$|^and (?:for |in |on |with |since )?(?P<and>\S.*)$", re.I
)
_POINTS = re.compile(r"\b(?:it|its|that|this|they|them|those|these|he|she)\b", re.I)
_OPENS = re.compile(r"^(?:and|but|so|ok|then)\b[ ,]*", re.I)
_QUESTION_WORDS = re.compile(r"^(?:why|when|who|where|how|which|what|since|is|are|do|does|did|can)\b", re.I)
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def resolve(question: str, history: Sequence[Exchange]) -> str:
    """The question on its own feet. Without a history, or when it needs none, just as it is."""
    asked = question.strip()
    if not history:
        return asked
    last = history[-1]
    bare = _OPENS.sub("", asked).strip(" ?!.")
    other = _other(asked.strip(" ?!."))
    if other is not None:
        return _with(last, other)
    if not telling_words(bare) or (_POINTS.search(bare) and len(telling_words(bare)) <= 3):
        # "and why?" and "when did we decide that?": the rest is what the last answer was about.
        return f"{_POINTS.sub('', bare).strip()}: {last.subject}?".replace(" :", ":")
    return asked


def _other(asked: str) -> str | None:
    """What "what about …?" and "and …?" put in the place of something."""
    match = _ABOUT.match(asked)
    if match is None:
        return None
    other: str = match["other"] or match["and"]
    return None if match["and"] and _QUESTION_WORDS.match(other) else other


def _with(last: Exchange, other: str) -> str:
    """The last question with one thing put in the place of another: a time for a time, else for its last word."""
    question = last.question.strip(" ?!.")
    was, rest = find_span(question, _ANY_TIME)
    now, _ = find_span(f"in {other}", _ANY_TIME)
    if now is not None:
        preposition = "" if find_span(other, _ANY_TIME)[0] else "in "
        return f"{' '.join((rest if was else question).split())} {preposition}{other}?"
    telling = telling_words(question)
    if not telling:
        return f"{question} {other}?"
    at = question.rfind(telling[-1])
    return f"{question[:at]}{other}{question[at + len(telling[-1]) :]}?"
