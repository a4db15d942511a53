"""What is kept with no judging reader: what holds, in a user's short words; and what only sounds like it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.plain_words import statement
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.units import user_units
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

#: So much that the session is not thin.
_WORK = "please rework the plotting of the tide gauges so that each station has its own panel and a common axis. " * 9
_REPORTED = "I reworked the plotting; every station has its own panel now."


def _after(talk: Talk, reply: str, before: str = _REPORTED) -> list[Candidate]:
    told = talk(("user", _WORK), ("agent", before), ("user", reply), ("agent", "Understood."), ("user", "thanks"))
    done = extract(told, EmbeddedEngine())
    return [one for one in (*done.candidates, *done.review) if "tide gauges" not in one.quotes[0].text]


def _kept(talk: Talk, reply: str) -> list[str]:
    return [one.title for one in _after(talk, reply) if one.tier is Tier.SURE]


# --- how things are done, without a word that says it lasts ---


@pytest.mark.parametrize(
    "said",
    [
        "invoices are numbered per year",
        "the labels are printed by the warehouse server",
        "customers are identified by their tax number",
        "uploads are stored outside the web root",
        "the firmware is signed on the build machine",
        "patient names are masked in every export",
        "the seed data is generated from the catalogue",
        "nightly builds are published by the release bot",
        "shifts are planned in local time",
        "the samples are weighed before the drying",
        "nothing is deployed by hand",
        "nothing is written outside the data folder",
        "nobody but the night shift has access to the vault",
        "a booking belongs to exactly one room",
        "a pump has exactly two valves",
    ],
)
def test_how_things_are_done_is_kept(talk: Talk, said: str) -> None:
    assert [said[:1].upper() + said[1:]] == _kept(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "the file is saved in the wrong folder",
        "the orders are stored twice since monday",
        "the picture is shown on the left",
        "the server is down at night because of the disk",
        "the image is generated but it is empty",
        "the report is generated in 5 seconds, nice",
        "i think the labels are printed by the till",
        "the tickets were closed by mistake",
        "nothing is shown in the list",
        "nothing happens when i click on it",
        "nobody is at home in the office today",
        "is the archive stored on the second disk",
        "the tests are run on my machine right now",
        "the changes are written to a branch for now",
    ],
)
def test_what_is_seen_or_goes_wrong_is_not(talk: Talk, said: str) -> None:
    assert [] == _kept(talk, said)


# --- what is prized, and from when ---


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("I value short functions over clever ones", "Value short functions over clever ones"),
        ("i greatly value exact citations in the reports", "Value exact citations in the reports"),
        ("we value readability over brevity", "Value readability over brevity"),
        ("I really value correctness more than speed in billing", "Value correctness more than speed in billing"),
        ("we strongly value backwards compatibility of the api", "Value backwards compatibility of the api"),
        ("from now please run the linter before you commit", "Run the linter before you commit"),
        ("in future please keep the change log up to date", "Keep the change log up to date"),
        ("from now on please write commit messages in english", "Write commit messages in english"),
    ],
)
def test_what_is_prized_and_what_holds_from_now_is_kept(talk: Talk, said: str, title: str) -> None:
    assert [title] == _kept(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "I value your opinion on the layout",
        "i value that you checked the panels",
        "we value at risk is computed by the bank",
        "the value is wrong in the second panel",
        "the fee is due two weeks from now",
        "what will the user see in future",
    ],
)
def test_thanks_and_dates_are_not(talk: Talk, said: str) -> None:
    assert [] == _kept(talk, said)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("I read on the train, so from now on keep the summaries short", "Keep the summaries short"),
        ("the audit was hard, so from now on log every change of a price", "Log every change of a price"),
        ("I am in Lisbon now, so from now on use my time zone in reports", "Use my time zone in reports"),
        (
            "we lost two days to that, so from now on nobody merges without a green build",
            "Nobody merges without a green build",
        ),
        ("my screen is small, therefore from now on please wrap at 80 columns", "Wrap at 80 columns"),
        ("the vet complained so going forward every dose gets a unit", "Every dose gets a unit"),
    ],
)
def test_what_holds_from_now_on_is_told_without_why(talk: Talk, said: str, title: str) -> None:
    [found] = _after(talk, said)

    assert (title, Tier.SURE) == (found.title, found.tier)
    assert "Why: " in found.body


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("however, we never publish on fridays", "Never publish on fridays"),
        ("however many workers there are, only one may write", "However many workers there are, only one may write"),
        (
            "you have to rebuild the image after every change of the lock file",
            "Rebuild the image after every change of the lock file",
        ),
        ("i prefer small commits", "Prefer small commits"),
        ("we always avoid deep nesting", "Always avoid deep nesting"),
        ("nobody merges without a review", "Nobody merges without a review"),
        ("every meter reports without a gateway, always", "Every meter reports without a gateway, always"),
    ],
)
def test_rules_in_other_forms_are_kept(talk: Talk, said: str, title: str) -> None:
    assert [title] == _kept(talk, said)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("our convention is kebab case for file names", "Our convention is kebab case for file names"),
        ("the rule is that a release needs two approvals", "A release needs two approvals"),
        ("it is important that the export stays readable for excel", "The export stays readable for excel"),
        ("the most important thing is that no data leaves the hospital", "No data leaves the hospital"),
        ("we decided that invoices are numbered per year", "Invoices are numbered per year"),
        ("we have decided to drop the map view", "Drop the map view"),
        ("make it a rule: nobody merges on fridays", "Nobody merges on fridays"),
        ("each time a station is added the docs are rebuilt", "Each time a station is added the docs are rebuilt"),
        ("make this a habit: run the linter before each commit", "Run the linter before each commit"),
        ("always use tabs. and what about the footer?", "Always use tabs"),
        ("labels are always in danish. how long is the river?", "Labels are always in danish"),
    ],
)
def test_an_announced_rule_is_kept(talk: Talk, said: str, title: str) -> None:
    assert title in _kept(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "the rule is broken since the update",
        "the policy is in the second folder",
        "it is important that you read the mail first",
        "it is important that we finish the panels",
        "the important thing is that it works again",
        "always use tabs. should we say that?",
        "always use tabs. would spaces be better?",
        "we stopped getting the mails",
    ],
)
def test_what_only_speaks_of_rules_is_not(talk: Talk, said: str) -> None:
    assert [] == _kept(talk, said)


@pytest.mark.parametrize("said", ["we stopped supporting windows 7", "we have stopped shipping deb packages"])
def test_what_is_given_up_waits(talk: Talk, said: str) -> None:
    assert 1 == len(_after(talk, said))


# --- a rule behind an errand ---


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("fix the header, and btw we never log customer names", "Never log customer names"),
        ("rename the column, and by the way money is always stored in cents", "Money is always stored in cents"),
        (
            "please rebuild the index, and note that only the second node may write to it",
            "Only the second node may write to it",
        ),
        (
            "write the mail template, and keep in mind that we may only mail confirmed addresses",
            "We may only mail confirmed addresses",
        ),
        (
            "update the chart and remember that axis labels must be in metric units",
            "Axis labels must be in metric units",
        ),
        ("commit it, and for the record: we never squash release branches", "Never squash release branches"),
        ("add the export, but bear in mind that names must never leave the ward", "Names must never leave the ward"),
    ],
)
def test_a_rule_behind_an_errand_is_told_alone(talk: Talk, said: str, title: str) -> None:
    assert any(title == one.title for one in _after(talk, said)), [one.title for one in _after(talk, said)]
    assert not any("header" in one.title or "template" in one.title for one in _after(talk, said))


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("by the way refunds are only possible within 14 days", "Refunds are only possible within 14 days"),
        ("By the way, tiles come only from our own server", "Tiles come only from our own server"),
        ("by the way: never touch the vendor folder", "Never touch the vendor folder"),
        ("übrigens: nie ohne Sicherung umziehen", "Nie ohne Sicherung umziehen"),
    ],
)
def test_what_is_said_by_the_way_begins_with_its_point(said: str, title: str) -> None:
    assert title == statement(said)


# --- several rules in one line ---


def test_rules_counted_within_a_line_are_parted(talk: Talk) -> None:
    said = "three things: 1. never commit to main 2. squash before merging 3. every migration needs a down script"
    parted = [one.text for one in user_units(conversation(talk(("user", said), ("agent", "Understood."))))]

    assert ["never commit to main", "squash before merging", "every migration needs a down script"] == parted[-3:]


@pytest.mark.parametrize(
    "said",
    [
        "we are on version 2. never update it by hand",
        "it took 1. something seconds and then 2. something seconds",
        "see chapter 1. the rest is in chapter 2. nothing else to read",
    ],
)
def test_a_number_that_ends_a_sentence_counts_nothing(talk: Talk, said: str) -> None:
    units = user_units(conversation(talk(("user", said), ("agent", "Understood."))))

    assert all(not one.mark for one in units)


def test_items_below_rules_are_told_in_the_users_words(talk: Talk) -> None:
    """However short they are: what the agent had reported before is none of them."""
    found = _after(talk, "rules for the api:\n- ids are uuids\n- timestamps are utc\n- no verbs in paths")

    assert {"Ids are uuids", "Timestamps are utc", "No verbs in paths"} == {one.title for one in found}


# --- what is for once ---


@pytest.mark.parametrize(
    "said",
    [
        "use the second button for the test",
        "use a different name for the variable",
        "use another colour for the axis",
        "use the other station for the screenshot",
        "use the first column as the key, not the second",
        "we use the wrong colour in the header",
        "for today use the test card",
        "for tonight we use the old server",
    ],
)
def test_what_is_used_once_or_wrongly_is_not_kept(talk: Talk, said: str) -> None:
    assert [] == _kept(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "use the shared logger, not println",
        "use a different port for every service, always",
        "use the metric system in every label",
    ],
)
def test_what_is_used_for_good_is(talk: Talk, said: str) -> None:
    assert 1 == len(_kept(talk, said))


@pytest.mark.parametrize(
    "said",
    [
        "do a release, tag it, do not push the tag yet",
        "do a session with two prompts, do not commit but check that the branch is there",
        "do the migration, then validate that only one row is left",
        "no matching rows found in the export",
        "no changes detected in the schema",
        "use the data from the attached csv",
        "use the numbers in the uploaded price sheet",
        "when I click on save nothing happens, it should close the dialog",
        "after i reload the page only the first row is there",
        "only change the css, not the html",
        "just fix the typo, nothing else must change",
        "I always get a 403 when I call it from my phone",
        "I only see three of them when I ask for all",
        "the worker must have crashed last night",
        "no longer works after the update",
        "the first value is never right",
        "the last column is always empty",
        "only the third station has data",
        "no idea, ask the data team",
        "the footer should say 2026",
        "we use too much memory on the small box",
        "we have three open bugs in the parser",
        "the build is only green on my machine",
        "I prefer the second layout",
        "avoid the second option, it is ugly",
        "if the token is expired the client silently falls back to guest mode",
        "the importer silently drops rows without a date, not only the empty ones",
        "the ensure that the readme is up to date, and the tests must pass as well",
        "no lock is needed here, the job runs alone",
        "the plan is to leave the old marker there so everybody always sees it",
    ],
)
def test_work_reports_and_what_points_away_are_not_kept(talk: Talk, said: str) -> None:
    assert [] == _kept(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "never silently drop rows, log them",
        "error messages should say what to do next",
        "keep the last 10 backups, never fewer",
        "only deploy the app through the pipeline",
        "always ask me when i push to main",
        "prefer the first person in the guide for patients",
        "the importer must not silently ignore a missing column",
        "do one thing at a time, always",
        "no raw sql anywhere in the handlers",
        "use pnpm here, not npm",
        "no mocks are allowed in the contract tests",
    ],
)
def test_rules_that_sound_like_them_are(talk: Talk, said: str) -> None:
    assert 1 == len(_kept(talk, said))


def test_an_answer_that_only_says_where_is_led_by_the_question(talk: Talk) -> None:
    asked = "The smoke tests need the real broker. Where should the smoke tests live?"
    answer = "in tools/smoke. because that repo is for the people who write drivers and they need a way to run them"
    told = talk(
        ("user", _WORK),
        ("agent", _REPORTED),
        ("answer", f"Q: {asked}\nA: {answer}"),
        ("agent", "Understood."),
        ("user", "ok"),
    )
    done = extract(told, EmbeddedEngine())

    assert any(
        one.title == "Where the smoke tests should live: in tools/smoke" for one in (*done.candidates, *done.review)
    )


# --- small talk takes no words of the agent's ---


@pytest.mark.parametrize(
    "said",
    [
        "coffee first, then we go on",
        "let me think about it over lunch",
        "i was sick all week",
        "the train is full today",
        "my son plays in the next room",
    ],
)
def test_small_talk_accepts_no_report_of_the_agents(talk: Talk, said: str) -> None:
    assert all("panel" not in one.title for one in _after(talk, said))


@pytest.mark.parametrize("said", ["sounds good", "sqlite then", "yes sqlite please, redis is too much to run"])
def test_what_was_proposed_is_still_accepted(talk: Talk, said: str) -> None:
    before = "I'd recommend sqlite for the cache because it needs no server. Should I take sqlite or redis?"

    assert any("sqlite" in one.title.lower() for one in _after(talk, said, before))


# --- titles ---


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("jobs have to finish by then", "Jobs have to finish by then"),
        ("the old api stays until then", "The old api stays until then"),
        ("no imports since then", "No imports since then"),
        ("the first value is never right", "The first value is never right"),
        ("use the metric units then", "Use the metric units"),
    ],
)
def test_a_title_keeps_the_time_that_ends_it(said: str, title: str) -> None:
    assert title == statement(said)


# --- what leads the list of what waits ---


@pytest.mark.parametrize(
    "said",
    [
        "reviewers never merge their own changes, for the plain reason of the audit",
        "changes of the schema need a review by the database team",
        "every pump has one controller",
        "all sensors go to one topic, no exceptions",
        "rollouts need two approvals",
        "the harbour logs must be kept for ten years",
    ],
)
def test_a_rule_that_stands_alone_is_likely(talk: Talk, said: str) -> None:
    [found] = _after(talk, said)

    assert found.tier is Tier.SURE or found.confidence >= LIKELY


@pytest.mark.parametrize(
    "said",
    [
        "commit that please and then i need a break, the night was short",
        "restart the server on port 9000",
        "the march bill was 380 euros, insane",
        "the run took four hours again, why",
        "let me think about it over lunch",
    ],
)
def test_an_errand_or_small_talk_is_not(talk: Talk, said: str) -> None:
    assert all(one.confidence < LIKELY for one in _after(talk, said))


# --- what is said in passing, in the middle of a reply ---


def _titles(talk: Talk, reply: str, before: str = _REPORTED) -> list[str]:
    return [one.title for one in _after(talk, reply, before)]


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (
            "yes please!! i nearly wiped prod with it in march. that importer never runs against prod, add a check",
            "That importer never runs against prod",
        ),
        (
            "ok go. we lost a day over it. this table must be frozen during the audit, lock it",
            "This table must be frozen",
        ),
    ],
)
def test_a_rule_on_what_was_just_told_of_stands_alone(talk: Talk, reply: str, wanted: str) -> None:
    assert any(title.startswith(wanted) for title in _titles(talk, reply))


def test_what_others_never_do_is_the_reason_and_no_rule_of_its_own(talk: Talk) -> None:
    titles = _titles(talk, "send the alerts by whatsapp instead of mail. drivers never read mail anyway")

    assert not any(title.startswith("Drivers never") for title in titles)


@pytest.mark.parametrize(
    ("reply", "wanted", "never"),
    [
        (
            "sms sending. Tom has asked for twilio but they block our sender for two weeks, so we take messagebird",
            "messagebird",
            "Tom has asked",
        ),
        (
            "Ines tried the red kiln twice and it cracks, so we stay with the grey one for all bowls",
            "grey one",
            "Ines tried",
        ),
    ],
)
def test_what_was_chosen_is_the_title_and_what_was_given_up_is_why(
    talk: Talk, reply: str, wanted: str, never: str
) -> None:
    titles = _titles(talk, reply)

    assert any(wanted in title for title in titles)
    assert not any(title.startswith(never) for title in titles)


def test_who_has_heard_of_it_is_no_reason(talk: Talk) -> None:
    (found,) = _after(talk, "right. a merged migration is never touched again, i told lena too")

    assert "Why" not in found.body


@pytest.mark.parametrize(
    "reply",
    [
        "this cannot be, gdpr, mail addresses have nothing to do in the logs, only ids",
        "test data has no place in the production bucket, move it out",
        "Kundennamen haben im Log nichts verloren, nur die Nummer",
    ],
)
def test_what_has_nothing_to_do_somewhere_is_forbidden_there(talk: Talk, reply: str) -> None:
    assert _titles(talk, reply)


def test_the_answer_to_why_is_the_cause_once_the_user_takes_it_for_one(talk: Talk) -> None:
    told = talk(
        ("user", "after every deploy the kiosk shows a blank page for minutes until i reload it. why"),
        ("agent", "The service worker serves `index.html` of the last build, and the old chunks are gone by then."),
        ("user", "ah of course. do that with the versioned name"),
        ("agent", "The page comes up at once after a deploy."),
    )

    done = extract(told, EmbeddedEngine())

    assert any("service worker" in one.title for one in (*done.candidates, *done.review))


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (
            "no queue needed, its 500 rows. petra wants no bigger ones, and prices are petras call anyway so ask her",
            1,
        ),
        ("the export format is Ida's decision", 1),
        ("anything in billing goes past Lena first", 1),
        ("the shop shows the users job title", 0),
        ("everything goes through the proxy", 0),
    ],
)
def test_whose_word_it_takes_is_a_ruling_of_its_own(talk: Talk, reply: str, wanted: int) -> None:
    found = [one for one in _titles(talk, reply) if any(name in one.lower() for name in ("petras call", "ida", "lena"))]

    assert wanted == len(found)


@pytest.mark.parametrize(
    ("question", "reply", "wanted"),
    [
        ("How long should the dumps be kept?", "two weeks is fine, 14 days. we keep it small", "dumps"),
        ("How often should the buoys report?", "an hour is plenty", "buoys"),
        ("How long should the catches be kept?", "three weeks is fine, 21 days. report at 4:20", "catches"),
        ("Which deposit do we ask for a kayak?", "40 euros is enough", "kayak"),
    ],
)
def test_a_bare_value_is_titled_with_what_was_asked(talk: Talk, question: str, reply: str, wanted: str) -> None:
    titles = _titles(talk, reply, f"{_REPORTED} {question}")

    assert titles
    assert all(wanted in title for title in titles)
