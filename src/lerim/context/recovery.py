"""Opening the store. A damaged one is kept aside, never deleted: a new one takes its place, filled from the files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from lerim.config.scope import STORE
from lerim.context.place import Place
from lerim.context.projects import GLOBAL, Project, Projects, ProjectTrust
from lerim.context.records import Clock
from lerim.errors import StoreCorrupt, StoreError
from lerim.private import make_home, make_private
from lerim.storage.database import Database
from lerim.storage.engine import open_database, salvage
from lerim.storage.quarantine import discard, is_unsound, set_aside

LOCAL = "local"


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


def replace_damaged(home: Path, clock: Clock, stamp: str) -> tuple[Database, str | None]:
    """A sound store in place of a damaged one, filled from the files of every project it knew; and what to tell."""
    damaged = set_aside(home / STORE, "context", stamp)
    database = open_store(home)
    if damaged is None:
        return database, None
    # A connection of its own: whoever noticed may be in the middle of reading theirs.
    with closing(_sound_local(home)) as local:
        taken = _fill(database, local, home, clock, damaged)
    return database, (
        f"the store was damaged: it is kept as {damaged}, and {taken} memories were rebuilt from their files"
        " (their older versions are in the damaged store only)"
    )


def _fill(database: Database, local: Database, home: Path, clock: Clock, damaged: Path) -> int:
    """Take in the files of every project that a damaged store can still be read of. How many memories that gave."""
    projects = Projects(database, home, clock)
    # A store from before trust was kept has two columns less.
    rows = salvage(damaged, "SELECT id, root, name, trust, identity FROM projects") or salvage(
        damaged, "SELECT id, root, name, 'trusted', '' FROM projects"
    )
    known = {
        Path(root): Project(project_id, Path(root), name, ProjectTrust(trust), identity)
        for project_id, root, name, trust, identity in rows
    }
    taken = 0
    for former in {**known, home: Project(GLOBAL, home, GLOBAL)}.values():
        if projects.folder(former).is_dir():
            project = projects.register(former)
            place = Place(project, database, local, projects.folder(project), clock)
            taken += len(place.face.take_in().added)
    return taken
