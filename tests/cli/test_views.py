"""`lerim brief`, `working-memory` and `clinic` at the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NOUNS = ("brief", "working-memory", "clinic")


@pytest.mark.parametrize("noun", NOUNS)
def test_an_empty_view_says_what_to_type_next(noun: str, shell: Any) -> None:
    assert "`lerim sync`" in shell.ok(noun).out


def test_freshness_comes_first(shell: Any) -> None:
    added = shell.add("Use JWT bearer tokens")
    first, second, *rest = shell.ok("brief", "show").out.splitlines()

    assert first.startswith("fresh, made 20")
    assert first.endswith(" from 1 memory")
    assert ("", "# Context brief") == (second, rest[0])
    assert f"- Use JWT bearer tokens [{added['id']}]" in rest


@pytest.mark.parametrize(
    "command", ["memory archive {id}", "memory edit {id} --title Use-opaque-tokens", "feedback {id} wrong", "maintain"]
)
def test_a_command_that_changes_the_memory_leaves_fresh_views(command: str, shell: Any) -> None:
    record = shell.add("Use JWT bearer tokens")["id"]
    shell.ok(*command.format(id=record).split())

    for noun in NOUNS:
        assert shell.ok(noun, "status", "--json").json["fresh"]


def test_what_is_replaced_is_in_the_brief_no_more(shell: Any) -> None:
    old, new = (shell.add(title)["id"] for title in ("Use JWT bearer tokens", "Use server sessions instead of JWT"))
    shell.ok("memory", "supersede", old, "--by", new)

    assert [new] == shell.ok("brief", "--json").json["records"]
    assert "no longer: “Use JWT bearer tokens”" in shell.ok("working-memory").out


def test_a_date_or_a_budget_shows_what_it_would_be_and_writes_nothing(shell: Any) -> None:
    shell.add("Use JWT bearer tokens")
    path = shell.ok("brief", "path").out.strip()
    before = shell.ok("brief", "--json").json

    assert [] == shell.ok("brief", "show", "--as-of", "2020-01-01", "--json").json["records"]
    assert shell.ok("brief", "show", "--budget", "600", "--json").json["characters"] <= 600
    assert before == shell.ok("brief", "--json").json
    assert path == before["path"]


@pytest.mark.parametrize("flags", [("--as-of", "soon"), ("--budget", "-1"), ("--budget", "499"), ("--budget", "x")])
def test_what_cannot_be_meant_is_refused(flags: tuple[str, str], shell: Any) -> None:
    done = shell("brief", "show", *flags)

    assert (2, "") == (done.code, done.out)
    assert f"{flags[0]}" in done.err or "characters" in done.err


def test_a_setting_says_how_long_a_view_may_be(shell: Any, tmp_path: Path) -> None:
    for number in range(8):
        shell.add(f"Put crate {number} onto shelf {number} of the warehouse")
    assert 8 == len(shell.ok("brief", "--json").json["records"])
    (tmp_path / "lerim-home" / "config.toml").write_text("[views]\nbudget = 700\n")

    assert shell.ok("brief", "refresh", "--force", "--json").json["characters"] <= 700
    assert 700 == shell.ok("brief", "status", "--json").json["budget"]
