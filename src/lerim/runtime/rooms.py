"""What the agent needs from outside, in one value. The service builds it; a library user can have it built here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.scope import Scope, lerim_dir, locate
from lerim.config.settings import Settings, home_dir, load
from lerim.context.decay import DecayRule
from lerim.context.memory import Memory, Place
from lerim.context.projects import Projects
from lerim.context.records import Clock, Random, utc_now
from lerim.context.recovery import open_store
from lerim.errors import NotFound
from lerim.ingest.choice import engine_for
from lerim.llm import Models, Spending, UsageLedger

if TYPE_CHECKING:
    from datetime import datetime

    from lerim.context.filters import Filter
    from lerim.ingest.engine import Engine
    from lerim.observability import Tracing
    from lerim.search.search import Hit, Searcher


def _nothing() -> None:
    """Nobody has to be asked, and nothing is there."""


@dataclass(frozen=True)
class Rooms:
    """The rooms a run works in."""

    home: Path
    memory: Memory
    projects: Projects
    models: Models
    #: Who extracts and summarises; what its models use up goes on the run's account.
    engine: Callable[[Spending], Engine]
    decay: DecayRule = field(default_factory=DecayRule)
    clock: Clock = utc_now
    random: Random = os.urandom
    #: Asked right before anything is written. It raises when the work was given to somebody else meanwhile.
    before_commit: Callable[[], None] = _nothing
    tracing: Tracing | None = None
    #: What a search by meaning works with; without it, questions are looked up by words alone.
    searcher: Callable[[], Searcher | None] = _nothing

    @classmethod
    def here(cls, cwd: Path | str | None = None, env: Mapping[str, str] | None = None) -> Rooms:
        """The rooms of a directory, as the settings there say: for programs that use the agent without the service."""
        env = os.environ if env is None else env
        home, place = home_dir(env), Path(cwd or Path.cwd())
        database = open_store(home)
        projects = Projects(database, home)
        users = load(home, None, env).settings
        roots = [project.root for project in projects.all()]
        root = locate(place, roots, home=home, separate_worktrees=users.memory.separate_worktrees)
        said = load(home, root, env).settings
        models = Models(said.roles, said.budget, env, UsageLedger(home, utc_now))
        memory = Memory(database, Scope(said.memory.scope, root, home), projects, projects.lay_out)
        return cls(
            home,
            memory,
            projects,
            models,
            lambda spending: engine_for(said.engine, models, spending, home),
            DecayRule.of(said.decay),
            searcher=lambda: _searcher(home, users),
        )

    def search(self, query: str, wanted: Filter, limit: int, *, as_of: datetime | None = None) -> list[Hit]:
        """What the memory has to do with a query, best first."""
        from lerim.search.search import search  # Only a question needs it.

        return search(self.memory, query, wanted, limit, searcher=self.searcher(), as_of=as_of)

    def place(self, memory_root: Path | None) -> Place:
        """The place whose memory folder this is; without one, where this scope writes. Raises NotFound."""
        if memory_root is None:
            return self.memory.target()
        shared = self.projects.at(self.home)
        for project in (*self.projects.all(), *([shared] if shared else [])):
            place = self.memory.place(project)
            if place.folder.root.resolve() == memory_root.resolve():
                return place
        raise NotFound(f"{memory_root} is the memory of no registered project", hint="lerim init")

    def relative(self, place: Place, path: Path) -> str:
        """A path as a place's records name it: from its `.lerim` folder, or in full when it lies elsewhere."""
        folder = lerim_dir(place.project.root, self.home).resolve()
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)

    def workspace(self, place: Place) -> Path:
        """Where the runs of a place leave their folders."""
        return lerim_dir(place.project.root, self.home) / "workspace"


def _searcher(home: Path, settings: Settings) -> Searcher:
    # Only a question needs them.
    from lerim.search.embeddings import find_embedder
    from lerim.search.search import Searcher

    chosen = settings.embeddings
    return Searcher(find_embedder(home, enabled=chosen.enabled, model=chosen.model), home / "index" / "search")
