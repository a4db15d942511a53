"""Searching a store that others filled, before this machine has an index of its own.

The store proposes by its own words and vectors; what it proposes is ranked as always, with how often each word stands
in all of the memory counted there. So a new machine finds at once what the others find.
"""

from __future__ import annotations

import numpy as np

from lerim.context.filters import Filter
from lerim.context.place import Place
from lerim.context.records import Record
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS
from lerim.search.hybrid import Query, Ranking, TermCounts
from lerim.search.index import Index
from lerim.search.ranking import Parts
from lerim.search.segment import number
from lerim.search.terms import terms
from lerim.storage.database import Database, KeptVectors, Transaction
from lerim.text.words import pieces

#: Records that words and vectors each propose.
_DEPTH = 200
# A word that stands in so many records tells nothing, however many more there are.
_COMMON = 20_000


def ranked_by_store(
    place: Place, index: Index, kept: KeptVectors, question: Query, wanted: Filter
) -> tuple[list[tuple[Record, Parts]], int]:
    """The records of a place that answer, best first, and how many there are to choose from."""
    with place.store.read() as snapshot:
        tx, project, database = snapshot.tx, snapshot.project_id, place.store.database
        seqs = _by_words(database, tx, project, question.text, wanted)
        if question.vector is not None:
            seqs |= set(kept.nearest(tx, question.vector.tolist(), _DEPTH))
        records = _records(tx, project, sorted(seqs), wanted)
        view = index.view_among(tx, records, kept)
        counted = _counted(database, tx, project, question.text)
    ranking = Ranking(view, question, counted)
    ranked = ranking.among(np.array(sorted(records), np.int64))
    return [(records[item.seq], item.parts) for item in ranked], counted.size


def _by_words(database: Database, tx: Transaction, project: str, text: str, wanted: Filter) -> set[int]:
    match = database.match(list(dict.fromkeys(pieces(text))), every=False)
    where, values = wanted.where(tx)
    sql = (
        f"SELECT r.seq FROM {match.source} WHERE {match.where} AND r.project_id = ? AND {where}"
        f" ORDER BY {match.rank}, r.seq DESC LIMIT ?"
    )
    return {row[0] for row in tx.rows(sql, (match.value, project, *values, _DEPTH))}


def _records(tx: Transaction, project: str, seqs: list[int], wanted: Filter) -> dict[int, Record]:
    if not seqs:
        return {}
    where, values = wanted.where(tx)
    marks = ", ".join("?" * len(seqs))
    sql = f"SELECT r.seq, {COLUMNS} FROM {RECORDS} WHERE r.seq IN ({marks}) AND r.project_id = ? AND {where}"
    return {row[0]: decode(row[1:]) for row in tx.rows(sql, (*seqs, project, *values))}


def _counted(database: Database, tx: Transaction, project: str, text: str) -> TermCounts:
    """How many records there are, and how many of them hold each term of the question."""
    row = tx.row("SELECT count(*) FROM records WHERE project_id = ?", (project,))
    holding = {}
    for term in dict.fromkeys(terms(text)):
        match = database.match([term], every=True)
        sql = (
            f"SELECT count(*) FROM (SELECT 1 FROM {match.source} WHERE {match.where} AND r.project_id = ? LIMIT ?) held"
        )
        found = tx.row(sql, (match.value, project, _COMMON))
        holding[number(term)] = int(found[0]) if found else 0
    return TermCounts(int(row[0]) if row else 0, holding)
