"""Titles and bodies of what people say in passing: no nods, no reason for the ruling, no value without its thing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.phrasing import Reasoned, reasoned
from lerim.ingest.signals.plain_words import headline, statement
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.titles import points_back, stands_alone
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.wording import Wording, worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _last_said(talk: Talk, *messages: tuple[str, str]) -> Wording:
    """How the user's last words of a session are worded."""
    session = SessionReading(conversation(talk(*messages)))
    return worded(session.user_readings[-1], session)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("No that's wrong, the ISR must never block", "The ISR must never block"),
        ("nope, that is not what I meant. the ISR must never block", "The ISR must never block"),
        ("you're right, plots are always saved as PDF", "Plots are always saved as PDF"),
        ("Not quite, plots are always saved as PDF", "Plots are always saved as PDF"),
        ("yes exactly that, plots are always saved as PDF", "Plots are always saved as PDF"),
        ("ja genau, der Export läuft immer nachts", "Der Export läuft immer nachts"),
        ("nein, das stimmt nicht: der Export läuft immer nachts", "Der Export läuft immer nachts"),
        ("Sim era isso, o cache fica sempre em Redis", "O cache fica sempre em Redis"),
        ("não, o cache fica sempre em Redis", "O cache fica sempre em Redis"),
        ("sí, eso es, las fechas van siempre en UTC", "Las fechas van siempre en UTC"),
        ("non, c'est faux, les dates sont toujours en UTC", "Les dates sont toujours en UTC"),
        ("sì esatto, le date sono sempre in UTC", "Le date sono sempre in UTC"),
        ("tak, dokładnie. Daty są zawsze w UTC", "Daty są zawsze w UTC"),
        ("да, верно, даты всегда в UTC", "Даты всегда в UTC"),
        ("对，日期必须使用 UTC", "日期必须使用 UTC"),
        ("はい、日付は必ず UTC にしてください", "日付は必ず UTC にしてください"),
    ],
)
def test_a_nod_or_a_refusal_before_the_point_is_no_part_of_it(words: str, title: str) -> None:
    """In whatever language somebody said yes or no to something that the title does not tell."""
    assert title == statement(words)


@pytest.mark.parametrize(
    "words",
    [
        "Sim cards are read by the modem task",
        "Non blocking sockets everywhere",
        "No mocks in the modem tests",
        "Tak fields hold the task keys",
        "Wrong passwords are counted per address",
        "Ja translations live in locales/ja.json",
        "Correct rounding is done in the database",
        "Right aligned numbers in all tables",
    ],
)
def test_a_word_that_only_looks_like_a_nod_stays(words: str) -> None:
    """A nod has a mark behind it, or another nod."""
    assert words == statement(words)


@pytest.mark.parametrize(
    ("words", "apart"),
    [
        ("No PCH as long as we have sccache", Reasoned("No PCH as long as we have sccache")),
        (
            "Caller policies for Google look the same as we have them for GitHub",
            Reasoned("Caller policies for Google look the same as we have them for GitHub"),
        ),
        (
            "Clarify the wording of the parser as it exists before the rewrite",
            Reasoned("Clarify the wording of the parser as it exists before the rewrite"),
        ),
        (
            "Never block in the sensor ISR, it runs at a kilohertz",
            Reasoned("Never block in the sensor ISR", "it runs at a kilohertz"),
        ),
        (
            "Don't use schema push in staging, I can drop a table by accident, all changes go through migrations",
            Reasoned(
                "Don't use schema push in staging, all changes go through migrations",
                "I can drop a table by accident",
            ),
        ),
        (
            "Never call the mailer directly, it goes through the queue",
            Reasoned("Never call the mailer directly, it goes through the queue"),
        ),
        (
            "Always keep the raw scans, they must never be compressed",
            Reasoned("Always keep the raw scans, they must never be compressed"),
        ),
        (
            "Always retry, and when a node is drained, it reports to the scheduler",
            Reasoned("Always retry, and when a node is drained, it reports to the scheduler"),
        ),
    ],
)
def test_a_reason_behind_a_comma_is_one_and_a_limit_is_none(words: str, apart: Reasoned) -> None:
    """What holds only so long says so, and why somebody forbids something is no part of what they forbid."""
    assert apart == reasoned(words)


