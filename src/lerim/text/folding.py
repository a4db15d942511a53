"""Text as it is compared: however quotes, dashes, blanks and ligatures are set. Pure.

Editors, terminals and models set "don't" as "don’t" and "…" as "...". Two texts are the same words when they fold to
the same. Nothing is folded that changes what is said: case, digits of other kinds and letters stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

# Kinds of characters that only look otherwise. A power, an index, a fraction and a circled digit say something else.
_LOOKS = ("<wide>", "<narrow>", "<noBreak>", "<compat>")
_SET_OTHERWISE = {
    **dict.fromkeys("‘’‚‛′ʼ´ʹ＇", "'"),
    **dict.fromkeys("“”„‟«»″〝〞＂", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    # Seen by nobody: a soft hyphen, and blanks without a width.
    **dict.fromkeys("\u00ad\u200b\u2060\ufeff", ""),
}


class _Table(dict[int, str]):
    """What each character folds to, found out once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        found = _SET_OTHERWISE.get(character)
        if found is None:
            looks = unicodedata.decomposition(character).startswith(_LOOKS)
            found = unicodedata.normalize("NFKC", character) if looks else character
        self[code] = found
        return found


_TABLE = _Table()
# All that does not fold to itself.
_STRANGE = re.compile(r"[^\x00-\x7f]+")
# What folds to itself, up to a character that something may be put on.
_PLAIN = re.compile(r"[\x00-\x7f]+(?=[\x00-\x7f]|\Z)")


def fold(text: str) -> str:
    """The text as it is compared."""
    return text if text.isascii() else _folded(text)


@lru_cache(maxsize=1024)  # A line is compared with many quotes.
def _folded(text: str) -> str:
    return _STRANGE.sub(_as_compared, unicodedata.normalize("NFC", text))


def _as_compared(found: re.Match[str]) -> str:
    return found[0].translate(_TABLE)


@lru_cache(maxsize=64)  # And so is one that has some of them.
def aligned(text: str) -> tuple[str, Sequence[int]]:
    """The text as it is compared, and for each of its characters and its end where that stands in the text."""
    folded: list[str] = []
    places: list[int] = []
    start = 0
    while start < len(text):
        if plain := _PLAIN.match(text, start):
            folded.append(plain[0])
            places.extend(range(start, plain.end()))
            start = plain.end()
            continue
        end = start + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        part = fold(text[start:end])
        folded.append(part)
        places += [start] * len(part)
        start = end
    return "".join(folded), (*places, len(text))
