"""A word without its ending, so that `test`, `tests` and `tested` are one: the English Snowball stemmer. Pure."""

from __future__ import annotations

import re
import sys
from _thread import allocate_lock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec, module_from_spec

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
# Words that the stemmer itself treats as none of its rules would.
_EXCEPTIONAL = ("skies", "dying", "lying", "tying")
# The stemmer keeps the word it works on, and threads share it.
_ONE_AT_A_TIME = allocate_lock()


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


def unlike_forms(asked: str) -> tuple[str, ...]:
    """The words of a stem that do not begin as it does but for its last letter: `kept` is a form of `keep`."""
    return _unlike().get(asked, ())


@lru_cache(maxsize=1)
def _unlike() -> dict[str, tuple[str, ...]]:
    forms: dict[str, tuple[str, ...]] = {}
    for word in (*_IRREGULAR, *_OWN_STEM, *_EXCEPTIONAL):
        forms[stem(word)] = (*forms.get(stem(word), ()), word)
    return forms


@lru_cache(maxsize=1)
def _snowball() -> Callable[[str], str]:
    # By name: the package's factory would take a compiled one where there is any, and stems are kept on disk.
    with _unopened("snowballstemmer"):
        from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]

    take_apart: Callable[[str], str] = EnglishStemmer().stemWord
    return take_apart


@contextmanager
def _unopened(name: str) -> Iterator[None]:
    """Let a module of a package be imported without what the package itself would load: here, thirty languages."""
    spec = find_spec(name) if name not in sys.modules else None
    if spec is None:
        yield
        return
    sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[name]  # Whoever wants the package gets it whole.
