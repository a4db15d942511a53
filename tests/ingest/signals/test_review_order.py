"""What a user settled is looked at before what an agent mused on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = "please go through the booking rules of the ferry office with me and tell me what you see in the code. " * 9
_MUSED = (
    "- **Overbooking:** the harbour desk must never hold more than `MAX_HOLD` cabins because the nightly job only "
    "releases those it knows; that is why `release()` silently drops the rest.\n"
    "- **Refunds:** they always go through `PayoutQueue`, since the bank rejects a second transfer within one day.\n"
)


def _waiting(talk: Talk, *said: tuple[str, str]) -> list[Candidate]:
    found = extract(talk(("user", _WORK), *said), EmbeddedEngine())
    return sorted(found.review, key=lambda one: -one.confidence)


@pytest.mark.parametrize(
    "said",
    [
        "ok. cabins are held for 20 minutes, not for an hour",
        "fine. dogs go by weight and not by size there",
        "good. lockers go by deck and not by cabin",
    ],
)
def test_the_word_of_the_user_goes_before_what_the_agent_says(talk: Talk, said: str) -> None:
    found = _waiting(talk, ("agent", _MUSED), ("user", said), ("tool", "ok"), ("agent", "Understood, it is so now."))

    by_user = [one.confidence for one in found if one.quotes[0].text == said]
    by_agent = [one.confidence for one in found if one.quotes[0].text in _MUSED]
    assert by_user and by_agent
    assert min(by_user) > max(by_agent)
    assert min(by_user) >= LIKELY


@pytest.mark.parametrize(
    "said",
    [
        "there needs to be a decision on whether or not dogs pay by weight",
        "the lockers could go by deck, but we still need to find out what the crew says",
    ],
)
def test_what_the_user_leaves_undecided_is_not_likely(talk: Talk, said: str) -> None:
    found = _waiting(talk, ("agent", "Read."), ("user", said), ("tool", "ok"), ("agent", "Understood."))
    assert not [one for one in found if one.quotes[0].text == said and one.confidence >= LIKELY]


@pytest.mark.parametrize(
    "said",
    [
        "do you hold the cabins forever or until midnight, and can you show me how the desk always releases them",
        "are dogs always weighed at the gate or does the desk do that from now on",
    ],
)
def test_who_asks_whether_something_lasts_settles_nothing(talk: Talk, said: str) -> None:
    found = _waiting(talk, ("agent", "Read."), ("user", said), ("tool", "ok"), ("agent", "Until midnight, as it is."))
    assert not [one for one in found if one.quotes[0].text == said and one.confidence >= LIKELY]


def test_what_a_plan_does_away_with_is_fixed_when_the_next_word_starts_it(talk: Talk) -> None:
    plan = "# Ferry drills\n\n## Context\n\nThe ferry repo has only drills for the crew. Guests need drills, too.\n"
    said = (("plan", plan), ("agent", "Saved."), ("user", "implement it"), ("tool", "ok"), ("agent", "All built."))
    (told,) = [one for one in _waiting(talk, *said) if "only drills" in one.title]
    assert told.title.endswith(" (fixed)")
