"""What a project's files said, once the user trusts it, and once they do so no more. The store knows, not the files."""

from __future__ import annotations

from dataclasses import replace

from lerim.context.face.edits import with_claims
from lerim.context.face.files import FILES_CAME, FILES_CHANGED
from lerim.context.filters import ANY
from lerim.context.place import Place
from lerim.context.records import Record, Trust
from lerim.context.store import Change


def believe(place: Place) -> int:
    """The user trusts the project: what came with it counts as what it claims to be. How many records that changed."""
    with place.store.change("person", "the project is trusted") as change:
        told = [record for record in change.select(ANY) if record.is_hearsay]
        for record in told:
            claimed = _claimed(place, change, record)
            change.revise(record.id, "trust", trust=claimed.trust, evidence=claimed.evidence, updated=record.updated)
    return len(told)


def doubt(place: Place) -> int:
    """The user trusts the project no more: what files said, first or last, is hearsay. How many records that changed.

    What Lerim wrote itself, from the user's commands and sessions, stays their own.
    """
    sql = (
        "SELECT DISTINCT r.id FROM records r JOIN versions v ON v.record_seq = r.seq"
        " JOIN changes c ON c.id = v.change_id"
        " WHERE r.project_id = ? AND r.trust <> ? AND c.reason IN (?, ?) AND v.operation IN ('create', 'edit')"
    )
    with place.store.change("person", "the project is not trusted any more") as change:
        rows = change.tx.rows(sql, (place.project.id, str(Trust.SHARED), FILES_CAME, FILES_CHANGED))
        for (record_id,) in rows:
            change.revise(record_id, "trust", trust=Trust.SHARED, updated=change.fetch(record_id).updated)
    return len(rows)


def _claimed(place: Place, change: Change, record: Record) -> Record:
    """A record with the trust it had before it was hearsay; what its file claims when it never was anything else."""
    before = [version.record.trust for version in change.history(record.id) if not version.record.is_hearsay]
    if before:
        return replace(record, trust=before[-1])
    file = place.face.file_of(record.id)
    return with_claims(place.folder, file.path if file else None, record)
