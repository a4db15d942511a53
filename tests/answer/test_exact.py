"""Counts, lists, dates and changes are exact: what one gets by looking at every record."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.answer.pipeline import Answer, answer
from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.projects import Projects
from lerim.context.records import Draft, Kind, Primitive
from lerim.context.recovery import open_local, open_store
from lerim.search.search import Hit, search

from ..conftest import examples

NOW = datetime(2026, 8, 1, tzinfo=UTC)
MONTHS = ("January", "February", "March")
TOPICS = ("redis", "postgres", "webhook")
TAGS = ("auth", "api")


class Plan(NamedTuple):
    """A record to be made: which, when, and what becomes of it."""

    kind: Kind | None
    topic: str
    tag: str
    month: int
    fate: str


class Made(NamedTuple):
    id: str
    plan: Plan
    status: str
    made: datetime


plans = st.builds(
    Plan,
    st.sampled_from([None, Kind.PITFALL]),
    st.sampled_from(TOPICS),
    st.sampled_from(TAGS),
    st.integers(1, 3),
    st.sampled_from(["active", "archived", "superseded"]),
)


class Stored:
    """A store of its own, and what was put into it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.now = NOW
        self.made: list[Made] = []

    def clock(self) -> datetime:
        return self.now

    def make(self, plan: Plan, number: int) -> None:
        self.now = datetime(2026, plan.month, 1 + number, 12, tzinfo=UTC)
        primitive = Primitive.LEARNING if plan.kind else Primitive.DECISION
        draft = Draft(primitive, f"Number {number}", f"It is about {plan.topic}.", plan.kind, (plan.tag,))
        kept = self.memory.add(draft)
        if plan.fate == "archived":
            self.memory.archive(kept, reason="old")
        elif plan.fate == "superseded":
            by = self.memory.add(draft)
            self.memory.supersede(kept, by, reason="better")
            self.made.append(Made(by.record.id, plan, "active", self.now))
        self.made.append(Made(kept.record.id, plan, plan.fate, self.now))

    def ask(self, question: str) -> Answer:
        return answer(question, self.memory, self.find, now=NOW)

    def find(self, query: str, wanted: Filter, limit: int, *, as_of: datetime | None = None) -> list[Hit]:
        return search(self.memory, query, wanted, limit, as_of=as_of)


@contextmanager
def a_store() -> Iterator[Stored]:
    with tempfile.TemporaryDirectory() as folder:
        home, root = Path(folder) / "home", Path(folder) / "repo"
        home.mkdir()
        root.mkdir()
        database, local = open_store(home), open_local(home)
        stored: list[Stored] = []

        def clock() -> datetime:
            return stored[0].clock() if stored else NOW

        projects = Projects(database, home, clock)
        scope = Scope(ScopeMode.PROJECT_ONLY, root, home)
        stored.append(Stored(Memory(database, local, scope, projects, projects.lay_out, clock)))
        yield stored[0]
        database.close()
        local.close()


def counted(reply: Answer) -> set[str]:
    """The ids a count rests on; the number in the answer must be theirs."""
    if not reply.supported:
        assert ": 0 " in reply.text
        return set()
    first = reply.sentences[0]
    assert int(first.text.split()[0]) == len(first.ids)
    return set(first.ids)


def listed(reply: Answer) -> list[str]:
    return [sentence.ids[0] for sentence in reply.sentences]


@settings(max_examples=examples(60))
@given(st.lists(plans, max_size=7))
def test_exact_questions_have_exact_answers(wanted: list[Plan]) -> None:
    """Whatever is stored: by topic, tag, month and status."""
    with a_store() as stored:
        for number, plan in enumerate(wanted):
            stored.make(plan, number)
        made = stored.made

        for topic in TOPICS:
            expected = {m.id for m in made if not m.plan.kind and m.plan.topic == topic and m.status == "active"}
            assert expected == counted(stored.ask(f"how many decisions about {topic} do we have?"))
            assert expected == set(listed(stored.ask(f"List all decisions about {topic}")))
        for month, name in enumerate(MONTHS, 1):
            expected = {m.id for m in made if m.plan.kind and m.plan.month == month}
            assert expected == counted(stored.ask(f"How many pitfalls did we learn in {name} 2026?"))
        for tag in TAGS:
            expected = {m.id for m in made if m.plan.tag == tag and m.status == "superseded"}
            assert expected == set(listed(stored.ask(f"which superseded memories are tagged {tag}?")))


@settings(max_examples=examples(40))
@given(st.lists(plans, min_size=1, max_size=6))
def test_dates_and_changes_are_exact(wanted: list[Plan]) -> None:
    """Each record is listed on its day, newest first; each change of a month is listed, and no other."""
    with a_store() as stored:
        for number, plan in enumerate(wanted):
            stored.make(plan, number)
        day = {m.id: f"{m.made:%Y-%m-%d}" for m in stored.made}

        reply = stored.ask("list all memories ever recorded")
        assert set(day) == set(listed(reply))
        assert [day[sentence.ids[0]] for sentence in reply.sentences] == [s.text[:10] for s in reply.sentences]
        assert sorted(day.values(), reverse=True) == [s.text[:10] for s in reply.sentences]
        for month, name in enumerate(MONTHS, 1):
            changed = stored.ask(f"what changed in {name} 2026?")
            expected = {m.id for m in stored.made if m.plan.month == month}
            assert expected == {record_id for sentence in changed.sentences for record_id in sentence.ids}
