"""What the daemon did, line by line: a file for its owner alone, which makes room before it grows large."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lerim.printable import one_line
from lerim.private import make_private

LOG, FOLDER = "daemon.log", "daemon"
#: Bytes of one file, and how many older ones stay beside it.
MOST, KEPT = 512 * 1024, 3
_LONGEST = 2000
_TAIL = 64 * 1024
ERROR, INFO = "error", "info"

#: Hears each line as it is written.
Tell = Callable[[str], None]


def log_path(home: Path) -> Path:
    return home / FOLDER / LOG


class DaemonLog:
    """The log of a home. Nothing that goes wrong with it is worth ending for: a full disk keeps no lines."""

    def __init__(self, home: Path, tell: Tell = lambda line: None, most: int = MOST) -> None:
        self.path = log_path(home)
        self._tell = tell
        self._most = most

    def info(self, text: str) -> None:
        self._write(INFO, text)

    def error(self, text: str) -> None:
        self._write(ERROR, text)

    def _write(self, level: str, text: str) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = one_line(f"{now} {level} {text}"[:_LONGEST])
        self._tell(line)
        with suppress(OSError):
            self._append(f"{line}\n".encode("utf-8", "backslashreplace"))

    def _append(self, line: bytes) -> None:
        make_private(self.path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.path, flags, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            os.write(descriptor, line)
            is_full = os.fstat(descriptor).st_size >= self._most
        finally:
            os.close(descriptor)
        if is_full:
            self._rotate()

    def _rotate(self) -> None:
        for number in range(KEPT, 0, -1):
            older = self.path if number == 1 else self.path.with_name(f"{LOG}.{number - 1}")
            with suppress(FileNotFoundError):
                os.replace(older, self.path.with_name(f"{LOG}.{number}"))


def last_errors(home: Path, count: int) -> list[tuple[str, str]]:
    """When the last things went wrong, and what, as the log has them; oldest first."""
    found: list[tuple[str, str]] = []
    for name in (f"{LOG}.1", LOG):
        with suppress(OSError):
            found += [error for line in _tail(home / FOLDER / name) if (error := _error_in(line))]
    return found[-count:]


def _tail(path: Path) -> list[str]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, _TAIL, max(size - _TAIL, 0)).decode("utf-8", "replace").splitlines()
    finally:
        os.close(descriptor)


def _error_in(line: str) -> tuple[str, str] | None:
    at, level, text = [*line.split(" ", 2), "", ""][:3]
    return (at, text) if level == ERROR and text else None
