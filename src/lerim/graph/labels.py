"""What a few records are about, in two or three words of their titles. Pure.

By these records alone: what stands in many of them, and is no word that any title may have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from lerim.graph.names import names_in
from lerim.search.terms import SMALL, terms
from lerim.text.common import DENIES, GLUE, UNIVERSAL
from lerim.text.words import spelled

_WORDS = 3
#: A word that fewer of the titles have says nothing about them all.
_SHARE = 0.25
_NAME_BONUS = 0.5
_FEW = 6
_DULL_WORDS = """
add added adding adds allow allows avoid build builds call calls change changed changes check checks code command
commands contain create creates current default do does don't file files first fix fixed fixes folder handle handled
have include includes instead keep line lines load main make makes match missing multiple name named names need needs
new next old one only open option output page pages place read reads remove removed replace report require requires
return returns right run running runs see separate set sets show shown shows single start starts store stored support
supports take takes test tests text treat two type update updated updates user users value values version versions
want wants work works write writes written wrong
"""
_DULL = GLUE | DENIES | UNIVERSAL | frozenset(_DULL_WORDS.split())


def label_of(titles: Sequence[str]) -> str:
    """What titles have in common; the shortest of them when that is nothing."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    held: Counter[str] = Counter()
    named: set[str] = set()
    for title in titles:
        found = dict[str, str]()
        own = set(names_in(title))
        for word in spelled(title):
            key = " ".join(terms(word))
            if _tells(word, key):
                found.setdefault(key, word)
                named |= {key} if word.casefold() in own else set()
        held.update(found.keys())
        for key, word in found.items():
            spellings[key][word] += 1
    least = max(2, _SHARE * len(titles))
    common = [key for key in held if held[key] >= least]
    common.sort(key=lambda key: (-held[key] * (1 + _NAME_BONUS * (key in named)), key))
    chosen = _apart(common)[:_WORDS]
    # One plain word tells of a few records less than a title of theirs does.
    if not chosen or (len(titles) < _FEW and len(chosen) == 1 and chosen[0] not in named):
        return min(titles, key=lambda title: (len(title), title)) if titles else ""
    return ", ".join(_usual(spellings[key]) for key in chosen)


def _tells(word: str, key: str) -> bool:
    plain = word.casefold()
    return (
        len(plain) > 2
        and plain[0] != "-"
        and not plain.isdigit()
        and plain not in _DULL
        and key not in SMALL
        and bool(key)
    )


def _apart(keys: Sequence[str]) -> list[str]:
    """Without those that are a part of one that comes before."""
    chosen: list[str] = []
    for key in keys:
        pieces = set(key.split())
        if not any(pieces <= set(other.split()) or set(other.split()) <= pieces for other in chosen):
            chosen.append(key)
    return chosen


def _usual(spellings: Counter[str]) -> str:
    """How a word is written most; in small letters unless it is always written large."""
    best = min(spellings, key=lambda word: (-spellings[word], word))
    lower = best.lower()
    return lower if lower in spellings else best
