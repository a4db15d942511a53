"""The clinic in the dashboard: charts that say what they show, each with its numbers behind it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from lerim.context.records import Kind, Primitive
from lerim.examples.steps import AgentStep, CommandStep, UserStep
from lerim.serve.pages.charts import calendar, columns, lines, size_told, told

from .conftest import PNPM, Workplace
from .dashboard import Visitor, dashboard, require_sound, tags_of

HOSTILE = "<img src=x onerror=alert(1)> is slow"
AGENTS = ("claude", "codex", "pi")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """Three sessions in which the same is said again and the same check fails; of what they were given they made
    different things."""
    made = Workplace(tmp_path_factory.mktemp("clinic"))
    for number, agent in enumerate(AGENTS, 1):
        made.talk(
            UserStep("Add the cancel button to the booking page."),
            CommandStep("pytest -q", "3 failed, 20 passed", exit_code=1),
            UserStep(PNPM),
            AgentStep("Understood, pnpm it is. The tests still fail."),
            agent=agent,
            number=number,
            ago=timedelta(days=4 * number),
        )
    with made.open() as lerim:
        list(lerim.sync())
    made.add(HOSTILE, "Each start costs a minute.", primitive=Primitive.LEARNING, kind=Kind.FRICTION)
    _hand_out(made)
    return made


def _hand_out(workplace: Workplace) -> None:
    """What hooks noted, and what was judged of it."""
    with workplace.open() as lerim:
        pnpm = next(one.record.id for one in lerim.memory.select() if "pnpm" in one.record.title)
        other = next(one.record.id for one in lerim.memory.select() if one.record.title == HOSTILE)
        sessions = [(one.agent, one.run_id) for one in lerim.sessions.queue.list()]
    with closing(sqlite3.connect(workplace.home / "index" / "sessions.sqlite3")) as catalog, catalog:
        for number, (agent, run_id) in enumerate(sessions):
            at = datetime.now(UTC) - timedelta(days=4 * number)
            judged = "as it was" if number < 2 else None
            serving = (f"k{number}", f"{at:%Y-%m-%dT%H:%M:%SZ}", agent, run_id, str(workplace.project))
            rest = (str(workplace.project), "brief", "digest", 4_000, judged)
            catalog.execute("INSERT INTO served VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*serving, *rest))
            outcomes = {0: ("followed", "ignored"), 1: ("followed", "contradicted"), 2: (None, None)}[number]
            for record, outcome in zip((pnpm, other), outcomes, strict=True):
                row = (f"k{number}", record, outcome)
                catalog.execute("INSERT INTO served_records (key, record, outcome) VALUES (?, ?, ?)", row)


@pytest.fixture(scope="module")
def visitor(workplace: Workplace) -> Iterator[Visitor]:
    with dashboard(workplace) as found:
        yield found


def test_each_chart_says_what_it_shows_and_has_a_table_behind_it(visitor: Visitor) -> None:
    shown = visitor.get("/clinic")

    require_sound(shown)
    for title in (
        "How sessions ended",
        "Friction over time",
        "Repeated corrections",
        "What became of what was handed out",
        "Tokens per useful memory",
    ):
        assert title in shown.text
    assert "Of 4 times that a session was given a memory, it was followed 2 and contradicted 1." in shown.text
    assert "About 1,000 tokens of brief for each time that a memory was followed; less is better." in shown.text
    assert "3 sessions" in shown.text
    assert shown.html.count('<svg class="plot"') == shown.html.count("<summary>The numbers</summary>") >= 4
    assert "<img src=x" not in shown.html


def test_every_chart_is_named_for_whoever_does_not_see_it(visitor: Visitor) -> None:
    plots = [said for tag, said in tags_of(visitor.get("/clinic").html) if tag == "svg" and said.get("role") == "img"]

    assert plots
    assert all(said.get("aria-label") for said in plots)


def test_what_had_to_be_said_again_leads_to_the_memory_and_its_sessions(visitor: Visitor) -> None:
    shown = visitor.get("/clinic")
    part = shown.html.partition('id="repeated-title"')[2].partition("</figure>")[0]

    assert "pnpm" in part
    assert all(f"/p/here/sessions/{agent}/" in part for agent in AGENTS)
    assert re.search(r'href="/p/here/memory/[a-z]+-\w+"', part)


def test_where_nothing_happened_it_says_so(tmp_path: Path) -> None:
    with dashboard(Workplace(tmp_path)) as visitor:
        shown = visitor.get("/clinic")

    require_sound(shown)
    assert "No pattern yet" in shown.text
    assert "No session was given a memory yet" in shown.text
    assert '<svg class="plot"' not in shown.html


# --- charts


def test_days_become_weeks_and_months_when_there_are_many() -> None:
    def unit(days: int) -> str:
        return calendar(["2026-03-01", (date(2026, 3, 1) + timedelta(days=days)).isoformat()]).unit

    assert ("day", "week", "month") == (unit(20), unit(200), unit(900))


@pytest.mark.parametrize("days", [(), ("",), ("nonsense", "2026-13-40"), ("0001-01-01",), ("9999-12-31",)])
def test_days_that_are_none_draw_nothing(days: tuple[str, ...]) -> None:
    when = calendar(days)
    made = columns("A", "b", when, {"x": when.sums((day, 1.0) for day in days)}, {"x": "accent"})

    assert made.is_empty
    assert () == made.rows


def test_columns_stand_on_each_other_and_fit_the_drawing() -> None:
    when = calendar(["2026-03-01", "2026-03-03"])
    series = {"good": [3.0, 0.0, 1.0], "bad": [1.0, 0.0, 7.0]}
    made = columns("A", "b", when, series, {"good": "good", "bad": "bad"})
    first, second, *last = made.marks

    assert first.y == pytest.approx(second.y + second.height, abs=0.2)
    assert all(0 <= mark.y and mark.y + mark.height <= made.height for mark in made.marks)
    assert all(made.left <= mark.x and mark.x + mark.width <= made.width for mark in made.marks)
    assert ["0", "2", "4", "6", "8"] == [tick.label for tick in made.across]
    assert (("2026-03-01", "3", "1"), ("2026-03-03", "1", "7")) == made.rows
    assert len(last) == 2


def test_a_line_leaves_out_what_nobody_knows() -> None:
    when = calendar(["2026-03-01", "2026-03-03"])
    made = lines("A", "b", when, {"tokens": [400.0, None, 200.0]})

    assert 2 == len(made.marks) == len(made.lines[0].split())
    assert (("2026-03-01", "400"), ("2026-03-03", "200")) == made.rows


def test_numbers_and_sizes_as_people_read_them() -> None:
    assert ["3", "2.5", "1,234", "0"] == [told(3.0), told(2.5), told(1234.4), told(0)]
    assert ["12 bytes", "1.5 kB", "20.0 MB", "3.1 GB"] == [size_told(n) for n in (12, 1500, 20_000_000, 3_100_000_000)]
