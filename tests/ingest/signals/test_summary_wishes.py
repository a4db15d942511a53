"""Whose words a wish is: no quotation, no question of the agent's, no scrap, nothing with a hole in it."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_words import as_task, prose
from lerim.sources.trace import Line, ToolCall, Via

from .test_summary import agent, edited, session, user


def intent(*lines: Line | tuple[Line, ...]) -> str:
    body = summarize(session(*lines)).body
    return body.partition("**Intent:**")[2].partition("\n")[0]


_PLAN = "The booking locks the row before it looks for a free berth, so that two boats never get the same one."


@pytest.mark.parametrize("mark", ["", "> ", "- "])
@pytest.mark.parametrize(
    "verdict", ["we don't need this, the database does it", "why would that lock the whole table?"]
)
def test_what_the_user_quotes_of_the_agent_is_not_their_wish_and_what_they_say_of_it_is(mark: str, verdict: str):
    told = intent(
        user("two boats got the same berth, plan a way out"),
        agent(f"The plan:\n\n- {_PLAN}\n- A test books twice at once."),
        user(f"{mark}{_PLAN}\n{verdict}"),
        edited("/w/shop/book.py"),
        agent("The lock is out."),
    )

    assert "locks the row" not in told
    assert verdict.rstrip("?")[1:] in told


def test_a_quotation_without_the_marks_of_code_is_one():
    told = intent(
        user("plan the new ferry times"),
        ToolCall(
            text='{"plan":"1. Read `times.csv` and `piers.csv` at the start of every single trip."}',
            tool="Plan",
            call="p",
        ),
        agent("The plan is there."),
        user("Read times.csv and piers.csv at the start of every single trip.\nonce a day is enough"),
        edited("/w/shop/times.py"),
        agent("It reads them once a day."),
    )

    assert "every single trip" not in told
    assert "nce a day is enough" in told


def test_who_only_pastes_what_was_offered_wants_it():
    told = intent(
        user("what can we do about the queue at the till?"),
        agent("I could:\n- Open a second till whenever more than ten people wait in the first line"),
        user("Open a second till whenever more than ten people wait in the first line"),
        edited("/w/shop/till.py"),
        agent("Done."),
    )

    assert "second till" in told


def test_one_of_many_questions_is_not_told_as_what_the_user_wants():
    told = intent(
        user("sort out the old tickets"),
        agent(
            "1. Which are too old?\n2. Do you keep the ones of guests?\n3. Shall I treat those without a name as old?"
        ),
        user("the blue ones come from the fair"),
        edited("/w/shop/tickets.py"),
        agent("Sorted."),
    )

    assert "without a name" not in told


def test_who_speaks_of_another_thing_answers_no_question():
    told = intent(
        user("sort out the old tickets"),
        agent("They are sorted. Shall I also delete those of the guests?"),
        user("also, print the blue ones"),
        edited("/w/shop/tickets.py"),
        agent("Printed."),
    )

    assert "Whether" not in told
    assert "rint the blue ones" in told


@pytest.mark.parametrize(
    ("said", "task"),
    [
        (
            "the list is sorted anyway, why would you sort it in the view again?",
            "The list is sorted anyway, why would you sort it in the view again?",
        ),
        ("to update the timetable?", "Update the timetable"),
        ("sorry, the colour was wrong", "The colour was wrong"),
        ("based on the old poster, can you draw another one", "Draw another one"),
    ],
)
def test_an_objection_stays_one_and_an_order_is_put_as_one(said: str, task: str):
    assert as_task(said) == task


@pytest.mark.parametrize("asked", ["can we keep both tills open?", "should we not keep both tills open?"])
def test_what_is_only_asked_is_told_as_a_question(asked: str):
    lines = (user("count the guests"), edited("/w/shop/guests.py"), agent("There are 40."))

    assert f"{asked[1:]}" in intent(*lines, user(asked), agent("Two people would be needed."), user("ok"), agent("Ok."))


def test_what_was_asked_and_done_is_told_as_a_task():
    lines = (user("count the guests"), edited("/w/shop/guests.py"), agent("There are 40."))

    assert "Keep both tills open" in intent(
        *lines, user("can we keep both tills open?"), edited("/w/shop/till.py"), agent("Both are open.")
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "look at https://github.com/harbor/berths and the open requests",
            "look at harbor/berths and the open requests",
        ),
        ("use https://www.tides.example/docs/moon-phases for the tides", "use moon-phases for the tides"),
        ("use https://tides.example for the tides", "use tides.example for the tides"),
        ("look at https://github.com/harbor/berths/pull/12 and merge", "look at PR #12 and merge"),
        ("the tides are at https://tides.example/now", "the tides are at"),
    ],
)
def test_an_address_in_a_sentence_leaves_no_hole(said: str, kept: str):
    assert prose(said) == [kept]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "➜  berths git:(main) make\n`piers.csv` is not there, skipping.\n\nplease fix. i have no piers",
            "i have no piers",
        ),
        ("ida@desk:~/berths$ make\nNo rule for piers.\n\nwe have no piers", "we have no piers"),
        ("the notice is bad. especially this part:\n\nThe pier is shut.\n\nIt opens in May.", "the notice is bad."),
    ],
)
def test_what_was_copied_from_a_shell_or_quoted_below_is_left_out(said: str, kept: str):
    told = prose(said)

    assert kept in told
    assert not any("skipping" in one or "No rule" in one or "opens in May" in one for one in told)


def test_a_nod_a_name_and_half_a_sentence_say_nothing_beside_a_wish():
    told = intent(user("Hi Harbourbot! this part:\nprint the list of piers for Ida"), agent("Printed."))

    assert told.strip() == "Print the list of piers for Ida."


def test_an_answer_to_a_form_is_told_without_that_it_was_recommended():
    told = intent(
        user("book the berths"),
        user("Q: How should the berths be booked?\nA: By the day (Recommended)", Via.ANSWER),
        edited("/w/shop/book.py"),
        agent("Booked by the day."),
    )

    assert "By the day" in told
    assert "ecommended" not in told


def test_a_command_whose_words_go_on_from_its_name_is_told_with_it():
    told = intent(
        user("/fire-check of the whole pier", Via.COMMAND), edited("/w/shop/pier.py"), agent("The pier is safe.")
    )

    assert told.strip() == "Fire check of the whole pier."


def test_a_message_of_the_agent_that_the_user_sends_again_is_told_whole():
    steps = [
        f"Step {letter}: move every boat of pier {letter} to the other side before the tide." for letter in "ABCDE"
    ]
    told = intent(
        user("how do we empty the piers?"),
        agent("Make these changes so that every pier is empty:\n" + "\n".join(steps)),
        user("Make these changes so that every pier is empty:\n" + "\n".join([*steps, "pier_e = None"])),
        edited("/w/shop/piers.py"),
        agent("They are empty."),
    )

    assert "every pier is empty" in told
