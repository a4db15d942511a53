"""The small model that reads two statements at once."""

from __future__ import annotations

import numpy as np
import pytest

from lerim.search.bearing_model import BEARINGS, BearingModel, as_read, bearing_model
from lerim.text.bearing import Bearing


@pytest.fixture(scope="module")
def model() -> BearingModel:
    found = bearing_model()
    assert found is not None
    return found


PAIRS = [
    ("Retries: 3", "We retry five times"),
    ("Deploy on Tuesdays", "Tuesday deploys start after the stand-up"),
    ("We use date-fns", "From now on we use Luxon instead of date-fns. It knows time zones."),
]


def test_each_pair_gets_a_share_of_every_bearing(model: BearingModel) -> None:
    shares = model.shares(PAIRS)

    assert (len(PAIRS), len(BEARINGS)) == shares.shape
    assert np.allclose(1, shares.sum(1), atol=1e-5)
    assert set(Bearing) == set(BEARINGS)


def test_a_pair_is_read_alike_whatever_is_read_with_it(model: BearingModel) -> None:
    together = model.shares(PAIRS)

    for number, pair in enumerate(PAIRS):
        assert np.allclose(together[number], model.shares([pair])[0], atol=1e-4)


def test_which_is_the_later_one_matters(model: BearingModel) -> None:
    one, two = PAIRS[2]

    assert not np.allclose(model.shares([(one, two)]), model.shares([(two, one)]), atol=1e-3)


def test_long_and_empty_texts_are_read(model: BearingModel) -> None:
    shares = model.shares([("", ""), ("word " * 5_000, ""), ("x" * 10_000, "🦆" * 500)])

    assert np.isfinite(shares).all()


def test_a_title_and_a_body_are_read_as_one_text() -> None:
    assert "Use pnpm. It is fast." == as_read("Use pnpm", "It is fast.")
    assert "Use pnpm" == as_read("Use pnpm", "")
