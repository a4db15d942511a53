"""Gemini CLI sessions, as one document or as lines, become traces."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.gemini import SOURCE
from lerim.sources.trace import Injected, Injection, Line, User

HERE = Path(__file__).parent / "gemini"
QUIRKS = sorted(folder.name for folder in HERE.iterdir())
LINES = ["answers", "equal_ids", "lines", "own_commands", "subagent"]


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_session_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each quirk of the format leads to the canonical trace beside it."""
    golden(SOURCE, HERE / quirk)


@pytest.mark.parametrize("quirk", LINES)
def test_a_growing_session_only_adds_lines(quirk: str, tmp_path: Path) -> None:
    """At whatever line a live file is read, its lines are the first lines of the finished session."""
    whole = _session(quirk)
    live = tmp_path / whole.relative_to(HERE)
    live.parent.mkdir(parents=True)
    records = whole.read_bytes().splitlines(keepends=True)

    for count in range(1, len(records) + 1):
        live.write_bytes(b"".join(records[:count]))
        lines = _standing(live)

        assert _standing(whole)[: len(lines)] == lines


def test_a_message_written_again_counts_its_tokens_once() -> None:
    """The last record of a message replaces the earlier ones, tokens included."""
    reading = SOURCE.read(_ref(_session("lines")))
    list(reading.lines)

    assert (220, 14) == (reading.account.input_tokens, reading.account.output_tokens)


def test_the_directory_is_found_by_its_hash() -> None:
    """Old versions name a project by the hash of its directory; a path in a tool's output gives it away."""
    assert "/w/shop" == SOURCE.read(_ref(_session("document"))).header.cwd


def test_sessions_lie_in_the_home_directory(tmp_path: Path) -> None:
    """GEMINI_CLI_HOME replaces the home directory on every system."""
    assert [tmp_path / ".gemini/tmp"] == SOURCE.roots(Machine(tmp_path, {}, "darwin"))
    assert [Path("/data/.gemini/tmp")] == SOURCE.roots(Machine(tmp_path, {"GEMINI_CLI_HOME": "/data"}))


def test_only_chats_are_sessions(tmp_path: Path) -> None:
    """Logs, checkpoints and notes beside the chats are not sessions."""
    chats = tmp_path / "shop" / "chats"
    (chats / "parent").mkdir(parents=True)
    names = ["shop/logs.json", "shop/chats/session-a.json", "shop/chats/parent/b.jsonl", "shop/chats/notes.txt"]
    for name in names:
        (tmp_path / name).write_text("{}")

    assert [chats / "parent/b.jsonl", chats / "session-a.json"] == [found.path for found in SOURCE.containers(tmp_path)]


@pytest.mark.parametrize("quirk", [quirk for quirk in QUIRKS if quirk != "lines_damaged"])
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever a copied session is called, its beginning tells that it is Gemini's."""
    loose = tmp_path / "full.jsonl"
    loose.write_bytes(_session(quirk).read_bytes())

    assert SOURCE.accepts(loose)


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b'{"sessionId":"s","type":"user"}\n', b"[]"])
def test_other_files_are_neither_recognized_nor_read(content: bytes, tmp_path: Path) -> None:
    """Other agents' sessions, empty files and binary ones are left to others."""
    loose = tmp_path / "session.json"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.json")
    if b"sessionId" not in content:
        with pytest.raises(SourceError, match=r"session\.json"):
            SOURCE.read(_ref(loose))


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("<hook_context>&lt;memory&gt;\nUse npm.</hook_context>\n\nWhich one do we use?", ["Which one do we use?"]),
        ("Which one do we use?\n\n<hook_context>Use npm.</hook_context>", ["Which one do we use?"]),
        ("<hook_context>Use npm.</hook_context>\nAlways deploy.</hook_context>\n\nWhich one?", ["Which one?"]),
        ("<hook_context>Use npm. Always deploy.", []),
        ("What does </hook_context> mean?\n<hook_context>It", ["What does </hook_context> mean?"]),
    ],
)
def test_what_a_hook_gives_is_told_from_what_was_typed(text: str, typed: list[str], tmp_path: Path) -> None:
    """In one text with it: before it when a session starts without a terminal, behind it with a prompt."""
    records = [{"sessionId": "5b1d2c3e", "projectHash": "ac49", "startTime": "2026-04-14T08:00:00Z", "kind": "main"}]
    records.append({"id": "u1", "timestamp": "2026-04-14T08:00:01Z", "type": "user", "content": [{"text": text}]})
    path = tmp_path / "session-2026-04-14T08-00-5b1d2c3e.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))

    lines = _standing(path)

    assert typed == [line.text.strip() for line in lines if isinstance(line, User)]
    assert [Injection.HOOK] == [line.kind for line in lines if isinstance(line, Injected)]


def _session(quirk: str) -> Path:
    return next(path for path in sorted((HERE / quirk).rglob("*.json*")) if path.name != "expected.jsonl")


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.stem)


def _standing(path: Path) -> list[Line]:
    """The lines as if nothing had been taken back: that is the one thing that may change in an earlier line."""
    return [replace(line, undone=False) for line in SOURCE.read(_ref(path)).lines]
