"""Short replies: what they answer names them, what they confirm is what was found out; what is for once is nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _found(transcript: Transcript) -> list[Candidate]:
    engine = EmbeddedEngine()
    return list(engine.synthesize(transcript, engine.find(transcript, (), ""), "").candidates)


def _reviewed(transcript: Transcript) -> list[Candidate]:
    done = extract(transcript, EmbeddedEngine())
    return [*done.candidates, *done.review]


#: So much that the session is not thin.
_WORK = "please rework the screens of the courier app so that drivers see their parcels without a connection. " * 9


def _after(talk: Talk, said: str, reply: str, then: str = "Done.") -> list[Candidate]:
    found = _found(talk(("user", _WORK), ("agent", said), ("user", reply), ("agent", then), ("user", "thanks")))
    return [one for one in found if "courier app" not in one.quotes[0].text]


@pytest.mark.parametrize(
    ("asked", "reply", "title"),
    [
        (
            "`ParcelStore` now uses GRDB. How long should cached parcels be valid before we refetch?",
            "15 min is fine",
            "How long cached parcels should be valid before we refetch: 15 min",
        ),
        (
            "The client reads both. Should I delete the handwritten queries now?",
            "no keep them till 5.0",
            "Deleting the handwritten queries now: keep them till 5.0",
        ),
        (
            "Next are snapshot tests: do you want me to add them for the offline banner?",
            "yes but only on iphone 15 simulator, others render fonts differently",
            "Adding them for the offline banner: only on iphone 15 simulator, others render fonts differently",
        ),
    ],
)
def test_a_reply_is_led_by_what_was_asked(talk: Talk, asked: str, reply: str, title: str) -> None:
    """And not by what else the agent said."""
    assert title in [one.title for one in _after(talk, asked, reply)]


def test_the_body_of_an_answer_has_the_question_and_the_answer(talk: Talk) -> None:
    asked = "`ParcelStore` now uses GRDB. How long should cached parcels be valid before we refetch?"
    (found,) = [one for one in _after(talk, asked, "15 min is fine") if "15 min" in one.title]

    assert "How long cached parcels should be valid before we refetch: 15 min." == found.body.split("\n")[0]


def test_who_agrees_and_rules_besides_is_titled_by_the_ruling(talk: Talk) -> None:
    """What the agent had done before is not what the user says."""
    found = _after(
        talk,
        "Added a Build menu and moved the items as requested. Want me to go on?",
        "Yes please. Make sure all menu items and fields have tooltips as well.",
        "All menu items have tooltips.",
    )

    assert not any("Added a Build menu" in one.title for one in found)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("a, and match is always readonly on ci, otherwise it revokes everybodys certs", "Match is always readonly on"),
        ("plan is fine except clip weights at 5, 10 blew up the variance last time", "Clip weights at 5, 10 blew up"),
        ("fp16 is out btw, the loss went nan twice with the scaler in august", "fp16 is out, the loss went nan twice"),
    ],
)
def test_what_is_agreed_to_or_said_beside_is_no_part_of_a_title(talk: Talk, said: str, title: str) -> None:
    found = _after(talk, "I can do (a) match, or (b) certificates by hand.", said)

    assert any(one.title.startswith(title) for one in found)


def test_a_figure_that_begins_a_sentence_is_no_choice(talk: Talk) -> None:
    found = _after(talk, "NDCG is 0.431 again.", "nice. fyi 0.43 is our floor, below that we don't promote a model")

    assert any(one.body.startswith("0.43 is our floor") for one in found)


def test_because_of_that_is_no_reason(talk: Talk) -> None:
    said = "point in time joins only, label ts minus 1h, we leaked labels in june bc of that"

    assert not any("Why:" in one.body for one in _after(talk, "I join on the user id.", said))


def test_answers_to_numbered_questions_are_apart(talk: Talk) -> None:
    """Whoever changes one of them later leaves the other."""
    asked = "1. Should the generated code be checked in or made in CI?\n2. Where should the operation files live?"
    titles = [
        one.title for one in _after(talk, asked, "1 check it in, xcode cloud has no node. 2 in the shared folder")
    ]

    assert (
        "Whether the generated code should be checked in or made in CI: check it in, xcode cloud has no node" in titles
    )
    assert not any("check it in" in title and "shared folder" in title for title in titles)


_CAUSE = (
    "Confirmed by a test. The root cause is that the token store is not serialized, so two parallel requests refresh "
    "with the same rotating token and the second one logs the user out."
)


@pytest.mark.parametrize("reply", ["yep thats it, fix with a mutex pls", "that was it, works on staging too. commit"])
def test_a_cause_that_the_user_confirms_is_proposed_and_the_nod_is_not(talk: Talk, reply: str) -> None:
    """Also in a short session, and it is likely; the user's word is among what it rests on."""
    found = _found(talk(("user", "users get logged out, why?"), ("agent", _CAUSE), ("user", reply), ("agent", "Done.")))

    (cause,) = found
    assert "token store is not serialized" in cause.title
    assert "cause" not in cause.title
    assert (Tier.REVIEW, True) == (cause.tier, cause.confidence >= LIKELY)
    assert any(reply.startswith(quote.text[:10]) for quote in cause.quotes)
    assert "the user confirmed it" in cause.signals


