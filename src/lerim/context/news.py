"""Edits picked up from people's files: whoever called a room wants its answer, and learns of these besides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lerim.context.face.edits import Reconciled
from lerim.dataclass import replace

if TYPE_CHECKING:
    from lerim.context.place import Place

#: Called at once with the edits picked up from the files of a place.
OnEdits = Callable[["Place", Reconciled], None]


def ignore_edits(place: Place, done: Reconciled) -> None:
    """Nobody listens: it is kept until somebody asks."""


class News:
    """What happened to the files of each place since it was taken last. Changes add up, problems are the latest."""

    def __init__(self, on_edits: OnEdits = ignore_edits) -> None:
        self._on_edits = on_edits
        self._by_project: dict[str, tuple[Place, Reconciled]] = {}

    def add(self, place: Place, done: Reconciled) -> None:
        """Keep what a look at the files found, and tell what of it is new: a problem stays until its file is mended."""
        _, known = self._by_project.setdefault(place.project.id, (place, Reconciled()))
        fresh = replace(done, problems=[problem for problem in done.problems if problem not in known.problems])
        for name in ("added", "edited", "moved", "deleted"):
            getattr(known, name).extend(getattr(done, name))
        known.rewritten += done.rewritten
        known.is_first = known.is_first or done.is_first
        known.problems = done.problems
        if fresh != Reconciled():
            self._on_edits(place, fresh)

    def take(self) -> list[tuple[Place, Reconciled]]:
        """All of it, once."""
        news, self._by_project = list(self._by_project.values()), {}
        return [(place, done) for place, done in news if done != Reconciled()]
