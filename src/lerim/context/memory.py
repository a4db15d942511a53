"""The door to the memory: what a scope can see and do, over both faces of each place it reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from lerim.config.scope import Scope
from lerim.context.face.edits import Reconciled
from lerim.context.face.files import MarkdownFace
from lerim.context.face.folder import MemoryFolder
from lerim.context.face.known_files import KnownFiles
from lerim.context.filters import Filter
from lerim.context.progress import Progress, silent
from lerim.context.projects import Project, Projects
from lerim.context.records import Clock, Draft, Primitive, Record, Status, utc_now
from lerim.context.store import Change, ContextStore, Undone, Version
from lerim.errors import Conflict, NotFound, UsageError
from lerim.storage.database import Database

Where = Literal["project", "global"]
LayOut = Callable[[Project], object]


@dataclass(frozen=True)
class Kept:
    """A record and the place that keeps it."""

    record: Record
    place: Place

    @property
    def path(self) -> Path | None:
        """Its file, or None when it has none any more."""
        return self.place.path_of(self.record)


@dataclass(frozen=True)
class PlaceStatus:
    """How one place stands: its records by primitive and status, and the files that need a look."""

    place: Place
    counts: dict[tuple[Primitive, Status], int]
    problems: int


class Place:
    """One project's memory, or the global one: its store and its folder, kept in step."""

    def __init__(
        self, project: Project, database: Database, folder: Path, clock: Clock = utc_now, progress: Progress = silent
    ) -> None:
        self.project = project
        self.folder = MemoryFolder(folder)
        self.store = ContextStore(database, project.id, clock)
        self.face = MarkdownFace(self.store, self.folder, progress=progress)

    @property
    def scope(self) -> Where:
        return "global" if self.project.is_global else "project"

    @contextmanager
    def change(self, author: str, reason: str, run_id: str | None = None) -> Iterator[Change]:
        """All that happens inside becomes one change in both faces: all of it, or nothing."""
        with self.store.change(author, reason, run_id) as change:
            yield change
            self.face.prepare(change)
        self.face.publish()

    def status(self) -> PlaceStatus:
        with self.store.read() as snapshot:
            problems = len(KnownFiles(snapshot.tx, self.project.id).problems())
            return PlaceStatus(self, snapshot.counts(), problems)

    def path_of(self, record: Record) -> Path | None:
        with self.store.database.read() as tx:
            row = tx.row(
                "SELECT f.path FROM files f JOIN records r ON r.seq = f.record_seq WHERE r.project_id = ? AND r.id = ?",
                (self.project.id, record.id),
            )
        return self.folder.absolute(row[0]) if row else None