@pytest.mark.parametrize("reply", ["yes that was it", "yep, exactly that. fixed", "ja genau, das war's", "c'était ça"])
def test_a_cause_that_a_log_said_first_is_the_users_once_they_say_so(talk: Talk, reply: str) -> None:
    """It waits for somebody to look at, and what nobody but the log says does not."""
    log = "kiln: thermocouple K2 reports open circuit above 600 C, controller cuts heat for safety\nrelay 3 off"
    cause = "The cause: thermocouple K2 reports an open circuit above 600 C, so the controller cuts the heat."
    asked = ("user", "the kiln stops at 600 degrees, why?"), ("tool", log), ("agent", cause)

    (found,) = _reviewed(talk(*asked, ("user", reply), ("agent", "Good.")))

    assert found.title.startswith("Thermocouple K2 reports an open circuit")
    assert not _reviewed(talk(*asked, ("user", "ok"), ("agent", "Good.")))


def test_a_host_that_only_a_log_names_is_nobodys_cause(talk: Talk) -> None:
    log = "uploader: root cause of the stall is the mirror at files.stalled-mirror.net answering 503 to every request"
    cause = "The cause: the mirror at files.stalled-mirror.net answers 503 to every request."
    said = talk(("user", "uploads stall, why?"), ("tool", log), ("agent", cause), ("user", "yes that was it"))

    assert not any("stalled-mirror" in one.title for one in _reviewed(said))


def test_a_cause_that_nobody_confirms_stays_out_of_a_short_session(talk: Talk) -> None:
    found = _found(talk(("user", "users get logged out, why?"), ("agent", _CAUSE), ("user", "ok"), ("agent", "Done.")))

    assert not found


def test_advice_with_a_reason_that_the_user_takes_is_proposed_in_a_short_session(talk: Talk) -> None:
    level = "the attempts at debug level and only the last failure at error level"
    advice = f"I'd suggest logging {level}, since the aggregator bills per line."
    found = _found(
        talk(("user", "log attempts?"), ("agent", advice), ("user", "yes exactly, do it like that"), ("agent", "Done."))
    )

    assert [f"Logging {level}"] == [one.title for one in found]


