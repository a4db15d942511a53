"""One process at a time: a lock that goes with its holder, however that one ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: Tries, and seconds between them: who only asks whether somebody holds the lock has it for a moment.
_TRIES, _BETWEEN = 5, 0.02


@contextmanager
def held(lock: str) -> Iterator[bool]:
    """Whether this process has the lock while the block runs. No process that is started from here inherits it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield _is_taken(descriptor)
    finally:
        os.close(descriptor)


def _is_taken(descriptor: int) -> bool:
    """Take the lock, and leave our number in it. Whether nobody else has it."""
    import fcntl  # Not on every system; there nobody stays.

    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_BETWEEN)
            continue
        with suppress(OSError):  # A full disk: nobody learns the number, and the lock holds as well.
            os.truncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return True
    return False


def holder(lock: str) -> int | None:
    """The process that holds the lock, 0 when only that is known; None when nobody does."""
    try:
        import fcntl  # As above.

        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        content = os.pread(descriptor, 32, 0).strip()
        return int(content) if content.isdigit() else 0
    finally:
        os.close(descriptor)
    return None