@pytest.mark.parametrize(
    ("said", "title", "why"),
    [
        (
            "the vendor sdk is not thread safe so all calls go through the bus task",
            "All calls go through the bus task",
            "Why: The vendor sdk is not thread safe.",
        ),
        (
            "reviewers print in grayscale, so figures must not rely on colour alone.",
            "Figures must not rely on colour alone",
            "Why: Reviewers print in grayscale.",
        ),
        (
            "because the warehouse bills per scanned byte we always select columns explicitly",
            "Always select columns explicitly",
            "Why: The warehouse bills per scanned byte.",
        ),
        ("we have sccache so no pch", "No pch, because we have sccache", ""),
    ],
)
def test_the_ruling_is_the_title_and_the_fact_before_it_is_why(talk: Talk, said: str, title: str, why: str) -> None:
    """What somebody concludes is what holds."""
    words = _last_said(talk, ("user", said))

    assert title == words.title
    assert why in words.body


@pytest.mark.parametrize(
    "said",
    [
        "The editor is so slow that nobody must open it twice",
        "Strip the tag so every row has one value",
        "We keep the config in one repo, so it should be able to read it",
    ],
)
def test_what_is_no_fact_or_points_back_is_not_taken_apart(said: str) -> None:
    """A purpose is none, and a conclusion on "it" says nothing alone."""
    assert said == reasoned(said).statement


def test_a_condition_alone_is_no_title(talk: Talk) -> None:
    """Who reads that something holds until then wants to know what."""
    said = "until the charting library has moved to the new scales, we draw the axes of all reports ourselves"

    assert _last_said(talk, ("user", said)).title.startswith(
        "Until the charting library has moved to the new scales, we"
    )
    assert headline(said, 80).endswith("…")


def test_a_limit_that_points_back_is_left_to_the_body(talk: Talk) -> None:
    """The title says what holds; "as long as we have that" says nothing to who was not there."""
    words = _last_said(talk, ("user", "we have ccache, so no precompiled headers as long as we have that"))

    assert "No precompiled headers, because we have ccache" == words.title


@pytest.mark.parametrize(
    ("asked", "reply", "title", "body"),
    [
        (
            "The probe boots slowly. Should I add an initial delay to the readiness probe?",
            "make it 5s, the pods boot fast",
            "Initial delay to the readiness probe: 5s",
            "Initial delay to the readiness probe: 5s.\n\nWhy: The pods boot fast.",
        ),
        (
            "Which font size should the captions have?",
            "9pt, the journal demands it",
            "Font size of the captions: 9pt",
            "Font size of the captions: 9pt.\n\nWhy: The journal demands it.",
        ),
        (
            "The result list has no page size. Should I add one?",
            "yes but make it 50 per page",
            "Page size of the result list: 50 per page",
            "Page size of the result list: 50 per page.",
        ),
        (
            "Currently the camera zoom is 1.5x. Should I change it?",
            "let's do 2x because the labels are tiny",
            "Camera zoom: 2x",
            "Camera zoom: 2x.\n\nWhy: The labels are tiny.",
        ),
        (
            "How many times should the worker retry a failed job?",
            "3 times with backoff, then the dead letter queue",
            "How many times the worker should retry a failed job: 3 times with backoff, then the dead letter queue",
            "How many times the worker should retry a failed job: 3 times with backoff, then the dead letter queue.",
        ),
    ],
)
def test_a_bare_value_is_told_with_its_thing(talk: Talk, asked: str, reply: str, title: str, body: str) -> None:
    """Nobody knows later what five seconds were of."""
    words = _last_said(talk, ("user", "look at it"), ("agent", asked), ("user", reply), ("agent", "Done."))

    assert Wording(title, body) == words