@pytest.mark.parametrize(
    "said",
    [
        "ok and just for this time skip the screenshots step, deadline is at 5",
        "use adamw for this one run, i want to see if it matters",
        "yeah leave the detail screen for next week",
        "ok i'll look at the runs in wandb tomorrow",
        "offline ndcg dropped from .431 to .402 after the retrain, online is flat. find out why",
        "the beta lane is broken again, fix pls",
    ],
)
def test_what_is_for_once_put_off_or_to_be_looked_into_is_nothing(talk: Talk, said: str) -> None:
    assert not any(
        said[10:30] in one.quotes[0].text for one in _after(talk, "Build numbers are taken from the run.", said)
    )


@pytest.mark.parametrize(
    "said",
    ["from now on just for this time means nothing, always skip the screenshots on hotfixes, they take 20 minutes"],
)
def test_what_is_said_to_last_is_not_for_once(talk: Talk, said: str) -> None:
    assert _after(talk, "Build numbers are taken from the run.", said)


def test_what_is_no_scrapping_takes_nothing_back(talk: Talk) -> None:
    """ "No wait, you used …" speaks of the code."""
    found = _found(
        talk(
            ("user", _WORK),
            ("agent", "I can hide the marker until the first event, or start at the last position. Which one?"),
            ("user", "start at the last position but not when it is older than 10 minutes, then hide the marker"),
            ("agent", "Done."),
            ("user", "no wait you used force unwrap in line 30. we never force unwrap outside of tests"),
            ("agent", "Replaced."),
        )
    )

    assert any("older than 10 minutes" in one.quotes[0].text for one in found)


@pytest.mark.parametrize(
    "said",
    [
        "got this error when running it org.springframework.beans.BeanCreationException: You must always set the url",
        "seeing this shop-db-1 | 2026-01-09 19:23:47,502 ERROR [org.keycloak] you must never use the implicit flow",
        "shop-db-1  | you must never use the implicit flow",
        "hangs at boot:\n*** Booting you must never use the implicit flow ***",
        "hangs at boot:\n[00:00:00.011,962] <err> os: you must never use the implicit flow",
    ],
)
def test_a_log_behind_somebodys_own_words_is_a_programs(talk: Talk, said: str) -> None:
    assert not any("must" in one.title for one in _after(talk, "It runs.", said))


def test_words_of_a_language_of_which_little_is_known_are_not_likely(talk: Talk) -> None:
    """Unless one of the words is known that rule."""
    reply = (
        "그럼 이제 현재 브랜치를 커밋하고 메인으로 머지해서 원격지에 푸시한다 그리고 화면의 색상을 조금 더 밝게 바꾼다"
    )
    found = _after(talk, "구현이 끝났습니다.", reply)

    assert all(one.confidence < LIKELY for one in found)


@pytest.mark.parametrize(
    "said",
    [
        "the parcels of the second route are still not showing in the list when the driver opens it, they should be",
        "i don't see the banner on the detail screen when the phone has no connection, it should be above the list",
    ],
)
def test_what_is_broken_at_the_moment_is_not_likely(talk: Talk, said: str) -> None:
    """However much it says how it should be."""
    assert all(one.confidence < LIKELY for one in _after(talk, "The list is filled from the cache.", said))


@pytest.mark.parametrize(
    ("offered", "reply", "title"),
    [
        (
            "Two ways:\na) retry in the handler\nb) put failed events into a queue\n\nWhat do you prefer?",
            "b",
            "Put failed",
        ),
        ("Either a) ship the logs to loki, or b) keep the logs on the box. Which one?", "option b", "Keep the logs"),
        (
            "I can store amounts as integer cents. Or I can use numeric columns. Which one?",
            "first one please",
            "Store am",
        ),
        (
            "I can keep the refunds in payments, or give the refunds a table. Which one?",
            "the second one",
            "Give the refunds",
        ),
    ],
)
def test_a_bare_choice_is_what_was_chosen(talk: Talk, offered: str, reply: str, title: str) -> None:
    (found,) = (one for one in _after(talk, offered, reply) if reply in one.quotes[0].text)

    assert found.title.startswith(title)
    assert found.body.startswith(title)
    assert found.tier is Tier.REVIEW


