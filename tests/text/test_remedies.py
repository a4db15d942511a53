"""What came of a lack is no rule, and what is done about it takes nobody's place."""

from __future__ import annotations

import pytest

from lerim.curate.bearings import judged_words
from lerim.text.bearing import Bearing, judge
from lerim.text.remedies import are_fault_and_remedy
from lerim.text.statements import statement

MENDED = [
    ("KEEP_ALIVE is not set, so the proxy drops every second request", "Set KEEP_ALIVE=30 in the proxy"),
    ("The upload stalls because the mobile app never refreshes its token", "Refresh the token in the mobile app"),
    ("The join is slow since no index is set on invoices.paid_at", "Add an index on invoices.paid_at"),
    ("Root cause: the importer doesn't flush the buffer", "Flush the buffer in the importer"),
    ("Compression is off, so the nightly dump fills the disk", "Turn compression on for the nightly dump"),
    ("Die Karte bleibt leer, weil der Schlüssel fehlt", "Schlüssel in der Karte setzen"),
    ("Le rapport échoue parce que le fuseau manque", "Mettre le fuseau dans le rapport"),
]
DECIDED = [
    ("Don't set a limit on the importer", "Always set a limit on the importer"),
    ("Compression is off for the dumps", "Turn compression on for the dumps"),
    ("We don't cache tiles, so they are always fresh", "Cache the tiles for an hour"),
    ("Saturday deploys are not allowed, so nobody is called", "Saturday deploys are allowed again"),
    ("Use curl because wget is not installed on the runners", "Use wget on the runners"),
    ("Never log the token because it is not masked", "Log the token"),
]


@pytest.mark.parametrize(("fault", "remedy"), MENDED)
def test_neither_takes_the_place_of_the_other(fault: str, remedy: str) -> None:
    assert are_fault_and_remedy(statement(remedy, ""), statement(fault, ""))
    assert not judged_words((remedy, ""), (fault, "")).bearing.replaces
    assert not judged_words((fault, ""), (remedy, "")).bearing.replaces


@pytest.mark.parametrize(("before", "after"), DECIDED)
def test_what_somebody_decided_is_no_fault(before: str, after: str) -> None:
    assert not are_fault_and_remedy(statement(after, ""), statement(before, ""))


@pytest.mark.parametrize(
    ("told", "done"),
    [
        ("The report ran out of memory because the whole ledger was loaded", "The report reads the ledger in pages"),
        ("The scheduler fired jobs twice after the clock change", "The scheduler works in UTC"),
        ("Uploads failed with 413 since the proxy limits the body", "The proxy's body limit is 25 MB"),
    ],
)
def test_what_went_wrong_once_stays_beside_what_is_done_now(told: str, done: str) -> None:
    """The event was never a rule."""
    assert judge(statement(done, ""), statement(told, "")).bearing is Bearing.UNRELATED


def test_a_rule_with_its_reason_tells_no_fault() -> None:
    assert not are_fault_and_remedy(
        statement("Jobs run on Celery because cron died too often", ""), statement("Jobs run on Temporal", "")
    )
