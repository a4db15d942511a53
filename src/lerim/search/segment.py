"""Which terms stand in which records: one part of the index, built whole and never changed after.

A short record says little by itself, so what stands beside it in its session counts a little for it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lerim.dataclass import dataclass, fields
from lerim.digests import blake2b
from lerim.search.arrays import Array

Numbers = NDArray[np.integer]
Floats = NDArray[np.float32]
#: How much of the record before and after counts, and of those one further away.
NEARNESS = (0.5, 0.25)
# A record of this many terms takes half of that from its neighbors; a longer one speaks for itself.
_SHORT = 100
# Term counts are kept as eighths in a byte: neighbors make them fractions, and nobody needs more than 32.
_STEP = 8
_AT_ONCE = 4096


class Doc(NamedTuple):
    """A record as the index sees it."""

    seq: int
    version: int
    #: What it says, in order.
    terms: Numbers
    #: Whether it rests on the user's own words.
    by_user: bool
    #: The day it was learned, as `date.toordinal` counts.
    day: int


class Beside(NamedTuple):
    """A text that stands `steps` away from a record in its session."""

    #: The record's place among the docs.
    doc: int
    terms: Numbers
    steps: int


# What two of its arrays are called in files; other names would make every index useless.
_IN_FILES = {"tokens": "said", "token_starts": "said_from"}


@dataclass(frozen=True)
class Segment:
    """Postings, sorted by term; and the terms of each record in their order. Records are sorted by `seqs`."""

    seqs: Numbers
    versions: Numbers
    by_user: NDArray[np.bool_]
    days: Numbers
    #: How many terms each record has, those of its neighbors counted as much as they count.
    lengths: Floats
    #: The terms of record n are `tokens[token_starts[n]:token_starts[n + 1]]`.
    tokens: Numbers
    token_starts: Numbers
    #: Term n is in the records `docs[starts[n]:starts[n + 1]]`, `counts` times (in eighths).
    terms: Numbers
    starts: Numbers
    docs: Numbers
    counts: Numbers
    #: In how many records a term stands itself, neighbors not counted.
    own: Numbers

    def __len__(self) -> int:
        return len(self.seqs)

    def arrays(self) -> dict[str, Array]:
        return {_IN_FILES.get(field.name, field.name): getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Segment:
        return cls(**{field.name: arrays[_IN_FILES.get(field.name, field.name)] for field in fields(cls)})

    def postings(self, term: int) -> Postings | None:
        """Where a term stands; None when it stands nowhere."""
        at = int(np.searchsorted(self.terms, np.uint32(term)))
        if at == len(self.terms) or self.terms[at] != term:
            return None
        start, end = int(self.starts[at]), int(self.starts[at + 1])
        return Postings(self.docs[start:end], self.counts[start:end], int(self.own[at]))

    def places(self, seqs: Numbers) -> Numbers:
        """The places of these records here; -1 for one that is not."""
        if not len(self.seqs):
            return np.full(len(seqs), -1)
        at = np.searchsorted(self.seqs, seqs)
        at[at == len(self.seqs)] = 0
        return np.where(self.seqs[at] == seqs, at, -1)

    def sequence(self, place: int) -> Numbers:
        """The terms of a record in their order."""
        return self.tokens[int(self.token_starts[place]) : int(self.token_starts[place + 1])]


class Postings(NamedTuple):
    """The records a term stands in, how often (in eighths), and in how many of them by itself."""

    docs: Numbers
    counts: Numbers
    own: int

    def often(self) -> Floats:
        return self.counts.astype(np.float32) * np.float32(1 / _STEP)


@lru_cache(maxsize=500_000)
def number(term: str) -> int:
    """A term as 32 bits. Two terms that share them are one in a million, and then one record too many is considered."""
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "little")


def numbers(terms: Sequence[str]) -> Numbers:
    return np.fromiter(map(number, terms), np.uint32, len(terms))


def build(docs: Sequence[Doc], beside: Sequence[Beside] = ()) -> Segment:
    """The segment of these records. What stands beside them may be records of it as well, or others."""
    docs, beside = _sorted(docs, beside)
    sizes = np.array([len(doc.terms) for doc in docs], np.int64)
    tokens = np.concatenate([doc.terms for doc in docs]) if docs else np.empty(0, np.uint32)
    starts, terms, posted, counts, own, lengths = _inverted(tokens, sizes, beside)
    return Segment(
        seqs=np.array([doc.seq for doc in docs], np.int64),
        versions=np.array([doc.version for doc in docs], np.int32),
        by_user=np.array([doc.by_user for doc in docs], np.bool_),
        days=np.array([doc.day for doc in docs], np.int32),
        lengths=lengths,
        tokens=tokens,
        token_starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        terms=terms,
        starts=starts,
        docs=posted,
        counts=counts,
        own=own,
    )


def build_for(asked: Sequence[int], docs: Sequence[Doc], beside: Sequence[Beside]) -> Segment:
    """The same as far as these terms go, for records in their order: what it takes to look for them once."""
    sizes, lent = (np.array([len(item.terms) for item in items], np.int64) for items in (docs, beside))
    owners, near = _lent(sizes, beside)
    # Texts one after the other, the records' own first: whose each is, and how much it counts for them.
    tokens = np.concatenate([_none()[0], *(doc.terms for doc in docs), *(item.terms for item in beside)])
    ends, own = np.cumsum(np.concatenate([sizes, lent])), len(docs)
    whose, worth = np.concatenate([np.arange(own), owners]), np.concatenate([np.ones(own, np.float32), near])
    places = {term: np.flatnonzero(tokens == np.uint32(term)) for term in sorted(asked)}
    found = {term: _postings_of(at, ends, whose, worth, own) for term, at in places.items() if len(at)}
    said = np.sort(np.concatenate([_none()[0], *places.values()]).astype(np.int64))
    said = said[said < sizes.sum()]
    return Segment(
        seqs=np.array([doc.seq for doc in docs], np.int64),
        versions=np.array([doc.version for doc in docs], np.int32),
        by_user=np.array([doc.by_user for doc in docs], np.bool_),
        days=np.array([doc.day for doc in docs], np.int32),
        lengths=(sizes + np.bincount(owners, near * lent, own)).astype(np.float32),
        tokens=tokens[said],
        token_starts=np.concatenate([[0], np.searchsorted(said, ends[:own])]).astype(np.int64),
        terms=np.array(list(found), np.uint32),
        starts=np.cumsum([0, *(len(postings.docs) for postings in found.values())]),
        docs=np.concatenate([_none()[0], *(postings.docs for postings in found.values())]),
        counts=np.concatenate([np.empty(0, np.uint8), *(postings.counts for postings in found.values())]),
        own=np.array([postings.own for postings in found.values()], np.uint32),
    )


def _postings_of(at: Numbers, ends: Numbers, whose: Numbers, worth: Floats, own: int) -> Postings:
    """Where a term stands that is at these places of texts that end there."""
    texts = np.searchsorted(ends, at, "right")
    often = np.bincount(whose[texts], worth[texts], own)
    docs = np.flatnonzero(often)
    counts = np.clip(np.rint(often[docs] * _STEP), 1, 255).astype(np.uint8)
    saying = np.bincount(texts[texts < own], minlength=own)
    return Postings(docs.astype(np.uint32), counts, int(np.count_nonzero(saying)))


def _sorted(docs: Sequence[Doc], beside: Sequence[Beside]) -> tuple[list[Doc], list[Beside]]:
    order = sorted(range(len(docs)), key=lambda place: docs[place].seq)
    moved = {old: new for new, old in enumerate(order)}
    placed = sorted((item._replace(doc=moved[item.doc]) for item in beside), key=lambda item: item.doc)
    return [docs[place] for place in order], placed


def _context(sizes: Numbers, beside: Sequence[Beside]) -> tuple[Numbers, Numbers, Floats]:
    """Terms that neighbors lend: the term, to which record, and how much of it."""
    if not beside:
        return _none()[0], _none()[0], _none()[4]
    counts = [len(item.terms) for item in beside]
    docs, near = _lent(sizes, beside)
    terms = np.concatenate([item.terms for item in beside])
    return terms, np.repeat(docs, counts), np.repeat(near, counts)


def _lent(sizes: Numbers, beside: Sequence[Beside]) -> tuple[Numbers, Floats]:
    """To which record each neighbor lends its terms, and how much of each."""
    docs = np.array([item.doc for item in beside], np.uint32)
    near = np.array([NEARNESS[item.steps - 1] for item in beside], np.float32)
    near *= 1 / (1 + (sizes[docs] / np.float32(_SHORT)) ** 2).astype(np.float32)
    return docs, near


def _inverted(
    tokens: Numbers, sizes: Numbers, beside: Sequence[Beside]
) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Floats]:
    """Postings of the records' own terms and those that neighbors lend: where each term's begin, the terms, records,
    counts, in how many records each stands by itself; and the records' lengths. A few at a time: it takes memory."""
    bounds, lengths = np.concatenate([[0], np.cumsum(sizes)]), sizes.astype(np.float32)
    found = [_some_inverted(*_none())]
    at = 0
    for first in range(0, len(sizes), _AT_ONCE):
        last, start = min(first + _AT_ONCE, len(sizes)), at
        while at < len(beside) and beside[at].doc < last:
            at += 1
        more, places, weights = _context(sizes, beside[start:at])
        lengths[first:last] += np.bincount(places - np.uint32(first), weights, last - first).astype(np.float32)
        owners = np.repeat(np.arange(first, last, dtype=np.uint32), sizes[first:last])
        here = slice(int(bounds[first]), int(bounds[last]))
        found.append(_some_inverted(tokens[here], owners, more, places, weights))
    terms, docs, counts, owned = (np.concatenate(column) for column in zip(*found, strict=True))
    found.clear()
    # Stable: within a term, records stay in their order.
    order = np.argsort(terms, kind="stable")
    terms, docs, counts, owned = terms[order], docs[order], counts[order], owned[order]
    starts = np.flatnonzero(np.diff(terms, prepend=terms[:1] ^ np.uint32(1))) if len(terms) else np.empty(0, np.int64)
    own = np.add.reduceat(owned.astype(np.uint32), starts) if len(starts) else np.empty(0, np.uint32)
    return np.append(starts, len(terms)), terms[starts], docs, counts, own, lengths


