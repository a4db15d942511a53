"""Answers to two questions of a form say nothing of each other, however alike they are worded."""

from __future__ import annotations

import pytest

from lerim.curate.bearings import judged_words
from lerim.text.bearing import Bearing
from lerim.text.questions import answers_in

_ROOMS = "Whether guests may book rooms for a day only, or for weeks: A day only"
_TWO = [
    (_ROOMS, "How booked rooms should be listed in the hall: By floor"),
    ("Where members find their rental key: In the profile page", "Whether a rental needs a deposit or a card: A card"),
    ("Which currency prices are shown in: Euro", "Who may change prices after the sale: The desk alone"),
    ("Wie Gäste bezahlen: per Karte", "Wer Gäste sperren darf: nur die Leitung"),
]
_ONE = [
    ("Which date library do we use: Luxon", "What date library should the app use: dayjs"),
    ("Whether guests may book rooms: Members only", "Whether guests may book rooms: Everybody"),
]


@pytest.mark.parametrize(("one", "other"), _TWO)
def test_two_questions_of_a_form_are_two(one: str, other: str) -> None:
    for later, earlier in ((one, other), (other, one)):
        answers = answers_in(later, earlier)
        assert answers is not None
        assert not answers.is_one_question
        assert judged_words((later, ""), (earlier, "")).bearing is Bearing.UNRELATED


@pytest.mark.parametrize(("one", "other"), _ONE)
def test_another_answer_to_the_same_question_replaces_it(one: str, other: str) -> None:
    answers = answers_in(other, one)
    assert answers is not None
    assert answers.is_one_question
    assert judged_words((other, ""), (one, "")).bearing.replaces


@pytest.mark.parametrize(("one", "other"), [(_ROOMS, "Rooms are booked by the day"), ("Use Luxon", "Use dayjs")])
def test_what_is_no_answer_is_compared_as_ever(one: str, other: str) -> None:
    assert answers_in(one, other) is None


def test_the_same_answer_replaces_nothing() -> None:
    one, other = "Whether guests may book rooms: Members only", "Whether guests may book any rooms: members only"
    assert not judged_words((other, ""), (one, "")).bearing.replaces
