"""Sessions of Kimi Code, and of the Kimi CLI before it, become traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.kimi import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "kimi"
CURRENT = HERE / "current/wd_shop_0a/session_0001/agents/main/wire.jsonl"
OLDER = next((HERE / "older/sessions").rglob("wire.jsonl"))


def test_kimi_code_reads_as_expected(golden: Callable[..., list[Account]]) -> None:
    """Who typed by its origin, queued words, decisions with a reason, an answer, taken back turns, a subagent."""
    golden(SOURCE, HERE / "current")


def test_the_kimi_cli_reads_as_expected(golden: Callable[..., list[Account]]) -> None:
    """Its folder is found by the digest of its path."""
    golden(SOURCE, HERE / "older", root=HERE / "older" / "sessions")


@pytest.mark.parametrize("session", [CURRENT, OLDER], ids=["current", "older"])
def test_a_growing_session_only_adds_lines(session: Path, tmp_path: Path) -> None:
    live = tmp_path / "wire.jsonl"
    expected = _standing(session)
    written = session.read_bytes().splitlines(keepends=True)
    for count in range(1, len(written) + 1):
        live.write_bytes(b"".join(written[:count]))
        lines = _standing(live)

        assert expected[: len(lines)] == lines


def test_words_are_told_once_whichever_record_is_whole(tmp_path: Path) -> None:
    """They come as a prompt and as a message."""
    written = CURRENT.read_text().splitlines(keepends=True)
    for damaged in (2, 3):
        live = tmp_path / "wire.jsonl"
        live.write_text("".join("oops\n" if at == damaged else line for at, line in enumerate(written)))

        assert 1 == [line.text for line in _standing(live) if line.type == "user"].count("use pnpm, not npm")


def test_only_kimis_files_are_accepted(tmp_path: Path) -> None:
    other = tmp_path / "x.jsonl"
    other.write_text('{"type":"session_meta","payload":{}}\n')

    assert SOURCE.accepts(CURRENT)
    assert SOURCE.accepts(OLDER)
    assert not SOURCE.accepts(other)


def test_sessions_lie_where_the_environment_says() -> None:
    assert [Path("/h/.kimi-code/sessions"), Path("/h/.kimi/sessions")] == SOURCE.roots(Machine(Path("/h"), {}))
    moved = {"KIMI_CODE_HOME": "/k", "KIMI_SHARE_DIR": "/s"}
    assert [Path("/k/sessions"), Path("/s/sessions")] == SOURCE.roots(Machine(Path("/h"), moved))


def _standing(path: Path) -> list[Line]:
    return [replace(line, undone=False) for line in SOURCE.read(SessionRef("kimi", path, "x")).lines]
