"""How memories are said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.signals.reading import Session
from lerim.ingest.signals.spelling import Speller
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.wording import agents_statement, fitting, headline, plain, quotes, statement, worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("ok, so let's keep both names", "Keep both names"),
        ("hmm, I think we should drop the cache please", "Drop the cache"),
        ("can we also move the scripts to tools/?", "Move the scripts to tools/?"),
        ("we should call it max_jobs as well to be consistent", "Call it max_jobs as well to be consistent"),
        ("remember: the CI runs in Berlin time", "The CI runs in Berlin time"),
        ("useState is fine", "useState is fine"),
    ],
)
def test_small_talk_is_left_out(said: str, title: str) -> None:
    """A title begins where the statement does; nothing inside it is touched."""
    assert title == statement(said)


def test_an_offer_becomes_what_was_offered() -> None:
    """ "Want me to …?" that was agreed to is what is done."""
    assert "Rename the event to `TurnEnd`" == agents_statement("Want me to rename the event to `TurnEnd`?")


def test_markdown_becomes_plain_words() -> None:
    """Bold, links, bullets and tables are for screens."""
    assert "Use the guide: now" == plain("- **Use** [the guide](https://x.example/y):\n now")
    assert "stack: last in, first out" == plain("| **stack** | last in, first out |")


def test_a_long_text_ends_after_a_sentence_or_says_that_it_goes_on() -> None:
    """No body stops in the middle as if it were complete."""
    assert "One two three four." == fitting("one two three four. five six seven", 6)
    assert fitting("one two three four five six seven eight", 4).endswith("…")


def test_a_request_that_became_a_decision_does_not_ask() -> None:
    """ "Can we keep both?" is kept as what was done; a real question stays one."""
    assert "Keep both names" == headline(statement("can we keep both names?"))
    assert "What is the limit?" == headline(statement("what is the limit?"))


def test_a_headline_is_short() -> None:
    """A title is a line."""
    assert len(headline("word " * 100)) <= 112


def test_slips_are_mended_by_the_words_of_the_session() -> None:
    """A word nobody else uses, one letter from one the agent uses, was a slip; names and code are not touched."""
    speller = Speller(["The threshold is high. A threshold of 5.", "Use verzel_deploy."], ["increase the threashold"])

    assert "increase the threshold, because it's verzel_deploy" == speller.mended(
        "increase the threashold, bcz it's verzel_deploy"
    )


def test_the_quote_keeps_the_slip(talk: Talk) -> None:
    """The title is mended, the evidence never."""
    transcript = talk(
        ("user", "the threashold must never be below ten"),
        ("agent", "Agreed, the threshold stays above ten. The threshold is checked at start."),
    )
    session = Session(conversation(transcript))
    [reading] = session.spoken

    assert "threshold" in worded(reading, session).title
    assert "the threashold must never be below ten" == quotes(reading)[0].text
