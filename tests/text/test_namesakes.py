"""Names made after one pattern are of two things."""

from __future__ import annotations

import pytest

from lerim.curate.bearings import judged_words
from lerim.text.bearing import Bearing
from lerim.text.namesakes import namesakes
from lerim.text.words import words


@pytest.mark.parametrize(
    ("earlier", "later", "names"),
    [
        ("The ledger lives in vault-north-2", "Ledger region: vault-south-2", ("vault-south-2", "vault-north-2")),
        ("Events go to orders.paid", "Order events: orders.sent", ("orders.sent", "orders.paid")),
        ("Sensor data lands in raw_temperature", "Sensor data: raw_pressure", ("raw_pressure", "raw_temperature")),
        ("Hooks run at pre-commit", "Hook stage: pre-push", ("pre-push", "pre-commit")),
        ("Der Leser ist read-only", "Leser: read-write", ("read-write", "read-only")),
    ],
)
def test_two_names_of_one_pattern_are_told_apart(earlier: str, later: str, names: tuple[str, str]) -> None:
    assert namesakes(words(later), words(earlier)) == names


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Events go to orders.paid", "Order events: orders.paid"),  # The same.
        ("Logs go to acme-log", "Logs: acme-logs"),  # A plural, or a slip.
        ("Logs go to acme-log", "Logs: acme-log and acme-audit"),  # One more.
        ("Logs go to acme-log", "Logs: the archive"),  # No name.
        ("Logs go to acme-log", "Logs: bucket-of-record"),  # Of another pattern.
        ("We log json", "We log text"),
    ],
)
def test_other_names_are_not(earlier: str, later: str) -> None:
    assert namesakes(words(later), words(earlier)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The main queue is orders-north", "Primary queue: orders-south"),
        ("Backups go to the bucket acme-cold", "Backup bucket: acme-warm"),
        ("The default region is eu-north-1", "Default region: eu-south-1"),
        ("The default branch is trunk", "Default branch: main"),
    ],
)
def test_what_differs_by_a_name_alone_is_never_merged(one: str, other: str) -> None:
    for later, earlier in ((one, other), (other, one)):
        assert judged_words((later, ""), (earlier, "")).bearing is not Bearing.DUPLICATE


def test_the_same_name_in_other_words_stays_the_same() -> None:
    found = judged_words(("Backup bucket: acme-warm", ""), ("Backups go to the bucket acme-warm", ""))
    assert found.bearing is Bearing.DUPLICATE
