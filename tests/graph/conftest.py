"""A memory whose records are linked by a model that counts words: quick, and near for texts that share them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from lerim.context.links import Cluster, Edge, Links
from lerim.context.place import Place
from lerim.context.records import Draft, Evidence, Kind, Primitive, Record, Trust
from lerim.graph.building import LinkBuilder
from lerim.graph.clusters import refresh_clusters
from lerim.search.embeddings import Embedder
from lerim.search.index import Index
from lerim.storage.database import Database
from lerim.text.words import STOP, pieces


class CountedWords(Embedder):
    """A model whose vectors count words."""

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> np.ndarray:
        found = np.full((len(texts), 256), 0.001, np.float32)
        for row, text in enumerate(texts):
            for word in {piece.lower() for piece in pieces(text)} - STOP:
                found[row, crc32(word.encode()) % 256] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True)


WORDS = CountedWords("words", "words@1", Path())


class LinkedPlace:
    """A place, and its links as they are kept in step with it."""

    def __init__(self, place: Place, database: Database, local: Database, folder: Path) -> None:
        self.place = place
        self.index = Index(database, local, place.project.id, folder, WORDS)
        self.builder = LinkBuilder(place, self.index, WORDS.key)
        self.links = Links(local, place.project.id)

    def add(
        self,
        title: str,
        body: str = "",
        kind: Kind | None = None,
        run: str | None = None,
        line: int = 1,
        trust: Trust = Trust.USER,
    ) -> Record:
        """A decision, or a learning when it has a kind; from a line of a session when there is a run."""
        evidence = (Evidence("claude", run, line, line, "", Trust.USER),) if run else ()
        primitive = Primitive.LEARNING if kind else Primitive.DECISION
        draft = Draft(primitive, title, body, kind, evidence=evidence, trust=trust)
        with self.place.store.change("test", "added") as change:
            return change.create(draft.record(self.place.store.clock()))

    def refresh(self, vectors: int | None = None) -> None:
        self.index.write_terms()
        self.index.embed(limit=vectors)
        while self.builder.step() is not None:
            pass
        refresh_clusters(self.place)

    def rebuild(self) -> None:
        self.builder.forget()
        self.refresh()

    def graph(self) -> tuple[list[Edge], list[Cluster]]:
        return self.links.edges(), self.links.clusters()

    def edge(self, one: Record, other: Record) -> Edge | None:
        found = [edge for edge in self.links.edges() if {edge.source, edge.target} == {one.id, other.id}]
        return found[0] if found else None


@pytest.fixture
def linked(place: Place, database: Database, local: Database, home: Path) -> LinkedPlace:
    return LinkedPlace(place, database, local, home / "index" / "search")
