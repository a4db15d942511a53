"""A sentence of a session answers what it says, with what its session was about; what only speaks of it does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lerim.answer.pipeline import Answer, answer
from lerim.config.scope import Scope, ScopeMode
from lerim.context.memory import Memory
from lerim.context.projects import Projects
from lerim.context.records import Clock, Draft, Primitive
from lerim.dataclass import replace
from lerim.search.search import search
from lerim.storage.database import Database

Ask = Callable[..., Answer]
Session = Callable[..., None]
NOTHING = "Nothing in memory answers this."


@pytest.fixture
def session(memory: Memory, clock: Any) -> Session:
    """The summary of a session: what was wanted, and what happened, line by line."""

    def session(intent: str, *happened: str, title: str = "") -> None:
        lines = "\n".join(f"- {line}." for line in happened)
        body = f"## Session Summary\n\n**Intent:** {intent}."
        body += f"\n\n**What happened:**\n{lines}" if happened else ""
        draft = Draft(Primitive.SUMMARY, title or intent.partition(". ")[0], f"{body}\n\n**Outcome:** Done.\n")
        with memory.target().change("lerim", "sync") as change:
            record = draft.record(clock())
            change.create(
                replace(record, coding_agent="claude", run_id=f"{clock():%d%H%M}aa", date=f"{clock():%Y-%m-%d}")
            )
        clock.tick(days=1)

    return session


@pytest.mark.parametrize(
    ("intent", "happened", "question", "told"),
    [
        (
            "Tide table signature check",
            "On mismatch: drops the table, counts the failure and asks the station anew",
            "what happens when the tide table signature does not match",
            "asks the station anew",
        ),
        (
            "Look through the gate panel. It is slow on tablets",
            "Pinned Python 3.12.4 for all jobs of the panel's build",
            "which python version does the gate panel need",
            "3.12.4",
        ),
        (
            "Crane firmware over the air",
            "`yard-tools` owns the signing keys",
            "who owns the signing keys?",
            "`yard-tools` owns",
        ),
        (
            "Clean the berth list",
            "Deleted all 14 stale `berth` rows from the list",
            "how many stale berth rows were deleted",
            "all 14 stale",
        ),
        (
            "Lower the noise of the radar",
            "Total echoes dropped from 900 to 120",
            "how many echoes are there",
            "from 900 to 120",
        ),
        (
            "Fetch the harbour cards",
            "The problem is that card links expire after 12 hours",
            "how long are card links valid",
            "after 12 hours",
        ),
        (
            "Name the helper everywhere",
            "Updated all labels to refer to the helper as Bosun Mary",
            "what is the helper called",
            "Bosun Mary",
        ),
        (
            "Empty kinds of boats",
            'Added `DefaultBoatKind = "Vessel"` as a fallback',
            "what is the fallback name when BoatKind is empty",
            "DefaultBoatKind",
        ),
        (
            "Describe the two checks",
            "Made clear that `canBerth` only advises while `mayBerth` decides",
            "what is the difference between canBerth and mayBerth",
            "only advises while",
        ),
    ],
)
def test_a_sentence_answers_with_what_its_session_was_about(
    ask: Ask, session: Session, intent: str, happened: str, question: str, told: str
) -> None:
    session(intent, happened)

    assert told in ask(question).text


@pytest.mark.parametrize(
    ("intent", "happened", "question"),
    [
        # A heading of a plan, and a title that names a topic.
        ("Pick how the buoys are named", "Question 2 of 4: Buoy naming", "what is the name of the buoy"),
        ("Gate panel ↔ crane bridge", "Step 3: the crane bridge", "how do gate panels talk to the crane"),
        # An order says nothing of how it is.
        ("Use a bounded queue with a documented capacity", "", "what is the capacity of the queue"),
        ("Add a berth planner role for the cheap jobs", "", "which model does the berth planner use"),
        # The words of a path are no words of the sentence.
        (
            "Tidy up",
            "Fixed blockers in `web/src/panel/login/Card.tsx` and `web/src/panel/pages.tsx`",
            "what does the panel login do",
        ),
        # How much it is nobody tells by "both".
        ("Signals", "Sends the signal after docking, on both channels", "what is the capacity of the channels"),
        # What was cut off at its beginning is no sentence.
        ("Panel", "to panel.io won't surprise anybody, the version is 0.4.2", "which version does panel.io get"),
        # What was done does not tell what should be.
        ("Panel", "Updated the panel login by sorting its rows", "should the panel login have a password"),
    ],
)
def test_what_only_speaks_of_it_is_no_answer(
    ask: Ask, session: Session, intent: str, happened: str, question: str
) -> None:
    session(intent, *([happened] if happened else []))

    assert ask(question).text == NOTHING


def test_a_cause_is_known_by_its_label(ask: Ask, session: Session) -> None:
    session(
        "Long crane notes are cut off in the panel",
        "Cause (agent): Problem: crane notes were drawn in a list whose lines are one row each",
    )

    text = ask("why were long crane notes cut off in the panel").text

    assert "whose lines are one row each" in text
    assert "(agent)" not in text


def test_the_cause_of_something_else_is_none(ask: Ask, session: Session) -> None:
    session(
        "The lamp flickers. The gate will not open",
        "The root cause was a loose fuse behind the lamp",
        "Conflicts: gives doubtful berths back to the harbour because nobody owns them",
    )

    assert "loose fuse" in ask("why does the lamp flicker").text
    assert ask("why not radio beacons").text == NOTHING
    assert ask("why is it called harbour gate").text == NOTHING


def test_of_two_causes_the_one_that_names_what_is_asked_is_told(ask: Ask, session: Session) -> None:
    session(
        "The chart page has two bugs",
        "Root cause: the chart export was truncated, the limit of 250 rows was too low",
        "Root cause: the chart legend had no colour",
    )

    text = ask("why was the chart export truncated").text

    assert "250 rows" in text and "legend" not in text


def test_what_a_session_says_whole_is_told_before_a_memory_that_says_half(
    ask: Ask, session: Session, memory: Memory
) -> None:
    memory.add(Draft(Primitive.DECISION, "Do not add the mooring field as a setting", "It has one value."))
    session("Mooring requests", "An empty mooring field is refused with 400")

    assert ask("what happens with an empty mooring field").text.startswith("2026") is True
    assert "refused with 400" in ask("what happens with an empty mooring field").text


def test_of_two_things_the_one_that_was_taken_is_told(ask: Ask, keep: Callable[..., object]) -> None:
    keep("Formal or informal in letters: formal, everywhere")
    keep("The jetty has two lamps")

    assert "formal, everywhere" in ask("should the harbour letters be formal or casual?").text


def test_what_is_not_the_default_ends_no_default(ask: Ask, session: Session) -> None:
    session("Pool settings", "Added `poolSize` with a default size of 12 to the settings")
    session("Scopes", "The scope is asked for in so many words rather than default")

    assert ask("what is the default pool size").text.count("12") == 1
    assert "rather than default" not in ask("what is the default pool size").text


@pytest.fixture
def quay(database: Database, local: Database, home: Path, tmp_path: Path, clock: Clock) -> Memory:
    """The memory of a project whose name is no word of others."""
    root = tmp_path / "quaymastr"
    root.mkdir()
    projects = Projects(database, home, clock)
    return Memory(database, local, Scope(ScopeMode.PROJECT_ONLY, root, home), projects, projects.lay_out, clock)


def test_the_own_name_of_a_project_tells_nothing_apart(quay: Memory, clock: Clock) -> None:
    quay.add(Draft(Primitive.DECISION, "The dashboards of quaymastr lie in Grafana", ""))

    def ask(question: str) -> str:
        return answer(question, quay, partial(search, quay), now=clock()).text

    assert "Grafana" not in ask("which database does quaymastr use")
    assert "Grafana" in ask("where do the dashboards of quaymastr lie")


def test_a_time_of_day_and_a_date_are_no_size(ask: Ask, session: Session) -> None:
    session("Weekly tours", "The tour starts at 9:00 since 25 October")
    session("Longest tours", "A weekly tour takes 26 stops at most")

    text = ask("what is the maximum length of a weekly tour").text

    assert "26 stops" in text and "9:00" not in text
