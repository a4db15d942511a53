"""Who is asked, where something lies and what is to blame stand in sentences of any build."""

from __future__ import annotations

import pytest

from lerim.text.bearing import Bearing, judge
from lerim.text.frames import reframed
from lerim.text.statements import statement


def told(earlier: str, later: str) -> str:
    found = reframed(statement(later, ""), statement(earlier, ""))
    return "" if found is None else "sure" if found.is_sure else "asked"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Somebody else.
        ("Mirela owns the search index", "the search index belongs to Tobias"),
        ("Questions about the payroll feed: ask Hanna", "for the payroll feed ping Oskar"),
        ("Dr. Weiss approves every change of the dosage table", "the dosage table: approval by Dr. Lindner"),
        ("If the reactor alarm rings, call Jonas", "reactor alarm at night: call Ulrike"),
        ("Selma entscheidet über die Rabatte", "Über die Rabatte entscheidet jetzt Ramón"),
        # Another address.
        ("Renders are under /srv/renders/final", "you'll find the renders in /mnt/cold/renders-2"),
        ("The metrics proxy is at prom.acme.io:9090", "reach the metrics proxy at https://metrics.acme.dev"),
        ("The debug server listens on 4000", "debug server: port 5005"),
        # It was not to blame.
        ("The cart timeouts come from the stock service", "the stock service is ruled out for the cart timeouts"),
        (
            "Blurry scans are due to the feeder belt",
            "scans stay blurry without the belt, so the feeder belt isn't the cause",
        ),
        ("Lost packets are caused by the old switch", "the old switch can't explain the lost packets"),
    ],
)
def test_what_fills_the_same_place_takes_the_place_of_what_was_there(earlier: str, later: str) -> None:
    assert told(earlier, later)
    assert judge(statement(later, ""), statement(earlier, "")).bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Another matter, another role, or the same person.
        ("Mirela owns the search index", "Tobias owns the mail templates"),
        ("Mirela approves schema changes", "Oskar writes the schema changes"),
        ("Mirela owns the search index", "Ask Mirela about the search index"),
        ("Nobody approves changes to the index", "Everybody owns the index"),
        ("Stripe handles the payments", "Ask Anna about the office party"),
        ("Kafka runs the event bus", "Hanna owns the event calendar"),
        # Another file, or no address.
        ("Renders are under /srv/renders/final", "Fonts are under /srv/assets/fonts"),
        ("The debug server listens on 4000", "The importer reads 4000 rows"),
        ("Jobs run at 02:00", "Jobs run at 04:30"),
        # A fault, and what is done about it.
        ("The cart timeouts come from the stock service", "the stock service gets a cache"),
        ("The cart timeouts come from the stock service", "the printer is ruled out for the paper jam"),
        ("Use the stock service for prices", "the invoice bug is not the fault of the mailer"),
        ("Prices come from the stock service", "the stock service is not the cause of the rounded prices"),
        ("Resize images in the worker because uploads are slow", "the worker is ruled out for slow uploads of images"),
    ],
)
def test_what_speaks_of_another_matter_stands_beside_it(earlier: str, later: str) -> None:
    assert told(earlier, later) == ""


def test_of_a_matter_that_only_one_of_them_names_closer_a_person_is_asked() -> None:
    assert told("Refunds above 900 go to Mirela", "Complaints about refunds go to Tobias") == "asked"


def test_who_does_something_besides_replaces_nobody() -> None:
    found = judge(
        statement("ask Tobias about the search index, too", ""), statement("Mirela owns the search index", "")
    )

    assert not found.replaces
    assert found.bearing is Bearing.CONTRADICTION


def test_what_is_told_as_well_is_not_replaced() -> None:
    found = judge(
        statement("Staging is hosted in AWS Frankfurt (eu-central-1)", ""), statement("Staging is in eu-central-1", "")
    )

    assert not found.replaces


def test_two_that_do_the_very_same_take_each_others_place() -> None:
    assert told("Refunds above 200 go to Selma", "Oskar handles the refunds above 200") == "sure"
    assert (
        told("Dr. Weiss approves every change of the dosage table", "dosage table: get the approval of Jonas Berg")
        == "sure"
    )
    # A part of it, and what no person does.
    assert told("Refunds above 200 go to Selma", "Disputes about refunds above 200 go to Oskar") != "sure"
    assert told("Production runs four workers of the queue", "Staging runs one worker of the queue") == ""
