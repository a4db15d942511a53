"""What a question is taken for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lerim.answer.plan import Changes, Count, List, Search, When, make_plan
from lerim.context.records import Kind, Primitive, Status

NOW = datetime(2026, 8, 12, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("How many decisions do we have?", Count),
        ("how many pitfalls about redis are there", Count),
        ("How many things have we learned since March?", Count),
        ("What is the number of memories tagged auth?", Count),
        ("How many retries does the webhook sender make?", Search),
        ("How many records does the orders table have?", Search),
        ("List all decisions about caching", List),
        ("show me our preferences", List),
        ("Which pitfalls do we know about Docker?", List),
        ("What decisions were made last week?", List),
        ("what was the latest decision about auth", List),
        ("What did we decide last month?", List),
        ("what did we decide?", List),
        ("What did we decide about auth?", Search),
        ("which database do we use", Search),
        ("What changed since Monday?", Changes),
        ("what's new", Changes),
        ("Which decisions were replaced in July?", Changes),
        ("When did we choose Postgres?", When),
        ("since when do we use Redis", When),
        ("When does the backup run?", Search),
        ("why JWT?", Search),
    ],
)
def test_a_question_becomes_the_action_that_answers_it(question: str, action: type) -> None:
    """Only questions about the memory itself are counted or listed; the rest is searched for."""
    assert [action] == [type(step) for step in make_plan(question, NOW).actions]


def test_a_count_may_be_followed_by_the_list() -> None:
    """How many, and which: both."""
    plan = make_plan("How many decisions did we make in March, and which ones?", NOW)

    assert [Count, List] == [type(action) for action in plan.actions]


def test_what_narrows_a_question_down_is_found() -> None:
    """Kind, tag, words and time, each where it belongs."""
    (action,) = make_plan("How many pitfalls tagged go about the carrier pool did we learn in March 2026?", NOW).actions

    assert isinstance(action, Count)
    wanted = action.wanted
    assert Kind.PITFALL == wanted.filter.kind
    assert ("go",) == tuple(wanted.filter.tags)
    assert ("carrier", "pool") == wanted.words
    assert wanted.span is not None
    assert "from 2026-03-01 to 2026-03-31" == wanted.span.describe()
    assert () == tuple(wanted.filter.statuses)


@pytest.mark.parametrize(
    ("question", "statuses"),
    [
        ("how many decisions do we have", (Status.ACTIVE,)),
        ("how many superseded decisions do we have", (Status.SUPERSEDED,)),
        ("how many archived decisions are there", (Status.ARCHIVED,)),
        ("how many decisions did we ever make", ()),
    ],
)
def test_what_holds_is_meant_unless_said_otherwise(question: str, statuses: tuple[Status, ...]) -> None:
    """A decision that was replaced is not one we have, but it is one we made."""
    (action,) = make_plan(question, NOW).actions

    assert isinstance(action, Count)
    assert statuses == tuple(action.wanted.filter.statuses)
    assert Primitive.DECISION is action.wanted.filter.primitive


def test_the_last_one_is_one() -> None:
    """Newest first and only one; the first one is the oldest."""
    (latest,) = make_plan("the latest decision about auth", NOW).actions
    (first,) = make_plan("what were the first 3 decisions", NOW).actions

    assert isinstance(latest, List)
    assert isinstance(first, List)
    assert (True, 1) == (latest.newest, latest.limit)
    assert (False, 3) == (first.newest, first.limit)


def test_a_plan_tells_itself() -> None:
    """In words, for --explain."""
    assert ["count decisions with the words 'redis' since 2026-03-01"] == make_plan(
        "how many decisions about redis since March", NOW
    ).describe()


@pytest.mark.parametrize(
    "question", ["what did we decide about logging", "tell me about logging", "Anything on logging"]
)
def test_what_stands_before_a_topic_is_not_searched_for(question: str) -> None:
    """Its words would only make what is searched for less near."""
    (action,) = make_plan(question, NOW).actions

    assert isinstance(action, Search)
    assert "logging" == action.query
