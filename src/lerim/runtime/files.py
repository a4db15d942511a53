"""The file tools of a run, as plain functions: read, glob and grep below the readable roots, write in the run folder.

Each gives a typed value whose `str()` is what a model reads, or raises Refused with a message for it. Whatever is
asked, an answer has a bounded size and takes bounded work.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import BinaryIO

from lerim.context.records import Primitive
from lerim.errors import Refused
from lerim.openat import Folder, reach
from lerim.runtime import boundary
from lerim.runtime.boundary import Spot, plain, show
from lerim.runtime.patterns import Exhausted, Glob, LineSearch, Work, has_magic
from lerim.runtime.roots import Roots

MAX_PAGE = 60_000
MAX_LIMIT = 10_000
MAX_LINE = 2_000
MAX_WRITE = 1_000_000
MAX_FOUND = 1_000
MAX_HITS = 200
#: How much of a line around a match is shown.
MAX_HIT = 300
#: How much of one line, and how many bytes in all, one grep looks at.
MAX_SEARCHED_LINE = 1_000_000
MAX_SEARCHED = 64_000_000
#: How many entries of folders one call looks at, and how deep it goes: each level keeps a folder open.
MAX_ENTRIES = 200_000
MAX_DEPTH = 64
#: How far into a file a page may lie.
MAX_SKIPPED = 512_000_000
_PROBE = 8_192
_CHUNK = 65_536

# Tools of one run may be called at once. An edit reads and then writes; another one in between would be lost.
_writing = threading.Lock()


@dataclass(frozen=True)
class Page:
    """Some lines of a file, or entries of a folder, numbered from `first`; `next` is where the next page begins."""

    path: Path
    lines: tuple[str, ...]
    first: int
    next: int | None
    note: str

    def __str__(self) -> str:
        numbered = [f"{number:>6}\t{line}" for number, line in enumerate(self.lines, self.first)]
        return "\n".join([*numbered, f"({self.note})"])


@dataclass(frozen=True)
class GlobResult:
    """What a glob found: paths in order, cut to what can be shown. `total` counts all of them."""

    paths: tuple[str, ...]
    total: int
    #: Why the search ended early; None when everything was searched.
    stopped: str | None

    def __str__(self) -> str:
        shown = len(self.paths)
        count = f"{self.total} found" if shown == self.total else f"{shown} of {self.total} shown"
        return "\n".join([*self.paths, f"({_joined(count, self.stopped)})"])


@dataclass(frozen=True)
class LineMatch:
    """A line that matches. `text` is the part of it around the match."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Hits:
    """What a grep found, in the order of paths and lines."""

    hits: tuple[LineMatch, ...]
    files: int
    stopped: str | None

    def __str__(self) -> str:
        count = f"{len(self.hits)} matching lines in {self.files} files searched"
        return "\n".join([*map(str, self.hits), f"({_joined(count, self.stopped)})"])


@dataclass(frozen=True)
class WrittenFile:
    """A file of the run folder as it was put in place."""

    path: Path
    size: int
    created: bool

    def __str__(self) -> str:
        return f"{'Wrote' if self.created else 'Replaced'} {show(self.path)}, {self.size} bytes."


def _joined(*parts: str | None) -> str:
    return "; ".join(part for part in parts if part)


# Reading


def read(roots: Roots, file_path: str, offset: int = 1, limit: int = 2000) -> Page:
    """Numbered lines of a file from line `offset` on, or the entries of a folder. Raises Refused.

    A page ends after `limit` lines or at MAX_PAGE bytes. The pages follow each other without gap or overlap.
    """
    path = boundary.resolve(file_path, roots.start)
    first, limit = max(1, offset), max(1, min(limit, MAX_LIMIT))
    with _reading(path, roots) as (folder, name):
        found = folder.look(name)
        if found is not None and stat.S_ISDIR(found.st_mode):
            with folder.enter(name, listing=True) as entered:
                entries = sorted(_entry(entry) for entry in islice(entered.entries(), MAX_ENTRIES))
            return _page(path, iter(entries), first, limit, "entries")
        with folder.open(name) as file:
            if _is_binary(file):
                size = os.fstat(file.fileno()).st_size
                return Page(path, (), first, None, f"a binary file of {size} bytes; it is not shown")
            return _page(path, _texts(file), first, limit, "lines")


def _entry(entry: os.DirEntry[str]) -> str:
    name = plain(entry.name)
    if entry.is_symlink():
        return f"{name} (a link, not followed)"
    if entry.is_dir(follow_symlinks=False):
        return f"{name}/"
    return name if entry.is_file(follow_symlinks=False) else f"{name} (neither a file nor a folder)"


