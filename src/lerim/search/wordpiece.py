"""Text → the word pieces a BERT model knows. Pure Python: a fresh process cannot wait for a tokenizer library."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import count
from pathlib import Path

from lerim.lazy_regex import compile_later
from lerim.text.words import STOP

#: The pieces of the uncased BERT vocabulary, by line. Apache-2.0; see the license beside it.
VOCABULARY = Path(__file__).with_name("models") / "bert-uncased.txt"
START, END, UNKNOWN = 101, 102, 100
_LONGEST_WORD = 100
# Characters that are read for each piece of a gist: a text of hundreds of signs and small words is none.
_GIST_READ = 64
# So many pieces are looked for one by one: a question has fewer.
_FEW = 100
# What stands alone: any punctuation or symbol of ASCII, and Chinese characters.
_ASCII_PARTS = compile_later(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
# What is not seen at all: the letters on both sides of it are one word.
_ASCII_CONTROL = compile_later(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")


class WordPieces:
    """The vocabulary, and the greedy split of words into it."""

    def __init__(self, vocabulary: Path = VOCABULARY) -> None:
        # With a line's end on both sides of every piece.
        self._text = b"\n" + vocabulary.read_bytes() + b"\n"
        self._ids: dict[str, int] = {}
        self._looked_up = 0
        self._split = lru_cache(maxsize=65536)(self._split_word)

    def encode(self, text: str, limit: int) -> list[int]:
        """The numbers of a text's pieces, between a start and an end mark, `limit` at most."""
        room, found = limit - 2, [START]
        for word in words(text):
            found += self._split(word)
            if len(found) > room:
                break
        return [*found[: room + 1], END]

    def gist(self, text: str, short: int, limit: int) -> list[int]:
        """All pieces of a text that has no more than `short`; of a longer one, `limit` of those that carry meaning: the
        words that say something, each once."""
        whole = self.encode(text, short + 1)
        if len(whole) <= short:
            return whole
        found = [START]
        for word in dict.fromkeys(words(text[: _GIST_READ * limit])):
            if word not in STOP and word[0].isalnum():
                found += self._split(word)
            if len(found) >= limit:
                break
        return [*(found if len(found) > 1 else whole)[: limit - 1], END]

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (UNKNOWN,)
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._number(word[start:end] if start == 0 else "##" + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (UNKNOWN,)
        return tuple(found)

    def _number(self, piece: str) -> int | None:
        """The line of a piece. A few are looked for in the text, which takes less time than to index all of it."""
        self._looked_up += 1
        if self._looked_up > _FEW:
            self._ids = self._ids or dict(zip(self._text[1:].decode().split("\n"), count(), strict=False))
            return self._ids.get(piece)
        at = self._text.find(b"\n%s\n" % piece.encode("utf-8", "replace"))
        return None if at < 0 else self._text.count(b"\n", 0, at)


def words(text: str) -> list[str]:
    """The words of a text as BERT sees them: lower case, without accents, punctuation apart."""
    text = text.lower()
    if text.isascii():
        return _ASCII_PARTS.findall(_ASCII_CONTROL.sub("", text))
    return "".join(map(_spaced, unicodedata.normalize("NFD", text))).split()


@lru_cache(maxsize=4096)
def _spaced(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Mn" or character in "\0\ufffd":
        return ""
    if character in "\t\n\r" or category == "Zs":
        return " "
    if category.startswith("C"):
        return ""
    return f" {character} " if _stands_alone(character, category) else character


def _stands_alone(character: str, category: str) -> bool:
    code = ord(character)
    is_ascii_symbol = code < 128 and not character.isalnum()
    is_chinese = 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF
    return is_ascii_symbol or is_chinese or 0x20000 <= code <= 0x2FA1F or category.startswith("P")
