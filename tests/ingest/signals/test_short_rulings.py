"""Rulings of a few words: what is concluded, given up, begun tomorrow, or said yes to with a value."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _found(transcript: Transcript) -> list[Candidate]:
    engine = EmbeddedEngine()
    return list(engine.synthesize(transcript, engine.find(transcript, (), ""), "").candidates)


def _said(talk: Talk, said: str, before: str = "The report is ready.") -> list[Candidate]:
    return _found(
        talk(("user", "show me the report"), ("agent", before), ("user", said), ("agent", "Done."), ("user", "thx"))
    )


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "the lock wore out on 9 of 40 bikes after a winter. so: no plastic latch anymore, motor current limit to 350 mA",
            "No plastic latch anymore",
        ),
        ("the vendor changed the licence. therefore: no pdfkit in new services, we use typst", "No pdfkit in new"),
        ("legal came back. result: we keep access logs 180 days instead of 90", "Keep access logs 180 days instead"),
        ("and throw the old feature store out, dead weight", "Throw the old feature store out"),
        ("ouch. lets kick the second scheduler out", "Kick the second scheduler out"),
        ("from tomorrow all the releases need a second pair of eyes. two people must approve", "From tomorrow all the"),
        ("preload yes 130 mA. the hold current: i am not sure, i have to ask ines. leave it open", "Preload yes 130 mA"),
    ],
)
def test_a_ruling_of_a_few_words_is_likely(talk: Talk, said: str, title: str) -> None:
    """And it is not named by its reason."""
    assert any(one.title.startswith(title) and one.confidence >= LIKELY for one in _said(talk, said))


def test_a_ruling_behind_one_that_points_is_kept(talk: Talk) -> None:
    said = "better take it from the header, every test that needs a limit must read it from limits.h"
    work = "please rework the tests of the pump so that they run on the bench and in the simulator alike. " * 9
    found = _found(talk(("user", work), ("agent", "I put 300 into the test."), ("user", said), ("agent", "Done.")))

    assert any("limits.h" in one.title and one.tier is Tier.SURE for one in found)


@pytest.mark.parametrize("said", ["can you find out why the disk ran out", "the request timed out, it went to 300 s"])
def test_what_only_sounds_like_one_is_none(talk: Talk, said: str) -> None:
    assert not any(one.confidence >= LIKELY for one in _said(talk, said))
