"""What a text is about, as stems of its words that say something: enough to see that two texts mean one thing. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_](?:[\w'’./+#-]*[\w+#])?")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_PARTS = re.compile(r"[./_-]+")
_SMALL_WORDS = """
a an and are as at be been being but by can could did do does doing done for from had has have he her here him his how i
if in into is it its just let me might more most must my of on or our own per she should so some such than that the
their them then there these they this those to up us via was we were what when where which while who whom whose why will
with would you your also always now please very too only any all each both
longer use used uses using usage want wants need needs make makes made making get gets got
"""
SMALL = frozenset(_SMALL_WORDS.split())
_ENDINGS = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "ied",
    "ness",
    "ers",
    "ed",
    "es",
    "er",
    "ly",
    "s",
    "e",
    "y",
)


_IRREGULAR = {
    "kept": "keep", "ran": "run", "wrote": "write", "written": "write", "built": "build", "sent": "send",
    "chose": "choose", "chosen": "choose", "broke": "break", "broken": "break", "left": "leave", "lost": "lose",
}  # fmt: skip


def words(text: str) -> list[str]:
    """The words in lower case, in order. A script without spaces gives pairs of its characters."""
    plain: list[str] = _WORD.findall(text.lower())
    if text.isascii():
        return plain
    if "’" in text:
        plain = [word.replace("’", "'") for word in plain]
    if _WIDE.search(text) is None:
        return plain
    return [part for word in plain for part in (_pairs(word) if _WIDE.search(word) else (word,))]


@lru_cache(maxsize=65_536)  # A session says the same few thousand words over and over.
def stem(word: str) -> str:
    """A word without its commonest ending. Names with digits, dots or slashes stay as they are."""
    word = _IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return _undoubled(word[: -len(ending)], ending)
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of the words that say something; all of them when none does."""
    found = words(text)
    return frozenset(stem(word) for word in found if word not in SMALL) or frozenset(map(stem, found))


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """All stems of many texts, with the pieces of names. Each word is looked at once, however often it stands there."""
    unique: set[str] = set()
    for text in texts:
        unique.update(_WORD.findall(text))
    return parts(frozenset(map(stem, words("\n".join(unique)))))


def parts(found: frozenset[str]) -> frozenset[str]:
    """The stems together with the pieces of names: `tests/conftest.py` is also a conftest."""
    pieces = set(_PARTS.sub("\n", "\n".join(found)).split("\n"))
    return found | frozenset(stem(piece) for piece in pieces if len(piece) > 1)


class Places:
    """In which of many texts each word stands. Every text is taken to pieces once, however often it is asked for."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._texts: list[str] = []
        for place, text in enumerate(texts):
            found = words(text)
            for word in set(found):
                self._places[word].append(place)
            self._texts.append(f" {' '.join(found)} ")

    @property
    def vocabulary(self) -> frozenset[str]:
        """All stems of the texts, with the pieces of names."""
        return parts(frozenset(map(stem, self._places)))

    def of(self, wanted: Iterable[str]) -> Sequence[int]:
        """The texts that may have all the words, in order: those that have the rarest of them."""
        return min((self._places.get(word, ()) for word in wanted), key=len, default=range(len(self._texts)))

    def of_run(self, run: Sequence[str]) -> Iterator[int]:
        """The texts in which the words follow each other, in order."""
        wanted = f" {' '.join(run)} "
        return (place for place in self.of(run) if wanted in self._texts[place])


def jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """The share of all their words that both have."""
    return len(one & two) / len(one | two) if one or two else 0.0


def covered(one: frozenset[str], by: frozenset[str]) -> float:
    """The share of one's words that stand in the other."""
    return len(one & by) / len(one) if one else 0.0


def _pairs(word: str) -> list[str]:
    return [word[i : i + 2] for i in range(max(1, len(word) - 1))]


def _undoubled(stump: str, ending: str) -> str:
    """`committed` and `commit` are one word."""
    is_doubled = ending in {"ed", "ing", "ings", "er", "ers"} and len(stump) > 3 and stump[-1] == stump[-2]
    return stump[:-1] if is_doubled and stump[-1] not in "aeiousl" else stump
