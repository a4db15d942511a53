"""A session read as a profile says, from a file of messages to what is learned: the gate, the sheet, the readers."""

from __future__ import annotations

from pathlib import Path

from lerim.config.profiles import Profile, shipped_profile
from lerim.context.discretion import discreet
from lerim.dataclass import replace
from lerim.ingest.extract import extract
from lerim.ingest.findings import Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize
from lerim.ingest.transcript import Transcript
from lerim.sources.custom import read_trace
from lerim.sources.gate import people_hidden, told_profile
from lerim.sources.redact import Redactor


def heard(trace: str | Path, profile: Profile | str) -> Transcript:
    """A trace as it would be kept under a profile."""
    profile = shipped_profile(profile) if isinstance(profile, str) else profile
    reading = read_trace(trace, "talk")
    lines = list(people_hidden(reading.lines, Redactor(b"salt"), profile))
    header = replace(reading.header, profile=told_profile(profile))
    return Transcript.of([(1, header), *enumerate(lines, 2)])


def learned(transcript: Transcript) -> Extraction:
    """What the embedded reader learns."""
    return extract(transcript, EmbeddedEngine())


def kept(extraction: Extraction) -> str:
    """The words of all memories that are kept, their quotes included."""
    return _words(extraction.candidates)


def noted(extraction: Extraction) -> str:
    """The words of all that is only noted."""
    return _words(extraction.review)


def summary(transcript: Transcript) -> str:
    """The words of the session's summary, as a record has them."""
    made = summarize(transcript, EmbeddedEngine())
    return discreet(f"{made.title}\n{made.description}\n{made.body}")


def _words(candidates: object) -> str:
    assert isinstance(candidates, tuple)
    return "\n".join(f"{one.title}\n{one.body}\n" + "\n".join(quote.text for quote in one.quotes) for one in candidates)
