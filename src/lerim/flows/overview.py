"""How things stand, and what to type next."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.review.waiting import WaitingCount
from lerim.dataclass import dataclass
from lerim.flows.flow import Flow

if TYPE_CHECKING:
    from lerim.config.scope import Scope
    from lerim.context.place import PlaceStatus
    from lerim.search.health import IndexHealth


@dataclass(frozen=True)
class Overview:
    """What `lerim status` tells."""

    home: Path
    #: Where the memory is kept: a file, or a server's address without its password.
    store: str
    #: Whether other machines have it, too.
    is_shared: bool
    scope: Scope
    places: list[PlaceStatus]
    projects: int
    record_count: int
    fts_count: int
    index: IndexHealth
    #: Sessions by state, as the last look at the disk left them; empty before the first.
    sessions: dict[str, int]
    #: Candidates that wait for somebody to decide.
    waiting: WaitingCount
    #: Commands worth typing next, most useful first.
    next_steps: list[str]


@dataclass(frozen=True)
class Outlook:
    """What is left to do, for whoever has done something."""

    #: As in an `Overview`.
    sessions: dict[str, int]
    waiting: WaitingCount
    next_steps: list[str]


class Watch(Flow):
    """Looks at everything, and changes nothing."""

    def _session_counts(self) -> dict[str, int]:
        """Sessions by state, and those that only lack a project by that; empty before the first look at the disk."""
        from lerim.sessions.database import catalog_path, counts

        catalog = self._house.catalog
        return catalog.guarded(lambda: counts(catalog)) if catalog_path(self._house.home).exists() else {}

    def status(self) -> Overview:
        """How the memory stands, and what to type next."""
        from lerim.search.health import IndexState

        scope, places, index = self._house.scope, self._places(), self._house.index.health()
        left = self._outlook(places)
        steps = left.next_steps
        if index.fix and index.state is not IndexState.DEGRADED:
            steps.append(index.fix)
        projects = len(self._house.projects.all())
        house = self._house
        counts = (projects, index.records, index.fts, index)
        return Overview(
            house.home,
            house.database.location,
            house.shared is not None,
            *(scope, places, *counts),
            *(left.sessions, left.waiting, steps),
        )

    def outlook(self) -> Outlook:
        """What is left to do, and what to type next. Looks at no index: it costs next to nothing."""
        return self._outlook(self._places())

    def _outlook(self, places: list[PlaceStatus]) -> Outlook:
        sessions = self._session_counts()
        waiting = WaitingCount() if self._house.scope.is_empty else self._house.review.waiting()
        return Outlook(sessions, waiting, self._next_steps(places, sessions, waiting.total))

    def _places(self) -> list[PlaceStatus]:
        return [] if self._house.scope.is_empty else [place.status() for place in self._house.memory.places()]

    def _next_steps(self, places: list[PlaceStatus], sessions: Mapping[str, int], waiting: int) -> list[str]:
        """What is worth typing next: what is broken, then what waits, then what one does with a memory."""
        has_memories = any(place.counts for place in places)
        house = self._house
        found = (
            ("lerim memory check", any(place.problems for place in places)),
            ("lerim queue --state dead", sessions.get("dead")),
            ("lerim queue", sessions.get("failed")),
            ("lerim sync", sessions.get("pending") or not self._has_looked()),
            ("lerim sync --all", sessions.get("outside the window") and not has_memories),
            ("lerim project trust", any(not place.place.project.is_trusted for place in places)),
            ("lerim review", waiting),
            ("lerim unscoped", sessions.get("no project")),
            ("lerim sources list", self._has_looked() and not sessions),
            ("lerim init", house.project_root is None and house.cwd not in (house.home, house.home.parent)),
            ("lerim memory list", has_memories),
            ("lerim search WORDS", has_memories),
            ('lerim memory add --primitive decision --title "..." --body "..."', not has_memories),
        )
        return [step for step, is_due in found if is_due]

    def _has_looked(self) -> bool:
        """Whether anybody has looked for sessions on this machine yet."""
        from lerim.sessions.database import catalog_path

        return catalog_path(self._house.home).exists()
