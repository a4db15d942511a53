"""What the agent needs from outside, in one value. The composition root builds it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.scope import lerim_dir
from lerim.context.decay import DecayRule
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Projects
from lerim.context.records import Clock, Random, utc_moment, utc_now
from lerim.dataclass import dataclass, field
from lerim.errors import NotFound
from lerim.llm import Models, Spending

if TYPE_CHECKING:
    from datetime import datetime

    from lerim.context.filters import Filter
    from lerim.ingest.engine import Engine
    from lerim.observability import Tracing
    from lerim.runtime.ahead import ReadAhead
    from lerim.search.search import Hit, Searcher


def _nothing() -> None:
    """Nobody has to be asked, and nothing is there."""


def _unread(trace: Path) -> None:
    """Nobody read it ahead."""


@dataclass(frozen=True)
class Rooms:
    """The rooms a run works in."""

    home: Path
    memory: Memory
    projects: Projects
    models: Models
    #: Who extracts and summarizes; what its models use up goes on the run's account.
    engine: Callable[[Spending], Engine]
    decay: DecayRule = field(default_factory=DecayRule)
    clock: Clock = utc_now
    #: What the lines of a run's logs are dated by.
    log_clock: Clock = utc_moment
    random: Random = os.urandom
    #: Asked right before anything is written. It raises when the work was given to somebody else meanwhile.
    before_commit: Callable[[], None] = _nothing
    tracing: Tracing | None = None
    #: What an archived trace teaches, where somebody read it ahead.
    read_ahead: Callable[[Path], ReadAhead | None] = _unread
    #: What a search by meaning works with; without it, questions are searched by words alone.
    searcher: Callable[[], Searcher | None] = _nothing

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
            if self.projects.folder(project).resolve() == memory_root.resolve():
                return self.memory.place(project)
        raise NotFound(f"{memory_root} is the memory of no registered project", hint="lerim init")

    def relative(self, place: Place, path: Path) -> str:
        """A path as a place's records name it: from its `.lerim` folder. Of what lies elsewhere, the full path, or the
        name alone where other machines read it."""
        folder = lerim_dir(place.project.root, self.home).resolve()
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
        return path.name if self.projects.is_shared else str(path)

    def workspace(self, place: Place) -> Path:
        """Where the runs of a place leave their folders."""
        return lerim_dir(place.project.root, self.home) / "workspace"
