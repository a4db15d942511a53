"""What drives the browser. Tests that import it are skipped where it is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
    from playwright.sync_api import TimeoutError as TooLate
else:
    _api = pytest.importorskip("playwright.sync_api", reason="playwright, which drives the browser, is not installed")
    Page, TooLate, expect = _api.Page, _api.TimeoutError, _api.expect

__all__ = ["Page", "TooLate", "expect"]
