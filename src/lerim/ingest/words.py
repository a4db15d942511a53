"""What a text is about, as stems of its words that say something: enough to see that two texts mean one thing. Pure."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from lerim.text.stems import stem, unlike_forms
from lerim.text.words import STOP, spelled, words

# A mark that parts a name, and a quotation mark that stood behind it.
_PARTS = re.compile(r"[./_:@-]+'*")
#: After every word that begins alike.
_LAST = "\U0010ffff"
#: How people say that something holds at all times, as a pattern.
EVER = (
    r"(?:always|never|immer|nie(?:mals)?|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit|zawsze|nigdy|alltid|aldrig"
    r"|всегда|никогда)"
)
# What statements are made with, whatever they are about.
_SMALL_WORDS = "always longer making need needs usage want wants"
_ENGLISH_WORDS = """
    a after all an and any are as at be because before but by can do does don't for from has have how i if in instead is
    it its let's must never no not of on one only or our please should so than that the their them then there these they
    this to use user we what when which will with without would yes you your
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
# Small words of languages that are written with nearly the letters of English, and are none of its own.
_OTHER_WORDS = """
    aber als ao aos auch auf aus aux avec bei bitte ce ces cette che chez com como con da dal dans das dass de dei
    del della delle dem den der des di die dies diese dos du ein eine einen einer el elle els em es est esta este
    está et eu foi für gibt gli il ils isso ist je já kein keine las le les leur los mais mas mesmo mit muito na
    nach nas nel nicht no noch non nos nous nur não o oder ont os ou où par para pas pela pelo per pero più plus por
    pour pra qu quand quando que questo sans se sem ses seu si sich sind son sono sont sua sur são também tem um uma
    un una unas und une uno unos von vor vous wenn werden wie wir wird y ya zu zum zur über
"""
_OTHER = frozenset(_OTHER_WORDS.split()) - _ENGLISH
#: In fewer words nobody can tell a language by its small words; in more, this share of them is small in English.
_FEW, _ENGLISH_SHARE = 6, 0.12
#: So much of what was copied stands within so many words; and what a stem and its word begin with alike.
_MOST, _ONE_PLACE, _BEGINNING = 0.6, 60, 3
#: Words that say nothing of what a statement is about.
SMALL = STOP | frozenset(_SMALL_WORDS.split())


def stems(text: str) -> frozenset[str]:
    """The stems of the words that say something; all of them when none does."""
    found = words(text)
    return frozenset(stem(word) for word in found if word not in SMALL) or frozenset(map(stem, found))


def is_translated(text: str, source: str) -> bool:
    """Whether a text tells in English what was said in another language: their words cannot be compared."""
    if _is_foreign(source) or _is_other(source):
        return not _is_foreign(text) and not _is_other(text)
    return is_english(text) and not is_english(source)


def is_english(text: str) -> bool:
    """Whether most letters are ours and some of the words are those that every English sentence needs."""
    if _is_foreign(text):
        return False
    found = words(text)
    return len(found) < _FEW or sum(word in _ENGLISH for word in found) >= _ENGLISH_SHARE * len(found)


def _is_other(text: str) -> bool:
    """Whether it has more small words of other languages than of English, and not a chance one."""
    found = words(text)
    others = sum(word in _OTHER for word in found)
    return others > 1 and others > sum(word in _ENGLISH for word in found)


def _is_foreign(text: str) -> bool:
    """Whether too many of the letters are none of English for it to be that."""
    if text.isascii():
        return False
    letters = [character for character in text if character.isalpha()]
    return sum(not character.isascii() for character in letters) > 0.15 * len(letters)


def parts(found: frozenset[str]) -> frozenset[str]:
    """The stems together with the pieces of names: `tests/conftest.py` is also a conftest."""
    return found | frozenset(map(stem, _pieces(found)))