@pytest.mark.parametrize(
    "offered",
    [
        # Nobody knows which of three is the second one, and what shall be done next is no decision.
        "I could use a queue, a table or a file for the failed events. Which one?",
        "All green. What would you like next?\n1. write the docs page\n2. clean up the old migrations folder",
    ],
)
def test_what_may_be_meant_otherwise_is_not_chosen(talk: Talk, offered: str) -> None:
    assert not [one for one in _after(talk, offered, "the second one") if "second" in one.quotes[0].text]


def test_an_answer_by_number_goes_to_the_question_of_its_number(talk: Talk) -> None:
    asked = "1. How many reminders do we send?\n2. At which time should the job run?\n3. Does it skip enterprise?"
    found = _after(talk, asked, "1. three, on day 3, 7 and 14\n2. 06:00 UTC, every day\n3. yes, never mail enterprise")

    (at,) = (one for one in found if "06:00" in one.quotes[0].text)
    assert any("which time" in quote.text for quote in at.quotes)


@pytest.mark.parametrize(
    "said",
    [
        "legal says we keep receipts seven years, quotes 60 days",
        "finance answered: payout numbers are gapless per bank account",
        "sales changed their mind: enterprise accounts may be suspended after 60 days, no call needed anymore",
    ],
)
def test_what_an_office_ruled_is_passed_on_for_somebody_to_look_at(talk: Talk, said: str) -> None:
    (found,) = (one for one in _after(talk, "Ready.", said) if said[-20:] in one.quotes[0].text)

    assert found.tier is Tier.REVIEW
    assert not [
        one for one in _after(talk, "Ready.", f"{said}. is that even allowed?") if said[-20:] in one.quotes[0].text
    ]


def test_a_confirmed_cause_is_not_told_by_the_ruling_that_asked_for_it(talk: Talk) -> None:
    cause = (
        "The cause is that the USB hub re-enumerates the probe after the bench switches the power, so it waits on"
        " the dead port."
    )
    found = _found(
        talk(
            ("user", "the bench fails one of ten runs with a timeout, run it"),
            ("agent", "I could raise the timeout of the bench to 20 s."),
            ("user", "no. never raise timeouts in the bench to get green, find the cause"),
            ("agent", cause),
            ("user", "right, thats it. use /dev/serial/by-id in the bench instead of ttyACMx"),
            ("agent", "20 of 20 passed."),
        )
    )

    assert any("re-enumerates" in one.title for one in found)
    assert any("by-id" in one.title for one in found)


def test_scrapping_one_thing_takes_back_no_other(talk: Talk) -> None:
    said = "measurement interval 10 s is too fast for the cell when it is cold, it gives only 620 mAh. now 15 s"
    scraps = "and scrap that with the console on field units, we never use it. console off in release"
    found = _found(talk(("user", _WORK), ("agent", "Ok."), ("user", said), ("agent", "Changed."), ("user", scraps)))

    assert any("15 s" in one.body for one in found)


_PLAN = (
    "Plan:\n1. measure every 10 s instead of 2 s\n2. advertise every 1022 ms instead of 152 ms\n"
    "3. replace the SHT31 driver with the SHT45 driver\n4. use LittleFS for the log instead of NVS"
)


@pytest.mark.parametrize(
    "reply",
    [
        "approved 1 and 2. 3 no, we have 400 pcs SHT31 in stock. 4 no, littlefs costs 14 kB and we have 9 kB left",
        "1. yes\n2. yes\n3. no, we have 400 pcs SHT31 in stock\n4. nope, littlefs costs 14 kB and we have 9 kB left",
    ],
)
def test_what_is_refused_is_never_told_as_chosen(talk: Talk, reply: str) -> None:
    found = _after(talk, _PLAN, reply)

    stocked, costly = (next(one for one in found if word in one.quotes[0].text) for word in ("400 pcs", "14 kB"))
    for one, item in ((stocked, "replace the SHT31 driver"), (costly, "use LittleFS")):
        assert one.title.startswith(f"Do not {item}")
        assert one.body.startswith(f"Do not {item}")


