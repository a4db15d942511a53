"""Obvious slips put right from the session: a word used once, one letter away from one the agent uses often."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

# Short forms and slips that no session needs to explain.
_PAIRS = """
    bcz because bcoz because becuase because cuz because u you ur your pls please plz please thats that's dont
    don't doesnt doesn't didnt didn't wont won't cant can't isnt isn't arent aren't shouldnt shouldn't wouldnt
    wouldn't couldnt couldn't im I'm ive I've teh the jsut just recieve receive seperate separate definately
    definitely reserach research thier their alot a~lot wich which feilds fields feild field i I infor info lets
    let's theres there's theyre they're werent weren't hasnt hasn't everytime every~time shoudl should woudl would
    wiht with adn and taht that
"""
_KNOWN = dict(zip(_PAIRS.split()[::2], (word.replace("~", " ") for word in _PAIRS.split()[1::2]), strict=True))
_WORD = re.compile(r"(?<![\w./`'’-])[^\W\d_]+(?![\w/`'’-]|\.\w)")
#: Below this, one letter makes another word: "now" and "not".
_SHORTEST = 6


class Speller:
    """Knows the words the agent uses, and which word a slip most likely was."""

    def __init__(self, agents: Iterable[str], users: Iterable[str]) -> None:
        self._agents = Counter(word.group() for text in agents for word in _WORD.finditer(text.lower()))
        self._users = Counter(word.group() for text in users for word in _WORD.finditer(text.lower()))

    def mended(self, text: str) -> str:
        """The text with its slips put right. Code, names, paths and short words stay as they are."""
        return _WORD.sub(lambda match: self._word(match.group()), text)

    def _word(self, word: str) -> str:
        low = word.lower()
        if low in _KNOWN and (low != "im" or word[0] in "iI"):
            return _like(word, _KNOWN[low])
        if len(low) < _SHORTEST or low in self._agents or self._users[low] > 1 or not word[1:].islower():
            return word
        near = {other for other in _edits(low) if self._agents.get(other, 0) >= 2}
        # An ending is grammar, not a slip.
        near = {other for other in near if other.rstrip("s") != low.rstrip("s") and not _is_inflected(low, other)}
        return _like(word, max(near, key=lambda other: (self._agents[other], other))) if near else word


def _is_inflected(one: str, two: str) -> bool:
    shorter, longer = sorted((one, two), key=len)
    return longer.startswith(shorter[:-1]) and longer[-1:] in "sdrye"


def _like(model: str, word: str) -> str:
    return word[0].upper() + word[1:] if model[0].isupper() and model != "I" else word


def _edits(word: str) -> Iterator[str]:
    """The words one slip away: a letter dropped, doubled, swapped or mistyped; the first letter is seldom wrong."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for place in range(1, len(word) + 1):
        head, tail = word[:place], word[place:]
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        yield from (head + letter + tail for letter in letters)
