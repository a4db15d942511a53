"""A word without its ending, so that `test`, `tests` and `tested` are one: the English Snowball stemmer. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock

#: No English word is longer; a hash or a token is.
_LONGEST = 32
# What a word must end with for the stemmer to change it: half of all words need not be shown to it.
_ENDING = re.compile(r"(?:['seyil]|ed|ing|er|or|ic|ism|ion|nt)\Z|\A'")
# Forms that no ending gives away.
_IRREGULAR = {
    "kept": "keep", "wrote": "write", "written": "write", "built": "build", "sent": "send",
    "chose": "choose", "chosen": "choose", "broke": "break", "broken": "break", "left": "leave", "lost": "lose",
}  # fmt: skip
# Words of every second text about code that Snowball would make one with `import`.
_OWN_STEM = {"important": "important", "importance": "important", "importantly": "important"}
# The stemmer keeps the word it works on, and threads share it.
_ONE_AT_A_TIME = Lock()


@lru_cache(maxsize=262_144)  # Taking an ending off costs as much as a hundred lookups, and texts repeat themselves.
def stem(word: str) -> str:
    """A word in lower case without its ending. What is no plain English word stays as it is: names, numbers, paths."""
    if len(word) <= 2 or len(word) > _LONGEST or not word.isascii() or not word.replace("'", "").isalpha():
        return word
    word = _IRREGULAR.get(word, word)
    if word in _OWN_STEM or _ENDING.search(word) is None:
        return _OWN_STEM.get(word, word)
    with _ONE_AT_A_TIME:
        return _snowball()(word) or word


@lru_cache(maxsize=1)
def _snowball() -> Callable[[str], str]:
    # Start-up: the package loads the stemmers of thirty languages. This one by name: its factory would take a compiled
    # one where there is any, and stems are kept on disk.
    from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]

    take_apart: Callable[[str], str] = EnglishStemmer().stemWord
    return take_apart
