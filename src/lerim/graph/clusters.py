"""Records that belong together: communities of the graph, found by the Leiden method, and what each is about.

Each connected part of the graph is looked at by itself, and always in the same way: a change moves no cluster that it
is not connected with, and the same links give the same clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from lerim.context.links import Cluster, Edge, EdgeKind, LinkRows
from lerim.context.place import Place
from lerim.context.records import Record, RecordId
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS
from lerim.graph.labels import label_of

#: Fewer records are no cluster.
LEAST_MEMBERS = 3
#: A community of more is looked at again by itself: nobody can name what so many have in common.
_MANY = 40
_SEED = 7
_AT_ONCE = 5_000
#: What a link says about belonging together.
_WEIGHTS = {EdgeKind.EVIDENCE_FOR: 0.4, EdgeKind.RELATED: 0.6}
Weighted = tuple[str, str, float]


def refresh_clusters(place: Place) -> None:
    """Bring the clusters up to date wherever links have changed."""
    project = place.project.id
    with place.local.read() as local:
        rows = LinkRows(local, project)
        changed = rows.unclustered()
        if not changed:
            return
        parts = list(_parts(_connected(rows, changed), changed))
        clusters = [cluster for part in parts for cluster in _clusters(part, _records_of(place, part))]
    members = {member for cluster in clusters for member in cluster.members}
    alone = {one for part in parts for one in part} - members
    with place.local.write() as local:
        LinkRows(local, project).put_clusters(clusters, alone, changed)


def _records_of(place: Place, part: Mapping[str, Mapping[str, float]]) -> dict[str, Record]:
    """The records of a part of the graph."""
    ids, found = sorted(part), dict[str, Record]()
    with place.store.read() as snapshot:
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            sql = f"SELECT {COLUMNS} FROM {RECORDS} WHERE r.project_id = ? AND r.id IN ({', '.join('?' * len(some))})"
            rows = snapshot.tx.rows(sql, (place.project.id, *some))
            found |= {record.id: record for record in map(decode, rows)}
    return found


Part = Mapping[str, Mapping[str, float]]


def _connected(rows: LinkRows, start: Collection[str]) -> list[Edge]:
    """All links that can be reached from some records. Where little has changed, little is read."""
    found: set[Edge] = set()
    seen, reached = set(start), set(start)
    while reached:
        edges = {edge for edge, is_kept in rows.of(reached) if is_kept and edge.kind is not EdgeKind.SUPERSEDES}
        found |= edges
        reached = {str(end) for edge in edges for end in (edge.source, edge.target)} - seen
        seen |= reached
    return sorted(found, key=lambda edge: (edge.source, edge.target))


def _parts(edges: Iterable[Edge], alone: Iterable[str]) -> Iterator[Part]:
    """The connected parts of the graph, as who is tied to whom, and how strongly."""
    ties: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for one in alone:
        ties[one] = {}
    for edge in edges:
        weight = edge.confidence * _WEIGHTS.get(edge.kind, 1.0)
        ties[edge.source][edge.target] = ties[edge.target][edge.source] = weight
    seen: set[str] = set()
    for start in sorted(ties):
        if start not in seen:
            part, reached = {}, [start]
            seen.add(start)
            while reached:
                one = reached.pop()
                part[one] = ties[one]
                new = ties[one].keys() - seen
                seen |= new
                reached += new
            yield part


def _clusters(part: Part, records: Mapping[str, Record]) -> Iterator[Cluster]:
    for members in _communities(part):
        known = [records[one] for one in sorted(members) if one in records]
        if len(known) >= LEAST_MEMBERS:
            yield _cluster(part, known)


def _cluster(part: Part, members: Sequence[Record]) -> Cluster:
    ids = {str(record.id) for record in members}
    strength = {one: sum(how for other, how in part[one].items() if other in ids) for one in ids}
    # A session has to do with many things, and is seldom what they are about.
    lessons = {str(record.id) for record in members if record.primitive.is_lesson} or ids
    center = max(sorted(lessons), key=lambda one: round(strength[one], 6))
    # What was there first: whoever joins later does not change the name.
    first = min(members, key=lambda record: (record.valid_from or record.created, record.id))
    label = label_of([record.title for record in members if record.id in lessons])
    known = tuple(RecordId(one) for one in sorted(ids))
    return Cluster(f"cl-{first.id.partition('-')[2]}", label, RecordId(center), known)


def _communities(part: Part) -> Iterator[Collection[str]]:
    """The communities of a connected part, large ones divided again as far as they can be."""
    if len(part) < LEAST_MEMBERS:
        return
    found = _leiden(part)
    for members in found:
        if len(members) <= _MANY or len(found) == 1:
            yield members
        else:
            inside = {one: {o: how for o, how in part[one].items() if o in members} for one in members}
            yield from _communities(inside)


def _leiden(part: Part) -> list[set[str]]:
    from graspologic_native import leiden  # Start-up: only who links records needs it.

    edges: list[Weighted] = [
        (one, other, how) for one in sorted(part) for other, how in sorted(part[one].items()) if one < other
    ]
    _, owners = leiden(
        edges=edges,
        starting_communities=None,
        resolution=1.0,
        randomness=0.001,
        iterations=1,
        use_modularity=True,
        seed=_SEED,
        trials=1,
    )
    members: defaultdict[int, set[str]] = defaultdict(set)
    for one, owner in owners.items():
        members[owner].add(one)
    return sorted(members.values(), key=min)
