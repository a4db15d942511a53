"""Tasks, questions and steps beside what holds: what is done once is no rule, and nothing to look at first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.titles import has_tasks
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

#: So much that the session is not thin.
_WORK = "please rework the screens of the courier app so that drivers see their parcels without a connection. " * 9


def _found(talk: Talk, *said: tuple[str, str]) -> list[Candidate]:
    lines = (("user", _WORK), ("agent", "Done."), *said, ("agent", "Done."))
    found = extract(talk(*lines), EmbeddedEngine())
    return [one for one in (*found.candidates, *found.review) if "courier app" not in one.quotes[0].text]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "Delete the seed file, keep prices in the catalogue table only, add a hook that refuses new seed files",
            "Keep prices in the catalogue table only",
        ),
        (
            "Remove the banner, use the house font instead of Arial, and update the docs of the theme",
            "Use the house font instead of Arial",
        ),
    ],
)
def test_the_rule_among_tasks_is_the_title(talk: Talk, said: str, title: str) -> None:
    assert title in [one.title for one in _found(talk, ("user", said))]


@pytest.mark.parametrize(
    "said",
    [
        "Do not move any parcels, read the depot list that you need",
        "don't rebuild the whole index, run the one for the depots",
        "Enforce caps on weights, reject negative ones, implement a limit per depot",
    ],
)
def test_who_forbids_beside_a_task_speaks_of_one_step(talk: Talk, said: str) -> None:
    assert not [one for one in _found(talk, ("user", said)) if one.tier is Tier.SURE]


@pytest.mark.parametrize(
    "said",
    [
        "After each new depot is added, update the changelog and the map of depots",
        "Do not rebuild the whole index, ever, run the one for the depots",
    ],
)
def test_what_is_done_every_time_is_no_task(talk: Talk, said: str) -> None:
    assert [one for one in _found(talk, ("user", said)) if one.confidence >= LIKELY]


@pytest.mark.parametrize(
    "said",
    [
        "check the scale of the north depot and tell me what its firmware is",
        "can we do one last review of the depot states and the scale states",
        "add the depot names to the header and the footer of the weekly report",
    ],
)
def test_tasks_and_questions_are_nothing_to_look_at_first(talk: Talk, said: str) -> None:
    assert not [one for one in _found(talk, ("user", said)) if one.confidence >= LIKELY]


@pytest.mark.parametrize(
    "said",
    [
        "I'll search `depots/keys.json` for the token of the scale, being careful not to print it.",
        "I should check whether `ParcelCard` or `DepotDrawer` need the same change as the list.",
        "Replaced the nested loops over depots in `sort.ts` with a lookup table of their codes.",
        "Added focus states and a darker border to all cards of the depot list.",
        "`depots/list.ts` — Replaced the nested rows with one table that is sorted by its codes.",
    ],
)
def test_what_an_agent_does_next_or_changed_is_no_candidate(talk: Talk, said: str) -> None:
    assert not _found(talk, ("agent", said))


def test_where_a_fault_comes_from_is_more_than_a_change(talk: Talk) -> None:
    cause = "Root cause: the scale sends grams and the depot table holds kilograms, so every parcel looked too heavy."
    found = _found(talk, ("user", "parcels are refused as too heavy"), ("agent", cause), ("user", "ah yes makes sense"))

    assert any("grams" in one.title for one in found)


def test_what_may_be_accepted_as_it_stands_is_surer_than_what_has_to_be_said_anew(talk: Talk) -> None:
    found = _found(
        talk,
        ("user", "Depot names must be unique across regions, because the label printer sorts by them and by the date"),
        ("agent", "I moved the check of the names to the store, and the printer is asked after it for the depot."),
    )
    by_speaker = {one.quotes[0].text.split()[0]: one.confidence for one in found}

    assert by_speaker["Depot"] >= LIKELY > by_speaker.get("I", 0.0)


@pytest.mark.parametrize(
    ("title", "is_list"),
    [
        ("Write the forecasts as plain functions, no classes in this repo", False),
        ("Write the labels in capitals, not in small letters", False),
        ("Delete the old forecasts, add a hook for the new ones", True),
        ("Do not stash anything, read the files", True),
    ],
)
def test_what_an_order_shall_not_be_belongs_to_it(title: str, is_list: bool) -> None:
    assert is_list == has_tasks(title)