def _some_inverted(
    tokens: Numbers, owners: Numbers, more: Numbers, places: Numbers, weights: Floats
) -> tuple[Numbers, Numbers, Numbers, NDArray[np.bool_]]:
    """Each term of each record once: the term, the record, how often (in eighths), and whether the record says it."""
    terms, docs = np.concatenate([tokens, more]), np.concatenate([owners, places])
    keys = terms.astype(np.uint64) << np.uint64(32) | docs
    order = np.argsort(keys)
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=keys[:1] ^ np.uint64(1)))
    if not len(firsts):
        return terms, docs, np.empty(0, np.uint8), np.empty(0, np.bool_)
    worth = np.concatenate([np.ones(len(tokens), np.float32), weights])[order]
    counts = np.clip(np.rint(np.add.reduceat(worth, firsts) * _STEP), 1, 255).astype(np.uint8)
    owned = np.add.reduceat(order < len(tokens), firsts, dtype=np.int64) > 0
    keys = keys[firsts]
    return (keys >> np.uint64(32)).astype(np.uint32), (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32), counts, owned


def _none() -> tuple[Numbers, Numbers, Numbers, Numbers, Floats]:
    nothing = np.empty(0, np.uint32)
    return nothing, nothing, nothing, nothing, np.empty(0, np.float32)
