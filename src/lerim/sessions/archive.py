"""The archive of canonical traces: `meta/traces/sessions/<agent>/<run_id>.jsonl`. Evidence cites its lines by number.

Nothing gets here unredacted. A session that grew adds lines; what was cited stays where it was. Should an agent have
rewritten its own history, the trace that was cited is kept beside the new one.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from lerim.errors import SourceError
from lerim.sessions.facts import SessionFacts, Tally
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Header, Line, decode, encode_all

_UNDONE = ',"undone":true'


@dataclass(frozen=True)
class Archived:
    """A trace in the archive: where it is, what it amounts to, and what became of every record of its source."""

    path: Path
    lines: int
    facts: SessionFacts
    account: Account
    #: The trace as it was cited before, when the agent rewrote its history.
    earlier: Path | None


def trace_path(folder: Path, agent: str, run_id: str) -> Path:
    """Where a session's trace belongs under a project's `.lerim`."""
    return folder / "meta" / "traces" / "sessions" / safe_name(agent) / f"{safe_name(run_id)}.jsonl"


def archive(reading: Reading, path: Path) -> Archived:
    """Read a redacted session to its end into the archive, whole or not at all. Raises SourceError."""
    tally = Tally(reading.header)
    lines = tally.through(reading.lines)
    temp = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        count = _write(temp, encode_all(tally.header, lines))
        earlier = None if _continues(path, temp) else _keep_earlier(path)
        temp.replace(path)
    except OSError as error:
        raise SourceError(
            f"cannot write {path}: {error.strerror}", hint=f"check the space and rights of {path.parent}"
        ) from error
    finally:
        temp.unlink(missing_ok=True)
    return Archived(path, count, tally.facts(reading.account), reading.account, earlier)


def read_archived(path: Path) -> Iterator[tuple[int, Header | Line]]:
    """The lines of an archived trace with their numbers, as evidence cites them."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            yield number, decode(line)


def _write(path: Path, lines: Iterable[str]) -> int:
    count = 0
    # Private: a conversation is nobody else's business.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        for line in lines:
            file.write(line + "\n")
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return count


def _continues(old: Path, new: Path) -> bool:
    """Whether every line of the old trace stands in the new one at its number. A turn may have been undone since."""
    if not old.exists():
        return True
    with old.open(encoding="utf-8") as before, new.open(encoding="utf-8") as after:
        # The header may know the title by now; nobody cites it.
        pairs = itertools.islice(itertools.zip_longest(before, after), 1, None)
        return all(one is None or (two and _plain(one) == _plain(two)) for one, two in pairs)


def _plain(line: str) -> str:
    return line.replace(_UNDONE, "", 1)


def _keep_earlier(path: Path) -> Path:
    for number in itertools.count(1):
        kept = path.with_name(f"{path.stem}.{number}.jsonl")
        if not kept.exists():
            path.replace(kept)
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
