"""Titles that give the answer to a question, and whether two of them answer the same one. Pure.

"Whether guests may book: members only" is what somebody took in a form. The next answer of that form is worded alike,
names much the same things, and says nothing of this one; another answer to the same question takes its place.
"""

from __future__ import annotations

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.alike import alike, missing, overlaps
from lerim.text.statements import statement

#: A question, told as what it was on, and its answer.
_ANSWERED = compile_later(
    r"\W*(?P<question>(?i:whether|how|where|which|what|who|when|ob|wie|wo|welche[rsnm]?|was|wer|wann)\b.{8,}?)"
    r": (?P<answer>\S.*)"
)
#: With no more than this in common it is another question.
_OTHER = 0.5


@dataclass(frozen=True)
class Answers:
    """What two titles answer, and whether that is to the same question."""

    later: str
    earlier: str
    is_one_question: bool
    #: Whether they cannot both be the answer.
    is_another: bool


def answers_in(later: str, earlier: str) -> Answers | None:
    """What two titles answer; None where one of them answers nothing."""
    one, two = (_ANSWERED.match(title) for title in (later, earlier))
    if one is None or two is None:
        return None
    mine, theirs = (statement(found["question"], "").bag for found in (one, two))
    is_one = len(mine) - len(missing(mine, theirs)) > _OTHER * max(len(mine), len(theirs))
    new, old = (statement(found["answer"], "").bag for found in (one, two))
    says_same = one["answer"].casefold() == two["answer"].casefold() or bool(new and old and overlaps(new, old))
    return Answers(one["answer"], two["answer"], is_one, alike(mine, theirs) and not says_same)
