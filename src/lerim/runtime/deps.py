"""What the tools of one run have at hand: where they may reach, what the memory holds, and the board they write on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from lerim.context.records import Record
from lerim.runtime.board import Board
from lerim.runtime.holdings import Holdings
from lerim.runtime.roots import Roots
from lerim.runtime.runs.folder import RunLog
from lerim.runtime.sync_board import SyncBoard

if TYPE_CHECKING:
    from pydantic_ai import UsageLimits
    from pydantic_ai.models import Model
    from pydantic_ai.usage import RunUsage

    from lerim.ingest.findings import Digest, Extraction
    from lerim.observability import Tracing
    from lerim.runtime.prompts import Prompt

#: How many explorers look at once.
PARALLEL_SEARCHES = 4


def _unnoted(prompt: Prompt) -> None:
    """Nobody keeps an account of the run."""


@dataclass
class RunDeps:
    """For `ask`, and what the other modes have in common."""

    roots: Roots
    #: The places the run reads, the preferred one first.
    holdings: tuple[Holdings, ...]
    #: The model that explores; without one, the memory's own search answers.
    explorer: Model | None = None
    explorer_steps: int = 6
    agent_log: RunLog | None = None
    subagents_log: RunLog | None = None
    #: What a tool, or the check of the last word, refused last and why: the reason, should the run fail.
    last_refusal: str | None = None
    #: Where the spans of its agents go.
    tracing: Tracing | None = None
    #: Hears of each prompt when it is sent.
    note_prompt: Callable[[Prompt], None] = _unnoted
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL_SEARCHES))

    @property
    def board(self) -> Board | None:
        """What waits to be written; None in a run that writes nothing."""
        return None

    @property
    def memories(self) -> tuple[Path, ...]:
        """The memory folders that are there, the run's own first."""
        return tuple(holdings.root for holdings in self.holdings if holdings.root.is_dir())

    def record_at(self, path: Path) -> Record | None:
        return next((record for h in self.holdings if (record := h.at(path)) is not None), None)

    def path_of(self, record: Record) -> Path | None:
        return next((path for h in self.holdings if h.find(record.id) and (path := h.path_of(record))), None)

    def subagents_log_line(self, event: str, **fields: object) -> None:
        if self.subagents_log is not None:
            self.subagents_log.line(event, **fields)


@dataclass
class SyncDeps(RunDeps):
    """For `sync`: the session, the pipelines that read it, and what they leave in the run's folder."""

    sync: SyncBoard = field(kw_only=True)
    #: Extract, with the guidance of the lead.
    extract: Callable[[str], Extraction] = field(kw_only=True)
    summarize: Callable[[str], tuple[Digest, Record]] = field(kw_only=True)
    #: How many requests and calls a model may take; the policy needs no bounds.
    limits: UsageLimits | None = field(kw_only=True)
    #: Whether the engine is code of ours, which asks no model.
    is_embedded: bool = field(kw_only=True)
    digest: Digest | None = None

    @property
    def board(self) -> SyncBoard:
        return self.sync


#: Says what a run still lacks when its last word is out.
Unfinished = Callable[[RunDeps, str], str | None]
AnyDeps = TypeVar("AnyDeps", bound=RunDeps)


@dataclass
class ToolContext(Generic[AnyDeps]):
    """What a tool is called with, besides its arguments. A framework for models has one of its own."""

    deps: AnyDeps

    @cached_property
    def usage(self) -> RunUsage:
        """What models that the tools ask have used."""
        from pydantic_ai.usage import RunUsage  # Start-up: only where a model explores.

        return RunUsage()
