"""The order in which sessions are read never changes which truth is active: only when things were said does."""

from __future__ import annotations

import os
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import HandClock, SqliteEngine, examples
from tests.runtime.conftest import Stage

from lerim.config.scope import Scope, ScopeMode
from lerim.context.memory import Memory
from lerim.context.projects import Projects
from lerim.context.records import Primitive
from lerim.context.recovery import open_local
from lerim.ingest.findings import Candidate, Quote
from lerim.sources.trace import Assistant, Header, User

CHOICES = {
    "dates": ("Luxon", "date-fns", "Temporal", "Moment"),
    "packages": ("pnpm", "npm", "yarn"),
    "the job queue": ("Redis", "RabbitMQ", "Postgres"),
}
WORDS = ("Use {value} for {subject}", "From now on we use {value} for {subject}", "We use {value} for {subject} now")


@st.composite
def session(draw: st.DrawFn) -> tuple[int, str, str, str]:
    """When something is said, about what, which value, and in which words."""
    subject = draw(st.sampled_from(sorted(CHOICES)))
    return draw(st.integers(1, 28)), subject, draw(st.sampled_from(CHOICES[subject])), draw(st.sampled_from(WORDS))


#: What is said first, or anew; again, in other words; and in place of what was said before, which is named.
TURNS = (
    "We moved {subject} from {old} to {value}",
    "Scrap {old} for {subject} and use {value}",
    "From today {value} instead of {old} for {subject}",
    "{old} is out, use {value} for {subject}",
    "We are done with {old}; use {value} for {subject}",
)
AGAIN = ("Use {value} for {subject}", "As agreed, {value} for {subject}", "We use {value} for {subject}")
RULE = "push to main"
FORBIDDEN = ("Never push to main", "Do not push to main", "Nobody may push to main")
ALLOWED = ("It is fine to push to main now", "You may push to main again", "Push to main from now on")

NUMBERS = count()
COMMIT = ("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "Begin")
#: Nobody's own settings, and a date after all that is said.
GIT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_COMMITTER_DATE": "2026-03-20T08:00:00Z",
}


@pytest.mark.hypothesis
@settings(max_examples=examples(16), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(said=st.lists(session(), min_size=2, max_size=5), data=st.data())
def test_order_of_ingestion_never_changes_which_truth_is_active(
    tmp_path: Path, blank: Path, said: list[tuple[int, str, str, str]], data: st.DataObject
) -> None:
    named = list(enumerate(said))
    shuffled = data.draw(st.permutations(named))
    expected = {subject: value for (_, (_, subject, value, _)) in sorted(named, key=lambda one: (one[1][0], one[0]))}
    stage = new_stage(tmp_path / str(next(NUMBERS)), blank)
    for number, (day, subject, value, words) in shuffled:
        ingest(stage, f"s-{number}", day, words.format(value=value, subject=subject))
    assert expected == active(stage)
    stage.database.close()
    stage.place.local.close()


def new_stage(folder: Path, blank: Path) -> Stage:
    home, root, clock, engine = folder / "home", folder / "repo", HandClock(), SqliteEngine()
    for one in (home, root):
        one.mkdir(parents=True)
    clock.tick(days=60)
    engine.copy(blank, home, "context")
    database, local = engine.open(home, "context"), open_local(home)
    projects = Projects(database, home, clock)
    memory = Memory(database, local, Scope(ScopeMode.PROJECT_ONLY, root, home), projects, projects.lay_out, clock)
    return Stage(home, memory.target(), memory, projects, clock, database)


def ingest(stage: Stage, name: str, day: int, words: str, branch: str | None = None) -> Any:
    header = Header(agent="claude", run_id=name, started=f"2026-03-{day:02}T08:00:00Z", branch=branch)
    stage.engine.candidates = (Candidate("c1", Primitive.DECISION, words, f"{words}.", (Quote(2, 2, words),)),)
    path = stage.trace((User(text=f"{words}.", at=f"2026-03-{day:02}T08:00:05Z"), Assistant(text="Done.")), header)
    return stage.agent().sync(path)


def active(stage: Stage) -> dict[str, str]:
    """Which value holds for each subject; several are told apart by a plus."""
    titles = [one.title for one in stage.records() if one.holds and one.primitive is Primitive.DECISION]
    found = {
        subject: "+".join(
            sorted({value for title in titles if subject in title for value in values if value in title.split()})
        )
        for subject, values in CHOICES.items()
    }
    return {subject: value for subject, value in found.items() if value}


@pytest.mark.parametrize(("branch", "holding"), [("main", ["Postgres"]), ("queue", ["Postgres", "Redis"])])
def test_what_is_decided_on_a_branch_that_is_not_merged_closes_nothing_yet(
    tmp_path: Path, blank: Path, branch: str, holding: list[str]
) -> None:
    stage = new_stage(tmp_path, blank)
    root = stage.place.project.root
    for args in (("init", "-q", "-b", "main"), COMMIT, ("checkout", "-q", "-b", "queue"), COMMIT):
        subprocess.run(["git", "-C", str(root), *args], check=True, env=GIT)
    ingest(stage, "s-1", 1, "Use Redis for the job queue", "main")
    ingest(stage, "s-2", 2, "From now on we use Postgres for the job queue instead of Redis", branch)
    titles = " ".join(one.title for one in stage.records() if one.holds and one.primitive is Primitive.DECISION)
    assert holding == [name for name in ("Postgres", "Redis") if f"Use {name}" in titles or f"use {name}" in titles]
    stage.database.close()
    stage.place.local.close()


@st.composite
def story(draw: st.DrawFn) -> list[tuple[int, str, str, str]]:
    """What is said of a few matters, in the order said: settled, said again in other words, and turned around."""
    told: list[tuple[int, str, str, str]] = []
    holds: dict[str, str] = {}
    for day in range(1, draw(st.integers(3, 7))):
        subject = draw(st.sampled_from((*sorted(CHOICES)[:2], RULE)))
        old = holds.get(subject, "")
        values = ("no", "yes") if subject == RULE else CHOICES[subject]
        value = draw(st.sampled_from(values)) if old else values[0]
        if subject == RULE:
            forms = FORBIDDEN if value == "no" else ALLOWED
        else:
            forms = TURNS if old and value != old else AGAIN
        holds[subject] = value
        told.append((day, subject, value, draw(st.sampled_from(forms)).format(subject=subject, value=value, old=old)))
    return told


@pytest.mark.hypothesis
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(told=story(), data=st.data())
def test_a_turn_counts_whether_it_is_read_before_or_after_what_it_repeats_and_what_it_ends(
    tmp_path: Path, blank: Path, told: list[tuple[int, str, str, str]], data: st.DataObject
) -> None:
    expected = {subject: value for _, subject, value, _ in told}.items()
    stage = new_stage(tmp_path / str(next(NUMBERS)), blank)
    for day, _, _, words in data.draw(st.permutations(told)):
        ingest(stage, f"s-{day}", day, words)
    titles = {one.title for one in stage.records() if one.holds}
    assert expected == {(subject, value) for _, subject, value, words in told if words in titles}
    stage.database.close()
    stage.place.local.close()
