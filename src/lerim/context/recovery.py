"""Opening the store. A damaged one is kept aside, never deleted: a new one takes its place, filled from the files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from lerim.context.memory import Place
from lerim.context.projects import Project, Projects
from lerim.context.records import Clock
from lerim.errors import StoreCorrupt, StoreError
from lerim.storage.database import Database
from lerim.storage.sqlite import SqliteDatabase, salvage

STORE = "context.sqlite3"
_SIDE_FILES = ("", "-wal", "-shm")


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
    """Whether the store cannot be trusted. Derived rows do not count: they can be remade in place."""
    try:
        with contextlib.closing(open_store(home)) as database:
            return any("full-text" not in problem for problem in database.problems())
    except StoreCorrupt:
        return True


def replace_damaged(home: Path, clock: Clock, stamp: str) -> tuple[Database, str | None]:
    """A sound store in place of a damaged one, filled from the files of every project it knew; and what to tell."""
    damaged = _set_aside(home / STORE, lambda: is_damaged(home), stamp)
    database = open_store(home)
    if damaged is None:
        return database, None
    projects = Projects(database, home, clock)
    roots = [Path(row[0]) for row in salvage(damaged, "SELECT root FROM projects")]
    taken = 0
    for root in dict.fromkeys([*roots, home]):
        if projects.folder(Project("", root, "")).is_dir():
            project = projects.add(root)
            taken += len(Place(project, database, projects.folder(project), clock).face.take_in().added)
    return database, (
        f"the store was damaged: it is kept as {damaged}, and {taken} memories were rebuilt from their files"
        " (their older versions are in the damaged store only)"
    )


def _set_aside(path: Path, is_damaged: Callable[[], bool], stamp: str) -> Path | None:
    """Move a damaged database out of the way, once, however many processes notice. None when another one did it."""
    with _alone(path.with_name(f"{path.name}.lock")):
        if not is_damaged():
            return None
        target = path.with_name(f"{path.name}.damaged-{stamp}")
        for suffix in _SIDE_FILES:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(target.with_name(target.name + suffix))
        return target


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock that dies with its process."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
