"""A header taken from the beginning of a file: the same as reading it gives, but for what comes late."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import SessionRef, Source, TellsHeaders
from lerim.sources.claude import SOURCE as CLAUDE
from lerim.sources.codex import SOURCE as CODEX
from lerim.sources.pieces import container

HERE = Path(__file__).parent
TELLING = (CLAUDE, CODEX)
FILES = [
    (source, path)
    for source in TELLING
    for path in sorted((HERE / source.name).rglob("*.jsonl"))
    if path.name != "expected.jsonl" and source.accepts(path)
]


def _reply(number: int, **fields: object) -> dict[str, object]:
    message = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": f"reply {number}"}]}
    return {"type": "assistant", "uuid": f"u{number}", "sessionId": "s", "message": message, **fields}


def _written(folder: Path, *records: dict[str, object]) -> SessionRef:
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return SessionRef("claude", path, "s")


@pytest.mark.parametrize(
    ("source", "path"), FILES, ids=[str(path.relative_to(HERE).with_suffix(""))[:60] for _, path in FILES]
)
def test_a_short_session_has_the_header_that_reading_gives(source: Source, path: Path) -> None:
    """Whatever the quirk of the file."""
    assert isinstance(source, TellsHeaders)
    for held in container(source.name, path):
        for ref in source.sessions(held):
            assert source.read(ref).header == source.header(ref)


def test_the_rest_of_a_long_session_is_not_read(tmp_path: Path) -> None:
    """A title given after hundreds of records is missing, and all else is there."""
    replies = [_reply(number, cwd="/w/shop", version="2.1.0") for number in range(400)]
    ref = _written(tmp_path, *replies, {"type": "custom-title", "customTitle": "Checkout", "sessionId": "s"})

    header = CLAUDE.header(ref)

    assert ("/w/shop", "m", "2.1.0", None) == (header.cwd, header.model, header.version, header.title)
    assert "Checkout" == CLAUDE.read(ref).header.title


def test_reads_on_until_it_is_known_where_a_session_ran(tmp_path: Path) -> None:
    """Without its directory, a session would belong to no project."""
    summaries = [{"type": "summary", "summary": "other", "leafUuid": f"x{number}"} for number in range(400)]
    ref = _written(tmp_path, *summaries, _reply(1, cwd="/w/shop"))

    assert "/w/shop" == CLAUDE.header(ref).cwd


@pytest.mark.parametrize("source", TELLING, ids=lambda source: source.name)
def test_a_file_without_a_record_has_no_header(source: TellsHeaders, tmp_path: Path) -> None:
    """As when it is read."""
    (tmp_path / "s.jsonl").write_text("oops\noops\n")

    with pytest.raises(SourceError):
        source.header(SessionRef("any", tmp_path / "s.jsonl", "s"))
