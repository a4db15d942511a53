"""Graph: how memories bear on each other, to explore; the same as a list for whoever does not look at drawings."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lerim.context.records import time_text
from lerim.dataclass import dataclass
from lerim.serve.pages.shell import form_of, page, see_other
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request

    from lerim.context.records import Record
    from lerim.graph.parts import GraphPart
    from lerim.service import Lerim

#: Records that are drawn, links between them, and letters of what each says: a browser moves so many with ease.
MOST_RECORDS = 1_200
_MOST_LINKS = 6_000
_MOST_LETTERS = 240
_MOST_CLUSTERS = 120
#: Records of a search, around which the rest is shown.
_MOST_FOUND = 40
PER_PAGE = 50
#: Seconds that a look at the graph spends on linking what is new.
_PATIENCE = 1.5


@dataclass(frozen=True)
class GraphAsked:
    """Which part of the graph is wanted: a cluster, what is around a memory or a search's hits, or the best linked."""

    cluster: str
    around: str
    text: str
    page: int

    @classmethod
    def of(cls, request: Request) -> GraphAsked:
        query = request.query_params
        number = query.get("page", "1")
        at = int(number) if number.isdecimal() and len(number) < 6 else 1
        return cls(query.get("cluster", ""), query.get("around", ""), query.get("q", "").strip(), max(1, at))

    @property
    def is_whole(self) -> bool:
        return not (self.cluster or self.around or self.text)

    def query(self, page: int = 0) -> str:
        asked = {"cluster": self.cluster, "around": self.around, "q": self.text, "page": page}
        return f"?{urlencode({name: value for name, value in asked.items() if value})}"


async def graph(request: Request) -> Response:
    asked = GraphAsked.of(request)
    return page(request, "graph.html", asked=asked, **await in_lerim(request, partial(_listed, asked)))


async def data(request: Request) -> Response:
    """What the script draws."""
    found = await in_lerim(request, partial(_drawn, GraphAsked.of(request)))
    return JSONResponse(found, headers={"cache-control": "no-store"})


async def script(request: Request) -> Response:
    """The script of the page that `lerim graph export` makes: it explores this graph as well."""
    from lerim.graph.page import script_of

    return Response(script_of(), media_type="text/javascript", headers={"cache-control": "no-cache"})


async def link_up(request: Request) -> Response:
    """Link what is not linked yet."""
    await form_of(request)
    done = await in_lerim(request, lambda lerim: lerim.graph.refresh(), takes_long=True)
    return see_other(request, "/graph", f"Looked at {done:,} memories; every one that may be linked is.")


def _parts(asked: GraphAsked, lerim: Lerim) -> list[GraphPart]:
    near: tuple[str, ...] = ()
    if asked.around:
        near = (lerim.memory.find(asked.around).record.id,)
    elif asked.text:
        near = tuple(hit.kept.record.id for hit in lerim.search(asked.text, limit=_MOST_FOUND)) or ("nothing",)
    until = time.monotonic() + _PATIENCE
    most = MOST_RECORDS if asked.is_whole or asked.cluster else MOST_RECORDS // 4
    return lerim.graph.part(most, cluster=asked.cluster, near=near, until=lambda: time.monotonic() > until)


def _drawn(asked: GraphAsked, lerim: Lerim) -> dict[str, Any]:
    from lerim.graph.export import document

    parts = _parts(asked, lerim)
    found: dict[str, Any] = dict(document([part.graph for part in parts]))
    records = {str(key): record for part in parts for key, record in part.graph.records.items()}
    for node in found["nodes"]:
        record = records[node["id"]]
        node["body"] = _cut(record.description or node["body"])
        node["from"], node["until"] = _began(record), time_text(record.valid_until) if record.valid_until else None
    found["edges"] = sorted(found["edges"], key=lambda edge: -edge["confidence"])[:_MOST_LINKS]
    drawn = {node["cluster"] for node in found["nodes"]}
    found["clusters"] = [
        {"id": one["id"], "label": one["label"], "center": one["center"], "size": len(one["members"])}
        for one in found["clusters"]
        if one["id"] in drawn
    ][:_MOST_CLUSTERS]
    found["left_out"] = _left_out(parts)
    return found


def _listed(asked: GraphAsked, lerim: Lerim) -> dict[str, Any]:
    parts = _parts(asked, lerim)
    owners = {member: one.id for part in parts for one in part.graph.clusters for member in one.members}
    shown = [_row(record, part, owners.get(key)) for part in parts for key, record in part.graph.records.items()]
    shown.sort(key=lambda row: (-row["links"], row["title"], row["id"]))
    clusters = sorted((one for part in parts for one in part.graph.clusters), key=lambda one: -len(one.members))
    first = PER_PAGE * (asked.page - 1)
    return {
        "rows": shown[first : first + PER_PAGE],
        "drawn": len(shown),
        "first": first,
        "total": sum(part.total for part in parts),
        "links": sum(sum(part.degrees.values()) for part in parts) // 2,
        "left_out": _left_out(parts),
        "is_behind": any(part.is_behind for part in parts),
        "clusters": clusters[:_MOST_CLUSTERS],
        "more_clusters": max(0, len(clusters) - _MOST_CLUSTERS),
        "labels": {one.id: one.label for one in clusters},
        "chosen": next((one for one in clusters if one.id == asked.cluster), None),
        "center": lerim.memory.find(asked.around).record if asked.around else None,
    }


def _left_out(parts: list[GraphPart]) -> int:
    return max(0, sum(part.total - len(part.graph.active) for part in parts))


def _row(record: Record, part: GraphPart, cluster: str | None) -> dict[str, Any]:
    return {
        "id": record.id,
        "title": record.title,
        "primitive": str(record.primitive),
        "kind": str(record.kind) if record.kind else None,
        "status": str(record.status),
        "links": part.degrees.get(record.id, 0),
        "cluster": cluster,
        "said": time_text(record.last_said.at),
    }


def _began(record: Record) -> str:
    """When it was first said."""
    moments = [piece.said for piece in record.evidence if piece.said]
    return time_text(min(moments) if moments else record.valid_from or record.created)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


ROUTES = [
    Route("/graph", graph),
    Route("/graph/data", data),
    Route("/graph/page.js", script),
    Route("/graph/link", link_up, methods=["POST"]),
]
