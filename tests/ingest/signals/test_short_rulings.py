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
            "the lock wore out on 9 of 40 bikes after a winter. so: no plastic latch anymore, "
            "motor current limit to 350 mA",
            "No plastic latch anymore",
        ),
        ("the vendor changed the licence. therefore: no pdfkit in new services, we use typst", "No pdfkit in new"),
        ("legal came back. result: we keep access logs 180 days instead of 90", "Keep access logs 180 days instead"),
        ("and throw the old feature store out, dead weight", "Throw the old feature store out"),
        ("ouch. lets kick the second scheduler out", "Kick the second scheduler out"),
        ("from tomorrow all the releases need a second pair of eyes. two people must approve", "From tomorrow all the"),
        (
            "preload yes 130 mA. the hold current: i am not sure, i have to ask ines. leave it open",
            "Preload yes 130 mA",
        ),
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


def test_a_value_that_is_taken_is_told_by_what_has_it_now(talk: Talk) -> None:
    """And not by what else was asked for in the same breath."""
    found = _found(
        talk(
            ("user", "at which score do we call the owner of the dog back"),
            ("agent", "0.35 gives 24 calls a day, 0.3 gives 33."),
            ("user", "0.35 then. write it into configs/serve.yaml"),
            ("tool", "ok"),
            ("agent", "The threshold for calls is 0.35 now and it stands in configs/serve.yaml."),
            ("user", "k"),
        )
    )

    (taken,) = found
    assert taken.title.startswith("The threshold for calls is 0.35")
    assert taken.confidence >= LIKELY
    assert any(quote.text.startswith("0.35 then") for quote in taken.quotes)


def test_a_letter_answers_who_was_asked_which(talk: Talk) -> None:
    """The agent need not ask again below its list."""
    listed = "a) keep the CSV files on the share\nb) DuckDB files with one writer\nc) a Postgres schema per lab"
    found = _found(talk(("user", "Which store do we take?"), ("agent", listed), ("user", "b"), ("agent", "It is in.")))

    assert any("DuckDB" in one.title and one.confidence >= LIKELY for one in found)


def test_a_number_that_says_what_to_do_next_is_no_ruling(talk: Talk) -> None:
    listed = "Two ways to find out:\n1. run tracemalloc over the import\n2. run heaptrack over the import"
    found = _found(talk(("user", "why does it eat 4 GB?"), ("agent", listed), ("user", "1"), ("agent", "Running it.")))

    assert not any(one.confidence >= LIKELY for one in found)
