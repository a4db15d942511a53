"""The records already kept that are nearest to what a session speaks of: what a reader holds new memories against."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.context.place import Place
from lerim.context.records import Record, Trust
from lerim.ingest.sheet.page import NearRecord, Sheet
from lerim.search.similar import similar

#: The user's statements that are looked for: the longest say most.
_ASKED = 12
_FEWEST_WORDS = 4
#: A record that shares less is about something else.
_NEAR = 0.12
_MOST = 8


def known_records(place: Place, made: Sequence[Sheet]) -> tuple[NearRecord, ...]:
    """The nearest records of a place, best first, as K1, K2 …; those that rest on this session are not among them."""
    units = [unit for sheet in made for unit in sheet.units.values() if unit.speaker is Trust.USER]
    texts = [unit.text for unit in units if len(unit.text.split()) >= _FEWEST_WORDS]
    found: dict[str, tuple[float, Record]] = {}
    session = next((sheet.session for sheet in made), "")
    for text in sorted(dict.fromkeys(texts), key=len, reverse=True)[:_ASKED]:
        for one in similar(place, text):
            # What it taught when it was shorter is no news from elsewhere.
            if any(f"{e.agent}/{e.run_id}" == session for e in one.record.evidence):
                continue
            best = found.get(one.record.id, (0.0, one.record))
            found[one.record.id] = max(best[0], one.relevance), one.record
    near = sorted((pair for pair in found.values() if pair[0] >= _NEAR), key=lambda pair: (-pair[0], pair[1].id))
    return tuple(_near(number, record) for number, (_, record) in enumerate(near[:_MOST], 1))


def _near(number: int, record: Record) -> NearRecord:
    return NearRecord(f"K{number}", record.id, record.primitive, record.title, record.body, record.kind)
