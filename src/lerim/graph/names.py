"""The names that a record speaks of: code, files, packages, things with a name of their own. Pure.

A name that few records speak of ties those together; one that many do says nothing. How many that is is the whole
memory's to say, so names are counted in two steps only: whoever follows a changing memory has to look again when a name
passes one of them, and not each time it is said.
"""

from __future__ import annotations

from enum import IntEnum

from lerim.context.records import Record
from lerim.lazy_regex import compile_later
from lerim.text.words import spelled

#: So many of a record's names count, those of its title first.
MOST_NAMES = 16
#: A name that so many records speak of is rare; one that so many do is all but their own.
RARE, VERY_RARE = 8, 3
_LONGEST = 80
_QUOTED = compile_later(r"`([^`\n]{2,80})`")
# fooBar, FooBar, foo_bar, foo.py, src/foo, @scope/foo, --flag, foo::bar
_CODE = compile_later(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2}|\w[_./@:]\w|^--?[a-z]|^@\w")
_SENTENCE_START = compile_later(r"(?:^|[.!?:;]\s+|\n\s*(?:[-*#>]+\s*)?|[\"“(]\s*)$")
_NUMBER = compile_later(r"^[\d.,:/x-]+$|^v?\d+(?:\.\d+)*$|^#?\d+$")
_URL = compile_later(r"^https?:")
# Names that stand in any developer's talk.
_COMMON_WORDS = """
api apis app apps bash ci claude cli codex css cursor docker gemini git github html http https id ids ide java
javascript json linux llm macos markdown mcp node npm ok pdf pr prs python readme readme.md sdk sql ssh todo ts
typescript ui uri url urls utc utf utf-8 windows xml yaml e.g i.e vs the this and for not use all english
"""
_COMMON_NAMES = frozenset(_COMMON_WORDS.split())


class Rarity(IntEnum):
    """How few records speak of a name."""

    COMMON = 0
    RARE = 1
    VERY_RARE = 2


def rarity(holders: int) -> Rarity:
    """How rare a name is that so many records speak of."""
    if holders <= VERY_RARE:
        return Rarity.VERY_RARE
    return Rarity.RARE if holders <= RARE else Rarity.COMMON


def names_of(record: Record) -> frozenset[str]:
    """The names that a record speaks of, as they are compared."""
    if not record.primitive.is_lesson:
        return frozenset()
    found = dict.fromkeys([*names_in(record.title), *names_in(record.body)])
    return frozenset(list(found)[:MOST_NAMES])


def names_in(text: str) -> list[str]:
    """The names in a text, in their order."""
    # Of a whole command that is quoted, only what looks like code is a name: the rest are words.
    found = [word for part in _QUOTED.findall(text) for word in spelled(part) if len(part.split()) == 1]
    at = 0
    for word in spelled(text):
        at = text.index(word, at)
        if _CODE.search(word) or _is_proper(text, at, word):
            found.append(word)
        at += len(word)
    return [name for name in map(_folded, found) if _says_something(name)]


def _is_proper(text: str, at: int, word: str) -> bool:
    """Whether a word is written large where a sentence would not make it so."""
    return word[:1].isupper() and len(word) > 2 and not _SENTENCE_START.search(text[:at][-40:])


def _folded(name: str) -> str:
    return name.strip("./:'’").removesuffix("'s").removesuffix("’s").casefold()[:_LONGEST]


def _says_something(name: str) -> bool:
    return len(name) > 2 and not _NUMBER.search(name) and not _URL.search(name) and name not in _COMMON_NAMES
