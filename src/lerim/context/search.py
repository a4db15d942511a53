"""Find memories by words: all of them first, then any of them, project before global."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lerim.context.filters import Filter
from lerim.context.memory import Kept, Memory, Place
from lerim.context.records import Record
from lerim.errors import UsageError

_WORD = re.compile(r"\w+")
# Words that say nothing about what is looked for. They count only when nothing else was asked.
_SMALL_WORDS = """
a an and are as at be by do does for from how i in is it of on or our should that the this to use was we what when where
which who why with you
"""
_SMALL = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True)
class Hit:
    """A record that matched, the words that did, and a line of it to recognise it by."""

    kept: Kept
    words: tuple[str, ...]
    #: Whether all the words were there.
    complete: bool
    excerpt: str


def search(memory: Memory, query: str, wanted: Filter, limit: int = 10) -> list[Hit]:
    """The best matches, at most `limit`. Nothing when nothing matches. Raises UsageError for a query without words."""
    words = query_words(query)
    if not words:
        raise UsageError(f"'{query}' has no word to search for", hint="lerim search auth tokens")
    hits: list[Hit] = []
    for place in memory.places():
        hits += _in_place(place, words, wanted, limit - len(hits))
    return hits


def query_words(query: str) -> list[str]:
    """The words of a query that say something, each once; all of them when none does."""
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(query)))
    return [word for word in words if word not in _SMALL] or words


def _in_place(place: Place, words: Sequence[str], wanted: Filter, limit: int) -> Iterator[Hit]:
    seen: set[str] = set()
    for record, complete in _matches(place, words, wanted, limit):
        if record.id not in seen and len(seen) < limit:
            seen.add(record.id)
            yield Hit(Kept(record, place), _found(record, words), complete, _excerpt(record, words))


def _matches(place: Place, words: Sequence[str], wanted: Filter, limit: int) -> Iterator[tuple[Record, bool]]:
    database = place.store.database
    with place.store.read() as snapshot:
        for every in (True, False):
            for record, _ in snapshot.matching(database.match(words, every=every), wanted, limit):
                yield record, every
        for word in words:
            # Chinese, Japanese and Thai come as one long token; look inside it.
            if not word.isascii():
                yield from ((record, False) for record in snapshot.containing(word, wanted, limit))


def _found(record: Record, words: Sequence[str]) -> tuple[str, ...]:
    text = f"{record.title} {record.body} {' '.join(record.tags)} {record.description or ''}".lower()
    # The index knows word stems; four letters are a fair guess at one.
    return tuple(word for word in words if word in text or (len(word) > 4 and word[:4] in text))


def _excerpt(record: Record, words: Sequence[str]) -> str:
    """The line of the body that matches best, or its first."""
    lines = [line.strip() for line in record.body.splitlines() if line.strip()]
    if not lines:
        return record.description or ""
    best = max(lines, key=lambda line: sum(word[:5] in line.lower() for word in words))
    return best if len(best) <= 160 else best[:159] + "…"