def test_the_agents_sentence_with_the_users_value_is_the_title(talk: Talk) -> None:
    """It names the thing, when it says no other value."""
    said = (
        ("user", "the upload hangs with large files"),
        ("agent", "The upload client has no timeout. Should we add one? I'd suggest 30 s."),
        ("user", "yes but make it 12s, mobile users give up after that"),
        ("agent", "Upload timeout is 12 seconds now."),
    )

    assert Wording(
        "Upload timeout is 12 seconds", "Upload timeout is 12 seconds.\n\nWhy: Mobile users give up after that."
    ) == (_last_said(talk, *said))


@pytest.mark.parametrize(
    "reply",
    [
        "2 things: rename the target, and drop the shim",
        "5 files is too many, undo the css part",
    ],
)
def test_a_number_at_the_head_is_not_always_a_value(talk: Talk, reply: str) -> None:
    """What is counted is no setting."""
    asked = "The build is fixed, 5 files changed. Should I add a timeout to the build?"

    assert "timeout" not in _last_said(talk, ("user", "fix it"), ("agent", asked), ("user", reply)).title.lower()


def test_a_question_on_something_named_before_does_not_lead(talk: Talk) -> None:
    """ "Whether to add one" names nothing."""
    asked = "The mailer has neither a queue nor retries, as far as I see. Should we add one?"

    assert (
        "add one" not in _last_said(talk, ("user", "look"), ("agent", asked), ("user", "yes, with retries only")).title
    )


@pytest.mark.parametrize(
    ("asked", "reply", "title", "why"),
    [
        (
            "Should we use Postgres or SQLite for the desktop app? I'd recommend Postgres for its JSON operators.",
            "sqlite, the app has to work offline",
            "SQLite for the desktop app, not Postgres",
            "Why: The app has to work offline.",
        ),
        ("Do you want JSON logs or plain text?", "json", "JSON logs, not plain text", ""),
        (
            "I can use Redux Toolkit, or plain context. I'd go with Redux Toolkit, the state is shared a lot.",
            "context is enough",
            "Plain context, not Redux Toolkit",
            "",
        ),
        (
            "Should thumbnails be generated on upload or lazily?",
            "lazily. on upload is too slow for bulk imports",
            "Thumbnails are generated lazily, not on upload",
            "Why: On upload is too slow for bulk imports.",
        ),
        (
            "Should the related work section go before or after the method?",
            "after the method, the venue expects that",
            "The related work section goes after the method",
            "Why: The venue expects that.",
        ),
        (
            "Should I add i18next, with or without lazy loading of the locales?",
            "with, but only de and en",
            "i18next with lazy loading of the locales, but only de and en",
            "",
        ),
    ],
)
def test_of_two_ways_the_one_that_was_taken_is_told(talk: Talk, asked: str, reply: str, title: str, why: str) -> None:
    """With what it is for, and never the other as if it held."""
    words = _last_said(talk, ("user", "go on"), ("agent", asked), ("user", reply), ("agent", "Done."))

    assert title == words.title
    assert f"{title}." == words.body.split("\n")[0]
    assert why in words.body


@pytest.mark.parametrize(
    ("asked", "reply", "title"),
    [
        ("Shall I squash the old migrations?", "don't, staging still replays them", "Do not squash the old migrations"),
        (
            "I could mock the S3 client in the tests. Should I?",
            "no, minio in docker",
            "Do not mock the S3 client in the tests: minio in docker",
        ),
        (
            "Should we store the refresh token in localStorage?",
            "never, httpOnly cookie",
            "Do not store the refresh token in localStorage: httpOnly cookie",
        ),
        (
            "I propose to deploy with Helm. Shall I write the chart?",
            "no helm, kustomize only",
            "No helm, kustomize only",
        ),
    ],
)
def test_what_was_refused_is_told_as_refused(talk: Talk, asked: str, reply: str, title: str) -> None:
    """Somebody who said no did not agree to it, nor did they ask it."""
    assert title == _last_said(talk, ("user", "go on"), ("agent", asked), ("user", reply)).title


