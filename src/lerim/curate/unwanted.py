"""What a person does not want done: it is not proposed again while the records say what they said.

It is noted in the machine's own database: were the note lost, the question would come again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from lerim.context.place import Place
from lerim.context.records import Record, time_text
from lerim.context.review.deciding import ReviewList
from lerim.curate.applying import AppliedItem, stale
from lerim.curate.proposals import CurationProposal
from lerim.digests import blake2b

_NOTE = "INSERT INTO declined (project_id, question, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_NOTED = "SELECT 1 FROM declined WHERE project_id = ? AND question = ?"


def decline(place: Place, items: Iterable[CurationProposal], now: datetime) -> list[AppliedItem]:
    """Note that a person does not want these items of a plan done. What was changed since is another question."""
    noted: list[tuple[str, str, str]] = []
    found: list[AppliedItem] = []
    with place.store.read() as snapshot:
        for item in items:
            records = {one: record for one in item.records if (record := snapshot.find(one)) is not None}
            refusal = stale(item, records)
            if not refusal:
                noted.append((place.project.id, _question(item, list(records.values())), time_text(now)))
            found.append(AppliedItem(item, not refusal, refusal))
    with place.local.write() as local:
        local.run_many(_NOTE, noted)
    _settle(place, [one.proposal for one in found if one.is_done])
    return found


def _settle(place: Place, declined: Sequence[CurationProposal]) -> None:
    """What a person lets stand beside each other is told as open no more."""
    both = [set(item.records) for item in declined if len(item.records) > 1]
    if both:
        with place.change("person", "said that both hold") as change:
            for records in both:
                ReviewList(change).settle(records)


def was_declined(place: Place, item: CurationProposal, records: Sequence[Record]) -> bool:
    """Whether a person did not want this done to records that say what these say."""
    with place.local.read() as local:
        return local.row(_NOTED, (place.project.id, _question(item, records))) is not None


def _question(item: CurationProposal, records: Sequence[Record]) -> str:
    """An item by what it would do and what its records say: their evidence and confidence may grow."""
    said = sorted((record.id, record.title, record.body) for record in records)
    wording = [item.wording.title, item.wording.body] if item.wording else []
    asked = json.dumps([str(item.operation), item.into, said, wording])
    return blake2b(asked.encode(), digest_size=16).hexdigest()
