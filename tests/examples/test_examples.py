"""The bundled example sessions: found by the sources as an agent's own, without secrets, and worth remembering."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lerim.examples import install
from lerim.ingest.extract import extract
from lerim.ingest.findings import Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.summary import summarize
from lerim.ingest.transcript import Numbered, Transcript
from lerim.sources.base import Machine
from lerim.sources.redact import Redactor
from lerim.sources.registry import SOURCES
from lerim.sources.trace import ToolCall, ToolResult

NOW = datetime(2031, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "berths"
    folder.mkdir()
    return folder


@pytest.fixture
def transcripts(tmp_path: Path, project: Path) -> list[Transcript]:
    """Every example session as its source reads it, in the order they were held."""
    install(tmp_path / "home", project, NOW)
    return read_all(tmp_path / "home")


def read_all(home: Path) -> list[Transcript]:
    found = []
    for source in SOURCES:
        for root in filter(Path.exists, source.roots(Machine(home, {}, "linux"))):
            for ref in [ref for container in source.containers(root) for ref in source.sessions(container)]:
                reading = source.read(ref)
                lines = tuple(Numbered(number, line) for number, line in enumerate(reading.lines, 2))
                assert reading.account.is_balanced and not reading.account.bad
                found.append(Transcript(reading.header, lines))
    return sorted(found, key=lambda transcript: transcript.header.started or "")


def learned(transcript: Transcript) -> Extraction:
    return extract(transcript, EmbeddedEngine())


def text_of(transcript: Transcript) -> str:
    extraction = learned(transcript)
    return "\n".join(f"{one.title}\n{one.body}" for one in (*extraction.candidates, *extraction.review)).lower()


def test_four_agents_held_six_sessions_in_the_project(transcripts, project):
    """Each file is recognized by its agent's source, with the project's real path in it."""
    assert ["claude", "codex", "gemini", "pi", "claude", "codex"] == [one.header.agent for one in transcripts]
    assert {str(project.resolve())} == {one.header.cwd for one in transcripts}


def test_every_call_has_its_result(transcripts):
    """They read like real sessions: tools were called, and answered, some with a failure."""
    for transcript in transcripts:
        lines = [numbered.line for numbered in transcript.lines]
        calls = [line.call for line in lines if isinstance(line, ToolCall)]

        assert calls == [line.call for line in lines if isinstance(line, ToolResult)]
    codes = {n.line.exit_code for one in transcripts for n in one.lines if isinstance(n.line, ToolResult)}
    assert {0, 1} <= codes


def test_the_newest_session_ended_a_day_before_now(transcripts):
    """So that whoever looks back a month finds all of them; two weeks lie between the first and the last."""
    times = [datetime.fromisoformat(n.line.at or "") for one in transcripts for n in one.lines]

    assert timedelta(days=1) <= NOW - max(times) <= timedelta(days=2)
    assert timedelta(days=12) <= max(times) - min(times) <= timedelta(days=15)


def test_files_were_written_when_their_session_ended(tmp_path, project):
    """Discovery goes by it."""
    install(tmp_path / "home", project, NOW)
    written = [path.stat().st_mtime for path in (tmp_path / "home").rglob("*.jsonl")]

    assert NOW - timedelta(days=2) <= datetime.fromtimestamp(max(written), UTC) <= NOW - timedelta(days=1)


def test_installing_twice_changes_nothing(tmp_path, project):
    """The same files with the same content."""
    home = tmp_path / "home"
    install(home, project, NOW)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}

    install(home, project, NOW)

    assert before == {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_there_is_no_secret_in_them(transcripts):
    """The redactor finds nothing to replace."""
    redactor = Redactor(b"examples")
    changed = [n.line for one in transcripts for n in one.lines if redactor.line(n.line) is not n.line]

    assert [] == changed


def test_the_routine_session_teaches_nothing(transcripts):
    """It leaves a summary of two lines and no memory."""
    (routine,) = [one for one in transcripts if one.header.agent == "gemini"]

    assert ((), ()) == (learned(routine).candidates, learned(routine).review)
    assert 3 == len([line for line in summarize(routine).body.splitlines() if line])


def test_the_decision_and_its_reversal_are_found(transcripts):
    """Ten days apart, in the user's own words."""
    first, *_, reversal, _ = transcripts

    assert "use celery with redis" in text_of(first)
    assert "procrastinate on our postgres instead" in text_of(reversal)


def test_preferences_and_causes_are_found(transcripts):
    """How the user wants tests, and why two boats got one berth."""
    first, double, _, tests, _, _ = transcripts

    assert "plain pytest functions" in text_of(first)
    assert "without a lock" in text_of(double)
    assert "real postgres" in text_of(tests)


def test_titles_stand_alone(transcripts):
    """What a list of summaries shows."""
    assert [
        "Send confirmation mails from a Celery worker",
        "Refuse overlapping bookings with an exclusion constraint",
        "Rename berths/utils/dt.py to berths/utils/dates.py and update the imports",
        "Test the price rules against Postgres",
        "Queue jobs in Postgres instead of Celery",
        "Count nights in UTC",
    ] == [summarize(one).title for one in transcripts]
