"""What later words refuse, or show to be no cause, is told neither as what happened nor as why."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.verdicts import confirms, leaves_fault, refuses, without_left_out
from lerim.sources.trace import Event, Happening, Line, ToolCall, ToolResult

from .test_summary import agent, edited, ran, session, user

_ASKED = user("the oven of line 2 trips at night, can we make it more tolerant")


@pytest.mark.parametrize(
    "said",
    [
        "no!! the door alarm keeps its 40",
        "no, 40",
        "nope, thats another part",
        "nah leave that one",
        "nein, das bleibt",
        "non surtout pas",
        "wait, no. put it back",
        "no we keep 40 there",
        "undo that please",
        "wrong, that one is certified",
    ],
)
def test_a_no_refuses_what_was_said_right_before(said: str):
    assert refuses(said)


@pytest.mark.parametrize(
    "said",
    [
        "no problem, go on",
        "no errors now, nice",
        "no idea, check the log",
        "no worries",
        "no thanks needed",
        "no longer trips, great",
        "nothing to add",
        "not bad at all",
        "notes are in docs/",
        "never mind the typo, looks good",
        "no that works",
    ],
)
def test_other_words_with_a_no_refuse_nothing(said: str):
    assert not refuses(said)


@pytest.mark.parametrize(
    ("plan", "refusal"),
    [
        ("I raise the trip delay to 90 s, and set the door alarm to 90 s too.", "no! the door alarm keeps its 40"),
        ("I set the door alarm to 90 s as well so both agree.", "no, 40 for the alarm, thats a different part"),
        ("Der Türalarm steht jetzt auch auf 90 s.", "nein, der bleibt bei 40, das ist was anderes"),
        ("I keep the samples in a `malloc` buffer so the size can be set later.", "no, never on the heap in the loop!"),
        ("The door alarm is 90 s now.", "nope. that one is certified, leave it"),
    ],
)
def test_what_the_user_refuses_next_is_not_told_as_happened(plan: str, refusal: str):
    body = summarize(
        session(
            _ASKED,
            edited("/w/shop/oven.c"),
            agent(plan),
            user(refusal),
            edited("/w/shop/oven.c"),
            agent("The trip delay alone is longer now."),
            user("and write a line in the change list"),
            edited("/w/shop/CHANGES"),
            agent("The change list has it."),
        )
    ).body

    assert "90 s" not in body
    assert "malloc" not in body


def test_what_stands_before_a_refused_plan_and_beside_an_answered_question_stays():
    body = summarize(
        session(
            user("clamp the current of the winch"),
            edited("/w/shop/winch.c"),
            agent("Clamped at 2100 mA in the driver. I write the figures into a table on the heap."),
            user("no, no heap in there"),
            edited("/w/shop/winch.c"),
            agent("The watchdog fires after 40 ms now. Shall I also cut the brake?"),
            user("no, the brake is somebody else's"),
            agent("The brake stays."),
            user("and log the current twice a second"),
            edited("/w/shop/log.c"),
            agent("The current is logged twice a second."),
        )
    ).body

    assert "2100 mA" in body
    assert "40 ms" in body
    assert "figures into a table" not in body


def test_a_plan_whose_call_was_refused_did_not_come_about():
    call = ToolCall(text='{"file_path":"/w/shop/a.msg"}', tool="Edit", call="x1")
    body = summarize(
        session(
            user("send the moisture to the panel"),
            agent("I add a field `raw` to the message and a sender to the bridge."),
            call,
            ToolResult(text="refused", call="x1", ok=False),
            Event(text="", kind=Happening.REJECTED),
            user("the messages belong to Odile, ask her first. send what fits"),
            edited("/w/shop/bridge.py"),
            agent("Only the moisture is sent."),
            user("good, commit"),
            ran("git commit -m 'send the moisture'"),
            agent("Committed."),
        )
    ).body

    assert "field `raw`" not in body


_FAULT = user("the winch loses its position every few hours, why?")
_CLAIM = agent("Found it: the root cause is the brake relay. Its contact bounces for 8 ms.")


@pytest.mark.parametrize(
    "refuted",
    [
        (user("still loses it, the relay makes no difference"), agent("I look on.")),
        (user("nope not that"), agent("I look on.")),
        (user("same thing with a new relay"), agent("I look on.")),
        (user("didnt help"), agent("I look on.")),
        (user("ok try it"), agent("The test lost 3 of 40 positions, so the new relay didn't do it.")),
        (user("go on"), agent("I measured it: the relay is not to blame.")),
        (user("bleibt dabei, das war es nicht"), agent("Ich suche weiter.")),
        (user("toujours pareil avec un autre relais"), agent("Je cherche encore.")),
        (user("sigue igual"), agent("Busco más.")),
    ],
)
def test_a_cause_that_turned_out_to_be_none_is_not_told(refuted: tuple[Line, ...]):
    body = summarize(
        session(
            _FAULT,
            edited("/w/shop/winch.c"),
            _CLAIM,
            *refuted,
            agent("The BOM has no R9. So the encoder's line floats and counts noise."),
            user("yes!! soldered it in, thats it"),
            edited("/w/shop/winch.c"),
            agent("The counter has a filter now."),
            user("commit it"),
            ran("git commit -m 'winch: filter the counter'"),
            agent("Committed."),
        )
    ).body

    assert "brake relay" not in body
    assert "bounces" not in body
    assert "didn't do it" not in body
    assert "Cause (agent): The encoder's line floats" in body


@pytest.mark.parametrize(
    "reply", ["ok, swap it in the code", "that was it, thanks", "how did you find that. great", "works"]
)
def test_a_cause_that_nobody_refuted_stays(reply: str):
    body = summarize(
        session(
            _FAULT,
            edited("/w/shop/winch.c"),
            _CLAIM,
            user(reply),
            edited("/w/shop/winch.c"),
            agent("The contact is debounced now."),
            user("another thing: the lamp still blinks in red at the gate, make it green"),
            edited("/w/shop/lamp.c"),
            agent("The lamp is green."),
        )
    ).body

    assert "brake relay" in body


def test_a_fault_that_stays_is_known_and_what_is_still_to_do_is_none():
    assert all(map(leaves_fault, ("still drops", "makes no diffrence", "hängt immer noch", "not that either")))
    assert not any(map(leaves_fault, ("still missing for 2.1: the gauge", "still good", "runs. still to do: docs")))
    assert confirms("yes!! changed the fuse, thats it") and not confirms("yes! but it still trips")


# --- what was chosen without a part, given up, or only asked about ---------------------------------------------------


@pytest.mark.parametrize(
    ("offered", "reply", "left"),
    [
        ("Ring twice, then mail the keeper; and cut the power of the row", "3 but without the power cut", "Ring twice"),
        ("Redis with a fallback to disk", "1 without the fallback, disks are slow there", "Redis"),
        ("a table for the tides and an index on the harbour", "b, but no index please", "a table for the tides"),
        ("nachts sichern; danach die alten Stände löschen", "2 aber ohne löschen", "nachts sichern"),
        ("un export chaque nuit et un mail au gardien", "la 2 mais sans le mail", "un export chaque nuit"),
    ],
)
def test_a_way_is_told_without_what_it_was_taken_without(offered: str, reply: str, left: str):
    told = without_left_out(offered, reply)

    assert told.startswith(left)
    assert not any(word in told for word in ("power", "fallback", "index", "löschen", "mail au"))


@pytest.mark.parametrize("reply", ["2 but not now", "2 without doubt", "2, but no rush", "2"])
def test_a_way_stays_whole_where_nothing_of_it_is_left_out(reply: str):
    assert without_left_out("Ring twice; mail the keeper", reply) == "Ring twice; mail the keeper"


def test_what_was_refused_of_a_way_stands_in_no_summary():
    body = summarize(
        session(
            user("what happens when a lamp of the row fails"),
            agent(
                "Ways:\n\n1. log it\n2. ring, then mail the keeper; and cut the power of the row\n3. nothing\n\nWhich?"
            ),
            user("2 but without cutting the power, the boats need the others"),
            edited("/w/shop/lamp.c"),
            agent("It rings and mails the keeper."),
        )
    ).body

    assert "cut the power" not in body.lower()
    assert "without cutting the power" in body


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ok i give up for today, leave the signing out, we ship by hand for the fair", "Leave the signing out"),
        ("we give up here. the old loader stays until spring", "The old loader stays until spring"),
        ("park the branch, we look at it after the fair", "Park the branch"),
        ("ich geb's auf für heute, wir liefern ohne Signatur", "Wir liefern ohne Signatur"),
        ("j'abandonne, on livre sans signature", "On livre sans signature"),
        ("i give up for today", "Get the signed image to build"),
    ],
)
def test_what_was_given_up_is_not_done(said: str, told: str):
    body = summarize(
        session(
            user("get the signed image to build"),
            edited("/w/shop/west.yml"),
            ran("make image", "key not found", 1),
            agent("I would try another path next."),
            user(said),
            ran("git stash"),
            ran("git checkout -q main"),
            agent("Parked; main builds as before."),
        )
    ).body

    assert "**Outcome:** Done" not in body
    assert told.lower() in body.partition("**Open:**")[2].lower()


@pytest.mark.parametrize(
    "said", ["the client gives up after 3 tries, fine", "we give up the lock before we write", "dont give up :)"]
)
def test_what_a_program_gives_up_is_not_given_up_by_the_user(said: str):
    body = summarize(session(user("make the upload retry"), edited("/w/shop/up.c"), agent("It retries."), user(said)))

    assert "Given up" not in body.body


@pytest.mark.parametrize(
    "asked",
    [
        "the burn-in, 36 h before each delivery is what we wrote down, correct?",
        "is the burn-in 36 h before each delivery?",
        "der Einbrenntest dauert 36 h, oder?",
    ],
)
def test_a_question_how_it_is_keeps_its_own_value(asked: str):
    body = summarize(
        session(
            user("merge the loader"),
            ran("git merge loader"),
            agent("Merged."),
            user(asked),
            agent("Yes, `docs/delivery.md` says 36 h."),
            user("make that 12 h, nothing ever failed later"),
            edited("/w/shop/docs/delivery.md"),
            agent("`docs/delivery.md` says 12 h."),
        )
    ).body

    assert "12 h (first 36 h) before" not in body and "12 h (first 36 h), oder" not in body
    assert "12 h" in body
