"""What a session teaches and was for, when the user pastes beside what they type."""

from __future__ import annotations

from collections.abc import Callable

from lerim.ingest.findings import Candidate, Tier
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
