"""Sessions in the dashboard: all of them with their states, and one line by line with what it taught."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from lerim.examples.steps import AgentStep, CommandStep, UserStep

from .conftest import PNPM, SAID, Workplace
from .dashboard import Visitor, dashboard, require_sound

HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"
RUN = "3f0a6c1e-52b7-4d09-9c1d-0b7a4e5f6a01"
ADDRESS = f"/sessions/claude/{RUN}"
#: More lines than a page of a transcript has.
LONG = 460


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("sessions"))
    made.talk(*SAID)
    made.talk(
        UserStep(f"Please look at {HOSTILE} in the page"),
        CommandStep(f"grep '{HOSTILE}' page.html", HOSTILE, exit_code=1),
        AgentStep(f"It says {HOSTILE}"),
        agent="codex",
        number=2,
        ago=timedelta(days=3),
    )
    steps = [UserStep("Read the long log, please.")] + [AgentStep(f"Line {number} of it.") for number in range(LONG)]
    made.talk(*steps, agent="pi", number=3, ago=timedelta(days=9))
    with made.open() as lerim:
        list(lerim.sync())
    made.talk(UserStep("This one was never read by anybody."), agent="codex", number=4)
    with made.open() as lerim:
        lerim.sessions.discover()
    return made


@pytest.fixture(scope="module")
def visitor(workplace: Workplace) -> Iterator[Visitor]:
    with dashboard(workplace) as found:
        yield found


def test_every_agents_sessions_are_listed_with_their_states(visitor: Visitor) -> None:
    shown = visitor.get("/sessions")

    require_sound(shown)
    assert "Install the new linter" in shown.text
    assert "4 sessions, newest first" in shown.text
    assert {"claude", "codex", "pi"} <= set(shown.text.split())
    assert "waiting 1" in shown.text
    assert "read 3" in shown.text


@pytest.mark.parametrize(
    ("query", "there", "not_there"),
    [
        ({"agent": "pi"}, "Read the long log", "Install the new linter"),
        ({"state": "pending"}, "never read", "Read the long log"),
        ({"q": "LINTER install"}, "Install the new linter", "Read the long log"),
        ({"q": RUN[-12:]}, "Install the new linter", "Read the long log"),
        ({"in": "none"}, "No session of this project yet", "Install the new linter"),
        ({"q": "100%' OR 1=1 --"}, "No session is like that", "Install the new linter"),
        ({"page": "7"}, "No session is like that", "Install the new linter"),
    ],
)
def test_a_filter_leaves_what_it_names(visitor: Visitor, query: dict[str, str], there: str, not_there: str) -> None:
    shown = visitor.get("/sessions", **query)

    require_sound(shown)
    assert there in shown.text
    assert not_there not in shown.text


def test_a_day_of_the_strip_leads_to_its_sessions(visitor: Visitor) -> None:
    day = visitor.get("/sessions", agent="pi").html.partition("day=")[2][:10]
    shown = visitor.get("/sessions", day=day)

    assert "Read the long log" in shown.text
    assert "Install the new linter" not in shown.text
    assert f"1 session on {day}" in shown.text


def test_a_state_that_there_is_not_is_said(visitor: Visitor) -> None:
    assert (400, True) == ((shown := visitor.get("/sessions", state="asleep")).code, "asleep" in shown.text)


def test_a_session_shows_its_lines_and_what_they_taught(visitor: Visitor, workplace: Workplace) -> None:
    """The words that a memory rests on are marked, and lead to it; what was turned down says why."""
    shown = visitor.get(ADDRESS)
    with workplace.open() as lerim:
        kept = next(one.record for one in lerim.memory.select() if "pnpm" in one.record.title)

    require_sound(shown)
    assert "What it taught 1 memory" in shown.text
    assert f"<mark>{PNPM}</mark>" in shown.html
    assert f'href="/p/here/memory/{kept.id}"' in shown.html
    line = kept.evidence[0].first_line
    assert f'<article id="L{line}" class="said-line user cited"' in shown.html
    assert f'href="/p/here{ADDRESS}?line={line}#L{line}"' in shown.html
    assert "Turned down" in shown.text
    # What a tool said is folded away, and there.
    assert '<details><summary><span class="who">Bash</span>' in shown.html
    assert "release-all.sh" in shown.html


def test_a_session_that_was_never_read_is_shown_as_its_agent_has_it(visitor: Visitor, workplace: Workplace) -> None:
    traces = sorted(workplace.project.rglob("traces/**/*.jsonl"))
    shown = visitor.get(f"/sessions/codex/{RUN[:-2]}04")

    require_sound(shown)
    assert "This one was never read by anybody." in shown.text
    assert "not read yet" in shown.text
    assert traces == sorted(workplace.project.rglob("traces/**/*.jsonl"))


def test_what_a_session_says_stays_text(visitor: Visitor) -> None:
    shown = visitor.get(f"/sessions/codex/{RUN[:-2]}02")

    require_sound(shown)
    assert "<img src=x" not in shown.html
    assert "&lt;/script&gt;&lt;img src=x" in shown.html


def test_a_long_transcript_comes_page_by_page(visitor: Visitor) -> None:
    path = f"/sessions/pi/{RUN[:-2]}03"
    first, second = visitor.get(path), visitor.get(path, line="300")

    require_sound(second)
    assert 'id="L200"' in first.html
    assert 'id="L201"' not in first.html
    assert ('id="L201"' in second.html, 'id="L300"' in second.html, 'id="L401"' in second.html) == (True, True, False)
    assert "lines 201–400 of 462" in second.text
    assert f'href="/p/here{path}?from=401#transcript"' in second.html
    assert "Nothing here" in visitor.get(path, line="99999").text


def test_a_giant_line_is_cut_and_a_click_away(tmp_path: Path) -> None:
    """A session of megabytes is a page of some hundred kilobytes."""
    workplace = Workplace(tmp_path)
    workplace.talk(UserStep("Look at this log: " + "x" * 150_000 + " the end"), *[AgentStep("y" * 90_000)] * 60)
    with workplace.open() as lerim:
        lerim.sessions.discover()
    with dashboard(workplace) as visitor:
        shown, whole = visitor.get(ADDRESS), visitor.get(ADDRESS, **{"from": "2", "whole": "1"})

    assert "Look at this log" in shown.text
    assert "the end" not in shown.text
    assert "characters more: the whole line" in shown.text
    assert 600_000 > len(shown.html)
    assert "the end" in whole.text


def test_sessions_are_left_out_and_taken_in_again(tmp_path: Path) -> None:
    """By forms of this page alone; and where nobody may change anything, there are none."""
    workplace = Workplace(tmp_path)
    workplace.talk(*SAID)
    with dashboard(workplace) as visitor:
        looked = visitor.post("/sessions/look", form="/sessions")
        assert "Looked at the disk: 1 new session" in looked.text

        skipped = visitor.post(ADDRESS, form=ADDRESS, action="skip", reason="somebody <b>else's</b> work")
        assert "somebody <b>else's</b> work" in skipped.text
        assert _state(workplace) == "skipped"

        assert 403 == visitor.send(ADDRESS, action="retry", form_token="0" * 64).code
        assert 400 == visitor.post(ADDRESS, form=ADDRESS, action="delete").code
        assert _state(workplace) == "skipped"

        assert "waits for its turn" in visitor.post(ADDRESS, form=ADDRESS, action="retry").text
        assert _state(workplace) == "pending"

        assert "What it taught 1 memory" in visitor.post(ADDRESS, form=ADDRESS, action="ingest").text
        assert _state(workplace) == "done"
    with dashboard(workplace, is_read_only=True) as reader:
        assert not reader.get("/sessions").has_forms
        assert not reader.get(ADDRESS).has_forms


def _state(workplace: Workplace) -> str:
    with workplace.open() as lerim:
        return str(lerim.sessions.find(RUN).state)


def test_names_that_are_no_sessions_are_not_found(visitor: Visitor) -> None:
    for path in ("/sessions/claude/none", "/sessions/claude/..%2f..%2fetc%2fpasswd", "/sessions/%00/x"):
        assert 404 == visitor.get(path).code


@pytest.mark.drill
def test_tens_of_thousands_of_sessions_are_a_page_like_any_other(tmp_path: Path) -> None:
    """No session is decoded but those on the page."""
    workplace = Workplace(tmp_path)
    workplace.talk(*SAID)
    with workplace.open() as lerim:
        lerim.sessions.discover()
    _multiply(workplace.home / "index" / "sessions.sqlite3", 50_000)
    with dashboard(workplace) as visitor:
        shown = visitor.get("/sessions", page="900", state="done")

    require_sound(shown)
    assert "44,951–45,000 of 50,000" in shown.text
    assert shown.html.count("<tr>") == 51


def _multiply(path: Path, count: int) -> None:
    with closing(sqlite3.connect(path)) as catalog, catalog:
        columns = [row[1] for row in catalog.execute("PRAGMA table_info(sessions)") if row[1] not in ("id", "run_id")]
        copied = ", ".join({"state": "'done'", "title": "'Session ' || n"}.get(name, name) for name in columns)
        catalog.execute(
            f"""WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
            INSERT INTO sessions (run_id, {", ".join(columns)}) SELECT 'copy-' || n, {copied} FROM sessions, numbers"""
        )