@pytest.mark.parametrize(
    "reply",
    ["no, i meant the other file", "no, that's the wrong branch", "not that. the fixtures are in tests/data"],
)
def test_who_was_misunderstood_refuses_nothing(talk: Talk, reply: str) -> None:
    asked = "Shall I squash the old migrations?"

    assert "Do not" not in _last_said(talk, ("user", "go on"), ("agent", asked), ("user", reply)).title


def test_who_takes_something_back_is_not_titled_by_the_whole(talk: Talk) -> None:
    """ "No includes though" is not what the agent said."""
    asked = "One Makefile with includes is easier to find your way in."
    words = _last_said(
        talk, ("user", "one or many?"), ("agent", asked), ("user", "ok one Makefile, no includes though")
    )

    assert "One Makefile, no includes" == words.title
    assert "with includes" not in words.body


def test_who_takes_one_way_is_not_worded_by_both(talk: Talk) -> None:
    """The body does not tell the way that was given up as if it held."""
    asked = "Two ways: with the cache or without the cache. I recommend to go without the cache."
    words = _last_said(talk, ("user", "tiles"), ("agent", asked), ("user", "with the cache please"))

    assert "without" not in words.title + words.body


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (
            "patient ids are never logged, not even hashed, our DPO was clear on that",
            "Patient ids are never logged, not even hashed",
        ),
        (
            "the partition scheme stays with two app slots, we bricked 40 units last year",
            "The partition scheme stays with two app slots",
        ),
        (
            'we write "data set" as two words everywhere, reviewer 2 complained last time',
            'Write "data set" as two words everywhere',
        ),
        ("we also never expose anyhow in a public API", "Never expose anyhow in a public API"),
        ("yep and generally: browser tests never wait for a fixed time", "Browser tests never wait for a fixed time"),
        (
            "units are always converted to SI before they are stored, the frontend converts them for display",
            "Units are always converted to SI before they are stored, the frontend converts them for display",
        ),
    ],
)
def test_who_wants_it_so_and_what_went_wrong_before_is_why(talk: Talk, words: str, title: str) -> None:
    """And a second half of what holds is none."""
    assert title == _last_said(talk, ("user", words)).title


def test_a_reply_that_limits_is_not_titled_by_what_the_agent_did(talk: Talk) -> None:
    """ "Only German for now" is no nod to what was set up."""
    said = ("user", "fastlane"), ("agent", "The fastlane snapshots are set up."), ("user", "only German for now")

    assert "Only German for now" == _last_said(talk, *said).title


@pytest.mark.parametrize(
    ("asked", "answer", "title"),
    [
        (
            "the `legacy-fonts` folder has no license file (only a note). What should we do with it?",
            "Leave it out",
            "The `legacy-fonts` folder has no license file: Leave it out",
        ),
        ("What's the retention for audio files?", "Thirty days", "The retention for audio files: Thirty days"),
        (
            "For the vendored code, do you want to keep its history (one merge commit per library)?",
            "Fresh copy",
            "For the vendored code, whether to keep its history: Fresh copy",
        ),
    ],
)
def test_an_answer_is_led_by_what_names_the_thing(talk: Talk, asked: str, answer: str, title: str) -> None:
    """And not by a question on "it", nor by what stands in brackets."""
    assert (
        title
        == _last_said(
            talk, ("user", "go on"), ("agent", "Some questions."), ("answer", f"Q: {asked}\nA: {answer}")
        ).title
    )


def test_an_article_behind_a_choice_is_none(talk: Talk) -> None:
    """ "1, a minute stale is fine" takes the first and no other."""
    asked = "Which one?\n1. with the cache in front of it\n2. without the cache, always fresh"
    words = _last_said(talk, ("user", "slow"), ("agent", asked), ("user", "1, a minute stale is fine for reports"))

    assert words.title.startswith("With the cache in front of it")
    assert "without" not in words.body


def test_what_is_said_to_be_ok_says_so() -> None:
    assert "The current way with the key file is OK." == statement("The current way with the key file is OK.")


