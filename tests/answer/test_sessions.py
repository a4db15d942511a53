"""Questions about what was done are answered from the summaries of sessions, which the answer cites."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from lerim.answer.pipeline import Answer
from lerim.answer.plan import Search, SessionQuestion, SessionsTold, make_plan
from lerim.context.memory import Memory
from lerim.context.records import Clock, Draft, Primitive
from lerim.dataclass import replace

Ask = Callable[..., Answer]
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def summarized(memory: Memory, clock: Clock, day: int, run: str, title: str, outcome: str, left: str = "") -> str:
    left = f"\n\n**Open:** {left}" if left else ""
    body = f"## Session Summary\n\n**Intent:** {title}.\n\n**Outcome:** {outcome}{left}\n"
    began = datetime(2026, 11, day, tzinfo=UTC)
    record = replace(
        Draft(Primitive.SUMMARY, title, body).record(clock()),
        valid_from=began,
        date=f"{began:%Y-%m-%d}",
        run_id=run,
        coding_agent="claude",
    )
    with memory.target(None).change("lerim", "sync") as change:
        return change.create(record).id


@pytest.fixture
def told(memory: Memory, clock: Clock) -> dict[str, str]:
    """Three sessions of three days, the newest without anything left; and a decision. Ids by the run's name."""
    days = {
        "aaa111": ("Cache the rates in a file", "Done. Committed “cache rates”, pushed, opened PR #12.", ""),
        "bbb222": ("Move the importer to a queue", "Partly done. Changed `importer.py`.", "Drain the old table."),
        "ccc333": ("Rename the plan command", "Done. Changed `cli.py`. `pytest` passed.", ""),
    }
    ids = {}
    for day, (run, (title, outcome, left)) in enumerate(days.items(), 1):
        ids[run] = summarized(memory, clock, day, run, title, outcome, left)
    memory.add(Draft(Primitive.DECISION, "Open a pull request for every change", "PR #7 was merged without one."))
    return ids


def test_which_pull_requests_were_opened(ask: Ask, told: dict[str, str]) -> None:
    """The numbers come from the sessions that opened them, not from what else mentions one."""
    found = ask("Which PRs were opened?")

    assert f"2026-11-01: opened PR #12: Cache the rates in a file [{told['aaa111']}]." == found.text
    assert [told["aaa111"]] == [kept.record.id for kept in found.sources]


@pytest.mark.parametrize(
    "question", ["What did I work on last?", "recap the last session", "what was my last session?"]
)
def test_what_was_done_last_is_the_newest_session(ask: Ask, told: dict[str, str], question: str) -> None:
    """One session, with how it ended."""
    found = ask(question)

    assert found.text.startswith(f"2026-11-03: Rename the plan command [{told['ccc333']}].")
    assert "`pytest` passed" in found.text
    assert {told["ccc333"]} == {kept.record.id for kept in found.sources}


@pytest.mark.parametrize("question", ["What is left?", "what's still open?", "where did we leave off?"])
def test_what_is_left_is_what_the_newest_session_left_that_left_anything(
    ask: Ask, told: dict[str, str], question: str
) -> None:
    """A session that left nothing is no answer."""
    assert f"Left open: Drain the old table [{told['bbb222']}]." in ask(question).text


@pytest.mark.parametrize(
    "question",
    ["where were we with the importer?", "how far are we with the importer", "what's the status of the importer?"],
)
def test_how_far_something_is_tells_the_last_session_on_it(ask: Ask, told: dict[str, str], question: str) -> None:
    """What was done and what it left open, and nothing of other sessions."""
    text = ask(question).text

    assert f"2026-11-02: Move the importer to a queue [{told['bbb222']}]." in text
    assert "Changed `importer.py`" in text
    assert f"Left open: Drain the old table [{told['bbb222']}]." in text
    assert told["ccc333"] not in text


def test_what_was_done_to_something_is_told_though_the_outcome_names_it_not(
    memory: Memory, clock: Clock, ask: Ask, told: dict[str, str]
) -> None:
    outcome = "Done. Slots are 240k each, the last 32k stay for calibration data."
    slots = summarized(memory, clock, 4, "ddd444", "Start with the bootloader ab slots", outcome)

    text = ask("what did we do about the bootloader").text

    assert "Start with the bootloader ab slots" in text and slots in text


def test_a_day_and_a_session_are_found_by_name(ask: Ask, told: dict[str, str]) -> None:
    """By the beginning of the run's id, or by the day."""
    assert {told["bbb222"]} == {kept.record.id for kept in ask("what happened in session bbb222?").sources}
    assert {told["bbb222"]} == {kept.record.id for kept in ask("What did we do on 2026-11-02?").sources}


def test_what_a_later_session_tells_as_done_is_left_no_more(
    ask: Ask, memory: Memory, clock: Clock, told: dict[str, str]
) -> None:
    summarized(memory, clock, 4, "ddd444", "Drained the old table, works", "Done.", "Alarm when it fills again.")

    answer = ask("What is left?").text
    assert "Drain the old table" not in answer
    assert "Left open: Alarm when it fills again" in answer


