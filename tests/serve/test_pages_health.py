"""Health in the dashboard: what is not as it should be, and what mends it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from .conftest import SAID, Workplace
from .dashboard import dashboard, require_sound

HOSTILE = "<img src=x onerror=alert(1)> no space left"


def break_down(workplace: Workplace) -> None:
    """A session that was given up, for a reason that some program wrote."""
    with closing(sqlite3.connect(workplace.home / "index" / "sessions.sqlite3")) as catalog, catalog:
        catalog.execute("UPDATE sessions SET state = 'dead', reason = ?, attempts = 5", (HOSTILE,))


@pytest.fixture
def broken(tmp_path: Path) -> Workplace:
    workplace = Workplace(tmp_path)
    workplace.talk(*SAID)
    with workplace.open() as lerim:
        lerim.sessions.discover()
    break_down(workplace)
    return workplace


def test_where_all_is_well_it_says_so(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    workplace.talk(*SAID)
    with workplace.open() as lerim:
        list(lerim.sync())
        lerim.index.refresh()
    with dashboard(workplace) as visitor:
        shown = visitor.get("/health")

    require_sound(shown)
    assert "Every session and every byte that was found is accounted for." in shown.text
    assert "sound Versions, links, files and indexes agree." in shown.text
    assert "No session failed." in shown.text
    assert "Claude Code" in shown.text
    assert "ingested 1" in shown.text


def test_what_is_wrong_comes_first_with_what_mends_it(broken: Workplace) -> None:
    """And a button that does it: the session waits again."""
    with dashboard(broken) as visitor:
        shown = visitor.get("/health")
        require_sound(shown)
        assert "1 session could not be read: 1 given up" in shown.text
        assert "lerim retry --all" in shown.text
        assert "<img src=x" not in shown.html
        assert HOSTILE in shown.text

        mended = visitor.post("/health", form="/health", action="retry")
        assert "1 session will be tried again at the next sync." in mended.text
        assert "1 session waits to be read" in mended.text
        assert "lerim sync" in mended.text


def test_buttons_do_only_what_is_safe(broken: Workplace) -> None:
    with dashboard(broken) as visitor:
        assert 403 == visitor.send("/health", action="retry", form_token="0" * 64).code
        assert 400 == visitor.post("/health", form="/health", action="reset").code
        assert "Looked at 1 file: 0 new sessions" in visitor.post("/health", form="/health", action="look").text
        assert "The index is" in visitor.post("/health", form="/health", action="index").text
    with dashboard(broken, is_read_only=True) as reader:
        assert not reader.get("/health").has_forms


def test_sessions_without_a_project_are_named_with_the_command_that_gives_them_one(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workplace.project, home = elsewhere, workplace.project
    workplace.talk(*SAID)
    workplace.project = home
    with workplace.open() as lerim:
        lerim.sessions.discover()
    with dashboard(workplace) as visitor:
        shown = visitor.get("/health")

    require_sound(shown)
    assert "1 session belongs to no project" in shown.text
    assert f"lerim project add {elsewhere}" in shown.text


def test_a_broken_promise_of_the_store_is_told_with_its_fix(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    file = workplace.add("Use JWT bearer tokens", "Short expiry.").path
    assert file
    file.write_text("---\nid: nobody\n---\nWhat is this?\n")
    with dashboard(workplace) as visitor:
        shown = visitor.get("/health")

    require_sound(shown)
    assert "about the memory does not hold" in shown.text
    assert "fix:" in shown.text


def test_an_empty_home_is_no_trouble(tmp_path: Path) -> None:
    with dashboard(Workplace(tmp_path)) as visitor:
        shown = visitor.get("/health")

    require_sound(shown)
    assert "Nothing was found yet" in shown.text
