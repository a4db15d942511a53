"""A few cases stand for many in the default suite, always the same ones; `make drill` tries them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """All cases of a test, of which one of so many is tried by default."""
    return [
        case if number % every == first else pytest.param(case, marks=pytest.mark.drill)
        for number, case in enumerate(cases)
    ]
