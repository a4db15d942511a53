"""The books that several machines share: budgets, providers' limits and kept answers hold for all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lerim.config.layers import load
from lerim.config.settings import BudgetSettings
from lerim.dataclass import replace
from lerim.errors import BudgetReached, HeldBack
from lerim.llm.answers import AskedRequest, KeptAnswers
from lerim.llm.prices import Tokens
from lerim.llm.usage import ModelCall, Spending, UsageLedger

from ..conftest import ENGINES
from ..postgres_server import MISSING, server


def nobodys_clock() -> datetime:
    """A machine whose clock is far off: what is shared goes by the server's."""
    return datetime(1999, 1, 1, tzinfo=UTC)


@pytest.fixture
def machines(tmp_path: Path) -> Any:
    if not server():
        pytest.skip(MISSING)
    engine: Any = ENGINES["postgres"]
    yield lambda name: UsageLedger(tmp_path / name, nobodys_clock, shared=partial(engine.open, tmp_path, "usage"))
    engine.done()


@pytest.fixture
def budget(home: Path) -> BudgetSettings:
    return load(home, None, {}).settings.budget


def call(run: str = "run-1", tokens: int = 10, usd: float | None = 0.5) -> ModelCall:
    return ModelCall(Spending(run, "app"), "extract", "openai", "small", tokens, usd)


def test_the_budget_of_a_day_is_one_for_all_machines(machines, budget):
    limit = replace(budget, day_tokens=100)
    one, two = machines("one"), machines("two")
    one.settle(one.open_call(call("a"), limit), Tokens(60, 20), 1.0)

    with pytest.raises(BudgetReached, match="80 tokens are used"):
        two.open_call(call("b", tokens=30), limit)
    two.settle(two.open_call(call("c", tokens=20), limit), Tokens(15, 5), None)
    with pytest.raises(BudgetReached):
        one.open_call(call("d", tokens=1), limit)


def test_machines_that_ask_at_the_same_time_count_each_other(machines, budget):
    limit = replace(budget, day_usd=2.0)

    def ask(number: int) -> bool:
        try:
            machines(f"m{number}").open_call(call(f"run-{number}"), limit)
        except BudgetReached:
            return False
        return True

    with ThreadPoolExecutor(6) as crowd:
        assert 4 == sum(crowd.map(ask, range(12)))


def test_what_was_taken_back_is_not_spent(machines, budget):
    limit = replace(budget, run_usd=1.0)
    ledger = machines("one")
    for _ in range(5):
        ledger.cancel(ledger.open_call(call(), limit))
    ledger.settle(ledger.open_call(call(), limit), Tokens(1, 1), 0.9)

    with pytest.raises(BudgetReached, match=r"\$0.9000 is spent"):
        ledger.open_call(call(), limit)


def test_a_provider_that_wants_to_be_left_alone_is_so_by_all(machines):
    one, two = machines("one"), machines("two")
    one.hold("openai", "small", 30.0)
    one.hold("openai", "small", 5.0)

    assert 5 < two.held("openai", "small") <= 30
    assert (0.0, 0.0) == (two.held("openai", "large"), two.held("groq", "small"))
    one.hold("openai", "small", 10_000.0)
    assert 0.0 == two.held("openai", "small")


def test_a_minute_has_room_for_so_many_requests_of_all_machines(machines, budget):
    limit = replace(budget, minute_requests=3)
    for number in range(3):
        machines(f"m{number}").open_call(call(f"run-{number}"), limit)

    with pytest.raises(HeldBack) as held:
        machines("last").open_call(call("run-9"), limit)
    assert 0 < held.value.seconds <= 61
    other = replace(call("run-9"), provider="groq")
    assert machines("last").open_call(other, limit)


def test_a_minute_has_room_for_so_many_tokens(machines, budget):
    limit = replace(budget, minute_tokens=100)
    one, two = machines("one"), machines("two")
    one.settle(one.open_call(call("a", tokens=500), limit), Tokens(70, 20), None)

    with pytest.raises(HeldBack):
        two.open_call(call("b", tokens=20), limit)
    assert two.open_call(call("b", tokens=10), limit)


def test_an_answer_that_one_machine_paid_for_is_known_to_all(machines, tmp_path):
    engine: Any = ENGINES["postgres"]
    opening = partial(engine.open, tmp_path, "answers")
    asked = AskedRequest("what?")
    KeptAnswers(tmp_path / "one", nobodys_clock, opening).keep(asked, "that", "sync-1")

    assert "that" == KeptAnswers(tmp_path / "two", nobodys_clock, opening).find(asked, "sync-2")


def test_sums_are_what_the_calls_add_up_to(ledger, budget, home):
    """On this machine's own books: entered, settled and taken back."""
    numbers = [ledger.open_call(call(f"run-{number % 2}"), budget) for number in range(6)]
    ledger.cancel(numbers[0])
    ledger.settle(numbers[1], Tokens(100, 50), 2.0)
    limit = replace(budget, run_tokens=171)

    with pytest.raises(BudgetReached, match="170 tokens are used"):
        ledger.open_call(call("run-1", tokens=2), limit)
    assert ledger.open_call(call("run-0", tokens=140), limit)
