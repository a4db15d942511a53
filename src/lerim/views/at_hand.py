"""What somebody is at: the branch and the files that changed, as far as git's own files tell. No program is run."""

from __future__ import annotations

import os
from pathlib import Path

from lerim.dataclass import dataclass

#: Entries of an index that are looked at, and the bytes of it that are read: a look, not a search.
MOST_ENTRIES = 20_000
MOST_BYTES = 8_000_000
#: Files that count as at hand.
MOST_FILES = 40
_HEADER = ">4sII"
_ENTRY = ">10I20sH"
_SKIPPED = 0x4000  # The flag of entries with more flags behind them.


@dataclass(frozen=True)
class AtHand:
    """The branch somebody is on, and the files of theirs that differ from what git last saw; repository paths."""

    branch: str = ""
    files: tuple[str, ...] = ()


def look_around(root: Path | None) -> AtHand:
    """What is at hand in a repository; nothing where there is none, or where it cannot be read."""
    if root is None:
        return AtHand()
    git = _git_dir(root)
    return AtHand() if git is None else AtHand(_branch(git), _changed(root, git))


def branch_at(root: Path | None) -> str:
    """The branch alone: for those who have no time to look at files."""
    git = None if root is None else _git_dir(root)
    return "" if git is None else _branch(git)


def _git_dir(root: Path) -> Path | None:
    pointer = root / ".git"
    try:
        if pointer.is_dir():
            return pointer
        text = _start_of(pointer, 4096).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    return root / text.removeprefix("gitdir:").strip() if text.startswith("gitdir:") else None


def _branch(git: Path) -> str:
    try:
        text = _start_of(git / "HEAD", 1024).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
    found = text.removeprefix("ref: refs/heads/")
    return "".join(c for c in found if c.isprintable())[:200] if found != text else ""


def _changed(root: Path, git: Path) -> tuple[str, ...]:
    """Files whose size or time is not what git's index has: what `git status` looks at first."""
    try:
        data = _start_of(git / "index", MOST_BYTES)
    except (OSError, ValueError):
        return ()
    found, top = [], str(root)
    for path, size, seconds in _entries(data):
        try:
            now = os.lstat(os.path.join(top, path))  # noqa: PTH118 - thousands of them
        except (OSError, ValueError):
            continue
        if now.st_size & 0xFFFFFFFF != size or int(now.st_mtime) & 0xFFFFFFFF != seconds:
            found.append((-now.st_mtime, path))
    return tuple(path for _, path in sorted(found)[:MOST_FILES])


def _entries(data: bytes) -> list[tuple[str, int, int]]:
    """The paths of an index with their size and time. Of version 4, whose paths are packed, nothing is told."""
    from struct import calcsize, unpack_from  # Start-up: who only wants the branch needs it not.

    begin, length = calcsize(_HEADER), calcsize(_ENTRY)
    if len(data) < begin:
        return []
    magic, version, count = unpack_from(_HEADER, data)
    if magic != b"DIRC" or version not in (2, 3) or count > MOST_ENTRIES:
        return []
    found, at = [], begin
    for _ in range(count):
        if at + length > len(data):
            break
        fields = unpack_from(_ENTRY, data, at)
        seconds, size, flags = fields[2], fields[9], fields[11]
        start = at + length + (2 if version == 3 and flags & _SKIPPED else 0)
        end = data.find(b"\0", start)
        if end < 0:
            break
        path = data[start:end].decode("utf-8", "replace")
        if path and not path.startswith("/") and ".." not in path.split("/"):
            found.append((path, size, seconds))
        at += ((end - at) // 8 + 1) * 8
    return found


def _start_of(path: Path, limit: int) -> bytes:
    """The beginning of a plain file. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit)
