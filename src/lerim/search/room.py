"""The door to the search index: bring it up to date, and tell how it stands. Loads numerics only when it works."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from lerim.config.settings import EmbeddingSettings
from lerim.context.feed import forget_gone
from lerim.context.memory import Memory
from lerim.context.progress import Progress
from lerim.context.projects import Projects
from lerim.context.records import Clock
from lerim.dataclass import dataclass
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.search.health import IndexHealth, check_index, missing_vectors
from lerim.storage.database import Database
from lerim.storage.entries import entries, not_an_entry

_T = TypeVar("_T")


@dataclass
class Indexed:
    """What bringing the index up to date did: records written into files, and vectors made."""

    records: int = 0
    vectors: int = 0


@entries
@dataclass(frozen=True)
class SearchIndex:
    """The index over all memories of this machine, those of one scope first."""

    database: Database
    local: Database
    memory: Memory
    projects: Projects
    #: The model that compares meanings, not loaded yet; or why there is none, and what to do about it.
    embedder: Embedder | NoEmbedder
    home: Path
    settings: EmbeddingSettings
    env: Mapping[str, str]
    clock: Clock
    progress: Progress

    def enter(self, work: Callable[[], _T]) -> _T:
        return self.memory.enter(work)

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self.home / "index" / "search"

    def refresh(self, until: Callable[[], bool] = lambda: False, *, rebuild: bool = False) -> Indexed:
        """Bring the index up to date, of the places here first, then of all others: terms, then vectors.

        What is left when `until` says stop is left to the next time. With `rebuild`, the files are made from scratch.
        """
        from lerim.search.index import Index, sweep  # Start-up: numpy.

        done = Indexed()
        with self.database.read() as tx, self.local.write() as local:
            forget_gone(tx, local)
        sweep(self.local, self.folder, self.clock())
        indexes = [
            Index.of(self.database, self.local, project_id, self.folder, self.embedder)
            for project_id in self._project_ids()
        ]
        for index in indexes:
            if rebuild:
                index.forget()
            done.records += index.write_terms()
        for index in indexes:
            done.vectors += index.embed(until, tell=self.progress)
        return done

    @not_an_entry
    def follow(self, limit: int) -> int:
        """Put what was just written into the index, of all projects, with `limit` vectors at most, of the newest first;
        how many are missing then. Where there is nothing to do, no numerics are loaded."""
        if not isinstance(self.embedder, Embedder):
            return 0
        missing = {one: count for one in self._everywhere() if (count := self._missing(one))}
        for project_id, count in missing.items():
            from lerim.search.index import Index  # Start-up: numpy.

            index = Index.of(self.database, self.local, project_id, self.folder, self.embedder)
            index.catch_up(min(count, limit), self.progress, newest_first=count > limit)
            limit -= min(count, limit)
        return sum(map(self._missing, missing))

    def health(self) -> IndexHealth:
        """What the index holds of the records, and what to type when something is missing."""
        return check_index(self.database, self.local, self.embedder)

    def missing(self) -> int:
        """How many memories of this scope a search could not compare by their meaning; 0 when there is no model."""
        return (
            0 if self.memory.scope.is_empty else sum(self._missing(place.project.id) for place in self.memory.places())
        )

    def _missing(self, project_id: str) -> int:
        if not isinstance(self.embedder, Embedder):
            return 0
        return missing_vectors(self.database, self.local, project_id, self.embedder.key)

    @not_an_entry
    def start_in_background(self) -> bool:
        """Have another process make what is missing. False when that is switched off, or there can be none."""
        from lerim.search.background import start  # Start-up: seldom needed.

        wanted = self.settings.background and not self.env.get("LERIM_NO_HELPER")
        return wanted and start(self.folder, self.env)

    @not_an_entry
    def download_model(self, name: str) -> Path:
        """Fetch an embedding model from the hub into its folder. Raises ConfigError when that is not allowed."""
        from lerim.search.download import download  # Nothing else ever uses the network.

        return download(self.home, name, hub=self.settings.hub, allowed=self.settings.download)

    def _project_ids(self) -> list[str]:
        here = [] if self.memory.scope.is_empty else [place.project.id for place in self.memory.places()]
        return list(dict.fromkeys((*here, *self._everywhere())))

    def _everywhere(self) -> list[str]:
        return [project.id for project in (*self.projects.all(), self.projects.at(self.home)) if project]
