"""What is compressed with zstd, as a plain stream: part of Python since 3.14, an extra before, as few agents do so."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from lerim.errors import SourceError

MAGIC = b"\x28\xb5\x2f\xfd"
INSTALL = "pip install 'lerim[zstd]'"
_CHUNK = 1024 * 1024


@contextlib.contextmanager
def decompressed(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """The plain bytes of a compressed stream that stands in the file at a path. Raises SourceError."""
    try:
        from compression.zstd import ZstdError, ZstdFile  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        with _by_package(path, file) as plain:
            yield plain
        return
    try:
        with ZstdFile(file) as plain:
            yield plain
    except (ZstdError, EOFError) as error:
        raise SourceError(f"cannot read {path}: {error}") from error


def plain_bytes(path: Path, packed: bytes, limit: int) -> bytes:
    """A compressed value out of the database at a path, up to a limit: a few bytes can become gigabytes."""
    with decompressed(path, io.BytesIO(packed)) as plain:
        found = plain.read(limit + 1)
    if len(found) > limit:
        raise SourceError(f"cannot read {path}: a value of more than {limit // 1024 // 1024} MB")
    return found


def row_bytes(path: Path, packed: bytes, limit: int) -> bytes:
    """A compressed value of one row among many: nothing when it is damaged, which costs only that row."""
    try:
        return plain_bytes(path, packed, limit)
    except SourceError as error:
        if error.hint == INSTALL:
            raise
        return b""


@contextlib.contextmanager
def _by_package(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    try:
        import zstandard
    except ImportError:
        raise SourceError(
            # In the message, too: what cannot be read is listed by it, and read once the package is there.
            f"cannot read {path}: it is compressed with zstd, which takes one more package: {INSTALL}",
            hint=INSTALL,
        ) from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as plain:
            yield io.BufferedReader(cast(io.RawIOBase, plain), _CHUNK)
    except zstandard.ZstdError as error:
        raise SourceError(f"cannot read {path}: {error}") from error
