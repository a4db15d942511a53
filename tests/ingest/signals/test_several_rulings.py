"""Several rulings in one message, what goes with each of them, and what was taken back right away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.units import user_units
from lerim.ingest.signals.wording import worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _found(transcript: Transcript) -> dict[str, tuple[Tier, str]]:
    engine = EmbeddedEngine()
    proposal = engine.synthesize(transcript, engine.find(transcript, (), ""), "")
    return {candidate.title: (candidate.tier, candidate.body) for candidate in proposal.candidates}


def _words(talk: Talk, said: str) -> list[str]:
    return [unit.text for unit in user_units(conversation(talk(("user", said), ("agent", "Understood."))))]


def test_each_sentence_below_inline_rules_stands_by_itself(talk: Talk) -> None:
    """Nobody has to lay rules out as a list."""
    said = "fix main.rs. Rules for this repo: no unwrap outside of tests. anyhow in the binary. MSRV is 1.74"
    units = user_units(conversation(talk(("user", said), ("agent", "Understood."))))

    assert ["Rules for this repo: no unwrap outside of tests.", "anyhow in the binary.", "MSRV is 1.74"] == [
        unit.text for unit in units if unit.is_under_rules
    ]


@pytest.mark.parametrize(
    "said",
    [
        "some house rules 1) every migration has a test 2) timestamps are timestamptz 3) flags come from the table",
        "here you go: (1) every migration has a test (2) timestamps are timestamptz (3) flags come from the table",
    ],
)
def test_points_counted_within_a_line_are_units(said: str, talk: Talk) -> None:
    """Each has its own place, and may rule on its own."""
    assert ["every migration has a test", "timestamps are timestamptz", "flags come from the table"] == _words(
        talk, said
    )[1:]


def test_figures_in_brackets_count_no_points(talk: Talk) -> None:
    """Points are counted from the first on."""
    said = "the query took 2) seconds and then 3) more, keep it as it is"

    assert [said] == _words(talk, said)


def test_a_ruling_on_something_else_is_a_memory_of_its_own(talk: Talk) -> None:
    """A person who says two things says two things."""
    found = _found(
        talk(
            (
                "user",
                "we never log request bodies, because there are IBANs in them. always lock accounts in ascending order",
            ),
            ("agent", "Understood: no request bodies in logs, accounts are locked in ascending order."),
        )
    )

    assert ["Never log request bodies", "Always lock accounts in ascending order"] == list(found)
    assert "lock accounts" not in found["Never log request bodies"][1]


def test_what_somebody_asked_for_beside_it_is_not_in_the_body(talk: Talk) -> None:
    """The errand is over tomorrow."""
    said = "look at the parser first, it is slow. we always store prices as integer cents, never as floats"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    bodies = [worded(reading, session).body for reading in session.user_readings]

    assert not any("parser" in body for body in bodies if "cents" in body)


def test_a_reason_is_that_of_what_it_follows(talk: Talk) -> None:
    """ "A for these, and those stay B because …" says nothing of why A."""
    said = "use bigint identity for entries and transfers. accounts can stay uuid because they leave the building"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))
    wording = worded(session.user_readings[0], session)

    assert "Use bigint identity for entries and transfers" == wording.title
    assert "Why:" not in wording.body


def test_an_exception_stands_in_the_title(talk: Talk) -> None:
    """A rule without it is false."""
    said = "Always show gross prices in the shop, never net. only in the dealer area it stays net"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    title = worded(session.user_readings[0], session).title

    assert "Always show gross prices in the shop, never net; only in the dealer area it stays net" == title


def test_an_answer_that_says_little_is_led_by_the_question(talk: Talk) -> None:
    """ "Only from tags" of what?"""
    session = SessionReading(
        conversation(
            talk(
                ("user", "raise the version"),
                ("agent", "Raised. Shall CI publish to crates.io automatically?"),
                ("user", "yes but only from tags, never from main"),
                ("agent", "CI publishes on tags only."),
            )
        )
    )

    title = worded(session.user_readings[-1], session).title

    assert "Whether CI should publish to crates.io automatically: only from tags, never from main" == title


@pytest.mark.parametrize(
    "after", ["argh right, they moved the pool. ok scrap that, poll every second", "no wait, merchants complained"]
)
def test_what_is_scrapped_in_the_next_message_is_taken_back(after: str, talk: Talk) -> None:
    """Whatever words it had: nobody repeats them to take them back."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "use listen and notify for the outbox relay, always below 100 ms"),
                ("agent", "That needs a session, and the pool runs in transaction mode."),
                ("user", after),
                ("agent", "Understood."),
            )
        )
    )

    assert session.user_readings[0].is_reversed


