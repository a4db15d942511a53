"""Asking, chatting and giving feedback from the command line."""

from __future__ import annotations

from typing import Any


def test_a_question_is_answered_with_ids(shell: Any) -> None:
    """The answer, and below it the memories it rests on with their files."""
    added = shell.add("Keep orders in PostgreSQL 16", "--body", "MySQL had no partial indexes.")

    done = shell.ok("ask", "why", "are", "orders", "kept", "in", "PostgreSQL?")

    assert f"Keep orders in PostgreSQL 16: MySQL had no partial indexes [{added['id']}]." in done.out
    assert added["file"] in done.out


def test_no_support_is_said_and_is_no_failure(shell: Any) -> None:
    """The command worked; there is just nothing to tell."""
    shell.add("Keep orders in PostgreSQL 16")

    done = shell.ok("answer", "which font does the portal use?")

    assert done.out.startswith("Nothing in memory answers this")


def test_json_has_the_answer_and_how_it_was_found(shell: Any) -> None:
    """One document: text, sentences with ids, sources, plan."""
    added = shell.add("Keep orders in PostgreSQL 16", "--tags", "database")

    payload = shell.ok("ask", "how many decisions are tagged database?", "--json").json

    assert (True, [added["id"]]) == (payload["supported"], payload["sentences"][0]["ids"])
    assert ["count decisions tagged database"] == payload["plan"]
    assert [added["id"]] == [source["id"] for source in payload["sources"]]


def test_the_plan_is_explained(shell: Any) -> None:
    """In words, only when asked for."""
    shell.add("Keep orders in PostgreSQL 16")

    assert "count decisions" in shell.ok("ask", "how many decisions do we have?", "--explain").out
    assert "count decisions" not in shell.ok("ask", "how many decisions do we have?").out


def test_the_past_can_be_asked(shell: Any) -> None:
    """Before anything was kept, there was nothing."""
    shell.add("Keep orders in PostgreSQL 16")

    assert (
        "Nothing in memory answers this"
        in shell.ok("ask", "how many decisions do we have?", "--as-of", "2020-01-01").out
    )


def test_use_is_recorded_and_looking_back_is_none(shell: Any) -> None:
    """What answered was of use; what answered for the past was not."""
    added = shell.add("Keep orders in PostgreSQL 16")
    shell.ok("ask", "are orders kept in PostgreSQL?")
    shell.ok("ask", "are orders kept in PostgreSQL?", "--as-of", "2099-01-01")

    assert [1] == [
        record["uses"] for record in shell.ok("memory", "list", "--json").json if record["id"] == added["id"]
    ]


def test_a_chat_remembers_what_it_is_about(shell: Any) -> None:
    """Each line is a question; `and why?` is about the last answer."""
    shell.add("Keep orders in PostgreSQL 16", "--body", "MySQL had no partial indexes.")
    shell.add("Cache quotes in Redis", "--body", "Memcached had evicted them.")

    payload = shell.ok("chat", "where are orders kept?", "--json", stdin="and why?\n\n").json

    assert ["where are orders kept?", "why: Keep orders in PostgreSQL 16?"] == [turn["question"] for turn in payload]
    assert "MySQL had no partial indexes" in payload[1]["text"]


def test_feedback_corrects_confidence(shell: Any) -> None:
    """By the beginning of an id; twice wrong puts it away."""
    added = shell.add("Keep orders in PostgreSQL 16")

    assert 0.83 == shell.ok("feedback", added["id"][:8], "useful", "--json").json["confidence"]
    assert 0.415 == shell.ok("feedback", added["id"], "wrong", "--json").json["confidence"]
    assert "archived" == shell.ok("feedback", added["id"], "wrong", "--json").json["status"]


def test_an_unknown_word_of_feedback_is_refused(shell: Any) -> None:
    """There are three."""
    added = shell.add("Keep orders in PostgreSQL 16")

    assert 2 == shell("feedback", added["id"], "meh").code
