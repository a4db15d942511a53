"""Opening the store. A damaged one is kept aside, never deleted: a new one takes its place, filled from the files."""

from __future__ import annotations

from pathlib import Path

from lerim.context.place import Place
from lerim.context.projects import GLOBAL, Project, Projects
from lerim.context.records import Clock
from lerim.errors import StoreError
from lerim.storage.database import Database
from lerim.storage.quarantine import is_unsound, set_aside
from lerim.storage.sqlite import SqliteDatabase, salvage

STORE = "context.sqlite3"


def open_store(home: Path) -> Database:
    """The Context Store of a home, made if need be. Raises StoreCorrupt, StoreTooNew, StoreBusy or StoreError."""
    try:
        # Conversations end up here: for the owner's eyes only.
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot create {home}: {error.strerror}", hint="set LERIM_HOME to a folder you can write to"
        ) from error
    return SqliteDatabase(home / STORE, "context")


def is_damaged(home: Path) -> bool:
    """Whether the store cannot be trusted."""
    return is_unsound(home / STORE, "context")


def replace_damaged(home: Path, clock: Clock, stamp: str) -> tuple[Database, str | None]:
    """A sound store in place of a damaged one, filled from the files of every project it knew; and what to tell."""
    damaged = set_aside(home / STORE, "context", stamp)
    database = open_store(home)
    if damaged is None:
        return database, None
    projects = Projects(database, home, clock)
    rows = salvage(damaged, "SELECT id, root, name FROM projects")
    known = {Path(root): Project(project_id, Path(root), name) for project_id, root, name in rows}
    taken = 0
    for former in {**known, home: Project(GLOBAL, home, GLOBAL)}.values():
        if projects.folder(former).is_dir():
            project = projects.register(former)
            taken += len(Place(project, database, projects.folder(project), clock).face.take_in().added)
    return database, (
        f"the store was damaged: it is kept as {damaged}, and {taken} memories were rebuilt from their files"
        " (their older versions are in the damaged store only)"
    )