def _page(path: Path, lines: Iterator[str], first: int, limit: int, word: str) -> Page:
    taken: list[str] = []
    number, size = 0, 0
    for number, line in enumerate(lines, 1):
        if number < first:
            continue
        size += len(line.encode()) + len(f"{number:>6}") + 2
        if len(taken) == limit or (taken and size > MAX_PAGE - 200):
            return Page(path, tuple(taken), first, number, f"more {word} follow; read on with offset={number}")
        taken.append(line)
    if number < first and number:
        return Page(path, (), first, None, f"there are {number} {word}; offset={first} is past the last one")
    return Page(path, tuple(taken), first, None, f"end, {number} {word}" if number else f"empty: no {word}")


def _texts(file: BinaryIO) -> Iterator[str]:
    """The lines of a file as they are shown: without their ends, long ones cut."""
    seen = 0
    # Room for MAX_LINE characters of any width and one more, so that whatever did not fit is known to be too long.
    for head, size in _lines(file, 4 * MAX_LINE + 4):
        text = head.decode("utf-8", "replace").rstrip("\r\n")
        yield text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}… [cut: the line has {size} bytes]"
        seen += size
        if seen > MAX_SKIPPED:
            raise Refused("the rest of it is not read, it is too large; use grep")


def _lines(file: BinaryIO, keep: int) -> Iterator[tuple[bytes, int]]:
    """Each line's first `keep` bytes and its size. Only `\n` ends a line: records cite lines by that count."""
    while head := file.readline(keep):
        size, piece = len(head), head
        while not piece.endswith(b"\n") and (piece := file.readline(_CHUNK)):
            size += len(piece)
        yield head, size


def _is_binary(file: BinaryIO) -> bool:
    start = file.read(_PROBE)
    file.seek(0)
    return b"\0" in start


@contextmanager
def _reading(path: Path, roots: Roots) -> Iterator[tuple[Folder, str]]:
    """The open folder that holds `path`, and the name in it."""
    spot = _readable(path, roots)
    with _explaining("read", path), reach(*spot.folder) as folder:
        yield folder, spot.name


def _readable(path: Path, roots: Roots) -> Spot:
    _raise(boundary.check_read(path, roots))
    spot = boundary.locate(path, roots, roots.readable)
    assert spot is not None
    return spot


def _raise(refusal: boundary.Refusal | None) -> None:
    if refusal is not None:
        raise Refused(refusal.message)


@contextmanager
def _explaining(verb: str, path: Path) -> Iterator[None]:
    """Whatever stops a tool becomes one sentence that says what was tried on what."""
    try:
        yield
    except Refused as refused:
        raise Refused(f"Cannot {verb} {show(path)}: {refused}.") from refused
    except FileNotFoundError as error:
        raise Refused(f"Cannot {verb} {show(path)}: no such file or folder.") from error
    except OSError as error:
        raise Refused(f"Cannot {verb} {show(path)}: {error.strerror}.") from error


# Searching


class _Tally:
    """How many entries a walk may still look at, and how many folders and files it had to leave out."""

    def __init__(self) -> None:
        self.left = MAX_ENTRIES
        self.skipped = 0

    def entries(self, folder: Folder) -> list[os.DirEntry[str]]:
        """The folder's entries by name. Raises Exhausted when there are more than may be read."""
        found = [*islice(folder.entries(), self.left + 1)]
        self.left -= len(found)
        if self.left < 0:
            raise Exhausted
        return sorted(found, key=lambda entry: entry.name)

    @contextmanager
    def skipping(self) -> Iterator[None]:
        """One that cannot be opened, or is no longer what it was, does not end the search."""
        try:
            yield
        except (OSError, Refused):
            self.skipped += 1

    def note(self) -> str | None:
        return f"{self.skipped} could not be opened" if self.skipped else None


def glob(roots: Roots, pattern: str, path: str | None = None) -> GlobResult:
    """Files below `path`, or where relative paths start, whose path matches. Raises Refused.

    `**` stands for any number of folders. A pattern that ends with `/` finds folders. Links are not followed and not
    reported, names that begin with a dot only when the pattern writes the dot.
    """
    base, names = _split(roots, pattern, path)
    matching, tally, found, stopped = Glob(names), _Tally(), [], None
    try:
        with _searching(base, roots, path) as folder:
            for _, _, matched in _walk(folder, base, matching, matching.begin(), tally):
                found.append(plain(str(matched)) + ("/" if matching.folders_only else ""))
    except Exhausted:
        stopped = f"stopped after {MAX_ENTRIES} entries, so there may be more; narrow the path"
    found.sort()
    return GlobResult(_fitting(found[:MAX_FOUND]), len(found), _joined(stopped, tally.note()) or None)


