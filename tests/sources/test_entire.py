"""Entire's compact transcripts become traces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.entire import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "entire"
TRANSCRIPT = HERE / "checkpoint/0a/1b2c3d4e5f/0/transcript.jsonl"


def test_a_transcript_reads_as_expected(golden: Callable[..., list[Account]]) -> None:
    """Whose words stand under the user's type is told by the marks of the agent they are from."""
    golden(SOURCE, HERE / "checkpoint")


def test_a_growing_transcript_only_adds_lines(tmp_path: Path) -> None:
    """Each checkpoint has the session from its beginning."""
    live, expected = tmp_path / TRANSCRIPT.name, _lines(TRANSCRIPT)
    written = TRANSCRIPT.read_bytes().splitlines(keepends=True)
    for count in range(1, len(written) + 1):
        live.write_bytes(b"".join(written[:count]))
        lines = _lines(live)

        assert expected[: len(lines)] == lines


def test_transcripts_without_metadata_are_told_apart_by_their_place(tmp_path: Path) -> None:
    """They all have one name."""
    for place in ("0a/1b/0", "0a/1b/1"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / TRANSCRIPT.name).write_bytes(TRANSCRIPT.read_bytes())

    refs = [ref for found in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(found)]
    assert ["0a-1b-0", "0a-1b-1"] == [ref.run_id for ref in refs]


def test_only_its_own_form_is_accepted(tmp_path: Path) -> None:
    other = tmp_path / "transcript.jsonl"
    other.write_text('{"type":"user","content":"hi"}\n')

    assert SOURCE.accepts(TRANSCRIPT)
    assert not SOURCE.accepts(other)
    assert [] == SOURCE.roots(Machine(tmp_path, {}))


def _lines(path: Path) -> list[Line]:
    return list(SOURCE.read(SessionRef("entire", path, "x")).lines)
