"""What happened to records lately: each told once, as what it came to, at the moment it was said."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from lerim.context.filters import Filter
from lerim.context.records import Primitive, Record, RecordId, Status, Trust
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS, Snapshot, Version
from lerim.dataclass import dataclass
from lerim.views.material import Material

#: Records of each status that were written last.
_MOST = 60
_OWN = f"r.project_id = ? AND r.trust <> '{Trust.SHARED}' AND r.primitive <> '{Primitive.SUMMARY}'"
_WRITTEN = (
    f"SELECT r.seq FROM records r WHERE {_OWN} AND r.status = ? ORDER BY r.updated DESC, r.seq DESC LIMIT {_MOST}"
)
_ANY_OWN = Filter(statuses=(), hearsay=False)


class MoveKind(StrEnum):
    """What happened to a record."""

    NEW = "new"
    CHANGED = "changed"
    SAID_AGAIN = "said again"
    REPLACED = "replaced"
    ARCHIVED = "archived"


@dataclass(frozen=True)
class Move:
    """A record, what happened to it last, and when."""

    kind: MoveKind
    record: Record
    at: datetime
    is_global: bool = False
    #: What holds instead of one that was replaced; None when that does not hold either.
    instead: Record | None = None
    #: What a changed one said before, and why one was archived.
    before: str = ""
    reason: str = ""


def moves(material: Material) -> list[Move]:
    """What happened lately in all places, newest first."""
    found: list[Move] = []
    for source in material.sources:
        # What was said last may have been written long ago, and the other way round: both are looked at.
        standing = [held.record for held in material.lessons if held.project == source.project]
        with source.store.read() as snapshot:
            written = _written(snapshot) if material.as_of is None else snapshot.select_as_of(material.as_of, _ANY_OWN)
            known = {record.id: record for record in (*standing, *written) if record.primitive.is_lesson}
            for record in known.values():
                found.append(_move(record, snapshot, known, material.as_of, source.project.is_global))
    return sorted(found, key=lambda move: (move.at, move.record.id), reverse=True)


def _written(snapshot: Snapshot) -> list[Record]:
    seqs = [row[0] for status in Status for row in snapshot.tx.rows(_WRITTEN, (snapshot.project_id, str(status)))]
    marks = ", ".join("?" * len(seqs))
    sql = f"SELECT {COLUMNS} FROM {RECORDS} WHERE r.seq IN ({marks}) ORDER BY r.seq"
    rows = snapshot.tx.rows(sql, seqs) if seqs else []
    return [decode(row) for row in rows]


def _move(
    record: Record, snapshot: Snapshot, known: Mapping[RecordId, Record], moment: datetime | None, is_global: bool
) -> Move:
    if record.status is Status.SUPERSEDED:
        now = _instead(record, snapshot, known if moment else {})
        return Move(MoveKind.REPLACED, record, record.valid_until or record.updated, is_global, now)
    # Most records were written once, and need no look at what they were before.
    known_versions = snapshot.history(record.id) if record.version > 1 else []
    history = [one for one in known_versions if moment is None or one.at <= moment]
    if record.status is Status.ARCHIVED:
        reason = history[-1].reason if history else ""
        return Move(MoveKind.ARCHIVED, record, record.updated, is_global, reason=reason)
    return _standing(record, history, is_global)


def _instead(record: Record, snapshot: Snapshot, known: Mapping[RecordId, Record]) -> Record | None:
    """What holds in place of a record: the end of the chain of what replaced it."""
    seen = {record.id}
    while record.superseded_by is not None and record.superseded_by not in seen:
        found = known.get(record.superseded_by) or snapshot.find(record.superseded_by)
        if found is None:
            return None
        record = found
        seen.add(record.id)
    return record if record.may_brief else None


def _standing(record: Record, history: list[Version], is_global: bool) -> Move:
    """What was done last to a record that holds."""
    texts = [version for version in history if version.record.title != record.title]
    edits = [version.at for version in history[1:] if not version.record.evidence or version.author == "person"]
    at = max([record.last_said.at, *edits])
    if texts or any(version.record.body != record.body for version in history):
        before = texts[-1].record.title if texts else ""
        return Move(MoveKind.CHANGED, record, at, is_global, before=before)
    sessions = {(piece.agent, piece.run_id) for piece in record.evidence}
    kind = MoveKind.SAID_AGAIN if len(sessions) > 1 else MoveKind.NEW
    return Move(kind, record, at, is_global)
