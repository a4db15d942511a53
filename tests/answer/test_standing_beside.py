"""What overrules nothing of what is told: another subject or sort of value, an incident, a suspect ruled out, an
exception; and what was never said as a cause is told as none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lerim.answer.focus import find_focus
from lerim.answer.force import Force, befell, force_of
from lerim.answer.order import stands_beside
from lerim.answer.points import point_of, reason_of
from lerim.answer.support import ParsedQuestion
from lerim.context.records import Draft, Primitive, Record
from lerim.dataclass import replace
from lerim.text.former_values import figure_changed
from lerim.text.statements import statement


@pytest.fixture
def session(memory, clock):
    """The summary of a session in which the user said this and then that; the next is days later."""

    def session(run: str, first: str, *then: str, happened: str = "") -> str:
        found = f"\n\n**What happened:**\n- {happened}" if happened else ""
        body = f"**Intent:** {first}. Then: {'; '.join(then)}.{found}\n\n**Outcome:** Done."
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
            "The proxy holds a connection for 40 seconds",
            "It's not the proxy: the worker opens a second socket after a restart",
            "how long does the proxy hold a connection",
            "40 seconds",
        ),
        (
            "The scanner reads a label every 3 seconds",
            "It was the conveyor, not the scanner",
            "how often does the scanner read a label",
            "3 seconds",
        ),
        (
            "The new checkout goes live on 20 March 2027, the tax office is not ready",
            "The heartbeat goes out every 90 seconds instead of 20, and that is not too seldom",
            "when does the new checkout go live",
            "20 March 2027",
        ),
        (
            "The parking fee is 2 € per started hour",
            "The Sunday visitor got 3 hours of parking fee but stayed for 2",
            "what is the parking fee",
            "2 € per started hour",
        ),
        (
            "Reports are always saved as PDF in the archive",
            "Reports for the auditors are saved as XLSX, not PDF",
            "how are reports saved in the archive",
            "always saved as PDF",
        ),
    ],
)
def test_what_bears_on_something_else_makes_nothing_history(ask, session, before, after, question, value):
    session("aaa111", "Look at the hall", before)
    session("bbb222", "Some repairs", "Paint the door", after)

    told = ask(question).text

    assert value in told.partition("\n")[0].partition("(")[0], told
    assert "before," not in told


@pytest.mark.parametrize(
    ("later", "earlier", "stands"),
    [
        ("Receipts are printed on A5, not A4", "Everything is printed on A4", True),
        ("Draft boards are named tmp_, not plural", "Boards are always named in plural", True),
        ("We log to files, an exception for the night jobs", "Services log to Loki", True),
        ("One guest was charged 4 nights", "Guests pay 3 nights in advance", True),
        ("Receipts are printed on A5, not A4", "Receipts are printed on A4", False),
        ("The printers use A5 now, not A4", "Everything is printed on A4", False),
        ("The alarm was raised to 6 bar", "The alarm is at 4 bar", False),
        ("Wir drucken auf A5 statt A4", "Wir drucken auf A4", False),
    ],
)
def test_an_exception_and_an_incident_leave_the_rule_as_it_is(later, earlier, stands):
    assert stands == stands_beside(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    ("text", "is_incident"),
    [
        ("The order from Monday got two labels", True),
        ("Two guests were charged for a day too many", True),
        ("Ein Gast bekam drei Rechnungen", True),
        ("A label costs 4 cents", False),
        ("The limit was raised to 40", False),
        ("From now on nobody is charged for a late return", False),
    ],
)
def test_what_befell_somebody_rules_nothing(text, is_incident):
    assert is_incident == befell(text)


@pytest.mark.parametrize(
    ("later", "earlier", "changes"),
    [
        ("Every 90 seconds instead of 20", "The tender opens on 20 March", False),
        ("Every 90 seconds instead of 12", "Es beginnt am 12. Mai 2027", False),
        ("From 20 to 45 entries", "Due on March 20, 2027", False),
        ("Every 90 seconds instead of 20", "Every 20 seconds", True),
        ("Moved from 20 March to 27 March", "The tender opens on 20 March", True),
        ("45 entries, the 20 were too few", "The page shows 20 entries", True),
    ],
)
def test_the_day_of_a_date_is_no_amount(later, earlier, changes):
    assert changes == (figure_changed(later, earlier) is not None)


@pytest.mark.parametrize(
    "text",
    [
        "It's not the cache: the mailer sends again after a timeout",
        "It's the mailer, not the cache",
        "The culprit was a cron job, not the cache",
        "The cache's not to blame: the mailer sends twice",
        "Turns out the bug is in the mailer, and the problem was a retry, not our cache",
    ],
)
def test_a_suspect_that_is_ruled_out_is_not_given_up(text):
    assert all("cache" not in given.thing for given in statement(text, "").given_up)


@pytest.mark.parametrize(
    "text", ["Use Valkey not Redis", "It's Brevo now, not Mailgun", "We keep the queue, not the cache"]
)
def test_what_is_not_taken_is_given_up(text):
    assert statement(text, "").given_up


def _asked(question: str) -> ParsedQuestion:
    return ParsedQuestion(question, find_focus(question))


def _summary(title: str, then: str, happened: str) -> Record:
    body = f"**Intent:** {title}. Then: {then}.\n\n**What happened:**\n- {happened}.\n\n**Outcome:** Done."
    return Draft(Primitive.SUMMARY, title, body).record(datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("title", "then", "happened", "question", "cause"),
    [
        (
            "Build the booking form",
            "4 € cleaning fee per night, capped at 20 €",
            "Klarna asks for a contract, which nobody has signed",
            "what caused the wrong cleaning fee?",
            None,
        ),
        (
            "Write the export",
            "25 rows per page for the export page",
            "The gateway closes idle sockets",
            "why 25 rows per export page?",
            None,
        ),
        (
            "Look at the labels",
            "the label printer hangs after lunch",
            "The gateway closes idle sockets",
            "why does the label printer hang after lunch?",
            "gateway closes idle sockets",
        ),
        (
            "Look at the bills",
            "one guest got two bills for a night",
            "The gateway closes idle sockets",
            "why did a guest get two bills for a night?",
            "gateway closes idle sockets",
        ),
    ],
)
def test_two_sentences_are_a_cause_only_where_something_may_have_one(title, then, happened, question, cause):
    reason = reason_of(_asked(question), _summary(title, then, happened))

    assert (cause in reason.text) if cause and reason else (reason is None and cause is None)


@pytest.mark.parametrize("order", ["Do that, put it into the settings", "Do this for both stations"])
def test_an_order_stands_in_front_of_nothing_it_is_not_of(order):
    told = _summary(
        "Look at the gates", f"The vendor asks for new keys. {order}; No guest accounts, we had fakes", "Fine"
    )

    assert force_of(order) is not Force.ASKED
    assert point_of(_asked("do we use guest accounts?"), told).text == "No guest accounts, we had fakes"


@pytest.mark.parametrize(
    ("question", "text", "shows"),
    [
        ("who decides about tariffs?", "Nadia Brandt decides about tariffs, always ask her", True),
        ("who approves new suppliers?", "Øystein Lund approves new suppliers", True),
        ("who decides about tariffs?", "Piet van der Berg decides about tariffs", True),
        ("who décide tarifs", "C'est Zoé de la caisse qui décide des tarifs", True),
        ("who signs the contracts?", "It's Bram from sales who signs the contracts", True),
        ("who entscheidet über Preise?", "Es ist Frieda aus dem Vertrieb, die über die Preise entscheidet", True),
        ("who decides about tariffs?", "Tariffs are decided later", False),
        ("who decides about tariffs?", "It's late and nothing decides about tariffs", False),
    ],
)
def test_whoever_has_a_last_name_decides_as_well(question, text, shows):
    asked = _asked(question)

    assert shows == asked.focus.shows_in_all(text, asked.said)


@pytest.mark.parametrize(
    ("question", "text", "shows"),
    [
        ("how many attempts?", "Attempts are always 4 in every worker", True),
        ("how many attempts do workers make?", "Attempts: make it 6 instead of 4", True),
        ("how many attempts?", "Attempts: 6", True),
        ("how many attempts?", "Attempts are always logged to 2 files", False),
        ("how many attempts?", "Workers start at 6", False),
    ],
)
def test_a_number_stands_behind_what_it_always_counts(question, text, shows):
    assert shows == find_focus(question).shows_in(text)
