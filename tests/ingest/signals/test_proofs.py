"""What the agent proved is likely worth a look; how its work went, and who asked for the check, are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY, Primitive
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _found(transcript: Transcript) -> list[Candidate]:
    engine = EmbeddedEngine()
    return list(engine.synthesize(transcript, engine.find(transcript, (), ""), "").candidates)


@pytest.mark.parametrize(
    ("trouble", "ask", "proof", "reply", "said"),
    [
        (
            "the freezer sensor reports -127 degrees every other night, why",
            "can you prove it? pull the wire while it reads",
            "Proved: with the wire pulled the bus reads 0xFFFF, and the driver turns that into -127.",
            "super",
            "0xFFFF",
        ),
        (
            "the train and the test loss differ by a factor of 3 since the merge",
            "sounds plausible but check it with dropout off",
            "Verified: with dropout off both losses agree to 1 %, so it is the missing eval() call and not the data.",
            "ok put it into the trainer",
            "eval()",
        ),
        (
            "ferry bookings come twice since monday",
            "look at the queue then",
            "Found it: the worker acknowledges after the mail is sent, and the mail takes longer than the visibility "
            "timeout.",
            "great find",
            "visibility timeout",
        ),
    ],
)
def test_what_the_agent_proved_is_likely(talk: Talk, trouble: str, ask: str, proof: str, reply: str, said: str) -> None:
    """In the agent's words, though nobody says that this was it, and though the session is short."""
    found = _found(
        talk(
            ("user", trouble),
            ("agent", "It could be the cable or the timing."),
            ("user", ask),
            ("tool", "9 of 9"),
            ("agent", proof),
            ("user", reply),
            ("agent", "Done."),
        )
    )

    (cause,) = [one for one in found if said in one.body + one.title]
    assert (Primitive.LEARNING, Tier.REVIEW) == (cause.primitive, cause.tier)
    assert cause.confidence >= LIKELY
    assert not any(ask[:20] in one.body for one in found)


@pytest.mark.parametrize(
    "said",
    [
        "Confirmed: all 44 tests pass and the branch is pushed.",
        "Verified: the page renders and the links work.",
        "Verified. I moved the three helpers and updated the imports.",
    ],
)
def test_how_work_went_is_no_proof(talk: Talk, said: str) -> None:
    work = talk(("user", "run the checks and push"), ("tool", "ok"), ("agent", said), ("user", "thx"))

    assert not _found(work)


def test_a_proof_that_the_user_doubts_is_none(talk: Talk) -> None:
    proof = "Confirmed: the planner scans the table because the index is on lower(email)."
    found = _found(
        talk(
            ("user", "why is the login query slow"),
            ("tool", "seq scan"),
            ("agent", proof),
            ("user", "no, i dont believe that. look at the locks"),
            ("agent", "There is a lock held by the backup."),
        )
    )

    assert not any("lower(email)" in one.title for one in found)
