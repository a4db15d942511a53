"""How the index stands: what it holds of the records, and what is still to be done. Needs no numerics library."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from lerim.context.feed import START, Feed, Followed, Position
from lerim.dataclass import dataclass
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.storage.database import Database, Transaction, Value

#: What of the index follows the feed by itself: its terms, and its vectors by each model.
TERMS = "terms"
_AT_ONCE = 500


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
    #: Records that changed since the last index file; a search reads them again.
    lag: int
    #: The model in use, or why there is none.
    model: str | None
    reason: str | None
    #: What to type to make it better; None when there is nothing to do.
    fix: str | None
    state: IndexState


def check_index(database: Database, local: Database, embedder: Embedder | NoEmbedder) -> IndexHealth:
    """How the index stands."""
    with local.read() as here, database.read() as tx:
        records, fts = _count(tx, "SELECT count(*) FROM records"), database.text_count(tx)
        projects = [row[0] for row in tx.rows("SELECT id FROM projects")]
        feeds = {project: Feed(tx, project) for project in projects}
        lag = sum(len(feed.seqs(_position(here, feed, project, TERMS))) for project, feed in feeds.items())
        missing = records
        if isinstance(embedder, Embedder):
            missing = sum(_missing(here, tx, project, embedder.key) for project in projects)
    embedded = records - missing
    state, fix = _state(records, fts, embedded, embedder)
    return IndexHealth(
        records=records,
        fts=fts,
        embedded=embedded,
        missing=missing,
        lag=lag,
        model=embedder.name if isinstance(embedder, Embedder) else None,
        reason=embedder.reason if isinstance(embedder, NoEmbedder) else None,
        fix=fix,
        state=state,
    )


def missing_vectors(database: Database, local: Database, project_id: str, model: str) -> int:
    """Records of a project whose vector is still to be made by a model."""
    with local.read() as here, database.read() as tx:
        return _missing(here, tx, project_id, model)


def vectors_by(model: str) -> str:
    """The part of the index that holds the vectors of one model."""
    return f"vectors by {model}"


def embedded_text(title: str, body: str) -> str:
    """What a record says, in one text."""
    return body if body.startswith(title) else f"{title}\n{body}"


def text_digest(title: str, body: str) -> bytes:
    """A fingerprint of what a record says: while it is the same, so is the vector."""
    from lerim.digests import blake2b  # Start-up: `lerim status` looks at few texts, or none.

    return blake2b(embedded_text(title, body).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def digests(
    local: Transaction, project_id: str, model: str, seqs: Sequence[int]
) -> dict[int, tuple[bytes, int | None]]:
    """The text that each record's vector was made from, and the file that holds it."""
    found: dict[int, tuple[bytes, int | None]] = {}
    for start in range(0, len(seqs), _AT_ONCE):
        some = seqs[start : start + _AT_ONCE]
        sql = f"""SELECT record_seq, digest, part FROM embeddings
          WHERE project_id = ? AND model = ? AND record_seq IN ({", ".join("?" * len(some))})"""
        found |= {row[0]: (row[1], row[2]) for row in local.rows(sql, (project_id, model, *some))}
    return found


def forget_parts(local: Transaction, project_id: str) -> None:
    """Let no file of a project's index count any more, and have its records written again. Vectors are kept."""
    local.run("DELETE FROM index_parts WHERE project_id = ?", (project_id,))
    local.run("UPDATE embeddings SET part = NULL WHERE project_id = ? AND part IS NOT NULL", (project_id,))
    Followed(local, project_id, TERMS).rewind()


def _position(local: Transaction, feed: Feed, project_id: str, what: str) -> Position:
    """How far a part of the index has followed the records."""
    return Followed(local, project_id, what).position(feed) or START


def _missing(local: Transaction, tx: Transaction, project_id: str, model: str) -> int:
    feed = Feed(tx, project_id)
    position = _position(local, feed, project_id, vectors_by(model))
    changed = feed.seqs(position)
    made = digests(local, project_id, model, changed)
    if not made:
        return len(changed)
    texts = feed.records(position, "r.seq, r.title, r.body")
    return sum(made.get(seq, (None, None))[0] != text_digest(title, body) for seq, title, body in texts)


def _state(records: int, fts: int, embedded: int, embedder: Embedder | NoEmbedder) -> tuple[IndexState, str | None]:
    if records != fts:
        return IndexState.STALE, "lerim memory rebuild --from files"
    if isinstance(embedder, NoEmbedder):
        return IndexState.DEGRADED, embedder.fix
    return (IndexState.WARMING, "lerim index") if embedded < records else (IndexState.FRESH, None)


def _count(tx: Transaction, sql: str, values: tuple[Value, ...] = ()) -> int:
    row = tx.row(sql, values)
    return int(row[0]) if row else 0