def test_a_session_that_is_told_of_is_no_news_among_the_changes(ask: Ask, told: dict[str, str]) -> None:
    """What happened on a day is said once."""
    lines = ask("what happened on 2026-11-01?").text.splitlines()

    assert 1 == sum("Cache the rates in a file" in line for line in lines)


def test_nothing_is_invented_where_no_session_is(ask: Ask) -> None:
    """Without summaries there is no answer."""
    assert not ask("which PRs were opened?").supported
    assert "no summary says what is left" in ask("what is left?").text


@pytest.mark.parametrize(
    "question",
    [
        "what did we do about retries?",
        "which pr merge strategy do we use?",
        "what is in redis?",
        "what is the open port?",
    ],
)
def test_a_topic_makes_it_a_question_about_the_topic(question: str) -> None:
    """Words that sound like a session's do not take questions away from the memory."""
    assert not isinstance(make_plan(question, NOW).actions[0], SessionsTold)


@pytest.mark.parametrize(
    "question",
    [
        "what did I leave unfinished?",
        "what did we leave open in the app",
        "where were we?",
        "is anything still open?",
        "what should I do next",
    ],
)
def test_what_is_left_is_asked_for_in_many_words(question: str) -> None:
    """Nobody learns how to ask."""
    [action] = make_plan(question, NOW).actions

    assert isinstance(action, SessionsTold)
    assert SessionQuestion.LEFT is action.told


@pytest.mark.parametrize("question", ["what's next in the queue?", "what do we leave open on failure?"])
def test_what_comes_next_somewhere_is_no_question_about_sessions(question: str) -> None:
    assert [Search] == [type(action) for action in make_plan(question, NOW).actions]


def test_a_time_behind_what_was_worked_on_takes_its_little_word_along() -> None:
    [action] = make_plan("what did I work on yesterday?", NOW).actions

    assert isinstance(action, SessionsTold) and action.wanted.span is not None
    assert (SessionQuestion.DONE, "on 2026-11-15") == (action.told, action.wanted.span.describe())


def test_a_session_that_only_asked_the_same_is_no_answer(ask: Ask, memory: Memory, clock: Clock) -> None:
    """That somebody wanted to know it, too, tells nothing; what was decided does."""
    body = "## Session Summary\n\n**Intent:** Pick how jobs get queued.\n\n**Outcome:** Done.\n"
    record = replace(Draft(Primitive.SUMMARY, "Pick how jobs get queued", body).record(clock()), run_id="ddd444")
    with memory.target(None).change("lerim", "sync") as change:
        asked = change.create(record).id
    decided = memory.add(Draft(Primitive.DECISION, "Jobs are queued with NATS JetStream", "")).record.id

    sources = [kept.record.id for kept in ask("how are jobs queued?").sources]

    assert decided in sources and asked not in sources


@pytest.mark.parametrize(
    "question",
    ["what did we put off?", "what did I postpone", "what's on hold", "what was left for later", "what is left?"],
)
def test_what_was_put_off_in_between_is_left(question: str, ask: Ask, memory: Memory, clock: Clock) -> None:
    """Although the session is done, and names nothing as open; what it names is told once."""
    title = "Weigh the parcels. Then: Customs labels we do after the holidays; The scale stays where it is"
    summarized(memory, clock, 1, "aaa111", title, "Done.")
    twice = "Print the manifests. Then: Pallets come later"
    summarized(memory, clock, 2, "bbb222", twice, "Partly done.", "Pallets come later.")

    told = ask(question).text

    assert "Left open: Customs labels we do after the holidays" in told
    assert 1 == told.count("Left open: Pallets")
    assert "Left open: The scale" not in told


@pytest.mark.parametrize(
    "question",
    [
        "what did we do about the slow tide import?",
        "how did we fix the slow tide import?",
        "is the slow tide import fixed?",
        "what's with the slow tide import",
    ],
)
def test_what_came_of_trouble_is_told_with_its_cause_and_its_end(
    memory: Memory, clock: Clock, ask: Ask, told: dict[str, str], question: str
) -> None:
    intent = "The tide import is slow.\n\n**What happened:**\n- Each row was written by itself"
    session = summarized(memory, clock, 4, "ddd444", intent, "Done. One write for all rows; `pytest` passed.")

    text = ask(question).text

    assert "Each row was written by itself" in text
    assert "One write for all rows" in text
    assert session in text


@pytest.mark.parametrize("question", ["did the harbour deploy work?", "was the harbour deploy done?"])
def test_whether_something_was_done_is_told_by_the_sentence_that_says_so(
    memory: Memory, clock: Clock, ask: Ask, told: dict[str, str], question: str
) -> None:
    outcome = "Partly done. Changed `a.py`. The harbour deploy failed: no route to the host."
    session = summarized(memory, clock, 4, "ddd444", "Sort the piers and bring them up", outcome)

    assert ask(question).text == f"2026-11-04: The harbour deploy failed: no route to the host [{session}]."


def test_what_no_session_tells_of_is_searched_for(ask: Ask, keep: Callable[..., object]) -> None:
    keep("The ledger is closed every quarter")

    assert "every quarter" in ask("when is the ledger closed?").text
    assert not ask("did we fix the lighthouse lamp?").supported
