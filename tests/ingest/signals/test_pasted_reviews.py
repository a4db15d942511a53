"""A comment on code that the user pastes for the agent to look at: somebody else found it, and nobody rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = "please rework the screens of the courier app so that drivers see their parcels without a connection. " * 9


def _found(talk: Talk, said: str) -> list[Candidate]:
    lines = (("user", _WORK), ("agent", "Done."), ("user", said), ("agent", "Done. Both callers were changed."))
    found = extract(talk(*lines), EmbeddedEngine())
    return [one for one in (*found.candidates, *found.review) if "courier app" not in one.quotes[0].text]


@pytest.mark.parametrize(
    "said",
    [
        "can you also check: When a parcel is weighed twice, the code doesn't reset the tare of the scale. Then the "
        "second weight is too low. Consider resetting `tareGrams` before each call, or document why it must be kept.",
        "and this is for depot_scale.go:41.. When the list is empty, the depot name is blank because it was never set. "
        "Instead of passing the blank name, the code should either use a default or return an error.",
        "what about this one: The helper loadDepots is not used anywhere in the code base. Consider removing it to cut "
        "duplication, or document why it exists.",
    ],
)
def test_a_pasted_review_is_nobodys_ruling(talk: Talk, said: str) -> None:
    assert not _found(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "the depot list: we never cache it, drivers see yesterday's parcels then. consider that for the map too",
        "never call loadDepots from the view, the code should only go through the store because of the offline mode",
    ],
)
def test_what_the_user_says_of_the_code_themselves_counts(talk: Talk, said: str) -> None:
    assert _found(talk, said)
