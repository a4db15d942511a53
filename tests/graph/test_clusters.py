"""Clusters: what belongs together gets one name, and keeps it."""

from __future__ import annotations

from lerim.graph.clusters import _MANY, _communities
from lerim.graph.labels import label_of

from .conftest import LinkedPlace

LOGIN = ("Keycloak login token realm", "Keycloak login token cookie", "Keycloak login token refresh")
STORE = ("Postgres migration schema lock", "Postgres migration schema index", "Postgres migration schema backup")


def test_two_topics_are_two_clusters_with_names_of_their_own(linked: LinkedPlace) -> None:
    login, store = [linked.add(title) for title in LOGIN], [linked.add(title) for title in STORE]
    linked.add("Nobody likes Mondays")
    linked.refresh()

    found = {cluster.label: set(cluster.members) for cluster in linked.links.clusters()}

    assert 2 == len(found)
    assert {frozenset(record.id for record in some) for some in (login, store)} == set(map(frozenset, found.values()))
    assert any("Keycloak" in label for label in found) and any("Postgres" in label for label in found)


def test_a_cluster_keeps_its_name_when_others_come(linked: LinkedPlace) -> None:
    """The id is that of what was said first; what has to do with other things changes nothing."""
    first, *_ = [linked.add(title) for title in LOGIN]
    linked.refresh()
    before = linked.links.cluster_of(first.id)
    linked.place.store.clock.tick()  # type: ignore[attr-defined]
    for title in (*STORE, "Keycloak login token expiry"):
        linked.add(title)
    linked.refresh()

    after = linked.links.cluster_of(first.id)

    assert before is not None and after is not None
    assert before.id == after.id
    assert set(before.members) < set(after.members)


def test_what_is_left_alone_is_in_no_cluster(linked: LinkedPlace) -> None:
    """Two make no cluster, and one that lost its third member is none any more."""
    records = [linked.add(title) for title in LOGIN]
    linked.refresh()
    assert linked.links.cluster_of(records[0].id)
    with linked.place.store.change("test", "archived") as change:
        change.archive(records[2].id)
    linked.refresh()

    assert [] == linked.links.clusters()
    assert linked.links.cluster_of(records[0].id) is None


def test_a_large_community_is_divided_as_far_as_it_can_be() -> None:
    """A chain of a thousand is no topic; and what cannot be divided is left whole."""
    chain = {f"{n:04}": {f"{m:04}": 1.0 for m in (n - 1, n + 1) if 0 <= m < 1000} for n in range(1000)}
    found = list(_communities(chain))

    assert set(chain) == set().union(*found)
    assert max(map(len, found)) <= _MANY

    whole = {f"{n:03}": {f"{m:03}": 1.0 for m in range(60) if m != n} for n in range(60)}
    assert [set(whole)] == [set(some) for some in _communities(whole)]


def test_a_label_says_what_titles_share_and_no_word_that_any_has() -> None:
    titles = ["Use the Keycloak realm for tests", "Keycloak realm must be reset", "Never run tests without Keycloak"]
    assert "Keycloak, realm" == label_of(titles)
    assert "Use it" == label_of(["Use it", "Do not run the others"])
    assert "Never push to main" == label_of(["Never push to main", "It is fine to push to main now"]), "push says less"
    assert "" == label_of([])
