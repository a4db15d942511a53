"""The way from one record to another over links: few of them, and strong ones."""

from __future__ import annotations

from heapq import heappop, heappush

from lerim.context.links import Edge, Links
from lerim.context.records import RecordId

#: Records that are looked at for a way, at most.
_MOST = 20_000


def shortest(links: Links, start: RecordId, end: RecordId) -> list[Edge] | None:
    """The links from one record to another; None when no way leads there. Each costs more the less sure it is."""
    came: dict[str, Edge | None] = {}
    waiting: list[tuple[float, str, Edge | None]] = [(0.0, start, None)]
    while waiting and len(came) < _MOST:
        cost, one, by = heappop(waiting)
        if one in came:
            continue
        came[one] = by
        if one == end:
            return _way(came, end)
        for edge in links.neighbors(one):
            if (other := edge.other(one)) not in came:
                heappush(waiting, (round(cost + 2 - edge.confidence, 6), other, edge))
    return None


def _way(came: dict[str, Edge | None], end: str) -> list[Edge]:
    found: list[Edge] = []
    at = end
    while (edge := came[at]) is not None:
        found.append(edge)
        at = edge.other(at)
    return found[::-1]
