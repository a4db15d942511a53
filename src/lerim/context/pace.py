"""How fast memories come to be, from what the store keeps anyway: which run read a session, and when it was done."""

from __future__ import annotations

from lerim.dataclass import dataclass
from lerim.storage.database import Database

# Every session that is read leaves a summary, in the same change as its memories.
_READ = """
SELECT r.coding_agent, r.run_id, c.run_id, c.at FROM changes c
JOIN versions v ON v.change_id = c.id JOIN records r ON r.seq = v.record_seq
WHERE c.at >= ? AND c.run_id LIKE 'sync-%' AND r.primitive = 'summary' AND r.run_id IS NOT NULL
ORDER BY c.id DESC LIMIT ?
"""
_GROWTH = "SELECT count(*), coalesce(sum(CASE WHEN created >= ? THEN 1 ELSE 0 END), 0) FROM records"


@dataclass(frozen=True)
class SyncedSession:
    """The run that read a session, and when its memories could be found."""

    run: str
    at: str


def read_since(database: Database, since: str, limit: int) -> dict[tuple[str, str], SyncedSession]:
    """By agent and run id, the last time each session was read."""
    with database.read() as tx:
        rows = tx.rows(_READ, (since, limit))
    return {(str(agent), str(session)): SyncedSession(str(run), str(at)) for agent, session, run, at in reversed(rows)}


def growth(database: Database, since: str) -> tuple[int, int]:
    """How many records there are, and how many of them are new since then."""
    with database.read() as tx:
        row = tx.row(_GROWTH, (since,))
    assert row is not None
    return int(row[0]), int(row[1])


def registered(database: Database) -> dict[str, str]:
    """When each project was registered: what ended before that, nobody promised to read."""
    with database.read() as tx:
        return {str(project): str(created) for project, created in tx.rows("SELECT id, created FROM projects")}
