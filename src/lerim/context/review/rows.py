"""A candidate as a database row, both ways. How it stands follows from the changes that proposed and decided it."""

from __future__ import annotations

import json

from lerim.context.records import LIKELY, Kind, Primitive, RecordId, Trust, parse_time, time_text
from lerim.context.review.candidates import MAY_OPPOSE, TOLD, ReviewCandidate, ReviewState, title_words
from lerim.context.rows import evidence_from, evidence_text
from lerim.dataclass import replace
from lerim.storage.database import Row, Value

# Kept in the store, and compared with it: these very words.
NOT_FOUND_AGAIN = "the session was taken in again, and this was not proposed again"
_UNDONE = "the run that proposed it was undone"
_COLUMNS = (
    *("project_id", "id", "session", "run_id", "primitive", "kind", "title", "title_words", "body", "confidence"),
    *("tags", "evidence", "trust", "signals", "created", "state", "decided", "author", "reason", "record_id"),
    "against",
    *("proposed_change", "decided_change"),
)
# A decision counts as long as its change does. One whose record was restored by hand counts again; but not one that
# only added to a record that there was before.
_IS_UNDONE = """v.state IN ('accepted', 'rejected') AND d.undone_by IS NOT NULL
  AND (coalesce(r.status, '') IN ('', 'archived') OR NOT EXISTS (SELECT 1 FROM versions c
    WHERE c.record_seq = r.seq AND c.version = 1 AND c.change_id = v.decided_change))"""
_STATE = f"""CASE WHEN (v.state = 'pending' OR ({_IS_UNDONE})) AND p.undone_by IS NOT NULL THEN 'outdated'
  WHEN {_IS_UNDONE} THEN 'pending' ELSE v.state END"""
NOW = f"""SELECT {", ".join(f"{_STATE} AS state" if name == "state" else f"v.{name}" for name in _COLUMNS)}
  FROM review v JOIN changes p ON p.id = v.proposed_change LEFT JOIN changes d ON d.id = v.decided_change
  LEFT JOIN records r ON r.project_id = v.project_id AND r.id = v.record_id WHERE v.project_id = ?"""
SELECT = f"SELECT * FROM ({NOW}) AS now"
#: Whether it does not, or may not, hold together with some memory.
OPPOSES = f"""(against <> '[]' OR signals LIKE '%"{MAY_OPPOSE}%')"""
#: What `ReviewCandidate.is_likely` says, for the database.
IS_LIKELY = f"(confidence >= {LIKELY} OR {OPPOSES} OR run_id LIKE '{TOLD}%')"
# What it stands against is found out, and settled, beside what was decided on it.
STAND = "UPDATE review SET against = ?, signals = ? WHERE project_id = ? AND id = ?"
INSERT = (
    f"INSERT INTO review ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (project_id, id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[2:])}"
)


#: The same of a damaged store or a copy: whole rows of a project, whatever became of the changes they name.
ROWS = f"SELECT {', '.join(_COLUMNS[:-2])}, 0, NULL FROM review WHERE project_id = "


def waiting_again(candidate: ReviewCandidate) -> ReviewCandidate:
    """It, as if nobody had decided."""
    return replace(candidate, state=ReviewState.PENDING, decided=None, author=None, reason="", record_id=None)


def encode(candidate: ReviewCandidate) -> tuple[Value, ...]:
    """Its column values, in the order of the columns, without the two changes."""
    return (
        candidate.project,
        candidate.id,
        candidate.session,
        candidate.run_id,
        str(candidate.primitive),
        str(candidate.kind) if candidate.kind else None,
        candidate.title,
        title_words(candidate.title),
        candidate.body,
        candidate.confidence,
        json.dumps(candidate.tags, ensure_ascii=False),
        evidence_text(candidate.evidence),
        str(candidate.trust),
        json.dumps(candidate.signals, ensure_ascii=False),
        time_text(candidate.created),
        str(candidate.state),
        time_text(candidate.decided) if candidate.decided else None,
        candidate.author,
        candidate.reason,
        candidate.record_id,
        json.dumps(candidate.against),
    )


def decode(row: Row) -> ReviewCandidate:
    columns = dict(zip(_COLUMNS, row, strict=True))
    candidate = ReviewCandidate(
        id=columns["id"],
        session=columns["session"],
        run_id=columns["run_id"],
        primitive=Primitive(columns["primitive"]),
        title=columns["title"],
        body=columns["body"],
        confidence=columns["confidence"],
        created=parse_time(columns["created"]),
        kind=Kind(columns["kind"]) if columns["kind"] else None,
        tags=tuple(json.loads(columns["tags"])),
        evidence=evidence_from(columns["evidence"]),
        trust=Trust(columns["trust"]),
        signals=tuple(json.loads(columns["signals"])),
        project=columns["project_id"],
        state=ReviewState(columns["state"]),
        decided=parse_time(columns["decided"]) if columns["decided"] else None,
        author=columns["author"],
        reason=columns["reason"],
        record_id=columns["record_id"],
        against=tuple(map(RecordId, json.loads(columns["against"]))),
    )
    # A decision that was undone is history: what waits, or did so in vain, has none.
    match candidate.state:
        case ReviewState.PENDING:
            return waiting_again(candidate)
        case ReviewState.OUTDATED if candidate.reason != NOT_FOUND_AGAIN:
            return replace(waiting_again(candidate), state=ReviewState.OUTDATED, reason=_UNDONE)
        case _:
            return candidate
