"""A slip of the pen in a question, put right by the memory's own words. Pure.

Tried only when a question finds no answer as it was typed: "how do i relase it" is asked again with "release" when
a record that was found has that word, and "relase" is no word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from lerim.search.terms import terms
from lerim.search.wordpiece import VOCABULARY
from lerim.text.words import spelled

#: A shorter word is a slip away from too many others.
_SHORTEST = 5
_PLAIN = re.compile(r"[a-z]+", re.IGNORECASE)


def mended(question: str, texts: Iterable[str]) -> str:
    """The question with its slips put right; as it is when it has none that a text could put right."""
    known = {word.lower() for text in texts for word in spelled(text)}
    for word in spelled(question):
        small = word.lower()
        if len(small) < _SHORTEST or small in known or not _PLAIN.fullmatch(small) or is_word(small):
            continue
        near = sorted(other for other in known if len(other) >= _SHORTEST and is_slip(small, other))
        if near:
            question = re.sub(rf"\b{re.escape(word)}\b", near[0], question)
    return question


def is_slip(typed: str, meant: str) -> bool:
    """Whether one letter was left out, doubled, mistaken, or two were swapped."""
    if abs(len(typed) - len(meant)) > 1 or terms(typed) == terms(meant):
        return False
    shared = next((at for at, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), None)
    at = min(len(typed), len(meant)) if shared is None else shared
    rest, wanted = typed[at:], meant[at:]
    swapped = len(rest) > 1 and rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:]
    return swapped or rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:]


@cache
def _vocabulary() -> frozenset[bytes]:
    return frozenset(VOCABULARY.read_bytes().split(b"\n"))


def is_word(word: str) -> bool:
    """Whether it is a common word, which somebody may well have meant."""
    return word.encode() in _vocabulary()
