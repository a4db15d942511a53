"""A record as a row of the database, and as the snapshot a version keeps; both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from lerim.context.records import FIELDS, Evidence, Kind, Primitive, Record, Status, Trust, parse_time, time_text
from lerim.dataclass import replace
from lerim.storage.database import Row, Transaction, Value

_TIMES = frozenset({"created", "updated", "valid_from", "valid_until", "worded"})


def encode(record: Record) -> list[Value]:
    """A record's fields as column values, in the order of FIELDS."""
    values = list(_ALL_FIELDS(record))
    for place, write in _WRITERS:
        values[place] = write(values[place])
    return values


def decode(row: Row) -> Record:
    """A record from its column values, in the order of FIELDS, then last_used and uses."""
    record = _decode(row)
    last_used, uses = row[len(FIELDS) :]
    return replace(record, last_used=parse_time(last_used), uses=uses) if last_used else record


def has_filed(tx: Transaction, project_id: str) -> bool:
    """Whether any record of a project shall have a file."""
    return tx.row("SELECT 1 FROM records WHERE project_id = ? AND filed = 1 LIMIT 1", (project_id,)) is not None


def from_snapshot(text: str) -> Record:
    """A record from a version's snapshot. Fields that did not exist then have their defaults."""
    data = json.loads(text)
    return _decode([data.get(name) for name in FIELDS])


def to_snapshot(values: Sequence[Value]) -> str:
    """A version's snapshot of the column values: every field that says something."""
    fields = {name: value for name, value in zip(FIELDS, values, strict=True) if value is not None}
    return _compact_json(fields)


def _decode(row: Sequence[Any]) -> Record:
    fields: dict[str, Any] = dict(zip(FIELDS, row, strict=False))
    fields["primitive"] = Primitive(fields["primitive"])
    fields["status"] = Status(fields["status"])
    fields["trust"] = Trust(fields["trust"])
    fields["kind"] = Kind(fields["kind"]) if fields["kind"] else None
    fields["tags"] = tuple(json.loads(fields["tags"]))
    fields["extra"] = json.loads(fields["extra"])
    fields["evidence"] = evidence_from(fields["evidence"])
    for name in _TIMES:
        fields[name] = parse_time(fields[name]) if fields[name] else None
    return Record(**fields)


def evidence_text(items: Sequence[Evidence]) -> str:
    """Evidence as a column value."""
    return "[]" if not items else _json([_evidence_out(item) for item in items])


def evidence_from(text: str) -> tuple[Evidence, ...]:
    """Evidence from its column value."""
    return tuple(_evidence_in(item) for item in json.loads(text))


def _evidence_out(item: Evidence) -> list[Value]:
    known: list[Value] = [item.agent, item.run_id, item.first_line, item.last_line, item.quote, str(item.speaker)]
    return [*known, time_text(item.said)] if item.said else known


def _evidence_in(item: Sequence[Any]) -> Evidence:
    # What was kept before evidence had a time has none.
    agent, run_id, first, last, quote, speaker, *said = item
    return Evidence(agent, run_id, first, last, quote, Trust(speaker), parse_time(said[0]) if said else None)


def _unless_none(write: Callable[[Any], str]) -> Callable[[Any], Value]:
    return lambda value: None if value is None else write(value)


# Made once: a bulk import encodes tens of thousands of values.
_json = json.JSONEncoder(ensure_ascii=False).encode
_compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ALL_FIELDS = attrgetter(*FIELDS)
_BY_NAME: dict[str, Callable[[Any], Value]] = {
    **dict.fromkeys(_TIMES, _unless_none(time_text)),
    **dict.fromkeys(("primitive", "kind", "status", "trust"), _unless_none(str)),
    "tags": _json,
    "extra": lambda extra: _json(extra) if extra else "{}",
    "evidence": evidence_text,
}
#: The fields whose column value is not the field's own: their place in FIELDS, and how it is written.
_WRITERS = tuple((FIELDS.index(name), write) for name, write in _BY_NAME.items())
