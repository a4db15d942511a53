"""Whether one title forbids, or does without, what another one allows, whatever words say so. Pure.

"No embeds in articles", "editors may paste embeds": no word of the one denies the other. Whoever asks knows that both
are of one matter; where one of them speaks of a place or case of its own, it is an exception, and no turn.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

from lerim.lazy_regex import compile_later
from lerim.text.alike import missing
from lerim.text.assertions import Assertion
from lerim.text.grammar import EVERYDAY
from lerim.text.statements import Statement

_FORBIDS = compile_later(
    r"^\W*(?:no|avoid) \w"
    r"|\b(?:nobody|nothing|none(?: of \w+(?: \w+)?)?|neither) (?:may|can|should|must|is (?:to|allowed))\b"
    r"|\b(?:(?:must|may|can|should|do|does|are|is|need|will|have) ?not|cannot|never"
    r"|(?:wo|do|does|ca|is|are|must|should|need)n['’]t|not (?:allowed|permitted|supported)|forbidden|banned"
    r"|prohibited|disabled|switched off|(?:is|are|stays?|turned) off|unsupported|unnecessary|off-limits|frozen|freeze"
    r"|hidden|blocked|refused?|read-only|(?:has|have|needs?|requires?|gets?|with) no)\b",
    re.I,
)
_ALLOWS = compile_later(
    r"\b(?:may|can|ok|okay|fine|allow(?:s|ed)|permitted|acceptable|enabled?|re-enabled?|supported|welcome|available"
    r"|shown|lifted|up to each|at will|again)\b",
    re.I,
)
_ON_CONDITION = compile_later(r"\b(?:if|unless|except|only|as long as|just for|but not)\b", re.I)
#: What is not there, or is not needed: nobody forbids it.
_OFF = compile_later(
    r"\b(?:disabled|(?:switched|turned|is|are|stays?) off|unsupported|unnecessary|unavailable|needs? no"
    r"|(?:not|n['’]t) (?:\w+ )?(?:supported|needed|necessary|required|available|enabled|offered)"
    r"|no need (?:for|of|to))\b",
    re.I,
)
#: What is without it, or of some alone, says so in other words than those that forbid.
_WITHOUT = compile_later(
    r"\b(?:no|not|without|none|nobody|nothing|neither|nor|lacks?|only|instead|stop\w*|drop\w*|remov\w*|dislikes?"
    r"|hates?|avoid\w*|against|refus\w*|rejects?|leaves? out|kein\w*|nicht|sans|sin)\b|\w-free\b",
    re.I,
)
#: What tells what came of a lack has forbidden nothing.
_CAUSE = compile_later(r"\b(?:because|since|due to|caused|so that)\b", re.I)
#: What joins a place or case to a title.
_BOUNDS = frozenset({"in", "on", "for", "to", "at", "from", "under", "inside", "within", "during", "by", "against"})
_ENOUGH = 2


class Permit(Enum):
    """What a title says of what it speaks of."""

    FORBIDDEN = auto()
    ALLOWED = auto()


@lru_cache(maxsize=4096)  # One title is held against many.
def permit_of(title: str) -> Permit | None:
    if _FORBIDS.search(title) is not None:
        return Permit.FORBIDDEN
    return Permit.ALLOWED if _ALLOWS.search(title) is not None else None


def turns_permit(later: Statement, earlier: Statement) -> bool:
    """Whether one of the two allows what the other does not."""
    if {permit_of(later.title), permit_of(earlier.title)} != {*Permit} or _ON_CONDITION.search(later.title) is not None:
        return False
    shared = later.heavy - missing(later.heavy, earlier.heavy)
    if not shared - EVERYDAY and len(shared) < _ENOUGH:
        return False
    return not _has_place_of_its_own(later, earlier) and not _has_place_of_its_own(earlier, later)


def affirms(later: Statement, earlier: Statement) -> bool:
    """Whether the later one says plainly that something is so of what the earlier one does without: "dark mode is not
    supported", "the app follows the dark mode of the system". Whoever asks knows that it is the same."""
    if _OFF.search(earlier.title) is None or permit_of(later.title) is Permit.FORBIDDEN:
        return False
    if any(pattern.search(later.title) is not None for pattern in (_WITHOUT, _ON_CONDITION)):
        return False
    shared = later.heavy - missing(later.heavy, earlier.heavy)
    if _CAUSE.search(earlier.title) is not None or (not shared - EVERYDAY and len(shared) < _ENOUGH):
        return False
    return not _has_place_of_its_own(later, earlier) and not _is_placed_apart(earlier, later)


def _is_placed_apart(one: Statement, other: Statement) -> bool:
    """Whether it speaks of a place or case of which the other has no word at all."""
    known = other.bag | other.ended
    bounds = (phrase.telling for said in one.title_says[:1] for phrase in said.phrases if phrase.link in _BOUNDS)
    return any(bound and missing(bound, known) == bound for bound in bounds)


def _has_place_of_its_own(one: Statement, other: Statement) -> bool:
    known = other.bag | other.ended
    return any(_is_bound(said, known) for said in one.title_says[:1])


def _is_bound(said: Assertion, known: frozenset[str]) -> bool:
    bounds = (phrase.telling for phrase in said.phrases if phrase.link in _BOUNDS)
    return any(bound and missing(bound, known) for bound in bounds)
