"""The door to the views: shown from disk at once, made anew when the memory has changed.

    lerim.views.show(ViewName.BRIEF).text

A view knows how far the store's changes had come when it was made. Whether it is fresh is one look at where they are
now; nothing is rendered to find out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lerim.config.profiles import CODING
from lerim.config.scope import Scope
from lerim.context.memory import Memory
from lerim.context.projects import Project, Projects, is_global
from lerim.context.records import Clock, Record, RecordId, parse_time
from lerim.context.store import ContextStore
from lerim.dataclass import dataclass, replace
from lerim.digests import blake2b
from lerim.errors import LerimError, UsageError
from lerim.storage.database import Database
from lerim.storage.entries import entries, not_an_entry
from lerim.views.at_hand import branch_at
from lerim.views.view import RenderedView, ViewLine, ViewName, ViewStatus
from lerim.views.writing import Shelf

if TYPE_CHECKING:
    from lerim.config.profiles import Profile
    from lerim.context.grounds import RecordGrounds
    from lerim.context.review.waiting import LaterWord
    from lerim.sessions.served import ServedViews
    from lerim.views.material import HandedOut, Material, ViewedPlace

__all__ = ["RenderedView", "ViewLine", "ViewName", "ViewStatus", "Views"]

#: Agents cut what a hook gives them at 10,000 characters.
LEAST_BUDGET, MOST_BUDGET = 500, 100_000
_T = TypeVar("_T")
#: Who says lines better: by their place, from the lines and the records they cite.
Wording = Callable[[Sequence[ViewLine], Mapping[RecordId, Record]], Mapping[int, ViewLine]]


@entries
@dataclass(frozen=True)
class Views:
    """The views of one scope."""

    memory: Memory
    database: Database
    projects: Projects
    scope: Scope
    clock: Clock
    #: Characters of a view, at most, unless somebody says otherwise.
    budget: int
    #: What sessions were given; None while nobody has looked for sessions on this machine.
    served: Callable[[], ServedViews | None]
    #: What a project's records rest on in their repository.
    grounds: Callable[[str], RecordGrounds]
    #: The kind of work that is told of, and how to learn its headings.
    profile: str
    profile_for: Callable[[str | None], Profile]
    #: Whether the server that keeps the memory cannot be asked now. Nobody waits for it who only reads what is there.
    _is_silent: Callable[[], bool] = lambda: False

    def enter(self, work: Callable[[], _T]) -> _T:
        return self.memory.enter(work)

    @not_an_entry
    def show(self, name: ViewName) -> RenderedView:
        """A view as it lies on disk, and whether it is fresh; made first when there is none yet."""
        found = self._shelf.read(name)
        if found is None:
            return self.refresh(name)
        text, manifest = found
        return self._read(name, text, manifest)

    @not_an_entry
    def status(self, name: ViewName) -> ViewStatus:
        """How a view stands. Looks at no record."""
        shelf = self._shelf
        found = shelf.read(name)
        if found is None:
            return ViewStatus(name, shelf.path(name), False, False, "it was not made yet")
        view, reason = self._read(name, *found), self._stale(found[1])
        sizes = (len(view.records), len(view.text), int(found[1].get("budget", 0)), len(shelf.copies(name)))
        return ViewStatus(name, view.path, True, not reason, reason, view.generated, view.as_of, *sizes)

    @not_an_entry
    def path(self, name: ViewName) -> Path:
        """Where a view lies, or will."""
        return self._shelf.path(name)

    def refresh(
        self, name: ViewName, *, force: bool = False, as_of: datetime | None = None, budget: int | None = None
    ) -> RenderedView:
        """Bring a view up to date on disk. When nothing has changed since, it is left as it is, unless forced.

        What it would have been at `as_of` goes into a dated copy of its own: agents are told the present. One of
        another size stands until the next change. Where nothing can be written, it is only rendered.
        """
        found = None if force or as_of or budget else self._shelf.read(name)
        if found is not None and not self._stale(found[1]):
            return self._read(name, *found)
        return self._write(name, as_of, budget)

    def reword(self, name: ViewName, words: Wording) -> RenderedView:
        """Make a view anew with lines that somebody said better. They are taken as far as there is room; which lines
        there are, and what each cites, stays. Stands until the memory changes."""
        feed, view = self._feed(), self._rendered(name, None, None, None)
        better = words(view.lines, self._cited(view.records))
        view = _with_lines(view, better, self.budget)
        if feed["places"] and not self.database.is_read_only:
            self._shelf.write(view, self._told(feed, self.budget))
        return view

    @not_an_entry
    def refresh_all(self) -> bool:
        """Bring all views up to date after a change, without looking at files: whoever made the change has. Whether the
        global memory has changed, which is in the views of others, too.

        What goes wrong is left to the next one who looks: a view is never worth a failed command.
        """
        with suppress(LerimError, OSError):
            read = {name: self._shelf.read(name) for name in ViewName}
            stale = [name for name, found in read.items() if found is None or self._stale(found[1])]
            feed, material = self._feed(), self._material(None, None)
            for name in stale if feed["places"] and not self.database.is_read_only else ():
                self._shelf.write(self._made(name, material, self.budget), self._told(feed, self.budget))
            before = read[ViewName.BRIEF]
            return before is not None and _global_in(before[1].get("feed")) != _global_in(feed)
        return False

    def render(
        self,
        name: ViewName,
        *,
        as_of: datetime | None = None,
        budget: int | None = None,
        project: Project | None = None,
    ) -> RenderedView:
        """A view as it would be now, or as it would have been at `as_of`; of another project when one is given.
        Nothing is written. Raises UsageError for a budget that no view fits into."""
        return self._rendered(name, as_of, budget, project)

    @not_an_entry
    def forget(self) -> None:
        """Remove this scope's views from disk, and all that they said before."""
        self._shelf.forget()

    # How it is done

    @property
    def _root(self) -> Path | None:
        """The project whose views these are; None for the global memory. Raises ScopeError where there is neither."""
        first = self.scope.reads[0]
        return None if first == self.scope.home else first

    @property
    def _shelf(self) -> Shelf:
        return Shelf(self.scope.home, self._root)

    def _write(self, name: ViewName, as_of: datetime | None, budget: int | None) -> RenderedView:
        # Before the records are read: what changes meanwhile makes it stale, and not the other way round.
        told = self._told(self._feed(), self.budget if budget is None else budget)
        view = self._rendered(name, as_of, budget, None)
        if not told["feed"]["places"] or self.database.is_read_only:
            return view
        if as_of is not None:
            return replace(view, path=self._shelf.keep_copy(view))
        self._shelf.write(view, told)
        return view

    def _told(self, feed: Mapping[str, Any], budget: int) -> dict[str, Any]:
        """What a manifest says besides what the view itself knows."""
        project = self.projects.at(self._root) if self._root else None
        return {
            "feed": feed,
            "branch": branch_at(self._root),
            "grounds": self._grounds(),
            "budget": budget,
            "project": project.id if project else None,
            **({} if self.profile == CODING else {"profile": self.profile}),
        }

    def _rendered(
        self, name: ViewName, as_of: datetime | None, budget: int | None, project: Project | None
    ) -> RenderedView:
        limit = self.budget if budget is None else budget
        if not LEAST_BUDGET <= limit <= MOST_BUDGET:
            raise UsageError(
                f"a view of {limit:,} characters; give {LEAST_BUDGET} to {MOST_BUDGET:,}",
                hint=f"lerim {name} show --budget 9500",
            )
        return self._made(name, self._material(as_of, project), limit)

    def _made(self, name: ViewName, material: Material, budget: int) -> RenderedView:
        from lerim.views.layout import all_lines, all_records  # Start-up: who shows a view does not make one.
        from lerim.views.making import MAKERS

        made = MAKERS[name](material, budget)
        lines, path, as_of = all_lines(made.sections), self._shelf.path(name), material.as_of
        known = (all_records(lines), lines, as_of is None, path, made.data)
        return RenderedView(name, made.text, self.clock(), as_of, *known)

    def _material(self, as_of: datetime | None, project: Project | None) -> Material:
        from lerim.views.at_hand import AtHand, look_around  # As above.
        from lerim.views.material import Material, ViewedPlace

        root = project.root if project and not project.is_global else self._root
        sources = [ViewedPlace(one, ContextStore(self.database, one.id, self.clock)) for one in self._places(project)]
        if as_of is not None:
            # What was at hand at another moment is not known, nor what had been given by then.
            return Material(sources, as_of, self.clock(), AtHand(), **self._headings())
        grounds = [self.grounds(source.project.id) for source in sources]
        suspects = frozenset(one for ground in grounds for one in ground.suspects())
        provisional = frozenset(one for ground in grounds for one in ground.provisional())
        known = (look_around(root), self._handed(root), suspects, provisional, partial(self._opposed, sources))
        disputed = partial(self._disputed, sources)
        return Material(sources, None, self.clock(), *known, disputed=disputed, **self._headings())

    def _opposed(
        self, sources: Sequence[ViewedPlace], ids: Collection[RecordId]
    ) -> dict[RecordId, Collection[RecordId]]:
        from lerim.context.links import Links  # Start-up: only when a view is made.

        found: dict[RecordId, Collection[RecordId]] = {}
        for source in sources:
            found |= Links(self.memory.place(source.project).local, source.project.id).opposed(ids)
        return found

    def _disputed(self, sources: Sequence[ViewedPlace], ids: Collection[RecordId]) -> dict[RecordId, LaterWord]:
        from lerim.context.review.waiting import Waiting  # As above.

        found: dict[RecordId, LaterWord] = {}
        for source in sources:
            with source.store.read() as snapshot:
                found |= Waiting(snapshot).against(ids)
        return found

    def _headings(self) -> dict[str, Any]:
        """What sections are called here, and their order. Nobody has to read a file for what is usual."""
        if self.profile == CODING:
            return {}
        profile = self.profile_for(self.profile)
        return {"headings": profile.headings, "order": profile.order}

    def _cited(self, ids: Sequence[RecordId]) -> dict[RecordId, Record]:
        found: dict[RecordId, Record] = {}
        for place in self._places():
            with ContextStore(self.database, place.id, self.clock).read() as snapshot:
                known = ((one, snapshot.find(one)) for one in ids if one not in found)
                found |= {one: record for one, record in known if record is not None}
        return found

    def _handed(self, root: Path | None) -> HandedOut | None:
        """What sessions were given. A catalog that cannot be read takes nothing away but that."""
        from lerim.views.material import HandedOut

        with suppress(LerimError):
            if (served := self.served()) is not None:
                return HandedOut(served.sums(root), served.uses(root), served.said_again(root))
        return None

    def _places(self, project: Project | None = None) -> list[Project]:
        scope = self.scope
        if project is not None:
            scope = Scope(scope.mode, None if project.is_global else project.root, scope.home)
        return [known for root in scope.reads if (known := self.projects.at(root)) is not None]

    def _feed(self) -> dict[str, Any]:
        """How far the changes of this scope's places have come, and in which store."""
        places = self._places()
        with self.database.read() as tx:
            store = tx.row("SELECT id FROM identity")
            sql = "SELECT id FROM changes WHERE project_id = ? ORDER BY id DESC LIMIT 1"
            newest = {place.id: (tx.row(sql, (place.id,)) or (0,))[0] for place in places}
        return {"store": store[0] if store else "", "places": newest}

    def _grounds(self) -> str:
        """What tells whether other records are suspect or provisional than before."""
        found = (self.grounds(place.id).digest() for place in self._places() if not place.is_global)
        told = "".join(one for one in found if one != "|")
        return blake2b(told.encode(), digest_size=8).hexdigest() if told else ""

    def _stale(self, manifest: Mapping[str, Any]) -> str:
        """Why a view is not fresh; nothing when it is."""
        if self._is_silent():
            return "the memory cannot be reached now"
        if manifest.get("feed") != self.database.guarded(self._feed):
            return "the memory has changed since"
        if manifest.get("branch") != branch_at(self._root):
            return "it was made on another branch"
        if manifest.get("grounds", "") != self._grounds():
            return "what memories rest on in the repository has changed since"
        if manifest.get("profile", CODING) != self.profile:
            return "it was made by another profile"
        return ""

    def _read(self, name: ViewName, text: str, manifest: Mapping[str, Any]) -> RenderedView:
        from lerim.views.layout import read_lines

        as_of = parse_time(manifest["as_of"]) if manifest.get("as_of") else None
        records = tuple(RecordId(one) for one in manifest.get("records", ()))
        generated = parse_time(str(manifest.get("generated_at")))
        is_fresh = not self._stale(manifest)
        return RenderedView(name, text, generated, as_of, records, read_lines(text), is_fresh, self._shelf.path(name))


def _with_lines(view: RenderedView, better: Mapping[int, ViewLine], budget: int) -> RenderedView:
    """A view with some of its lines said otherwise, as long as it does not grow over its budget."""
    from lerim.views.layout import cited

    text, lines = view.text, list(view.lines)
    for at, line in sorted(better.items()):
        said = text.replace(f"{cited(lines[at])}\n", f"{cited(line)}\n", 1)
        if len(said) <= budget:
            text, lines[at] = said, line
    return replace(view, text=text, lines=tuple(lines))


def _global_in(feed: Any) -> Any:
    """How far the global memory had come in a feed that a manifest may or may not have."""
    places = feed.get("places") if isinstance(feed, dict) else None
    return next((places[one] for one in places if is_global(one)), None) if isinstance(places, dict) else None
