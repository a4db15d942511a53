"""Several rulings in one message, what goes with each of them, and what was taken back right away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.findings import Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.units import user_units
from lerim.ingest.signals.wording import worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _found(transcript: Transcript) -> dict[str, tuple[Tier, str]]:
    engine = EmbeddedEngine()
    proposal = engine.synthesize(transcript, engine.find(transcript, (), ""), "")
    return {candidate.title: (candidate.tier, candidate.body) for candidate in proposal.candidates}


def _words(talk: Talk, said: str) -> list[str]:
    return [unit.text for unit in user_units(conversation(talk(("user", said), ("agent", "Understood."))))]


def test_each_sentence_below_inline_rules_stands_by_itself(talk: Talk) -> None:
    """Nobody has to lay rules out as a list."""
    said = "fix main.rs. Rules for this repo: no unwrap outside of tests. anyhow in the binary. MSRV is 1.74"
    units = user_units(conversation(talk(("user", said), ("agent", "Understood."))))

    assert ["Rules for this repo: no unwrap outside of tests.", "anyhow in the binary.", "MSRV is 1.74"] == [
        unit.text for unit in units if unit.is_under_rules
    ]


@pytest.mark.parametrize(
    "said",
    [
        "some house rules 1) every migration has a test 2) timestamps are timestamptz 3) flags come from the table",
        "here you go: (1) every migration has a test (2) timestamps are timestamptz (3) flags come from the table",
    ],
)
def test_points_counted_within_a_line_are_units(said: str, talk: Talk) -> None:
    """Each has its own place, and may rule on its own."""
    assert ["every migration has a test", "timestamps are timestamptz", "flags come from the table"] == _words(
        talk, said
    )[1:]


def test_figures_in_brackets_count_no_points(talk: Talk) -> None:
    """Points are counted from the first on."""
    said = "the query took 2) seconds and then 3) more, keep it as it is"

    assert [said] == _words(talk, said)


def test_a_ruling_on_something_else_is_a_memory_of_its_own(talk: Talk) -> None:
    """A person who says two things says two things."""
    found = _found(
        talk(
            (
                "user",
                "we never log request bodies, because there are IBANs in them. always lock accounts in ascending order",
            ),
            ("agent", "Understood: no request bodies in logs, accounts are locked in ascending order."),
        )
    )

    assert ["Never log request bodies", "Always lock accounts in ascending order"] == list(found)
    assert "lock accounts" not in found["Never log request bodies"][1]


def test_what_somebody_asked_for_beside_it_is_not_in_the_body(talk: Talk) -> None:
    """The errand is over tomorrow."""
    said = "look at the parser first, it is slow. we always store prices as integer cents, never as floats"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    bodies = [worded(reading, session).body for reading in session.user_readings]

    assert not any("parser" in body for body in bodies if "cents" in body)


def test_a_reason_is_that_of_what_it_follows(talk: Talk) -> None:
    """ "A for these, and those stay B because …" says nothing of why A."""
    said = "use bigint identity for entries and transfers. accounts can stay uuid because they leave the building"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))
    wording = worded(session.user_readings[0], session)

    assert "Use bigint identity for entries and transfers" == wording.title
    assert "Why:" not in wording.body


def test_an_exception_stands_in_the_title(talk: Talk) -> None:
    """A rule without it is false."""
    said = "Always show gross prices in the shop, never net. only in the dealer area it stays net"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    title = worded(session.user_readings[0], session).title

    assert "Always show gross prices in the shop, never net; only in the dealer area it stays net" == title


def test_an_answer_that_says_little_is_led_by_the_question(talk: Talk) -> None:
    """ "Only from tags" of what?"""
    session = SessionReading(
        conversation(
            talk(
                ("user", "raise the version"),
                ("agent", "Raised. Shall CI publish to crates.io automatically?"),
                ("user", "yes but only from tags, never from main"),
                ("agent", "CI publishes on tags only."),
            )
        )
    )

    title = worded(session.user_readings[-1], session).title

    assert "Whether CI should publish to crates.io automatically: only from tags, never from main" == title


@pytest.mark.parametrize(
    "after", ["argh right, they moved the pool. ok scrap that, poll every second", "no wait, merchants complained"]
)
def test_what_is_scrapped_in_the_next_message_is_taken_back(after: str, talk: Talk) -> None:
    """Whatever words it had: nobody repeats them to take them back."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "use listen and notify for the outbox relay, always below 100 ms"),
                ("agent", "That needs a session, and the pool runs in transaction mode."),
                ("user", after),
                ("agent", "Understood."),
            )
        )
    )

    assert session.user_readings[0].is_reversed


