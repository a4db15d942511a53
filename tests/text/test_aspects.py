"""Two sides of one thing hold together, and another value of one side does not."""

from __future__ import annotations

import pytest

from lerim.text.aspects import are_of_two_aspects
from lerim.text.statements import statement


def hold_together(earlier: str, later: str) -> bool:
    return are_of_two_aspects(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Thumbnails are evaluated by the moderation service", "Thumbnails expire after 30 days from now on"),
        ("The ledger client supports Node 18", "The ledger client is published with provenance now"),
        ("The refund endpoint requires the finance role", "The refund endpoint emits an event now"),
    ],
)
def test_another_side_of_a_thing_is_told(earlier: str, later: str) -> None:
    assert hold_together(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # The same verb, or one that tells the same deed.
        ("Thumbnails are stored in S3", "Thumbnails are kept on the file server"),
        ("Dumps are kept for 30 days", "Dumps are deleted after two weeks"),
        # Only that it is so.
        ("Errors are returned as plain text", "Errors are JSON now"),
        # The same kind of thing, another amount, a denial, something that ends.
        ("Tracing is sampled by Jaeger", "Tracing goes to Tempo"),
        ("The lift stops after 3 seconds", "The lift waits 8 seconds"),
        ("Guests browse the archive", "Guests never enter the archive"),
        ("Coupons expire after a year", "Coupons went away, they are gone for good"),
        # Another thing.
        ("Coupons expire after a year", "Invoices print on thick paper"),
    ],
)
def test_what_may_be_another_value_of_the_same_is_not(earlier: str, later: str) -> None:
    assert not hold_together(earlier, later)
