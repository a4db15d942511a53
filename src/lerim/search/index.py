"""The index of one place: terms and vectors of its records, in files that are only ever added and replaced whole.

The database says which files count, so a crash leaves at most a file that nobody asks for. What changed since the last
file was written is read from the records themselves: a search sees every change at once, however far the files lag.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from lerim.context.filters import Filter
from lerim.context.progress import Progress, silent
from lerim.context.records import Record, Trust, parse_time, time_text
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS
from lerim.errors import StoreError
from lerim.search import arrays, segment, vectors
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.search.health import forget_parts
from lerim.search.ranking import Parts
from lerim.search.segment import NEARNESS, Beside, Doc, Numbers, Segment
from lerim.search.terms import terms
from lerim.search.vectors import Pack
from lerim.storage.database import Database, Row, Transaction

#: Records that changed since the last file. So many are read anew by each search; more are put into a file first.
TAIL = 64
_LOOSE_VECTORS = 256
_PACKED_AT_ONCE = 8192
#: Records a file holds at most: building one takes memory.
MOST = 65_536
_EMBED_BATCH = 32
_FETCHED = 20
_YOUNG_SECONDS = 3600
_TERMS = ""
_VECTORS = "SELECT record_seq, vector FROM embeddings WHERE model = ? AND project_id = ?"
_ROW = "r.seq, r.version, r.title, r.body, r.tags, r.description, r.trust, r.created, r.evidence"


_ENDS = re.compile(r"[.!?]+")
#: An agent and a run of it.
Session = tuple[str, str]


class Part(NamedTuple):
    """A file of the index, as the database lists it."""

    id: int
    model: str
    name: str
    size: int


class RankedRow(Protocol):
    """A record that a ranking speaks of: its row, the version that was indexed, and where its vector came from."""

    @property
    def seq(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def pack(self) -> int | None: ...
    @property
    def parts(self) -> Parts: ...


@dataclass(frozen=True)
class View:
    """All that a search looks at. Of a record that several parts hold, the last one counts."""

    segments: list[Segment]
    packs: list[Pack]
    #: The number of each pack's part; None for vectors that are in no file yet.
    pack_parts: list[int | None]

    @property
    def size(self) -> int:
        return sum(map(len, self.segments))


class Index:
    """Terms, and vectors by one model, of one project's records."""

    def __init__(self, database: Database, project_id: str, folder: Path, embedder: Embedder | None) -> None:
        self._database = database
        self._project = project_id
        self._folder = folder
        self._embedder = embedder
        self._mapped: dict[str, Segment | Pack] = {}

    @classmethod
    def of(cls, database: Database, project_id: str, folder: Path, embedder: Embedder | NoEmbedder) -> Index:
        """The index of a project, for this process: files that were opened once stay open."""
        model = embedder if isinstance(embedder, Embedder) else None
        key = (database.location, project_id, str(folder), model.key if model else "")
        if key not in _OPEN or _OPEN[key]._database is not database:
            _OPEN[key] = cls(database, project_id, folder, model)
        return _OPEN[key]

    # Reading

    @contextmanager
    def reading(self) -> Iterator[tuple[Transaction, View]]:
        """A consistent view of the records and of what there is to search."""
        for attempt in range(3):
            with self._database.read() as tx:
                try:
                    view = self.view(tx)
                except (OSError, ValueError, KeyError):
                    # Another process replaced a file after we were told of it, or somebody removed the files.
                    if attempt == 2:
                        raise
                else:
                    yield tx, view
                    return
            self._mend()

    def select(self, tx: Transaction, wanted: Filter, limit: int) -> Numbers:
        """The rows of the records that a filter takes, `limit` at most."""
        where, values = wanted.where()
        sql = f"SELECT r.seq FROM records r WHERE r.project_id = ? AND {where} ORDER BY r.seq LIMIT ?"
        return np.array([row[0] for row in tx.rows(sql, (self._project, *values, limit))], np.int64)

    def fetch(self, tx: Transaction, judged: Iterator[RankedRow], wanted: Filter) -> Iterator[tuple[Record, Parts]]:
        """The records that a ranking speaks of and a filter takes, in its order. What the index no longer knows rightly
        is left out, a vector of an older text is not counted."""
        where, values = wanted.where()
        model = self._embedder.key if self._embedder else ""
        sql = (
            f"SELECT r.seq, e.record_seq, e.part, {COLUMNS} FROM {RECORDS}"
            " LEFT JOIN embeddings e ON e.record_seq = r.seq AND e.model = ?"
            # The few rows first: by the index of projects, a planner would walk through all of them.
            f" WHERE r.seq IN ({{marks}}) AND r.project_id || '' = ? AND {where}"
        )
        while some := list(islice(judged, _FETCHED)):
            marks = ", ".join("?" * len(some))
            rows = tx.rows(sql.format(marks=marks), (model, *(item.seq for item in some), self._project, *values))
            found = {row[0]: row for row in rows}
            for item in some:
                row = found.get(item.seq)
                if row is None:
                    continue
                record = decode(row[3:])
                if record.version == item.version:
                    is_current = row[1] is not None and row[2] == item.pack
                    yield record, item.parts if is_current else replace(item.parts, meaning=None)

    def view_of(self, tx: Transaction, records: Sequence[Record]) -> tuple[View, dict[int, Record]]:
        """A view of these records alone, which may be older versions; and the records by row.

        A vector counts where the text is still the same.
        """
        rows = tx.rows(
            "SELECT r.id, r.seq, r.title, r.body, e.vector FROM records r LEFT JOIN embeddings e"
            " ON e.record_seq = r.seq AND e.model = ? WHERE r.project_id = ?",
            (self._embedder.key if self._embedder else "", self._project),
        )
        known = {row[0]: row for row in rows}
        by_seq = {known[record.id][1]: record for record in records}
        docs = [doc_of(_row_of(seq, record)) for seq, record in by_seq.items()]
        same = [
            (seq, vector)
            for seq, record in by_seq.items()
            for _, _, title, body, vector in [known[record.id]]
            if vector is not None and (title, body) == (record.title, record.body)
        ]
        return View([segment.build(docs)], [vectors.pack(*_columns(same))], [None]), by_seq

    def view(self, tx: Transaction) -> View:
        """What there is to search, as of this transaction."""
        segments = [self._segment(part) for part in self._parts(tx, _TERMS)]
        tail = [row[0] for row in tx.rows("SELECT record_seq FROM unindexed WHERE project_id = ?", (self._project,))]
        if tail:
            segments.append(segment.build(*self._gathered(tx, tail)))
        if self._embedder is None:
            return View(segments, [], [])
        parts = self._parts(tx, self._embedder.key)
        packs = [self._pack(part) for part in parts]
        loose = self._loose(tx)
        return View(segments, [*packs, vectors.pack(*_columns(loose))], [*(part.id for part in parts), None])

    def is_lagging(self, tx: Transaction) -> bool:
        """Whether so much changed that the next file should be written."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM unindexed WHERE project_id = ? LIMIT ?)"
        return _count(tx, sql, (self._project, TAIL + 1)) > TAIL

    def _segment(self, part: Part) -> Segment:
        found = self._mapped.get(part.name) or Segment.of(arrays.read(self._folder / part.name))
        self._mapped[part.name] = found
        assert isinstance(found, Segment)
        return found

    def _pack(self, part: Part) -> Pack:
        found = self._mapped.get(part.name) or Pack.of(arrays.read(self._folder / part.name))
        self._mapped[part.name] = found
        assert isinstance(found, Pack)
        return found

    def _parts(self, tx: Transaction, model: str) -> list[Part]:
        sql = "SELECT id, model, name, size FROM index_parts WHERE project_id = ? AND model = ? ORDER BY id"
        return [Part(*row) for row in tx.rows(sql, (self._project, model))]

    def _loose(self, tx: Transaction) -> list[Row]:
        """Vectors that are in no file yet."""
        assert self._embedder is not None
        sql = f"{_VECTORS} AND part IS NULL ORDER BY record_seq LIMIT ?"
        return tx.rows(sql, (self._embedder.key, self._project, MOST))

    # Catching up

    def catch_up(self, vectors_at_once: int) -> None:
        """Write a file when much has changed, and make a few missing vectors. What cannot be done now is done later."""
        with contextlib.suppress(StoreError, OSError):
            self.follow_model()
            with self._database.read() as tx:
                lagging = self.is_lagging(tx)
            if lagging:
                self.write_terms()
            self.embed(limit=vectors_at_once)

    def follow_model(self) -> None:
        """When another model than before is in use, put every record without its vector on the list."""
        if self._embedder is None:
            return
        key = self._embedder.key
        with self._database.read() as tx:
            row = tx.row("SELECT model FROM index_model")
        if row and row[0] == key:
            return
        with self._database.write() as tx:
            tx.run("UPDATE index_model SET model = ?", (key,))
            tx.run(
                "INSERT INTO unembedded (record_seq, project_id) SELECT seq, project_id FROM records r WHERE NOT EXISTS"
                " (SELECT 1 FROM embeddings e WHERE e.record_seq = r.seq AND e.model = ?) ON CONFLICT DO NOTHING",
                (key,),
            )

    def _mend(self) -> None:
        """Find out which files are gone or damaged, and have their records written again."""
        with self._database.read() as tx:
            rows = tx.rows("SELECT id, model, name, size FROM index_parts WHERE project_id = ?", (self._project,))
        for part in (Part(*row) for row in rows):
            try:
                arrays.read(self._folder / part.name)
            except (OSError, ValueError):
                self.forget()
                return

    # Writing terms

    def write_terms(self) -> int:
        """Put what changed into files, small files together with it. How many records were written."""
        written = 0
        while True:
            with self._database.read() as tx:
                plan = self._plan(tx)
                if plan is None:
                    return written
                replaced, seqs = plan
                docs, beside = self._gathered(tx, seqs)
            name = self._write(segment.build(docs, beside).arrays())
            written += self._publish_terms(name, replaced, docs)

    def _plan(self, tx: Transaction) -> tuple[list[Part], list[int]] | None:
        """The parts to be replaced by the next one, and the records it will hold."""
        sql = "SELECT record_seq FROM unindexed WHERE project_id = ? ORDER BY record_seq LIMIT ?"
        changed = [row[0] for row in tx.rows(sql, (self._project, MOST))]
        if not changed:
            return None
        seqs = set(changed) | self._siblings(tx, changed)
        replaced = []
        for part in reversed(self._parts(tx, _TERMS)):
            # Twice its own size at least: so a record is written again as often as the logarithm of all records.
            if part.size > 2 * len(seqs) or len(seqs) + part.size > MOST:
                break
            replaced.append(part)
            seqs |= set(self._segment(part).seqs.tolist())
        return replaced, sorted(seqs)

    def _publish_terms(self, name: str, replaced: Sequence[Part], docs: Sequence[Doc]) -> int:
        """Make a file count, unless somebody was faster."""
        with self._database.write() as tx:
            if not self._still_there(tx, replaced):
                (self._folder / name).unlink(missing_ok=True)
                return 0
            self._exchange(tx, _TERMS, name, len(docs), replaced)
            tx.run_many(
                "DELETE FROM unindexed WHERE record_seq = ?"
                " AND EXISTS (SELECT 1 FROM records WHERE seq = ? AND version = ?)",
                ((doc.seq, doc.seq, doc.version) for doc in docs),
            )
        self._remove(replaced)
        return len(docs)

    # What a record says

    def _gathered(self, tx: Transaction, seqs: Sequence[int]) -> tuple[list[Doc], list[Beside]]:
        """Records as the index sees them, and what stands beside them in their sessions."""
        docs: dict[int, Doc] = {}
        sessions: dict[Session, None] = {}
        for row in _in_batches(tx, _ROWS, seqs):
            docs[row[0]] = doc_of(row)
            if session := session_of(row):
                sessions[session] = None
        orders = [self._order(tx, session) for session in sessions]
        others = {seq for order in orders for seq in order} - docs.keys()
        said = {seq: doc.terms for seq, doc in docs.items()}
        said |= {row[0]: doc_of(row).terms for row in _in_batches(tx, _ROWS, sorted(others))}
        places = {seq: place for place, seq in enumerate(docs)}
        beside = [
            Beside(places[seq], said[other], steps)
            for order in orders
            for seq, other, steps in _neighbours(order)
            if seq in places
        ]
        return list(docs.values()), beside

    def _order(self, tx: Transaction, session: Session) -> list[int]:
        """The records that a session left, in its order."""
        return [row[0] for row in tx.rows(_IN_SESSION, (self._project, *session))]

    def _siblings(self, tx: Transaction, seqs: Iterable[int]) -> set[int]:
        """Records that stand beside these: what they say by their neighbours changes, too."""
        changed = set(seqs)
        sql = "SELECT DISTINCT evidence FROM records WHERE seq IN ({marks}) AND evidence <> '[]'"
        sessions = {session_of(row) for row in _in_batches(tx, sql, sorted(changed))}
        pairs = (pair for session in sessions if session for pair in _neighbours(self._order(tx, session)))
        return {other for seq, other, _ in pairs if seq in changed}

    # Writing vectors

    def embed(
        self, until: Callable[[], bool] = lambda: False, limit: int | None = None, tell: Progress = silent
    ) -> int:
        """Make vectors that are missing, a few at a time, until told to stop. How many were made."""
        done, missing = 0, self._unembedded() if tell is not silent else 0
        while self._embedder is not None and not until() and (limit is None or done < limit):
            with self._database.read() as tx:
                sql = (
                    "SELECT r.seq, r.version, r.title, r.body FROM unembedded u JOIN records r ON r.seq = u.record_seq"
                    " WHERE u.project_id = ? ORDER BY u.record_seq LIMIT ?"
                )
                rows = tx.rows(sql, (self._project, min(_EMBED_BATCH, limit or _EMBED_BATCH)))
            if not rows:
                break
            found = self._embedder.encode([embedded_text(title, body) for _, _, title, body in rows])
            self._keep_vectors(
                [(row[0], row[1], vectors.to_blob(vector)) for row, vector in zip(rows, found, strict=True)]
            )
            done += len(rows)
            tell("comparing meanings", done, max(done, missing))
            # In between, too: who searches meanwhile reads what is in no file.
            if done % _PACKED_AT_ONCE < len(rows):
                self.write_vectors()
        if done:
            self.write_vectors()
        return done

    def _unembedded(self) -> int:
        with self._database.read() as tx:
            return _count(tx, "SELECT count(*) FROM unembedded WHERE project_id = ?", (self._project,))

    def _keep_vectors(self, made: Sequence[tuple[int, int, bytes]]) -> None:
        assert self._embedder is not None
        with self._database.write() as tx:
            for seq, version, blob in made:
                # Only for the text that was read: a record that changed meanwhile stays on the list.
                tx.run(
                    "INSERT OR REPLACE INTO embeddings (record_seq, model, project_id, part, vector)"
                    " SELECT seq, ?, project_id, NULL, ? FROM records WHERE seq = ? AND version = ?",
                    (self._embedder.key, blob, seq, version),
                )
                tx.run(
                    "DELETE FROM unembedded WHERE record_seq = ?"
                    " AND EXISTS (SELECT 1 FROM records WHERE seq = ? AND version = ?)",
                    (seq, seq, version),
                )

    def write_vectors(self) -> None:
        """Put vectors that are in no file yet into one, small files together with it."""
        assert self._embedder is not None
        key = self._embedder.key
        while True:
            with self._database.read() as tx:
                loose = self._loose(tx)
                if len(loose) <= _LOOSE_VECTORS:
                    return
                size, replaced = len(loose), []
                for part in reversed(self._parts(tx, key)):
                    if part.size > 2 * size or size + part.size > MOST:
                        break
                    replaced.append(part)
                    size += part.size
                marks = ", ".join(str(part.id) for part in replaced)
                sql = f"{_VECTORS} AND part IN ({marks})"
                rows = loose + (tx.rows(sql, (key, self._project)) if replaced else [])
            made = vectors.pack(*_columns(rows))
            self._publish_vectors(self._write(made.arrays()), replaced, rows)

    def _publish_vectors(self, name: str, replaced: Sequence[Part], rows: Sequence[Row]) -> None:
        assert self._embedder is not None
        with self._database.write() as tx:
            if not self._still_there(tx, replaced):
                (self._folder / name).unlink(missing_ok=True)
                return
            part = self._exchange(tx, self._embedder.key, name, len(rows), replaced)
            tx.run_many(
                "UPDATE embeddings SET part = ? WHERE record_seq = ? AND model = ? AND vector = ?",
                ((part, seq, self._embedder.key, vector) for seq, vector in rows),
            )
        self._remove(replaced)

    # Files

    def _write(self, content: dict[str, arrays.Array]) -> str:
        name = f"{self._project}-{os.urandom(6).hex()}.arrays"
        arrays.write(self._folder / name, content)
        return name

    def _still_there(self, tx: Transaction, parts: Sequence[Part]) -> bool:
        there = {row[0] for row in tx.rows("SELECT id FROM index_parts WHERE project_id = ?", (self._project,))}
        return all(part.id in there for part in parts)

    def _exchange(self, tx: Transaction, model: str, name: str, size: int, replaced: Sequence[Part]) -> int:
        tx.run_many("DELETE FROM index_parts WHERE id = ?", ((part.id,) for part in replaced))
        sql = "INSERT INTO index_parts (project_id, model, name, size) VALUES (?, ?, ?, ?) RETURNING id"
        row = tx.row(sql, (self._project, model, name, size))
        assert row is not None
        return int(row[0])

    def _remove(self, parts: Sequence[Part]) -> None:
        for part in parts:
            self._mapped.pop(part.name, None)
            # Whoever has it open still reads it; whoever opens it now asks the database again.
            with contextlib.suppress(OSError):
                (self._folder / part.name).unlink()

    def forget(self) -> None:
        """Throw the files away, and put every record on the list again. Vectors that were made are kept."""
        with self._database.write() as tx:
            sql = "SELECT id, model, name, size FROM index_parts WHERE project_id = ?"
            parts = [Part(*row) for row in tx.rows(sql, (self._project,))]
            forget_parts(tx, self._project)
        self._remove(parts)


def sweep(database: Database, folder: Path, now: datetime) -> int:
    """Remove files that no index counts: leftovers of a crash, or of a project that is gone. How many."""
    with database.read() as tx:
        known = {row[0] for row in tx.rows("SELECT name FROM index_parts")}
    removed = 0
    for file in folder.glob("*.arrays") if folder.is_dir() else ():
        # A young one may be about to count.
        if file.name not in known and now.timestamp() - file.stat().st_mtime > _YOUNG_SECONDS:
            file.unlink(missing_ok=True)
            removed += 1
    return removed


#: Open indexes of this process.
_OPEN: dict[tuple[str, str, str, str], Index] = {}


_ROWS = f"SELECT {_ROW} FROM records r WHERE r.seq IN ({{marks}}) ORDER BY r.seq"
_IN_SESSION = (
    "SELECT r.seq FROM records r WHERE r.project_id = ? AND r.evidence <> '[]'"
    " AND json_extract(r.evidence, '$[0][0]') = ? AND json_extract(r.evidence, '$[0][1]') = ?"
    " ORDER BY json_extract(r.evidence, '$[0][2]'), r.seq"
)


def doc_of(row: Row) -> Doc:
    """A record's row as the index sees it. A title counts twice, unless the body merely begins with it."""
    seq, version, title, body, tags, description, trust, created, _ = row
    text = embedded_text(title, body)
    said = terms(text)
    if not body.startswith(title):
        said += terms(title)
    said += [term for tag in json.loads(tags) for term in terms(tag)]
    if description:
        said += terms(description)
    day = parse_time(created).toordinal()
    return Doc(seq, version, segment.numbers(said), trust == Trust.USER, day, _share_of_questions(text))


