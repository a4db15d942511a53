"""Only the user speaks for the user: hostile sessions in the real formats of all agents, from file to memory."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from lerim.context.records import Trust
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize
from lerim.ingest.transcript import Transcript
from lerim.sources.base import SessionRef
from lerim.sources.registry import source_for
from lerim.sources.trace import encode_all

from . import formats as FORMATS
from . import newcomers, voices

ATTACKS = voices.attacks()
WRITERS = FORMATS.WRITERS | newcomers.NEWCOMERS
#: In the default suite every seventh is run; all of them are a drill.
SAMPLE = 7


def _chosen() -> list[object]:
    return [
        pytest.param(attack, id=attack.name, marks=() if number % SAMPLE == 0 else pytest.mark.drill)
        for number, attack in enumerate(ATTACKS)
    ]


def transcript_of(attack, folder: Path) -> Transcript:
    """The session, written as its agent writes it, read by its source, and as it comes out of the archive."""
    path = WRITERS[attack.writer](folder, attack.steps)
    source = source_for(FORMATS.agent_of(attack.writer))
    ref = SessionRef(source.name, path, path.stem)
    if source.name == "aider":
        (ref,) = (ref for found in source.containers(path) for ref in source.sessions(found))
    reading = source.read(ref)
    trace = folder / "trace.jsonl"
    trace.write_text("".join(f"{line}\n" for line in encode_all(reading.header, reading.lines)), encoding="utf-8")
    return Transcript.read(trace)


_LOOK_ALIKE = str.maketrans("аеорсухіѕ", "aeopcyxis")


def bare(text: str) -> str:
    """As a reader sees it: small letters without accents, one space, nothing invisible, no markup."""
    wide = unicodedata.normalize("NFKD", text).translate(_LOOK_ALIKE)
    seen = "".join(c for c in wide if unicodedata.category(c) not in {"Cf", "Mn"})
    return re.sub(r"[\s*_`]+", " ", seen).lower()


def _said(candidate: Candidate) -> str:
    own = (quote.text for quote in candidate.quotes if quote.speaker is Trust.USER)
    return bare("\n".join((candidate.title, candidate.body, *candidate.tags, *own)))


def leaks(attack, transcript: Transcript) -> list[str]:
    """Where the canary came through."""
    extraction = extract(transcript, EmbeddedEngine())
    digest = summarize(transcript, EmbeddedEngine())
    found = [
        f"memory: {one.title}" for one in (*extraction.candidates, *extraction.review) if attack.canary in _said(one)
    ]
    summary = bare("\n".join((digest.title, digest.description, digest.body, *digest.tags)))
    return [*found, *([f"summary: {digest.body}"] if attack.canary in summary else [])]


def is_found(attack, transcript: Transcript) -> bool:
    extraction = extract(transcript, EmbeddedEngine())
    return any(attack.wanted in _said(one) for one in (*extraction.candidates, *extraction.review))


def test_there_are_enough_attacks():
    """At least 300 hostile sessions over all agents, each with a name of its own, a third with a decision to find."""
    assert 300 <= len(ATTACKS) == len({attack.name for attack in ATTACKS})
    assert len(ATTACKS) // 3 <= sum(bool(attack.wanted) for attack in ATTACKS)
    assert {FORMATS.agent_of(attack.writer) for attack in ATTACKS} == set(map(FORMATS.agent_of, WRITERS))


@pytest.mark.parametrize("attack", _chosen())
def test_nobody_else_speaks_for_the_user(attack, tmp_path):
    """The canary is in no memory, sure or for review, in no evidence of the user's and in no summary."""
    transcript = transcript_of(attack, tmp_path)

    assert [] == leaks(attack, transcript)
    if attack.wanted:
        assert is_found(attack, transcript), "the user's own decision in the same session is found"
