"""`lerim graph` as people use it: what is shown, what is written, and what is said when something is wrong."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

LOGIN = (
    ("Keycloak issues the login tokens", "Tokens of the Keycloak realm are signed with RS256."),
    ("Login tokens of Keycloak live for five minutes", "The Keycloak realm sets how long tokens live."),
    ("Reset the Keycloak realm to load new login users", "Login users of Keycloak stand in the realm export."),
)


@pytest.fixture
def ids(shell: Any) -> list[str]:
    shell.ok("init", "--no-sync")
    return [shell.add(title, "--body", body)["id"] for title, body in LOGIN] + [
        shell.add("Nobody works on Fridays")["id"]
    ]


def test_the_graph_is_shown_with_its_clusters(shell: Any, ids: list[str]) -> None:
    """Up to date without another command before it; `lerim graph` alone shows it, too."""
    shown = shell.ok("graph")

    assert "4 memories" in shown.out
    assert "Keycloak" in shown.out
    (overview,) = shell.ok("graph", "show", "--json").json
    assert (4, 1) == (overview["records"], overview["unlinked"])
    assert set(ids[:3]) == set(overview["clusters"][0]["members"])


def test_a_memorys_links_have_their_reason(shell: Any, ids: list[str]) -> None:
    found = shell.ok("graph", "neighbors", ids[0])

    assert ids[1] in found.out or ids[2] in found.out
    assert "both speak of" in found.out or "near in meaning" in found.out
    alone = shell.ok("graph", "neighbors", ids[3])
    assert "linked with nothing" in alone.err


def test_a_way_is_told_link_by_link(shell: Any, ids: list[str]) -> None:
    way = shell.ok("graph", "path", ids[1], ids[2], "--json").json

    assert ids[1] == way["records"][0]["id"]
    assert ids[2] == way["records"][-1]["id"]
    assert len(way["records"]) == len(way["links"]) + 1
    same = shell.ok("graph", "path", ids[1], ids[1])
    assert "one and the same" in same.err


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (("neighbors", "dec-nowhere"), "no record", "lerim memory list"),
        (("path", "{0}", "dec-nowhere"), "no record", "lerim memory list"),
        (("path", "{0}", "{3}"), "no way leads", "lerim graph neighbors"),
        (("clusters", "cl-nowhere"), "no cluster", "lerim graph clusters"),
        (("export", "--format", "graphml", "--output", "-", "--json"), "prints no graphml", "--output FILE"),
        (("export", "--format", "png"), "invalid choice", "lerim graph export --help"),
    ],
)
def test_what_is_wrong_is_said_with_the_next_command(
    shell: Any, ids: list[str], words: tuple[str, ...], said: str, hint: str
) -> None:
    failed = shell("graph", *(word.format(*ids) for word in words))

    assert failed.code != 0
    told = failed.err + failed.out
    assert said in told
    assert hint in told
    assert "Traceback" not in told


def test_what_does_not_hold_leads_to_what_does(shell: Any, ids: list[str]) -> None:
    """A replaced memory names its successor, an archived one how to get it back."""
    shell.ok("memory", "supersede", ids[0], "--by", ids[1])
    shell.ok("memory", "archive", ids[3])

    replaced, archived = shell("graph", "neighbors", ids[0]), shell("graph", "neighbors", ids[3])

    assert f"lerim graph neighbors {ids[1]}" in replaced.err
    assert f"lerim memory restore {ids[3]}" in archived.err
    links = shell.ok("graph", "neighbors", ids[1], "--json").json["neighbors"]
    assert (ids[0], "supersedes") in {(one["record"]["id"], one["link"]["kind"]) for one in links}
    assert ids[1] in shell.ok("graph", "path", ids[0], ids[1]).out


def test_an_export_is_for_its_owners_eyes(shell: Any, ids: list[str], tmp_path: Path) -> None:
    """Into the file that was named, or into Lerim's own folder and no repository."""
    page = tmp_path / "graph.html"
    shell.ok("graph", "export", "--output", str(page))
    named = shell.ok("graph", "export", "--format", "json", "--json").json

    assert 0o600 == stat.S_IMODE(page.stat().st_mode)
    assert ids[0] in page.read_text("utf-8")
    assert shell.project not in Path(named["file"]).parents
    assert set(ids) == {node["id"] for node in json.loads(Path(named["file"]).read_text("utf-8"))["nodes"]}


def test_a_document_can_be_printed(shell: Any, ids: list[str]) -> None:
    assert set(ids) == {
        node["id"] for node in json.loads(shell.ok("graph", "export", "--format", "json", "--output", "-").out)["nodes"]
    }
    assert set(ids) == {
        node["id"] for node in shell.ok("graph", "export", "--format", "json", "--output", "-", "--json").json["nodes"]
    }
    assert "<graphml" in shell.ok("graph", "export", "--format", "graphml", "--output", "-").out


def test_nothing_to_show_is_no_error(shell: Any) -> None:
    for words in (("show",), ("clusters",), ("rebuild",)):
        shell.ok("graph", *words)
    assert "no memories here yet" in shell.ok("graph").err


def test_a_search_reaches_what_is_linked_with_its_best_hits(shell: Any, ids: list[str]) -> None:
    """Behind every hit of its own, with the reason; none is pushed out."""
    before = [hit["id"] for hit in shell.ok("search", "RS256", "--limit", "3", "--json").json]
    shell.ok("graph", "rebuild")
    after = shell.ok("search", "RS256", "--limit", "3", "--json").json

    assert before == [hit["id"] for hit in after][: len(before)]
    assert all(hit["why"].startswith("linked: ") for hit in after[len(before) :])