@pytest.mark.parametrize(
    "after",
    [
        "also the log spam thing, forget it",
        "the crash report from the eu, scrap that, it was a bad driver",
        "about the mails: send them as html... hm no scrap that, mails are plain text, always",
    ],
)
def test_a_thing_that_is_named_and_forgotten_takes_back_nothing_else(after: str, talk: Talk) -> None:
    said = "never use Resources.Load for zone 2, the memory blows up otherwise"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."), ("user", after))))

    assert not session.user_readings[0].is_reversed


def test_what_stands_behind_scrap_that_is_said_anew(talk: Talk) -> None:
    said = "use data classes w/ nullable fields... hmm no scrap that, DTOs are data classes without defaults, always"
    first, second = SessionReading(conversation(talk(("user", said), ("agent", "Understood.")))).user_readings

    assert first.is_reversed and not second.is_reversed
    assert "without defaults" in second.unit.text


@pytest.mark.parametrize(
    "said",
    [
        "found out why the admin logs people out after 5 min: the gateway strips the Set-Cookie header on a 304",
        "careful with the lab interface, it answers 200 with an error in the xml",
        "turns out the old importer drops rows that have an empty region column",
    ],
)
def test_what_a_user_found_out_waits_for_review_in_the_shortest_session(said: str, talk: Talk) -> None:
    assert _found(talk(("user", said), ("agent", "Changed.")))


def test_what_is_scrapped_in_the_same_breath_is_taken_back(talk: Talk) -> None:
    said = "always squash before you push, my history is full of wip commits. ah no forget it"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    assert session.user_readings[0].is_reversed


@pytest.mark.parametrize(
    "said",
    [
        "We're on Python 3.13 for all services now, no more 3.11",
        "want LazyLock, so raise the msrv. MSRV is 1.80 now, debian users can take the static binary",
        "Argo CD does all our deploys now, helmfile is gone",
        "we decided against Kafka, its off the table",
    ],
)
def test_what_is_so_now_waits_for_review_in_the_shortest_session(said: str, talk: Talk) -> None:
    """It may end what was said before."""
    assert _found(talk(("user", said), ("agent", "Changed.")))


def test_from_now_on_is_kept_though_it_reads_like_an_errand(talk: Talk) -> None:
    """ "Run X before …" is a rule when it is said to hold from now on."""
    said = "from now on run `make gen` before you commit any query, CI fails otherwise because gen/ is checked in"
    found = _found(talk(("user", said), ("agent", "Will do.")))

    assert Tier.SURE is found["Run `make gen` before you commit any query, CI fails otherwise"][0]


@pytest.mark.parametrize("why", ["bc the fixtures need it", "weil es Pflicht ist", "porque npm rompe los hoists"])
def test_reasons_in_other_words_stand_apart(why: str, talk: Talk) -> None:
    """A short form and other languages give reasons, too."""
    said = f"run the tests with make test, never with plain pytest, {why}"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    wording = worded(session.user_readings[0], session)

    assert "Run the tests with make test, never with plain pytest" == wording.title
    assert f"why: {why.split(' ', 1)[1]}".lower() in wording.body.lower()


@pytest.mark.parametrize(("before", "is_asked"), [("Done, the app uses pnpm now.", False), ("Shall I go on?", True)])
def test_nobody_answers_what_was_not_asked(before: str, is_asked: bool, talk: Talk) -> None:
    """What spoke for it is read by people."""
    said = "tests are always run with `pnpm test:ci`, never with npx jest"
    transcript = talk(("user", "switch to pnpm"), ("agent", before), ("user", said), ("agent", "Understood."))
    engine = EmbeddedEngine()
    [found] = [one for one in engine.find(transcript, (), "") if "pnpm test" in one.statement]

    assert is_asked is ("answers what the agent asked last" in found.signals)


