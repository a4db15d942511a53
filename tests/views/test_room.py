"""The door to the views: shown at once, fresh or not, made anew only when there is something new."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lerim.context.records import Draft, Kind, Primitive
from lerim.errors import ScopeError
from lerim.views.room import ViewName
from lerim.views.shelf import read_view
from lerim.views.writing import MOST_COPIES

from .conftest import World

ALL = list(ViewName)


def files(world: World) -> dict[str, bytes]:
    return {str(path.relative_to(world.home)): path.read_bytes() for path in (world.home / "views").rglob("*.md")}


@pytest.mark.parametrize("name", ALL)
def test_a_view_that_was_never_made_is_made(name: ViewName, world: World) -> None:
    with world.open() as lerim:
        shown = lerim.views.show(name)
        assert shown.is_fresh
        assert shown.text == shown.path.read_text("utf-8") == lerim.views.show(name).text
        assert lerim.views.status(name).is_fresh


def test_a_change_makes_it_stale_until_somebody_refreshes(world: World) -> None:
    """Nobody has to be told: the changes of the store are counted."""
    world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        before = lerim.views.show(ViewName.BRIEF)
        lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres for orders"))
        shown, status = lerim.views.show(ViewName.BRIEF), lerim.views.status(ViewName.BRIEF)
        assert (before.text, False) == (shown.text, shown.is_fresh)
        assert ("the memory has changed since", True) == (status.reason, status.exists)
        fresh = lerim.views.refresh(ViewName.BRIEF)

    assert fresh.is_fresh
    assert "Use Postgres for orders" in fresh.text


def test_what_changes_the_memory_brings_its_views_up_to_date(world: World) -> None:
    with world.open() as lerim:
        lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres for orders"))
    with world.open() as lerim:
        assert all(lerim.views.show(name).is_fresh for name in ViewName)
        assert "Use Postgres for orders" in lerim.views.show(ViewName.BRIEF).text


def test_who_only_looks_writes_nothing(world: World) -> None:
    with world.open() as lerim:
        lerim.views.forget()
        lerim.views.render(ViewName.BRIEF)
        assert not lerim.views.status(ViewName.BRIEF).exists
        assert {} == files(world)


def test_nothing_is_written_when_nothing_changed(world: World) -> None:
    world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        path = lerim.views.refresh(ViewName.BRIEF).path
        os.utime(path, (1, 1))
        world.clock.tick(days=1)
        lerim.views.refresh(ViewName.BRIEF)
        assert 1 == path.stat().st_mtime
        generated = lerim.views.refresh(ViewName.BRIEF, force=True).generated

    assert path.stat().st_mtime > 1
    assert world.clock() == generated


def test_the_same_store_gives_the_same_bytes(world: World) -> None:
    """At the same hour or later, in this process or another, deleted before or not."""
    for number in range(9):
        world.say(f"Shelf {number} holds crates of kind {number}", kind=Kind.INSIGHT, day=1 + number % 9)
    with world.open() as lerim:
        first = {name: lerim.views.refresh(name, force=True).text for name in ViewName}
        lerim.views.forget()
    world.clock.tick(hours=5)
    with world.open() as lerim:
        assert first == {name: lerim.views.show(name).text for name in ViewName}


def test_the_manifest_says_what_it_is(world: World) -> None:
    record = world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        lerim.views.refresh(ViewName.BRIEF)
    text, manifest = read_view(str(world.home), str(world.project), "brief") or ("", {})

    said = "view project root generated_at as_of digest feed branch records characters budget grounds"
    assert set(said.split()) == set(manifest)
    assert ([record.id], len(text), 9500) == (manifest["records"], manifest["characters"], manifest["budget"])


def test_views_are_for_their_owners_eyes_only(world: World) -> None:
    world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        lerim.views.refresh(ViewName.BRIEF)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in (world.home / "views").rglob("*")}

    assert {True: 0o700, False: 0o600} == modes


def test_what_it_said_before_is_kept_in_bounds(world: World) -> None:
    with world.open() as lerim:
        for number in range(MOST_COPIES + 5):
            world.clock.tick()
            lerim.memory.add(Draft(Primitive.DECISION, f"Put crate {number} onto shelf {number}"))
            lerim.views.refresh(ViewName.BRIEF)
        lerim.views.refresh(ViewName.BRIEF, force=True)
        assert MOST_COPIES == lerim.views.status(ViewName.BRIEF).copies


def test_another_moment_is_a_copy_and_agents_are_told_the_present(world: World) -> None:
    early = world.say("Use MySQL for orders", day=2)
    world.say("Call the gateway once", day=12)
    with world.open() as lerim:
        now = lerim.views.show(ViewName.BRIEF)
        then = lerim.views.refresh(ViewName.BRIEF, as_of=early.created)
        assert now == lerim.views.show(ViewName.BRIEF)

    assert "history" == then.path.parent.name
    assert (early.id,) == then.records
    assert then.text == then.path.read_text("utf-8")


def test_a_damaged_view_is_made_anew(world: World) -> None:
    world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        path = lerim.views.refresh(ViewName.BRIEF).path
        whole = path.read_text("utf-8")
        path.write_text("# Obey me\n", "utf-8")
        assert whole == lerim.views.show(ViewName.BRIEF).text


def test_a_view_is_never_worth_a_failed_command(world: World) -> None:
    """Where it cannot be written, the memory still is."""
    world.say("Use pnpm", by_hand=True)
    (world.home / "views").write_text("no folder\n")
    with world.open() as lerim:
        kept = lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres for orders"))
    with world.open() as lerim:
        assert kept.record.id == lerim.memory.find(kept.record.id).record.id


def test_a_project_that_is_not_registered_leaves_nothing_behind(world: World, tmp_path: Path) -> None:
    (tmp_path / "other" / ".git").mkdir(parents=True)
    before = files(world)
    with world.open(tmp_path / "other") as lerim:
        assert "`lerim sync`" in lerim.views.show(ViewName.BRIEF).text

    assert before == files(world)


def test_another_projects_view_can_be_made_from_here(world: World, tmp_path: Path) -> None:
    record = world.say("Use pnpm", by_hand=True)
    (tmp_path / "other").mkdir()
    with world.open(tmp_path / "other") as lerim:
        project = lerim.projects.find(str(world.project))
        assert (record.id,) == lerim.views.render(ViewName.BRIEF, project=project).records


def test_the_clinic_has_its_numbers_beside_it(world: World) -> None:
    world.sum_up("One", "**Outcome:** Done.", session="one", day=1)
    with world.open() as lerim:
        path = lerim.views.refresh(ViewName.CLINIC, force=True).path

    assert {"done": 1} == json.loads(path.with_suffix(".json").read_text("utf-8"))["outcomes"]


def test_what_is_forgotten_is_told_nowhere(world: World) -> None:
    """Neither in a view nor in what it said before."""
    world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        lerim.views.refresh(ViewName.BRIEF)
        lerim.memory.reset("project")

    assert not any(b"pnpm" in data for data in files(world).values())


def test_a_project_that_is_removed_takes_its_views_along(world: World) -> None:
    world.say("Use pnpm", by_hand=True)
    with world.open() as lerim:
        lerim.views.refresh(ViewName.BRIEF)
        lerim.setup.remove(lerim.project())

    assert {} == files(world)


def test_a_secret_that_is_masked_is_in_no_copy(world: World) -> None:
    """Of a record from before there was a gate."""
    said = "Why: the staging password is Kestrel-9182-harbor"
    with world.open() as lerim:
        kept = lerim.memory.add(Draft(Primitive.DECISION, "Use the staging account", said), allow_secret=True)
        with kept.place.change("person", "x") as change:
            change.revise(kept.record.id, extra={})
            change.tx.run("UPDATE records SET body = ? WHERE id = ?", (said, kept.record.id))
        lerim.views.refresh(ViewName.BRIEF)
        assert any(b"Kestrel" in data for data in files(world).values())
        lerim.memory.scan(fix=True)

    assert not any(b"Kestrel" in data for data in files(world).values())


def test_what_becomes_global_is_told_in_other_projects_too(world: World, tmp_path: Path) -> None:
    """At once: their next session may begin before anything else happens there."""
    (tmp_path / "other" / ".git").mkdir(parents=True)
    with world.open(tmp_path / "other") as lerim:
        lerim.setup.init()
        lerim.memory.add(Draft(Primitive.DECISION, "Answer in English"), "global")
    with world.open() as lerim:
        lerim.memory.add(Draft(Primitive.DECISION, "Use pnpm"))
    with world.open(tmp_path / "other") as lerim:
        lerim.memory.add(Draft(Primitive.DECISION, "Answer in short sentences"), "global")
    text, _ = read_view(str(world.home), str(world.project), "brief") or ("", {})

    assert "Answer in short sentences (global)" in text


def test_a_scope_without_a_memory_has_no_view(world: World, tmp_path: Path) -> None:
    (world.home / "config.toml").write_text('[memory]\nscope = "project_only"\n')
    (tmp_path / "nowhere").mkdir()
    with world.open(tmp_path / "nowhere") as lerim:
        for call in (lerim.views.show, lerim.views.status, lerim.views.path, lerim.views.refresh):
            with pytest.raises(ScopeError, match="no project"):
                call(ViewName.BRIEF)


def test_who_writes_at_once_leaves_a_whole_view(world: World) -> None:
    """Text and manifest are two files, and belong together whoever was last."""
    for number in range(12):
        world.say(f"Shelf {number} holds crates of kind {number} for the shop", kind=Kind.INSIGHT)

    def write(budget: int) -> str:
        with world.open() as lerim:
            return [lerim.views.refresh(ViewName.BRIEF, force=True, budget=budget).text for _ in range(4)][-1]

    with ThreadPoolExecutor(4) as threads:
        written = set(threads.map(write, (600, 800, 1000, 1200)))
    found = read_view(str(world.home), str(world.project), "brief")

    assert 4 == len(written)
    assert found is not None
    assert found[0] in written
    assert [] == [path.name for path in (world.home / "views").rglob("*.tmp")]
