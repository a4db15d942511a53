"""What a session teaches and was for, when the user pastes beside what they type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.findings import Candidate, Proposal, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.summary_words import prose
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

WIKI = """Ordering reagents
Last updated by L. Brandt on 2022-05-02

Every order goes through the stock room. Orders above 200 euros must always be signed by the head of the group. Never
order from a catalogue on paper.

To get an account, ask the stock room and wait for the mail. Accounts must be renewed each spring.

- acids: in person only
- solvents: in drums, always with a data sheet

If a delivery is late, always call first. Never pay before the drums were counted."""
BELOW = "please look where the repo still assumes the old way, we fix that today"


def _everything(transcript: Transcript) -> list[Candidate]:
    engine = EmbeddedEngine()
    made = engine.synthesize(transcript, engine.find(transcript, (), ""), "")
    return list(made.candidates)


def test_a_ruling_above_a_pasted_page_is_heard_and_the_page_is_not(talk: Talk) -> None:
    """A long page makes no page of what was typed beside it."""
    ruling = "the licence of the registry ran out and we are not renewing it, packages live in our forge from today."
    found = _everything(
        talk(
            ("user", f"{ruling}\n\n{WIKI}\n\n{BELOW}"),
            ("agent", "I searched the repository: two scripts still pointed to the registry. Both use the forge now."),
            ("user", "great, and the token is called FORGE_TOKEN in all projects, never make a second one"),
            ("agent", "Noted, all jobs use FORGE_TOKEN now."),
            ("user", "thanks"),
        )
    )
    said = "\n".join(f"{one.title} {one.body}" for one in found)

    assert "packages live in our forge" in said
    assert not any(word in said for word in ("stock room", "signed", "catalogue", "drums"))


def test_a_table_of_a_program_is_no_part_of_what_the_session_was_for():
    table = "JOBID PARTITION NAME ST TIME NODES\n881 gpu resize R 1:02:11 2\n882 cpu collect PD 0:00 1"

    assert ["why does collect not start"] == prose(f"why does collect not start\n\n{table}")


_BRIEF = (
    "the kitchen app is for cooks in hospitals. a cook opens it in the morning and sees what is to be made. each dish "
    "has a card with its weight and its parts. the cards stand in the order of the day. a card can be turned, and on "
    "its back stands how it is made. whoever is done with a dish moves its card to the right. "
) * 5


def test_what_a_long_brief_requires_waits_and_what_it_says_to_last_does_not(talk: Talk) -> None:
    """A message that tells at length what to build is work; a rule in it is said to be one."""
    need = "We need to store the uploaded recipes in the house database instead of the browser."
    rule = "Never show the name of a patient on any screen from now on."
    found = _everything(
        talk(
            ("user", f"{_BRIEF}{need} {rule}"),
            (
                "agent",
                "I built the cards and store the recipes in the house database. No screen shows a patient's name.",
            ),
            ("user", "looks good, the cards are quick"),
            ("agent", "Glad to hear it."),
        )
    )
    tiers = {word: [one.tier for one in found if word in one.body] for word in ("uploaded", "patient")}

    assert Tier.SURE not in tiers["uploaded"]
    assert [Tier.SURE] == tiers["patient"]


def _said_in(talk: Talk, message: str) -> Proposal:
    engine = EmbeddedEngine()
    session = talk(
        ("user", "the export of the labels is slow, can you find out why?"),
        (
            "agent",
            "I measured it: each label is rendered twice. I render them once now: it takes a second.",
        ),
        ("user", message),
        ("agent", "I changed the export accordingly and added a test that covers both cases."),
        ("user", "thanks, next one tomorrow"),
    )
    return engine.synthesize(session, engine.find(session, (), ""), "")


_LETTER = (
    "From: Hilde\nSubject: Labels\n\nDear all,\n\nLabels must always be red. Never send grey ones.\n\n"
    "Kind regards\nHilde"
)


@pytest.mark.parametrize(
    ("message", "ruling"),
    [
        (f"{_LETTER}\n\nso: labels stay grey, always, red ones are never printed", "never printed"),
        ("Hilde's labels: they are always grey and never red", "always grey"),
        ("the ticket of Hilde: no. labels are always grey, we never print red ones", "always grey"),
    ],
)
def test_what_may_be_anothers_waits_and_is_never_sure(talk: Talk, message: str, ruling: str) -> None:
    """However plainly it rules; what the other says is in no candidate."""
    found = [one for one in _said_in(talk, message).candidates if ruling in one.quotes[0].text]

    assert [(Tier.REVIEW, "perhaps another's words")] == [(one.tier, one.signals[-1]) for one in found]
    assert not any("must always be red" in f"{one.title} {one.body}" for one in found)


def test_a_ruling_that_is_taken_for_anothers_is_listed_with_the_reason(talk: Talk) -> None:
    """Whoever misses something can see that it was taken for a quotation."""
    made = _said_in(talk, f"Hilde wrote: labels are always red.\n\n{_LETTER}")
    listed = [one for one in made.rejected if one.reason.startswith("Taken for somebody else's words")]

    assert ["Labels are always red", "Labels must always be red", "Never send grey ones"] == [
        one.title for one in listed
    ]
    assert {4} == {quote.first for one in listed for quote in one.quotes}
    assert not any("red" in one.title for one in made.candidates)


def test_what_a_command_expands_to_is_not_listed(talk: Talk) -> None:
    page = "# /ship Command\n\nThe user said: always tag twice. Never push by hand.\n" + "Then do the next step.\n" * 60

    assert not [one for one in _said_in(talk, page).rejected if one.reason.startswith("Taken for")]
