"""Obvious slips put right from the session: a word used once, one letter away from one the agent uses often."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain
from string import ascii_lowercase

from lerim.ingest.words import is_english
from lerim.search.wordpiece import VOCABULARY
from lerim.text.kinds import things

# Short forms and slips that no session needs to explain.
_PAIRS = """
    bcz because bcoz because becuase because cuz because u you ur your pls please plz please thats that's dont
    don't doesnt doesn't didnt didn't wont won't cant can't isnt isn't arent aren't shouldnt shouldn't wouldnt
    wouldn't couldnt couldn't im I'm ive I've teh the jsut just recieve receive seperate separate definately
    definitely reserach research thier their alot a~lot wich which feilds fields feild field i I infor info lets
    let's theres there's theyre they're werent weren't hasnt hasn't everytime every~time shoudl should woudl would
    wiht with adn and taht that tehn then goign going becasue because upate update canyou can~you
"""
_KNOWN = dict(zip(_PAIRS.split()[::2], (word.replace("~", " ") for word in _PAIRS.split()[1::2]), strict=True))
#: Behind "ur" when it is no "your": "while ur at it".
_IS_YOU_ARE = re.compile(r" (?:at|not|going|right|wrong|welcome|done|free|sure|still|already|in|on)\b", re.I)
#: What "lets" does to somebody is no "let's": "a cron job that lets us sleep".
_LETS_SOMEBODY = re.compile(
    r" (?:us|me|you|him|her|it|them|people|users?|(?:any|every|some|no) ?(?:one|body)|guests|customers|clients"
    r"|too|the|an?|our|your|their|each|all|these|those|through|in|out|off)\b",
    re.I,
)
_WORD = re.compile(r"(?<![\w./`'’-])[^\W\d_]++(?![\w/`'’-]|\.\w)")
#: Below this, one letter makes another word: "now" and "not".
_SHORTEST = 6
#: Shorter words are too often names or short forms; with so many slips a text is garbled.
_TELLING, _MOST_SLIPS = 4, 2


class Speller:
    """Knows the words the agent uses, and which word a slip most likely was."""

    def __init__(self, agents: Iterable[str], users: Iterable[str]) -> None:
        self._agents = Counter(chain.from_iterable(_WORD.findall(text.lower()) for text in agents))
        self._users = Counter(chain.from_iterable(_WORD.findall(text.lower()) for text in users))
        # What a slip may have been, by the first letter, which is seldom wrong, and by length.
        self._usual: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for word, count in self._agents.items():
            if count >= 2:
                self._usual[word[0], len(word)].append(word)

    def mended(self, text: str) -> str:
        """The text with its slips put right. Code, names, paths and short words stay as they are, and so does what is
        not English."""
        if not is_english(text):
            return text
        # Every second piece of the split is code.
        pieces = text.split("`")
        pieces[::2] = [_WORD.sub(self._mended, piece) for piece in pieces[::2]]
        return "`".join(pieces)

    def _mended(self, found: re.Match[str]) -> str:
        word = found[0]
        low = word.lower()
        # "im Frontend" is German.
        if low == "im" and not found.string[found.end() + 1 : found.end() + 2].islower():
            return word
        if low == "lets" and _LETS_SOMEBODY.match(found.string, found.end()):
            return word
        if low == "ur" and _IS_YOU_ARE.match(found.string, found.end()):
            return _like(word, "you're")
        if low in _KNOWN:
            return _like(word, _KNOWN[low])
        if len(low) < _SHORTEST or low in self._agents or self._users[low] > 1 or not word[1:].islower():
            return word
        if is_known(low):
            return word
        usual = (other for size in (-1, 0, 1) for other in self._usual.get((low[0], len(low) + size), ()))
        # An ending is grammar, not a slip.
        near = {
            other
            for other in usual
            if _is_slip(low, other) and other.rstrip("s") != low.rstrip("s") and not _is_inflected(low, other)
        }
        return _like(word, max(near, key=lambda other: (self._agents[other], other))) if near else word

    def strange(self, text: str) -> int:
        """How many words of an English text nobody knows, and the agent never says: slips that nobody can put right."""
        return sum(1 for word in self._unknown(text) if self._users[word] < _MEANT)

    def is_garbled(self, text: str) -> bool:
        """Whether so many words of an English text are slips that nobody should have to read it."""
        found = sum(1 for word in _WORD.findall(text) if len(word) >= _TELLING and word.islower())
        slips = [word for word in self._unknown(text) if not things([word]) and _is_nearly_known(word)]
        return len(slips) >= _MOST_SLIPS and len(slips) * 4 > found

    def _unknown(self, text: str) -> Iterator[str]:
        words = (word for word in _WORD.findall(text) if len(word) >= _TELLING and word.islower())
        return (w for w in words if w not in self._agents and not is_known(w) and not _is_made_of_known(w))


#: Who writes a word so often means it.
_MEANT = 2
#: So many letters make a part of a word.
_PART = 3


@lru_cache(maxsize=8192)
def is_known(word: str) -> bool:
    """Whether a lower-case word, or what it is a form of, is a usual one."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ed"), word.removesuffix("d"))
    more = (word.removesuffix("ing"), word.removesuffix("ing") + "e", word.removesuffix("ly"), word.removesuffix("er"))
    many = word.removesuffix("ies") + "y"
    return not _vocabulary().isdisjoint((*forms, *more, many))


@lru_cache(maxsize=2048)
def _is_nearly_known(word: str) -> bool:
    """Whether it is a usual word but for one letter that is missing, too many, another or in the wrong place. A name
    that nobody knows is no slip: "kubectl", "pnpm"."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    short = (one + two[1:] for one, two in cuts if two)
    turned = (one + two[1] + two[0] + two[2:] for one, two in cuts if len(two) > 1)
    other = (one + letter + two[1:] for one, two in cuts if two for letter in ascii_lowercase)
    more = (one + letter + two for one, two in cuts for letter in ascii_lowercase)
    return not _vocabulary().isdisjoint(chain(short, turned, other, more))


def _is_made_of_known(word: str) -> bool:
    """Whether it is two usual words in one: "subtree", "overwrites", "toolchain"."""
    return any(is_known(word[:at]) and is_known(word[at:]) for at in range(_PART, len(word) - _PART + 1))


@cache
def _vocabulary() -> frozenset[str]:
    """The words that come with the package for its embedding model."""
    return frozenset(VOCABULARY.read_text("utf-8").split("\n"))


def _is_inflected(one: str, two: str) -> bool:
    shorter, longer = sorted((one, two), key=len)
    return longer.startswith(shorter[:-1]) and longer[-1:] in "sdrye"


def _like(model: str, word: str) -> str:
    return word[0].upper() + word[1:] if model[0].isupper() and model != "I" else word


def _is_slip(word: str, other: str) -> bool:
    """Whether one slip lies between two words that begin alike: a letter dropped, doubled, swapped or mistyped."""
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, wanted = word[at:], other[at:]
    if len(word) > len(other):
        return rest[1:] == wanted
    if len(word) == len(other) and rest[1:2] == wanted[:1] and rest[:1] == wanted[1:2] and rest[2:] == wanted[2:]:
        return True
    return (rest[1:] if len(word) == len(other) else rest) == wanted[1:] and "a" <= wanted[:1] <= "z"