def test_several_options_are_named_in_the_title(talk: Talk) -> None:
    """ "2, 3 and 4a" chose three, and "4a" is a part of the fourth."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "what would you harden in the api?"),
                ("agent", "Options:\n\n1. Rate limits\n2. Body limit of 1 MB\n3. Reject unknown fields\n4. Timeouts"),
                ("user", "2, 3 and 4a. not 1, the gateway does rate limits already"),
                ("agent", "Understood."),
            )
        )
    )

    wording = worded(session.user_readings[-1], session)

    assert "Body limit of 1 MB; Reject unknown fields; Timeouts" == wording.title
    assert wording.body.startswith("Not 1, the gateway does rate limits already.")
    assert "Chosen: Body limit of 1 MB; Reject unknown fields; Timeouts" in wording.body


def test_a_choice_for_now_is_the_option_and_that_it_is_for_now(talk: Talk) -> None:
    """The number says nothing to anybody else."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "where do we load the model from?"),
                ("agent", "Options:\n\n1. Load it from MLflow\n2. Load it from S3 at startup"),
                ("user", "2 for now, we don't have mlflow running anywhere"),
                ("agent", "Understood."),
            )
        )
    )

    title = worded(session.user_readings[-1], session).title

    assert "Load it from S3 at startup: for now, we don't have mlflow running anywhere" == title


def test_things_told_upfront_are_parted_and_each_stands_without_that(talk: Talk) -> None:
    said = (
        "some things upfront: we use uv for everything python here, never pip. and keep your answers short, no essays"
    )
    found = _found(talk(("user", said), ("agent", "Understood."), ("user", "go on"), ("agent", "Done.")))

    assert ["Use uv for everything python here, never pip", "Keep your answers short, no essays"] == [*found]


def test_a_line_that_asks_for_something_is_no_part_of_the_ruling_above_it(talk: Talk) -> None:
    said = "avatars are cropped on the backend\nthumbnails are always avif\ncan you put that in?"

    assert "can you put that in?" == _words(talk, said)[-1]


def test_below_a_list_only_what_is_indented_goes_on_with_its_item(talk: Talk) -> None:
    said = "changes:\n- toggles live in the new service\n  since May\n- both platforms run it again\nupdate the code"

    assert ["toggles live in the new service\n  since May", "both platforms run it again", "update the code"] == _words(
        talk, said
    )[1:]


def test_what_holds_in_one_place_is_no_second_word_on_another(talk: Talk) -> None:
    said = (
        "rules: in prod terraform apply only ever runs from CI. In staging anybody can run terraform apply themselves"
    )
    found = _found(talk(("user", said), ("agent", "Understood.")))

    assert any("staging" in title for title in found) and any("prod" in title for title in found)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "triton has been nothing but pain. we're moving inference over to vLLM",
            "We're moving inference over to vLLM",
        ),
        ("mypy is painfully slow. pyright takes over as the type checker", "Pyright takes over as the type checker"),
    ],
)
def test_what_is_so_now_leads_and_not_what_was_wrong_before(said: str, title: str, talk: Talk) -> None:
    assert [title] == [*_found(talk(("user", said), ("agent", "Understood.")))]


def test_who_says_always_beside_a_nod_is_told_in_their_words(talk: Talk) -> None:
    found = _found(
        talk(
            ("user", "store the feed somewhere fast"),
            ("agent", "MMKV for the feed cache, Keychain for tokens, AsyncStorage removed. Shall I commit?"),
            ("user", "nice. commit it. small commits please, one thing per commit, I always want it that way"),
            ("agent", "Committed."),
        )
    )

    assert any(title.startswith("Small commits") for title in found)


@pytest.mark.parametrize(
    "said",
    [
        "couple of things first so we never argue later:",
        "what do I need to do to enable the github pages of this repository?",
        "are the roles also correctly set in the database when the sync is enabled?",
    ],
)
def test_who_only_leads_in_or_only_asks_says_nothing_to_keep(said: str, talk: Talk) -> None:
    assert {} == _found(talk(("user", said), ("agent", "Understood."), ("user", "go on"), ("agent", "Done.")))


@pytest.mark.parametrize(
    "said",
    [
        "stripe timeout is now 5 seconds in prod, staging stays",
        "calver confuses everyone, semver for releases now, starting with 3.0.0",
        "the one table per migration thing doesn't hold for backfills, those may touch two",
        "playwright for the e2e tests, cypress is out",
    ],
)
def test_what_ends_or_limits_what_was_said_before_is_noted_in_the_shortest_session(said: str, talk: Talk) -> None:
    assert 1 == len(_found(talk(("user", said), ("agent", "Understood."))))


