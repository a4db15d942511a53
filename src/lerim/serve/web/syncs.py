"""Syncs that somebody starts from a page or a program: each in a process of its own, as by `lerim sync`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from threading import Lock, Thread

_RUN = "from lerim.cli.main import run; run()"


class Syncs:
    """Starts syncs, one at a time. How far one has come is in the database, where everybody sees it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._lock = Lock()
        self._last: subprocess.Popen[bytes] | None = None

    def start(self, folder: str, flags: Sequence[str]) -> tuple[int, bool]:
        """The process that syncs, and whether it was started just now: one that runs is not joined by another."""
        with self._lock:
            if self._last is not None and self._last.poll() is None:
                return self._last.pid, False
            # -P: what lies in that folder is no program of ours. A session of its own: it ends its work, not with us.
            self._last = subprocess.Popen(
                [sys.executable, "-P", "-c", _RUN, "sync", "--json", *flags],
                cwd=folder,
                env=dict(self._env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            Thread(target=self._last.wait, daemon=True).start()  # So that it is gone when it has ended.
            return self._last.pid, True
