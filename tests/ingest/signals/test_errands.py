"""An errand at a named place in the work is no rule, and of values given in turn only the last one holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.titles import is_for_once
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = "please go through the tide tables of the harbour with me, page by page, and mend what is off. " * 10


def _read(talk: Talk, *said: tuple[str, str]) -> Extraction:
    return extract(talk(("user", _WORK), ("agent", "Read."), *said), EmbeddedEngine())


@pytest.mark.parametrize(
    "said",
    [
        "Use the plain-language skill.",
        "now use the proof-reading skill on this document",
        "ask Mira to do this review instead.",
        "and the depth check is only there for logging, which we need to remove",
        "run the spelling sub-agent on these pages",
    ],
)
def test_an_errand_is_neither_kept_nor_likely(talk: Talk, said: str) -> None:
    found = _read(talk, ("user", said), ("tool", "ok"), ("agent", "Done, it is done as you said."))
    assert not found.candidates
    assert not [one for one in found.review if one.confidence >= LIKELY]


@pytest.mark.parametrize(
    "title",
    [
        "Always use the plain-language skill for letters",
        "Use a sub-agent for every review",
        "Use the tide library instead of our own tables",
        "Never do this check by hand",
        "A check that we need on each page",
        "Use the skills folder for prompts",
    ],
)
def test_a_rule_is_no_errand(title: str) -> None:
    assert not is_for_once(title)


def test_of_values_that_were_given_in_turn_only_the_last_waits(talk: Talk) -> None:
    found = _read(
        talk,
        ("user", "10000 -> 20000 because ten thousand rows are only two weeks of tides"),
        ("agent", "Done, `MAX_TIDE_ROWS` is now **20_000**."),
        ("user", "and is the sort right?"),
        ("agent", "Yes, by hour."),
        ("user", "MAX_TIDE_ROWS -> 90_000 then, because pilots look back half a year"),
        ("agent", "Set."),
        ("user", "thanks"),
    )
    titles = [one.title for one in (*found.candidates, *found.review)]
    assert [title for title in titles if "90_000" in title]
    assert not [title for title in titles if "20000" in title]


def test_a_value_of_something_else_leaves_the_first_as_it_is(talk: Talk) -> None:
    found = _read(
        talk,
        ("user", "10000 -> 20000 because ten thousand rows are only two weeks of tides"),
        ("agent", "Done, `MAX_TIDE_ROWS` is now **20_000**."),
        ("user", "MAX_PILOTS -> 40, because the crew has grown"),
        ("agent", "Set."),
    )
    assert [one for one in (*found.candidates, *found.review) if "20000" in one.title]
