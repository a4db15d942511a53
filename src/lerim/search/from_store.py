"""Searching a store that others filled, before this machine has an index of its own.

The store proposes by its own words and vectors; what it proposes is ranked as always, with how often each word stands
in all of the memory counted there. So a new machine finds at once what the others find. It takes four questions to the
store: how common the words are, what is proposed, what that says, and the records that are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date

import numpy as np

from lerim.context.filters import Filter
from lerim.context.place import Place
from lerim.context.records import Record, Trust
from lerim.search import segment
from lerim.search.health import text_digest
from lerim.search.hybrid import Query, Ranked, Ranking, TermCounts
from lerim.search.index import View, fetched, terms_of
from lerim.search.ranking import Parts, weight
from lerim.search.segment import Beside, Doc, Numbers, number
from lerim.search.terms import SMALL, terms
from lerim.storage.database import KeptVectors, Said, StoreCandidate, StoreQuestion, Transaction
from lerim.text.words import pieces

#: Records that words and vectors each propose.
_DEPTH = 200
# A word that stands in so many records tells nothing, however many more there are.
_COMMON = 20_000
# One that stands in more than these proposes none of them if another is rarer: all of them would have to be ranked.
_TELLING = 2000
# Of the best by their words, what stands beside them in their sessions is proposed, too.
_BESIDE = 40


@contextmanager
def ranked_by_store(
    place: Place, kept: KeptVectors, question: Query, wanted: Filter
) -> Iterator[tuple[Iterator[tuple[Record, Parts]], int]]:
    """The records of a place that answer, best first, and how many there are to choose from."""
    assert question.vector is not None
    with place.store.read() as snapshot:
        tx = snapshot.tx
        size, held = kept.size(tx), place.store.database.held(tx, _words(question.text), place.project.id, _COMMON)
        worths = {word: weight(size, held[word]) for word in _telling(held)}
        where, values = wanted.where(tx)
        vector = question.vector.tolist()
        found = sorted(kept.proposed(tx, StoreQuestion(worths, vector, where, values, _DEPTH, _BESIDE)))
        said = {one.seq: one for one in kept.said(tx, sorted(_all_of(found)))}
        counted = TermCounts(size, _holding(held), _near(found, said))
        ranking = Ranking(View([_segment(question, found, said)], [], []), question, counted)
        yield (
            _records(tx, place.project.id, ranking.among(np.array([one.seq for one in found], np.int64))),
            counted.size,
        )


def _words(text: str) -> list[str]:
    """The words of a question that a store is asked for. Small words are in none, as far as it knows."""
    return list(dict.fromkeys(part for piece in pieces(text) for part in _parts(piece)))


def _parts(word: str) -> list[str]:
    """A word, or the terms of a name that has several. None of a word that stands everywhere."""
    of_word = terms(word)
    return [word] if len(of_word) == 1 and of_word[0] not in SMALL else [term for term in of_word if term not in SMALL]


def _telling(held: Mapping[str, int]) -> list[str]:
    """The words that propose records: the rare ones; of common ones alone the two rarest."""
    known = sorted((word for word in held if held[word]), key=held.__getitem__)
    return [word for word in known if held[word] <= _TELLING] or known[:2]


def _all_of(found: Sequence[StoreCandidate]) -> set[int]:
    """What is proposed, and what stands beside it."""
    return {seq for one in found for seq in (one.seq, *one.before, *one.after)}


def _holding(held: Mapping[str, int]) -> dict[int, int]:
    """How many records hold each term of a question."""
    return {number(term): count for word, count in held.items() for term in terms(word)}


def _near(found: Sequence[StoreCandidate], said: Mapping[int, Said]) -> dict[int, float]:
    """How near each record is to the question, where its vector was made from what it says now."""
    return {one.seq: one.near for one in found if one.near is not None and one.digest == _digest(said[one.seq])}


def _digest(said: Said) -> bytes | None:
    return text_digest(said.title, said.body) if said.terms is None else said.digest


def _segment(question: Query, found: Sequence[StoreCandidate], said: Mapping[int, Said]) -> segment.Segment:
    """The part of an index that these records would be in."""
    known = {seq: _terms(one) for seq, one in said.items()}
    docs = [Doc(one.seq, one.version, known[one.seq], one.trust == Trust.USER, _day(one.created)) for one in found]
    beside = [
        Beside(place, known[other], steps)
        for place, one in enumerate(found)
        for side in (one.before, one.after)
        for steps, other in enumerate(side, 1)
        if other in known
    ]
    return segment.build_for(question.terms, docs, beside)


def _day(created: str) -> int:
    return date.fromisoformat(created[:10]).toordinal()


def _terms(said: Said) -> Numbers:
    if said.terms is not None:
        return np.frombuffer(said.terms, "<u4")
    return terms_of(said.title, said.body, said.tags, said.description)


def _records(tx: Transaction, project_id: str, ranked: Iterator[Ranked]) -> Iterator[tuple[Record, Parts]]:
    """The records of a ranking, in its order."""
    for items, rows in fetched(tx, project_id, ranked):
        yield from ((rows[item.seq], item.parts) for item in items if item.seq in rows)
