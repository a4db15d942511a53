"""A cause that was found and borne out waits for review, and tells its effect; what went wrong is no decision."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import Primitive
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Extraction, Tier
from lerim.ingest.signals.causes import asked_cause, cause_told, reports_fault, tells_cause
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.text import topics
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

FAULTS = (
    "the ferry gate hangs forever when two cards are read at once, have to pull the plug",
    "there are white stripes between the panels, they are missing a row each",
    "half of the labels are truncated since friday",
    "the importer dies with a timeout on the old boxes, only there",
    "der kessel zeigt falsche temperaturen, 3 grad zu hoch",
    "la vanne du bassin s'ouvre deux fois par nuit",
    "Ward 5 complains: the night hours are wrong in the sheet",
)
NO_FAULTS = (
    "never more than 40 labels on a sheet, the printer jams and the last ones are lost",
    "no tar as delivery format, the old readers fail on it",
    "audio only as opus, mp3 is too big",
    "ab jetzt drucken wir die pläne am montag",
    "kein dask, der scheduler ist zu langsam",
    "rows should be sorted by date, the wrong order confuses people",
    "keep the broken labels for a year",
)
#: What went wrong, the cause as the agent tells it, what it says when it is mended, what the user says to the cause.
FOUND = (
    (
        "the gate server hangs forever when a card is read twice, have to kill it",
        "It is not the network. The hang comes from the card lock: `release()` is called while it is held.",
        "The lock is reentrant now. 5 tests pass.",
        "great catch!! do that for the door lock too",
        "card lock",
    ),
    (
        "there are white stripes between the panels at low zoom. why",
        "The stripes come from the preview: it is averaged before the mask is set.",
        "Stripe pixels went from 812 to 0.",
        "wow. add a test for it",
        "averaged before the mask",
    ),
    (
        "jobs die with a timeout on the new boxes, only there. worked before",
        "Found it: `POOL_SIZE` is not set, so each job opens 400 connections on a box with many cores.",
        "Both test jobs completed.",
        "wow ok. set POOL_SIZE to 20 in all templates",
        "connections",
    ),
    (
        "der kessel zeigt falsche temperaturen, 3 grad zu hoch. woran liegts?",
        "Ursache gefunden: Der Fühler ist ein PT1000, der Code rechnet mit der Kennlinie eines PT100.",
        "Alle 4 Tests laufen durch.",
        "ja genau, das war's! bitte fixen",
        "PT1000",
    ),
    (
        "pourquoi la vanne du bassin s'ouvre deux fois par nuit ?",
        "La cause : le planificateur tourne dans deux conteneurs, et chacun ouvre la vanne.",
        "Un seul conteneur planifie, 8 tests passent.",
        "ah oui c'était ça, merci",
        "conteneurs",
    ),
    (
        "publish fails since yesterday, pls look",
        "The cause: publish and swap lock the same rows in another order, so two workers wait for each other.",
        "Both lock by key now; 22 tests pass.",
        "yes! do that everywhere we write rows in bulk",
        "another order",
    ),
)


@pytest.mark.parametrize("text", FAULTS)
def test_what_goes_wrong_is_a_report(text: str) -> None:
    assert reports_fault(text)


@pytest.mark.parametrize("text", NO_FAULTS)
def test_who_rules_reports_no_fault(text: str) -> None:
    assert not reports_fault(text)


@pytest.mark.parametrize("text", FAULTS)
def test_a_report_is_neither_sure_nor_a_decision(talk: Talk, text: str) -> None:
    found = _read(talk(("user", text), ("agent", "I will look at the module and its tests. " * 30), ("user", "thx")))

    assert not found.candidates
    assert Primitive.DECISION not in {one.primitive for one in found.review}


@pytest.mark.parametrize(("fault", "cause", "mended", "reply", "point"), FOUND)
def test_a_cause_that_was_mended_or_confirmed_waits_and_its_symptom_does_not(
    talk: Talk, fault: str, cause: str, mended: str, reply: str, point: str
) -> None:
    session = (("user", fault), ("failed", "1 failed"), ("agent", cause), ("user", reply), ("tool", "ok"))
    found = _read(talk(*session, ("agent", mended), ("user", "thx")))

    (told,) = [one for one in _all(found) if point in one.title]
    assert (Tier.REVIEW, Primitive.LEARNING) == (told.tier, told.primitive)
    assert not [one for one in _all(found) if one is not told and fault[:20].lower() in one.title.lower()]


@pytest.mark.parametrize(
    ("after", "is_fixed"),
    [
        ((("tool", "12 passed"), ("agent", "It counts from 0 now. All 12 tests pass.")), True),
        ((("agent", "I would change the driver, if you want."),), False),
    ],
)
def test_a_fault_that_was_mended_at_once_is_told_as_fixed(
    talk: Talk, after: tuple[tuple[str, str], ...], is_fixed: bool
) -> None:
    """Whoever reads of it later must not take it for how things are."""
    session = (
        ("user", "the shelf labels come out blank since monday. find out why"),
        ("failed", "1 failed"),
        ("agent", "Root cause: the ribbon table starts at 0 and the driver counts from 1."),
    )
    found = _read(talk(*session, *after, ("user", "ah, that was it, thanks")))

    (told,) = [one for one in _all(found) if "ribbon table" in one.title]
    assert told.title.endswith(" (fixed)") == is_fixed


def test_a_cause_without_its_effect_is_led_by_it(talk: Talk) -> None:
    found = _read(
        talk(
            ("user", "labels come out blank since monday. find out why"),
            ("failed", "1 failed"),
            ("agent", "Root cause: the ribbon table starts at 0 and the driver counts from 1."),
            ("user", "that was it, thanks"),
        )
    )

    assert ["Labels come out blank: the ribbon table starts at 0 and the driver counts from 1"] == [
        one.title for one in _all(found)
    ]


def test_a_cause_that_was_only_asked_about_and_confirmed_is_told_as_one(talk: Talk) -> None:
    found = _read(
        talk(
            ("user", "the cranes log each move twice, find out why"),
            ("tool", "812"),
            ("agent", "Could it be that the controller sends each move again when the answer is late?"),
            ("user", "yes that was it"),
            ("agent", "Then the answer has to go out earlier."),
        )
    )

    (told,) = _all(found)
    assert told.title.endswith("the controller sends each move again when the answer is late")


@pytest.mark.parametrize(
    ("cause", "reply"),
    [
        ("Maybe the stripes come from the preview, let me check.", "ok"),
        ("The stripes come from the preview: it is averaged too early.", "no, thats not it. they are in the raw file"),
        ("It is not the preview.", "ok"),
    ],
)
def test_a_guess_and_what_is_doubted_are_no_cause(talk: Talk, cause: str, reply: str) -> None:
    session = (("user", "there are white stripes in the viewer. why"), ("tool", "ok"), ("agent", cause))
    found = _read(talk(*session, ("user", reply), ("tool", "ok"), ("agent", "All 4 tests pass.")))

    assert not [one for one in _all(found) if "preview" in one.title]


@pytest.mark.parametrize(
    ("reported", "asked", "cause"),
    [
        (
            "the kiosk screen is broken since the update, nothing shows up",
            "now look at why the nightly export job was refused",
            "Root cause confirmed: the upload token of the export had expired on Sunday. Renewed.",
        ),
        (
            "the greenhouse fan hangs at every start",
            "write the seed list as csv and say what was off with it",
            "The cause: the seed list is sorted by `sown_at`, and two rows have no date.",
        ),
    ],
)
def test_a_cause_is_not_told_of_what_was_reported_before_and_is_something_else(
    talk: Talk, reported: str, asked: str, cause: str
) -> None:
    found = _read(
        talk(
            ("user", reported),
            ("tool", "ok"),
            ("agent", "I put the old version back, it runs again."),
            ("user", asked),
            ("failed", "1 failed"),
            ("agent", cause),
            ("tool", "ok"),
            ("agent", "12 tests pass now."),
            ("user", "great, that was it"),
        )
    )
    told = [one for one in _all(found) if one.title and topics(one.title) & topics(cause)]
    assert told
    assert not [one for one in told if topics(one.title) & topics(reported)]


def test_a_cause_is_joined_to_the_report_that_it_speaks_of(talk: Talk) -> None:
    found = _read(
        talk(
            ("user", "the greenhouse fan hangs at every start"),
            ("agent", "Which controller is it?"),
            ("user", "the new one with the display"),
            ("failed", "1 failed"),
            ("agent", "Root cause, and it's on me: `boot()` waits for the fan before its relay is on."),
            ("tool", "ok"),
            ("agent", "12 tests pass now."),
            ("user", "great, that was it"),
        )
    )
    (told,) = [one.title for one in _all(found) if "relay" in one.title]
    assert told == "The greenhouse fan hangs at every start: `boot()` waits for the fan before its relay is on (fixed)"


@pytest.mark.parametrize(
    "cause", ["Root cause confirmed: line 40: `while (queue.open) {`", "Found it. The cause is this line:"]
)
def test_a_line_of_code_is_no_cause(cause: str) -> None:
    assert not cause_told(cause)


def test_causes_are_told_as_facts() -> None:
    assert tells_cause("The delay comes from the mirror: it is synced twice.")
    assert tells_cause("Das liegt am Cache.") and tells_cause("Das Problem kommt von der alten Kennlinie.")
    assert not tells_cause("The delay probably comes from the mirror.")
    assert not tells_cause("I moved the mirror into its own module.")
    assert "the ack is late" == asked_cause("Could it be that the ack is late?")
    assert "" == asked_cause("Could you restart it?")


def _read(transcript: Transcript) -> Extraction:
    return extract(transcript, EmbeddedEngine())


def _all(found: Extraction) -> list[Candidate]:
    return [*found.candidates, *found.review]


#: The cause that was told, what the user rules on it, and what is kept.
_KEPT_SO = (
    (
        "The pump starts. The cause was `DRY_RUN_GUARD = OFF`: the relay never got a signal. It is ON now.",
        "yes that was it. it has to stay ON, dont let the wizard reset it",
        "DRY_RUN_GUARD has to stay ON, don't let the wizard reset it",
    ),
    (
        "It builds. The cause was STRIP_SYMBOLS = YES: the linker refuses it. It is NO now.",
        "right, that was the reason. it must stay NO",
        "STRIP_SYMBOLS must stay NO",
    ),
    (
        "The import is fast again. The cause was `chunk_rows: 1`: each row got its own commit. I set it to 400.",
        "great, thats it. keep it at 400",
        "Keep chunk_rows at 400",
    ),
    (
        "Es läuft wieder. Ursache: `strictMode = false`, deshalb kamen leere Felder durch. Jetzt steht es auf true.",
        "ja genau das war's. es muss auf true bleiben",
        "strictMode muss auf true bleiben",
    ),
)
_NOT_KEPT_SO = (
    "yes that was it. keep it simple",
    "perfect. the label printer of the shop stands in room 4. it has to stay on, always",
    "does it have to stay on?",
)


@pytest.mark.parametrize(("told", "ruled", "title"), _KEPT_SO)
def test_what_a_setting_has_to_stay_stands_for_what_was_wrong(talk: Talk, told: str, ruled: str, title: str) -> None:
    found = _proposed(talk, told, ruled)

    assert [title] == [one.title for one in found]
    assert "Why: " in found[0].body


@pytest.mark.parametrize("ruled", _NOT_KEPT_SO)
def test_what_is_said_of_something_else_is_not_of_the_setting(talk: Talk, ruled: str) -> None:
    assert not [one for one in _proposed(talk, _KEPT_SO[2][0], ruled) if one.title.lower().count("chunk_rows ")]


def _proposed(talk: Talk, told: str, ruled: str) -> list[Candidate]:
    said = (("user", "look at the settings"), ("agent", told), ("user", ruled), ("agent", "OK."), ("user", "thx"))
    done = extract(talk(*said), EmbeddedEngine())
    return [*done.candidates, *done.review]


_TRIPS = "the kiln's relay drops out every night at two, log is in logs/. find out why"
_BRAKE = "Found it: the root cause is the supply of the display. Its 5 V line is too weak for both."
_TRUE = "The list of parts says R12 is not fitted on board B. So the heater's surge pulls the coil down and it lets go."


@pytest.mark.parametrize(
    "reply", ["still drops, the display makes no difference", "nope not that", "same thing without the display"]
)
def test_of_several_causes_only_the_one_that_stands_is_proposed(talk: Talk, reply: str) -> None:
    found = _read(
        talk(
            ("user", _TRIPS),
            ("tool", "ok"),
            ("agent", _BRAKE),
            ("user", reply),
            ("agent", "Then it is noise: the cause is the 2 m cable at the sensor. I put a filter of 5 ms in."),
            ("tool", "2 drops"),
            ("agent", "2 drops in one night, so the filter didn't do it."),
            ("user", "not that either. on the scope 24 V goes down to 15 when the heater starts"),
            ("agent", _TRUE),
            ("user", "yes!! soldered one in by hand, two nights without a drop. thats it"),
            ("agent", "Confirmed then."),
        )
    )
    (told,) = [one for one in _all(found) if one.primitive is Primitive.LEARNING and "R12" in one.title + one.body]

    assert told.is_confirmed and "surge" in told.body
    assert "the user confirmed it" in told.signals
    assert not [one for one in _all(found) if "display" in one.title or "cable" in one.title or "filter" in one.title]
    assert not [one for one in _all(found) if one.title.lower().startswith(("soldered", "still", "same thing"))]


def test_what_worked_is_told_by_what_was_wrong(talk: Talk) -> None:
    found = _read(
        talk(
            ("user", "the label import fails again with font file not found, any idea why?"),
            ("tool", "ok"),
            (
                "agent",
                "A relative path is resolved against the printer's own folder, not against the shop's. So "
                "`fonts/mono.ttf` is looked for in `/opt/printer/fonts`. An absolute path should work.",
            ),
            ("tool", "2 labels"),
            ("agent", "It prints. The cause was the relative path."),
            ("user", "ha, prints, did forty of them, works. push it"),
            ("tool", "ok"),
            ("agent", "Pushed."),
        )
    )

    (told,) = [one for one in _all(found) if "relative path is resolved against the printer's own folder" in one.title]
    assert "`fonts/mono.ttf` is looked for" in told.body
    assert not [one for one in _all(found) if "did forty" in one.title]


def test_a_new_fault_later_refutes_no_cause(talk: Talk) -> None:
    found = _read(
        talk(
            ("user", FOUND[0][0]),
            ("tool", "ok"),
            ("agent", FOUND[0][1]),
            ("user", "ok, fix it"),
            ("tool", "ok"),
            ("agent", "The lock is reentrant now. 5 tests pass."),
            ("user", "next: the colour of the lamp is still wrong in the night mode"),
            ("tool", "ok"),
            ("agent", "The lamp is amber in the night mode."),
        )
    )

    assert [one for one in _all(found) if "card lock" in one.title]


def test_a_yes_to_something_else_confirms_no_earlier_cause(talk: Talk) -> None:
    found = _read(
        talk(
            ("user", "jobs of the night shift vanish from the board, find out why"),
            ("tool", "ok"),
            ("agent", "Found it: the cause is the cache of the board, each entry lives for 60 s only."),
            ("user", "hm, park that. which of the two invoices did the bank refuse?"),
            ("tool", "ok"),
            ("agent", "Number 4411, its sum has three decimals."),
            ("user", "that was it, thanks"),
            ("agent", "You are welcome."),
        )
    )

    assert not [one for one in _all(found) if "the user confirmed it" in one.signals and "cache" in one.title]


@pytest.mark.parametrize(
    "reply", ["no! the door alarm keeps its 40", "no, 40 for that one", "nein, der Türalarm bleibt bei 40"]
)
def test_a_plan_that_was_refused_backs_no_ruling_and_is_none(talk: Talk, reply: str) -> None:
    plan = "The test expects 40 s. I update it, and set the door alarm to 90 s too so that the two agree."
    found = _read(
        talk(
            ("user", "the oven of line 2 trips at night, its cable is 60 m. can we make it more tolerant"),
            ("tool", "max 71 s"),
            ("agent", "The longest gap is 71 s. Options: a second sender, or a longer trip delay."),
            ("user", "longer trip delay, from now on 90 s for all ovens. the inspector is fine with up to 100"),
            ("tool", "1 failed"),
            ("agent", plan),
            ("user", reply),
            ("tool", "ok"),
            ("agent", "The trip delay is 90 s, the door alarm is still 40 s. 6 tests pass."),
        )
    )

    ruled = [one for one in _all(found) if one.quotes[0].text.startswith("longer trip delay")]
    assert ruled and not [quote for one in ruled for quote in one.quotes if "door alarm to 90" in quote.text]
    assert not [one for one in _all(found) if "door alarm to 90" in f"{one.title} {one.body}"]
