"""Keeping the memory of a scope true: a run for each of its places, plans as files, and runs taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Project
from lerim.context.records import Clock, Record, RecordId, stamp_text
from lerim.context.store import RunChanges
from lerim.curate.applying import AppliedItem
from lerim.curate.history import RUNS
from lerim.curate.plan_file import PlacePlan, PlanDocument, read_plan, render_plan
from lerim.curate.undo import UndoneRun, undo_run
from lerim.curate.unwanted import decline
from lerim.dataclass import dataclass
from lerim.errors import Conflict, NotFound, StoreError, UsageError
from lerim.private import make_private, open_private
from lerim.storage.entries import entries

if TYPE_CHECKING:
    from lerim.runtime.curator import Curator
    from lerim.runtime.results import MaintainResult

#: Runs that are listed as ones to take back.
UNDOABLE = 20
#: Plans that are kept where nobody said where.
_KEPT = 30
_NAME = "maintain-{}.md"
_T = TypeVar("_T")


@dataclass(frozen=True)
class WrittenPlan:
    """A plan, and the file it lies in; none when there is nothing to do and nobody named one."""

    document: PlanDocument
    path: Path | None


@entries
class Maintenance:
    """What is done to keep the places of one scope true. `agent` drives the runs of a project."""

    def __init__(self, memory: Memory, agent: Callable[[Project], Curator], home: Path, clock: Clock) -> None:
        self._memory = memory
        self._agent = agent
        self._home = home
        self._clock = clock

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._memory.enter(work)

    def maintain(self, *, unattended: bool = False) -> list[MaintainResult]:
        """Do what may be done, in every place: unattended, only what needs nobody's eye. What waits for a person is
        put into a plan, which the results name."""
        places = self._memory.places()
        results = [self._agent(place.project).maintain(place.folder.root, unattended=unattended) for place in places]
        waiting = [
            PlacePlan(_name(place), result.left)
            for place, result in zip(places, results, strict=True)
            if result.left is not None and result.left.items
        ]
        if not waiting:
            return results
        path = str(self._write(PlanDocument(self._clock(), tuple(waiting)), None))
        return [result.with_plan(path) if result.waiting else result for result in results]

    def plan(self, path: Path | None = None) -> WrittenPlan:
        """Write down what could be done, into a file; the memory stays as it is. A file that nobody named is written
        only when there is something to do."""
        plans = [
            PlacePlan(_name(place), self._agent(place.project).plan(place.folder.root))
            for place in self._memory.places()
        ]
        document = PlanDocument(self._clock(), tuple(plans))
        if path is None and not any(document.numbered()):
            return WrittenPlan(document, None)
        return WrittenPlan(document, self._write(document, path))

    def apply(self, path: Path, items: Sequence[int] = ()) -> list[MaintainResult]:
        """Do what a plan says: these items of it, or all that are not left to a person. What became stale is refused,
        item by item. Raises UsageError for what is no plan, or has no such item."""
        document = read_plan(path)
        chosen = document.chosen(items)
        found = []
        for part in document.places:
            if not items or part.plan.project in chosen:
                place = self._place_of(part)
                named = chosen.get(part.plan.project) if items else None
                found.append(self._agent(place.project).apply(part.plan, named, place.folder.root))
        return found

    def decline(self, path: Path, items: Sequence[int]) -> list[AppliedItem]:
        """Say no to these items of a plan: they are not proposed again while their records say what they say. Raises
        UsageError for what is no plan, or has no such item."""
        document = read_plan(path)
        chosen = document.chosen(items)
        found: list[AppliedItem] = []
        for part in document.places:
            if part.plan.project in chosen:
                found += decline(self._place_of(part), chosen[part.plan.project], self._clock())
        return found

    def undo(self, run: str, only: Sequence[str] = ()) -> list[UndoneRun]:
        """Take back all that a run did, in files and store. `run` is its id, its beginning or its last letters. With
        `only`, what it did to these records: of a maintenance run the items that concern them.

        Raises NotFound, and Conflict when several are meant, or only a part of what is taken back as a whole.
        """
        meant = [(place, one) for place, found in self._undoable() for one in found if _is_meant(one.run_id, run)]
        names = list(dict.fromkeys(one.run_id for _, one in meant))
        if not names:
            raise NotFound(f"no run '{run}' changed anything here that can be taken back", hint="lerim undo")
        if len(names) > 1 and run not in names:
            raise Conflict(f"'{run}' could be {', '.join(names[:5])}", hint="type more of it")
        chosen = run if run in names else names[0]
        if only and not chosen.startswith(RUNS):
            raise Conflict(f"'{chosen}' was one change, which is taken back whole", hint=f"lerim undo {chosen}")
        return [undo_run(place, chosen, only) for place, one in meant if one.run_id == chosen]

    def undoable(self, limit: int = UNDOABLE) -> list[RunChanges]:
        """The newest runs of this scope that can be taken back."""
        found = [one for _, runs in self._undoable(limit) for one in runs]
        return sorted(found, key=lambda one: (one.at, one.run_id), reverse=True)[:limit]

    def _undoable(self, limit: int = 10_000) -> list[tuple[Place, list[RunChanges]]]:
        found = []
        for place in self._memory.places():
            with place.store.read() as snapshot:
                found.append((place, snapshot.runs(limit)))
        return found

    def _place_of(self, part: PlacePlan) -> Place:
        place = next((one for one in self._memory.places() if one.project.id == part.plan.project), None)
        if place is None:
            raise UsageError(
                f"the plan is about {part.name}, which is not the memory of this folder", hint="cd into that project"
            )
        return place

    def _write(self, document: PlanDocument, path: Path | None) -> Path:
        path = path or self._free_path()
        try:
            text = render_plan(document, self._find, path)
            with open_private(path) as file:
                file.write(text.encode())
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written: {error.strerror or error}", hint="lerim maintain --plan FILE"
            ) from error
        return path

    def _free_path(self) -> Path:
        """A name of its own: nobody shall apply by number what is not what they read."""
        folder = make_private(self._home / "plans")
        for old in sorted(folder.glob(_NAME.format("*")))[: -_KEPT + 1]:
            old.unlink(missing_ok=True)
        stamp, number = stamp_text(self._clock()), 1
        path = folder / _NAME.format(stamp)
        while path.exists():
            number += 1
            path = folder / _NAME.format(f"{stamp}-{number}")
        return path

    def _find(self, project: str, record_id: RecordId) -> Record | None:
        place = next(one for one in self._memory.places() if one.project.id == project)
        with place.store.read() as snapshot:
            return snapshot.find(record_id)


def _name(place: Place) -> str:
    return "global memory" if place.project.is_global else f"{place.project.name} ({place.project.root})"


def _is_meant(run_id: str, name: str) -> bool:
    return bool(name) and (run_id.startswith(name) or run_id.rpartition("-")[2] == name)
