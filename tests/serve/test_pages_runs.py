"""Runs and cost in the dashboard: what each did and left, how to take it back, and what models used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lerim.llm.prices import Tokens
from lerim.llm.usage import ModelCall, Spending

from .conftest import SAID, Workplace
from .dashboard import Visitor, dashboard, require_sound

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("runs"))
    made.setting("[budget]\nday_tokens = 10000\nday_usd = 1.0\nrun_tokens = 9000\n")
    made.talk(*SAID, ago=timedelta(days=1))
    with made.open() as lerim:
        list(lerim.sync())
        lerim.maintain()
        for role, model in (("extract", "small"), ("lead", f"large {HOSTILE}")):
            call = ModelCall(Spending("sync-1"), role, "someone", model, 1_000, 0.01)
            lerim.usage.settle(lerim.usage.open_call(call, lerim.config.settings.budget), Tokens(4_000, 200), 0.05)
    return made


@pytest.fixture(scope="module")
def visitor(workplace: Workplace) -> Iterator[Visitor]:
    with dashboard(workplace) as found:
        yield found


def run_of(visitor: Visitor, kind: str = "sync") -> str:
    found = re.search(rf"{kind}-\d{{8}}-\d{{6}}-\w{{6}}", visitor.get("/runs").html)
    assert found
    return found[0]


def test_runs_are_listed_with_what_they_did_and_the_budget_beside_them(visitor: Visitor) -> None:
    shown = visitor.get("/runs")

    require_sound(shown)
    assert "1 added" in shown.text
    assert "8,400 of 10,000" in shown.text
    assert "$0.1000 of $1.00" in shown.text
    assert "A run may use 9,000 tokens." in shown.text
    assert "8,400 tokens in 2 calls, $0.1000 as far as prices are known." in shown.text


@pytest.mark.parametrize(("by", "name"), [("day", "20"), ("role", "extract"), ("model", "small"), ("run", "sync-1")])
def test_the_ledger_adds_up_by_what_is_asked_for(visitor: Visitor, by: str, name: str) -> None:
    shown = visitor.get("/runs", by=by)

    require_sound(shown)
    assert name in shown.text.partition("Ledger")[2]
    assert "<img src=x" not in shown.html


def test_runs_of_one_kind(visitor: Visitor) -> None:
    assert "sync of" not in visitor.get("/runs", kind="maintain").text
    assert "No run is like that" in visitor.get("/runs", failed="1").text
    assert "No run is like that" in visitor.get("/runs", before="sync-20000101-000000-aaaaaa").text
    assert [400, 400] == [visitor.get("/runs", kind="nap").code, visitor.get("/runs", by="mood").code]


def test_a_run_shows_what_it_learned_from_which_words_and_its_files(visitor: Visitor) -> None:
    name = run_of(visitor)
    shown = visitor.get(f"/runs/{name}")

    require_sound(shown)
    assert "What it learned 1 action" in shown.text
    assert "pnpm" in shown.text
    assert re.search(r'href="/p/here/sessions/claude/[\w-]+\?line=\d+#L\d+"', shown.html)
    assert f"/p/here/runs/{name}/files/extract.json" in shown.html
    assert "agent.log, its last" in shown.text


def test_a_file_of_a_run_is_text(visitor: Visitor, workplace: Workplace) -> None:
    name = run_of(visitor)
    folder = next(workplace.project.rglob(name))
    (folder / "left.log").write_text(f"{HOSTILE}\x1b[2J" + "x" * 300_000)
    shown = visitor.get(f"/runs/{name}/files/left.log")

    require_sound(shown)
    assert "<img src=x" not in shown.html
    assert "&lt;img src=x" in shown.html
    assert "\x1b" not in shown.html
    assert "300.0 kB; the first 200.0 kB are shown" in shown.text
    assert 260_000 > len(shown.html)


def test_only_a_runs_own_files_are_shown(visitor: Visitor, workplace: Workplace) -> None:
    name = run_of(visitor)
    folder = next(workplace.project.rglob(name))
    secret = workplace.user / "secret.txt"
    secret.write_text("hush")
    (folder / "link.log").symlink_to(secret)
    for path in (
        f"/runs/{name}/files/link.log",
        f"/runs/{name}/files/..%2f..%2fcontext.sqlite3",
        f"/runs/{name}/files/none.json",
        "/runs/..%2f..",
        "/runs/none",
    ):
        shown = visitor.get(path)
        assert 404 == shown.code
        assert "hush" not in shown.text


def test_a_run_is_taken_back_by_a_form_and_only_then(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    workplace.talk(*SAID)
    with workplace.open() as lerim:
        list(lerim.sync())
    with dashboard(workplace, is_read_only=True) as reader:
        name = run_of(reader)
        assert not reader.get(f"/runs/{name}").has_forms
    with dashboard(workplace) as visitor:
        assert 403 == visitor.send(f"/runs/{name}/undo", form_token="0" * 64).code
        assert _titles(workplace)

        done = visitor.post(f"/runs/{name}/undo", form=f"/runs/{name}")
        assert "Taken back: 2 items." in done.text
        assert [] == _titles(workplace)
        assert "Take this run back" not in visitor.get(f"/runs/{name}").text


def _titles(workplace: Workplace) -> list[str]:
    with workplace.open() as lerim:
        return [one.record.title for one in lerim.memory.select()]


def test_where_nothing_ran_it_says_what_comes_next(tmp_path: Path) -> None:
    with dashboard(Workplace(tmp_path)) as visitor:
        shown = visitor.get("/runs")

    require_sound(shown)
    assert "No run yet" in shown.text
    assert "No limit is set for a day." in shown.text
