"""What a question of the agent's came to: put off, asked back, or only called interesting."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.phrasing import as_subject
from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_words import as_task

from .test_summary import agent, edited, session, user


def told(asked: str, *replies) -> str:
    lines = (user("give the till a timeout"), edited("/w/shop/till.py"), agent(f"All calls time out now. {asked}"))
    return summarize(session(*lines, *replies)).body


def left(body: str) -> str:
    return body.partition("**Open:**")[2]


@pytest.mark.parametrize(
    ("asked", "subject"),
    [
        ("Should `terraform apply` run", "Whether `terraform apply` should run"),
        ("Should `make flash` go on the board", "Whether `make flash` should go on the board"),
        ("Should the cache be cleared", "Whether the cache should be cleared"),
    ],
)
def test_code_in_a_question_stays_in_one_piece(asked: str, subject: str):
    assert subject == as_subject(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "what would happen if we took a ring buffer, would we always need to lock twice?",
        "how would the buoy know, could we read the tide?",
        "why does it print twice, could we see the log?",
    ],
)
def test_who_asks_back_has_not_answered(asked: str):
    body = told("Should `make flash` run?", user(asked), agent("It would cost one lock more."), user("ok"))

    assert as_task(asked).endswith("?")
    assert "Whether" not in body


def test_a_wish_behind_its_occasion_is_a_wish():
    assert "Make it smaller" == as_task("the header is too big, can you make it smaller?")


@pytest.mark.parametrize("said", ["hm ok interesting, not now", "sounds tempting, later", "klingt gut, später"])
def test_what_somebody_thinks_of_a_thing_is_not_open(said: str):
    body = told("", user("what if we took two tills?"), agent("Each needs a drawer."), user(said), agent("OK."))

    assert not any(word in left(body).lower() for word in ("interesting", "tempting", "klingt"))


@pytest.mark.parametrize(("asked", "when"), [("Deploy?", "tomorrow"), ("Publish it?", "next week")])
def test_a_question_answered_with_a_time_is_decided(asked: str, when: str):
    body = told(asked, user(f"{when}. and thanks"))

    assert "Not decided" not in body
    assert f"({when})" in left(body)


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("tomorrow. we still need a stress test of the printer before the fair", "stress test"),
        ("later, and we still have to translate the manual before Easter", "translate the manual"),
        ("morgen. wir müssen noch die Etiketten prüfen", "Etiketten"),
    ],
)
@pytest.mark.parametrize("heard", ["OK.", "Understood. I note it as open."])
def test_what_the_user_still_has_to_do_is_open(said: str, thing: str, heard: str):
    assert thing in left(told("Deploy?", user(said), agent(heard)))


@pytest.mark.parametrize("said", ["we still need to support the old till", "we still have to use tabs here"])
def test_what_has_to_stay_so_is_not_open(said: str):
    assert said[3:] not in left(told("", user(said), agent("OK.")))


def test_an_order_to_do_what_others_say_is_not_left_to_them():
    body = told("", user("Ole says the pumps are too small. so do that, take the big ones"), agent("They are big now."))

    assert "do that" not in left(body)


@pytest.mark.parametrize(
    ("asked", "reply", "told"),
    [
        ("Two ways: 1) paper tags 2) chips. Which one?", "2, paper gets wet", "Chips: paper gets wet"),
        (
            "Do you want a) one list, b) a list per pier, or c) a map?",
            "b, Rosa prints them",
            "A list per pier: Rosa prints them",
        ),
        (
            "Kafka would do, or RabbitMQ, which is smaller.",
            "rabbitmq. no second cluster, ops is two people",
            "Rabbitmq. No second",
        ),
    ],
)
def test_which_of_those_in_one_line_was_chosen_is_told_by_its_name(asked, reply, told):
    body = summarize(session(user("how do we mark the boats?"), agent(asked), user(reply), agent("OK."))).body

    assert told in body
