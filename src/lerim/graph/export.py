"""The graph as a document: JSON for programs, GraphML for graph tools, a page for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from lerim.context.records import Record, time_text
from lerim.lazy_regex import compile_later

if TYPE_CHECKING:
    from lerim.context.links import Cluster
    from lerim.graph.parts import PlaceGraph

Document = dict[str, list[dict[str, Any]]]


class ExportFormat(StrEnum):
    """What a graph can be written as."""

    HTML = "html"
    JSON = "json"
    GRAPHML = "graphml"


def exported(graphs: Sequence[PlaceGraph], form: ExportFormat) -> str:
    """The graphs of some places as one document."""
    return _FORMS[form](document(graphs))


def document(graphs: Sequence[PlaceGraph]) -> Document:
    """Records, links and clusters, as JSON has them."""
    found: Document = {"nodes": [], "edges": [], "clusters": []}
    for graph in graphs:
        owners = {member: cluster for cluster in graph.clusters for member in cluster.members}
        degrees = Counter(end for edge in graph.edges for end in (edge.source, edge.target))
        found["nodes"] += [
            {**_node(record, owners.get(record.id)), "links": degrees[record.id], "scope": graph.place.scope}
            for record in graph.records.values()
        ]
        found["edges"] += [
            {
                "source": edge.source,
                "target": edge.target,
                "kind": str(edge.kind),
                "confidence": edge.confidence,
                "reason": edge.reason,
            }
            for edge in graph.edges
        ]
        found["clusters"] += [
            {"id": one.id, "label": one.label, "center": one.center, "members": list(one.members)}
            for one in graph.clusters
        ]
    return found


def _node(record: Record, cluster: Cluster | None) -> dict[str, Any]:
    return {
        "id": record.id,
        "primitive": str(record.primitive),
        "kind": str(record.kind) if record.kind else None,
        "title": record.title,
        "body": record.body,
        "status": str(record.status),
        "said": time_text(record.last_said.at),
        "trust": str(record.trust),
        "tags": list(record.tags),
        "cluster": cluster.id if cluster else None,
    }


# --- JSON


def _json(found: Document) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


# --- GraphML

#: What nodes and edges say there, each with its type.
_NODE_KEYS = {"title": "string", "body": "string", "primitive": "string", "kind": "string", "status": "string"} | {
    "said": "string",
    "trust": "string",
    "cluster": "string",
    "cluster_label": "string",
    "scope": "string",
    "links": "int",
}
_EDGE_KEYS = {"kind": "string", "confidence": "double", "reason": "string"}
# XML 1.0 cannot say these, not even escaped.
_NOT_XML = compile_later("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _graphml(found: Document) -> str:
    labels = {cluster["id"]: cluster["label"] for cluster in found["clusters"]}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for owner, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        lines += [
            f'<key id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>'
            for name, kind in keys.items()
        ]
    lines.append('<graph id="lerim" edgedefault="directed">')
    for node in found["nodes"]:
        told = {**node, "cluster_label": labels.get(node["cluster"])}
        lines += [f"<node id={_attribute(node['id'])}>", *_data("node", _NODE_KEYS, told), "</node>"]
    for edge in found["edges"]:
        ends = f"source={_attribute(edge['source'])} target={_attribute(edge['target'])}"
        lines += [f"<edge {ends}>", *_data("edge", _EDGE_KEYS, edge), "</edge>"]
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def _data(owner: str, keys: Mapping[str, str], told: Mapping[str, Any]) -> Iterator[str]:
    for name in keys:
        if told.get(name) is not None:
            yield f'<data key="{owner}_{name}">{escape(_plain(str(told[name])))}</data>'


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _html(found: Document) -> str:
    from lerim.graph.page import page_of  # Only the page needs it.

    return page_of(found)


_FORMS: Mapping[ExportFormat, Callable[[Document], str]] = {
    ExportFormat.HTML: _html,
    ExportFormat.JSON: _json,
    ExportFormat.GRAPHML: _graphml,
}
