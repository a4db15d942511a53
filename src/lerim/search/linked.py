"""What a question implies: records that are linked with its best hits, though neither words nor meaning lead there."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.context.filters import Filter
from lerim.context.links import EdgeKind, Links
from lerim.context.place import Kept
from lerim.context.records import RecordId

#: Records that are reached over links, at most.
REACHED = 3
#: A link that is less sure leads nowhere.
_SURE = 0.6


def reached(strong: Sequence[Kept], known: set[RecordId], wanted: Filter) -> list[tuple[Kept, str]]:
    """Records that are linked with some others and not known yet, each with how: the surest links of the first one
    first. What was replaced is history, and hearsay is linked with nothing."""
    found: list[tuple[Kept, str]] = []
    seen = set(known)
    for kept in strong:
        record, place = kept.record, kept.place
        edges = Links(place.local, place.project.id).neighbors(record.id) if record.may_brief else []
        for edge in edges:
            other = edge.other(record.id)
            if other in seen or edge.confidence < _SURE or edge.kind is EdgeKind.SUPERSEDES:
                continue
            seen.add(other)
            with place.store.read() as snapshot:
                linked = snapshot.find(other)
            if linked is not None and linked.may_brief and wanted.takes(linked):
                found.append((Kept(linked, place), f"linked: {edge.said_from(other)} {record.id} ({edge.reason})"))
    return found[:REACHED]