def test_a_rule_that_names_nothing_goes_with_what_was_said_before_it(talk: Talk) -> None:
    """ "Always 30, never less" of what?"""
    found = _found(
        talk(
            ("user", "set the retention of the audit topic to 14 days"),
            ("agent", "It is 14 days now."),
            ("user", "actually no, legal wants 30 days for the audit topic. always 30, never less"),
            ("agent", "Set to 30 days."),
        )
    )

    assert ["Legal wants 30 days for the audit topic: always 30, never less"] == list(found)


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("hm wait, sarama stays for the consumer in ledger because of the rebalance listener", True),
        ("hm wait, forget that, we stay with sarama", False),
    ],
)
def test_an_exception_does_not_take_a_rule_back(said: str, is_kept: bool, talk: Talk) -> None:
    """What stays for one place leaves the rule for all others."""
    found = _found(
        talk(
            ("user", "and we should always use franz-go as kafka client, never sarama"),
            ("agent", "Understood; franz-go it is."),
            ("user", said),
            ("agent", "Fine."),
        )
    )

    rule = "Always use franz-go as kafka client, never sarama"
    assert is_kept == (rule in found)
    # Without its exception it would be false.
    assert not is_kept or "Sarama stays for the consumer in ledger" in found[rule][1]


def test_a_body_says_what_its_title_says_however_long_it_is_led_up_to(talk: Talk) -> None:
    """What is cut for want of room is the way to the point, and not the point."""
    said = (
        "so installing the browsers for the end to end tests was always going to happen. and these are the kinds of "
        "installs that are legit, and are triggered by a gate that everybody has agreed on before. But we never ship "
        "playwright with the code, so when we package it, we don't need to include it."
    )
    [body] = [body for title, (_, body) in _found(talk(("user", said), ("agent", "Right."))).items() if "ship" in title]

    assert "never ship playwright with the code" in body


def test_a_point_that_is_scrapped_by_its_number_is_no_memory(talk: Talk) -> None:
    """The next message takes it back, and the others hold."""
    rules = (
        "rules for migrations:\n1. we always use goose\n2. never edit a merged migration\n3. always index concurrently"
    )
    titles = list(
        _found(
            talk(
                ("user", rules),
                ("agent", "There are 140 files of golang-migrate. Should I convert them?"),
                ("user", "oh. 140? then scrap 1, we stay on golang-migrate. 2 and 3 hold"),
                ("agent", "OK."),
            )
        )
    )

    assert not [title for title in titles if "goose" in title]
    assert {"Never edit a merged migration", "Always index concurrently"} <= {*titles}


def test_what_was_taken_back_does_not_stand_below_what_came_instead(talk: Talk) -> None:
    found = _found(
        talk(
            ("user", "from now on always use testcontainers for postgres tests, never mocks"),
            ("agent", "The runners have no Docker daemon, so testcontainers cannot start there."),
            ("user", "ugh. ok then not testcontainers. use embedded-postgres for postgres tests. still no mocks"),
            ("agent", "The tests use embedded-postgres."),
        )
    )

    assert not [body for _, body in found.values() if "always use testcontainers" in body]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("rule from now on: commit offsets only after the transaction, never auto commit", "Commit offsets only after"),
        ("talked to tomas: we squash-merge PRs into main from now on, no more merge commits", "Squash-merge PRs"),
        ("no never force-push to any branch", "Never force-push to any branch"),
        (
            "STOP. why do you edit vendor? never touch vendor/, its a subtree and a pull overwrites it. do it in src",
            "Never touch vendor/, its a subtree",
        ),
        ("i dont want Co-Authored-By lines in my commits, ever", "No Co-Authored-By lines in my commits, ever"),
        ("never edit a migration that is merged", "Never edit a migration that is merged"),
    ],
)
def test_a_plain_rule_is_sure_however_it_is_led_in(said: str, title: str, talk: Talk) -> None:
    sure = [
        found
        for found, (tier, _) in _found(talk(("user", said), ("agent", "Understood."))).items()
        if tier is Tier.SURE
    ]

    assert [True] == [one.startswith(title) for one in sure]


