"""Opening the store. A damaged one is kept aside, never deleted: a new one takes its place, filled from the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from lerim.config.scope import STORE, lerim_dir
from lerim.context.place import Place
from lerim.context.projects import GLOBAL, Project, Projects, ProjectTrust, is_closed
from lerim.context.records import Clock
from lerim.dataclass import dataclass, replace
from lerim.errors import StoreCorrupt, StoreError
from lerim.private import make_home, make_private
from lerim.storage.database import Database
from lerim.storage.engine import open_database, salvage
from lerim.storage.quarantine import discard, is_unsound, set_aside

LOCAL = "local"


@dataclass(frozen=True)
class StoreCopy:
    """A sound copy of the store, and what it is called where it can be restored."""

    name: str
    path: Path


#: The newest copy that a home has.
FindCopy = Callable[[Path], StoreCopy | None]
#: Gives a place what waited for review in these stores, and says how many wait there now.
Rescue = Callable[[Sequence[Path], Place], int]


def open_store(home: Path) -> Database:
    """The Context Store of a home, made if need be. Raises StoreCorrupt, StoreTooNew, StoreBusy or StoreError."""
    _make(home, home)
    return open_database(home / STORE, "context")


def local_path(home: Path) -> Path:
    return home / "index" / f"{LOCAL}.sqlite3"


def open_local(home: Path) -> Database:
    """What this machine notes about its files and its index, in a database of its own, made if need be."""
    _make(local_path(home).parent, home)
    return open_database(local_path(home), LOCAL, derived=True)


def replace_local(home: Path) -> Database:
    """A sound local database in place of a damaged one, which is thrown away: what was in it is found out again."""
    discard(local_path(home), LOCAL)
    return open_local(home)


def _sound_local(home: Path) -> Database:
    try:
        return open_local(home)
    except StoreCorrupt:
        return replace_local(home)


def _make(folder: Path, home: Path) -> None:
    try:
        # Conversations end up here: for the owner's eyes only.
        make_home(home)
        if folder != home:
            make_private(folder)
    except OSError as error:
        raise StoreError(
            f"cannot create {folder}: {error.strerror}", hint="set LERIM_HOME to a folder you can write to"
        ) from error


def is_damaged(home: Path) -> bool:
    """Whether the store cannot be trusted."""
    return is_unsound(home / STORE, "context")


def replace_damaged(
    home: Path, clock: Clock, stamp: str, find_copy: FindCopy, rescue: Rescue
) -> tuple[Database, str | None]:
    """A sound store in place of a damaged one, filled from the files of every project it knew; and what to tell.

    Where the damaged one cannot say which these were, and whether they are trusted, the newest copy does. What waits
    for review is in no file: it is read from what is left of the damaged one, and then from the copy.
    """
    damaged = set_aside(home / STORE, "context", stamp)
    database = open_store(home)
    if damaged is None:
        return database, None
    kept = find_copy(home)
    known = _projects_of(damaged) or [_as_it_is_now(one, home) for one in (_projects_of(kept.path) if kept else ())]
    # A connection of its own: whoever noticed may be in the middle of reading theirs.
    with closing(_sound_local(home)) as local:
        places = list(_places(database, local, home, clock, known))
        taken = sum(len(place.face.take_in().added) for place in places)
        waiting = sum(rescue([damaged, *([kept.path] if kept else [])], place) for place in places)
    return database, _told(damaged, taken, waiting, kept, knows_projects=bool(known))


def _told(damaged: Path, taken: int, waiting: int, kept: StoreCopy | None, *, knows_projects: bool) -> str:
    count = f"{taken} memor{'y was' if taken == 1 else 'ies were'}"
    told = f"the store was damaged: it is kept as {damaged}, and {count} rebuilt from their files"
    told += f", {waiting} that wait for review from what could be read" if waiting else ""
    if not knows_projects:
        told += (
            "; which projects it knew cannot be read: the next command in each picks its files up, as shared ones until"
            " lerim project trust"
        )
    if kept is None:
        return f"{told} (there is no backup: what else it knew is in the damaged store only)"
    return f"{told}; older versions are in the newest backup: lerim restore {kept.name}"


def _projects_of(store: Path) -> list[Project]:
    """The projects that a store knows, as far as it can be read."""
    # A store from before trust was kept has two columns less.
    rows = salvage(store, "SELECT id, root, name, trust, identity FROM projects") or salvage(
        store, "SELECT id, root, name, 'trusted', '' FROM projects"
    )
    return [
        Project(project_id, Path(root), name, ProjectTrust(trust), identity)
        for project_id, root, name, trust, identity in rows
    ]


def _as_it_is_now(project: Project, home: Path) -> Project:
    """A project as an older copy knew it. Trust that was taken back since is not given again: the folder shows it."""
    was_taken_back = project.said is ProjectTrust.TRUSTED and is_closed(lerim_dir(project.root, home))
    return replace(project, said=ProjectTrust.UNTRUSTED) if was_taken_back else project


def _places(database: Database, local: Database, home: Path, clock: Clock, known: Iterable[Project]) -> Iterator[Place]:
    """The places of the projects that are known and have a folder, and the global one."""
    projects = Projects(database, home, clock)
    for former in {**{one.root: one for one in known}, home: Project(GLOBAL, home, GLOBAL)}.values():
        if projects.folder(former).is_dir():
            project = projects.register(former)
            yield Place(project, database, local, projects.folder(project), clock)
