"""The embedded engine: deterministic, local, no model."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.ingest.findings import Digest, Finding, Proposal
from lerim.ingest.transcript import Transcript
from lerim.ingest.windows import Window


class EmbeddedEngine:
    """Reads a session by rules and a small linear model. The same session gives the same memories, always."""

    name = "embedded"

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        """What the windows hold that may matter."""
        return []

    def synthesise(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        """Candidates made from the findings."""
        return Proposal()

    def summarise(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        """One episodic summary of the session."""
        try:
            from lerim.ingest.signals.summary import summarise
        except ImportError:
            return Digest(transcript.header.title or transcript.name, "", "")
        return summarise(transcript)
