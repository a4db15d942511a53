"""Changes in folders as the system tells them: inotify, where there is one. Elsewhere nobody tells, and one looks.

Events are hints: what is lost, or never told as on a network drive, is found by the next look.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lerim.sessions.watching import WatchedPlaces

_MODIFY, _CLOSE_WRITE, _MOVED_TO, _CREATE = 0x2, 0x8, 0x80, 0x100
_MOVE_SELF, _OVERFLOW, _IGNORED, _ONLY_DIR = 0x800, 0x4000, 0x8000, 0x01000000
_WRITTEN = _MODIFY | _CLOSE_WRITE | _MOVED_TO | _CREATE | _MOVE_SELF
_BORN = _MOVED_TO | _CREATE
_HEAD = struct.Struct("iIII")
_CHUNK = 64 * 1024
#: Bytes read at once; of more, it only counts that there is some.
_MOST = 1024 * 1024
_FULL = (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class Changed(NamedTuple):
    """Something was written: where, and the name in that folder; without a name, that itself, or it is gone. Without a
    path: so much was written that nobody knows what."""

    path: str
    name: str


class FolderEvents:
    """Hears of changes. Raises OSError where the system does not tell."""

    def __init__(self) -> None:
        self._libc = _libc()
        self._descriptor = self._called(self._libc.inotify_init1, os.O_NONBLOCK | os.O_CLOEXEC)
        self._numbers: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._born: Mapping[str, frozenset[str]] = {}

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        os.close(self._descriptor)

    def watch(self, wanted: WatchedPlaces) -> bool:
        """Hear of these, and of nothing else. Whether there was room for all of them."""
        self._born = {path: names for path, names in wanted.born.items() if path not in wanted.paths}
        masks = dict.fromkeys(wanted.born, _BORN | _ONLY_DIR) | dict.fromkeys(wanted.paths, _WRITTEN)
        for path in [path for path in self._numbers if path not in masks]:
            self._forget(path)
        try:
            for path, mask in masks.items():
                self._add(path, mask)
        except OSError as error:
            if error.errno in _FULL:
                return False
            raise
        return True

    def heard(self) -> Iterator[Changed]:
        """What was written since this was last asked."""
        raw = self._read()
        at = 0
        while at + _HEAD.size <= len(raw):
            number, mask, _, length = _HEAD.unpack_from(raw, at)
            name = os.fsdecode(raw[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0"))
            at += _HEAD.size + length
            path = self._paths.get(number, "")
            if mask & _IGNORED and self._numbers.get(path) == number:
                # It is gone: whoever looks learns where it would appear again.
                del self._numbers[path], self._paths[number]
                yield Changed(path, "")
            elif mask & _OVERFLOW:
                yield Changed("", "")
            elif path and not mask & _IGNORED and name in self._born.get(path, (name,)):
                yield Changed(path, name)

    def _read(self) -> bytes:
        found = bytearray()
        with suppress(BlockingIOError):
            while len(found) < _MOST and (chunk := os.read(self._descriptor, _CHUNK)):
                found += chunk
        return bytes(found)

    def _add(self, path: str, mask: int) -> None:
        try:
            number = self._called(self._libc.inotify_add_watch, self._descriptor, os.fsencode(path), mask)
        except OSError as error:
            if error.errno in _FULL:
                raise
            return  # Gone, or not ours to see.
        self._numbers[path] = number
        self._paths[number] = path

    def _forget(self, path: str) -> None:
        number = self._numbers.pop(path)
        self._paths.pop(number, None)
        self._libc.inotify_rm_watch(self._descriptor, number)

    def _called(self, function: Callable[..., int], *args: object) -> int:
        import ctypes

        found = function(*args)
        if found < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return found


def folder_events() -> FolderEvents | None:
    """What hears of changes on this system; None where one has to look."""
    try:
        return FolderEvents() if sys.platform == "linux" else None
    except (OSError, AttributeError):
        return None


def _libc() -> Any:
    import ctypes  # Only a daemon watches anything.

    return ctypes.CDLL(None, use_errno=True)
