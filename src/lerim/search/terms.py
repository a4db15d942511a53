"""Text → the terms it is found by: words of people and names of code, without their endings. Pure."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from lerim.lazy_regex import compile_later
from lerim.text.stems import stem
from lerim.text.words import is_unspaced, pairs, pieces

# fooBar, FOOBar, foo2bar: the pieces of a name in code.
_PIECE = compile_later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST = 64


def terms(text: str) -> list[str]:
    """The terms of a text in their order. A name such as `httpOnly` gives its pieces, and itself after them."""
    found: list[str] = []
    for word in pieces(text if text.isascii() else unicodedata.normalize("NFC", text)):
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
    return tuple(pairs(plain)) if is_unspaced(plain) else (plain[:_LONGEST],)


#: Further words that say nothing about what is looked for, beside the stop words.
SMALL_WORDS = frozenset(["after", "before", "between", "dont", "give", "much", "tell"])
# The terms of all of them, written out: every search asks, and to take their endings off takes longer than a search.
_SMALL_TERMS = """
a about after all also am an and ani are as at be becaus been befor between both but by can could did do doe
done dont each few for from get give got had has have he her here him his how i if ill im in into is it ive just
let like made make may me might more most much must my now of on onc onli onto or other our out over own per
pleas shall she should so some such tell than that the their them then there these they theyr this those through
to too up us use veri via was we well were weve what when where whi which while who whom whose will with would
you youll your
"""
#: Terms of words that say nothing about what is looked for.
SMALL = frozenset(_SMALL_TERMS.split())
