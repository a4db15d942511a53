"""A few cases stand for many in the default suite, always the same ones; `make drill` tries them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """All cases of a test, of which one of so many is tried by default."""
    return [
        case if number % every == first else pytest.param(case, marks=pytest.mark.drill)
        for number, case in enumerate(cases)
    ]


def sampled_rows(rows: Iterable[Sequence[Any]], every: int, first: int = 0) -> list[Any]:
    """The same of cases that have several values each."""
    return [
        row if number % every == first else pytest.param(*row, marks=pytest.mark.drill)
        for number, row in enumerate(rows)
    ]
