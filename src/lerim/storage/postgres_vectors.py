"""What PostgreSQL keeps for those who search: by pgvector, and the terms of records beside their vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain

from lerim.storage.database import KeptText, KeptVector, Said, StoreCandidate, StoreQuestion, Transaction, Value

# Rows a statement: a vector takes 4 KB as text.
_KEPT_AT_ONCE = 64
# How far away in a session is still beside.
_STEPS = 2
# Before a vector's numbers pgvector says how many there are.
_HEAD = 4

# Of a record that has changed since, nothing: what changed comes again.
_KEPT = "JOIN records r ON r.project_id = ? AND r.seq = k.seq AND r.version = k.version"
_KEEP_VECTORS = f"""
INSERT INTO vectors (project_id, model, record_seq, digest, vector)
SELECT r.project_id, ?, r.seq, k.digest, k.vector FROM (VALUES {{rows}}) k (seq, version, digest, vector) {_KEPT}
ON CONFLICT (project_id, model, record_seq) DO UPDATE SET digest = excluded.digest, vector = excluded.vector
  WHERE vectors.digest <> excluded.digest
"""
_VECTOR_ROW = "((?)::bigint, (?)::bigint, (?)::bytea, (?)::public.vector)"
_KEEP_TERMS = f"""
INSERT INTO record_terms (project_id, record_seq, digest, terms)
SELECT r.project_id, r.seq, k.digest, k.terms FROM (VALUES {{rows}}) k (seq, version, digest, terms) {_KEPT}
ON CONFLICT (project_id, record_seq) DO UPDATE SET digest = excluded.digest, terms = excluded.terms
"""
_TERMS_ROW = "((?)::bigint, (?)::bigint, (?)::bytea, (?)::bytea)"
_MADE = """
SELECT v.record_seq, v.digest, public.vector_send(v.vector), t.digest IS NOT DISTINCT FROM v.digest FROM vectors v
LEFT JOIN record_terms t ON t.project_id = v.project_id AND t.record_seq = v.record_seq
WHERE v.project_id = ? AND v.model = ? AND v.record_seq IN ({marks})
"""
_SAME_SESSION = "o.project_id = r.project_id AND o.first_agent = r.first_agent AND o.first_run = r.first_run"
_EARLIER, _LATER = (
    f"SELECT o.seq FROM records o WHERE {_SAME_SESSION} AND (o.first_line, o.seq) {than} (r.first_line, r.seq)"
    f" ORDER BY o.first_line {order}, o.seq {order} LIMIT {_STEPS}"
    for than, order in (("<", "DESC"), (">", "ASC"))
)
# Each part is found once, by its index, and not put into another one's plan.
_PROPOSED = f"""
WITH worded AS MATERIALIZED (
  SELECT r.seq, m.worth FROM (SELECT w.seq, sum(w.worth) AS worth FROM weighed_by_words(?) w GROUP BY w.seq) m
  JOIN records r ON r.project_id = ? AND r.seq = m.seq WHERE {{where}} ORDER BY m.worth DESC, r.seq DESC LIMIT ?
), best AS MATERIALIZED (SELECT seq FROM worded ORDER BY worth DESC, seq DESC LIMIT ?),
near AS MATERIALIZED (SELECT seq FROM found_by_meaning(?, ?, ?, ?)),
beside AS MATERIALIZED (
  SELECT unnest(ARRAY({_EARLIER}) || ARRAY({_LATER})) AS seq
  FROM best JOIN records r ON r.project_id = ? AND r.seq = best.seq
), chosen AS MATERIALIZED (SELECT seq FROM worded UNION SELECT seq FROM near UNION SELECT seq FROM beside)
SELECT r.seq, r.version, r.trust, r.created, ARRAY({_EARLIER}), ARRAY({_LATER}),
  -(v.vector OPERATOR(public.<#>) (?)::public.vector), v.digest
FROM chosen JOIN records r ON r.project_id = ? AND r.seq = chosen.seq
LEFT JOIN vectors v ON v.project_id = r.project_id AND v.model = ? AND v.record_seq = r.seq WHERE {{where}}
"""
_TERMS = """
SELECT record_seq, terms, '', '', '', NULL, digest FROM record_terms
WHERE project_id = ? AND record_seq = ANY ((?)::bigint[])
"""
_TEXTS = """
SELECT seq, NULL, title, body, tags, description, NULL FROM records WHERE project_id = ? AND seq = ANY ((?)::bigint[])
"""


class PostgresVectors:
    """The vectors and terms of one project's records, by one model."""

    def __init__(self, project_id: str, model: str) -> None:
        self._project, self._model = project_id, model

    def made(self, tx: Transaction, seqs: Sequence[int]) -> dict[int, KeptVector]:
        if not seqs:
            return {}
        rows = tx.rows(_MADE.format(marks=", ".join("?" * len(seqs))), (self._project, self._model, *seqs))
        return {seq: KeptVector(digest, sent[_HEAD:], has_terms) for seq, digest, sent, has_terms in rows}

    def keep(self, tx: Transaction, texts: Iterable[KeptText]) -> None:
        every = list(texts)
        for start in range(0, len(every), _KEPT_AT_ONCE):
            some = every[start : start + _KEPT_AT_ONCE]
            of_vectors: list[tuple[Value, ...]] = [
                (text.seq, text.version, text.digest, _vector(text.vector)) for text in some
            ]
            of_terms: list[tuple[Value, ...]] = [(text.seq, text.version, text.digest, text.terms) for text in some]
            vector_rows, term_rows = (", ".join([row] * len(some)) for row in (_VECTOR_ROW, _TERMS_ROW))
            tx.run(_KEEP_VECTORS.format(rows=vector_rows), (self._model, *chain(*of_vectors), self._project))
            tx.run(_KEEP_TERMS.format(rows=term_rows), (*chain(*of_terms), self._project))

    def nearest(self, tx: Transaction, vector: Sequence[float], limit: int) -> list[int]:
        sql = "SELECT seq FROM found_by_meaning(?, ?, ?, ?)"
        return [row[0] for row in tx.rows(sql, (self._project, self._model, _vector(vector), limit))]

    def proposed(self, tx: Transaction, asked: StoreQuestion) -> list[StoreCandidate]:
        words = json.dumps({"project": self._project, "worths": dict(asked.words)})
        vector = _vector(asked.vector)
        values: tuple[Value, ...] = (
            *(words, self._project, *asked.values, asked.depth, asked.beside),
            *(self._project, self._model, vector, asked.depth),
            *(self._project, vector, self._project, self._model, *asked.values),
        )
        return [StoreCandidate(*row) for row in tx.rows(_PROPOSED.format(where=asked.where), values)]

    def said(self, tx: Transaction, seqs: Sequence[int]) -> list[Said]:
        found = [Said(*row) for row in tx.rows(_TERMS, (self._project, _list(seqs)))]
        missing = set(seqs) - {one.seq for one in found}
        if missing:
            found += [Said(*row) for row in tx.rows(_TEXTS, (self._project, _list(missing)))]
        return found

    def size(self, tx: Transaction) -> int:
        row = tx.row("SELECT records FROM project_sizes WHERE project_id = ?", (self._project,))
        return int(row[0]) if row else 0


def _list(numbers: Iterable[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"


def _vector(values: Sequence[float]) -> str:
    return f"[{','.join(f'{value:.6g}' for value in values)}]"
