"""What the user said and nobody decided on yet: told where no memory answers, marked, and never as a fact."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lerim.context.records import Draft, Evidence, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.dataclass import replace


@pytest.fixture
def note(memory, clock):
    """Let words wait in the review, said now in a session; what they answer stands before them."""

    def note(title: str, *, asked: str = "", session: str = "eee555", trust: Trust = Trust.USER) -> ReviewCandidate:
        own = Evidence("claude", session, 4, 4, title, trust, clock())
        before = (Evidence("claude", session, 3, 3, asked, Trust.AGENT, clock()),) if asked else ()
        said = (f"claude/{session}", "sync-1", Primitive.DECISION, title, f"{title}.", 0.2, clock())
        one = ReviewCandidate(new_review_id(), *said, evidence=(*before, own), trust=trust)
        with memory.target().change("lerim", "sync", "sync-1") as change:
            return ReviewList(change).save_all(one.session, [one])[0]

    return note


def test_what_waits_answers_where_no_memory_does(ask, note):
    one = note("The greenhouse vents open at 26 degrees")

    answer = ask("when do the greenhouse vents open, at what temperature?")

    assert answer.supported
    assert f"[{one.id}, not decided yet]" in answer.text
    assert (one.id,) == tuple(record.id for record in answer.noted)
    assert not answer.sources


def test_it_rests_on_the_summary_of_its_session(ask, note, memory, clock):
    draft = Draft(Primitive.SUMMARY, "Look after the vents", "**Outcome:** Done.").record(clock())
    with memory.target().change("lerim", "sync") as change:
        summary = change.create(replace(draft, coding_agent="claude", run_id="eee555", date="2026-02-19", time="08:00"))
    note("The greenhouse vents open at 26 degrees")

    assert {(summary.id,)} == {sentence.ids for sentence in ask("when do the greenhouse vents open?").sentences}


def test_what_holds_answers_alone_unless_it_was_said_otherwise(ask, keep, note, clock):
    keep("Pump pressure is limited to 4 bar")
    clock.tick(days=2)
    note("Pump pressure gauges are checked in spring", session="aaa111")

    assert "not decided" not in ask("what is the pump pressure limited to?").text

    later = note("Pump pressure is limited to 6 bar", session="bbb222")
    told = ask("what is the pump pressure limited to?").text

    assert told.startswith("Pump pressure is limited to 4 bar")
    assert f"“Pump pressure is limited to 6 bar” ({later.id})" in told


def test_the_last_of_two_that_wait_is_told_first(ask, note, clock):
    note("Irrigation runs for 20 minutes", session="aaa111")
    clock.tick(days=3)
    note("Irrigation runs for 35 minutes", session="bbb222")

    told = ask("how long does the irrigation run?").text

    assert told.index("35 minutes") < told.index("20 minutes")


def test_only_the_users_own_words_are_told(ask, note):
    note("The greenhouse vents open at 26 degrees", trust=Trust.AGENT)

    assert not ask("when do the greenhouse vents open?").supported


def test_what_was_rejected_or_is_of_another_thing_is_not_told(ask, note):
    note("The greenhouse vents open at 26 degrees")

    assert not ask("when does the garage door open?").supported
    assert not ask("who opens the greenhouse vents?").supported


def test_nothing_that_waits_is_told_of_the_past(ask, note, clock):
    note("The greenhouse vents open at 26 degrees")

    assert not ask("when do the greenhouse vents open?", as_of=clock() + timedelta(days=1)).supported


def test_a_choice_is_told_to_who_asks_what_it_was_a_choice_of(ask, note):
    note("Loki, on our own box", asked="For the search of logs: Elastic Cloud, Loki, or none?")

    assert "Loki, on our own box" in ask("what do we use for the search of logs?").text


def test_a_reason_that_waits_is_given(ask, note):
    note("Ship the firmware on mondays, the lab is empty on fridays")

    assert "the lab is empty" in ask("why do we ship the firmware on mondays?").text
    assert not ask("why do we ship the manuals by mail?").supported


def test_what_may_be_is_told_by_what_was_ruled(ask, keep):
    keep("The nightly job sends a dataframe through Celery")
    keep("Never put files through Celery, only paths")

    assert ask("what may be sent through Celery?").text.startswith("Never put files through Celery")


def test_a_password_is_no_key(ask, keep):
    keep("The key of svc_tides is rotated every spring")

    assert not ask("what is the password of svc_tides?").supported


def test_a_region_is_known_by_its_name(ask, note):
    note("All workers go to eu-north-1, the port authority wants that")

    assert "eu-north-1" in ask("which region do the workers run in?").text


def test_a_value_is_the_one_that_goes_by_its_name(ask, note):
    note("Lock keys are changed every 30 days by the vendor")
    note("Lock timeout 8 seconds and 3 tries")

    assert "8 seconds" in ask("lock timeout").sentences[0].text


@pytest.mark.parametrize("question", ["whats our mooring fee thing again", "what's our mooring fee again?"])
def test_what_only_fills_a_question_is_not_looked_for(ask, keep, question):
    keep("The mooring fee is 12 euros a night")

    assert "12 euros" in ask(question).text
