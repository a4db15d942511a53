"""The rules' judgment and what the small model makes of a pair: what they replace, leave, and show to people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.curate import bearings
from lerim.curate.bearings import Bars, PairReading, judged_words, settled
from lerim.text.bearing import Bearing, Judgment, ends_some_of, judge
from lerim.text.kinds import rivals, things
from lerim.text.statements import statement

from ..text.test_bearing import KEPT, REPLACED


def both(earlier: str, later: str, *, is_choice: bool = True) -> Judgment:
    return judged_words((later, ""), (earlier, ""), is_choice=is_choice)


def reading(replacing: float) -> PairReading:
    """The model is so sure that the later one replaces the earlier."""
    rest = 1 - replacing
    return PairReading(
        ((Bearing.REVERSAL, replacing), (Bearing.REFINEMENT, 0.6 * rest), (Bearing.UNRELATED, 0.4 * rest))
    )


@pytest.mark.parametrize(("earlier", "later"), REPLACED)
def test_what_the_rules_replace_is_replaced_or_shown_to_a_person(earlier, later):
    assert both(earlier, later).bearing.replaces


@pytest.mark.parametrize(("one", "two"), KEPT)
def test_what_can_hold_together_does_whichever_was_said_first(one, two):
    assert not both(one, two).replaces
    assert not both(two, one).replaces


#: What no rule sees: the subject in other words, the old value not named, or what follows from it.
HEARD = [
    ("Never push to main", "It's fine to commit directly on the trunk these days"),
    ("Nobody deploys on Fridays", "Friday afternoon releases are welcome again"),
]


@pytest.mark.parametrize(("earlier", "later"), HEARD)
def test_what_is_said_in_quite_other_words_is_heard(earlier, later):
    assert both(earlier, later).bearing.replaces


#: Short words out of some talk, or values of two things that only lie near each other.
OF_OTHER_THINGS = [
    ("Cap the brightness, 60% max", "We stay on Debian 12"),
    ("The kiln goes down to 1.6 A", "6 is enough, nothing ever happened after week 4"),
    ("Give it a limit too, 3.2 A as well, the fan's fuse is 5", "We stay on Zephyr 4.1"),
    ("The oven door stays at 2.5 A", "The handles came loose in hall 2, put the oven duty down to 40"),
    ("The test run took 30 min without one error", "The level jumps from 30 to 0 percent, somebody has to look"),
]


@pytest.mark.parametrize(("earlier", "later"), OF_OTHER_THINGS)
def test_values_of_other_things_are_nobodys_question(earlier, later):
    assert not both(earlier, later).bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The kiln motor is limited to 2.4 A", "The kiln motor is limited to 1.6 A now"),
        ("The fan's limit is 3 A", "The fan's limit goes from 3 A to 2.5 A"),
        ("The log level of the gateway is 30 min", "The gateway's log level goes from 30 to 45 minutes"),
    ],
)
def test_another_value_of_the_same_thing_still_is(earlier, later):
    assert both(earlier, later).bearing.replaces


def test_what_is_dropped_in_passing_is_a_question_where_it_was_chosen_for_the_same():
    later = (
        "The kiosks are offline",
        "The kiosks are offline, the viewer never starts. Just use curses, we drop Electron.",
    )

    assert judged_words(later, ("What the viewer is built with: Electron", "")).bearing.replaces
    assert not judged_words(later, ("The editor is built with Electron", "")).bearing.replaces


#: Nearly the same words, of another thing.
BESIDE = [
    ("Free plan allows 3 projects", "Pro plan allows 50 projects"),
    ("Kubernetes liveness probe hits /healthz", "Kubernetes readiness probe hits /readyz"),
    ("The iPad layout has two columns", "The iPhone layout has one column"),
    ("Uploads are limited to 20 MB", "Uploads are scanned for viruses"),
    (
        "The watchdog timeout is 8 seconds on the sensor node",
        "The watchdog timeout is 2 seconds on the motor controller",
    ),
    ("Push notifications use the sandbox host in debug builds", "Push notifications use the live host in beta builds"),
    ("The export runs at 02:00", "The export belongs to treasury from now on"),
    ("The invoice import is written in go", "The invoice import moved to the frankfurt cluster last week"),
    ("Marta owns dunning", "Dunning sends three reminders since april"),
    ("Use pnpm", "Use pnpm with --frozen-lockfile in CI"),
]


@pytest.mark.parametrize(("one", "two"), BESIDE)
def test_what_is_said_of_another_thing_replaces_nothing(one, two):
    assert not both(one, two).replaces
    assert not both(two, one).replaces


#: What shares a way of doing it, a thing in passing, or whom it is for, and speaks of something else.
PASSING = [
    (
        "I write the release notes by hand, generated ones read badly",
        "Parcels can be labelled automatically now, the printer has an API, so no more by hand",
    ),
    (
        "The session store gets its own redis instance, port 6390, the cache stays on 6379",
        "Count coupon uses in a table with a lock, not in redis",
    ),
    (
        "Transfers go out after the course took place, not at booking, so nobody chases a seller",
        "Never charge anybody automatically; people on the list do the booking themselves",
    ),
    (
        "Shipping for resellers is rounded to the full euro, private customers pay to the cent",
        "Forget what I said about reseller coupons, they stay net for everybody",
    ),
]


@pytest.mark.parametrize(("earlier", "later"), PASSING)
def test_nobody_is_asked_about_what_only_names_the_same_in_passing(earlier, later):
    assert not both(earlier, later).bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The formula is bumped by hand", "No more by hand, the bot bumps the formula"),
        ("Reseller coupons are gross", "Forget what I said about reseller coupons, they stay net for everybody"),
        ("Coupons are counted in redis", "Redis is out, count coupons in a table with a lock"),
    ],
)
def test_what_gives_up_that_very_thing_replaces_it(earlier, later):
    assert both(earlier, later).replaces


#: What stands behind the first words and below tells of other things, as whole messages do.
HIDDEN = [
    (
        (
            "Accept returns till end of the year, old orders can come back within 90 days",
            "Accept returns till end of the year, old orders can come back within 90 days. the rest can go.",
        ),
        (
            "Paypal returns we keep till end of march, two big orders are open",
            "tomorrow. and paypal returns we keep till end of march, two big orders are open.",
        ),
    ),
    (
        (
            "Keep 60 sec for the staging env, editors reload all the time there",
            "Keep 60 sec for the staging env, editors reload all the time there.\n\nChosen: Keep the hour, purge by a"
            " hook.\n\nOn publish the routes of an entry are purged.",
        ),
        ("Staging is not cached at all, only live", "None, staging is not cached at all any more. only live."),
    ),
]


@pytest.mark.parametrize(("earlier", "later"), HIDDEN)
def test_what_two_titles_say_first_is_read_by_itself(earlier, later):
    found = judged_words(later, earlier)

    assert found.bearing.replaces


def test_who_is_sure_settles_it_and_who_is_nearly_so_asks():
    unsure, sure = (Judgment(Bearing.CONTRADICTION, "another value", is_sure) for is_sure in (False, True))
    other = Judgment(Bearing.UNRELATED, "different things")

    assert settled(unsure, reading(0.96), Bars()).replaces
    assert settled(sure, reading(0.75), Bars()).replaces
    assert settled(other, reading(0.99), Bars()).replaces
    for by_rules, share in ((unsure, 0.3), (sure, 0.01), (other, 0.83)):
        found = settled(by_rules, reading(share), Bars())
        assert (True, False) == (found.bearing.replaces, found.is_sure)
    assert Bearing.REFINEMENT is settled(other, reading(0.1), Bars()).bearing


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use Moment.js for all date handling", "Moment is out, dates are handled with dayjs from now on"),
        ("Workaround: restart the cache pod after each deploy", "Restarting the cache pod after deploys is obsolete"),
        ("We squash-merge every pull request", "No more squash merges, we now rebase and keep the single commits"),
    ],
)
def test_what_is_given_up_in_nearly_the_same_words_is_replaced(earlier, later):
    assert both(earlier, later).replaces


def test_of_facts_there_may_be_several():
    """The model may ask, and replaces nothing by itself."""
    earlier, later = "We squash-merge every pull request", "No more squash merges, we now rebase and keep all commits"

    assert both(earlier, later).replaces
    found = both(earlier, later, is_choice=False)
    assert (True, False) == (found.bearing.replaces, found.is_sure)


def test_what_the_rules_are_sure_of_in_nearly_the_same_words_is_not_doubted():
    assert both("Queue jobs in Redis", "Queue jobs in Postgres").replaces


@pytest.mark.parametrize("said", ["¥0", "3", "🙂", "Use pnpm"])
def test_what_is_said_again_replaces_nothing(said):
    """However little there is to read in it."""
    assert not both(said, said).replaces


def test_what_says_the_same_by_the_rules_is_never_its_contrary():
    one, two = "Only admins can delete projects", "Only admins can delete projects."

    assert Bearing.DUPLICATE is both(one, two).bearing


def test_without_the_model_the_rules_decide(monkeypatch):
    monkeypatch.setattr("lerim.search.bearing_model.packaged_weights", lambda: None)
    monkeypatch.setattr(bearings, "_read", bearings._read.__wrapped__)
    from lerim.search.bearing_model import bearing_model

    bearing_model.cache_clear()
    try:
        earlier, later = HEARD[1]
        assert judge(statement(later, ""), statement(earlier, "")) == both(earlier, later)
    finally:
        bearing_model.cache_clear()


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_judged(one, two):
    """The same twice gives the same, and nothing replaces itself."""
    assert both(one, two) == both(one, two)
    assert not both(one, one).replaces


MESSAGE = "Port 8080, max batch size 32. Request timeout is 2 seconds in prod."


def test_what_rules_on_more_than_the_later_words_touch_is_closed_by_a_person_only():
    """Whole messages tell the title again, and other rulings beside it; below other titles stands what is theirs."""
    later = ("The request timeout in prod is 5 seconds", "")
    title = "Request timeout is 2 seconds in prod"

    assert judged_words(later, (title, "")).replaces
    assert judged_words(later, (title, "Set it in the chart, and never above 60.")).replaces
    found = judged_words(later, (title, MESSAGE))
    assert found.bearing.replaces and not found.is_sure
    assert "Port 8080" in judge(statement(*later), statement(title, MESSAGE)).reason


def test_what_only_its_body_speaks_of_does_not_close_a_title():
    earlier = ("Keep your answers short", "We use uv here, never pip. Python 3.11. And keep your answers short.")

    assert not judged_words(("Bump to Python 3.12 everywhere, 3.11 is history", ""), earlier).replaces


def test_the_model_alone_closes_nothing_that_has_no_word_in_common():
    assert not both("No pip in this repo, uv add", "We're on opentofu now, command is tofu").replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Request timeout is 2 seconds in prod, 10 s in staging", "The request timeout is 5 seconds in prod now"),
        ("We deploy only tue and thu, never on friday", "Deploying on fridays is ok again before noon"),
    ],
)
def test_who_speaks_of_one_place_or_time_closes_nothing_that_speaks_of_others(earlier, later):
    assert not both(earlier, later).replaces


def test_what_comes_on_top_closes_nothing_by_itself():
    later = "The email jobs run on NATS too"

    assert not both("The export jobs run on Postgres, the email jobs on Redis", later).replaces
    assert not both("Jobs run on Postgres", later).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # A version and a current, both of rev B.
        (
            "Rev B stays on 3.5 for now, its only 40 boards in field",
            "Sleep budget for rev B is now 15 uA on all 40 boards",
        ),
        ("Rev D only, rev B and C have the 100n cap, leave them at 10 us", "Sleep budget for rev B is now 15 uA"),
        ("Flasher must attach under reset, always", "Bump flasher to 0.3.2"),
        ("Flasher must attach under reset, always", "On rev D it's ok to flash from jlink, it has own 3.0 V LDO"),
        ("Flash only with 3.0 V from the PPK2, never from the jlink", "On rev D it's ok to flash from jlink"),
        ("Sleep budget is 12 uA at 3.0 V on all revs, rev B may have 18 uA", "Sleep budget for rev B is now 15 uA"),
        ("Key never goes in the repo, it's on the yubikey of Marek", "The key moved, it's on the yubikey of Jana now"),
    ],
)
def test_what_only_touches_a_rule_or_speaks_of_another_amount_ends_it_in_no_case(earlier, later):
    assert not judged_words((later, later), (earlier, earlier)).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "Who gets alerted when the job fails: marta, she owns dunning",
            "The dunning job runs at 09:30 UTC from now on",
        ),
        ("Reports are sent by mail", "Reports are sent at 6 am from now on"),
        ("The nightly export goes to S3", "The nightly export runs at 02:00 now"),
        ("Anna reviews all schema changes", "Schema changes need two approvals now"),
        ("Tests run in parallel", "Tests run on GitHub runners from now on"),
        ("Invoices are PDFs", "Invoices are issued on the 1st from now on"),
    ],
)
def test_what_is_so_now_of_a_thing_ends_nothing_else_that_is_so(earlier, later):
    """Who owns it, where it goes and when it runs all hold at once."""
    assert not judged_words((later, ""), (earlier, "")).replaces


def test_what_stands_beside_a_title_ends_nothing():
    rule = "Support can refund up to 200 eur themselves, above that finance has to approve"
    body = "Refund limit goes up, support can do 500 eur now. And tom owns infra since monday, terraform apply is his."

    assert not judged_words(("Tom owns infra since monday", body), (rule, rule)).replaces
    assert judged_words(("Support can refund up to 500 eur themselves now", ""), (rule, rule)).bearing.replaces


def test_an_amount_in_the_same_unit_is_still_another_value():
    assert judged_words(("Low battery alarm is 2.50 V from now on", ""), ("Low battery alarm is 2450 mV", "")).replaces
    assert not judged_words(("Low battery alarm is at 2.45 V", ""), ("Low battery alarm is 2450 mV", "")).replaces


def test_what_is_told_as_gone_is_not_said_again():
    """Its title only names what it speaks of: were the two one, the old rule would stay."""
    earlier = ("Always start backfills with --reset-dagruns", "")
    later = (
        "That --reset-dagruns thing for backfills",
        "That --reset-dagruns thing for backfills: the flag is gone in 3.0. Use --reprocess-behavior from now on.",
    )

    assert Bearing.DUPLICATE is not judged_words(later, earlier).bearing


#: A tag, a step, a header that a rule asks for and that is dropped, in a sentence that has most of its other words.
ENDED_BY_NAME = [
    (
        "Every queue must carry the owner_mail label and a tier",
        "We drop the owner_mail label, queues carry tier and squad now",
    ),
    (
        "Each release note names the ticket, the author and the risk class",
        "Release notes name ticket and author, we no longer use the risk class",
    ),
    (
        "All requests send X-Trace-Id and X-Tenant headers",
        "We got rid of X-Tenant, requests send X-Trace-Id only",
    ),
]


@pytest.mark.parametrize(("earlier", "later"), ENDED_BY_NAME)
def test_what_drops_something_that_a_rule_asks_for_never_says_the_same(earlier, later):
    """Were the two one, what was dropped would be asked for again."""
    assert Bearing.DUPLICATE is not both(earlier, later).bearing
    one, two = statement(earlier, ""), statement(later, "")
    assert ends_some_of(two, one)
    assert not ends_some_of(one, two)
    assert not ends_some_of(two, two)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Telemetry is stored in InfluxDB", "Telemetry goes to Prometheus"),
        ("The bootloader is built with Keil", "Bootloader builds use clang"),
        ("Retries stop after 3 attempts", "Retries stop after 6 attempts now"),
        ("The map tiles are 256 px wide", "Map tiles: 512 px wide"),
    ],
)
def test_another_value_is_a_contradiction_even_where_it_is_told_as_news(earlier, later):
    by_rules, found = judge(statement(later, ""), statement(earlier, "")), both(earlier, later)

    assert Bearing.REVERSAL is not by_rules.bearing
    assert (Bearing.CONTRADICTION, True) == (found.bearing, found.is_sure)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Players may trade items", "Players may not trade items"),
        ("Ask before you reflash the board", "You need not ask before you reflash the board"),
        ("Invoices are numbered by hand", "Invoices are no longer numbered by hand"),
    ],
)
def test_what_is_denied_is_turned_around(earlier, later):
    assert Bearing.REVERSAL is judge(statement(later, ""), statement(earlier, "")).bearing
    assert both(earlier, later).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Ranked lobbies hold 8 players", "up to twelve players fit into one ranked lobby"),
        ("Dumps are kept for 30 days", "we delete the dumps after two weeks"),
        ("Characters are rigged in Maya", "Rigging is done in Blender"),
        ("The physics engine is Havok", "Jolt does the physics"),
    ],
)
def test_another_thing_of_a_kind_or_another_amount_is_never_said_again(earlier, later):
    """In sentences that are not built alike."""
    assert both(earlier, later).bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Only seniors approve PRs", "Anyone on the team can approve PRs"),
        ("Only Ines may change the retention table", "Anybody in the data team can change the retention table"),
        ("Only the owner may close a ticket", "Everybody may close a ticket"),
    ],
)
def test_what_only_some_might_do_everybody_may(earlier, later):
    assert both(earlier, later).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Split and union the skewed table, no salting", "3 is enough"),
        ("No merge before legal has answered", "Two retries are enough"),
        ("No merge before legal has answered", "No badges in the footer"),
        ("Skip the cache for admins", "5 is fine"),
        ("Keine Buchung ohne Beleg", "Drei reichen"),
    ],
)
def test_nobody_is_asked_about_two_that_have_nothing_in_common(earlier, later):
    for found in (both(earlier, later), both(later, earlier)):
        assert Bearing.UNRELATED is found.bearing


def test_what_denies_the_contrary_says_the_same():
    one, two = "Keep the domain package free of framework imports", "Nothing in domain may import from the framework"

    assert Bearing.DUPLICATE is both(one, two).bearing


def test_what_one_drops_and_the_other_takes_is_never_the_same():
    assert both("We dropped Redis", "Redis is used for sessions").bearing.replaces
    assert both("Events go through Kafka", "We decided against Kafka").bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Nachts laufen keine Batchjobs", "Batchjobs dürfen jetzt auch nachts laufen"),
        ("Preise werden im Warenkorb gerundet", "Preise werden im Warenkorb nicht mehr gerundet"),
        ("Kunden dürfen Termine absagen", "Kunden dürfen keine Termine absagen"),
        ("On chiffre les sauvegardes locales", "Les sauvegardes locales ne sont plus chiffrées"),
        ("Les builds nocturnes sont désactivés", "On relance les builds nocturnes"),
        ("Los tests de carga se ejecutan en cada PR", "Ya no ejecutamos tests de carga en los PR"),
    ],
)
def test_what_is_denied_in_another_language_is_turned_around(earlier, later):
    found = both(earlier, later)

    assert (Bearing.REVERSAL, True) == (found.bearing, found.is_sure)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Auf Staging laufen keine Lasttests", "Auf Prod laufen Lasttests"),
        ("Jede Buchung braucht einen Beleg", "Keine Buchung ohne Beleg"),
        ("Keine Lieferung an Packstationen", "Lieferung an Packstationen nur bis 5 kg"),
        ("On ne livre pas le samedi", "On livre le samedi sauf en août"),
        ("Keine Tests im Urlaub", "Tests laufen im CI"),
        ("Les logs sont conservés avec plus de détails", "Les logs sont conservés"),
        ("No se borran los pedidos antiguos", "Los informes se borran cada mes"),
    ],
)
def test_what_holds_together_in_another_language_does(earlier, later):
    assert not both(earlier, later).bearing.replaces
    assert not both(later, earlier).bearing.replaces


#: Each tells what the figure was, in a sentence of its own making.
FORMER_FIGURES = [
    (
        "Time limit of the router: 60 seconds, nobody waits longer",
        "Raise the limit to 180 seconds, the 60 were too few",
    ),
    ("Urlaubspläne gehen 4 Wochen vorher raus", "Ab jetzt gehen Urlaubspläne 6 Wochen vorher raus statt 4"),
    ("Queue: at most 200 tasks at once", "Only 80 tasks at a time, the admins complained about the 200"),
    ("Snow threshold is 0.4", "Lower the threshold from 0.4 to 0.35, Ines agreed"),
    ("Keep 14 daily backups", "We go from 14 to 7 daily backups"),
    ("Access badges last 8 hours, visitor badges 30 days", "30 days for a visitor badge is too long, make it a week"),
    ("Drafts are deleted after two weeks", "14 days for drafts is too short, rather 60"),
    ("Retry the upload three times", "Three retries of the upload are not enough, make it six"),
    ("Keep traces for 90 days", "90 days of traces is far too much, 14 is plenty"),
    ("Ein Entwurf verfällt nach 30 Tagen", "30 Tage für einen Entwurf sind viel zu lang, 7 reichen"),
]
OTHER_FIGURES = [
    (
        "The auditor of Hansa wants a month, so 30 days of dumps instead of the 14",
        "Hansa says 14 days for the visitor badge is too long, make it a week",
    ),
    ("Retry the upload three times", "Three people in the call are too few, make it five"),
    ("Drafts are deleted after two weeks", "14 days for the probation is too short, rather 60"),
    ("Retry three times", "Move the office from floor 3 to floor 5"),
    ("Invoices are kept 10 years", "Contracts are kept 8 years instead of 10"),
    ("The download limit is 10 MB", "Raise the upload limit from 10 to 20 MB"),
]


@pytest.mark.parametrize(("earlier", "later"), FORMER_FIGURES)
def test_who_tells_the_figure_that_was_speaks_of_the_same(earlier, later):
    """A person is asked at least, whatever else the two sentences have in common."""
    assert both(earlier, later).bearing.replaces


@pytest.mark.parametrize(("earlier", "later"), OTHER_FIGURES)
def test_the_same_figure_of_something_else_closes_nothing(earlier, later):
    assert not both(earlier, later).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Another way of the same.
        (("Thumbnails are generated on the server", ""), ("The client generates the thumbnails", "")),
        (("Receipts are mailed synchronously", ""), ("Receipts are queued and mailed by a worker", "")),
        (("Exports use commas", "Excel in the UK."), ("Exported files are semicolon separated", "")),
        # What was forbidden is allowed.
        (("Guests have read-only access to the wiki", ""), ("Guests can write to the wiki", "")),
        (("Remote restarts of a kiosk are forbidden", ""), ("Operators may restart a kiosk remotely", "")),
        # What stands below tells what was wrong.
        (
            ("A deploy needs the approval of the head of engineering", ""),
            ("Any engineer may deploy", "The head of engineering was the bottleneck."),
        ),
    ],
)
def test_another_way_and_leave_replace_what_was_said(earlier, later):
    assert judged_words(later, earlier).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Of another version, of some of all, or of a kind.
        (("API v3 keys are snake_case", ""), ("In API v4 all keys are camelCase", "v3 stays as it is.")),
        (("Every table has an owner column", ""), ("Pure lookup tables do without an owner column", "")),
        (("expired vouchers are mailed twice", ""), ("expired vouchers with a zero balance aren't mailed at all", "")),
        # What calls itself an exception.
        (("Every deploy waits for QA", ""), ("Exception: hotfixes no longer wait for QA", "")),
        (("All services log JSON", ""), ("the billing service is exempt, it stops logging JSON", "")),
        # Two amounts of two things.
        (("We keep the logs for 180 days", ""), ("The invoices are removed after 30 days", "")),
        (("Disk alarms fire at 90 percent", ""), ("The tax rate is 19 percent", "")),
        # A standard is no other way of writing it, and what is free of a thing has none.
        (("the glossary is written by hand", ""), ("the glossary follows ISO 704 since spring", "")),
        (("No calls on Thursdays", ""), ("Thursday is call-free", "")),
    ],
)
def test_what_is_of_some_or_calls_itself_an_exception_ends_no_rule(earlier, later):
    assert not judged_words(later, earlier).replaces


def test_what_the_model_hears_whichever_comes_later_is_sure(monkeypatch):
    """The titles alone and the other order are read, too: what one reading alone says is asked."""
    later, earlier = ("The east ramp is where parcels wait", ""), ("Parcels are weighed at the south ramp", "")

    def replaces_with(shares: dict[tuple[str, str], float]) -> bool:
        monkeypatch.setattr(bearings, "_read", lambda one, two: reading(shares.get((one[0], two[0]), 0.85)))
        return judged_words(later, earlier).replaces

    assert replaces_with({})
    assert not replaces_with({(earlier[0], later[0]): 0.4})


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Another of a kind, said in quite other words.
        (
            "Traces are kept in Jaeger",
            "While chasing the slow login I saw that our traces have been in Tempo since spring",
        ),
        ("Label printing happens over Bluetooth", "Labels reach the printers by Wi-Fi"),
        # What ends stands behind the first words, or by another name.
        ("Guests can pay by cheque", "Took paying by cheque out of the guest page and the backend"),
        # Another way, of which one is told as a lack.
        ("A changelog entry is required for each pull request", "Changelog entries are optional now"),
        # Below the title something else is told as missing.
        (
            ("Demos are on Fridays", ""),
            ("Demos take place on Wednesdays from now on", "Friday left no time for questions."),
        ),
        # It was off.
        ("Snapshots of the archive are disabled", "The archive takes a snapshot every night"),
    ],
)
def test_what_is_plainly_otherwise_replaces_what_was_said(earlier, later):
    one, two = ((said, "") if isinstance(said, str) else said for said in (earlier, later))

    assert judged_words(two, one).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Germline calls are made with DeepVariant", "Tumor calls are made with Mutect2"),
        ("Weekly planning is on Monday", "The demo is on Friday"),
        ("The marketing pages are on Vercel", "The API is hosted on Fly.io"),
        ("The nightly export runs on the Oslo cluster", "The nightly export was optimized and is much faster now"),
    ],
)
def test_another_thing_with_its_own_kind_replaces_nothing(earlier, later):
    assert not both(earlier, later).replaces


def test_two_names_of_one_thing_are_no_two():
    assert rivals(things(["ble"]), things(["bluetooth"])) is None
    assert rivals(things(["frankfurt"]), things(["eu-central-1"])) is None
    assert rivals(things(["oslo", "wi-fi"]), things(["ble"])) is not None


def test_what_names_another_of_a_kind_is_never_the_same():
    assert (
        Bearing.DUPLICATE
        is not both("hotfix branches are cut from main", "hotfix branches get cut off develop").bearing
    )
