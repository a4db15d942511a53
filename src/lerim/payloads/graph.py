"""The context graph: links, clusters, ways, and the graph as a whole."""

from typing import TYPE_CHECKING, TypedDict, cast

from lerim.context.links import EdgeKind
from lerim.payloads.memory import KeptPayload, kept_payload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lerim.context.links import Cluster, Edge
    from lerim.context.place import Place
    from lerim.graph.parts import GraphPath, PlaceGraph, RecordLinks


class EdgePayload(TypedDict):
    source: str
    target: str
    kind: str
    confidence: float
    reason: str


class ClusterPayload(TypedDict):
    id: str
    label: str
    center: str
    members: list[str]
    scope: str


class GraphOverviewPayload(TypedDict):
    scope: str
    records: int
    unlinked: int
    links: dict[str, int]
    clusters: list[ClusterPayload]
    contradictions: list[EdgePayload]


class GraphNeighborPayload(TypedDict):
    link: EdgePayload
    record: KeptPayload


class NeighborsPayload(TypedDict):
    record: KeptPayload
    cluster: ClusterPayload | None
    neighbors: list[GraphNeighborPayload]


class GraphPathPayload(TypedDict):
    records: list[KeptPayload]
    links: list[EdgePayload]


class GraphNodePayload(TypedDict):
    id: str
    primitive: str
    kind: str | None
    title: str
    body: str
    status: str
    said: str
    trust: str
    tags: list[str]
    cluster: str | None
    links: int
    scope: str


class GraphClusterPayload(TypedDict):
    id: str
    label: str
    center: str
    members: list[str]


class GraphPayload(TypedDict):
    nodes: list[GraphNodePayload]
    edges: list[EdgePayload]
    clusters: list[GraphClusterPayload]


class GraphExportPayload(TypedDict):
    format: str
    file: str
    records: int
    links: int


class GraphRebuiltPayload(TypedDict):
    records: int
    links: int
    clusters: int


def edge_payload(edge: "Edge") -> EdgePayload:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": str(edge.kind),
        "confidence": edge.confidence,
        "reason": edge.reason,
    }


def cluster_payload(cluster: "Cluster", place: "Place") -> ClusterPayload:
    return {
        "id": cluster.id,
        "label": cluster.label,
        "center": cluster.center,
        "members": list(cluster.members),
        "scope": place.scope,
    }


def graph_overview_payload(graph: "PlaceGraph") -> GraphOverviewPayload:
    return {
        "scope": graph.place.scope,
        "records": len(graph.active),
        "unlinked": graph.unlinked,
        "links": {str(kind): graph.count(kind) for kind in EdgeKind},
        "clusters": [cluster_payload(cluster, graph.place) for cluster in graph.clusters],
        "contradictions": [edge_payload(edge) for edge in graph.edges if edge.kind is EdgeKind.CONTRADICTS],
    }


def neighbors_payload(found: "RecordLinks") -> NeighborsPayload:
    return {
        "record": kept_payload(found.kept),
        "cluster": cluster_payload(found.cluster, found.kept.place) if found.cluster else None,
        "neighbors": [{"link": edge_payload(one.edge), "record": kept_payload(one.kept)} for one in found.neighbors],
    }


def graph_path_payload(path: "GraphPath") -> GraphPathPayload:
    return {
        "records": [kept_payload(kept) for kept in path.records],
        "links": [edge_payload(edge) for edge in path.edges],
    }


def graph_payload(document: object) -> GraphPayload:
    return cast(GraphPayload, document)


def graph_export_payload(form: str, target: "Path", graphs: "Sequence[PlaceGraph]") -> GraphExportPayload:
    counts = _counts(graphs)
    return {"format": form, "file": str(target), "records": counts["records"], "links": counts["links"]}


def graph_rebuilt_payload(graphs: "Sequence[PlaceGraph]") -> GraphRebuiltPayload:
    return _counts(graphs)


def _counts(graphs: "Sequence[PlaceGraph]") -> GraphRebuiltPayload:
    return {
        "records": sum(len(graph.active) for graph in graphs),
        "links": sum(len(graph.edges) for graph in graphs),
        "clusters": sum(len(graph.clusters) for graph in graphs),
    }
