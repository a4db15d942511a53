"""Bare answers: a word, a figure or a date says nothing alone, and all of it with what the agent had asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.asked import bare_answer, refusal
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _found(transcript: Transcript) -> list[Candidate]:
    done = extract(transcript, EmbeddedEngine())
    return [*done.candidates, *done.review]


def _after(talk: Talk, asked: str, reply: str, before: str = "set it up") -> list[Candidate]:
    """What a session of a few words leaves: a question and its answer."""
    return _found(talk(("user", before), ("agent", asked), ("user", reply), ("agent", "Done."), ("user", "thanks")))


@pytest.mark.parametrize(
    ("asked", "reply", "title"),
    [
        # Figures.
        (
            "How many singers should a voice have at least?",
            "three",
            "How many singers a voice should have at least: three",
        ),
        (
            "How many benches should the plan of the square show?",
            "60. more would not fit",
            "How many benches the plan of the square should show: 60",
        ),
        (
            "How many decimals should amounts have? And what rounding?",
            "2, half even",
            "How many decimals amounts should have; and what rounding: 2, half even",
        ),
        (
            "1. How many copies do we keep?\n2. After how many days do drafts go?",
            "10 and 3",
            "How many copies do we keep; after how many days do drafts go: 10 and 3",
        ),
        (
            "How many rows should the viewer show above and below the match? It has a limit of 900.",
            "above 80 and below 10. stays 900",
            "How many rows the viewer should show above and below the match: above 80 and below 10, stays 900",
        ),
        # Another figure than was proposed.
        ("I'd cache the ferry times for 24 h. Fine?", "6", "Cache the ferry times for 6 h"),
        ("The pool has 10 lanes. With two clubs I would raise it to 14.", "12 is enough", "Lanes of the pool: 12"),
        ("With 8 px the labels touch; 14 px label spacing would fix that. OK?", "ok 14 then", "Label spacing: 14 px"),
        (
            "The lockfile has `pillow` at ^10.1. Should the range stay open or do you want an exact version?",
            "exact: = 10.4.0",
            "`pillow`: exact = 10.4.0",
        ),
        # One of several ways, or a name.
        (
            "Would you prefer SQLite, DuckDB or Postgres for the herbarium?",
            "duckdb, we query by column",
            "Would you prefer SQLite, DuckDB or Postgres for the herbarium: DuckDB",
        ),
        ("Should captions be in Inter or Lato?", "lato", "Captions are in Lato, not in Inter"),
        ("WeasyPrint, ReportLab and Typst can all do it. Your pick.", "typst", "Typst, not WeasyPrint or ReportLab"),
        (
            "Candidates for the signs are Frutiger, Clearview and DIN.",
            "let's go with clearview",
            "Clearview, not Frutiger or DIN",
        ),
        (
            "For the notes of a dive there are two ways: one text field, or a table of entries. I'd take the table,"
            " because entries have times.",
            "agreed with the table",
            "Notes of a dive: table",
        ),
        ("Who should approve a refund above 200 EUR?", "the shift lead", "Who should approve a refund above 200 EUR: "),
        ("When should the archive job run?", "do it on the first monday", "When the archive job should run: on the"),
        # Other languages.
        ("Wie viele Tage sollen Sicherungen bleiben?", "30", "Wie viele Tage sollen Sicherungen bleiben: 30"),
        ("Welche Farbe soll der Knopf bekommen?", "dunkelgrün", "Welche Farbe soll der Knopf bekommen: dunkelgrün"),
        ("Où faut-il stocker les photos ?", "sur le nas", "Où faut-il stocker les photos: sur le nas"),
        ("¿Qué idioma debe tener el manual?", "catalán", "¿Qué idioma debe tener el manual: catalán"),
    ],
)
def test_a_bare_answer_is_told_with_what_was_asked(talk: Talk, asked: str, reply: str, title: str) -> None:
    """It waits for somebody to look at, however short the session is."""
    found = [one for one in _after(talk, asked, reply) if one.title.startswith(title)]

    assert [(Tier.REVIEW, True)] == [(one.tier, one.confidence >= LIKELY) for one in found]
    assert any(quote.text in asked for quote in found[0].quotes)


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Which file do you mean?", "the second config"),
        ("Which branch should I push to?", "develop"),
        ("What should I do next?", "the parser"),
        ("What do you see on the screen?", "a blank page"),
        ("How many rows do you get in the list now?", "5"),
        ("How long did the import take for you?", "90 s"),
        ("All green. Should I also clean up the fixtures?", "only the big one"),
        ("What limit should uploads have?", "no idea, ask me tomorrow"),
        ("What limit should uploads have?", "hm let me think about it"),
        ("What limit should uploads have?", "what do others use?"),
        ("What limit should uploads have?", "first fix the login bug"),
        ("What limit should uploads have?", "you decide"),
        ("Wie soll der Dienst heißen?", "Name: du entscheidest"),
        ("Quel nom pour le service ?", "le nom: à toi de voir"),
        ("Quer que eu adicione um índice por data?", "agora mostre o log dos pedidos"),
    ],
)
def test_what_was_seen_work_and_no_answer_are_none(talk: Talk, asked: str, reply: str) -> None:
    assert bare_answer(reply, asked) is None
    assert not [one for one in _after(talk, asked, reply) if one.confidence >= LIKELY]


def test_a_figure_that_begins_a_line_counts_nothing(talk: Talk) -> None:
    """And one that answers a question by its number does."""
    [answer] = _after(talk, "How many benches should the plan of the square show?", "60. more would not fit")
    listed = "1. How many copies do we keep?\n2. After how many days do drafts go?"

    assert "Why: More would not fit" in answer.body
    titles = {one.title for one in _after(talk, listed, "1: 10. 2: 3 days")}
    assert {"How many copies to keep: 10", "After how many days do drafts go: 3 days"} == titles


def test_a_letter_is_told_with_what_was_to_be_chosen(talk: Talk) -> None:
    offered = "Two ways: (a) one file per day, or (b) one per station. Which one?"
    [found] = _after(talk, offered, "b", before="where do the tide readings go")

    assert "Where the tide readings go: one per station" == found.title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("live map for a village with two buses, nope", "No live map for a village with two buses"),
        ("weekly digest? rather not, people get enough mail", "No weekly digest"),
        ("sso for six people - no", "No sso for six people"),
        ("a deposit for club members? no way", "No deposit for club members"),
        ("store birthdays, no. we don't need them", "Do not store birthdays"),
        ("automatische Bildtexte? lieber nicht", "Automatische Bildtexte: lieber nicht"),
    ],
)
def test_what_is_named_and_then_refused_is_told_as_refused(talk: Talk, said: str, title: str) -> None:
    found = _after(talk, "I could do that, it would be easy.", said)

    assert [(title, True)] == [(one.title, one.confidence >= LIKELY) for one in found]


@pytest.mark.parametrize(
    "said", ["cdn? maybe one day", "varnish... not now", "try numba? hm not now", "ein cdn? später"]
)
def test_what_is_put_off_in_the_same_breath_is_nothing(talk: Talk, said: str) -> None:
    assert not _after(talk, "I could do that, it would be easy.", said)


@pytest.mark.parametrize(
    "said",
    [
        "it works without sudo, no?",
        "the tests pass, no errors",
        "still the same, no change",
        "no",
        "is it red? no idea",
    ],
)
def test_a_no_that_refuses_nothing(said: str) -> None:
    assert refusal(said) is None


@pytest.mark.parametrize(
    ("first", "later", "stays"),
    [
        ("the budget for seeds: 1250 eur", "sorry, budget for seeds is 1350 eur", "1350"),
        ("the hall costs 400 an hour", "the hall costs 450 an hour now, they raised it", "450"),
        ("max 20 guests", "no, max 24 guests", "24"),
        ("the deposit is 150 eur", "make the deposit 180 usd, they only take dollars", "180"),
        ("die Miete ist 800 Euro", "die Miete ist jetzt 850 Euro", "850"),
    ],
)
def test_of_an_amount_that_was_set_twice_the_later_one_is_proposed(
    talk: Talk, first: str, later: str, stays: str
) -> None:
    found = _found(
        talk(
            ("user", "plan the fair"),
            ("agent", "Sure."),
            ("user", first),
            ("agent", "Noted."),
            ("user", later),
            ("agent", "Changed."),
        )
    )

    assert [(True, True)] == [(stays in one.title, one.confidence >= LIKELY) for one in found]


def test_amounts_of_two_things_both_stand(talk: Talk) -> None:
    found = _found(
        talk(
            ("user", "plan the fair"),
            ("agent", "Sure."),
            ("user", "max 20 guests in the tent"),
            ("agent", "Noted."),
            ("user", "max 40 guests in the hall"),
            ("agent", "Noted."),
        )
    )

    assert {"Max 20 guests in the tent", "Max 40 guests in the hall"} == {one.title for one in found}
