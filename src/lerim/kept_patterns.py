"""Our own patterns as Python compiled them, kept on disk for the next process.

Lerim reads what people say with some two thousand patterns. To compile them takes longer than to read a session with
them, and comes to the same in every process: so what was compiled once is kept in Lerim's own folder, as Python itself
keeps what it compiles of a module. Only processes of ours do so; who imports Lerim keeps its `re` as it is.

Only patterns that a module of ours makes as it is loaded are kept: what is made later may hold what somebody wrote.
What is damaged, what another Python wrote and what others could have written is never used: the pattern is compiled.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import re
import stat
import struct
import sys
import time
import zlib
from array import array
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lerim.digests import blake2b

if TYPE_CHECKING:
    from types import FrameType

#: Seconds of compiling that are worth writing a file.
_WORTH_IT = 0.1
#: More bytes than this are patterns of versions of ours that are gone: the file begins anew.
_MOST_BYTES = 32_000_000
_COUNT = struct.Struct("<I")
#: A pattern's digest, and where it lies in the file: its offset, its length, its checksum.
_ENTRY = struct.Struct("<16sIII")
#: Modules whose frames stand between a pattern and the module that it is of.
_BETWEEN = frozenset({"re", "lerim.glance"})
_LATER = "lerim.lazy_regex"
#: What a file is refused with that is no file of ours, and what Python says of code that it does not take.
_UNUSABLE = (OSError, ValueError, TypeError, EOFError, OverflowError, LookupError, RuntimeError, struct.error)


def keep_patterns(env: Mapping[str, str]) -> None:
    """From here on, take our patterns from Lerim's folder, and put there what this process compiles. A Python whose
    patterns are compiled otherwise than those we know keeps none."""
    folder = _cache_folder(env)
    compiler: Any = getattr(re, "_compiler", None)
    if folder is None or not all(hasattr(compiler, name) for name in ("_sre", "_parser", "_code", "compile")):
        return
    kept = _KeptPatterns(os.path.join(folder, _name(compiler)), compiler)
    compiler.compile = kept.compile
    atexit.register(kept.keep)


def _cache_folder(env: Mapping[str, str]) -> str | None:
    """Where caches lie in Lerim's own folder, which nobody else can write to; None before there is one."""
    home = os.path.expanduser(env.get("LERIM_HOME") or os.path.join(env.get("HOME", ""), ".lerim"))
    with contextlib.suppress(OSError):
        if os.path.isabs(home) and stat.S_ISDIR((found := os.lstat(home)).st_mode) and _is_private(found):
            return os.path.join(home, "cache")
    return None


def _is_private(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _name(compiler: Any) -> str:
    """The name of the file: what is compiled depends on all of this."""
    version = ".".join(map(str, sys.version_info[:3]))
    code = f"{compiler._sre.MAGIC}-{compiler._sre.CODESIZE}-{sys.byteorder}"
    return f"patterns-{sys.implementation.name}-{version}-{code}.bin"


class _KeptPatterns:
    """The patterns that one Python compiles, and its file of them."""

    def __init__(self, path: str, compiler: Any) -> None:
        self._path = path
        self._compiler = compiler
        self._compile: Callable[..., re.Pattern[Any]] = compiler.compile
        #: What this process compiled, by digest, and how many seconds that took.
        self._made: dict[bytes, bytes] = {}
        self._seconds = 0.0

    def compile(self, pattern: Any, flags: int = 0) -> re.Pattern[Any]:
        """What `re` calls to compile a pattern. Raises re.error."""
        if not isinstance(pattern, str) or not _is_ours():
            return self._compile(pattern, flags)
        digest = blake2b(f"{flags:d} {pattern}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with contextlib.suppress(*_UNUSABLE):
            if (entry := self._entry(digest)) is not None:
                return self._made_of(pattern, *marshal.loads(entry))
        return self._compiled(pattern, flags, digest)

    def keep(self) -> None:
        """Write what was compiled in this process, where that took long."""
        if self._seconds < _WORTH_IT:
            return
        with contextlib.suppress(*_UNUSABLE):  # A full disk, or a folder that cannot be written to: nothing is lost.
            known = {} if len(self._data) > _MOST_BYTES else {digest: self._entry(digest) for digest in self._places}
            _put(self._path, {digest: entry for digest, entry in {**known, **self._made}.items() if entry is not None})

    def _compiled(self, pattern: str, flags: int, digest: bytes) -> re.Pattern[str]:
        """The same steps as those of `re`, and their outcome for the file."""
        began = time.perf_counter()
        parsed = self._compiler._parser.parse(pattern, flags)
        state = parsed.state
        code = array("I", self._compiler._code(parsed, flags)).tobytes()
        parts = int(flags | state.flags), state.groups - 1, dict(state.groupdict), code
        self._made[digest] = marshal.dumps(parts)
        made = self._made_of(pattern, *parts)
        self._seconds += time.perf_counter() - began
        return made

    def _made_of(self, pattern: str, flags: int, groups: int, numbers: dict[str, int], code: bytes) -> re.Pattern[str]:
        names: list[str | None] = [None] * (groups + 1)
        for name, number in numbers.items():
            names[number] = name
        listed = array("I", code).tolist()
        return self._compiler._sre.compile(pattern, flags, listed, groups, numbers, tuple(names))  # type: ignore[no-any-return]

    def _entry(self, digest: bytes) -> bytes | None:
        offset, length, checksum = self._places.get(digest, (0, 0, 0))
        entry = self._data[offset : offset + length]
        return entry if length and zlib.crc32(entry) == checksum else None

    @cached_property
    def _data(self) -> Any:
        """The file as it lies on disk; what is not looked for is not read."""
        import mmap

        with contextlib.suppress(*_UNUSABLE), open(self._path, "rb", opener=_open) as file:
            if _is_private(os.fstat(file.fileno())):
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return b""

    @cached_property
    def _places(self) -> dict[bytes, tuple[int, int, int]]:
        with contextlib.suppress(*_UNUSABLE):
            end = _COUNT.size + _COUNT.unpack_from(self._data)[0] * _ENTRY.size
            table = self._data[_COUNT.size : end]
            return {digest: (offset, length, crc) for digest, offset, length, crc in _ENTRY.iter_unpack(table)}
        return {}


def _is_ours() -> bool:
    """Whether a module of ours is being loaded, or looks for a pattern that it made then."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    module: str = frame.f_globals.get("__name__", "") if frame is not None else ""
    while frame is not None and frame.f_globals.get("__name__") == module and module != _LATER:
        if frame.f_code.co_name == "<module>":
            return module.startswith("lerim.")
        frame = frame.f_back
    return module == _LATER


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _put(path: str, entries: Mapping[bytes, bytes]) -> None:
    from pathlib import Path  # Start-up: hardly any process writes one.

    from lerim.private import make_private, put_private

    offset = _COUNT.size + len(entries) * _ENTRY.size
    table = [_COUNT.pack(len(entries))]
    for digest, entry in entries.items():
        table.append(_ENTRY.pack(digest, offset, len(entry), zlib.crc32(entry)))
        offset += len(entry)
    make_private(Path(path).parent)
    put_private(Path(path), b"".join((*table, *entries.values())))