class Memory:
    """The memory of one scope: reads from its places in order of preference, writes to one of them."""

    def __init__(
        self,
        database: Database,
        scope: Scope,
        projects: Projects,
        lay_out: LayOut,
        clock: Clock = utc_now,
        progress: Progress = silent,
    ) -> None:
        self.scope = scope
        self._database = database
        self._projects = projects
        self._lay_out = lay_out
        self._clock = clock
        self._progress = progress

    def places(self) -> list[Place]:
        """The places this scope reads, in order of preference. One that keeps nothing yet is not among them."""
        found = []
        for root in self.scope.reads:
            project = self._projects.at(root)
            if project is None and self._projects.folder(Project("", root, "")).is_dir():
                # It came with memories in it: a project that was moved, or a clone that git brought.
                project = self._projects.moved_to(root) or self._projects.add(root)
            if project is not None:
                found.append(self.place(project))
        return found

    def place(self, project: Project) -> Place:
        return Place(project, self._database, self._projects.folder(project), self._clock, self._progress)

    def target(self, where: Where | None = None) -> Place:
        """The place to write to, made ready for it. Raises ScopeError when the mode forbids it."""
        project = self._projects.add(self.scope.writes(where))
        self._lay_out(project)
        return self.place(project)

    def reconcile(self) -> list[tuple[Place, Reconciled]]:
        """Take in what people did to the files, in every place this scope reads."""
        done = [(place, place.face.take_in()) for place in self.places()]
        for place, reconciled in done:
            if reconciled.rewritten:
                # Whoever took the memory folder took the .gitignore with it.
                self._lay_out(place.project)
        return done

    def add(
        self, draft: Draft, where: Where | None = None, *, author: str = "person", reason: str = "added by hand"
    ) -> Kept:
        """Remember one thing. Raises InvalidRecord before anything is written."""
        record = draft.record(self._clock())
        place = self.target(where)
        with place.change(author, reason) as change:
            record = change.create(record)
        return Kept(record, place)

    def find(self, reference: str) -> Kept:
        """A record by id or the beginning of one, project before global. Raises NotFound, or Conflict when unclear."""
        for place in self.places():
            with place.store.read() as snapshot:
                exact = snapshot.find(reference)
                near = [exact] if exact else snapshot.starting_with(reference)
            if len(near) > 1:
                raise Conflict(
                    f"'{reference}' could be {', '.join(record.id for record in near)}", hint="type one more letter"
                )
            if near:
                return Kept(near[0], place)
        raise NotFound(f"no record '{reference}' in this scope", hint="lerim memory list --status all")

    def select(self, wanted: Filter = Filter(), as_of: datetime | None = None) -> list[Kept]:  # noqa: B008 - frozen
        """What the filter takes, place by place, last changed first; as it stood at `as_of` when that is given."""
        found = []
        for place in self.places():
            with place.store.read() as snapshot:
                records = snapshot.select(wanted) if as_of is None else snapshot.select_as_of(as_of, wanted)
            found += [Kept(record, place) for record in records]
        return found

    def current(self, kept: Kept) -> Kept:
        """What holds today in its stead: itself, or what superseded it last."""
        with kept.place.store.read() as snapshot:
            return replace(kept, record=snapshot.current(kept.record.id))

    def as_of(self, kept: Kept, moment: datetime) -> Kept:
        with kept.place.store.read() as snapshot:
            return replace(kept, record=snapshot.fetch_as_of(kept.record.id, moment))

    def history(self, kept: Kept) -> list[Version]:
        with kept.place.store.read() as snapshot:
            return snapshot.history(kept.record.id)

    def version(self, kept: Kept, number: int) -> Version:
        for version in self.history(kept):
            if version.record.version == number:
                return version
        raise NotFound(f"'{kept.record.id}' has no version {number}", hint=f"lerim memory history {kept.record.id}")

    def revise(
        self, kept: Kept, *, reason: str, author: str = "person", base: int | None = None, **changes: Any
    ) -> Kept:
        """Give a record new field values. `base` is the version they were based on: Conflict when it moved on."""
        with kept.place.change(author, reason) as change:
            return replace(kept, record=change.revise(kept.record.id, base=base, **changes))

    def replace_text(self, kept: Kept, before: bytes, after: bytes) -> Kept:
        """Take a person's new text for a memory's file. Raises MarkdownError with the line, and Conflict when the file
        is not what they started from any more. Nothing is written then."""
        place = kept.place
        with place.store.read() as snapshot:
            place.face.verify(snapshot, kept.record, after)
        place.face.replace_text(kept.record, before, after)
        place.face.take_in()
        with place.store.read() as snapshot:
            return replace(kept, record=snapshot.fetch(kept.record.id))

    def archive(self, kept: Kept, *, reason: str, author: str = "person") -> Kept:
        """Put a record away. Raises Conflict when it is put away already."""
        if kept.record.status is Status.ARCHIVED:
            raise Conflict(f"'{kept.record.id}' is archived already", hint=f"lerim memory restore {kept.record.id}")
        with kept.place.change(author, reason) as change:
            return replace(kept, record=change.archive(kept.record.id))

    def restore(self, kept: Kept, *, reason: str, author: str = "person") -> Kept:
        """Bring back an archived record, or make a superseded one hold again."""
        if kept.record.status is Status.ACTIVE:
            raise Conflict(f"'{kept.record.id}' is active already", hint=f"lerim memory show {kept.record.id}")
        with kept.place.change(author, reason) as change:
            return replace(kept, record=change.restore(kept.record.id))

    def supersede(self, old: Kept, new: Kept, *, reason: str, author: str = "person") -> Kept:
        """Close one record in favour of another of the same place."""
        if old.place.project != new.place.project:
            raise Conflict(
                f"'{old.record.id}' is {old.place.scope} memory and '{new.record.id}' is {new.place.scope} memory",
                hint="a record is replaced by one of its own scope: add the replacement there first",
            )
        with old.place.change(author, reason) as change:
            return replace(old, record=change.supersede(old.record.id, by=new.record.id))

    def touch(self, kept: Sequence[Kept]) -> None:
        """Count a use of each record: it keeps them from fading."""
        for place in {id(item.place): item.place for item in kept}.values():
            with place.store.change("lerim", "used") as change:
                change.touch(item.record.id for item in kept if item.place is place)

    def undo(self, where: Where | None = None, *, change_id: int | None = None, run_id: str | None = None) -> Undone:
        """Take back the last change, a given one, or all that a run did. Raises NotFound, or Conflict when it is."""
        if change_id is not None and run_id is not None:
            raise UsageError("a change or a run, not both", hint="lerim memory undo --help")
        place = self._written(where)
        with place.store.read() as snapshot:
            if run_id is not None:
                changes = snapshot.changes_of_run(run_id)
            else:
                changes = [snapshot.last_change() if change_id is None else snapshot.find_change(change_id)]
        if not changes:
            raise NotFound(f"run '{run_id}' changed nothing that is not undone already", hint="lerim memory history ID")
        numbers = ", ".join(str(change.id) for change in changes)
        with place.change("person", f"undo of {numbers}: {changes[0].reason}") as change:
            return change.undo(changes)

    def _written(self, where: Where | None) -> Place:
        root = self.scope.writes(where)
        project = self._projects.at(root)
        if project is None:
            raise NotFound(f"nothing has been written for {root} yet", hint="lerim memory add --help")
        return self.place(project)
