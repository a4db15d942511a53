"""The lead agent for programs: `LerimAgent`, built from the settings of a directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lerim.house.rooms import House
from lerim.house.workforce import Workforce
from lerim.runtime.agent import LeadAgent


class LerimAgent(LeadAgent):
    """The lead agent of one directory: `ask`, `sync` and `maintain`, each one run. See docs/runtime.md."""

    def __init__(
        self,
        model: str | None = None,
        provider: str | None = None,
        timeout_seconds: int | None = None,
        single_tools: Sequence[str] | None = None,
        allowed_read_dirs: Sequence[str | Path] | None = None,
        default_cwd: str | Path | None = None,
    ) -> None:
        """`model`, `provider` and `timeout_seconds` override the lead role of the settings. Raises UsageError."""
        rooms = Workforce(House(default_cwd)).rooms()
        super().__init__(model, provider, timeout_seconds, single_tools, allowed_read_dirs, default_cwd, rooms=rooms)
