"""Answers to an agent's form are treated alike: what settles something is kept, what steers the talk is nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.forms import settles, steers_talk
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = "please plan the loans desk of the library with me, from the reservation to the late fee. " * 10


def _read(talk: Talk, *answers: tuple[str, str]) -> Extraction:
    said = [
        part for question, answer in answers for part in (("agent", "One."), ("answer", f"Q: {question}\nA: {answer}"))
    ]
    return extract(talk(("user", _WORK), *said, ("agent", "Noted.")), EmbeddedEngine())


@pytest.mark.parametrize(
    "option", ["Staff only", "One week", "Hybrid", "Read-only only", "Per-reader limit (Recommended)"]
)
def test_what_an_answer_settles_is_kept_however_the_option_is_worded(talk: Talk, option: str) -> None:
    found = _read(talk, ("Should the reservation of a book be open to all readers, or be limited?", option))
    (kept,) = found.candidates
    assert "reservation" in kept.title
    assert option.partition(" (")[0].lower() in kept.title.lower()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("More questions about late fees, or move to the next area?", "Next area"),
        ("Which areas do you want to discuss for the loans desk?", "Late fees, Reservations"),
        ("Would you like me to draw the screens from this?", "Yes, draw them"),
        ("How should a returned book be shown to the next reader?", "You decide"),
        ("Should late fees grow by day?", "what do other libraries do there?"),
        ("Are we done with all topics?", "Done — write it down"),
        ("Weitere Fragen zu den Gebühren?", "Nächster Bereich"),
    ],
)
def test_what_only_steers_the_talk_is_no_candidate(talk: Talk, question: str, answer: str) -> None:
    assert steers_talk(question, answer)
    found = _read(talk, (question, answer))
    assert not [one for one in (*found.candidates, *found.review) if answer[:12].lower() in one.quotes[0].text.lower()]


def test_an_answer_to_a_question_that_names_nothing_is_told_with_the_one_that_was_left_open(talk: Talk) -> None:
    found = _read(
        talk,
        ("Should a reminder go out by mail or by text message?", "what speaks for text messages?"),
        ("Based on that, which approach do you prefer?", "Mail first"),
    )
    (kept,) = found.candidates
    assert "reminder" in kept.title
    assert kept.title.endswith("Mail first")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Should I commit this now?", "Yes"),
        ("What should I look at next?", "The fee table"),
        ("Which shelves should the scan cover?", "All four"),
        ("What is the budget for today?", "One hour"),
        ("The old cards are in the cellar. Should we still keep them?", "Keep them"),
        ("For the fix of the fee table, which shape should the new column have?", "Add a figure"),
    ],
)
def test_what_is_done_once_or_names_nothing_is_not_kept(question: str, answer: str) -> None:
    assert not settles(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Should fees stop at the price of the book or go on?", "Both"),
        ("Wo soll die Ausleihe liegen?", "Im Foyer"),
        ("Can a reader lend two copies?", "No"),
        ("For old cards, do you want to keep their numbers (as `commit` does), or give out new ones?", "New numbers"),
    ],
)
def test_what_shall_hold_is_settled(question: str, answer: str) -> None:
    assert settles(question, answer)
