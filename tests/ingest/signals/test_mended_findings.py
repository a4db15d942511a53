"""What was wrong and is mended within the session is told as that, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.mended import is_mended_later
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.units import agent_units
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = "please rework the screens of the courier app so that drivers see their parcels without a connection. " * 9
_REVIEW = (
    "Findings:\n\n- The parcel list never checks whether the scale is connected, so a weight of zero is stored.\n"
    "- `DepotCard` renders its rows without keys because the list is built from an object.\n"
)


def _found(talk: Talk, *said: tuple[str, str]) -> list[Candidate]:
    found = extract(talk(("user", _WORK), ("agent", "Done."), *said), EmbeddedEngine())
    return [one for one in (*found.candidates, *found.review) if "courier app" not in one.quotes[0].text]


@pytest.mark.parametrize(
    "order", ["Fix all of them", "please fix those issues", "yes, address them in one commit", "I want both bugs fixed"]
)
def test_findings_that_the_user_has_mended_are_over(talk: Talk, order: str) -> None:
    found = _found(talk, ("user", "review it"), ("agent", _REVIEW), ("user", order), ("tool", "ok"), ("agent", "Done."))

    assert not [one for one in found if "scale" in one.title or "DepotCard" in one.title]


def test_findings_that_nobody_has_mended_stay(talk: Talk) -> None:
    said = ("user", "thanks, we leave those two for the team in the north")
    fixed = _found(
        talk, ("user", "review it"), ("agent", _REVIEW), ("user", "fix them"), ("tool", "ok"), ("agent", "Ok.")
    )
    left = _found(talk, ("user", "review it"), ("agent", _REVIEW), said, ("tool", "ok"), ("agent", "Ok."))

    assert len(left) > len(fixed)


@pytest.mark.parametrize(
    "before",
    [
        "The functions `weigh_parcel()` and `print_label()` exist in `depot/scale.py` but are never called.",
        "All output of the drivers goes to one file, with no structured log of the depots and their scales.",
        "The token of the scale is currently tracked only by its age, with a margin of one minute.",
    ],
)
def test_what_a_plan_does_away_with_is_told_as_mended(talk: Talk, before: str) -> None:
    plan = f"Implement the following plan:\n\n# Scales of the depots\n\n## Context\n\n{before}\n\n## Steps\n\n1. Do it."
    told = _found(talk, ("user", plan), ("tool", "ok"), ("agent", "All steps of the plan are implemented."))
    begun = _found(talk, ("user", plan))

    assert all(one.title.endswith("(fixed)") for one in told if one.title[:12] in before)
    assert not [one for one in begun if one.title.endswith("(fixed)")]


def test_what_a_plan_rules_is_not_mended(talk: Talk) -> None:
    rule = "Weights must never be rounded before they are stored in the depot table."
    plan = f"Implement the following plan:\n\n# Scales\n\n## Constraints\n\n{rule}\n\n## Steps\n\n1. Do it."

    assert not [one for one in _found(talk, ("user", plan), ("tool", "ok"), ("agent", "Ok.")) if "(fixed)" in one.title]


def test_what_goes_wrong_is_nothing_to_look_at_first(talk: Talk) -> None:
    found = _found(talk, ("user", "there is still something wrong with the login of the depot, it shows an error"))

    assert not [one for one in found if one.confidence >= LIKELY]


@pytest.mark.parametrize(
    "told",
    [
        "So the chain of calls is: scale → parcel list → label printer, and the depot is asked last.",
        "So the templates carry the sender and the subject, written when they are uploaded to the depot.",
    ],
)
def test_how_something_is_was_never_broken(talk: Talk, told: str) -> None:
    found = _found(
        talk,
        ("user", "why is the label printer asked after the scale?"),
        ("agent", told),
        ("tool", "ok"),
        ("agent", "Tests pass."),
    )

    assert not [one for one in found if one.title.endswith("(fixed)")]


@pytest.mark.parametrize(
    ("finding", "done"),
    [
        (
            "`weigh_parcel()` never checks the unit of the scale, so grams are stored as kilos.",
            "- `weigh_parcel()` — fixed: the unit of the scale is checked before a weight is stored.",
        ),
        (
            "`DepotCard` drops the street of a parcel without a house number, it has no test for that.",
            "I've added a test for a parcel without a house number to `DepotCard`, and it keeps the street.",
        ),
        (
            "`courier_token` is not validated when the depot is changed, which lets an old courier in.",
            "2. `courier_token` now rejects an old courier when the depot is changed.",
        ),
    ],
)
def test_what_the_agent_found_and_put_right_later_is_mended(talk: Talk, finding: str, done: str) -> None:
    said = (("agent", f"- **Names:** {finding}\n- The rest stays."), ("user", "ok go on"), ("tool", "ok"))
    for last, is_mended in ((done, True), ("Nothing was done.", False)):
        whole = conversation(talk(("user", _WORK), *said, ("agent", last)))
        (unit,) = [one for one in agent_units(whole) if finding[:20] in one.text]
        assert is_mended_later(finding, unit, whole) is is_mended


def test_what_was_done_to_something_else_mends_nothing(talk: Talk) -> None:
    finding = "`weigh_parcel()` never checks the unit of the scale, so grams are stored as kilos."
    done = "I renamed `weigh_parcel()`, and the drivers' page has a new colour."
    whole = conversation(talk(("user", _WORK), ("agent", finding), ("user", "ok"), ("tool", "ok"), ("agent", done)))
    assert not any(is_mended_later(finding, one, whole) for one in agent_units(whole))


def test_what_is_set_about_at_once_is_mended(talk: Talk) -> None:
    finding = "`hours` is no longer used in either report. I need to remove it to avoid a warning."
    whole = conversation(talk(("user", _WORK), ("agent", finding), ("tool", "ok"), ("agent", "Done.")))
    (unit,) = [one for one in agent_units(whole) if "hours" in one.text]
    assert is_mended_later("`hours` is no longer used in either report", unit, whole)
    assert not is_mended_later("Hours are kept in `hours.csv`", unit, whole)


def test_the_points_that_the_user_has_done_are_mended_and_the_others_are_not(talk: Talk) -> None:
    listed = (
        "**A. `hours.csv` has no header.** The night shift is not in it.\n\n"
        "**B. `print_label()` never cuts the paper.** The driver does not know the printer."
    )
    said = (("agent", listed), ("user", "ignore A, do B and write a test"), ("tool", "ok"), ("agent", "Done."))
    whole = conversation(talk(("user", _WORK), *said))
    mended = {one.text[2:4]: is_mended_later("It never works", one, whole) for one in agent_units(whole)}
    assert (mended["A."], mended["B."]) == (False, True)
