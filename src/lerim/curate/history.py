"""What became of records before: what somebody took back, and what was archived and is used again."""

from __future__ import annotations

from lerim.context.place import Place
from lerim.context.records import RecordId
from lerim.curate.proposals import CurationProposal, CurationVerb

#: How the ids of runs begin that curated.
RUNS = "maintain-"
#: What each verb is called in the log of versions.
_OPERATIONS = {
    CurationVerb.MERGE: "supersede",
    CurationVerb.SUPERSEDE: "supersede",
    CurationVerb.REVISE: "revise",
    CurationVerb.ARCHIVE: "archive",
    CurationVerb.RESTORE: "restore",
}


def was_taken_back(place: Place, item: CurationProposal) -> bool:
    """Whether a run did this before and somebody took it back, and the records still say what they said then."""
    operation = _OPERATIONS.get(item.operation)
    if operation is None:
        return False
    sql = (
        "SELECT v.version, r.version FROM versions v JOIN changes c ON c.id = v.change_id"
        " JOIN records r ON r.seq = v.record_seq WHERE r.project_id = ? AND r.id = ? AND v.operation = ?"
        " AND c.undone_by IS NOT NULL AND c.run_id LIKE ? ORDER BY v.version DESC LIMIT 1"
    )
    with place.store.read() as snapshot:
        for record_id in item.targets or item.records:
            row = snapshot.tx.row(sql, (snapshot.project_id, record_id, operation, f"{RUNS}%"))
            # The undo itself is one version more; every version after it is news.
            if row is None or row[1] > row[0] + 1:
                return False
    return True


def worth_restoring(place: Place) -> list[RecordId]:
    """What a run archived as faded and somebody has used since."""
    sql = (
        "SELECT r.id FROM uses u JOIN records r ON r.seq = u.record_seq"
        " JOIN versions v ON v.record_seq = r.seq AND v.version = r.version JOIN changes c ON c.id = v.change_id"
        " WHERE r.project_id = ? AND r.status = 'archived' AND u.last_used > v.at AND v.operation = 'archive'"
        " AND c.author = 'lerim' AND c.run_id LIKE ? ORDER BY r.id LIMIT 100"
    )
    with place.store.read() as snapshot:
        return [RecordId(row[0]) for row in snapshot.tx.rows(sql, (snapshot.project_id, f"{RUNS}%"))]
