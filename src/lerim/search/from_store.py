"""Searching a store that others filled, before this machine has an index of its own.

The store proposes by its own words and vectors; what it proposes is ranked as always, with how often each word stands
in all of the memory counted there. So a new machine finds at once what the others find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lerim.context.filters import Filter
from lerim.context.place import Place
from lerim.context.records import Record
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS
from lerim.search.hybrid import Query, Ranking, TermCounts
from lerim.search.index import Index
from lerim.search.ranking import Parts
from lerim.search.segment import NEARNESS, number
from lerim.search.terms import SMALL, terms
from lerim.storage.database import Database, KeptVectors, Transaction
from lerim.text.words import pieces

#: Records that words and vectors each propose.
_DEPTH = 200
# A word that stands in so many records tells nothing, however many more there are.
_COMMON = 20_000
# One that stands in more than these proposes none of them if another is rarer: all of them would have to be ranked.
_TELLING = 2000
# Of the best by their words, what stands beside them in their sessions is proposed, too.
_BESIDE = 40


def ranked_by_store(
    place: Place, index: Index, kept: KeptVectors, question: Query, wanted: Filter
) -> tuple[list[tuple[Record, Parts]], int]:
    """The records of a place that answer, best first, and how many there are to choose from."""
    with place.store.read() as snapshot:
        tx, project, database = snapshot.tx, snapshot.project_id, place.store.database
        held = _held(database, tx, project, question.text)
        best = _by_words(database, tx, project, _telling(held), wanted)
        seqs = {*best, *_beside(tx, project, best[:_BESIDE])}
        if question.vector is not None:
            seqs |= set(kept.nearest(tx, question.vector.tolist(), _DEPTH))
        records = _records(tx, project, sorted(seqs), wanted)
        view = index.view_among(tx, records, kept)
        counted = _counted(tx, project, held)
    ranking = Ranking(view, question, counted)
    ranked = ranking.among(np.array(sorted(records), np.int64))
    return [(records[item.seq], item.parts) for item in ranked], counted.size


def _held(database: Database, tx: Transaction, project: str, text: str) -> dict[str, int]:
    """How many records hold each word of a question. Small words are in none, as far as the store knows."""
    found = {}
    for word in dict.fromkeys(part for piece in pieces(text) for part in _parts(piece)):
        match = database.match([word], every=True)
        sql = (
            f"SELECT count(*) FROM (SELECT 1 FROM {match.source} WHERE {match.where} AND r.project_id = ? LIMIT ?) held"
        )
        row = tx.row(sql, (match.value, project, _COMMON))
        found[word] = int(row[0]) if row else 0
    return found


def _parts(word: str) -> list[str]:
    """A word, or the terms of a name that has several. None of a word that stands everywhere."""
    of_word = terms(word)
    return [word] if len(of_word) == 1 and of_word[0] not in SMALL else [term for term in of_word if term not in SMALL]


def _telling(held: Mapping[str, int]) -> list[str]:
    """The words that propose records: the rare ones; of common ones alone the two rarest."""
    known = sorted((word for word in held if held[word]), key=held.__getitem__)
    return [word for word in known if held[word] <= _TELLING] or known[:2]


def _by_words(database: Database, tx: Transaction, project: str, words: Sequence[str], wanted: Filter) -> list[int]:
    """The records with the best words, best first."""
    if not words:
        return []
    match = database.match(words, every=False)
    where, values = wanted.where(tx)
    sql = (
        f"SELECT r.seq FROM {match.source} WHERE {match.where} AND r.project_id = ? AND {where}"
        f" ORDER BY {match.rank}, r.seq DESC LIMIT ?"
    )
    return [row[0] for row in tx.rows(sql, (match.value, project, *values, _DEPTH))]


def _beside(tx: Transaction, project: str, seqs: Sequence[int]) -> set[int]:
    """What stands beside these records in their sessions: short ones are found by their neighbors' words, too."""
    if not seqs:
        return set()
    same = "o.project_id = r.project_id AND (o.first_agent, o.first_run) = (r.first_agent, r.first_run)"
    place = "(o.first_line, o.seq) {} (r.first_line, r.seq)"
    sides = " UNION ALL ".join(
        f"SELECT * FROM (SELECT o.seq FROM records o WHERE {same} AND {place.format(than)}"
        f" ORDER BY o.first_line {order}, o.seq {order} LIMIT {len(NEARNESS)}) {name}"
        for than, order, name in ((">", "ASC", "later"), ("<", "DESC", "earlier"))
    )
    marks = ", ".join("?" * len(seqs))
    sql = f"SELECT n.seq FROM records r CROSS JOIN LATERAL ({sides}) n WHERE r.project_id = ? AND r.seq IN ({marks})"
    return {row[0] for row in tx.rows(sql, (project, *seqs))}


def _records(tx: Transaction, project: str, seqs: list[int], wanted: Filter) -> dict[int, Record]:
    if not seqs:
        return {}
    where, values = wanted.where(tx)
    marks = ", ".join("?" * len(seqs))
    sql = f"SELECT r.seq, {COLUMNS} FROM {RECORDS} WHERE r.seq IN ({marks}) AND r.project_id = ? AND {where}"
    return {row[0]: decode(row[1:]) for row in tx.rows(sql, (*seqs, project, *values))}


def _counted(tx: Transaction, project: str, held: Mapping[str, int]) -> TermCounts:
    """How many records there are, and how many of them hold each term of the question."""
    row = tx.row("SELECT count(*) FROM records WHERE project_id = ?", (project,))
    holding = {number(term): count for word, count in held.items() for term in terms(word)}
    return TermCounts(int(row[0]) if row else 0, holding)
