"""Which sentence of a record may answer a question in other words: it is told where nothing says it in the same. Pure.

A sentence that settles something, has the sort of thing that is asked for and half of the question's words is held
against the question by its meaning. What only names a topic, asks, wants or lies open is none, however near it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from lerim.answer.focus import Asked
from lerim.answer.force import Force, force_of
from lerim.answer.passages import SayingInPlace, is_heading, passages, said_whole, settles, words_of
from lerim.answer.reasons import gives_reason
from lerim.answer.sayings import Purpose
from lerim.answer.support import LITTLE, ParsedQuestion, is_named
from lerim.context.records import Primitive, Record

#: How near a sentence must be to a question.
NEAR_ENOUGH = 0.45
#: How much farther than the nearest another may be, to be told beside it.
BESIDE_NEAREST = 0.05
#: The share of what is asked that stands in a sentence, or beside it in its message; of what somebody asks if it is so,
#: the sentence itself has most.
_SPOKEN, _SAID = 0.5, 0.65
#: So many words that the question does not have tell something.
_NEWS = 3


class Nearness(Protocol):
    """How near texts are to a question in meaning; None where no model compares meanings."""

    def __call__(self, question: str, texts: Sequence[str]) -> Sequence[float] | None: ...


def may_answer(question: ParsedQuestion, record: Record) -> Iterator[str]:
    """The sentences of a record that may answer by their meaning, as they are said."""
    is_session = record.primitive is Primitive.SUMMARY
    for passage in passages(record)[1 if is_session else 0 :]:
        text = said_whole(passage).text
        if _may(question, passage, text, is_session=is_session):
            yield text


def _may(question: ParsedQuestion, passage: SayingInPlace, text: str, *, is_session: bool) -> bool:
    own = passage.saying.text
    if passage.saying.purpose in (Purpose.WISH, Purpose.LEFT, Purpose.DEED) or force_of(own) < Force.TOLD:
        return False
    if not settles(question, own) or is_heading(question, own):
        return False
    if question.focus.asked is Asked.REASON and not gives_reason(own, question.said):
        return False
    if not question.focus.shows_in_all(text, question.said):
        return False
    words = words_of(text)
    if len(words - LITTLE - set(question.terms)) < _NEWS:
        return False
    if not all(is_named(name, text, set(words)) for name in question.names):
        return False
    needed = [term for term in question.terms if not question.focus.is_only_sort(term)] or question.terms
    said = sum(question.is_said(term, words) for term in needed)
    spoken = sum(question.is_said(term, words | passage.around) for term in needed)
    if question.is_yes_or_no:
        return said >= _SAID * len(needed)
    return said > 0 and spoken >= _SPOKEN * len(needed)