def test_what_is_scrapped_in_the_same_breath_is_taken_back(talk: Talk) -> None:
    said = "always squash before you push, my history is full of wip commits. ah no forget it"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    assert session.user_readings[0].is_reversed


@pytest.mark.parametrize(
    "said",
    [
        "We're on Python 3.13 for all services now, no more 3.11",
        "want LazyLock, so raise the msrv. MSRV is 1.80 now, debian users can take the static binary",
        "Argo CD does all our deploys now, helmfile is gone",
        "we decided against Kafka, its off the table",
    ],
)
def test_what_is_so_now_waits_for_review_in_the_shortest_session(said: str, talk: Talk) -> None:
    """It may end what was said before."""
    assert _found(talk(("user", said), ("agent", "Changed.")))


def test_from_now_on_is_kept_though_it_reads_like_an_errand(talk: Talk) -> None:
    """ "Run X before …" is a rule when it is said to hold from now on."""
    said = "from now on run `make gen` before you commit any query, CI fails otherwise because gen/ is checked in"
    found = _found(talk(("user", said), ("agent", "Will do.")))

    assert Tier.SURE is found["Run `make gen` before you commit any query, CI fails otherwise"][0]


@pytest.mark.parametrize("why", ["bc the fixtures need it", "weil es Pflicht ist", "porque npm rompe los hoists"])
def test_reasons_in_other_words_stand_apart(why: str, talk: Talk) -> None:
    """A short form and other languages give reasons, too."""
    said = f"run the tests with make test, never with plain pytest, {why}"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    wording = worded(session.user_readings[0], session)

    assert "Run the tests with make test, never with plain pytest" == wording.title
    assert f"why: {why.split(' ', 1)[1]}".lower() in wording.body.lower()


@pytest.mark.parametrize(("before", "is_asked"), [("Done, the app uses pnpm now.", False), ("Shall I go on?", True)])
def test_nobody_answers_what_was_not_asked(before: str, is_asked: bool, talk: Talk) -> None:
    """What spoke for it is read by people."""
    said = "tests are always run with `pnpm test:ci`, never with npx jest"
    transcript = talk(("user", "switch to pnpm"), ("agent", before), ("user", said), ("agent", "Understood."))
    engine = EmbeddedEngine()
    [found] = [one for one in engine.find(transcript, (), "") if "pnpm test" in one.statement]

    assert is_asked is ("answers what the agent asked last" in found.signals)


def test_several_options_are_named_in_the_title(talk: Talk) -> None:
    """ "2, 3 and 4a" chose three, and "4a" is a part of the fourth."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "what would you harden in the api?"),
                ("agent", "Options:\n\n1. Rate limits\n2. Body limit of 1 MB\n3. Reject unknown fields\n4. Timeouts"),
                ("user", "2, 3 and 4a. not 1, the gateway does rate limits already"),
                ("agent", "Understood."),
            )
        )
    )

    wording = worded(session.user_readings[-1], session)

    assert "Body limit of 1 MB; Reject unknown fields; Timeouts" == wording.title
    assert wording.body.startswith("Not 1, the gateway does rate limits already.")
    assert "Chosen: Body limit of 1 MB; Reject unknown fields; Timeouts" in wording.body


def test_a_choice_for_now_is_the_option_and_that_it_is_for_now(talk: Talk) -> None:
    """The number says nothing to anybody else."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "where do we load the model from?"),
                ("agent", "Options:\n\n1. Load it from MLflow\n2. Load it from S3 at startup"),
                ("user", "2 for now, we don't have mlflow running anywhere"),
                ("agent", "Understood."),
            )
        )
    )

    title = worded(session.user_readings[-1], session).title

    assert "Load it from S3 at startup: for now, we don't have mlflow running anywhere" == title
