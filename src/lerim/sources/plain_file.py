"""Opening an agent's file: a regular one, whatever took its place since it was listed. Nothing is waited for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lerim.errors import SourceError

#: A document has to be read whole. No session is as large as this.
MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
BOM = b"\xef\xbb\xbf"
_CHUNK = 1024 * 1024


@contextmanager
def opened_file(path: Path) -> Iterator[BinaryIO]:
    """A regular file, for reading. Raises SourceError when it is gone, unreadable, a folder, a pipe or a device."""
    try:
        with os.fdopen(_descriptor(path), "rb", buffering=_CHUNK) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceError(f"cannot read {path}: not a regular file")
            yield file
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error


def _descriptor(path: Path) -> int:
    try:
        # A pipe that nobody writes to would be waited for.
        return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:
        raise SourceError(f"cannot read {path!r}: {error}") from error


def read_bytes(path: Path) -> bytes:
    """A file's bytes without a byte order mark. Raises SourceError."""
    with opened_file(path) as file:
        # One more than may be: a file can grow, or lie about its size.
        raw = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise SourceError(f"cannot read {path}: larger than {MAX_DOCUMENT_BYTES // 1024 // 1024} MB")
    return raw.removeprefix(BOM)


def read_head(path: Path, size: int = 4096) -> bytes:
    """The beginning of a file without blanks before it, to tell what it is; empty when it cannot be read."""
    try:
        with opened_file(path) as file:
            return file.read(size).removeprefix(BOM).lstrip()
    except SourceError:
        return b""
