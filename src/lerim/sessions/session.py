"""One session as the catalog knows it, and the states it goes through."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.dataclass import dataclass
from lerim.storage.database import Row, Transaction

if TYPE_CHECKING:
    from lerim.sources.base import SessionRef


#: What the catalog has in place of a project's id, of sessions that belong to none.
NO_PROJECT = ""


class SessionState(StrEnum):
    """Where a session stands on its way into the memory."""

    PENDING = "pending"  # waiting for its turn
    RUNNING = "running"  # a worker holds it
    DONE = "done"  # ingested as it is now
    FAILED = "failed"  # tried, and will be tried again
    DEAD = "dead"  # given up until it changes or a person says retry
    SKIPPED = "skipped"  # left out, for the reason the row gives


class Held(StrEnum):
    """Why the catalog leaves a session out. When the reason no longer holds, the session comes back by itself."""

    GONE = "its file is gone"
    NO_PROJECT = "no project"
    OUTSIDE_WINDOW = "outside the window"


@dataclass(frozen=True)
class Session:
    """One row of the catalog. Counts are None until the session was read in full."""

    id: int
    agent: str
    run_id: str
    path: Path
    state: SessionState
    #: Why it was skipped, or its last error.
    reason: str | None
    project_id: str | None
    project_root: Path | None
    #: Where it began: that is its identity. It may have gone elsewhere later.
    cwd: str | None
    other_cwds: tuple[str, ...]
    branch: str | None
    model: str | None
    version: str | None
    title: str | None
    started: str | None
    ended: str | None
    #: The last time anything happened in it, as far as its file tells.
    active: str
    turns: int | None
    tool_calls: int | None
    errors: int | None
    input_tokens: int | None
    output_tokens: int | None
    #: Bytes; None when it shares a database or log with others.
    size: int | None
    fingerprint: str
    parent: str | None
    forked_from: str | None
    #: Its earlier content is not what was ingested: reading on from the old end is not enough.
    rewritten: bool
    gone: bool
    attempts: int
    #: Workers that ended without a word while they held it, in a row.
    deaths: int
    #: Who holds it: a machine, and the number of a process there.
    worker: str | None = None

    @property
    def name(self) -> str:
        """How people refer to it."""
        return f"{self.agent}/{self.run_id}"

    @property
    def ref(self) -> SessionRef:
        from lerim.sources.base import SessionRef  # Start-up: only who reads a session needs it.

        return SessionRef(self.agent, self.path, self.run_id, self.fingerprint)


#: In the order of Session's fields.
SELECT = """
SELECT s.id, s.agent, s.run_id, c.path, s.state, s.reason, s.project_id, s.project_root, s.cwd, s.other_cwds,
       s.branch, s.model, s.version, s.title, s.started, s.ended, s.active, s.turns, s.tool_calls, s.errors,
       s.input_tokens, s.output_tokens, s.size, s.fingerprint, s.parent, s.forked_from, s.rewritten, s.gone, s.attempts,
       s.deaths, s.worker
FROM sessions s JOIN containers c ON c.id = s.container_id
"""


def decode(row: Row) -> Session:
    """A row of SELECT as a session."""
    values = list(row)
    values[3] = unstored_path(row[3])
    values[4] = SessionState(row[4])
    values[6] = row[6] or None
    values[7] = unstored_path(row[7]) if row[7] is not None else None
    values[9] = tuple(json.loads(row[9]))
    values[26], values[27] = bool(row[26]), bool(row[27])
    return Session(*values)


def fetch(tx: Transaction, session_id: int) -> Session | None:
    row = tx.row(f"{SELECT} WHERE s.id = ?", (session_id,))
    return decode(row) if row else None


#: What a path begins with as a column keeps it, where the file system's name is no valid text. Ours are absolute.
_BYTES = "bytes:"


def stored_path(path: Path | str) -> str:
    """A path as a column keeps it."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _BYTES + os.fsencode(text).hex()
    return text


def unstored_path(text: str) -> Path:
    return Path(os.fsdecode(bytes.fromhex(text.removeprefix(_BYTES))) if is_no_text(text) else text)


def is_no_text(stored: str) -> bool:
    """Whether the path that a column keeps so is none that text can say."""
    return stored.startswith(_BYTES)


def clean(text: str | None, limit: int = 4_000) -> str | None:
    """Text some agent wrote, fit for a column: half of a surrogate pair cannot be stored."""
    return None if text is None else text[:limit].encode("utf-8", "replace").decode()


def time_text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of(mtime_ns: int) -> str:
    """A file's time as text. Some file systems hold years that no calendar has."""
    try:
        return time_text(datetime.fromtimestamp(mtime_ns / 1e9, UTC))
    except (OverflowError, ValueError, OSError):
        return "1970-01-01T00:00:00Z"
