"""Which part of a graph is shown when all of it would be too much to draw. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from lerim.context.links import Cluster, Edge
from lerim.context.records import RecordId

#: Clusters that are seen however small their part in the whole is, and how many links of each.
_CLUSTERS, _OF_EACH = 60, 9
#: Links that are walked from what is looked at.
_STEPS = 2


def degrees(edges: Iterable[Edge]) -> Counter[RecordId]:
    """How many links each record has."""
    return Counter(end for edge in edges for end in (edge.source, edge.target))


def best_linked(edges: Sequence[Edge], clusters: Sequence[Cluster], most: int) -> set[RecordId]:
    """The heart of each large cluster, and then whatever has most links: link by link, so that none stands alone."""
    links = degrees(edges)
    ranked = sorted(edges, key=lambda one: (-links[one.source] - links[one.target], one.source, one.target))
    owners = {member: cluster.id for cluster in clusters[:_CLUSTERS] for member in cluster.members}
    rounds: list[list[Edge]] = [[] for _ in range(_OF_EACH)]
    taken = Counter[str]()
    for edge in ranked:
        owner = owners.get(edge.source)
        if owner is not None and owner == owners.get(edge.target) and taken[owner] < _OF_EACH:
            rounds[taken[owner]].append(edge)
            taken[owner] += 1
    chosen: dict[RecordId, None] = {}
    # A link of each cluster, then the next of each: no cluster is left out for another one's sake.
    for edge in (*(edge for some in rounds for edge in some), *ranked):
        new = {end: None for end in (edge.source, edge.target) if end not in chosen}
        if len(chosen) + len(new) <= most:
            chosen.update(new)
    return set(chosen)


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
