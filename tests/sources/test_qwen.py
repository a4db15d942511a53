"""Qwen Code sessions, a tree of records, become traces in file order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.qwen import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "qwen"
SESSION = HERE / "turns/projects/-w-shop/chats/7c1e6f0c-0000-4000-8000-000000000001.jsonl"


def test_a_session_is_read_as_expected(golden: Callable[..., list[Account]]) -> None:
    """Who typed, what was sent along, thoughts, calls and results, a refusal, a rewound answer, a queued prompt."""
    (account,) = golden(SOURCE, HERE / "turns")

    assert (10, 3) == (account.input_tokens, account.output_tokens)


def test_a_growing_session_only_adds_lines(tmp_path: Path) -> None:
    """At whatever line a live file is read, its lines are the first lines of the finished session."""
    live = tmp_path / SESSION.name
    expected = _standing(SESSION)
    records = SESSION.read_bytes().splitlines(keepends=True)

    for count in range(1, len(records) + 1):
        live.write_bytes(b"".join(records[:count]))
        lines = _standing(live)

        assert expected[: len(lines)] == lines


def test_sessions_lie_where_the_environment_says(tmp_path: Path) -> None:
    """One variable moves them all."""
    assert [tmp_path / ".qwen"] == SOURCE.roots(Machine(tmp_path, {}))
    assert [Path("/data/qwen")] == SOURCE.roots(Machine(tmp_path, {"QWEN_RUNTIME_DIR": "/data/qwen"}))


def test_records_of_claude_are_not_qwens(tmp_path: Path) -> None:
    """They have the same names around a message, and content in it."""
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"content":"hi"}}\n'
    )

    assert not SOURCE.accepts(path)
    assert SOURCE.accepts(SESSION)


def _standing(path: Path) -> list[Line]:
    """The lines as if nothing had been taken back: that is the one thing that may change in an earlier line."""
    return [replace(line, undone=False) for line in SOURCE.read(SessionRef("qwen", path, "x")).lines]
