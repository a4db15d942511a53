"""What drives the browser. Tests that import it are skipped where it is not installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .served import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
    from playwright.sync_api import TimeoutError as TooLate
else:
    _api = pytest.importorskip("playwright.sync_api", reason="playwright, which drives the browser, is not installed")
    Page, TooLate, expect = _api.Page, _api.TimeoutError, _api.expect

__all__ = ["Page", "TooLate", "expect", "until"]


def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait for what no expectation of the driver can say."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"it never came to be, on {page.url}"
        page.wait_for_timeout(100)
