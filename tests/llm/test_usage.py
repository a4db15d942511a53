"""The books: sums, limits, several processes, and a file that was damaged."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lerim.config.layers import load
from lerim.errors import BudgetReached, StoreCorrupt, StoreTooNew
from lerim.llm.prices import Tokens
from lerim.llm.usage import By, ModelCall, Spending, Spent, UsageLedger


@pytest.fixture
def no_limit(home):
    return load(home, None, {}).settings.budget


def call(run_id="run-1", *, role="lead", model="m", tokens=10, usd=None) -> ModelCall:
    return ModelCall(Spending(run_id, "shop"), role, "openai", model, tokens, usd)


def spend(ledger, budget, made: ModelCall, output=5, usd=None) -> None:
    ledger.settle(ledger.open_call(made, budget), Tokens(made.input_tokens, output), usd)


def test_a_settled_call_replaces_its_estimate(ledger, no_limit):
    """What the provider counted is what counts."""
    number = ledger.open_call(call(tokens=999, usd=9.0), no_limit)
    ledger.settle(number, Tokens(10, 5, 4, 3), 0.5)

    assert Spent(1, 10, 5, 4, 3, 0.5, 0) == ledger.spent("run-1")


def test_a_cancelled_call_leaves_nothing(ledger, no_limit):
    """It used nothing."""
    ledger.cancel(ledger.open_call(call(), no_limit))

    assert Spent() == ledger.spent("run-1")


def test_a_call_without_an_answer_counts_as_estimated(ledger, no_limit):
    """Its process may have died while the provider worked."""
    ledger.open_call(call(tokens=70, usd=0.1), no_limit)

    assert Spent(1, 70, cost_usd=0.1) == ledger.spent("run-1")


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (By.DAY, [("2026-02-20", 2), ("2026-02-21", 1)]),
        (By.MODEL, [("openai a", 2), ("openai b", 1)]),
        (By.ROLE, [("lead", 1), ("extract", 2)]),
        (By.RUN, [("run-1", 2), ("run-2", 1)]),
    ],
)
def test_the_bill_adds_up_by(ledger, no_limit, clock, by, expected):
    """Days, models, roles or runs, each in the order they first came."""
    spend(ledger, no_limit, call(model="a"), usd=0.25)
    spend(ledger, no_limit, call(role="extract", model="b"))
    clock.tick(days=1)
    spend(ledger, no_limit, call("run-2", role="extract", model="a"), usd=0.5)

    bill = ledger.bill(None, by, no_limit)

    assert expected == [(line.name, line.spent.calls) for line in bill.lines]
    assert Spent(3, 30, 15, cost_usd=0.75, unpriced=1) == bill.total
    assert Spent(1, 10, 5, cost_usd=0.5) == bill.today


def test_the_bill_begins_when_asked(ledger, no_limit, clock):
    """Calls before a moment are left out of the lines and the total; today is always today."""
    spend(ledger, no_limit, call())
    clock.tick(hours=1)
    spend(ledger, no_limit, call("run-2"))

    bill = ledger.bill(datetime(2026, 2, 20, 11, tzinfo=UTC), By.RUN, no_limit)

    assert (["run-2"], 1, 2) == ([line.name for line in bill.lines], bill.total.calls, bill.today.calls)


def test_the_bill_says_which_budget_ended_a_run(ledger, no_limit):
    """The reason stands beside the run."""
    small = replace(no_limit, run_tokens=20)
    spend(ledger, small, call())
    with pytest.raises(BudgetReached):
        ledger.open_call(call(), small)

    (line,) = ledger.bill(None, By.RUN, small).lines

    assert "budget.run_tokens is 20: 15 tokens are used, the next request takes about 10" == line.stopped


def test_a_request_that_just_fits_is_made(ledger, no_limit):
    """A limit is what may be used, not what may not be reached."""
    spend(ledger, replace(no_limit, run_tokens=10), call(tokens=10), output=0)

    assert 10 == ledger.spent("run-1").tokens


def test_many_at_once_never_exceed_a_limit(home, clock, no_limit):
    """Threads with books of their own, all after the last tokens of the day: exactly as many get through as fit."""
    limit = replace(no_limit, day_tokens=50)
    outcomes = []

    def worker(n: int) -> None:
        try:
            outcomes.append(UsageLedger(home, clock).open_call(call(f"run-{n}", tokens=10), limit))
        except BudgetReached:
            outcomes.append(None)

    threads = [threading.Thread(target=worker, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (5, 7) == (sum(o is not None for o in outcomes), outcomes.count(None))


def test_a_damaged_file_is_kept_aside(home, clock, no_limit):
    """Counting starts from zero, with a message, and the old file is still there."""
    messages: list[str] = []
    ledger = UsageLedger(home, clock, messages.append)
    ledger.path.parent.mkdir(parents=True)
    ledger.path.write_bytes(b"this is no database" * 100)

    spend(ledger, no_limit, call())

    assert 1 == ledger.spent("run-1").calls
    kept = ledger.path.with_name("usage.sqlite3.damaged-20260220-103000")
    assert kept.read_bytes().startswith(b"this is no database")
    assert [f"the record of costs was damaged: it is kept as {kept}; counting starts from zero"] == messages


def test_a_sound_file_is_not_replaced(ledger, no_limit):
    """Whoever suspects damage in vain loses nothing."""
    spend(ledger, no_limit, call())
    doubts = [StoreCorrupt("it looks damaged")]

    def count() -> int:
        if doubts:
            raise doubts.pop()
        return ledger.spent("run-1").calls

    assert 1 == ledger.enter(count)


def test_books_of_a_newer_lerim_are_left_alone(ledger, no_limit):
    """An older one neither reads nor replaces them."""
    import sqlite3

    spend(ledger, no_limit, call())
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreTooNew):
        ledger.open_call(call(), no_limit)
