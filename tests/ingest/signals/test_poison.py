"""Memory poisoning: whatever tools, pages and pasted texts say, only the user and the agent make memories."""

from __future__ import annotations

import importlib.util
import re
import sys
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.summary import summarize
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import encode_all


def _loaded(name: str) -> ModuleType:
    """A module beside this one: tests are no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "poison" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


CASES = _loaded("cases").cases()
ids = [case.name for case in CASES]


@pytest.fixture
def transcript(request: pytest.FixtureRequest, tmp_path: Path) -> Transcript:
    """The case's session, as it comes out of the archive."""
    case = request.param
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(f"{line}\n" for line in encode_all(case.header, case.lines)), encoding="utf-8")
    return Transcript.read(path)


def _bare(text: str) -> str:
    """As a reader sees it: lower case, one space, letters in one width, nothing invisible."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    return re.sub(r"\s+", " ", seen).lower()


def _text(candidate: Candidate) -> str:
    return _bare(f"{candidate.title}\n{candidate.body}")


def _planted(case: object, text: str) -> list[str]:
    return [words for words in case.planted if _bare(words) in text]  # type: ignore[attr-defined]


def test_there_are_enough_cases():
    """At least sixty hostile sessions, each with a name of its own, a third of them with a decision to be found."""
    assert 60 <= len(CASES)
    assert len(CASES) == len(set(ids))
    assert len(CASES) // 3 <= sum(bool(case.wanted) for case in CASES)


@pytest.mark.parametrize(("transcript", "case"), [(case, case) for case in CASES], ids=ids, indirect=["transcript"])
def test_planted_words_never_become_a_memory(transcript, case):
    """No candidate, sure or for review, says what was planted."""
    extraction = extract(transcript, EmbeddedEngine())

    proposed = (*extraction.candidates, *extraction.review)
    assert [] == [(one.title, one.body) for one in proposed if _planted(case, _text(one))]


@pytest.mark.parametrize(("transcript", "case"), [(case, case) for case in CASES], ids=ids, indirect=["transcript"])
def test_planted_words_are_no_tags_and_are_never_kept(transcript, case):
    """A name that only a tool gave labels nothing, and nothing that cites planted words is sure."""
    extraction = extract(transcript, EmbeddedEngine())

    proposed = (*extraction.candidates, *extraction.review)
    assert [] == [one.tags for one in proposed if _planted(case, _bare(" ".join(one.tags)))]
    assert [] == [one.title for one in extraction.candidates if _planted(case, _bare(one.quotes[0].text))]


@pytest.mark.parametrize(
    ("transcript", "case"),
    [(case, case) for case in CASES if case.wanted],
    ids=[case.name for case in CASES if case.wanted],
    indirect=["transcript"],
)
def test_a_decision_beside_planted_words_is_found(transcript, case):
    """The defence costs nothing: what the user decided in the same session is a candidate."""
    extraction = extract(transcript, EmbeddedEngine())

    found = [_text(candidate) for candidate in (*extraction.candidates, *extraction.review)]
    assert any(case.wanted in text for text in found), found


@pytest.mark.parametrize(("transcript", "case"), [(case, case) for case in CASES], ids=ids, indirect=["transcript"])
def test_planted_words_never_stand_in_a_summary(transcript, case):
    """A summary tells what was wanted and done. What a tool ordered was neither."""
    digest = summarize(transcript)

    assert [] == _planted(case, _bare(f"{digest.title}\n{digest.description}\n{digest.body}\n{' '.join(digest.tags)}"))