def test_what_is_approved_by_number_is_proposed(talk: Talk) -> None:
    (found,) = (
        one for one in _after(talk, _PLAN, "approved 1 and 2. 3 no, we have them") if "approved" in one.quotes[0].text
    )

    assert found.title == "Measure every 10 s instead of 2 s; Advertise every 1022 ms instead of 152 ms"


@pytest.mark.parametrize(
    "reply",
    [
        "What ever you think will always give the drivers more control",
        "never mind, you decide",
        "up to you, but always keep it simple",
    ],
)
def test_who_leaves_it_to_the_agent_has_decided_nothing(talk: Talk, reply: str) -> None:
    """A person may still say so in review."""
    asked = "1. For the parcel list, should we allow filtering by `status`, or only a list of ids?\n2. Which color?"

    assert Tier.SURE not in {one.tier for one in _after(talk, asked, f"1. {reply}")}


#: What the agent asks right above its ways or before them in the line, the choice, and what came of it.
CHOICES = (
    (
        "The exporter is ready. Where should the nightly export run?\n\na) on the shared host `batch-1`\n"
        "b) on its own host `export-7`, 4 cores\nc) in a lambda",
        "b",
        "The export runs on its own host `export-7` then. Shall I also set the timeout to 60 seconds?",
        "Where the nightly export should run: on its own host `export-7`, 4 cores",
    ),
    (
        "Which queue should carry the sensor readings?\n\n1. `rabbit`, which we run\n2. `nats`, one small binary",
        "2",
        "They go through `nats` then. Do you want me to add a retry as well?",
        "Queue to carry the sensor readings: `nats`, one small binary",
    ),
    (
        "The project is on pnpm now. Which node version: 1) 20, what the image has, or 2) 22?",
        "the second",
        "Node 22 it is. `engines` is set.",
        "Node version: 22",
    ),
    (
        "Where do the tiles go: a) on the disk of the server, or b) into the bucket `tiles-eu`?",
        "the first",
        "They stay on the disk.",
        "Where the tiles go: on the disk of the server",
    ),
)


@pytest.mark.parametrize(("offered", "reply", "then", "title"), CHOICES)
def test_a_way_by_its_mark_is_told_with_what_was_asked(
    talk: Talk, offered: str, reply: str, then: str, title: str
) -> None:
    assert title in [one.title for one in _after(talk, offered, reply, then)]


@pytest.mark.parametrize(
    "offered",
    [
        "What should I do now?\n\na) fix the flaky test of the importer\nb) write the release notes of the courier app",
        "What do you want me to do next: 1) the flaky importer test, or 2) the release notes?",
        "I found these:\n\na) the importer test is flaky\nb) the release notes are from last year",
    ],
)
def test_what_is_picked_to_be_done_now_is_no_choice_to_keep(talk: Talk, offered: str) -> None:
    assert not _after(talk, offered, "b", "Done.")


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Q: Which tool should pin the Ruby gems?\nA: bundler", "Tool to pin the Ruby gems: bundler"),
        (
            "Q: Which library should draw the charts in the report?\nA: uPlot",
            "Library to draw the charts in the report: uPlot",
        ),
        ("Q: Which tool should lock all dependencies?\nA: uv", "Tool to lock all dependencies: uv"),
        ("Q: Which port should workers use?\nA: 9100", "Port workers should use: 9100"),
    ],
)
def test_an_answer_keeps_its_spelling_and_names_the_thing(talk: Talk, answer: str, title: str) -> None:
    said = (("user", _WORK), ("agent", "One question."), ("answer", answer), ("agent", "Ok."), ("user", "thx"))

    assert title in [one.title for one in _reviewed(talk(*said))]
