"""Which part of a graph is shown when all of it would be too much to draw. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import nlargest

from lerim.context.links import Cluster, Edge
from lerim.context.records import RecordId

#: Clusters that are seen however small their members' part in the whole is, and how many of each.
_CLUSTERS, _OF_EACH = 80, 6
#: Links that are walked from what is looked at.
_STEPS = 2


def degrees(edges: Iterable[Edge]) -> Counter[RecordId]:
    """How many links each record has."""
    return Counter(end for edge in edges for end in (edge.source, edge.target))


def best_linked(edges: Sequence[Edge], clusters: Sequence[Cluster], most: int) -> set[RecordId]:
    """The heart of each large cluster, and then whatever has most links."""
    links = degrees(edges)
    chosen: dict[RecordId, None] = {}
    for cluster in clusters[:_CLUSTERS]:
        chosen.update(dict.fromkeys(nlargest(_OF_EACH, cluster.members, key=lambda one: (links[one], one))))
    for record_id, _ in sorted(links.items(), key=lambda item: (-item[1], item[0])):
        if len(chosen) >= most:
            break
        chosen[record_id] = None
    return set(list(chosen)[:most])


def around(edges: Sequence[Edge], start: Collection[RecordId], most: int) -> set[RecordId]:
    """Some records with what they are linked to, and what that is linked to, the nearest first."""
    near: dict[RecordId, list[Edge]] = {}
    for edge in sorted(edges, key=lambda one: (-one.confidence, one.source, one.target)):
        for end in (edge.source, edge.target):
            near.setdefault(end, []).append(edge)
    chosen, edge_of = dict.fromkeys(start), list(start)
    for _ in range(_STEPS):
        found = [edge.other(one) for one in edge_of for edge in near.get(one, ())]
        edge_of = [one for one in dict.fromkeys(found) if one not in chosen]
        chosen.update(dict.fromkeys(edge_of))
    return set(list(chosen)[:most])
