"""How sessions come along, from what the catalog keeps anyway: when each ended, what waits, and what hooks gave."""

from __future__ import annotations

import os
from pathlib import Path

from lerim.dataclass import dataclass
from lerim.sessions.spool import ERRORS, MOST_ERRORS, spool_path
from lerim.storage.database import Database

#: Of a busy week only the newest sessions are looked at.
MOST_SESSIONS = 20_000
# A session that is skipped promised nothing.
_ENDED = """
SELECT agent, run_id, project_id, coalesce(ended, active), state FROM sessions
WHERE active >= ? AND state <> 'skipped' AND project_id > '' ORDER BY active DESC LIMIT ?
"""
_WAITING = "SELECT count(*), min(active) FROM sessions WHERE state IN ('pending', 'failed')"


@dataclass(frozen=True)
class EndedSession:
    """A session as far as it is known when it ended, and what has become of it."""

    agent: str
    run_id: str
    project_id: str
    ended: str
    state: str


def ended_since(database: Database, since: str, limit: int = MOST_SESSIONS) -> list[EndedSession]:
    """The sessions of projects that ended since then, the newest first."""
    with database.read() as tx:
        return [EndedSession(*map(str, row)) for row in tx.rows(_ENDED, (since, limit))]


def waiting(database: Database) -> tuple[int, str | None]:
    """How many sessions wait for their turn, and when the one that waits longest was last written to."""
    with database.read() as tx:
        row = tx.row(_WAITING)
    assert row is not None
    return int(row[0]), row[1]


def given_since(database: Database, since: str) -> int:
    """How often a hook gave a view to a session since then. What agents asked for themselves is no work of hooks: it
    has no digest."""
    with database.read() as tx:
        row = tx.row("SELECT count(*) FROM served WHERE at >= ? AND digest <> ''", (since,))
    assert row is not None
    return int(row[0])


def hook_errors_since(home: Path, since: str) -> int:
    """How many calls of hooks ended in an error since then, as far back as their log goes."""
    lines = [line for name in (ERRORS, f"{ERRORS}.old") for line in _lines(spool_path(str(home), name))]
    return sum(line[:20] >= since.encode() for line in lines if line[:1].isdigit())


def _lines(path: str) -> list[bytes]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        return file.read(2 * MOST_ERRORS).splitlines()
