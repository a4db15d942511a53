"""How a record stood at a moment: by when its words were said, not by when they were read. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lerim.context.records import Record, Status
from lerim.dataclass import replace


def stood_at(versions: Sequence[tuple[Record, datetime]], moment: datetime) -> Record | None:
    """What a record was at a moment, from its versions and when each was made, oldest first; None before it was said.

    A session that is read late tells what held all along: its words count from when they were said.
    """
    took_effect, known = None, None
    before: list[Record] = []
    for record, at in versions:
        if _counts_from(record, at, before) <= moment:
            took_effect = record
        elif known is None and _comes_of_a_session(record) and (record.valid_from or record.created) <= moment:
            # Said then, and again later: only the version that has both was kept.
            known = record
        before.append(record)
    found = took_effect or known
    return None if found is None else _still_held(found, moment)


def _counts_from(record: Record, at: datetime, before: Sequence[Record]) -> datetime:
    """When a version took effect: with the newest words it rests on if these are what is new in it, with what replaced
    it if that is; else when it was made."""
    if record.status is Status.SUPERSEDED and record.valid_until is not None:
        end = record.superseded_by, record.valid_until
        return at if any(end == (one.superseded_by, one.valid_until) for one in before) else min(at, record.valid_until)
    if _comes_of_a_session(record) and not any(record.evidence == one.evidence for one in before):
        return min(at, record.last_said.at)
    return at


def _comes_of_a_session(record: Record) -> bool:
    return bool(record.evidence or record.run_id)


def _still_held(record: Record, moment: datetime) -> Record:
    """A record replaced later still held at `moment`: the file it was read from may know only the end of the story."""
    if record.status is Status.SUPERSEDED and record.valid_until is not None and record.valid_until > moment:
        return replace(record, status=Status.ACTIVE, superseded_by=None, valid_until=None)
    return record
