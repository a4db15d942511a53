"""Which records may have to do with each other: by their words, and by the vectors that the index has.

Only what changed is held against the rest; so a large memory costs little more than a small one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lerim.context.place import Place
from lerim.context.records import Record, RecordId
from lerim.curate.due import is_curated, records_at
from lerim.dataclass import dataclass, replace
from lerim.search.embeddings import Embedder
from lerim.search.search import Searcher
from lerim.search.similar import similar

#: Records that are held against each one, by words and by meaning.
_NEAREST = 8
#: What has less than this in common has nothing to do with each other: by words, and by meaning.
_WORDS, _MEANING = 0.15, 0.33
#: By meaning, so many of them are read a second time, by a model that takes as long for a pair as rules for a hundred;
#: and so many pairs of all, the nearest: a memory that is looked at for the first time shall not keep people waiting.
_CLOSEST, _MOST_CLOSE = 2, 400
#: A group that people and models can still look over.
MOST_IN_CLUSTER = 12
#: Names that one query asks for.
_AT_ONCE = 500
#: Vectors that are made before looking; of what has none yet, the words count alone.
_VECTORS_AT_ONCE = 256


@dataclass(frozen=True)
class NearPair:
    """Two records that may have to do with each other, how near they are, from 0 to 1, and whether one is among the few
    that are closest to the other by their meaning."""

    one: RecordId
    two: RecordId
    nearness: float
    is_close: bool = False


@dataclass(frozen=True)
class RecordPair:
    """The same with the records, the one that was kept first before the other."""

    one: Record
    two: Record
    nearness: float
    is_close: bool


@dataclass(frozen=True)
class RecordCluster:
    """Records that lie near each other, and the pairs among them that somebody has to look at."""

    records: tuple[Record, ...]
    pairs: tuple[RecordPair, ...]


class Vicinity:
    """One place's records, and what is near each."""

    def __init__(self, place: Place, searcher: Searcher | None) -> None:
        self._place = place
        self._searcher = searcher
        self._known: dict[RecordId, Record] = {}

    def clusters(self, changed: Mapping[int, Record]) -> list[RecordCluster]:
        """What changed, each with what is near it, in groups. What has no neighbor is in none."""
        self._known |= {record.id: record for record in changed.values()}
        found: dict[frozenset[RecordId], list[NearPair]] = {}
        for pair in (*self._by_words(changed.values()), *self._by_meaning(changed)):
            found.setdefault(frozenset((pair.one, pair.two)), []).append(pair)
        written = self._written({name for names in found for name in names})
        pairs = sorted(
            (_as_one(told, written) for told in found.values()), key=lambda one: (-one.nearness, one.one, one.two)
        )
        return list(self._grouped(_closest(pairs, _MOST_CLOSE)))

    def _written(self, names: Iterable[RecordId]) -> dict[RecordId, int]:
        """In which order records were kept first."""
        wanted = list(names)
        found: dict[RecordId, int] = {}
        with self._place.store.read() as snapshot:
            for first in range(0, len(wanted), _AT_ONCE):
                some = wanted[first : first + _AT_ONCE]
                sql = f"SELECT id, seq FROM records WHERE project_id = ? AND id IN ({', '.join('?' * len(some))})"
                found |= {RecordId(row[0]): row[1] for row in snapshot.tx.rows(sql, (snapshot.project_id, *some))}
        return found

    def _by_words(self, changed: Iterable[Record]) -> Iterator[NearPair]:
        for record in changed:
            for found in similar(self._place, record.title, record.body, limit=_NEAREST + 1):
                if found.record.id != record.id and found.relevance >= _WORDS and is_curated(found.record):
                    self._known.setdefault(found.record.id, found.record)
                    yield NearPair(record.id, found.record.id, found.relevance)

    def _by_meaning(self, changed: Mapping[int, Record]) -> Iterator[NearPair]:
        if not changed or self._searcher is None or not isinstance(self._searcher.embedder, Embedder):
            return
        found = _nearest(self._place, self._searcher, self._searcher.embedder, list(changed))
        with self._place.store.read() as snapshot:
            others = records_at(snapshot.tx, sorted({other for _, other, _ in found} - changed.keys()))
        known = {**others, **changed}
        close: Counter[int] = Counter()
        for seq, other, cosine in found:
            if other in known and is_curated(known[other]):
                self._known.setdefault(known[other].id, known[other])
                close[seq] += 1
                yield NearPair(known[seq].id, known[other].id, cosine, close[seq] <= _CLOSEST)

    def _grouped(self, pairs: Sequence[NearPair]) -> Iterator[RecordCluster]:
        """The nearest come together first; pairs that would make a group too large stand around a record of theirs."""
        group_of: dict[RecordId, list[RecordId]] = {}
        alone: list[NearPair] = []
        for pair in pairs:
            one, two = (group_of.setdefault(name, [name]) for name in (pair.one, pair.two))
            if one is not two and len(one) + len(two) > MOST_IN_CLUSTER:
                alone.append(pair)
            elif one is not two:
                one += two
                group_of |= dict.fromkeys(two, one)
        apart = {(pair.one, pair.two) for pair in alone}
        inside: dict[int, list[NearPair]] = {}
        for pair in pairs:
            if (pair.one, pair.two) not in apart:
                inside.setdefault(id(group_of[pair.one]), []).append(pair)
        yield from map(self._cluster, (*inside.values(), *_by_record(alone)))

    def _cluster(self, pairs: Sequence[NearPair]) -> RecordCluster:
        known = self._known
        both = tuple(RecordPair(known[pair.one], known[pair.two], pair.nearness, pair.is_close) for pair in pairs)
        records = {record.id: record for pair in both for record in (pair.one, pair.two)}
        return RecordCluster(tuple(records.values()), both)


