"""Which words of a question say what it is about. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.words import STOP, spelled

# What questions say besides, whatever they are about.
_SMALL_WORDS = """
after before between cannot dont during either else even ever give instead itself kind look much no nor not off often
ours put same since somebody something still take tell thing things though until upon way well whether within without
yes yet
"""
#: Terms that stand in any text and say nothing of its subject.
SMALL = frozenset(term for word in (*STOP, *_SMALL_WORDS.split()) for term in terms(word))


_FIGURE = compile_later(r"(?<![\w.-])(?P<figure>\d+(?:[.,]\d+)*)(?: ?(?P<unit>[a-zA-Zµ%°€$£]{1,3})\b)?")


def figures(text: str) -> frozenset[str]:
    """The bare figures of a text."""
    return frozenset(found["figure"] for found in _FIGURE.finditer(text))


def units(text: str) -> frozenset[str]:
    """The short units that figures of a text are told in: ms, A, %."""
    told = (found["unit"] for found in _FIGURE.finditer(text))
    return frozenset(unit for unit in told if unit and unit.lower() not in SMALL)


#: One deed in a word, and in several.
_DEPLOYS = compile_later(
    r"(?i)\b(?:deploy(?:s|ed|ing|ments?)?|ship(?:s|ped|ping)?|roll(?:s|ed|ing)? out|releas(?:e|es|ed|ing))\b"
)
_GOES_LIVE = compile_later(
    r"(?i)\b(?:go(?:es|ing)? live|went live"
    r"|(?:put|push|bring|set)(?:s|ting|ing)?(?: (?:it|this|that|things?|something|anything))? live)\b"
)


def said_otherwise(question: str) -> str:
    """A question with another word for what it asks about, where a record may say it in several; else nothing."""
    for pattern, other in ((_GOES_LIVE, "deploy"), (_DEPLOYS, "put something live")):
        if pattern.search(question):
            return pattern.sub(other, question)
    return ""


#: So many letters at the beginning make a word, and so many behind them an ending.
_ROOT, _ENDING = 6, 3


def is_form(term: str, words: Iterable[str]) -> bool:
    """Whether one of some words is a term with another ending, as in German: "Ablehnung" and "Ablehnungen"."""
    if len(term) < _ROOT or not term.isalpha():
        return False
    roots = (word for word in words if word[:_ROOT] == term[:_ROOT] and abs(len(word) - len(term)) <= _ENDING)
    return any(word.startswith(term) or term.startswith(word) for word in roots)


def telling_words(text: str) -> list[str]:
    """The words of a text that say something, as they stand, in their order."""
    return [word for word in spelled(text) if not set(terms(word)) <= SMALL]


_BARE = compile_later(
    r"(?i)\b(what|where|how|who|when|that|it|here|there)s\b(?= [a-z])|\b(do|does|did|is|are|was|ca|wo|should)nt\b"
)


#: "What's our retry thing again" asks for the retry.
_FILLS = compile_later(
    r"(?i)(?<=\w)(?<!\bthe)(?<!\bwhat)(?<!\bwhich)(?<!\bany)(?<!\bsame)(?<!\bone)(?<!\bother)(?<!\bmain)(?<!\bbest)(?<!\ba)"
    r" (?:thing|stuff|thingy)(?= (?:for|of|with|in|on|again)\b|\W*$)"
)
_ONCE_MORE = compile_later(r"(?i)^(\W*(?:what|which|who|where|how|when)\S*(?: \S+){1,6}?),? (?:again|once more)(\W*)$")


def plainly(question: str) -> str:
    """A question with its apostrophes where they belong, however it was typed, and without what only fills it."""
    text = _BARE.sub(lambda m: f"{m[1]}'s" if m[1] else f"{m[2]}n't", question.replace("’", "'"))
    return _FILLS.sub("", _ONCE_MORE.sub(r"\1\2", text))
