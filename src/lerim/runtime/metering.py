"""What a run adds to the metrics: whether it was done, how long it took and what it used. Nothing without tracing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING

from lerim.errors import LerimError
from lerim.observability import Metric, note

if TYPE_CHECKING:
    from lerim.ingest.transcript import Transcript
    from lerim.llm import UsageLedger
    from lerim.observability import Tracing
    from lerim.runtime.runs.folder import RunKind

    #: Takes how often a run did what.
    Did = Callable[[Mapping[str, int]], None]


@contextmanager
def metered(tracing: Tracing | None, kind: RunKind, run_id: str, ledger: UsageLedger) -> Iterator[Did]:
    """Count a run and what it does while the block is at it."""
    if tracing is None:
        yield lambda counts: None
        return
    began, outcome = time.monotonic(), "failed"

    def did(counts: Mapping[str, int]) -> None:
        for action, times in counts.items():
            if times:
                note(tracing, Metric.WRITES, times, action=action, run=str(kind))

    try:
        yield did
        outcome = "done"
    finally:
        note(tracing, Metric.RUNS, run=str(kind), outcome=outcome)
        note(tracing, Metric.RUN_DURATION, time.monotonic() - began, run=str(kind), outcome=outcome)
        _note_tokens(tracing, kind, run_id, ledger)


def note_wait(tracing: Tracing | None, transcript: Transcript, now: datetime) -> None:
    """A session's turn has come, so long after the last thing in it that has a time."""
    agent = transcript.header.agent
    note(tracing, Metric.SESSIONS, agent=agent)
    ended = transcript.said(transcript.last) if tracing is not None else None
    if ended is not None:
        note(tracing, Metric.SESSION_WAIT, max((now - ended).total_seconds(), 0.0), agent=agent)


def _note_tokens(tracing: Tracing, kind: RunKind, run_id: str, ledger: UsageLedger) -> None:
    # A run without a model leaves no books, and none are opened for it.
    with suppress(LerimError, OSError):
        if ledger.is_kept:
            spent = ledger.spent(run_id)
            for direction, tokens in (("input", spent.input_tokens), ("output", spent.output_tokens)):
                if tokens:
                    note(tracing, Metric.TOKENS, tokens, direction=direction, run=str(kind))
