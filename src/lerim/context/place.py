"""One project's memory, or the global one: its store and its folder, kept in step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lerim.context.face.files import MarkdownFace
from lerim.context.face.folder import MemoryFolder
from lerim.context.progress import Progress, silent
from lerim.context.projects import Project
from lerim.context.records import Clock, Primitive, Record, Status, utc_now
from lerim.context.store import Change, ContextStore
from lerim.dataclass import dataclass
from lerim.storage.database import Database

if TYPE_CHECKING:
    from lerim.context.disclosure import SuspectedSecret
    from lerim.context.grounds import RecordGrounds

#: Whose memory it is.
Where = Literal["project", "global"]


@dataclass(frozen=True)
class Kept:
    """A record and the place that keeps it."""

    record: Record
    place: Place
    #: What looked like a secret in what was just written, and was masked.
    masked: tuple[SuspectedSecret, ...] = ()

    @property
    def path(self) -> Path | None:
        """Its file, or None when it has none any more."""
        return self.place.path_of(self.record)

    @property
    def doubt(self) -> str:
        """What should be said beside it: that its ground is gone, that it is provisional, or that something else holds
        which it cannot hold together with; nothing for most."""
        return "; ".join(filter(None, (self.place.grounds.doubt(self.record.id), self._rival())))

    def _rival(self) -> str:
        from lerim.context.links import Links  # Start-up: only who shows a memory asks.

        own = self.record.id
        links = Links(self.place.local, self.place.project.id)
        ids = links.opposed([own]).get(own) if self.record.holds else None
        if not ids:
            return ""
        with self.place.store.read() as snapshot:
            found = [record for one in ids if (record := snapshot.find(one)) is not None and record.holds]
        if not found:
            return ""
        other = max(found, key=lambda record: record.last_said)
        return f"cannot hold together with {other.id}, {other.last_said.at:%Y-%m-%d}: {other.title}"


@dataclass(frozen=True)
class MemoryPage:
    """Some of the memories that were asked for, and how many there are in all."""

    items: list[Kept]
    total: int


@dataclass(frozen=True)
class PlaceStatus:
    """How one place stands: its records by primitive and status, and the files that need a look."""

    place: Place
    counts: dict[tuple[Primitive, Status], int]
    problems: int


class Place:
    """One project's memory, or the global one: its store and its folder, kept in step."""

    def __init__(
        self,
        project: Project,
        database: Database,
        local: Database,
        folder: Path,
        clock: Clock = utc_now,
        progress: Progress = silent,
    ) -> None:
        self.project = project
        self.local = local
        self.folder = MemoryFolder(folder, private=project.is_global)
        self.store = ContextStore(database, project.id, clock)
        self.face = MarkdownFace(
            self.store, local, self.folder, progress=progress, is_trusted=lambda: project.is_trusted
        )

    @cached_property
    def grounds(self) -> RecordGrounds:
        """What its records rest on in their repository, as it was last found."""
        from lerim.context.grounds import RecordGrounds  # Start-up: few commands look at them.

        return RecordGrounds(self.local, self.project.id)

    @property
    def scope(self) -> Where:
        return "global" if self.project.is_global else "project"

    @contextmanager
    def change(self, author: str, reason: str, run_id: str | None = None) -> Iterator[Change]:
        """All that happens inside becomes one change in both faces: all of it, or nothing."""
        with self.store.change(author, reason, run_id) as change:
            yield change
            prepared = self.face.prepare(change)
        self.face.publish(prepared)

    def keeps_hearsay(self) -> bool:
        """Whether any of its records came with a repository that was not trusted then, nor since."""
        with self.store.read() as snapshot:
            return snapshot.keeps_hearsay()

    def status(self) -> PlaceStatus:
        """How it stands."""
        with self.store.read() as snapshot:
            return PlaceStatus(self, snapshot.counts(), len(self.face.problems()))

    def path_of(self, record: Record) -> Path | None:
        """A record's file, or None when it has none any more."""
        known = self.local.guarded(lambda: self.face.file_of(record.id))
        return self.folder.absolute(known.path) if known else None
