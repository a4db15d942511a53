"""Follow-up questions stand on their own feet."""

from __future__ import annotations

from typing import Any

import pytest

from lerim.answer.conversation import Exchange, resolve

BEFORE = Exchange("Which database do we keep orders in?", ("Keep orders in PostgreSQL 16",))


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("and why?", "why: Keep orders in PostgreSQL 16?"),
        ("Why?", "Why: Keep orders in PostgreSQL 16?"),
        ("When did we decide that?", "When did we decide: Keep orders in PostgreSQL 16?"),
        ("what about shipments?", "Which database do we keep shipments in?"),
        ("and labels?", "Which database do we keep labels in?"),
        ("How many pitfalls are there?", "How many pitfalls are there?"),
        ("Which CDN delivers the portal's files?", "Which CDN delivers the portal's files?"),
    ],
)
def test_a_follow_up_is_understood(question: str, understood: str) -> None:
    """From the question before and the record that answered it; what needs neither stays."""
    assert understood == resolve(question, [BEFORE])


def test_a_time_takes_the_place_of_a_time() -> None:
    """The rest of the question stays."""
    before = Exchange("How many decisions did we make in March?")

    assert "How many decisions did we make in April?" == resolve("and in April?", [before])
    assert "How many decisions did we make last week?" == resolve("what about last week?", [before])


def test_without_a_history_a_question_is_what_it_is() -> None:
    """There is nothing to refer to."""
    assert "and why?" == resolve("and why?", [])


def test_a_conversation_goes_on(ask: Any, keep: Any) -> None:
    """`and why?` is answered with the record that was just cited."""
    kept = keep("Keep orders in PostgreSQL 16", "MySQL had no partial indexes.")
    keep("Quotes are cached in Redis", "Memcached had evicted them.")
    first = ask("Where do we keep orders?")

    answer = ask("and why?", history=[first.turn])

    assert [kept.record.id] == [source.record.id for source in answer.sources]
    assert "MySQL had no partial indexes" in answer.text
