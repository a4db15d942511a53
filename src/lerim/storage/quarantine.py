"""What to do about a damaged database file: tell it from a sound one, and move it out of the way without losing it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from lerim.errors import StoreCorrupt
from lerim.private import lock_file
from lerim.storage.engine import open_database

#: A SQLite database is up to three files.
SIDE_FILES = ("", "-wal", "-shm")


def is_unsound(path: Path, name: str) -> bool:
    """Whether a database is damaged. Derived rows do not count: they can be remade in place."""
    try:
        with contextlib.closing(open_database(path, name)) as database:
            return any("full-text" not in problem for problem in database.problems())
    except StoreCorrupt:
        return True


def set_aside(path: Path, name: str, stamp: str) -> Path | None:
    """Move a damaged database out of the way, once, however many processes notice. None when another one did it."""
    with alone(path.with_name(f"{path.name}.lock")):
        if not is_unsound(path, name):
            return None
        target = path.with_name(f"{path.name}.damaged-{stamp}")
        for suffix in SIDE_FILES:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(target.with_name(target.name + suffix))
        return target


def discard(path: Path, name: str) -> None:
    """Throw a damaged database away whose content can be made again."""
    with alone(path.with_name(f"{path.name}.lock")):
        if path.exists() and is_unsound(path, name):
            for suffix in SIDE_FILES:
                path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock that dies with its process."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock_file(descriptor)
        yield
    finally:
        os.close(descriptor)