def all_stems(found: Iterable[str]) -> frozenset[str]:
    """The stems of words and of the pieces of names."""
    unique = set(found)
    return frozenset(map(stem, unique.union(_pieces(unique))))


def stand_together(asked: frozenset[str], text: str) -> bool:
    """Whether most of the stems stand near each other in a text."""
    lower, least = text.lower(), math.ceil(_MOST * len(asked))
    if sum(one[:_BEGINNING] in lower for one in asked) < least:
        return False
    at = [(place, one) for place, word in enumerate(words(text)) for one in all_stems((word,)) & asked]
    near: dict[str, int] = {}
    for place, one in at:
        near[one] = place
        if sum(place - last <= _ONE_PLACE for last in near.values()) >= least:
            return True
    return False


def distinct(texts: Iterable[str]) -> set[str]:
    """The words of many texts, each once and looked at once, however often it stands there."""
    unique: set[str] = set()
    for text in texts:
        unique.update(spelled(text))
    return set(words("\n".join(unique)))


class Lexicon:
    """The stems of many words, and of the pieces of names. A word is stemmed when one that begins like it is asked for:
    a session's tools print far more words than anybody ever asks about."""

    def __init__(self, found: Iterable[str]) -> None:
        self._words = set(found)
        self._words.update(_pieces(self._words))
        self._known: dict[str, bool] = {}

    def known(self, asked: frozenset[str]) -> frozenset[str]:
        """Those of the stems that it has."""
        return frozenset(filter(self._has, asked))

    def _has(self, asked: str) -> bool:
        if (known := self._known.get(asked)) is None:
            likely = (asked, *unlike_forms(asked)) if asked in self._words else unlike_forms(asked)
            known = self._known[asked] = any(
                stem(word) == asked for word in chain(self._words.intersection(likely), self._beginning_like(asked))
            )
        return known

    def _beginning_like(self, asked: str) -> Sequence[str]:
        """The words that begin as this stem does, but for its last letter, which an ending may have changed."""
        beginning = asked[:-1]
        first = bisect_left(self._sorted, beginning)
        return self._sorted[first : bisect_left(self._sorted, beginning + _LAST, first)]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._words)


class Places:
    """In which of many texts words stand, for few questions about much text. A text in lower case is taken to pieces
    only when it is seen to hold the letters that are asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._words: dict[int, str] = {}
        self._holding: dict[str, list[int]] = {}

    def of(self, wanted: Iterable[str]) -> Iterable[int]:
        """The texts that may have all the words, in order."""
        rest = sorted(set(wanted), key=lambda word: (-len(word), word))
        if not rest:
            return range(len(self._texts))
        return (at for at in self._with(rest[0]) if all(word in self._texts[at] for word in rest))

    def of_run(self, run: Sequence[str]) -> Iterator[int]:
        """The texts in which the words follow each other, in order."""
        wanted = f" {' '.join(run)} "
        return (place for place in self.of(run) if wanted in self._words_of(place))

    def _with(self, letters: str) -> list[int]:
        if (found := self._holding.get(letters)) is None:
            found = self._holding[letters] = [at for at, text in enumerate(self._texts) if letters in text]
        return found

    def _words_of(self, place: int) -> str:
        if (found := self._words.get(place)) is None:
            found = self._words[place] = f" {' '.join(words(self._texts[place]))} "
        return found


def jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """The share of all their words that both have."""
    return len(one & two) / len(one | two) if one or two else 0.0


def covered(one: frozenset[str], by: frozenset[str]) -> float:
    """The share of one's words that stand in the other."""
    return len(one & by) / len(one) if one else 0.0


def _pieces(names: Iterable[str]) -> Iterator[str]:
    """The pieces of those that have any: a plain word is none of its own, and a stem must not be stemmed again."""
    # Most are letters alone.
    parted = "\n".join([name for name in names if not name.isalnum() and _PARTS.search(name)])
    return (piece for piece in set(_PARTS.sub("\n", parted).split("\n")) if len(piece) > 1)
