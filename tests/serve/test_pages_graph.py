"""The graph in the dashboard: drawn in part when it is large, through time, and the same as a list."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.context.links import Cluster, Edge, EdgeKind, LinkRows
from lerim.context.records import Draft, Primitive, Record
from lerim.graph.selection import around, best_linked

from .conftest import Workplace
from .dashboard import Visitor, dashboard, require_sound

HOSTILE = "</script><img src=x onerror=alert(1)>"
#: In clusters of twenty; and more than are drawn at once.
SOME, OF_EACH = 160, 20
MANY = 2_000


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("graph"))
    made.add(f"Cache prices in Redis {HOSTILE}", "Redis holds `prices.py`'s table for an hour.")
    old = made.add("Keep prices in `prices.py` for a day", "Redis holds them.")
    new = made.add("Keep prices in `prices.py` for a week", "Redis holds them.")
    with made.open() as lerim:
        lerim.memory.supersede(lerim.memory.find(old.record.id), lerim.memory.find(new.record.id), reason="longer")
    return made


@pytest.fixture(scope="module")
def visitor(workplace: Workplace) -> Iterator[Visitor]:
    with dashboard(workplace) as found:
        yield found


def drawn(visitor: Visitor, **query: str) -> Any:
    return json.loads(visitor.get("/graph/data", **query).html)


def test_the_page_draws_by_a_script_of_ours_and_says_the_same_in_words(visitor: Visitor) -> None:
    shown = visitor.get("/graph")

    require_sound(shown)
    assert 'data-src="/p/here/graph/data' in shown.html
    assert "The same as a list" in shown.text
    assert "for a week" in shown.text
    assert "<img src=x" not in shown.html
    script = visitor.get("/graph/page.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "use strict" in script.html


def test_what_is_drawn_says_when_each_began_and_when_it_was_replaced(visitor: Visitor) -> None:
    nodes = {node["title"]: node for node in drawn(visitor)["nodes"]}
    replaced, now = nodes["Keep prices in `prices.py` for a day"], nodes["Keep prices in `prices.py` for a week"]

    assert ("superseded", "active") == (replaced["status"], now["status"])
    assert replaced["from"] <= replaced["until"]
    assert now["until"] is None
    assert f"Cache prices in Redis {HOSTILE}" in nodes


def test_a_search_and_a_memory_show_what_lies_around_them(visitor: Visitor, workplace: Workplace) -> None:
    with workplace.open() as lerim:
        week = next(one.record for one in lerim.memory.select() if "week" in one.record.title)
    found, near = visitor.get("/graph", q="how long prices are kept"), visitor.get("/graph", around=week.id)

    require_sound(found)
    require_sound(near)
    assert "Around what “how long prices are kept” finds." in found.text
    assert "Around “Keep prices in `prices.py` for a week”." in near.text
    assert week.id in {node["id"] for node in drawn(visitor, around=week.id)["nodes"]}
    assert [] == drawn(visitor, q="zebra xylophone")["nodes"]
    assert 404 == visitor.get("/graph", around="dec-aaaaaaaaaa").code


def test_where_nothing_is_known_it_says_what_comes_next(tmp_path: Path) -> None:
    with dashboard(Workplace(tmp_path)) as visitor:
        shown = visitor.get("/graph")

    require_sound(shown)
    assert "No memories to link yet" in shown.text


def filled(workplace: Workplace, count: int) -> Workplace:
    """With so many memories, linked one with the next, in clusters."""
    began = datetime(2025, 1, 1, tzinfo=UTC)
    with workplace.open() as lerim:
        place = lerim.memory.target()
        records = [_record(number, began) for number in range(count)]
        with place.store.change("person", "filled") as change:
            change.create_all(records)
        _link(lerim, place, [record.id for record in records])
    return workplace


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visitor, Workplace]]:
    made = filled(Workplace(tmp_path_factory.mktemp("large")), SOME)
    with dashboard(made) as found:
        yield found, made


def _record(number: int, began: datetime) -> Record:
    title = f"Memory {number} of topic {number // OF_EACH}"
    return Draft(Primitive.DECISION, title, "It says so.").record(began + timedelta(hours=number))


def _link(lerim: Any, place: Any, ids: list[Any]) -> None:
    """As the graph room would, which would take its time."""
    from lerim.context.feed import Feed
    from lerim.graph.following import followed

    groups = [ids[at : at + OF_EACH] for at in range(0, len(ids), OF_EACH)]
    edges = [
        Edge(one, other, EdgeKind.SAME_TOPIC, 0.7, "both say so")
        for group in groups
        for one, other in itertools.pairwise(group)
    ]
    with place.store.read() as snapshot:
        seqs = dict(snapshot.tx.rows("SELECT id, seq FROM records"))
    with place.local.write() as tx, place.store.database.read() as store:
        rows, feed = LinkRows(tx, place.project.id), Feed(store, place.project.id)
        rows.put_record([(seqs[one], one, b"") for one in ids])
        rows.put(edges)
        rows.keep([(edge, True) for edge in edges])
        rows.put_clusters([Cluster(f"cl-{at}", f"topic {at}", g[0], tuple(g)) for at, g in enumerate(groups)], [], ids)
        model = getattr(lerim.index.embedder, "key", "")
        followed(tx, place.project.id, model).advance(feed.store(), feed.newest())


def test_of_many_some_of_every_cluster_are_chosen_and_none_stands_alone(large: tuple[Visitor, Workplace]) -> None:
    with large[1].open() as lerim:
        (part,) = lerim.graph.part(60)

    assert 59 <= len(part.graph.records) <= 60
    assert SOME == part.total
    assert not part.is_behind
    clusters = {one.id for one in part.graph.clusters for member in one.members if member in part.graph.records}
    assert SOME // OF_EACH == len(clusters)
    assert set(part.graph.records) == {end for edge in part.graph.edges for end in (edge.source, edge.target)}


@pytest.mark.drill
def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    with dashboard(filled(Workplace(tmp_path), MANY)) as visitor:
        found, shown = drawn(visitor), visitor.get("/graph")

    require_sound(shown)
    assert 1_199 <= len(found["nodes"]) <= 1_200
    assert MANY - len(found["nodes"]) == found["left_out"]
    assert f"Drawn are the {len(found['nodes']):,} that are linked best" in shown.text
    assert f"{found['left_out']:,} are left out" in shown.text


def test_a_cluster_is_shown_whole(large: tuple[Visitor, Workplace]) -> None:
    visitor = large[0]
    found, shown = drawn(visitor, cluster="cl-7"), visitor.get("/graph", cluster="cl-7")

    require_sound(shown)
    assert OF_EACH == len(found["nodes"])
    assert [("cl-7", OF_EACH)] == [(one["id"], one["size"]) for one in found["clusters"]]
    assert "The cluster “topic 7”: 20 memories." in shown.text
    assert [] == drawn(visitor, cluster="cl-999")["nodes"]


def test_the_list_has_pages(large: tuple[Visitor, Workplace]) -> None:
    second = large[0].get("/graph", page="2")

    require_sound(second)
    assert f"51–100 of {SOME}" in second.text
    assert "Not every memory is linked yet" not in second.text


def test_no_more_is_chosen_than_asked_for_and_none_stands_alone() -> None:
    ids: list[Any] = [f"dec-{number:03}" for number in range(90)]
    edges = [Edge(one, other, EdgeKind.RELATED, 0.5, "") for one, other in itertools.pairwise(ids)]
    clusters = [Cluster("a", "a", ids[0], tuple(ids[:30])), Cluster("b", "b", ids[60], tuple(ids[60:]))]
    chosen = best_linked(edges, clusters, 40)

    assert 39 <= len(chosen) <= 40
    assert chosen & set(ids[:30])
    assert chosen & set(ids[60:])
    assert {ids[0], ids[1], ids[2]} == around(edges, [ids[0]], 10)
    assert {ids[48], ids[49], ids[50], ids[51], ids[52]} == around(edges, [ids[50]], 10)
    assert set() == best_linked([], [], 10)