def _share_of_questions(text: str) -> float:
    return min(text.count("?") / max(len(_ENDS.findall(text)), 1), 1.0)


def embedded_text(title: str, body: str) -> str:
    """What a record says, in one text."""
    return body if body.startswith(title) else f"{title}\n{body}"


def _row_of(seq: int, record: Record) -> Row:
    tags = json.dumps(record.tags)
    said = (record.title, record.body, tags, record.description, record.trust, time_text(record.created))
    return (seq, record.version, *said, "[]")


def session_of(row: Row) -> Session | None:
    """The agent and the run of a record's first evidence."""
    evidence = row[-1]
    if evidence == "[]":
        return None
    agent, run_id = json.loads(evidence)[0][:2]
    return agent, run_id


def _neighbours(order: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Who stands beside whom, and how many steps away."""
    for steps in range(1, len(NEARNESS) + 1):
        for one, other in zip(order, order[steps:], strict=False):
            yield one, other, steps
            yield other, one, steps


def _columns(rows: Sequence[Row]) -> tuple[list[int], list[bytes]]:
    return [row[0] for row in rows], [row[1] for row in rows]


def _in_batches(tx: Transaction, sql: str, seqs: Sequence[int]) -> Iterator[Row]:
    # Engines take 32,000 values a statement at most.
    for start in range(0, len(seqs), 10_000):
        some = seqs[start : start + 10_000]
        yield from tx.rows(sql.format(marks=", ".join("?" * len(some))), some)


def _count(tx: Transaction, sql: str, values: Sequence[str | int] = ()) -> int:
    row = tx.row(sql, values)
    return int(row[0]) if row else 0
