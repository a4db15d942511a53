"""Whether a sentence says who does something, however the name is spelled. Pure.

A name in small letters looks like any other word; where it stands tells: before the deed that is asked for, or behind
"by". What cannot do anything by itself does not stand there: a machine that runs something answers "who", too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from lerim.answer.words import SMALL
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms

_NOBODY_WORDS = """
it its this that these those there they them he she we you i who which what one ones each every all any some both
nobody nothing everything something anything someone anyone everyone a an the our my your their his her no not only
just also still now then so and but or if when while because since after before until always never please maybe
"""
NOBODY = frozenset(_NOBODY_WORDS.split())
_NO_DOER_WORDS = """
hand hands default accident mistake design law name names chance then now date day week month year hour email mail phone
post itself themselves itself far default id key size type number order purpose convention definition contract value
weight time request design heart night noon line row column page tenant user customer
"""
_NO_DOER = NOBODY | frozenset(_NO_DOER_WORDS.split())
_LAST_NAME = r" (?:(?-i:[A-ZÀ-ÖØ-Þ])[\w.'’-]*|von|van|de|di|da|dos|der)"
_DEED = compile_later(
    r"(?i)(?:^|[.,;:!?(] *|\b(?:and|but|only|that|because|so|ask|now on|now|since then) )"
    # With a last name, too.
    rf"(?=(?P<name>[^\W\d_][\w.-]*)(?:{_LAST_NAME}){{0,3}} (?P<deed>[a-z]+))"
)
#: "C'est Zoé de la caisse qui décide", "it's Bram who signs".
_IT_IS = compile_later(
    rf"(?i)\b(?:c['’]est|ce sera|it['’]s|it is|that['’]s|es ist|das ist|es) (?P<name>[^\W\d_][\w.-]*)"
    rf"(?:{_LAST_NAME}){{0,2}}(?:,? (?:of|from|in|at|de|du|des|d['’]|à|aus|von|vom|im|del) ?[^,.;:!?]{{1,40}}?)?"
    r",? (?:who|qui|der|die|quien|la que|el que)\b"
)
#: "Renate has to check the elements": whoever must, may or will do the very deed that is asked for.
_MUST = compile_later(
    r"(?i)\b(?P<name>[^\W\d_][\w.-]*)"
    r" (?:ha(?:s|ve) to|must|needs? to|should|will|shall|may|can|is to|wants? to|gets to) "
    r"(?:\w+ ){0,2}?(?P<deed>[a-z]+)"
)
#: A thing that does the very deed that is asked for: "only the webhook sets paid".
_THING = compile_later(r"(?i)\b(?:the|our|an?) (?P<words>[\w.-]+(?: [\w.-]+){1,4})")
_IS = frozenset(["is", "are", "was", "were", "be", "been", "being", "gets", "got", "has", "have", "had"])
_BY = compile_later(
    r"(?i)\b(?:done|owned|owner|run|made|maintained|written|handled|managed|approved|signed|reviewed|tested|led|built"
    r"|taken care of|decided|designed|drawn|composed|translated|checked|kept|paid|ordered|planned|hosted|headed|looked"
    r" after|curated|deployed|released|flashed|recorded|supervised|organi[sz]ed|merged|shipped|set up|brought)\b"
    r"(?: [\w-]+){0,3} by (?P<name>\w[\w.-]*)|(?:^|[.,;:] *)(?:the )?(?!\w+ed\b)[a-z]+ by (?P<maker>\w[\w.-]*)"
)
_OFFICE = compile_later(
    r"(?i)\b(?:ask|tell|ping|call) (?!for\b|if\b|me\b|us\b|about\b|to\b|before\b|first\b|when\b|how\b|what\b|why\b)"
    r"(?P<name>[a-z][\w.-]+)\b"
)
_DOES = compile_later(
    r"(?i)(?:does|runs|owns|handles|decides|approves|wrote|maintains|leads|signs|makes|keeps|manages|takes|knows|did|made"
    r"|paid|pays|reviews|writes|has|draws|tests|tested|looks|builds|ships|orders|books|plans)\Z"
)


def names_somebody(text: str, said: Collection[str]) -> bool:
    """Whether a sentence names who does what a question speaks of, other than with the question's own words."""
    doers = (found["name"] for found in _DEED.finditer(text) if _is_deed(found["deed"], said))
    if any(_is_new(name, said, NOBODY) for name in doers):
        return True
    bound = (found["name"] for found in _MUST.finditer(text) if not set(terms(found["deed"])).isdisjoint(said))
    if any(_is_new(name, said, NOBODY) for name in bound):
        return True
    if any(_does_it(found["words"].split(), said) for found in _THING.finditer(text)):
        return True
    if any(_is_new(found["name"], said, NOBODY) for found in _IT_IS.finditer(text)):
        return True
    makers = (found["name"] or found["maker"] for found in _BY.finditer(text))
    asked = (found["name"] for found in _OFFICE.finditer(text))
    return any(_is_new(name, said, _NO_DOER) for name in (*makers, *asked))


def _is_deed(word: str, said: Collection[str]) -> bool:
    """Whether a word is what somebody does: a common verb, or the one that is asked for."""
    return _DOES.match(word) is not None or (word.endswith(("s", "ed")) and not set(terms(word)).isdisjoint(said))


def _does_it(words: Sequence[str], said: Collection[str]) -> bool:
    """Whether the thing that begins some words does what is asked for, right behind its name."""
    for doer, deed in pairwise(words):
        if deed.endswith(("s", "ed")) and not set(terms(deed)).isdisjoint(said):
            is_thing = doer.lower() not in _IS and not set(terms(doer)) <= SMALL
            return is_thing and _is_new(doer, said, _NO_DOER)
    return False


def _is_new(name: str, said: Collection[str], nobody: Collection[str]) -> bool:
    small = name.lower().rstrip(".")
    return small not in nobody and not small.endswith("ing") and set(terms(small)).isdisjoint(said)
