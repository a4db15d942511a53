"""What one gets to see of a graph: a place's whole, a record with its links, a way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lerim.context.links import Cluster, Edge, EdgeKind
from lerim.context.place import Kept, Place
from lerim.context.records import Record, RecordId
from lerim.dataclass import dataclass


@dataclass(frozen=True)
class GraphNeighbor:
    """A link of a record, and the record it leads to."""

    edge: Edge
    kept: Kept


@dataclass(frozen=True)
class RecordLinks:
    """A record with its links, the strongest first, and the cluster it belongs to."""

    kept: Kept
    neighbors: list[GraphNeighbor]
    cluster: Cluster | None


@dataclass(frozen=True)
class PlaceGraph:
    """The graph of one place: its records, what was replaced by them, their links and clusters."""

    place: Place
    records: Mapping[RecordId, Record]
    edges: Sequence[Edge]
    clusters: Sequence[Cluster]

    @property
    def active(self) -> list[Record]:
        """The records that hold."""
        return [record for record in self.records.values() if record.holds]

    @property
    def unlinked(self) -> int:
        """How many records that hold have no link."""
        linked = {end for edge in self.edges for end in (edge.source, edge.target)}
        return sum(record.id not in linked for record in self.active)

    def count(self, kind: EdgeKind) -> int:
        return sum(edge.kind is kind for edge in self.edges)


@dataclass(frozen=True)
class GraphPart:
    """Some records of a place with the links between them, out of all that hold there."""

    graph: PlaceGraph
    total: int
    #: How many links each record of the place has, whether or not they are among these.
    degrees: Mapping[RecordId, int]
    #: Whether records wait to be linked.
    is_behind: bool


@dataclass(frozen=True)
class GraphPath:
    """A way from one record to another, link by link."""

    records: Sequence[Kept]
    edges: Sequence[Edge]
