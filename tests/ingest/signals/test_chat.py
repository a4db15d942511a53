"""Moods, complaints, winks and habits of people sound like rules, and are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


@pytest.mark.parametrize(
    "said",
    [
        "always a joy working with you",
        "never again friday",
        "the printer at the office is always broken on mondays",
        "edge is always weird. next: the sum is wrong",
        "our lawyer always changes his mind, the footer gets the old text back",
        "drivers always forget the pin. make the field bigger",
        "i never said four columns. three",
        "we never got the key from the provider btw",
        "sensor.test.ts is red in ci again. on my laptop always fine of course. find out why",
        "the nightly job always takes ages",
        "the report must be out before i go home",
        "specs must be green before i leave, what fails",
        "the chart jumps to zero every time, never seen that before. fix?",
        "der kunde ändert ständig seine meinung, das logo kommt wieder nach links",
        "lokal läuft es immer grün, schau mal",
        "nie wieder montag",
        "chez moi ça marche toujours",
        "el cliente siempre cambia de idea, el logo vuelve a la izquierda",
    ],
)
def test_chat_and_complaints_are_no_candidates(said: str, talk: Talk) -> None:
    """Nobody rules on a mood, on people, or on how it goes on their own machine."""
    found = extract(
        talk(("user", "fix the sum"), ("agent", "Done."), ("user", said), ("agent", "OK.")), EmbeddedEngine()
    )

    assert not (*found.candidates, *found.review)


@pytest.mark.parametrize(
    "said",
    [
        "the legend is always grey in safari, everything else is ok",
        "the second tab is always empty",
        "the legend on the map is always black in firefox, all else works",
        "the invoices come always twice in firefox of course",
    ],
)
def test_what_somebody_sees_or_sighs_is_never_sure(said: str, talk: Talk) -> None:
    """How things are in one browser may be a report: somebody looks."""
    found = extract(
        talk(("user", "fix the sum"), ("agent", "Done."), ("user", said), ("agent", "OK.")), EmbeddedEngine()
    )

    assert not found.candidates


@pytest.mark.parametrize(
    "said",
    [
        "prices are always gross in the shop",
        "users always see the net price first",
        "always a trailing comma in multi-line lists",
        "locally always use the sqlite file, never the shared database",
        "disabled buttons are always grey, never hidden",
        "guests never see the margin",
        "backups are always encrypted with the team key",
        "always the same salt per tenant",
        "Katrin always gets a copy of the invoice mail",
        "never push to main, of course",
        "der footer steht immer unter der tabelle",
    ],
)
def test_rules_of_the_same_look_stay(said: str, talk: Talk) -> None:
    """What something shall be, do or show is ruled, be it of users or of a colour."""
    found = extract(
        talk(("user", "fix the sum"), ("agent", "Done."), ("user", said), ("agent", "OK.")), EmbeddedEngine()
    )

    assert found.candidates
