"""How the index stands: what it holds of the records, and what is still to be done. Needs no numerics library."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.storage.database import Database, Transaction, Value


class IndexState(StrEnum):
    """What a search can rely on."""

    #: Every record is found by its words and by its meaning.
    FRESH = "fresh"
    #: Vectors are still being made: those records are found by their words.
    WARMING = "warming"
    #: The full-text index does not hold what the records say.
    STALE = "stale"
    #: There is no model: records are found by their words alone.
    DEGRADED = "degraded"


@dataclass(frozen=True)
class IndexHealth:
    """Counts over all projects of the store."""

    records: int
    fts: int
    #: Vectors by the model in use.
    embedded: int
    #: Records without one.
    missing: int
    #: Records that changed since the last index file; a search reads them anew.
    lag: int
    #: The model in use, or why there is none.
    model: str | None
    reason: str | None
    #: What to type to make it better; None when there is nothing to do.
    fix: str | None
    state: IndexState


def check_index(database: Database, embedder: Embedder | NoEmbedder) -> IndexHealth:
    """How the index stands."""
    with database.read() as tx:
        records, fts = _count(tx, "SELECT count(*) FROM records"), database.text_count(tx)
        lag = _count(tx, "SELECT count(*) FROM unindexed")
        key = embedder.key if isinstance(embedder, Embedder) else ""
        embedded = _count(tx, "SELECT count(*) FROM embeddings WHERE model = ?", (key,))
    state, fix = _state(records, fts, embedded, embedder)
    return IndexHealth(
        records=records,
        fts=fts,
        embedded=embedded,
        missing=records - embedded,
        lag=lag,
        model=embedder.name if isinstance(embedder, Embedder) else None,
        reason=embedder.reason if isinstance(embedder, NoEmbedder) else None,
        fix=fix,
        state=state,
    )


def missing_vectors(database: Database, project_id: str) -> int:
    """Records of a project whose vector is still to be made."""
    with database.read() as tx:
        return _count(tx, "SELECT count(*) FROM unembedded WHERE project_id = ?", (project_id,))


def forget_parts(tx: Transaction, project_id: str) -> None:
    """Let no file of a project's index count any more, and put its records on the list again. Vectors are kept."""
    tx.run("DELETE FROM index_parts WHERE project_id = ?", (project_id,))
    tx.run("UPDATE embeddings SET part = NULL WHERE project_id = ? AND part IS NOT NULL", (project_id,))
    tx.run(
        "INSERT INTO unindexed (record_seq, project_id) SELECT seq, project_id FROM records WHERE project_id = ?"
        " ON CONFLICT DO NOTHING",
        (project_id,),
    )


def _state(records: int, fts: int, embedded: int, embedder: Embedder | NoEmbedder) -> tuple[IndexState, str | None]:
    if records != fts:
        return IndexState.STALE, "lerim memory rebuild --from files"
    if isinstance(embedder, NoEmbedder):
        return IndexState.DEGRADED, embedder.fix
    return (IndexState.WARMING, "lerim index") if embedded < records else (IndexState.FRESH, None)


def _count(tx: Transaction, sql: str, values: tuple[Value, ...] = ()) -> int:
    row = tx.row(sql, values)
    return int(row[0]) if row else 0