def _split(roots: Roots, pattern: str, path: str | None) -> tuple[Path, str]:
    """Where to begin, and the pattern from there on. An absolute pattern begins where its first wildcard stands."""
    boundary.resolve(pattern, roots.start)
    names = Path(pattern).parts
    base = boundary.resolve(path, roots.start) if path else roots.start
    if Path(pattern).is_absolute():
        fixed = [*takewhile(lambda name: not has_magic(name), names[:-1])]
        base, names = boundary.resolve(str(Path(*fixed)), roots.start), names[len(fixed) :]
    if ".." in names:
        raise Refused(f"Cannot search for {show(pattern)}: a pattern goes down only. Give the folder as path.")
    return base, "/".join(names) + ("/" if pattern.endswith("/") else "")


def _fitting(lines: list[str]) -> tuple[str, ...]:
    size, fitting = 0, []
    for line in lines:
        size += len(line.encode()) + 1
        if size > MAX_PAGE - 200:
            break
        fitting.append(line)
    return tuple(fitting)


@contextmanager
def _searching(base: Path, roots: Roots, asked: str | None) -> Iterator[Folder | None]:
    """The folder to search, open. None when it is not there and nobody named it: a new project has no memory yet."""
    spot = _readable(base, roots)
    with _explaining("search", base), ExitStack() as opened:
        folder = None
        with suppress(FileNotFoundError) if asked is None else nullcontext():
            folder = opened.enter_context(reach(spot.root, spot.names, listing=True))
        yield folder


def _walk(
    folder: Folder | None, path: Path, matching: Glob, at: frozenset[int], tally: _Tally, depth: int = 1
) -> Iterator[tuple[Folder, str, Path]]:
    """What matches below, each with the open folder that holds it. Links are passed over."""
    if folder is None:
        return
    for entry in tally.entries(folder):
        name, after = entry.name, matching.step(at, entry.name)
        if not after or entry.is_symlink():
            continue
        below = entry.is_dir(follow_symlinks=False)
        if matching.matches(after) and (below if matching.folders_only else entry.is_file(follow_symlinks=False)):
            yield folder, name, path / name
        if not below or not matching.goes_on(after):
            continue
        if depth == MAX_DEPTH:
            tally.skipped += 1
            continue
        with tally.skipping(), folder.enter(name, listing=True) as entered:
            yield from _walk(entered, path / name, matching, after, tally, depth + 1)


def grep(
    roots: Roots, pattern: str, path: str | None = None, include: str | None = None, max_hits: int = MAX_HITS
) -> Hits:
    """Lines that the regular expression matches, in the file `path` or in the files below it. Raises Refused.

    `include` is a glob that file names must match; with a `/` in it, paths. Binary files are passed over. The search is
    linear in what it reads, whatever the pattern; see `patterns`.
    """
    base = boundary.resolve(path, roots.start) if path else roots.start
    sought = _Grep(LineSearch(pattern, Work()), max(1, min(max_hits, MAX_LIMIT)))
    matching, tally, stopped = _including(include), _Tally(), None
    try:
        with _candidates(base, roots, path, matching, tally) as candidates:
            for folder, name, found in candidates:
                with tally.skipping(), folder.open(name) as file:
                    sought.search(file, plain(str(found)))
    except _Enough as enough:
        stopped = str(enough)
    except Exhausted:
        stopped = "stopped early, that was too much to search; narrow the pattern, the path or include"
    return Hits(tuple(sought.hits), sought.files, _joined(stopped, tally.note()) or None)


def _including(include: str | None) -> Glob:
    if not include:
        return Glob("**")
    boundary.resolve(include, Path("/"))
    return Glob(include if "/" in include else f"**/{include}")


@contextmanager
def _candidates(
    base: Path, roots: Roots, asked: str | None, matching: Glob, tally: _Tally
) -> Iterator[Iterator[tuple[Folder, str, Path]]]:
    """The files to search: the one that was named, or those below the folder."""
    if asked is not None and _is_file(base, roots):
        with _reading(base, roots) as (folder, name):
            yield iter([(folder, name, base)])
    else:
        with _searching(base, roots, asked) as entered:
            yield _walk(entered, base, matching, matching.begin(), tally)