def test_a_second_ruling_is_told_without_the_fact_it_follows_from() -> None:
    said = (
        "Don't use schema push, I can drop a table by accident, we are five people so all changes go through migrations"
    )

    assert reasoned(said) == Reasoned(
        "Don't use schema push, all changes go through migrations",
        "I can drop a table by accident; we are five people",
    )


@pytest.mark.parametrize(
    ("asked", "reply", "title"),
    [
        (
            "The fix is averaged over 3 samples only. Is that enough?",
            "10 samples. the buoy has solar, so battery is no issue",
            "The fix is averaged over 10 samples",
        ),
        (
            "Should rates be stored as percent or as fraction?",
            "fraction, percent confused people before",
            "Rates are stored as fraction, not as percent",
        ),
    ],
)
def test_the_agents_sentence_is_told_with_what_the_user_set(talk: Talk, asked: str, reply: str, title: str) -> None:
    assert title == _last_said(talk, ("user", "look"), ("agent", asked), ("user", reply)).title


def test_a_question_never_stands_without_its_answer(talk: Talk) -> None:
    """There is room for both, or the answer stands alone."""
    asked = (
        "Would you like to move on to implementing the whole booking flow with its calendar, payments and mails next?"
    )
    reply = "before that enable the swagger page so that I can test all of the endpoints, and write one unit test each"

    assert "booking" not in _last_said(talk, ("user", "go"), ("agent", asked), ("user", reply)).title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "the vendor sdk is not thread safe so never call it from an interrupt",
            "The vendor sdk is not thread safe so never call it from an interrupt",
        ),
        (
            "The chart widget needs a browser. so move it into a client module of its own",
            "The chart widget needs a browser, so move it into a client module of its own",
        ),
    ],
)
def test_an_order_on_it_keeps_the_fact_that_names_it(talk: Talk, said: str, title: str) -> None:
    """ "Never call it" says nothing alone."""
    assert title == _last_said(talk, ("user", said)).title


@pytest.mark.parametrize(
    "text",
    [
        "never calibrate it by hand",
        "always rinse them twice",
        "and don't ever paint or sand them",
        "only open it in the darkroom",
        "sie nie nass reinigen",
        "ne les arrose jamais à midi",
    ],
)
def test_a_rule_on_it_alone_stands_on_nothing(text: str) -> None:
    assert points_back(text)
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never keep seeds in the greenhouse, they rot",
        "Always rinse the filters before you refill them",
        "Never let it run dry",
        "The lamps sit behind glass: never clean them wet",
        "nie die Filter der Anlage nass reinigen",
        "nunca los domingos",
    ],
)
def test_a_rule_that_names_its_thing_points_nowhere(text: str) -> None:
    assert not points_back(text)


_LONG = "please rework the opening hours of the aquarium so that guests see them before they buy a ticket. " * 9


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "the lamps of the tank sit behind glass. never clean them with water",
            "The lamps of the tank sit behind glass: never clean them with water",
        ),
        (
            "the salt meter is calibrated by the vet, once a year. never open it yourself",
            "The salt meter is calibrated by the vet, once a year: never open it yourself",
        ),
        ("tomorrow, and never feed the rays on a friday", "Never feed the rays on a friday"),
        ("not today, but always switch the pumps one by one", "Always switch the pumps one by one"),
        ("morgen, und nie zwei Becken gleichzeitig umstellen", "Nie zwei Becken gleichzeitig umstellen"),
    ],
)
def test_a_rule_is_told_with_what_it_is_on_and_without_when_the_rest_is_done(talk: Talk, said: str, title: str) -> None:
    done = extract(talk(("user", _LONG), ("agent", "Ready."), ("user", said), ("agent", "Ok.")), EmbeddedEngine())

    assert title in [one.title for one in (*done.candidates, *done.review)]


def test_a_rule_on_what_nobody_named_is_never_sure(talk: Talk) -> None:
    said = (("user", _LONG), ("agent", "Ready."), ("user", "commit that. never edit them by hand"), ("agent", "Ok."))

    assert not [one for one in extract(talk(*said), EmbeddedEngine()).candidates if "edit them" in one.title]