@pytest.mark.parametrize(
    "said", ["only for payments.*, notifications keep publishing directly", "never with -auto-approve"]
)
def test_a_limit_without_what_it_limits_is_not_sure(said: str, talk: Talk) -> None:
    found = _found(talk(("user", said), ("agent", "Understood.")))

    assert Tier.SURE not in {tier for tier, _ in found.values()}


@pytest.mark.parametrize(
    "printed",
    [
        "Error: You must always set VITE_API_KEY before building. From now on builds without it are rejected.",
        "Assertion failed: never call flush() from a callback, always use the queue from now on",
        "src/board.tsx(14,9): error TS2322: you must always set a key. From now on it is required.",
        "10-06 18:22:01.114 E Unity : from now on always call Init before Load, never after",
    ],
)
def test_what_a_program_printed_is_nobodys_rule(printed: str, talk: Talk) -> None:
    """However much it sounds like one."""
    assert {} == _found(talk(("user", f"deploy fails\n{printed}"), ("agent", "The key is missing; I set it.")))


@pytest.mark.parametrize("asked", ["動いているサーバは停止する必要はありますか", "目前的文档规范可以做到吗？"])
def test_a_question_is_no_candidate_in_any_of_these_languages(asked: str, talk: Talk) -> None:
    assert {} == _found(talk(("user", asked), ("agent", "はい。"), ("user", "ok"), ("agent", "ok")))


@pytest.mark.parametrize(
    "said",
    [
        "can you fix the currency picker in the header, it always jumps back to USD",
        "kannst du die währungsauswahl im header reparieren, die springt immer auf USD zurück",
        "leave both for next week, kathrin has to cancel the contract first",
    ],
)
def test_what_goes_wrong_and_what_is_put_off_is_no_rule(talk: Talk, said: str) -> None:
    assert not _found(talk(("user", said), ("agent", "The connector and the header: done."), ("user", "thanks")))


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "hm hotels dont move that fast, and product complained. lets go to 20 minutes for all supplier responses,"
            " amadeus told us fares are guaranteed for 30 anyway",
            "Go to 20 minutes for all supplier responses",
        ),
        (
            "btw dont run this against prod salesforce during the day, we have 100k calls a day and sales shares them",
            "Don't run this against prod salesforce during the day",
        ),
        ("yep we went from pnpm to bun on friday, ci too.", "We went from pnpm to bun on friday"),
    ],
)
def test_what_is_to_be_done_is_the_title_and_not_why(talk: Talk, said: str, title: str) -> None:
    """Nor what the agent said of something else before."""
    told = "The TTL is 300 seconds in cache.ts and /admin/refunds exists. I ran the loader's tests with bun."
    session = SessionReading(conversation(talk(("agent", told), ("user", said), ("agent", "Understood."))))
    found = [worded(reading, session).title for reading in session.user_readings]

    assert any(one.startswith(title) for one in found), found


def test_who_only_says_yes_to_what_a_tool_said_gives_it_no_title(talk: Talk) -> None:
    """What the agent tells has an address in it that a tool named first: nothing is left of the cause but a yes."""
    session = talk(
        ("user", "e2e is flaky in ci again. Error: Timed out 5000ms waiting for the pay button"),
        ("agent", "Let me reproduce it."),
        ("tool", "4 failed, 6 passed"),
        ("agent", "With one worker it passes 10 of 10. I suspect the tests share a database user."),
        ("tool", 'e2e/checkout.spec.ts:12: login("test@wanderly.dev")'),
        (
            "agent",
            "Root cause: all specs log in as the same user test@wanderly.dev, so parallel workers overwrite each"
            " other's cart. I proved it by giving each worker its own user: 40 of 40 pass.",
        ),
        (
            "user",
            "yep thats it, good catch. each worker gets its own user from now on. and pls use getByRole in playwright,"
            " never css selectors",
        ),
        ("agent", "Every worker now has its own user via e2e/fixtures.ts and checkout.spec.ts uses getByRole."),
        ("user", "leave profile for tomorrow"),
        ("agent", "OK, profile.spec.ts still needs to move off CSS selectors."),
    )

    found = extract(session, EmbeddedEngine())
    titles = [candidate.title for candidate in (*found.candidates, *found.review)]

    assert titles and not any("catch" in title for title in titles)