def _is_file(path: Path, roots: Roots) -> bool:
    with _reading(path, roots) as (folder, name):
        found = folder.look(name)
    return found is not None and stat.S_ISREG(found.st_mode)


class _Enough(Exception):
    """There are as many hits as can be shown."""


class _Grep:
    """One search through many files: what it found so far, and how much more it may read and show."""

    def __init__(self, sought: LineSearch, max_hits: int) -> None:
        self.hits: list[LineMatch] = []
        self.files = 0
        self._sought, self._max_hits = sought, max_hits
        self._to_read, self._to_show = MAX_SEARCHED, MAX_PAGE - 300

    def search(self, file: BinaryIO, path: str) -> None:
        """Raises _Enough when no more hits can be shown, Exhausted when no more can be read."""
        start = file.read(MAX_SEARCHED_LINE)
        if b"\0" in start[:_PROBE]:
            return
        self.files += 1
        if len(start) < MAX_SEARCHED_LINE:
            self._search_small(start, path)
            return
        file.seek(0)
        for number, (head, size) in enumerate(_lines(file, MAX_SEARCHED_LINE), 1):
            self._read(size)
            self._look(path, number, head.decode("utf-8", "replace"))

    def _search_small(self, data: bytes, path: str) -> None:
        """Most files are small. One look tells for nearly all of them that no line can match."""
        self._read(len(data))
        text = data.decode("utf-8", "replace")
        if text and self._sought.may_be_in(text):
            for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
                self._look(path, number, line)

    def _read(self, size: int) -> None:
        self._to_read -= size
        if self._to_read < 0:
            raise Exhausted

    def _look(self, path: str, number: int, line: str) -> None:
        line = line.rstrip("\r\n")
        end = self._sought.end(line)
        if end is not None:
            self._keep(LineMatch(path, number, _around(line, end)))

    def _keep(self, hit: LineMatch) -> None:
        self._to_show -= len(str(hit).encode()) + 1
        if len(self.hits) == self._max_hits or self._to_show < 0:
            raise _Enough(f"there are more than these {len(self.hits)}; narrow the pattern, the path or include")
        self.hits.append(hit)


def _around(line: str, end: int) -> str:
    """The part of a line that a match ends in: more of what stands before it than of what follows."""
    if len(line) <= MAX_HIT:
        return line
    start = max(0, min(end - MAX_HIT * 2 // 3, len(line) - MAX_HIT))
    return ("…" if start else "") + line[start : start + MAX_HIT] + ("…" if start + MAX_HIT < len(line) else "")


# Writing


def memory_file(roots: Roots, file_path: str) -> Primitive | None:
    """Which kind of memory `file_path` names, so that the caller can name the right tool. Raises Refused."""
    path = boundary.resolve(file_path, roots.start)
    spellings = (roots.memory, roots.real[roots.memory])
    return next(filter(None, (boundary.memory_primitive(path, root) for root in spellings)), None)


def write(roots: Roots, file_path: str, content: str) -> WrittenFile:
    """Put a file into the run folder, whole or not at all, folders included. Raises Refused, also for memory files."""
    path, spot = _writable("write", roots, file_path)
    with _explaining("write", path):
        data = _encoded(content)
        with _writing, reach(*spot.folder, make=True) as folder:
            return _put(folder, spot.name, path, data)


def _writable(verb: str, roots: Roots, file_path: str) -> tuple[Path, Spot]:
    path = boundary.resolve(file_path, roots.start)
    _raise(boundary.check_write(path, roots))
    spot = boundary.locate(path, roots, () if roots.run_folder is None else (roots.run_folder,))
    if spot is None or memory_file(roots, file_path) is not None:
        raise Refused(
            f"Cannot {verb} {show(path)}: the memory is not written as files. Use write_memory for decisions and "
            f"learnings, summarize_pipeline for summaries. Writable paths: {roots.run_folder}"
        )
    return path, spot


def _encoded(content: str) -> bytes:
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise Refused("the content is not valid Unicode") from error
    if len(data) > MAX_WRITE:
        raise Refused(f"the content has {len(data)} bytes; at most {MAX_WRITE} are written")
    return data


def _put(folder: Folder, name: str, path: Path, data: bytes) -> WrittenFile:
    """Write beside and put in place. What stands there is replaced, never written into, so no link leads out."""
    before = folder.look(name)
    boundary.require_replaceable(before)
    folder.put(name, data)
    return WrittenFile(path, len(data), created=before is None)
