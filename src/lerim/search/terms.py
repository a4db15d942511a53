"""Text → the terms it is found by: words of people and names of code, without their endings. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# fooBar, FOOBar, foo2bar: the pieces of a name in code.
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST = 64


def terms(text: str) -> list[str]:
    """The terms of a text in their order. A name such as `httpOnly` gives its pieces, and itself after them."""
    found: list[str] = []
    for word in _WORD.findall(text if text.isascii() else unicodedata.normalize("NFC", text)):
        found += _of_word(word)
    return found


@lru_cache(maxsize=200_000)
def _of_word(word: str) -> tuple[str, ...]:
    if not word.isascii():
        return _of_foreign(word)
    if "'" in word:
        # don't → dont: apart, its end would be a term of every second text.
        word = word.removesuffix("'s").removesuffix("'S").replace("'", "")
    whole = stem(word.lower()[:_LONGEST])
    if word.islower() or word.isdigit() or word[1:].islower() or word.isupper():
        return (whole,)
    pieces = [stem(piece.lower()) for piece in _PIECE.findall(word)]
    return (*pieces, whole) if len(pieces) > 1 else (whole,)


def _of_foreign(word: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", word.replace("’", "'").casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    if plain.isascii():
        return _of_word(plain)
    if not any(map(_is_unspaced, plain)):
        return (plain[:_LONGEST],)
    # Chinese, Japanese and Thai put no spaces between words: each pair of neighbours is a term.
    return tuple(plain[at : at + 2] for at in range(max(len(plain) - 1, 1)))


def _is_unspaced(letter: str) -> bool:
    code = ord(letter)
    return 0x0E00 <= code <= 0x0EFF or 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or code >= 0x20000


# --- Porter's stemmer -------------------------------------------------------------------------------------------------
# M. F. Porter, An algorithm for suffix stripping, 1980. A word is [C](VC)^m[V]; m is its measure.

_VOWEL_GROUPS = re.compile(r"[aeiouy]+[^aeiouy]+")
_STEP2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble")),
    *(("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate")),
    *(("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al")),
    *(("iviti", "ive"), ("biliti", "ble"), ("logi", "log")),
)
_STEP3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")),
)
_STEP4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti"),
    *("ous", "ive", "ize"),
)


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """An English word without its ending. Words of up to two letters, and what is no plain word, stay as they are."""
    if len(word) <= 2 or not word.isalpha():
        return word
    word = _without_plural(word)
    word = _without_ed_or_ing(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP2)
    word = _replaced(word, _STEP3)
    return _without_e(_without_suffix(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_ed_or_ing(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
            return _mended(word[: -len(ending)])
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeioulsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for ending, new in rules:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + new if _measure(rest) else word
    return word


def _without_suffix(word: str) -> str:
    for ending in sorted((e for e in _STEP4 if word.endswith(e)), key=len, reverse=True):
        rest = word[: -len(ending)]
        return rest if _measure(rest) > 1 else word
    rest = word[:-3]
    return rest if word.endswith(("sion", "tion")) and _measure(rest) > 1 else word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _is_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _shape(word: str) -> str:
    """The word with each y that sounds as a consonant written as one."""
    return re.sub(r"(^|[aeiou])y", r"\1j", word)


def _measure(word: str) -> int:
    return len(_VOWEL_GROUPS.findall(_shape(word)))


def _has_vowel(word: str) -> bool:
    return any(letter in "aeiouy" for letter in _shape(word))


def _is_short(word: str) -> bool:
    """Ends in consonant, vowel, consonant other than w, x or y: `hop`, not `snow`."""
    shape = _shape(word)
    if len(shape) < 3 or word[-1] in "wxy":
        return False
    return shape[-1] not in "aeiouy" and shape[-2] in "aeiouy" and shape[-3] not in "aeiouy"


# Words that say nothing about what is looked for.
_SMALL_WORDS = """
a about after all also am an and any are as at be because been before between but by can could did do does doing done
dont for from get give had has have he how i if in into is it its just let like me much my of on once or other our out
over shall she should so some tell than that the their them then there these they this those through to up us use using
was we were what when where which while who why will with would you your
"""
SMALL = frozenset(term for word in _SMALL_WORDS.split() for term in _of_word(word))
