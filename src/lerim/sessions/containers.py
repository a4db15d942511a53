"""What changed on disk since the last look: one `stat` for what did not, both ends of a file for what did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import chain
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.digests import blake2b
from lerim.errors import SourceError
from lerim.sources.base import Container, Machine, Source

#: mtime_ns, size and inode, as a source gives them.
Stat = tuple[int, int, int]

_HEAD = 16 * 1024
_TAIL = 4 * 1024
_LARGEST = 2**63 - 1


class SessionChange(StrEnum):
    """What became of a session since the last look."""

    NEW = "new"
    GROWN = "grown"  # appended to; what was there before is unchanged
    REWRITTEN = "rewritten"  # shrunk, replaced, or edited in its earlier part
    CHANGED = "changed"  # inside a database, which does not show how
    VANISHED = "vanished"
    SAME = "same"  # touched or moved: the content is what it was


@dataclass(frozen=True)
class UnreadableContainer:
    """A place that could not be read, and why."""

    agent: str
    path: Path
    reason: str


@dataclass
class Scan:
    """One walk through a source's roots."""

    seen: int = 0
    changed: list[Container] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    troubles: list[UnreadableContainer] = field(default_factory=list)


@dataclass(frozen=True)
class Before:
    """A container as it was when last inspected."""

    size: int
    inode: int
    digest: str | None


def walk(source: Source, machine: Machine, known: Mapping[str, Stat]) -> Scan:
    """Compare every container with what is known of it. No file is opened."""
    scan, unseen = Scan(), set(known)
    changed: dict[str, Container] = {}
    for root in source.roots(machine):
        try:
            for container in source.containers(root):
                path = str(container[1])
                scan.seen += 1
                unseen.discard(path)
                before = known.get(path)
                if before != container[2] and before != fit(container[2]):
                    changed[path] = container
        except (OSError, SourceError) as error:
            scan.troubles.append(UnreadableContainer(source.name, root, str(error)))
    # Oldest first: a scan that is interrupted has then cataloged a beginning, not a random part.
    scan.changed = sorted(changed.values(), key=lambda container: container.state)
    # A folder that could not be read says nothing about what is in it.
    scan.missing = [] if scan.troubles else sorted(unseen)
    return scan


def compare(before: Before | None, container: Container) -> tuple[SessionChange, str]:
    """What happened to a file that is one session, and the digest of it as it is now. Raises OSError."""
    _, size, inode = fit(container.state)
    digest = sample(container.path, size)
    if before is None or before.digest is None:
        return SessionChange.NEW, digest
    if (before.size, before.digest) == (size, digest):
        return SessionChange.SAME, digest
    may_have_grown = inode == before.inode and size > before.size
    if may_have_grown and sample(container.path, before.size) == before.digest:
        return SessionChange.GROWN, digest
    return SessionChange.REWRITTEN, digest


def sample(path: Path, size: int) -> str:
    """A digest of the beginning and the end of the first `size` bytes: agents append, and rewrite whole files."""
    tail_at = max(size - _TAIL, 0)
    with path.open("rb") as file:
        found = blake2b(file.read(min(size, _HEAD)), digest_size=16)
        file.seek(tail_at)
        found.update(file.read(size - tail_at))
    return found.hexdigest()


def fit(stat: Stat) -> Stat:
    """The same numbers as an integer column can hold: some file systems number files with all 64 bits."""
    mtime_ns, size, inode = stat
    return mtime_ns, size, inode & _LARGEST


def batches(containers: list[Container], extra: list[Container], length: int) -> Iterator[list[Container]]:
    """The containers in pieces, each as much as is worth doing again after a kill."""
    everything = list({str(c.path): c for c in chain(extra, containers)}.values())
    for start in range(0, len(everything), length):
        yield everything[start : start + length]
