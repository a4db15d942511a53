"""The graph as a document: whatever records say, it is data there, and other programs can read it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from io import BytesIO

import pytest

from lerim.context.records import Draft, Primitive
from lerim.graph.export import ExportFormat, document, exported
from lerim.graph.page import page_of
from lerim.graph.parts import PlaceGraph

from .conftest import LinkedPlace

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "]]><!--<script>${alert(1)}{{7*7}} {data} {script} {style_hash}",
    "'\"><svg/onload=alert(1)> \u2028 \u202e mirrored \ud7ff \x1b[31m red",
)


@pytest.fixture
def graph(linked: LinkedPlace) -> PlaceGraph:
    for at, hostile in enumerate(HOSTILE):
        title = "".join(letter for letter in f"Keycloak token cookie login {hostile}" if letter.isprintable())
        linked.add(title[:190], f"Realm session password refresh expiry rotation audience issuer {at}: {hostile}")
    linked.refresh()
    with linked.place.store.read() as snapshot:
        records = {record.id: record for record in snapshot.select()}
    assert linked.links.edges()
    return PlaceGraph(linked.place, records, linked.links.edges(), linked.links.clusters())


class _Tags(HTMLParser):
    """The tags of a page, and what stands in its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.scripts: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self._in_script = tag == "script"
        self.scripts += [""] * self._in_script

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data


def test_no_record_can_write_into_the_page(graph: PlaceGraph) -> None:
    """The page of hostile records has the tags of an empty one, and gives back every letter of theirs as data."""
    page, empty = _Tags(), _Tags()
    page.feed(exported([graph], ExportFormat.HTML))
    empty.feed(page_of({"nodes": [], "edges": [], "clusters": []}))

    assert (empty.tags, empty.attributes) == (page.tags, page.attributes)
    assert empty.scripts[1] == page.scripts[1]
    assert document([graph]) == json.loads(page.scripts[0])
    assert not [name for name in page.attributes if name.startswith("on")]


def test_the_page_loads_nothing_and_is_small() -> None:
    page = page_of({"nodes": [], "edges": [], "clusters": []})

    assert len(page.encode()) < 60_000
    assert not re.search(
        r"https?://|@import|url\(|\bfetch\(|XMLHttpRequest|innerHTML|eval\(|document\.write|src=", page
    )
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]


def test_the_policy_allows_the_pages_own_script_and_style() -> None:
    """By their hash: one letter more, and a browser would run neither."""
    import base64
    import hashlib

    page = page_of({"nodes": [], "edges": [], "clusters": []})
    for tag in ("style", "script"):
        text = page.split(f"<{tag}>")[1].split(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in page


def test_graph_tools_can_read_graphml(graph: PlaceGraph) -> None:
    """Records, links and what is said of each, as networkx reads them."""
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")

    read = networkx.read_graphml(BytesIO(exported([graph], ExportFormat.GRAPHML).encode()))

    assert set(graph.records) == set(read.nodes)
    assert {(edge.source, edge.target) for edge in graph.edges} == set(read.edges)
    one = graph.edges[0]
    told = read.edges[one.source, one.target]
    assert (str(one.kind), one.confidence, one.reason) == (told["kind"], told["confidence"], told["reason"])
    assert graph.records[one.source].title == read.nodes[one.source]["title"]


def test_json_has_the_whole_graph(graph: PlaceGraph) -> None:
    read = json.loads(exported([graph], ExportFormat.JSON))

    assert set(graph.records) == {node["id"] for node in read["nodes"]}
    assert len(graph.edges) == len(read["edges"])
    assert [cluster.label for cluster in graph.clusters] == [one["label"] for one in read["clusters"]]


def test_an_empty_graph_is_a_document_too(linked: LinkedPlace) -> None:
    empty = PlaceGraph(linked.place, {}, [], [])

    for form in ExportFormat:
        assert exported([empty], form)
    record = Draft(Primitive.DECISION, "Alone").record(linked.place.store.clock())
    assert record.id in exported([PlaceGraph(linked.place, {record.id: record}, [], [])], ExportFormat.HTML)
