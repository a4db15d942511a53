"""Index in another process, so that nobody has to wait: one at a time, and gone when it is done."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from lerim.private import make_private

_INDEX = "from lerim.cli.main import run; run()"
LOCK = "indexing.lock"


def start(folder: Path, env: Mapping[str, str]) -> bool:
    """See that a process indexes: one that is at it already, or a new one. False when none can be started."""
    make_private(folder)
    # The new process inherits the lock and holds it as long as it lives, however it ends.
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        os.set_inheritable(lock, True)
        # -P: what lies in the folder somebody stands in is no program of ours, whatever it is called.
        argv = [sys.executable, "-P", "-c", _INDEX, "index", "--json"]
        quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        # A session of its own: closing the terminal does not end it.
        os.posix_spawn(sys.executable, argv, dict(env), file_actions=quiet, setsid=True)
    except (OSError, NotImplementedError):
        return False
    finally:
        os.close(lock)
    return True
