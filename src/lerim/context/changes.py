"""What happened to the memory within a span of time: versions by when they were made, without what was taken back."""

from __future__ import annotations

from datetime import datetime

from lerim.context.records import time_text
from lerim.context.store import TAKEN_BACK, VERSION_COLUMNS, Snapshot, Version


def versions_between(snapshot: Snapshot, since: datetime | None, until: datetime | None) -> list[Version]:
    """The versions of a place's records that were made from `since` to `until`, both included, oldest first. What was
    taken back did not happen, and taking it back is told only where it was made before."""
    terms, values = ["r.project_id = ?"], [snapshot.project_id]
    for operator, moment in ((">=", since), ("<=", until)):
        if moment is not None:
            terms.append(f"v.at {operator} ?")
            values.append(time_text(moment))
    rows = snapshot.tx.rows(
        f"SELECT {VERSION_COLUMNS}, v.record_seq, {TAKEN_BACK} FROM versions v"
        " JOIN changes c ON c.id = v.change_id JOIN records r ON r.seq = v.record_seq"
        f" WHERE {' AND '.join(terms)} ORDER BY v.at, v.change_id, v.record_seq, v.version",
        values,
    )
    made = [(Version.of(row), row[-2], row[-1]) for row in rows]
    back = {(by, seq) for _, seq, by in made if by is not None}
    return [version for version, seq, by in made if by is None and (version.change, seq) not in back]
