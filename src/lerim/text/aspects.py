"""Whether two titles tell two sides of one thing: how it is made, and where it lies. Pure.

Both hold, and nobody needs to be asked. What is done to the thing is told by another verb then, and what stands behind
that is joined otherwise: "migrations are written in SQL", "migrations run before each deploy".
"""

from __future__ import annotations

from lerim.text.alike import missing, same
from lerim.text.amounts import DEEDS
from lerim.text.assertions import Assertion, Phrase
from lerim.text.clashes import are_near
from lerim.text.grammar import CHOOSING, LIGHT
from lerim.text.kinds import rivals, things
from lerim.text.statements import Statement
from lerim.text.ways import other_way
from lerim.text.words import words

#: Parts of a sentence that do not say how, where or when.
_CORE = frozenset({"subject", "object", "is", ""})


def are_of_two_aspects(later: Statement, earlier: Statement) -> bool:
    """Whether both speak of the same subject, and each says something else of it."""
    if not later.title_says or not earlier.title_says or any(not given.is_aside for given in later.given_up):
        return False
    new, old = later.title_says[0], earlier.title_says[0]
    if new.denials or old.denials or not _do_others(new.verb, old.verb) or not _are_of_one_subject(new, old):
        return False
    if {one.kind for one in new.quantities} & {one.kind for one in old.quantities}:
        return False
    if _links(new) & _links(old):
        return False
    lines = [words(one.title) for one in (later, earlier)]
    return rivals(*map(things, lines)) is None and other_way(*lines) is None


def _are_of_one_subject(new: Assertion, old: Assertion) -> bool:
    one, two = _subject(new), _subject(old)
    if one is None or two is None:
        return False
    return not missing(one.telling, two.bag) or not missing(two.telling, one.bag)


def _subject(one: Assertion) -> Phrase | None:
    return next((phrase for phrase in one.phrases[:1] if phrase.link == "subject" and phrase.telling), None)


def _do_others(one: str, two: str) -> bool:
    """Whether two verbs tell two deeds: none that only says that it is so, nor two names of one."""
    if not one or not two or same(one, two) or are_near(one, two) or {one, two} & (CHOOSING | LIGHT):
        return False
    return not any(group.issuperset((one, two)) for group in DEEDS)


def _links(one: Assertion) -> frozenset[str]:
    return frozenset(phrase.link for phrase in one.phrases) - _CORE
