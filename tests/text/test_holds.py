"""What waits for something waits no more once that has happened."""

from __future__ import annotations

import pytest

from lerim.text.bearing import Bearing, judge
from lerim.text.holds import released
from lerim.text.statements import statement


def is_released(earlier: str, later: str) -> bool:
    return released(statement(later, ""), statement(earlier, "")) is not None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "Hold the rollout of the tariff change until finance has confirmed",
            "Finance confirmed, the rollout can go out",
        ),
        ("Wait for the pen test before opening the API", "The pen test is done, we can open the API"),
        (
            "No merges to the codec until the fuzzing run is through",
            "The fuzzing run passed, merging the codec is fine and may go on",
        ),
        ("Pause the migration of tenants till Marek is back", "Marek is back, the migration of tenants may continue"),
    ],
)
def test_what_was_waited_for_has_come(earlier: str, later: str) -> None:
    assert is_released(earlier, later)
    assert judge(statement(later, ""), statement(earlier, "")).bearing is Bearing.REVERSAL


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Something else has come, or it has not.
        (
            "Hold the rollout of the tariff change until finance has confirmed",
            "The printer driver is done, it can ship",
        ),
        ("Wait for the pen test before opening the API", "The pen test is not done, we can not open the API"),
        ("Wait for the pen test before opening the API", "The pen test is done"),
        # Nothing was held, or it is held still.
        ("The rollout of the tariff change is planned", "Finance confirmed, the rollout can go out"),
        ("Hold the rollout until finance has confirmed", "Finance answered: hold the rollout until they can confirm"),
    ],
)
def test_what_still_waits_is_not_let_go(earlier: str, later: str) -> None:
    assert not is_released(earlier, later)
