"""`lerim status --slo`: what is promised against what the databases tell, on the example sessions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main
from lerim.config.layers import load
from lerim.context.records import time_text
from lerim.errors import BudgetReached
from lerim.examples import install
from lerim.llm.usage import ModelCall, Spending, UsageLedger
from lerim.payloads.objectives import objectives_payload
from lerim.service import Lerim


class Month:
    """A project that is known for a month, whose example sessions are all read; and what time did to its databases."""

    def __init__(self, folder: Path) -> None:
        self.env = {"HOME": str(folder), "LERIM_HOME": str(folder / "home")}
        self.home, self.project = folder / "home", folder / "shop"
        self.project.mkdir()
        install(folder, self.project, datetime.now(UTC))
        with Lerim(self.project, env=self.env) as lerim:
            lerim.setup.init()
            list(lerim.sync())
        self.change("context.sqlite3", "UPDATE projects SET created = ?", ago(days=30))

    def change(self, database: str, sql: str, *values: Any) -> None:
        with closing(sqlite3.connect(self.home / database)) as connection, connection:
            connection.execute(sql, values)

    def end_all(self, moment: str) -> None:
        """All sessions ended then, and are read."""
        sql = "UPDATE sessions SET state = 'done', ended = ?, active = ?"
        self.change("index/sessions.sqlite3", sql, moment, moment)

    def objectives(self) -> dict[str, Any]:
        with Lerim(self.project, env=self.env) as lerim:
            return {one["name"]: one for one in objectives_payload(lerim.objectives())["objectives"]}


def ago(**span: float) -> str:
    return time_text(datetime.now(UTC) - timedelta(**span))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Month:
    return Month(tmp_path_factory.mktemp("month"))


@pytest.fixture
def month(shared: Month) -> Iterator[Month]:
    """Every test finds all sessions read ten minutes after they ended, and no settings."""
    shared.end_all(ago(minutes=10))
    yield shared
    (shared.home / "config.toml").unlink(missing_ok=True)


def test_nothing_is_claimed_where_nothing_was_measured(shell: Any) -> None:
    """A new home has no figures, and none is made up."""
    found = shell.ok("status", "--slo", "--json").json

    # Nobody waits where there is nobody.
    assert {"no data": 8, "ok": 1} == found["states"]
    assert {"backlog": 0.0} == {one["name"]: one["measured"] for one in found["objectives"] if one["state"] == "ok"}
    assert [] == found["next"]


def test_memories_are_as_fresh_as_the_time_from_a_sessions_end_to_the_run_that_read_it(month: Month) -> None:
    """Ten minutes for the whole of it are within an hour, and two hours are not."""
    soon = month.objectives()["freshness"]
    month.end_all(ago(hours=2))
    late = month.objectives()["freshness"]

    assert ("ok", 6, None) == (soon["state"], soon["count"], soon["next"])
    assert 540 <= soon["measured"] <= 700
    assert ("missed", "lerim daemon install") == (late["state"], late["next"])
    assert 7_100 <= late["measured"] <= 7_300


def test_the_turn_of_a_session_comes_before_its_memories(month: Month) -> None:
    """When a run began is told by its name, and is not after its end."""
    found = month.objectives()

    assert 0 < found["turn"]["measured"] <= found["freshness"]["measured"]


def test_what_ended_before_its_project_was_known_was_no_promise(month: Month) -> None:
    """The first sync of an old repository is not late."""
    month.end_all(ago(hours=20))
    month.change("context.sqlite3", "UPDATE projects SET created = ?", ago(hours=1))
    found = month.objectives()["freshness"]
    month.change("context.sqlite3", "UPDATE projects SET created = ?", ago(days=30))

    assert "no data" == found["state"]


def test_a_user_says_what_is_promised(month: Month) -> None:
    """In the settings; and close to it is at risk."""
    (month.home / "config.toml").write_text("[slo]\nfreshness_minutes = 125\n")
    month.end_all(ago(hours=2))
    found = month.objectives()["freshness"]

    assert (7_500, "at risk") == (found["objective"], found["state"])


def test_sessions_that_were_given_up_are_named_with_what_to_do(month: Month) -> None:
    """One of six is more than one in a hundred."""
    month.change(
        "index/sessions.sqlite3", "UPDATE sessions SET state = 'dead' WHERE id = (SELECT min(id) FROM sessions)"
    )
    found = month.objectives()["read"]

    assert ("missed", 6, "lerim retry --all") == (found["state"], found["count"], found["next"])
    assert found["measured"] == pytest.approx(100 * 5 / 6, abs=0.01)
    assert "1 given up" in found["note"]


def test_the_session_that_waits_longest_tells_the_backlog(month: Month) -> None:
    """By when it was last written to."""
    month.change(
        *("index/sessions.sqlite3", "UPDATE sessions SET state = 'pending', active = ? WHERE id = 1"),
        ago(hours=30),
    )
    found = month.objectives()["backlog"]

    assert ("missed", 1, "lerim sync") == (found["state"], found["count"], found["next"])
    assert 107_000 <= found["measured"] <= 109_000


def test_searches_are_timed_on_the_spot_and_the_index_is_counted(month: Month) -> None:
    """It says so: nobody records them. Nothing that is measured here counts as a use of a memory."""
    found = month.objectives()

    assert found["search"]["count"] > 0
    assert found["search"]["measured"] > 0
    assert "made now" in found["search"]["note"]
    assert (100.0, "ok") == (found["index"]["measured"], found["index"]["state"])


def test_errors_of_hooks_count_against_the_briefs_that_were_given(month: Month) -> None:
    """Those of the last week. What agents asked for themselves has no digest of a view, and is no work of hooks."""
    sql = """INSERT INTO served (key, at, agent, session, cwd, view, digest, characters)
      VALUES (?, ?, 'claude', '1', '', 'brief', ?, 0)"""
    given = [(ago(hours=1), "d1"), (ago(hours=2), "d2"), (ago(days=9), "d3"), (ago(hours=3), "")]
    for number, (moment, digest) in enumerate(given):
        month.change("index/sessions.sqlite3", sql, str(number), moment, digest)
    (month.home / "spool").mkdir(exist_ok=True)
    (month.home / "spool" / "errors.log").write_text(
        f"{ago(days=9)} lerim hook: old\n{ago(hours=1)} lerim hook: new\nhalf"
    )
    found = month.objectives()["hooks"]

    assert (3, "missed", "lerim connect doctor") == (found["count"], found["state"], found["next"])
    assert found["measured"] == pytest.approx(66.67, abs=0.01)


def test_a_run_that_a_budget_ended_misses_the_objective(month: Month) -> None:
    """And what is left today is told."""
    (month.home / "config.toml").write_text("[budget]\nday_tokens = 1000\n")
    ledger = UsageLedger(month.home, lambda: datetime.now(UTC))
    budget = load(month.home, None, {}).settings.budget
    first, second = (ModelCall(Spending(run), "extract", "ollama", "small", 900, None) for run in ("sync-1", "sync-2"))
    ledger.open_call(first, budget)
    with pytest.raises(BudgetReached):
        ledger.open_call(second, budget)
    found = month.objectives()["budget"]

    assert (1.0, "missed", "lerim cost --by run") == (found["measured"], found["state"], found["next"])
    assert "left today: 100 of 1,000 tokens" == found["note"]


def test_people_read_a_line_for_each_and_what_to_type_next(
    month: Month, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """State first, then what is, what shall be, and of how many."""
    month.end_all(ago(hours=2))
    monkeypatch.chdir(month.project)
    for name, value in month.env.items():
        monkeypatch.setenv(name, value)

    assert 0 == main(["status", "--slo"])
    lines = capsys.readouterr().out.splitlines()
    # Two hours, less what it took to come here since they were read.
    assert re.match(r"freshness missed   \d{2,3} min", lines[0])
    assert "at most 60 min: from the end of a session to its memories, p95; 6 in 7 days" in lines[0]
    assert "next: lerim daemon install" in lines
    assert any(line.startswith("9 objectives: ") for line in lines)
