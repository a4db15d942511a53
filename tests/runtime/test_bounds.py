"""Work that is seen to its end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim.config.layers import load
from lerim.llm import Models
from lerim.llm.usage import UsageLedger
from lerim.runtime.bounds import run_through


def test_an_interrupt_that_a_step_did_not_notice_ends_the_run(tmp_path: Path) -> None:
    """Ctrl-C at the moment when a step ends is no less meant."""
    settings = load(tmp_path, None, {}).settings
    models = Models(settings.roles, settings.budget, {}, UsageLedger(tmp_path, lambda: datetime.now(UTC)))

    async def work() -> str:
        signal.raise_signal(signal.SIGINT)
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(10)
        return "done"

    with pytest.raises(KeyboardInterrupt):
        run_through(work(), models)
