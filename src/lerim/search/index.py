"""The index of one place: terms and vectors of its records, in files that are only ever added and replaced whole.

The local database says which files count, and how far they have followed the store, so a crash leaves at most a file
that nobody asks for. What changed since the last file was written is read from the records themselves: a search sees
every change at once, however far the files lag.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from lerim.context.feed import START, Feed, Followed, Position
from lerim.context.filters import ANY, Filter
from lerim.context.progress import Progress, silent
from lerim.context.records import Record, Trust, parse_time, time_text
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS, Snapshot
from lerim.dataclass import dataclass, replace
from lerim.errors import StoreError
from lerim.search import arrays, segment, vectors
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.search.health import TERMS, digests, embedded_text, forget_parts, missing_vectors, text_digest, vectors_by
from lerim.search.ranking import Parts
from lerim.search.segment import NEARNESS, Beside, Doc, Numbers, Segment
from lerim.search.terms import terms
from lerim.search.vectors import Pack
from lerim.storage.database import Database, KeptText, KeptVectors, Row, Transaction

#: Records that changed since the last file. So many are read again by each search; more are put into a file first.
TAIL = 64
_LOOSE_VECTORS = 256
_PACKED_AT_ONCE = 8192
#: Records a file holds at most: building one takes memory.
MOST = 65_536
_EMBED_BATCH = 64
#: So many changes behind, and catching up takes longer than somebody who searches would wait.
_FAR_BEHIND = 2000
_FETCHED = 20
_YOUNG_SECONDS = 3600
# So many at once when the last records that changed still say the same.
_SKIMMED = 1024
#: The model of parts that hold terms.
_NO_MODEL = ""
_VECTORS = "SELECT record_seq, vector FROM embeddings WHERE project_id = ? AND model = ?"
_ROW = "r.seq, r.version, r.title, r.body, r.tags, r.description, r.trust, r.created, r.evidence"


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


@dataclass(frozen=True)
class OpenIndex:
    """The index and the records as they are while one search looks at them."""

    tx: Transaction
    local: Transaction
    project_id: str
    model: str
    view: View

    def select(self, wanted: Filter, limit: int) -> Numbers:
        """The rows of the records that a filter takes, `limit` at most."""
        where, values = wanted.where(self.tx)
        sql = f"SELECT r.seq FROM records r WHERE r.project_id = ? AND {where} ORDER BY r.seq LIMIT ?"
        return np.array([row[0] for row in self.tx.rows(sql, (self.project_id, *values, limit))], np.int64)

    def fetch(self, judged: Iterator[RankedRow], wanted: Filter) -> Iterator[tuple[Record, Parts]]:
        """The records that a ranking speaks of and a filter takes, in its order. What the index no longer knows rightly
        is left out, a vector of an older text is not counted."""
        for some, records in fetched(self.tx, self.project_id, judged, wanted):
            made = digests(self.local, self.project_id, self.model, [item.seq for item in some])
            for item in some:
                record = records.get(item.seq)
                if record is not None and record.version == item.version:
                    is_current = made.get(item.seq) == (text_digest(record.title, record.body), item.pack)
                    yield record, item.parts if is_current else replace(item.parts, meaning=None)


_Row = TypeVar("_Row", bound=RankedRow)


def fetched(
    tx: Transaction, project_id: str, judged: Iterator[_Row], wanted: Filter = ANY
) -> Iterator[tuple[list[_Row], dict[int, Record]]]:
    """What a ranking speaks of, a few at a time, and those of their records that a filter takes, by row."""
    where, values = wanted.where(tx)
    sql = (
        f"SELECT r.seq, {COLUMNS} FROM {RECORDS}"
        # The few rows first: by the index of projects, a planner would walk through all of them.
        f" WHERE r.seq IN ({{marks}}) AND r.project_id || '' = ? AND {where}"
    )
    while some := list(islice(judged, _FETCHED)):
        seqs = [item.seq for item in some]
        rows = tx.rows(sql.format(marks=", ".join("?" * len(seqs))), (*seqs, project_id, *values))
        yield some, {row[0]: decode(row[1:]) for row in rows}


class _Step(NamedTuple):
    """What changed between two places of the feed, to be put into one file."""

    store: str
    start: Position
    end: Position
    seqs: set[int]


class _Texts(NamedTuple):
    """Texts that have no vector yet, by record, and the stretch of the feed they came from."""

    store: str
    start: Position
    end: Position
    texts: dict[int, str]
    digests: dict[int, bytes]
    rows: dict[int, Row]


class Index:
    """Terms, and vectors by one model, of one project's records."""

    def __init__(
        self, database: Database, local: Database, project_id: str, folder: Path, embedder: Embedder | None
    ) -> None:
        self._database = database
        self._local = local
        self._project = project_id
        self._folder = folder
        self._embedder = embedder
        self._mapped: dict[str, Segment | Pack] = {}

    @classmethod
    def of(
        cls, database: Database, local: Database, project_id: str, folder: Path, embedder: Embedder | NoEmbedder
    ) -> Index:
        """The index of a project, for this process: files that were opened once stay open."""
        model = embedder if isinstance(embedder, Embedder) else None
        key = (database.location, project_id, str(folder), model.key if model else "")
        held = _OPEN.get(key)
        if held is None or held._database is not database or held._local is not local:
            _OPEN[key] = cls(database, local, project_id, folder, model)
        return _OPEN[key]

    # Reading

    @contextmanager
    def reading(self) -> Iterator[OpenIndex]:
        """A consistent view of the records and of what there is to search."""
        for attempt in range(3):
            # The index first: what the store has more by then is read from the records.
            with self._local.read() as local, self._database.read() as tx:
                try:
                    view = self._view(local, tx)
                except (OSError, ValueError, KeyError):
                    # Another process replaced a file after we learned of it, or somebody removed the files.
                    if attempt == 2:
                        raise
                else:
                    yield OpenIndex(tx, local, self._project, self._model, view)
                    return
            self._mend()

    def view_of(self, snapshot: Snapshot, records: Sequence[Record]) -> tuple[View, dict[int, Record]]:
        """A view of these records alone, which may be older versions; and the records by row.

        A vector counts where the text is still the same.
        """
        rows = snapshot.tx.rows("SELECT id, seq FROM records WHERE project_id = ?", (self._project,))
        seqs: dict[str, int] = dict(rows)
        by_seq = {seqs[record.id]: record for record in records}
        docs = [doc_of(_row_of(seq, record)) for seq, record in by_seq.items()]
        sql = "SELECT record_seq, vector, digest FROM embeddings WHERE project_id = ? AND model = ?"
        with self._local.read() as local:
            made = {row[0]: row for row in local.rows(sql, (self._project, self._model))}
        same = [
            row
            for seq, record in by_seq.items()
            if (row := made.get(seq)) and row[2] == text_digest(record.title, record.body)
        ]
        return View([segment.build(docs)], [vectors.pack(*_columns(same))], [None]), by_seq

    def kept_elsewhere(self) -> KeptVectors | None:
        """The vectors that the store keeps, while this machine's own index is far from what the store holds."""
        kept = self._database.vectors(self._project, self._model)
        if kept is None:
            return None
        with self._local.read() as local, self._database.read() as tx:
            feed = Feed(tx, self._project)
            position = self._followed(local).position(feed) or START
            return kept if len(feed.since(position, _FAR_BEHIND)) == _FAR_BEHIND else None

    @property
    def _model(self) -> str:
        return self._embedder.key if self._embedder else _NO_MODEL

    def _view(self, local: Transaction, tx: Transaction) -> View:
        """What there is to search, as of these transactions."""
        feed = Feed(tx, self._project)
        position = self._followed(local).position(feed)
        # Files that have followed another store say nothing about this one.
        segments = [self._segment(part) for part in self._parts(local, _NO_MODEL)] if position else []
        tail = feed.seqs(position or START)
        if tail:
            segments.append(segment.build(*self._gathered(tx, tail)))
        if self._embedder is None or position is None:
            return View(segments, [], [])
        parts = self._parts(local, self._model)
        packs = [self._pack(part) for part in parts]
        loose = self._loose(local)
        return View(segments, [*packs, vectors.pack(*_columns(loose))], [*(part.id for part in parts), None])

    def _followed(self, local: Transaction) -> Followed:
        return Followed(local, self._project, TERMS)

    def _vectors_followed(self, local: Transaction) -> Followed:
        return Followed(local, self._project, vectors_by(self._model))

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

    def _parts(self, local: Transaction, model: str) -> list[Part]:
        sql = "SELECT id, model, name, size FROM index_parts WHERE project_id = ? AND model = ? ORDER BY id"
        return [Part(*row) for row in local.rows(sql, (self._project, model))]

    def _loose(self, local: Transaction) -> list[Row]:
        """Vectors that are in no file yet."""
        # Sorted here: asked for their order, a planner would walk through all vectors, loose or not.
        return sorted(local.rows(f"{_VECTORS} AND part IS NULL LIMIT ?", (self._project, self._model, MOST)))

    # Catching up

    def catch_up(self, vectors_at_once: int, tell: Progress = silent, *, newest_first: bool = False) -> None:
        """Write a file when much has changed, and make a few missing vectors. What cannot be done now is done later."""
        with contextlib.suppress(StoreError, OSError):
            lagging, unembedded = self._backlog()
            if lagging:
                self.write_terms()
            if unembedded and newest_first:
                self._embed_newest(vectors_at_once)
            elif unembedded:
                self.embed(limit=vectors_at_once, tell=tell)

    def _backlog(self) -> tuple[bool, bool]:
        """Whether so much changed that the next file should be written, and whether there are vectors to be made."""
        with self._local.read() as local, self._database.read() as tx:
            feed = Feed(tx, self._project)
            position = self._followed(local).position(feed)
            if position is None:
                return True, True
            made = self._vectors_followed(local).position(feed)
            lagging = len(feed.seqs(position, TAIL + 1)) > TAIL
            return lagging, made is None or bool(feed.since(made, 1))

    def _begin(self) -> None:
        """Start over when what is here was made from another store, or from what a reset has forgotten."""
        with self._local.read() as local, self._database.read() as tx:
            feed = Feed(tx, self._project)
            store, position = feed.store(), self._followed(local).position(feed)
        if position is None:
            with self._local.write() as local:
                forget_parts(local, self._project)
                local.run("DELETE FROM embeddings WHERE project_id = ?", (self._project,))
                local.run("DELETE FROM followed WHERE project_id = ? AND what LIKE 'vectors by %'", (self._project,))
                self._followed(local).advance(store, START)

    def _mend(self) -> None:
        """Find out which files are gone, damaged or of an older version, and have their records written again."""
        with self._local.read() as local:
            rows = local.rows("SELECT id, model, name, size FROM index_parts WHERE project_id = ?", (self._project,))
        for part in (Part(*row) for row in rows):
            try:
                arrays.read(self._folder / part.name)
            except (OSError, ValueError):
                self.forget()
                return

    # Writing terms

    def write_terms(self) -> int:
        """Put what changed into files, small files together with it. How many records were written."""
        self._mend()
        written = 0
        self._begin()
        while True:
            with self._local.read() as local, self._database.read() as tx:
                step = self._next_step(local, tx)
                if step is None:
                    return written
                replaced, seqs = self._plan(local, tx, step)
                docs, beside = self._gathered(tx, seqs)
            name = self._write(segment.build(docs, beside).arrays())
            written += self._publish_terms(name, step, replaced, len(docs))

    def _next_step(self, local: Transaction, tx: Transaction) -> _Step | None:
        """What changed since the last file was written, as much as one holds."""
        feed = Feed(tx, self._project)
        start = self._followed(local).position(feed) or START
        changed = feed.since(start, MOST)
        return _Step(feed.store(), start, changed[-1], {position.seq for position in changed}) if changed else None

    def _plan(self, local: Transaction, tx: Transaction, step: _Step) -> tuple[list[Part], list[int]]:
        """The parts to be replaced by the next one, and the records it will hold."""
        seqs = step.seqs | self._siblings(tx, step.seqs)
        replaced = []
        for part in reversed(self._parts(local, _NO_MODEL)):
            # Twice its own size at least: so a record is written again as often as the logarithm of all records.
            if part.size > 2 * len(seqs) or len(seqs) + part.size > MOST:
                break
            replaced.append(part)
            seqs |= set(self._segment(part).seqs.tolist())
        return replaced, sorted(seqs)

    def _publish_terms(self, name: str, step: _Step, replaced: Sequence[Part], size: int) -> int:
        """Make a file count, unless somebody was faster."""
        with self._local.write() as local:
            followed = self._followed(local)
            if not (followed.stands_at(step.store, step.start) and self._still_there(local, replaced)):
                (self._folder / name).unlink(missing_ok=True)
                return 0
            self._exchange(local, _NO_MODEL, name, size, replaced)
            followed.advance(step.store, step.end)
        self._remove(replaced)
        return size

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
        terms_by_seq = {seq: doc.terms for seq, doc in docs.items()}
        terms_by_seq |= {row[0]: doc_of(row).terms for row in _in_batches(tx, _ROWS, sorted(others))}
        places = {seq: place for place, seq in enumerate(docs)}
        beside = [
            Beside(places[seq], terms_by_seq[other], steps)
            for order in orders
            for seq, other, steps in _neighbors(order)
            if seq in places
        ]
        return list(docs.values()), beside

    def _order(self, tx: Transaction, session: Session) -> list[int]:
        """The records that a session left, in its order."""
        return [row[0] for row in tx.rows(_IN_SESSION, (self._project, *session))]

    def _siblings(self, tx: Transaction, seqs: Iterable[int]) -> set[int]:
        """Records that stand beside these: what they say by their neighbors changes, too."""
        changed = set(seqs)
        sql = "SELECT DISTINCT evidence FROM records WHERE seq IN ({marks}) AND first_agent IS NOT NULL"
        sessions = {session_of(row) for row in _in_batches(tx, sql, sorted(changed))}
        pairs = (pair for session in sessions if session for pair in _neighbors(self._order(tx, session)))
        return {other for seq, other, _ in pairs if seq in changed}

    # Writing vectors

    def embed(
        self, until: Callable[[], bool] = lambda: False, limit: int | None = None, tell: Progress = silent
    ) -> int:
        """Make vectors that are missing, a few at a time, until told to stop. How many were made."""
        if self._embedder is None:
            return 0
        self._begin()
        done, size = 0, _EMBED_BATCH
        missing = missing_vectors(self._database, self._local, self._project, self._model) if tell is not silent else 0
        while not until() and (limit is None or done < limit):
            step = self._next_texts(size, _EMBED_BATCH if limit is None else min(_EMBED_BATCH, limit - done))
            if step is None:
                break
            self._keep_vectors(step, self._vectors(step))
            done += len(step.texts)
            # Records that changed and still say the same go by quickly.
            size = _EMBED_BATCH if step.texts else _SKIMMED
            tell("comparing meanings", done, max(done, missing))
            # In between, too: who searches meanwhile reads what is in no file.
            if step.texts and done % _PACKED_AT_ONCE < len(step.texts):
                self.write_vectors()
        if done:
            self.write_vectors()
        return done

    def _embed_newest(self, most: int) -> None:
        """Make vectors of what was written last; what is missing since longer is left to whoever follows the feed."""
        if self._embedder is None:
            return
        self._begin()
        with self._local.read() as local, self._database.read() as tx:
            feed = Feed(tx, self._project)
            start = self._vectors_followed(local).position(feed) or START
            step = self._texts(local, tx, start, feed.latest(most), most)._replace(end=start)
        self._keep_vectors(step, self._vectors(step))
        self.write_vectors()

    def _next_texts(self, size: int, most: int) -> _Texts | None:
        """Of the next records that changed, those whose text has no vector, `most` of them; None at the end."""
        with self._local.read() as local, self._database.read() as tx:
            feed = Feed(tx, self._project)
            start = self._vectors_followed(local).position(feed) or START
            changed = feed.since(start, size)
            return self._texts(local, tx, start, changed, most) if changed else None

    def _texts(
        self, local: Transaction, tx: Transaction, start: Position, changed: Sequence[Position], most: int
    ) -> _Texts:
        seqs = sorted({position.seq for position in changed})
        made = digests(local, self._project, self._model, seqs)
        rows = {row[0]: row for row in _in_batches(tx, _ROWS, seqs)}
        step = _Texts(Feed(tx, self._project).store(), start, changed[-1] if changed else start, {}, {}, rows)
        for before, position in pairwise((start, *changed)):
            title, body = rows[position.seq][2:4]
            digest = text_digest(title, body)
            if position.seq in step.texts or made.get(position.seq, (b"",))[0] == digest:
                continue
            if len(step.texts) == most:
                return step._replace(end=before)
            step.texts[position.seq], step.digests[position.seq] = embedded_text(title, body), digest
        return step

    def _vectors(self, step: _Texts) -> list[vectors.Floats]:
        """The vectors of texts: those that the store keeps, and for the others, made now, it keeps them."""
        assert self._embedder is not None
        kept = self._database.vectors(self._project, self._model)
        found: dict[int, vectors.Floats] = {}
        unkept: list[int] = []
        if kept is not None:
            with self._database.read() as tx:
                made = {
                    seq: one for seq, one in kept.made(tx, list(step.texts)).items() if one.digest == step.digests[seq]
                }
            found = {seq: np.frombuffer(one.numbers, ">f4").astype(np.float32) for seq, one in made.items()}
            unkept = [seq for seq in step.texts if seq not in made or not made[seq].has_terms]
        missing = [seq for seq in step.texts if seq not in found]
        if missing:
            new = self._embedder.encode([step.texts[seq] for seq in missing], gist=True)
            found |= dict(zip(missing, new, strict=True))
        if kept is not None and unkept:
            # Who may only read keeps them to itself.
            with contextlib.suppress(StoreError), self._database.write(self._project) as tx:
                kept.keep(tx, [_kept(step.rows[seq], step.digests[seq], found[seq]) for seq in unkept])
        return [found[seq] for seq in step.texts]

    def _keep_vectors(self, step: _Texts, made: Iterable[vectors.Floats]) -> None:
        key = (self._project, self._model)
        rows = [
            (*key, seq, step.digests[seq], vectors.to_blob(vector))
            for seq, vector in zip(step.texts, made, strict=True)
        ]
        with self._local.write() as local:
            local.run_many(
                "INSERT INTO embeddings (project_id, model, record_seq, digest, vector) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (project_id, model, record_seq) DO UPDATE SET digest = excluded.digest,"
                # Another process may have made the same one: it keeps its place in a file.
                " vector = excluded.vector, part = NULL WHERE embeddings.digest <> excluded.digest",
                rows,
            )
            followed = self._vectors_followed(local)
            if followed.stands_at(step.store, step.start):
                followed.advance(step.store, step.end)

    def write_vectors(self) -> None:
        """Put vectors that are in no file yet into one, small files together with it."""
        while True:
            with self._local.read() as local:
                loose = self._loose(local)
                if len(loose) <= _LOOSE_VECTORS:
                    return
                size, replaced = len(loose), []
                for part in reversed(self._parts(local, self._model)):
                    if part.size > 2 * size or size + part.size > MOST:
                        break
                    replaced.append(part)
                    size += part.size
                marks = ", ".join(str(part.id) for part in replaced)
                sql = f"{_VECTORS} AND part IN ({marks})"
                rows = loose + (local.rows(sql, (self._project, self._model)) if replaced else [])
            made = vectors.pack(*_columns(rows))
            self._publish_vectors(self._write(made.arrays()), replaced, rows)

    def _publish_vectors(self, name: str, replaced: Sequence[Part], rows: Sequence[Row]) -> None:
        with self._local.write() as local:
            if not self._still_there(local, replaced):
                (self._folder / name).unlink(missing_ok=True)
                return
            part = self._exchange(local, self._model, name, len(rows), replaced)
            local.run_many(
                "UPDATE embeddings SET part = ? WHERE project_id = ? AND model = ? AND record_seq = ? AND vector = ?",
                ((part, self._project, self._model, seq, vector) for seq, vector in rows),
            )
        self._remove(replaced)

    # Files

    def _write(self, content: dict[str, arrays.Array]) -> str:
        name = f"{self._project}-{os.urandom(6).hex()}.arrays"
        arrays.write(self._folder / name, content)
        return name

    def _still_there(self, local: Transaction, parts: Sequence[Part]) -> bool:
        there = {row[0] for row in local.rows("SELECT id FROM index_parts WHERE project_id = ?", (self._project,))}
        return all(part.id in there for part in parts)

    def _exchange(self, local: Transaction, model: str, name: str, size: int, replaced: Sequence[Part]) -> int:
        local.run_many("DELETE FROM index_parts WHERE id = ?", ((part.id,) for part in replaced))
        sql = "INSERT INTO index_parts (project_id, model, name, size) VALUES (?, ?, ?, ?) RETURNING id"
        row = local.row(sql, (self._project, model, name, size))
        assert row is not None
        return int(row[0])

    def _remove(self, parts: Sequence[Part]) -> None:
        for part in parts:
            self._mapped.pop(part.name, None)
            # Whoever has it open still reads it; whoever opens it now asks the database again.
            with contextlib.suppress(OSError):
                (self._folder / part.name).unlink()

    def forget(self) -> None:
        """Throw the files away, and have every record written again. Vectors that were made are kept."""
        with self._local.write() as local:
            sql = "SELECT id, model, name, size FROM index_parts WHERE project_id = ?"
            parts = [Part(*row) for row in local.rows(sql, (self._project,))]
            forget_parts(local, self._project)
        self._remove(parts)


