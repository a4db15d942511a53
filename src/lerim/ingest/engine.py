"""What an extraction engine is: three steps behind one interface, whoever takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lerim.ingest.findings import Digest, Finding, Proposal
from lerim.ingest.transcript import Transcript
from lerim.ingest.windows import Window


class Engine(Protocol):
    """Embedded, a model, or dspy.RLM. It proposes; the pipeline verifies, so an engine may be wrong but never trusted.

    Raises LerimError when it cannot work; what it returns is checked like any model's output.
    """

    @property
    def name(self) -> str:
        """ "embedded", "model" or "rlm"."""
        ...

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        """What the windows hold that may matter. All windows are given at once: a reply may answer an earlier one."""
        ...

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        """Candidates, made once from all findings that passed the filter for durable signal."""
        ...

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        """One episodic summary of the session."""
        ...
