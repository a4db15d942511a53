"""The door to the memory: what a scope can see and do, over both faces of each place it reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from lerim.config.scope import Scope
from lerim.context.face.edits import Reconciled
from lerim.context.filters import ANY, Filter, PageMark
from lerim.context.looking import Looks
from lerim.context.place import Kept, MemoryPage, Place, Where
from lerim.context.progress import Progress, silent
from lerim.context.projects import Project, Projects
from lerim.context.records import Clock, Draft, Status, stamp_text, utc_now
from lerim.context.store import Undone, Version
from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, NotFound, ScopeError, UsageError
from lerim.private import open_private
from lerim.storage.database import Database
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from lerim.context.secret_scan import SecretFinding
    from lerim.context.transfer import Imported
    from lerim.context.upkeep import CheckFinding, Reset

Which = Literal["project", "global", "both"]
LayOut = Callable[[Project], object]
_T = TypeVar("_T")


def _nothing(*_: object) -> None:
    """Nobody needs to know."""


@dataclass(frozen=True)
class Neighbors:
    """What a memory has to tell rooms that it does not know."""

    #: The edits picked up from a place's files.
    news: Callable[[Place, Reconciled], None] = _nothing
    #: The store may be damaged: its next use must look, and mend it.
    distrust_store: Callable[[], None] = _nothing
    #: A project's search index is to be rebuilt.
    forget_index: Callable[[str], None] = _nothing
    #: All sessions are to be forgotten; into a backup, when there is one.
    forget_sessions: Callable[[Path | None], None] = _nothing
    #: What was told of a project, or of all of them when it is None, must not be told again.
    forget_views: Callable[[Path | None], None] = _nothing


@entries
class Memory:
    """The memory of one scope: reads from its places in order of preference, writes to one of them.

    Whatever is asked of it, what people did to the files since is picked up first: one `stat` for each file.
    """

    def __init__(
        self,
        database: Database,
        local: Database,
        scope: Scope,
        projects: Projects,
        lay_out: LayOut,
        clock: Clock = utc_now,
        progress: Progress = silent,
        neighbors: Neighbors = Neighbors(),  # noqa: B008 - frozen
        looks: Looks | None = None,
    ) -> None:
        """`looks` are those of everybody in this process."""
        self.scope = scope
        self._database = database
        self._local = local
        self._projects = projects
        self._lay_out = lay_out
        self._clock = clock
        self._progress = progress
        self._neighbors = neighbors
        self._looks = looks or Looks()
        self._is_entered = False
        #: Whether one look at the files is enough from here on, and whether there was one.
        self._looks_once = False
        self._has_looked = False
        #: CPU seconds that the last look at the files took; None when there was none.
        self.look_seconds: float | None = None

    def enter(self, work: Callable[[], _T]) -> _T:
        """Do some work on a memory whose faces agree, and on a sound store: what every entry here promises."""
        if self._is_entered:
            return work()
        self._is_entered = True
        try:
            if not (self._looks_once and self._has_looked):
                # Taking in may be done over: a mended store was filled from the files, and finds nothing new.
                self._guarded(self._tell_news, repeatable=True)
                self._has_looked = True
            return self._guarded(work)
        finally:
            self._is_entered = False

    def _guarded(self, work: Callable[[], _T], *, repeatable: bool = False) -> _T:
        """Do some work, and again when one of the two databases was mended."""
        return self._database.guarded(lambda: self._local.guarded(work, repeatable=repeatable), repeatable=repeatable)

    def places(self) -> list[Place]:
        """The places this scope reads, in order of preference. One that keeps nothing yet is not among them."""
        return self._places()

    def place(self, project: Project) -> Place:
        """The place of any project, whether this scope reads it or not."""
        place = self._place(project)
        if self.scope.is_empty or project.root not in self.scope.reads:
            self._neighbors.news(place, self._take_in(place))
        return place

    def target(self, where: Where | None = None) -> Place:
        """The place to write to, made ready for it. Raises ScopeError when the mode forbids it."""
        project = self._projects.add(self.scope.writes(where))
        self._lay_out(project)
        return self._place(project)

    @not_an_entry
    def reconcile(self) -> list[tuple[Place, Reconciled]]:
        """Take in what people did to the files, in every place this scope reads; what that was."""
        if self.scope.is_empty or self._is_read_only:
            return []
        return [(place, self._take_in(place)) for place in self._places()]

    @property
    def _is_read_only(self) -> bool:
        """Whether nothing can be noted: then what is known can still be read."""
        return self._database.is_read_only or self._local.is_read_only

    @not_an_entry
    def look_once(self, *, known: bool) -> None:
        """Have the files looked at by the next entry alone; by none when what they say is `known`. For somebody who
        reads several things in one moment."""
        self._looks_once, self._has_looked = True, known

    def _tell_news(self) -> None:
        began = thread_time()
        for place, done in self.reconcile():
            self._neighbors.news(place, done)
        self.look_seconds = thread_time() - began

    def _take_in(self, place: Place) -> Reconciled:
        # A folder that is gone is brought back before anything is put there: what else was in it would look deleted.
        if place.folder.exists() and not self._looks.is_due(place.project.id):
            return Reconciled()
        with self._looks.looking(place.project.id):
            done = place.face.take_in()
        if done.rewritten:
            # Whoever took the memory folder took the .gitignore with it.
            self._lay_out(place.project)
        return done

    def _places(self) -> list[Place]:
        found = []
        for root in self.scope.reads:
            project = self._projects.at(root) or self._projects.adopt(root)
            if project is not None:
                found.append(self._place(project))
        return found

    def _place(self, project: Project) -> Place:
        folder = self._projects.folder(project)
        return Place(project, self._database, self._local, folder, self._clock, self._progress)

    # Reading and writing

    def add(
        self,
        draft: Draft,
        where: Where | None = None,
        *,
        author: str = "person",
        reason: str = "added by hand",
        allow_secret: bool = False,
    ) -> Kept:
        """Remember one thing. Raises InvalidRecord before anything is written.

        What looks like a secret is masked, and told in `Kept.masked`, unless a person allows it.
        """
        record = draft.record(self._clock())
        if allow_secret:
            from lerim.context.disclosure import allowed  # Start-up: few memories hold a secret.

            record = allowed(record)
        place = self.target(where)
        with place.change(author, reason) as change:
            record = change.create(record)
        return Kept(record, place, change.masked.get(record.id, ()))

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
        """What the filter takes, place by place, the user's own before hearsay, last changed first; as it stood at
        `as_of` when that is given."""
        found = []
        for place in self.places():
            with place.store.read() as snapshot:
                records = snapshot.select(wanted) if as_of is None else snapshot.select_as_of(as_of, wanted)
            found += [Kept(record, place) for record in sorted(records, key=lambda record: record.is_hearsay)]
        return found

    def page(
        self,
        wanted: Filter = Filter(),  # noqa: B008 - frozen
        *,
        limit: int | None = None,
        offset: int = 0,
        where: Where | None = None,
        as_of: datetime | None = None,
    ) -> MemoryPage:
        """So many of what `select` gives, after the first `offset` of it; of one scope when that is given. However much
        there is, only these are read, unless they are wanted as they stood at `as_of`."""
        if as_of is not None or limit is None:
            items = [kept for kept in self.select(wanted, as_of) if where in (None, kept.place.scope)]
            return MemoryPage(items[offset:][:limit], len(items))
        found, total = list[Kept](), 0
        for place in self.places():
            if where not in (None, place.scope):
                continue
            with place.store.read() as snapshot:
                skipped, room = max(offset - total, 0), limit - len(found)
                found += [Kept(record, place) for record in snapshot.page(wanted, room, skipped)] if room else []
                total += snapshot.count(wanted)
        return MemoryPage(found, total)

    def following(
        self,
        wanted: Filter = Filter(),  # noqa: B008 - frozen
        *,
        limit: int,
        mark: PageMark | None = None,
        where: Where | None = None,
    ) -> list[Kept]:
        """So many of what `select` gives, after the one where a page ended; from the first without a mark. What is
        added meanwhile moves nothing."""
        found = list[Kept]()
        is_before = mark is not None
        for place in self.places():
            is_marked = mark is not None and mark.scope == place.scope
            is_before = is_before and not is_marked
            if is_before or where not in (None, place.scope):
                continue
            with place.store.read() as snapshot:
                records = snapshot.following(wanted, limit - len(found), mark if is_marked else None)
                found += [Kept(record, place) for record in records]
        return found

    def ids(self, prefix: str = "", limit: int = 100) -> list[str]:
        """The first ids of this scope that begin so, whatever their records' status."""
        found: list[str] = []
        for place in self.places():
            with place.store.read() as snapshot:
                found += snapshot.ids_from(prefix, limit - len(found))
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
        self,
        kept: Kept,
        *,
        reason: str,
        author: str = "person",
        base: int | None = None,
        allow_secret: bool = False,
        **changes: Any,
    ) -> Kept:
        """Give a record new field values. `base` is the version they were based on: Conflict when it moved on."""
        if allow_secret:
            from lerim.context.disclosure import allowed  # As above.

            changes["extra"] = allowed(replace(kept.record, **changes)).extra
        with kept.place.change(author, reason) as change:
            record = change.revise(kept.record.id, base=base, **changes)
        return replace(kept, record=record, masked=change.masked.get(record.id, ()))

    def replace_text(self, kept: Kept, before: bytes, after: bytes) -> Kept:
        """Take a person's new text for a memory's file. Raises MarkdownError with the line, and Conflict when the file
        is not what they started from any more. Nothing is written then."""
        place = kept.place
        with place.store.read() as snapshot:
            place.face.verify(snapshot, kept.record, after)
        place.face.replace_text(kept.record, before, after)
        place.face.take_in(typed=kept.record.id)
        with place.store.read() as snapshot:
            return replace(kept, record=snapshot.fetch(kept.record.id))

    def archive(self, kept: Kept, *, reason: str, author: str = "person") -> Kept:
        """Archive a record. Raises Conflict when it is archived already."""
        if kept.record.status is Status.ARCHIVED:
            raise Conflict(f"'{kept.record.id}' is archived already", hint=f"lerim memory restore {kept.record.id}")
        with kept.place.change(author, reason) as change:
            return replace(kept, record=change.archive(kept.record.id))

    def restore(self, kept: Kept, *, reason: str, author: str = "person") -> Kept:
        """Bring back an archived record, or make a superseded one hold again."""
        if kept.record.status is Status.ACTIVE:
            raise Conflict(f"'{kept.record.id}' is active already", hint=f"lerim memory show {kept.record.id}")
        with kept.place.change(author, reason) as change:
            # Whoever brings it back wants it: it does not fade tomorrow.
            change.touch([kept.record.id], counted=False)
            return replace(kept, record=change.restore(kept.record.id))

    def supersede(self, old: Kept, new: Kept, *, reason: str, author: str = "person") -> Kept:
        """Close one record in favor of another of the same place."""
        if old.place.project != new.place.project:
            raise Conflict(
                f"'{old.record.id}' is {old.place.scope} memory and '{new.record.id}' is {new.place.scope} memory",
                hint="a record is replaced by one of its own scope: add the replacement there first",
            )
        with old.place.change(author, reason) as change:
            return replace(old, record=change.supersede(old.record.id, by=new.record.id))

    def touch(self, kept: Sequence[Kept]) -> None:
        """Count a use of each record: it keeps them from fading. Where nothing can be written, nobody counts."""
        if self._is_read_only:
            return
        for place in {id(item.place): item.place for item in kept}.values():
            with place.store.change("lerim", "used") as change:
                change.touch(item.record.id for item in kept if item.place is place)

    def note_given(self, record_ids: Iterable[str]) -> None:
        """Note that memories were handed out: that keeps them from fading, though nobody says that it was of use."""
        ids = list(record_ids)
        if self._is_read_only or not ids:
            return
        for place in self.places():
            with place.store.change("lerim", "given") as change:
                change.touch(ids, counted=False)

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
        return self._place(project)

    # In and out, and upkeep

    def import_from(
        self,
        source: Path | None,
        lines: list[str] | None = None,
        where: Where | None = None,
        *,
        overwrite: bool = False,
        allow_secret: bool = False,
    ) -> Imported:
        """Take in records, memory files or plain notes from a file or folder, or JSON lines given as `lines`."""
        from lerim.context import transfer  # Start-up: only an import needs the readers.

        if source is not None:
            incoming, refused = transfer.read_source(source, self._clock())
        else:
            incoming, refused = transfer.read_jsonl(lines or [], "-")
        answer = transfer.allowing if allow_secret else transfer.not_allowing
        incoming = [answer(item) for item in incoming]
        told = source.name if source and self._projects.is_shared else source
        reason = f"imported from {told or 'standard input'}"
        done = transfer.import_records(
            self.target(where), incoming, overwrite=overwrite, reason=reason, progress=self._progress
        )
        done.not_placed = refused + done.not_placed
        return done

    def export_lines(self, wanted: Filter = ANY, which: Which | None = None, *, history: bool = False) -> list[str]:
        """Records as JSON lines, with every version when asked; of where memories are written here, by default."""
        from lerim.context import transfer  # As above.

        return list(transfer.export_jsonl(self._of(wanted, which), self.history if history else None))

    def export_to(
        self, target: Path, wanted: Filter = ANY, which: Which | None = None, *, history: bool = False
    ) -> int:
        """Write records out, into a `.jsonl` file or as Markdown into a folder; how many. Raises UsageError."""
        from lerim.context import transfer  # As above.

        if target.suffix not in ("", ".jsonl") and not target.is_dir():
            raise UsageError(
                f"{target} is neither a .jsonl file nor a folder", hint=f"lerim memory export {target.stem}.jsonl"
            )
        kept = self._of(wanted, which)
        if target.suffix == ".jsonl":
            lines = transfer.export_jsonl(kept, self.history if history else None)
            with open_private(target) as file:
                file.writelines(f"{line}\n".encode() for line in lines)
        else:
            transfer.export_folder(kept, target)
        return len(kept)

    def check(self) -> list[CheckFinding]:
        """Every promise about the memory that does not hold, in all places of this scope."""
        from lerim.context import upkeep  # Start-up: a check is rare.

        places = self._places()
        found = [finding for place in places for finding in upkeep.check(place, self._progress)]
        return found + (upkeep.check_database(places[0]) if places else [])

    def scan(self, *, versions: bool = False, traces: bool = False, fix: bool = False) -> list[SecretFinding]:
        """All that looks like a secret in the places of this scope; masked where it can be when `fix` is asked."""
        from lerim.context import secret_scan  # Start-up: a scan is rare.

        found: list[SecretFinding] = []
        for place in self._places():
            here = secret_scan.scan(place, versions=versions, progress=self._progress)
            found += secret_scan.mask(place, here) if fix and here else here
            found += secret_scan.scan_traces(place, self._progress) if traces else []
        if fix and found:
            self._neighbors.forget_views(None)
        return found

    @not_an_entry
    def rebuild_store(self) -> list[tuple[Place, Reconciled]]:
        """Remake the store from the files: what that changed. A damaged database is replaced by a new one first."""
        from lerim.context import upkeep  # Start-up: a rebuild is rare.

        self._neighbors.distrust_store()
        # Opened now, while nobody is inside a transaction: that may take a look at the local database.
        self._database.guarded(lambda: None)
        done = [(place, upkeep.rebuild_store(place)) for place in self._places()]
        for place, _ in done:
            self._neighbors.forget_index(place.project.id)
        return done

    def rebuild_files(self) -> dict[str, int]:
        """Remake the files from the store. How many were written, by scope."""
        from lerim.context import upkeep  # As above.

        return {place.scope: upkeep.rebuild_files(place) for place in self._places()}

    @not_an_entry
    def reset(self, which: Which, *, backup: bool = True) -> Reset:
        """Forget everything of a scope as it is, with a backup by default. The sessions are global."""
        from lerim.context import upkeep  # Start-up: a reset is rare.

        if which == "project" and self.scope.project is None:
            raise ScopeError("this folder belongs to no project", hint="lerim memory reset --scope global --yes")
        roots = [self.scope.project] * (which != "global") + [self.scope.home] * (which != "project")
        folder = self.scope.home / "backups" / f"reset-{stamp_text(self._clock())}" if backup else None

        def forget() -> Reset:
            known = [project for root in roots if root and (project := self._projects.at(root))]
            return upkeep.reset_all([self._place(project) for project in known], folder)

        done = self._database.guarded(forget)
        # What is global stands in the views of every project.
        self._neighbors.forget_views(self.scope.project if which == "project" else None)
        if which != "project":
            self._neighbors.forget_sessions(done.backup)
        return replace(done, queue_kept=which == "project")

    def _of(self, wanted: Filter, which: Which | None) -> list[Kept]:
        scope = which or ("global" if self.scope.writes() == self.scope.home else "project")
        return [kept for kept in self.select(wanted) if scope in ("both", kept.place.scope)]
