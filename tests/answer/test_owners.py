"""Whose a thing is, and whose word it takes, is answered by who was told to have it, in whatever verb that is asked."""

from __future__ import annotations

import pytest

from lerim.answer.owners import names_owner, owned_thing


@pytest.mark.parametrize(
    ("said", "question", "who"),
    [
        ("the ledger_core package is Tilda's, never change it without asking her", "who owns ledger_core?", "Tilda"),
        ("ledger_core is tildas, dont touch it without her", "who is responsible for ledger_core?", "tildas"),
        ("Anything that touches the boiler has to go past Henk first", "who signs off on the boiler?", "Henk"),
        (
            "Anything that touches the boiler has to go past Henk first",
            "who has to approve changes to the boiler",
            "Henk",
        ),
        ("Schema changes: always run it by Oda", "whose call is a schema change?", "Oda"),
        ("The puzzle editor belongs to the design team", "who maintains the puzzle editor?", "design team"),
        ("Ask Priya before you edit the tariffs", "who decides on the tariffs", "Priya"),
        ("Jonas looks after the sitemap", "who is in charge of the sitemap?", "Jonas"),
        ("Die Tarife laufen über Selma, ohne Selma ändert keiner was", "wer entscheidet über die Tarife?", "Selma"),
        ("Le moteur de recherche est à Zoé, demande à Zoé avant", "qui est responsable du moteur ?", "Zoé"),
    ],
)
def test_whoever_has_a_thing_is_told_however_it_is_asked(ask, keep, said, question, who):
    keep("Release notes are written on Fridays")
    kept = keep(said)

    answered = ask(question)

    assert who in answered.text
    assert [source.record.id for source in answered.sources] == [kept.record.id]


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("ledger_core is slow on Mondays", "who owns ledger_core?"),
        ("The boiler has to go through Kafka first", "who signs off on the boiler?"),
        ("Never change the tariffs without running the tests", "who decides on the tariffs?"),
        ("The sitemap is always rebuilt at night", "who maintains the sitemap?"),
        ("Jonas looks after the sitemap", "who owns the boiler?"),
        ("Ask for a review before you edit the tariffs", "who has the last word on the tariffs?"),
    ],
)
def test_nobody_is_made_the_owner(ask, keep, said, question):
    keep(said)

    assert not ask(question).supported


def test_whoever_does_the_very_deed_that_is_asked_for_comes_first(ask, keep):
    keep("Jonas looks after the sitemap, ask Jonas")
    keep("Oda signs off every change of the sitemap")

    assert ask("who signs off on the sitemap?").text.startswith("Oda")


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("who owns the parser?", "parser"),
        ("who has to approve changes to the e-stop?", "e-stop"),
        ("who do I ask about billing", "billing"),
        ("whose job is the archive", "archive"),
        ("who does the gateway belong to?", "gateway"),
        ("who wrote the parser?", ""),
        ("what owns the socket?", ""),
    ],
)
def test_the_thing_is_told_from_the_question(question, thing):
    assert owned_thing(question) == thing


@pytest.mark.parametrize("text", ["The map is does", "it is always so", "Deploys go via Docker", "Talk to the server"])
def test_not_every_word_there_is_somebody(text):
    assert not names_owner(text)
