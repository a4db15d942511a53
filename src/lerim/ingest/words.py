"""What a text is about, as stems of its words that say something: enough to see that two texts mean one thing. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from lerim.text.stems import stem
from lerim.text.words import STOP, spelled, words

_PARTS = re.compile(r"[./_-]+")
# What statements are made with, whatever they are about.
_SMALL_WORDS = "always longer making need needs usage want wants"
#: Words that say nothing of what a statement is about.
SMALL = STOP | frozenset(_SMALL_WORDS.split())


def stems(text: str) -> frozenset[str]:
    """The stems of the words that say something; all of them when none does."""
    found = words(text)
    return frozenset(stem(word) for word in found if word not in SMALL) or frozenset(map(stem, found))


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """All stems of many texts, with the pieces of names. Each word is looked at once, however often it stands there."""
    unique: set[str] = set()
    for text in texts:
        unique.update(spelled(text))
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
