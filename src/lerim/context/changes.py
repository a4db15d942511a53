"""What happened to the memory within a span of time: versions by when they were made, whatever became of them since."""

from __future__ import annotations

from datetime import datetime

from lerim.context.records import parse_time, time_text
from lerim.context.rows import from_snapshot
from lerim.context.store import Snapshot, Version


def versions_between(snapshot: Snapshot, since: datetime | None, until: datetime | None) -> list[Version]:
    """Every version of a place's records that was made from `since` to `until`, both included, oldest first."""
    terms, values = ["r.project_id = ?"], [snapshot.project_id]
    for operator, moment in ((">=", since), ("<=", until)):
        if moment is not None:
            terms.append(f"v.at {operator} ?")
            values.append(time_text(moment))
    rows = snapshot.tx.rows(
        "SELECT v.snapshot, v.operation, v.at, c.author, c.reason, c.id, c.run_id FROM versions v"
        " JOIN changes c ON c.id = v.change_id JOIN records r ON r.seq = v.record_seq"
        f" WHERE {' AND '.join(terms)} ORDER BY v.at, v.change_id, v.record_seq, v.version",
        values,
    )
    return [Version(from_snapshot(r[0]), r[1], parse_time(r[2]), r[3], r[4], r[5], r[6]) for r in rows]
