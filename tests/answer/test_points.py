"""What of a record is said to which question."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lerim.answer.focus import find_focus
from lerim.answer.points import point_of
from lerim.answer.sayings import Purpose, sayings
from lerim.answer.support import ParsedQuestion
from lerim.answer.voices import told_by_whom
from lerim.context.records import Evidence, Kind, Primitive, Record, RecordId, Trust

DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SUMMARY = """## Session Summary

**Intent:** The nightly job hangs. Find out why. Then: Never retry without a limit; Push it.

**What happened:**
- Root cause: the lock is never given back when the worker dies, so the next one waits.
- Added a lease of five minutes.

**Outcome:** Done. Changed `jobs/lock.py`. Committed “Give locks a lease”, opened PR #7. `make check` passed.
"""
SPOKEN = """We keep sessions in Redis from now on.

Why: The table was locked by every login.

In reply to: Shall I move them to Memcached?

Moved them; all 40 tests pass.
"""


def record(primitive: Primitive, title: str, body: str, *, evidence: tuple[Evidence, ...] = ()) -> Record:
    kind = Kind.INSIGHT if primitive is Primitive.LEARNING else None
    session = {"coding_agent": "codex", "run_id": "0199aabbccdd"} if primitive is Primitive.SUMMARY else {}
    return Record(RecordId("dec-one"), primitive, title, body, DAY, DAY, kind=kind, evidence=evidence, **session)


def asked(question: str) -> ParsedQuestion:
    return ParsedQuestion(question, find_focus(question))


LOCKS = record(Primitive.SUMMARY, "Give locks a lease", SUMMARY)
SAID = Evidence("claude", "b81d5e20-6f94", 7, 7, "We keep sessions in Redis", Trust.USER)
REDIS = record(Primitive.DECISION, "Keep sessions in Redis", SPOKEN, evidence=(SAID,))
HOLDS = record(Primitive.DECISION, "Hotel holds are always 60 min", "That is another contract.", evidence=(SAID,))


def test_headings_and_labels_are_not_said() -> None:
    """What a reply answers was said by somebody else."""
    texts = [saying.text for saying in (*sayings(LOCKS), *sayings(REDIS))]

    assert not [text for text in texts if text.startswith(("Session Summary", "Why:", "In reply", "Then:", "**", "-"))]
    assert "Shall I move them to Memcached?" not in texts
    assert {"Never retry without a limit", "Push it"} <= set(texts)


def test_each_sentence_is_there_for_something() -> None:
    """A reason, a wish, a deed, and what an agent reported."""
    purposes = {saying.text: saying.purpose for saying in (*sayings(LOCKS), *sayings(REDIS))}

    assert Purpose.REASON is purposes["The table was locked by every login"]
    assert Purpose.WISH is purposes["Find out why"]
    assert Purpose.DEED is purposes["`make check` passed"]
    assert Purpose.ASIDE is purposes["Moved them; all 40 tests pass"]


@pytest.mark.parametrize(
    ("question", "one", "text"),
    [
        ("where are sessions kept?", REDIS, "Keep sessions in Redis"),
        ("why Redis for sessions?", REDIS, "Keep sessions in Redis: the table was locked by every login"),
        ("why did the nightly job hang", LOCKS, "The nightly job hangs: Root cause: the lock is never given back when"),
        ("which PR was it for the locks", LOCKS, "Committed “Give locks a lease”, opened PR #7"),
        ("how do i run the checks", LOCKS, "`make check` passed"),
        ("how long is the lease?", LOCKS, "Added a lease of five minutes"),
        ("how long are hotel holds?", HOLDS, "Hotel holds are always 60 min"),
    ],
)
def test_the_sentence_that_answers_is_the_point(question: str, one: Record, text: str) -> None:
    """The title of what holds, unless it has not what is asked for; of a session, the sentence."""
    assert point_of(asked(question), one).text.startswith(text)


def test_a_detail_adds_something() -> None:
    """What an agent reported is none, unless it was asked for."""
    assert "The table was locked by every login" == point_of(asked("where are sessions kept?"), REDIS).detail
    assert point_of(asked("Redis?"), record(Primitive.DECISION, "Use Redis", "We use Redis.")).detail is None


def test_who_said_it_is_told_with_the_session() -> None:
    """A person who wrote it down, the user in a session, or the session itself."""
    assert "said by the user in claude/b81d5e20 on 2026-03-02" == told_by_whom(REDIS)
    assert "added by hand on 2026-03-02" == told_by_whom(record(Primitive.DECISION, "Use Redis", ""))
    assert "a session of 2026-03-02, codex/0199aabb" == told_by_whom(LOCKS)


ASKING = record(
    Primitive.SUMMARY,
    "Move orders_ingest to 04:00",
    "## Session Summary\n\n**Intent:** orders_ingest has to move to 04:00. Then: I don't like that you open PRs without"
    " asking. The exports are Joana's; Broker is mqtt.edge.acme.io:8883.\n\n**Outcome:** Done. Committed “Move it”,"
    " opened PR #88.\n",
)


@pytest.mark.parametrize(
    ("question", "point"),
    [
        ("should I ask before opening a PR?", "I don't like that you open PRs without asking"),
        ("who does the exports?", "The exports are Joana's"),
        ("which broker is it?", "Broker is mqtt.edge.acme.io:8883"),
    ],
)
def test_what_somebody_said_in_a_session_answers_before_what_its_tools_did(question: str, point: str) -> None:
    """It stands among what they wanted done, and says how things are."""
    assert point == point_of(asked(question), ASKING).text


def test_a_question_does_not_lead_its_reason() -> None:
    body = "**Intent:** Why does the import die?\n\n**What happened:**\n- The cause: the reader takes the whole file.\n"
    told = record(Primitive.SUMMARY, "Why does the import die?", body)

    assert point_of(asked("why did the import die"), told).text == "The cause: the reader takes the whole file"
