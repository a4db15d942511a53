"""A damaged database is kept aside, never deleted: a new one takes its place and is filled from the files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

_SIDE_FILES = ("", "-wal", "-shm")


def set_aside(path: Path, is_damaged: Callable[[], bool], stamp: str) -> Path | None:
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
