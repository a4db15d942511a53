"""Sessions of Grok Build become traces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.grok import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "grok"
CHAT = HERE / "chat/%2Fw%2Fshop/019f6851-0000-7000-8000-000000000001/chat_history.jsonl"


def test_sessions_read_as_expected(golden: Callable[..., list[Account]]) -> None:
    """Words in their tag, what the program put beside them, an interruption, a search, a subagent's session."""
    golden(SOURCE, HERE / "chat")


def test_a_growing_session_only_adds_lines(tmp_path: Path) -> None:
    live, expected = tmp_path / CHAT.name, _lines(CHAT)
    written = CHAT.read_bytes().splitlines(keepends=True)
    for count in range(1, len(written) + 1):
        live.write_bytes(b"".join(written[:count]))
        lines = _lines(live)

        assert expected[: len(lines)] == lines


def test_without_its_summary_the_folder_is_in_the_path(tmp_path: Path) -> None:
    """A session that was just begun has none."""
    folder = tmp_path / "%2Fw%2Fshop" / "s1"
    folder.mkdir(parents=True)
    (folder / CHAT.name).write_bytes(CHAT.read_bytes())

    assert "/w/shop" == SOURCE.read(SessionRef("grok", folder / CHAT.name, "s1")).header.cwd


def test_only_groks_files_are_accepted(tmp_path: Path) -> None:
    other = tmp_path / "x.jsonl"
    other.write_text('{"type":"user","message":{"content":"hi"}}\n')

    assert SOURCE.accepts(CHAT)
    assert not SOURCE.accepts(other)


def test_sessions_lie_where_the_environment_says() -> None:
    assert [Path("/h/.grok/sessions")] == SOURCE.roots(Machine(Path("/h"), {}))
    assert [Path("/g/sessions")] == SOURCE.roots(Machine(Path("/h"), {"GROK_HOME": "/g"}))


def _lines(path: Path) -> list[Line]:
    return list(SOURCE.read(SessionRef("grok", path, "x")).lines)
