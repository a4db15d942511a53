"""The archive of canonical traces: `meta/traces/sessions/<agent>/<run_id>.jsonl`. Evidence cites its lines by number.

Nothing gets here unredacted. A session that grew adds lines; what was cited stays where it was. Should an agent have
rewritten its own history, the trace that was cited is kept beside the new one.
"""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lerim import openat
from lerim.dataclass import dataclass
from lerim.digests import blake2b
from lerim.errors import Refused, SourceError, UnsafePath
from lerim.private import sync_folder, tighten
from lerim.sessions.facts import SessionFacts, Tally
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Header, Line, decode, encode_all

_UNDONE = ',"undone":true'
#: More than any trace of ours has: what is cut from tools and pastes keeps them far below.
_MOST_BYTES = 1 << 30
_LONGEST_LINE = 16 << 20


@dataclass(frozen=True)
class Archived:
    """A trace in the archive: where it is, what it amounts to, and what became of every record of its source."""

    path: Path
    lines: int
    facts: SessionFacts
    account: Account
    #: The trace as it was cited before, when the agent rewrote its history.
    earlier: Path | None


@dataclass(frozen=True)
class ReadTrace:
    """A redacted session that was read to its end: its trace as the archive would keep it, and what it amounts to."""

    trace: bytes
    facts: SessionFacts
    account: Account


@dataclass(frozen=True)
class ShownTrace:
    """The lines of a session as evidence cites them, and where they are from."""

    path: Path
    items: list[tuple[int, Header | Line]]
    account: Account


@dataclass(frozen=True)
class TraceWindow:
    """Some lines of a session as evidence cites them: those of a long one are never all held."""

    items: list[tuple[int, Header | Line]]
    #: The number of its last line; None when nobody read that far.
    last: int | None
    #: Whether they are from the archive; else from the agent's own files, as they are now.
    is_archived: bool


def trace_path(folder: Path, agent: str, run_id: str) -> Path:
    """Where a session's trace belongs under a project's `.lerim`."""
    return folder / "meta" / "traces" / "sessions" / safe_name(agent) / f"{safe_name(run_id)}.jsonl"


def read_whole(reading: Reading) -> ReadTrace:
    """Read a redacted session to its end, into memory."""
    tally = Tally(reading.header)
    lines = encode_all(tally.header, tally.through(reading.lines))
    trace = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    return ReadTrace(trace, tally.facts(reading.account), reading.account)


def archive(reading: Reading, path: Path) -> Archived:
    """Read a redacted session to its end into the archive, whole or not at all. Raises SourceError."""
    tally = Tally(reading.header)
    lines = tally.through(reading.lines)
    with _explained(path):
        with openat.below(path.parent, make=True) as folder, openat.speaking():
            count, earlier = _put(folder, path.name, encode_all(tally.header, lines))
        _close(path)
    return Archived(path, count, tally.facts(reading.account), reading.account, _beside(path, earlier))


def keep(read: ReadTrace, path: Path) -> Archived:
    """Put a session that was read before into the archive, whole or not at all. Raises SourceError."""
    count, earlier = _restored(read.trace, path)
    return Archived(path, count, read.facts, read.account, _beside(path, earlier))


def restore(trace: bytes, path: Path) -> Path:
    """Put a trace into the archive as it came from another machine's, whole or not at all. Raises SourceError."""
    _restored(trace, path)
    return path


def _restored(trace: bytes, path: Path) -> tuple[int, str | None]:
    with _explained(path):
        with openat.below(path.parent, make=True) as folder, openat.speaking():
            put = _put(folder, path.name, trace.decode("utf-8", "replace").removesuffix("\n").split("\n"))
        _close(path)
    return put


def _beside(path: Path, name: str | None) -> Path | None:
    return path.with_name(name) if name else None


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except UnsafePath as error:
        raise SourceError(error.message, hint=error.hint) from error
    except OSError as error:
        raise SourceError(
            f"cannot write {path}: {error.strerror}", hint=f"check the space and rights of {path.parent}"
        ) from error


def read_archived(path: Path) -> Iterator[tuple[int, Header | Line]]:
    """The lines of an archived trace with their numbers, as evidence cites them. Raises UnsafePath, OSError."""
    with openat.below(path.parent) as folder, openat.speaking(), folder.open(path.name, _MOST_BYTES) as file:
        yield from numbered_lines(file)


def read_window(path: Path, first: int, count: int) -> TraceWindow:
    """So many lines of an archived trace from one of them on. Raises UnsafePath, OSError, ValueError."""
    items: list[tuple[int, Header | Line]] = []
    number = 0
    with openat.below(path.parent) as folder, openat.speaking(), folder.open(path.name, _MOST_BYTES) as file:
        for number, line in enumerate(_lines(file), 1):
            if first <= number < first + count:
                items.append((number, decode(line)))
    return TraceWindow(items, number, True)


def numbered_lines(file: BinaryIO) -> Iterator[tuple[int, Header | Line]]:
    """The lines of a trace with their numbers. Raises ValueError."""
    return ((number, decode(line)) for number, line in enumerate(_lines(file), 1))


def _lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a trace. One of ours is never as long as a file that was made to fill the memory."""
    while line := file.readline(_LONGEST_LINE):
        yield line.decode()


def _close(path: Path) -> None:
    """Keep the name, and keep the folders to their owner, also those that were open to others before."""
    sync_folder(path.parent)
    is_archive = path.match("meta/traces/sessions/*/*.jsonl")
    for folder in path.parents[: 4 if is_archive else 1]:
        tighten(folder)


def _put(folder: openat.Folder, name: str, lines: Iterable[str]) -> tuple[int, str | None]:
    """Write a trace beside its place and put it there: how many lines it has, and the name the one before is kept by,
    should it say something else."""
    temp = f".{name}.tmp"
    try:
        count = _write(folder, temp, lines)
        earlier = None if _continues(folder, name, temp) else _keep_earlier(folder, name)
        folder.rename(temp, name)
    finally:
        folder.remove(temp)
    return count, earlier


def _write(folder: openat.Folder, name: str, lines: Iterable[str]) -> int:
    count = 0
    # Private: a conversation is nobody else's business.
    with folder.create(name) as out, io.TextIOWrapper(out, "utf-8", errors="replace", newline="\n") as file:
        for line in lines:
            file.write(line + "\n")
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return count


def _continues(folder: openat.Folder, old: str, new: str) -> bool:
    """Whether every line of the old trace stands in the new one at its number. A turn may have been undone since."""
    if folder.look(old) is None:
        return True
    try:
        with folder.open(old, _MOST_BYTES) as before, folder.open(new) as after:
            # The header may know the title by now; nobody cites it.
            pairs = itertools.islice(itertools.zip_longest(_lines(before), _lines(after)), 1, None)
            return all(one is None or (two and _plain(one) == _plain(two)) for one, two in pairs)
    except (Refused, ValueError):
        # Nothing that we wrote. It is kept, as whatever else stood there.
        return False


def _plain(line: str) -> str:
    return line.replace(_UNDONE, "", 1)


def _keep_earlier(folder: openat.Folder, name: str) -> str:
    for number in itertools.count(1):
        kept = f"{name.removesuffix('.jsonl')}.{number}.jsonl"
        if folder.look(kept) is None:
            folder.rename(name, kept)
            return kept
    raise AssertionError


def safe_name(name: str) -> str:
    """A run id as a file name. A name that had to be changed is kept apart by a few letters of its own."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:100]
    return (
        plain
        if plain == name
        else f"{plain or 'session'}-{blake2b(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"
    )
