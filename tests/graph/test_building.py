"""The graph follows the memory: whatever happens to records, it is the one that would be made anew."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.config.scope import Scope, ScopeMode
from lerim.context.memory import Memory
from lerim.context.place import Kept
from lerim.context.projects import Projects
from lerim.context.records import Evidence, Kind, Status, Trust
from lerim.context.recovery import open_local
from lerim.graph import building
from lerim.graph.building import MOST_LINKS

from ..conftest import HandClock, SqliteEngine, examples
from .conftest import LinkedPlace

WORDS = (
    "Keycloak",
    "token",
    "cookie",
    "`jwt_secret`",
    "Postgres",
    "migration",
    "src/auth.py",
    "cache",
    "login",
    "pnpm",
)
KINDS = (None, Kind.INSIGHT, Kind.PITFALL, Kind.PREFERENCE)
Step = tuple[str, int, tuple[int, ...], int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "revise", "archive", "restore", "supersede", "evidence", "refresh"]),
        st.integers(0, 40),
        st.lists(st.integers(0, len(WORDS) - 1), min_size=2, max_size=5).map(tuple),
        st.integers(0, 5),
    ),
    min_size=4,
    max_size=30,
)


def text(chosen: tuple[int, ...]) -> str:
    return "Use " + " ".join(WORDS[at] for at in chosen)


def happens(linked: LinkedPlace, step: Step) -> None:
    what, which, chosen, number = step
    store = linked.place.store
    with store.read() as snapshot:
        ids = sorted(snapshot.ids())
    if what == "add" or not ids:
        kind = KINDS[number % len(KINDS)]
        linked.add(text(chosen), "Because " + text(chosen[::-1]), kind, f"run-{which % 3}", which)
        return
    if what == "refresh":
        # With few of the vectors that are missing, as an index that is still being made.
        linked.refresh(vectors=number)
        return
    one, other = ids[which % len(ids)], ids[(which + number + 1) % len(ids)]
    with store.change("test", what) as change:
        now = change.fetch(one)
        if what == "revise":
            change.revise(one, title=text(chosen))
        elif what == "evidence":
            change.revise(one, evidence=(*now.evidence, Evidence("claude", f"run-{number % 3}", which, which)))
        elif what == "archive" and now.status is Status.ACTIVE:
            change.archive(one)
        elif what == "restore" and now.status is not Status.ACTIVE:
            change.restore(one)
        elif what == "supersede" and one != other and now.holds and change.fetch(other).holds:
            change.supersede(one, by=other)


@settings(max_examples=examples(40))
@given(steps=STEPS, size=st.sampled_from([2, 7, 512]))
def test_a_graph_that_followed_every_change_is_the_one_made_anew(blank: Path, steps: list[Step], size: int) -> None:
    """Links with their reasons, and clusters with their names: after any history, in steps of any size."""
    folder = Path(tempfile.mkdtemp())
    step, building.STEP = building.STEP, size
    try:
        linked = opened(folder, blank)
        for one in steps:
            happens(linked, one)
        linked.refresh()
        followed = linked.graph()
        linked.rebuild()

        assert linked.graph() == followed
        assert max(Counter(end for edge in followed[0] for end in (edge.source, edge.target)).values(), default=0) <= (
            2 * MOST_LINKS
        )
    finally:
        building.STEP = step
        shutil.rmtree(folder)


def opened(folder: Path, blank: Path) -> LinkedPlace:
    home, root, clock = folder / "home", folder / "repo", HandClock()
    home.mkdir()
    root.mkdir()
    SqliteEngine().copy(blank, home, "context")
    database, local = SqliteEngine().open(home, "context"), open_local(home)
    projects = Projects(database, home, clock)
    memory = Memory(
        database,
        local,
        Scope(ScopeMode.PROJECT_FALLBACK_GLOBAL, root, home),
        projects,
        projects.lay_out,
        clock,
    )
    return LinkedPlace(memory.target(), database, local, home / "index" / "search")


def test_no_record_keeps_more_links_than_people_can_read(linked: LinkedPlace) -> None:
    """Thirty that say nearly the same are not all linked with each other."""
    for number in range(30):
        linked.add(f"Keycloak token cookie login number{number}", "The `jwt_secret` is rotated.")
    linked.refresh()

    degrees = Counter(end for edge in linked.links.edges() for end in (edge.source, edge.target))

    assert degrees
    assert max(degrees.values()) <= MOST_LINKS


def test_what_was_replaced_is_linked_and_what_was_archived_is_not(linked: LinkedPlace) -> None:
    """The record that holds leads to what it replaced, and archived ones are in no link."""
    old, new = linked.add("Use npm for packages"), linked.add("Use pnpm for packages from now on")
    gone = linked.add("Use pnpm for packages in the web folder")
    with linked.place.store.change("test", "changed") as change:
        change.supersede(old.id, by=new.id)
        change.archive(gone.id)
    linked.refresh()

    edges = linked.links.edges()

    assert [(new.id, old.id, "supersedes")] == [(edge.source, edge.target, edge.kind) for edge in edges]


def test_hearsay_is_linked_with_nothing(linked: LinkedPlace) -> None:
    """What came with a stranger's repository must not stand beside the user's own words."""
    linked.add("Keycloak token cookie login")
    linked.add("Keycloak token cookie login too", trust=Trust.SHARED)
    linked.refresh()

    assert [] == linked.links.edges()
    assert 1 == len(linked.links.records())


def test_two_who_link_at_once_lose_nothing(linked: LinkedPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes second finds that the work is done, and does not do it twice."""
    linked.add("Keycloak token cookie login")
    linked.add("Keycloak token cookie logout")
    linked.index.write_terms()
    linked.index.embed()
    look = building.LinkBuilder._look
    nested: list[int] = []

    def looked(self: building.LinkBuilder) -> object:
        found = look(self)
        if not nested:
            nested.append(1)
            while linked.builder.step() is not None:
                pass
        return found

    monkeypatch.setattr(building.LinkBuilder, "_look", looked)
    assert 0 == linked.builder.step()
    assert 1 == len(linked.links.edges())


def test_another_store_or_model_is_linked_from_the_start(linked: LinkedPlace) -> None:
    """Links that were found by other vectors say nothing about these."""
    linked.add("Keycloak token cookie login")
    linked.add("Keycloak token cookie logout")
    linked.refresh()

    other = building.LinkBuilder(linked.place, linked.index, "")
    assert 2 == other.step()
    assert [] == linked.links.edges()


def test_what_cannot_hold_together_is_said_beside_both(linked: LinkedPlace) -> None:
    """Until somebody decides, whoever is shown one of them is told of the other."""
    never, fine = linked.add("Never push to main"), linked.add("It is fine to push to main now")
    linked.refresh()

    beside = [Kept(record, linked.place).doubt for record in (never, fine)]

    assert f"cannot hold together with {fine.id}" in beside[0] and fine.title in beside[0]
    assert f"cannot hold together with {never.id}" in beside[1]

    with linked.place.store.change("test", "decided") as change:
        change.supersede(never.id, by=fine.id)
    assert "" == Kept(fine, linked.place).doubt, "what was replaced contradicts nobody any more"
