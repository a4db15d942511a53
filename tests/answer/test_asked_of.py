"""A question is answered by what tells one of the thing it asks, or not at all, however it is put."""

from __future__ import annotations

import pytest

from lerim.context.records import Draft, Primitive
from lerim.dataclass import replace


@pytest.fixture
def session(memory, clock):
    """The summary of a session: what the user wanted first and then, and what the agent reported."""

    def session(first: str, then: str = "", happened: str = "") -> None:
        body = f"**Intent:** {first}." + (f" Then: {then}." if then else "")
        body += f"\n\n**What happened:**\n- {happened}.\n" if happened else ""
        draft = Draft(Primitive.SUMMARY, first, f"{body}\n\n**Outcome:** Done.").record(clock())
        with memory.target().change("lerim", "sync") as change:
            change.create(replace(draft, coding_agent="claude", run_id=f"{clock():%d%H%M}aa", date="2026-02-20"))
        clock.tick(days=2)

    return session


@pytest.mark.parametrize(
    ("first", "then", "question", "told"),
    [
        ("Look at the mixer", "Exit 5 if a channel clips, 2 only if all do", "what does exit code 5 mean", "clips"),
        (
            "Look at the barn",
            "Never delete keepers, set them to retired",
            "can I delete a crew keeper?",
            "Never delete",
        ),
        (
            "Look at the barn",
            "Never ResetHerd and a vaccination in the same run",
            "may I do ResetHerd and MoveCow in one vaccination run?",
            "Never ResetHerd",
        ),
        (
            "Csv or ods for the bank?",
            "Ods, the bank loses the zeros otherwise",
            "csv or ods, and why?",
            "loses the zeros",
        ),
        ("Look at the pond", "Wanda wrote again. She decides on the koi feed", "who decides on the koi feed", "Wanda"),
        ("Pond", "The filter screams. Lower the flow from 9 to 7", "which flow does the filter use", "from 9 to 7"),
        ("Pond", "We open the gate in 2031, the bridge comes first", "when do we open the gate", "2031"),
        ("Pond", "Keep samples in the fridge, keep 12", "how many samples do we keep", "keep 12"),
        ("Kiosk", "The kiosks get chromium in full screen", "which browser runs on the kiosks", "chromium"),
    ],
)
def test_it_is_found_however_it_is_asked(ask, session, first, then, question, told):
    session(first, then)

    assert told in ask(question).text


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Rechnungen werden 8 Jahre aufbewahrt", "how many years are invoices kept"),
        ("Meldungen bitte immer auf Englisch", "in which language are messages?"),
        ("Frau Brandt gibt jede Rechnung frei", "wer gibt Rechnungen frei?"),
        ("Les sauvegardes tournent chaque jeudi", "when do backups run"),
        ("Die Etiketten druckt ab jetzt Maike", "wer druckt die Etiketten?"),
    ],
)
def test_everyday_words_are_found_in_another_language_or_form(ask, keep, said, question):
    keep(said)

    assert said in ask(question).text


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Wages must be kept 10 years", "when do we split the visitor ledger"),
        ("A refund below 20 euros needs no signature", "how many hours of sleep must be between two tours"),
        ("Katrin keeps the keys during the harvest week", "when is the next fair"),
        ("Java 21, spring, no javascript framework, we build a portal for choirs", "why java"),
        ("Always tune the organ at midnight, what could go wrong", "when do we tune the organ"),
        ("Choir practice with 4voice sheets", "how many singers does the choir have"),
    ],
)
def test_what_tells_it_of_something_else_is_no_answer(ask, session, said, question):
    session("Look around", said)

    assert not ask(question).supported


@pytest.mark.parametrize(
    ("first", "then", "happened", "question", "cause"),
    [
        (
            "Guests complain: stay nights wrong in the march bill, Olga has 3 instead of 4",
            "",
            "Root cause: nights are counted by check-in day, so the last one is lost",
            "why were the stay nights wrong in march?",
            "by check-in day",
        ),
        (
            'The nightly bake failed with "too many trays"',
            "One rack, 40 trays",
            "The rack was filled twice: the timer opens its own one",
            "why did the nightly bake fail",
            "filled twice",
        ),
        (
            "Ovens die on the new grid, only there. 16 amps each, worked before",
            "",
            "The fuse is not set, so the oven takes all of the phase",
            "why do ovens die on the new grid",
            "all of the phase",
        ),
        (
            "Die Waage zeigt falsche Werte",
            "",
            "Die Ursache: der Sensor friert ein",
            "warum zeigt die Waage falsche Werte?",
            "friert",
        ),
        (
            "Where to keep films, cloud or vault?",
            "Vault, the archive lady says films must not leave the house",
            "",
            "why not cloud",
            "leave the house",
        ),
        (
            "Print",
            "We drop gutenberg for typst, compile errors instead of broken pages",
            "",
            "why did we drop gutenberg",
            "typst",
        ),
    ],
)
def test_why_gets_the_cause_and_not_the_complaint_again(ask, session, first, then, happened, question, cause):
    session(first, then, happened)

    assert cause in ask(question).text


@pytest.mark.parametrize(
    ("first", "then", "question"),
    [
        (
            "There are gaps between the tiles of the roof. Guests noticed",
            "",
            "what was the cause of the gaps in the roof tiles?",
        ),
        (
            "There are gaps between the tiles of the roof",
            "You can't keep the tiles in the hall: no tile over 1 kg",
            "why were there gaps between the tiles of the roof?",
        ),
        ("The pump hangs when two valves open. Trace attached, see the folder", "", "why did the pump hang"),
    ],
)
def test_what_stands_beside_a_complaint_is_no_cause_of_it(ask, session, first, then, question):
    session(first, then)

    assert not ask(question).supported


def test_the_half_that_says_what_to_do_there_is_told_with_the_other(ask, keep):
    keep(
        "No notes at the gate either",
        "No coins at the gate! cards there, coins are only for the bar. and no notes at the gate either.",
    )

    assert "cards there" in ask("which coins does the gate take").text


@pytest.mark.parametrize(
    ("first", "then", "question"),
    [
        ("Is the mail on the parser real? Check our signatures at least", "", "are signatures checked in the parser?"),
        ("Somebody wrote that the lid lock is off, is it? Look at our lid lock", "", "is the lid lock off?"),
        ("Fault log", "It shows 1987 as the time of the fault, odd", "how many retries does the fan do after a fault?"),
    ],
)  # fmt: skip
def test_a_question_is_no_answer_and_a_year_counts_nothing(ask, session, first, then, question):
    session(first, then)

    assert not ask(question).supported
