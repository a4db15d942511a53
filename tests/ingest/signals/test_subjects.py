"""Rulings that do not name what they are on: the question before them does, or what the user had raised."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.findings import Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.selection import choose, weigh
from lerim.ingest.signals.subjects import doing, lacks_subject
from lerim.ingest.signals.sureness import tier_of
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.wording import Wording, worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _last_said(talk: Talk, *said: str) -> Wording:
    """How the user's last words are worded; the user begins, and the agent has the last word."""
    session = SessionReading(conversation(talk(*zip(("user", "agent") * len(said), said, strict=False))))
    last = session.talk.turns[-1]
    return worded(next(one for one in session.user_readings if one.unit.turn is last), session)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            (
                "and the uploads? how often do they retry",
                "Twice, 10 s apart.",
                "make it 6 with jitter, mobile networks drop for a minute all the time",
                "Retry(max=6, jitter=True).",
            ),
            "Uploads: 6 with jitter",
        ),
        (
            (
                "heartbeat. the gateway drops us twice per day",
                "The heartbeat is lost during an update. I'd set the interval to 60 s.",
                "60 s is too slow, the broker kicks us after 45. make it 20 s",
                "KEEPALIVE = 20.",
            ),
            "Heartbeat interval: 20 s",
        ),
        (
            (
                "which timeout for the barcode scanner",
                "I would take 5 s.",
                "5 s is too long, people scan again. 800 ms",
                "SCAN_MS = 800.",
            ),
            "Timeout for the barcode scanner: 800 ms",
        ),
        (
            (
                "how long do we have to store the receipts?",
                "One year would be usual.",
                "Make 10 years, the tax office asks for them",
                "Bucket is up; the archive keeps receipts for 10 years.",
            ),
            "The archive keeps receipts for 10 years",
        ),
        (
            (
                "good. what about dark mode? it was on the list",
                "The colours are all tokens, so it takes a day. Shall I start?",
                "nah not for the kiosk build, it hangs in a bright hall",
                "OK.",
            ),
            "Dark mode: not for the kiosk build, it hangs in a bright hall",
        ),
        (
            (
                "ah then we need compression=zstd. do we have that?",
                "No, it is gzip. Shall I switch?",
                "yes but only for the nightly dumps, the others stay as they are",
                "Done.",
            ),
            "compression=zstd: only for the nightly dumps, the others stay as they are",
        ),
        (
            (
                "mail of the supplier, what does it mean",
                "| | now | mail |\n|---|---|---|\n| oven heat | 240 °C | 255.5 °C |\n| belt | 1.2 m/s | 1.1 m/s |",
                "we dont go to 255.5, the connectors melt",
                "Understood.",
            ),
            "Oven heat: we don't go to 255.5 °C, the connectors melt",
        ),
        (
            (
                "look at the price filter",
                "Three ways:\n\na) Fixed window: the last n prices.\nb) Decay: older prices count less.\nWhich one?",
                "b but not per minute. take 15 s, the feed is bursty and a minute smears all the peaks we look for",
                "OK.",
            ),
            "Decay: 15 s, the feed is bursty and a minute smears all the peaks we look for",
        ),
        (
            (
                "can i drop the column?",
                "Nobody reads it.",
                "yes. that goes for every table we own, never reuse a name",
                "ok",
            ),
            "Every table we own: never reuse a name",
        ),
    ],
)
def test_a_ruling_is_told_with_what_it_is_on(talk: Talk, said: tuple[str, ...], title: str) -> None:
    """The value, the limit or the ban says nothing alone."""
    assert title == _last_said(talk, *said).title


def test_the_body_has_the_subject_too(talk: Talk) -> None:
    """A reader of the file has no session beside it."""
    said = ("how about guest accounts, sales asks", "Shall I estimate it?", "no, not in the first release", "OK.")

    assert "Guest accounts: not in the first release." == _last_said(talk, *said).body


def test_where_the_subject_was_named_is_quoted(talk: Talk) -> None:
    """No memory without its evidence."""
    said = (
        "nice. what about dark mode? sales asks",
        "It takes a day. Shall I start?",
        "only in the mobile app, never in the kiosk build",
        "OK.",
    )
    transcript, engine = talk(*zip(("user", "agent") * 2, said, strict=True)), EmbeddedEngine()
    found = engine.synthesize(transcript, engine.find(transcript, (), ""), "").candidates
    one = next(one for one in found if one.title.startswith("Dark mode: only in the mobile"))

    assert "what about dark mode?" in " ".join(quote.text for quote in one.quotes)


@pytest.mark.parametrize(
    "title",
    [
        "Not for the kiosk build, it hangs in a bright hall",
        "Take 120 mA, the amplifier is off by 40",
        "Do not go to 4.25, the cells age",
        "Make it 8 with exponential backoff",
        "Limit stays 512Mi",
        "Never reuse a number",
    ],
)
def test_what_names_no_subject_does_not_stand_alone(title: str) -> None:
    """Of what, only who was there knows."""
    assert lacks_subject(title)


@pytest.mark.parametrize(
    "title",
    [
        "Use 2 spaces, not tabs",
        "Keep 3 replicas in production",
        "Only the webhook sets paid",
        "Use Python 3.12, not 3.11",
        "Never log tokens",
        "Upload limit is 20 MB",
    ],
)
def test_what_names_its_subject_has_one(title: str) -> None:
    """A number may be of the word behind it."""
    assert not lacks_subject(title)


def test_without_a_subject_it_is_for_somebody_to_look_at(talk: Talk) -> None:
    """And is not kept."""
    said = (
        "look at it",
        "I did.",
        "never take 120 mA, the sense amplifier is off by 40 mA on every second board",
        "OK.",
    )
    session = SessionReading(conversation(talk(*zip(("user", "agent") * 2, said, strict=True))))
    one = next(one for one in choose(weigh(session), session).kept if one.whose == "user")

    assert Tier.REVIEW is tier_of(one, worded(one.reading, session).title, session)


def test_an_option_is_told_with_its_question_and_why(talk: Talk) -> None:
    """ "b, we have people who know it" says why."""
    said = ("Which queue?", "a) NATS\nb) Kafka\nc) SQS", "b, we have people who know it", "Added the client.")

    assert Wording("Queue: Kafka", "Queue: Kafka.\n\nWhy: We have people who know it.") == _last_said(talk, *said)


def test_an_option_with_a_ruling_besides_is_not_told_as_a_reason(talk: Talk) -> None:
    """What shall be so as well is no why."""
    said = ("Which queue?", "a) NATS\nb) Kafka\nc) SQS", "b, the client must never block the ISR", "OK.")

    assert "because" not in _last_said(talk, *said).title


@pytest.mark.parametrize(
    ("deed", "name"),
    [
        ("add an index", "adding an index"),
        ("set 65", "setting 65"),
        ("delete the rows", "deleting the rows"),
        ("run it nightly", "running it nightly"),
        ("open the port", "opening the port"),
        ("tie them", "tying them"),
        ("show the key", "showing the key"),
        ("deploy it", "deploying it"),
    ],
)
def test_what_may_be_done_is_named(deed: str, name: str) -> None:
    """A title never says "whether to"."""
    assert name == doing(deed)
