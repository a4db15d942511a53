"""`lerim maintain` and `lerim undo`, as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest

TITLE = "Use Luxon for dates"


@pytest.fixture
def two(shell):
    """Two notes of a person that say the same: theirs to merge."""
    shell.add(TITLE, "--body", "It knows zones."), shell.add(TITLE)
    return shell


def test_a_plan_is_shown_and_written(two):
    """It says what it looked at, and the next command."""
    done = two.ok("maintain", "--plan")

    assert "looked at 2 records in 1 cluster" in done.out
    path = Path(done.out.rpartition("plan: ")[2].strip())
    assert TITLE in path.read_text()
    assert f"lerim maintain --apply {path}" in done.err
    assert 0o600 == path.stat().st_mode & 0o777


def test_an_item_that_was_declined_is_not_proposed_again_until_its_memories_say_something_else(two, tmp_path):
    path = str(tmp_path / "plan.md")
    two.ok("maintain", "--plan", path)

    done = two.ok("maintain", "--decline", path, "1")

    assert "declined: " in done.out
    assert "nothing to do" in two.ok("maintain", "--plan").out
    assert "nothing to do" in two.ok("maintain").out
    first = two.ok("memory", "list", "--json").json[0]["id"]
    two.ok("memory", "edit", first, "--body", "It knows zones, and all of them.")
    assert "Make" in two.ok("maintain", "--plan").out


def test_what_is_declined_is_named_and_still_what_was_planned(two, tmp_path):
    path = str(tmp_path / "plan.md")
    two.ok("maintain", "--plan", path)

    assert "say which items" in two("maintain", "--decline", path).err
    assert "the plan has no item 7" in two("maintain", "--decline", path, "7").err
    assert "give one of them" in two("maintain", "--decline", path, "1", "--apply", path).err
    first = two.ok("memory", "list", "--json").json[0]["id"]
    two.ok("memory", "edit", first, "--body", "It knows zones, and all of them.")
    assert "was changed since" in two("maintain", "--decline", path, "1").err


def test_where_nothing_is_to_do_no_file_is_written_unless_it_is_named(shell, tmp_path):
    shell.add(TITLE)
    done = shell.ok("maintain", "--plan")
    assert "nothing to do" in done.out
    assert "plan:" not in done.out
    assert shell.ok("maintain", "--plan", "--json").json["path"] is None
    assert [] == list(tmp_path.rglob("maintain-*.md"))
    shell.ok("maintain", "--plan", str(tmp_path / "mine.md"))
    assert (tmp_path / "mine.md").is_file()


def test_a_plan_goes_where_it_is_told_to(two, tmp_path):
    """As a file, or as JSON with the same items."""
    done = two.ok("maintain", "--plan", str(tmp_path / "mine.md"), "--json").json

    assert str(tmp_path / "mine.md") == done["path"]
    assert [1] == [item["number"] for item in done["items"]]
    assert 2 == len(done["items"][0]["evidence"])


def test_what_a_person_wrote_is_done_by_its_number_and_taken_back(two, tmp_path):
    """From the plan to the undo, with nothing but what was printed."""
    plan = str(tmp_path / "plan.md")
    two.ok("maintain", "--plan", plan)
    assert "nothing changed" in two.ok("maintain", "--apply", plan).out

    done = two.ok("maintain", "--apply", plan, "1")

    assert "1 merged" in done.out
    assert "1 item was done already" in two.ok("maintain", "--apply", plan, "1").out
    assert [TITLE] == [one["title"] for one in two.ok("memory", "list", "--json").json]
    run = done.err.rpartition("lerim undo ")[2].split()[0]
    assert run in two.ok("undo").out
    assert "taken back" in two.ok("undo", run[-6:]).out
    assert 2 == len(two.ok("memory", "list", "--json").json)


def test_what_waits_is_named(two):
    """Nobody has to open a file to know what it is about."""
    out = two.ok("maintain").out

    assert "1 item for you to decide" in out and "  1. Make dec-" in out


def test_the_list_of_runs_counts_what_waits(two):
    two.ok("maintain")

    assert "=0 ?1 " in two.ok("runs", "list").out


def test_of_what_is_replaced_in_turn_each_is_named(shell, tmp_path):
    titles = ("We use date-fns for dates", "From now on we use Luxon instead of date-fns", "Drop Luxon, use Temporal")
    first, second, third = (shell.add(title)["id"] for title in titles)
    plan = str(tmp_path / "plan.md")
    items = shell.ok("maintain", "--plan", plan, "--json").json["items"]

    done = shell.ok("maintain", "--apply", plan, *(str(item["number"]) for item in items))

    assert f"Replace {first} by {second}: {titles[0]}" in done.out
    assert f"Replace {second} by {third}: {titles[1]}" in done.out


def test_a_stale_item_is_named_and_fails(two, tmp_path):
    """The exit code says so to scripts."""
    plan = str(tmp_path / "plan.md")
    item = two.ok("maintain", "--plan", plan, "--json").json["items"][0]
    two.ok("memory", "edit", item["records"][0], "--body", "Mine.")

    failed = two("maintain", "--apply", plan, "1")

    assert (1, True) == (failed.code, "was changed since" in failed.err)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["maintain", "--plan", "x.md", "--apply", "y.md"], "give one of them"),
        (["maintain", "--apply", "no-such-plan.md"], "cannot be read"),
        (["maintain", "3"], "numbers of a plan's items"),
        (["maintain", "--unattended", "--plan"], "nobody watches"),
        (["maintain", "--apply", "README.md"], "is no plan"),
        (["maintain", "--apply", "."], "cannot be read"),
        (["undo", "maintain-x"], "no run 'maintain-x' changed anything here"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_next_command(shell, tmp_path, arguments, words):
    """In an empty memory, too."""
    Path("README.md").write_text("# Mine\n")

    failed = shell(*arguments)

    assert failed.code in (1, 2)
    assert words in failed.err
    assert "try:" in failed.err


def test_an_empty_memory_needs_nothing(shell):
    """Neither kept true nor taken back."""
    assert "nothing to do" in shell.ok("maintain").out
    assert "no run changed anything here" in shell.ok("undo").out
