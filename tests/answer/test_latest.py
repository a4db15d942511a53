"""What was said last leads, though a question finds only what was said before it; what is of another thing never."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lerim.context.records import Draft, Evidence, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.dataclass import replace


@pytest.fixture
def session(memory, clock):
    """The summary of a session in which the user wanted this and then that, held now; the next is days later."""

    def session(run: str, *wanted: str, happened: str = "") -> str:
        first, *then = wanted
        body = (
            f"**Intent:** {first}. Then: {'; '.join(then)}.\n\n**Outcome:** Done." if then else f"**Intent:** {first}."
        )
        body += f"\n\n**What happened:**\n- {happened}.\n" if happened else ""
        draft = Draft(Primitive.SUMMARY, first, body).record(clock())
        with memory.target().change("lerim", "sync") as change:
            kept = change.create(
                replace(draft, coding_agent="claude", run_id=run, date=f"{clock():%Y-%m-%d}", time="08:00")
            )
        clock.tick(days=4)
        return kept.id

    return session


@pytest.mark.parametrize(
    ("before", "after", "question", "value"),
    [
        (
            "Sketches are stored as BMP, the plotter reads nothing else",
            "We switch from BMP to PNG for good",
            "which format do we store sketches in",
            "PNG",
        ),
        (
            "Drafts in the archive: keep them 20 days and then delete them",
            "Change the 20 days to 45 days for the drafts",
            "how long do we keep drafts",
            "45 days",
        ),
        (
            "Locker codes: 6 digits, valid for 14 days",
            "Hansa says 14 days for a locker code is too long for them, make it a week for everyone",
            "how long is a locker code valid",
            "a week",
        ),
        (
            "Mains pressure alarm at 6 bar for the whole hall",
            "Lower the alarm from 6 to 4 bar, the seals drip",
            "at how many bar is the mains pressure alarm",
            "4 bar",
        ),
        (
            "L'encodage de l'export est ISO-8859-15 pour la banque",
            "The bank wants UTF-8 now, not ISO-8859-15 any more",
            "quel est l'encodage de l'export ?",
            "UTF-8",
        ),
        (
            "The menu is printed every week by the kitchen",
            "The menu is printed every day now, the fish changes",
            "how often is the menu printed",
            "every day",
        ),
    ],
)
def test_what_a_later_session_ended_is_told_behind_what_holds(ask, session, before, after, question, value):
    session("aaa111", "Look at the shop", before)
    later = session("bbb222", "Some repairs", "Paint the door", after)

    lead, _, behind = ask(question).text.partition(" (before, ")

    assert value in lead and later in lead, lead
    assert before[:20] in behind


def test_what_the_user_said_since_and_waits_leads_marked(ask, session, memory, clock):
    session("aaa111", "Look at the ovens", "The ovens use gas from Nordgas in Kassel")
    own = Evidence("claude", "ccc333", 4, 4, "we switch from Nordgas to Volta", Trust.USER, clock() + timedelta(days=1))
    said = ("claude/ccc333", "sync-1", Primitive.DECISION, "We switch from Nordgas to Volta", "", 0.2, clock())
    with memory.target().change("lerim", "sync", "sync-1") as change:
        one = ReviewCandidate(new_review_id(), *said, evidence=(own,), trust=Trust.USER)
        ReviewList(change).save_all("claude/ccc333", [one])

    answer = ask("which gas do the ovens use")

    lead = answer.text.partition(" (before, ")[0]
    assert lead.endswith(f"We switch from Nordgas to Volta [{one.id}, not decided yet]")
    assert (one.id,) == tuple(record.id for record in answer.noted)


def test_of_two_memories_that_hold_the_later_one_leads(ask, keep, clock):
    keep("Tickets are scanned with the Zebra TC21 at the gate")
    clock.tick(days=9)
    keep("We go from the Zebra TC21 to plain phones")

    assert ask("what are tickets scanned with at the gate").text.startswith("We go from the Zebra TC21 to plain phones")


@pytest.mark.parametrize(
    "after",
    [
        "Less than 4 visitors ring at night",
        "Raise the heating from 19 to 21 degrees",
        "We switch from Slack to Matrix",
        "Should the boats be checked every day?",
        "The crew is checked every 2 years",
        "Oars cost 30 euros",
    ],
)
def test_what_ends_nothing_of_it_is_not_told_with_it(ask, session, after):
    session("aaa111", "Look at the boats", "The boats are checked every 4 weeks by the yard")
    session("bbb222", "Some repairs", "Paint the door", after)

    told = ask("how often are the boats checked").text

    assert "every 4 weeks" in told and after not in told


def test_who_asks_how_it_was_is_told_that_first(ask, session):
    session("aaa111", "Look at the shop", "Sketches are stored as BMP, the plotter reads nothing else")
    session("bbb222", "Some repairs", "We switch from BMP to PNG for good")

    assert "BMP" in ask("which format were sketches stored in originally?").text.partition("(")[0]


def test_who_left_does_it_no_more(ask, session):
    session("aaa111", "Look at the mill", "Renske signs off every batch of flour")
    session("bbb222", "Some repairs", "Renske left the mill, from now on Piet signs off the flour")

    lead = ask("who signs off the flour").text.partition(" (before, ")[0]

    assert "Piet" in lead and "every batch" not in lead


@pytest.mark.parametrize(
    ("kept", "happened", "question"),
    [
        ("The gate stops after 40 ms without a beat", "Ran 9 h in hall 2, not one stop", "when does the gate stop"),
        ("Oven door timeout is 40 s", "I update it, and move the door timeout to 90 s", "what is the door timeout"),
        ("The crane's load limit is 3 t", "I'll raise the crane's load limit to 5 t", "what is the crane's load limit"),
    ],
)  # fmt: skip
def test_what_an_agent_is_about_to_do_or_saw_in_a_trial_ends_nothing(
    ask, keep, session, clock, kept, happened, question
):
    keep(kept)
    clock.tick(days=3)
    session("bbb222", "Some repairs", happened=happened)

    assert happened[5:] not in ask(question).text


def test_what_was_kept_of_a_session_counts_for_more_than_its_summary(ask, keep, clock, memory, session):
    keep("Limit of the lift motor is 2.4 A")
    clock.tick(days=3)
    own = Evidence("claude", "bbb222", 4, 4, "the lift goes down to 1.8 A", Trust.USER, clock())
    memory.add(replace(Draft(Primitive.DECISION, "Lift motor goes down to 1.8 A"), evidence=(own,)))
    session("bbb222", "The gearbox came", "Committed “lift motor: limit 1.8 A”: left as it is")

    told = ask("what is the limit of the lift motor?").text

    assert told.startswith("Lift motor goes down to 1.8 A"), told
    assert "left as it is" not in told


def test_why_a_value_is_so_is_not_told_of_another_value(ask, keep):
    keep("Retry pause is 900 ms", "The scale needs a moment, otherwise it answers twice.")

    assert not ask("why is the retry pause 200 ms?").supported
    assert ask("why is the retry pause 900 ms?").supported


def test_the_bare_value_of_a_later_session_is_told_with_what_was_kept(ask, keep, session, clock):
    keep("The winch needs a heartbeat on the bus, it stops when it sees none for 200 ms")
    clock.tick(days=3)
    session("bbb222", "Heartbeat timeout 700 ms", "Ran it for a day")
    session("ccc333", "Heartbeat of the pump 9000 ms", "Ran it for a day")

    told = ask("what is the heartbeat timeout on the bus?").text

    assert "200 ms" in told and "since then: 2026-02-23: Heartbeat timeout 700 ms" in told and "9000" not in told
