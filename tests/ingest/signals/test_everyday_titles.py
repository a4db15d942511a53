"""Titles of what is said in passing: the rule and not its half, the choice, the case, and no words that lead in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.plain_words import statement
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = ("agent", "I looked at the module and the tests beside it. There is one place where this is decided. " * 6)

LEAD_INS = (
    ("While youre at it: crate ids always start with the dock", "Crate ids always start with the dock"),
    ("Rule then: no crate without a seal", "No crate without a seal"),
    ("two rules then: crates are never stacked wet", "Crates are never stacked wet"),
    ("Noch was: Kisten ohne Siegel nie annehmen", "Kisten ohne Siegel nie annehmen"),
    ("Noch: Kisten werden montags gezählt", "Kisten werden montags gezählt"),
    ("Attention: un bac vide ne part jamais", "Un bac vide ne part jamais"),
    ("Before you do: any change of the seal needs Ylva's ok", "Any change of the seal needs Ylva's ok"),
    ("Before you merge that: the seal table is never truncated", "The seal table is never truncated"),
)
#: What is said, and what its title is.
WHOLE = (
    (
        "queue jobs only get ids, never whole rows, we had stale rows in the old tool",
        "Queue jobs only get ids, never whole rows",
    ),
    (
        "In Protokollen dürfen keine Gästenamen stehen, nur die Nummer. Das hat uns letztes Jahr schon Ärger gemacht",
        "In Protokollen dürfen keine Gästenamen stehen, nur die Nummer",
    ),
    (
        "Les bacs vides ne partent jamais seuls. Ça nous a déjà coûté un camion",
        "Les bacs vides ne partent jamais seuls",
    ),
    (
        "when a guest checks out: wipe the card. the receipts must be kept 10 years",
        "When a guest checks out: the receipts must be kept 10 years",
    ),
)


@pytest.mark.parametrize(("said", "title"), LEAD_INS)
def test_a_title_does_without_what_leads_in(said: str, title: str) -> None:
    assert title == statement(said)


@pytest.mark.parametrize(
    "said", ["Rules are kept in rules.yaml", "Noch nie gab es zwei Kisten", "Important rows are bold"]
)
def test_what_only_looks_like_a_lead_stays(said: str) -> None:
    assert said == statement(said)


@pytest.mark.parametrize(("said", "title"), WHOLE)
def test_the_rule_is_the_title_and_not_its_half_or_its_reason(talk: Talk, said: str, title: str) -> None:
    assert title in [one.title for one in _found(talk, said)]


def test_a_rule_that_is_added_is_a_rule_of_its_own(talk: Talk) -> None:
    titles = [one.title for one in _found(talk, "no globs in the shared rules! and no regexes in shared rules either")]

    assert ["No globs in the shared rules", "No regexes in shared rules"] == titles


def test_two_rules_in_a_message_are_two(talk: Talk) -> None:
    said = "two rules then: never rename and move a table in the same release. releases only on tuesday, never at night"
    titles = [one.title for one in _found(talk, said)]

    assert "Never rename and move a table in the same release" in titles
    assert "Releases only on tuesday, never at night" in titles


def test_each_of_some_things_that_are_announced_waits(talk: Talk) -> None:
    titles = [
        one.title
        for one in _found(talk, "Three things: passes stay personal. photos are deleted after 30 days. fix the menu")
    ]

    assert ["Passes stay personal", "Photos are deleted after 30 days"] == titles


def test_what_was_chosen_leads_what_was_said_to_it(talk: Talk) -> None:
    offer = "It is archived. shelf-kit is the usual replacement; drawer.js would do as well."
    said = (("user", "the drag library warns"), _WORK, ("agent", offer))
    found = _read(talk(*said, ("user", "shelf-kit. the keyboard is important, some use no mouse"), ("agent", "Done.")))

    assert [one.title for one in found if one.title.lower().startswith("shelf-kit: the keyboard is important")]


def test_a_value_that_is_put_on_something_names_it(talk: Talk) -> None:
    said = (("user", "whats the throttle on the pump?"), ("agent", "None yet. It would run at full speed. " * 30))
    (found,) = _read(
        talk(*said, ("user", "put %80 on it, the pipe takes no more"), ("agent", "Done."), ("user", "thx"))
    )

    assert found.title.startswith("Throttle on the pump: %80")


def test_what_is_so_now_names_what_a_bare_value_is_of(talk: Talk) -> None:
    said = (("user", "look at the kiln module"), _WORK, ("user", "change the 5 to 8, the cooldown is too short"))
    (found,) = _read(talk(*said, ("agent", "The cooldown of the kiln is 8 minutes now."), ("user", "thx")))

    assert "The cooldown of the kiln is 8 minutes" == found.title


@pytest.mark.parametrize(
    "said", ["a cron that lets us sleep", "the door lets everyone in", "the filter lets too much through"]
)
def test_what_lets_somebody_do_something_is_spelled_right(talk: Talk, said: str) -> None:
    found = _found(talk, f"no second alarm from now on, we have {said}")

    assert found and not ["let's" for one in found if "let's" in f"{one.title} {one.body}"]


def _found(talk: Talk, text: str) -> list[Candidate]:
    return _read(talk(("user", "look at the module"), _WORK, ("user", text), ("agent", "Noted."), ("user", "thx")))


def _read(transcript: Transcript) -> list[Candidate]:
    found = extract(transcript, EmbeddedEngine())
    return [*found.candidates, *found.review]
