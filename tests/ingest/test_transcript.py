"""The transcript: an archived session as numbered lines that say who speaks."""

from __future__ import annotations

import pytest

from lerim.context.records import Trust
from lerim.errors import SourceError
from lerim.ingest.transcript import Numbered, Transcript, speaker
from lerim.sources.trace import (
    Assistant,
    Event,
    Happening,
    Header,
    Injected,
    Moved,
    Reasoning,
    ToolCall,
    ToolResult,
    User,
    encode_all,
)

HEADER = Header(agent="claude", run_id="r1")
LINES = [
    User(text="use pnpm"),
    Assistant(text="wrong way", undone=True),
    ToolCall(text="pnpm i", tool="shell", call="1"),
    ToolResult(text="resolved lockfile", call="1"),
    Assistant(text="installed"),
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(f"{line}\n" for line in encode_all(HEADER, LINES)), encoding="utf-8")
    return path


def test_lines_are_numbered_as_they_are_cited(path):
    """The header is line 1 of the file, so the first word is said on line 2."""
    transcript = Transcript.read(path)

    assert (HEADER, "claude/r1", 6) == (transcript.header, transcript.name, transcript.last)
    assert [2, 3, 4, 5, 6] == [numbered.number for numbered in transcript.lines]
    assert LINES[0] == transcript.at(2)
    assert (None, None) == (transcript.at(1), transcript.at(7))
    assert [4, 5] == [numbered.number for numbered in transcript.between(4, 5)]
    assert [2, 3, 4, 5, 6] == [numbered.number for numbered in transcript.between(-9, 10**12)]


def test_what_was_taken_back_is_no_message(path):
    """The conversation is what the two said to each other and nobody rewound."""
    assert [2, 6] == [numbered.number for numbered in Transcript.read(path).messages]


def test_vocabularies_keep_speakers_apart(path):
    """A word that a tool alone wrote is no word of the conversation."""
    transcript = Transcript.read(path)

    assert {"resolv", "lockfil"} == transcript.foreign_stems(frozenset({"pnpm", "instal", "resolv", "lockfil", "yarn"}))


@pytest.mark.parametrize("text", ["", "{}\n", '{"type":"user","text":"x"}\n', "no json\n"])
def test_what_is_no_trace_is_refused(tmp_path, text):
    """A file without a header is not read as an empty session."""
    path = tmp_path / "trace.jsonl"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(SourceError, match="not a canonical trace"):
        Transcript.read(path)


def test_a_trace_that_is_gone_is_named(tmp_path):
    """The message says which file."""
    with pytest.raises(SourceError, match=r"gone\.jsonl"):
        Transcript.read(tmp_path / "gone.jsonl")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (User(text=""), Trust.USER),
        (Assistant(text=""), Trust.AGENT),
        (Reasoning(text=""), Trust.AGENT),
        (ToolCall(text="", tool="t", call="c"), Trust.TOOL),
        (ToolResult(text="", call="c"), Trust.TOOL),
        (Injected(text=""), Trust.INJECTED),
        (Event(text="", kind=Happening.ERROR), Trust.TOOL),
        (Moved(text=""), Trust.TOOL),
    ],
)
def test_every_line_has_a_speaker(line, expected):
    """Only two of them can create a memory."""
    assert expected is speaker(line)


def test_an_empty_transcript_ends_at_its_header():
    """A session without lines is a session."""
    empty = Transcript(HEADER, ())

    assert (1, (), []) == (empty.last, empty.messages, list(empty.between(1, 5)))
    assert Numbered(2, LINES[0]) == Transcript(HEADER, (Numbered(2, LINES[0]),)).messages[0]