def sweep(local: Database, folder: Path, now: datetime) -> int:
    """Remove files that no index counts: leftovers of a crash, or of a project that is gone. How many."""
    with local.read() as tx:
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
    "SELECT r.seq FROM records r WHERE r.project_id = ? AND r.first_agent = ? AND r.first_run = ?"
    " ORDER BY r.first_line, r.seq"
)


def doc_of(row: Row) -> Doc:
    """A record's row as the index sees it."""
    seq, version, title, body, tags, description, trust, created, _ = row
    day = parse_time(created).toordinal()
    return Doc(seq, version, terms_of(title, body, tags, description), trust == Trust.USER, day)


def terms_of(title: str, body: str, tags: str, description: str | None) -> Numbers:
    """The terms of a record, its tags as they are stored. A title counts twice, unless the body merely begins with
    it."""
    words = terms(embedded_text(title, body))
    if not body.startswith(title):
        words += terms(title)
    words += [term for tag in json.loads(tags) for term in terms(tag)]
    if description:
        words += terms(description)
    return segment.numbers(words)


def _kept(row: Row, digest: bytes, vector: vectors.Floats) -> KeptText:
    """A record's row as a store keeps it to be found."""
    doc = doc_of(row)
    return KeptText(doc.seq, doc.version, digest, vector.tolist(), doc.terms.astype("<u4").tobytes())


def _row_of(seq: int, record: Record) -> Row:
    tags = json.dumps(record.tags)
    texts = (record.title, record.body, tags, record.description, record.trust, time_text(record.created))
    return (seq, record.version, *texts, "[]")


def session_of(row: Row) -> Session | None:
    """The agent and the run of a record's first evidence."""
    evidence = row[-1]
    if evidence == "[]":
        return None
    agent, run_id = json.loads(evidence)[0][:2]
    return agent, run_id


def _neighbors(order: Sequence[int]) -> Iterator[tuple[int, int, int]]:
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