def _as_one(told: Sequence[NearPair], written: Mapping[RecordId, int]) -> NearPair:
    """A pair that was found in several ways, the one that was kept first before the other."""
    one, two = sorted((told[0].one, told[0].two), key=written.__getitem__)
    return NearPair(one, two, max(pair.nearness for pair in told), any(pair.is_close for pair in told))


def _closest(pairs: Sequence[NearPair], most: int) -> list[NearPair]:
    """The same, the nearest first, of which so many at most are close."""
    close = itertools.accumulate(pair.is_close for pair in pairs)
    return [replace(pair, is_close=pair.is_close and rank <= most) for pair, rank in zip(pairs, close, strict=True)]


def _by_record(pairs: Sequence[NearPair]) -> Iterator[list[NearPair]]:
    """Pairs in groups around one record each, as large as a group may be."""
    left = list(pairs)
    while left:
        counts = Counter(name for pair in left for name in (pair.one, pair.two))
        (center, _) = max(counts.items(), key=lambda item: (item[1], item[0]))
        around = [pair for pair in left if center in (pair.one, pair.two)][: MOST_IN_CLUSTER - 1]
        yield around
        taken = set(map(id, around))
        left = [pair for pair in left if id(pair) not in taken]


def _nearest(place: Place, searcher: Searcher, embedder: Embedder, seqs: Sequence[int]) -> list[tuple[int, int, float]]:
    """For each of some rows the rows whose vectors are nearest to its own, the nearest first, and how near."""
    # Start-up: numpy, for those who have a model.
    import numpy as np

    from lerim.search import vectors
    from lerim.search.index import Index

    index = Index.of(place.store.database, place.local, place.project.id, searcher.folder, embedder)
    index.catch_up(min(len(seqs), _VECTORS_AT_ONCE))
    found: list[tuple[int, int, float]] = []
    with index.reading() as opened:
        for pack in opened.view.packs:
            at = pack.places(np.array(seqs, np.int64))
            for seq, row in zip(seqs, at.tolist(), strict=True):
                if row < 0:
                    continue
                own = pack.rows[row].astype(np.float32) * pack.scales[row]
                near = vectors.nearest(opened.view.packs, own, _NEAREST + 1)
                pairs = zip(near[0].tolist(), near[1].tolist(), strict=True)
                found += [(seq, int(other), cosine) for other, cosine in pairs if other != seq and cosine >= _MEANING]
    return found
