"""Which records answer a question best: by their words and by their meaning, together.

Terms and vectors each propose records; each proposed record then gets every part of its score. So a large memory costs
little more than a small one, and what is proposed for its meaning is also judged by its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lerim.dataclass import dataclass
from lerim.search import vectors
from lerim.search.index import View
from lerim.search.ranking import LENGTH, SATURATION, SMALL_WORTH, UNKNOWN_NEARNESS, Parts, weight, worths
from lerim.search.segment import Floats, Numbers, Postings, Segment, number
from lerim.search.terms import SMALL, terms
from lerim.text.dates import NamedDate, named_dates

#: Up to so many records, every one with a term of the question is scored.
_FEW = 20_000
# In a larger memory, a term that more than this share of it holds proposes nothing; it still counts for what others do.
_COMMON = 0.02


_SMALL = frozenset(map(number, SMALL))


class Ranked(NamedTuple):
    """A record that may answer, by its row; the version that was indexed; the part its vector came from."""

    seq: int
    version: int
    pack: int | None
    parts: Parts


@dataclass(frozen=True)
class Query:
    """What is searched for."""

    text: str
    vector: Floats | None

    @cached_property
    def terms(self) -> list[int]:
        """Its terms, each once, in their order."""
        return list(dict.fromkeys(number(term) for term in terms(self.text)))

    @cached_property
    def telling(self) -> list[int]:
        """Its terms without the small words, which stand everywhere; all of them when there are no others."""
        return [term for term in self.terms if term not in _SMALL] or self.terms

    @cached_property
    def dates(self) -> list[NamedDate]:
        return named_dates(self.text)


class TermCounts(NamedTuple):
    """What is known elsewhere, for a view that has only a few of the records: how many there are in all, how many of
    them hold each term, and how near those of the view are to the question."""

    size: int
    holding: Mapping[int, int]
    near: Mapping[int, float]


class _Judged(NamedTuple):
    """The parts of many records, as columns. A version of -1: the index does not know it."""

    versions: Numbers
    words: Floats
    coverage: Floats
    near: Floats
    packs: NDArray[np.object_]
    dates: Floats
    by_user: NDArray[np.bool_]

    @classmethod
    def blank(cls, size: int, near: Floats, packs: NDArray[np.object_]) -> _Judged:
        words, coverage, dates = (np.zeros(size, np.float32) for _ in range(3))
        return cls(np.full(size, -1), words, coverage, near, packs, dates, np.zeros(size, np.bool_))

    def scores(self) -> Floats:
        near = np.where(np.isnan(self.near), np.float32(UNKNOWN_NEARNESS), self.near)
        added = worths(self.words, near, self.dates, self.by_user)
        total: Floats = np.sum(list(added.values()), axis=0)
        return total

    def parts(self, at: int) -> Parts:
        return Parts(
            words=float(self.words[at]),
            coverage=float(self.coverage[at]),
            meaning=None if np.isnan(self.near[at]) else float(self.near[at]),
            date=float(self.dates[at]),
            by_user=bool(self.by_user[at]),
        )


class Ranking:
    """A question held against all that there is to search."""

    def __init__(self, view: View, question: Query, counted: TermCounts | None = None) -> None:
        self._view = view
        self._question = question
        self._counted = counted
        self._segments = [segment for segment in view.segments if len(segment)]
        self._size = sum(map(len, self._segments))
        self._postings = [[segment.postings(term) for term in question.terms] for segment in self._segments]
        self._weights = [self._weight(place) for place in range(len(question.terms))]

    def best(self, depth: int) -> Iterator[Ranked]:
        """The records that terms or vectors propose, `depth` of each, best first."""
        proposed = [self._by_words(depth)]
        if self._question.vector is not None:
            proposed.append(vectors.nearest(self._view.packs, self._question.vector, depth)[0])
        return self.among(_distinct(np.sort(np.concatenate(proposed))))

    def among(self, seqs: Numbers) -> Iterator[Ranked]:
        """These records, best first. One that the index does not know is left out."""
        known = self._judged(seqs)
        scores = known.scores()
        # Of two alike, the newer.
        for at in np.lexsort((-seqs, -scores)).tolist():
            if known.versions[at] >= 0:
                yield Ranked(int(seqs[at]), int(known.versions[at]), known.packs[at], known.parts(at))

    def _judged(self, seqs: Numbers) -> _Judged:
        near, packs = self._nearness(seqs)
        known = _Judged.blank(len(seqs), near, packs)
        # The last segment first: of a record that several hold, it has the newest.
        for place in range(len(self._segments) - 1, -1, -1):
            segment = self._segments[place]
            at = segment.places(seqs)
            here = np.flatnonzero((known.versions < 0) & (at >= 0))
            if len(here):
                docs = at[here]
                known.versions[here] = segment.versions[docs]
                known.by_user[here] = segment.by_user[docs]
                known.words[here] = self._words(place, docs)
                known.coverage[here] = self._coverage(segment, docs)
                known.dates[here] = self._dates(segment, docs)
        return known

    # Words

    def _weight(self, term: int) -> float:
        says_little = self._question.terms[term] in _SMALL
        size = self._counted.size if self._counted else self._size
        return weight(size, self._holding(term)) * (SMALL_WORTH if says_little else 1)

    def _holding(self, term: int) -> int:
        here = sum(postings.own for each in self._postings if (postings := each[term]))
        if self._counted is None:
            return here
        if known := self._counted.holding.get(self._question.terms[term], 0):
            return max(known, here)
        # Nobody counted it, as a word that stands everywhere: the records at hand speak for all.
        return here * self._counted.size // max(self._size, 1)

    @cached_property
    def _mean_length(self) -> float:
        return max(sum(float(segment.lengths.sum()) for segment in self._segments) / max(self._size, 1), 1.0)

    def _by_words(self, depth: int) -> Numbers:
        """The records with the best words, `depth` of each segment."""
        chosen = self._proposing()
        found = []
        for place, segment in enumerate(self._segments):
            scores = np.zeros(len(segment), np.float32)
            for term in chosen:
                if postings := self._postings[place][term]:
                    scores[postings.docs] += self._bm25(segment, postings, term)
            hits = np.flatnonzero(scores)
            if len(hits) > depth:
                hits = hits[np.argpartition(-scores[hits], depth)[:depth]]
            found.append(segment.seqs[hits])
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _proposing(self) -> list[int]:
        """The terms that propose records: in a large memory only the telling ones, if there are any."""
        every = list(range(len(self._question.terms)))
        if self._size <= _FEW:
            return every
        held = sorted(every, key=self._holding)
        rare = [term for term in held if self._holding(term) <= _COMMON * self._size]
        # Of common terms alone, the two rarest: somebody may ask for nothing else.
        return rare if any(self._holding(term) for term in rare) else held[:2]

    def _bm25(self, segment: Segment, postings: Postings, term: int, chosen: Numbers | None = None) -> Floats:
        docs, often = postings.docs, postings.often()
        if chosen is not None:
            docs, often = docs[chosen], often[chosen]
        limit = SATURATION * (1 - LENGTH + LENGTH / self._mean_length * segment.lengths[docs])
        scores: Floats = (self._weights[term] * (SATURATION + 1) * often / (often + limit)).astype(np.float32)
        return scores

    def _words(self, place: int, docs: Numbers) -> Floats:
        """The BM25 score of some records of a segment."""
        segment, scores = self._segments[place], np.zeros(len(docs), np.float32)
        for term, postings in enumerate(self._postings[place]):
            if postings is None:
                continue
            at = np.searchsorted(postings.docs, docs.astype(np.uint32))
            at[at == len(postings.docs)] = 0
            here = np.flatnonzero(postings.docs[at] == docs)
            scores[here] += self._bm25(segment, postings, term, at[here])
        return scores

    # Meaning

    def _nearness(self, seqs: Numbers) -> tuple[Floats, NDArray[np.object_]]:
        """How near each record is to the question, and which part says so; not a number for one without a vector."""
        near = np.full(len(seqs), np.nan, np.float32)
        parts = np.full(len(seqs), None, np.object_)
        if self._counted is not None:
            known = self._counted.near
            return np.array([known.get(seq, np.nan) for seq in seqs.tolist()], np.float32), parts
        if self._question.vector is None:
            return near, parts
        for pack, part in zip(self._view.packs, self._view.pack_parts, strict=True):
            at = pack.places(seqs)
            here = np.flatnonzero(at >= 0)
            if len(here):
                near[here] = pack.cosines(self._question.vector, at[here])
                parts[here] = part
        return near, parts

    # What stands in a record

    def _coverage(self, segment: Segment, docs: Numbers) -> Floats:
        """How much of the question stands in each record itself."""
        tokens, owners = _texts(segment, docs)
        weights = dict(zip(self._question.terms, self._weights, strict=True))
        coverage = np.zeros(len(docs), np.float32)
        for term in self._question.telling:
            coverage[_distinct(owners[tokens == np.uint32(term)])] += np.float32(weights[term])
        return coverage / np.float32(max(sum(weights[term] for term in self._question.telling), 1e-9))

    def _dates(self, segment: Segment, docs: Numbers) -> list[float]:
        named = self._question.dates
        if not named:
            return [0.0] * len(docs)
        days = [date.fromordinal(int(day)) for day in segment.days[docs]]
        return [max(each.closeness(day) for each in named) for day in days]


def _texts(segment: Segment, docs: Numbers) -> tuple[Numbers, Numbers]:
    """The terms of some records one after the other, and whose each is."""
    starts, ends = segment.token_starts[docs], segment.token_starts[docs + 1]
    sizes = ends - starts
    owners = np.repeat(np.arange(len(docs)), sizes)
    first = np.repeat(starts - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(docs) else sizes
    return segment.tokens[np.arange(len(owners)) + first], owners


def _distinct(numbers: Numbers) -> Numbers:
    """Sorted numbers, each once. `np.unique` would import masked arrays, which takes longer than a search."""
    return numbers[np.concatenate([[True], numbers[1:] != numbers[:-1]])] if len(numbers) else numbers
