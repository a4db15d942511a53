"""The known records nearest to a text that is about to be written, by words alone: without a model or its index.

However much is known, only so many rows are ranked. Words are taken from the rarest on; and a title that differs from
another in one word is looked for by the others together, however common each of them is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from lerim.context.filters import BRIEF, Filter
from lerim.context.place import Place
from lerim.context.records import Primitive, Record, Status, time_text
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, Snapshot
from lerim.dataclass import dataclass
from lerim.search.search import query_words
from lerim.search.terms import terms
from lerim.storage.database import Database, Value

_TITLE_WORDS = 24
_BODY_WORDS = 16
_FEW_WORDS = 4
#: Rows that any of the words may bring up to be ranked. A word that stands in more is looked for only with others.
_ROWS = 600
#: Records of each query that are looked at more closely.
_DEPTH = 24
# Scripts without spaces come as one long word; pairs of their letters are looked for inside it.
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]{2}")
_PAIRS = 6
_REPLACED = Filter(statuses=(Status.SUPERSEDED,), hearsay=False)


@dataclass(frozen=True)
class Similar:
    """A record, and how much it has in common with the text, from 0 to 1."""

    record: Record
    relevance: float


def similar(
    place: Place,
    title: str,
    body: str = "",
    *,
    limit: int = 8,
    summaries: bool = False,
    replaced_since: datetime | None = None,
) -> list[Similar]:
    """The active records nearest to a text, best first. Summaries are among them only when they are asked for.

    With `replaced_since`, those that were replaced after that moment instead.

    What is about to be written is not weighed against hearsay: what a stranger's files say first must neither keep the
    user's own word out nor be closed by it.
    """
    with place.store.read() as snapshot:
        near = _Near(place.store.database, snapshot, summaries, replaced_since)
        if replaced_since and not near.has_any():
            return []
        found = {record.id: record for record in near.records(title, body)}
    text = _Text.of(title, body)
    ranked = [Similar(record, text.shared_with(record)) for record in found.values()]
    return sorted(ranked, key=lambda one: (-one.relevance, one.record.id))[:limit]


def titled(place: Place, title: str) -> list[Record]:
    """The active decisions and learnings with this very title, upper and lower case alike."""
    with place.store.read() as snapshot:
        # As one phrase: its words, in their order.
        found = _Near(place.store.database, snapshot).matching([title], every=True)
    return [record for record in found if record.title.casefold() == title.casefold()]


@dataclass(frozen=True)
class _Text:
    """What a text is about, as terms."""

    title: frozenset[str]
    everything: frozenset[str]

    @classmethod
    def of(cls, title: str, body: str) -> _Text:
        named = frozenset(terms(title))
        return cls(named, named | frozenset(terms(body)))

    def shared_with(self, record: Record) -> float:
        """What both have of their titles, which say most, and of all their words."""
        other = _Text.of(record.title, record.body)
        return (2 * _shared(self.title, other.title) + _covered(self.everything, other.everything)) / 3


def _shared(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one or two else 0.0


def _covered(one: frozenset[str], by: frozenset[str]) -> float:
    return len(one & by) / len(one) if one else 0.0


@dataclass(frozen=True)
class _Near:
    """Looks for records that have words of a text."""

    database: Database
    snapshot: Snapshot
    summaries: bool = False
    replaced_since: datetime | None = None

    def has_any(self) -> bool:
        """Whether there is anything to be found."""
        which, values = self._which()
        sql = f"SELECT 1 FROM records r WHERE r.project_id = ? AND {which} LIMIT 1"
        return self.snapshot.tx.row(sql, (self.snapshot.project_id, *values)) is not None

    def _which(self) -> tuple[str, list[Value]]:
        if self.replaced_since is None:
            return "r.status = 'active'", []
        return "r.status = 'superseded' AND r.valid_until > ?", [time_text(self.replaced_since)]

    def records(self, title: str, body: str) -> Iterator[Record]:
        """What may be near, in no order, and some of it more than once."""
        counts = self._counted(query_words(title)[:_TITLE_WORDS])
        for part in _all_but_one(list(counts)):
            yield from self.matching(part, every=True)
        counts |= self._counted([word for word in query_words(body) if word not in counts][:_BODY_WORDS])
        if rare := _rarest(counts):
            yield from self.matching(rare, every=False)
        for pair in _WIDE.findall(title)[:_PAIRS]:
            wanted = BRIEF if self.replaced_since is None else _REPLACED
            found = self.snapshot.containing(pair, wanted, _DEPTH)
            yield from (r for r in found if self.summaries or r.primitive is not Primitive.SUMMARY)

    def matching(self, words: Sequence[str], *, every: bool) -> list[Record]:
        """Active records with the words, the best of them."""
        match = self.database.match(words, every=every, of=self.snapshot.project_id)
        kinds = " AND r.trust <> 'shared'" + ("" if self.summaries else " AND r.primitive <> 'summary'")
        which, values = self._which()
        sql = (
            f"SELECT {COLUMNS}, {match.rank} AS rank FROM {match.source} LEFT JOIN uses u ON u.record_seq = r.seq"
            f" WHERE {match.where} AND r.project_id = ? AND {which}{kinds} ORDER BY rank, r.seq LIMIT ?"
        )
        rows = self.snapshot.tx.rows(sql, (match.value, self.snapshot.project_id, *values, _DEPTH))
        return [decode(row[:-1]) for row in rows]

    def _counted(self, words: Sequence[str]) -> dict[str, int]:
        """The words that stand anywhere, the rarest first, and in how many rows; a few more than enough is enough."""
        found = self.database.held(self.snapshot.tx, words, self.snapshot.project_id, _ROWS)
        return {word: found[word] for word in sorted(found, key=lambda word: (found[word], word)) if found[word]}


def _all_but_one(words: list[str]) -> Iterator[list[str]]:
    """Words that stand together in every text that has all of them but one."""
    if 2 < len(words) <= _FEW_WORDS:
        yield from ([word for word in words if word != other] for other in words)
        return
    # With one word missing, one of the halves is whole.
    half = (len(words) + 1) // 2
    yield from (part for part in (words[:half], words[half:]) if len(part) > 1)


def _rarest(counts: dict[str, int]) -> list[str]:
    """As many words as bring up only so many rows together; the rarest in any case."""
    chosen: list[str] = []
    room = _ROWS
    for word in sorted(counts, key=lambda word: counts[word]):
        room -= counts[word]
        if chosen and room < 0:
            break
        chosen.append(word)
    return chosen
