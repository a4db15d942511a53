"""Copilot CLI sessions, events or an old document, become traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.copilot import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "copilot"
QUIRKS = sorted(folder.name for folder in HERE.iterdir())
EVENTS = ["decisions", "not_typed", "other_agents", "permissions", "resumed", "turns"]


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_session_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each quirk of the format leads to the canonical trace beside it."""
    golden(SOURCE, HERE / quirk)


@pytest.mark.parametrize("quirk", EVENTS)
def test_a_growing_session_only_adds_lines(quirk: str, tmp_path: Path) -> None:
    """At whatever line a live file is read, its lines are the first lines of the finished session."""
    whole = _session(quirk)
    live = tmp_path / whole.name
    expected = _standing(whole)
    records = whole.read_bytes().splitlines(keepends=True)

    for count in range(1, len(records) + 1):
        live.write_bytes(b"".join(records[:count]))
        lines = _standing(live)

        assert expected[: len(lines)] == lines


def test_tokens_are_what_the_session_ended_with() -> None:
    """The count at the end covers all models; before, only the answers' own counts are known."""
    reading = SOURCE.read(_ref(_session("turns")))
    list(reading.lines)

    assert (900, 40) == (reading.account.input_tokens, reading.account.output_tokens)


def test_sessions_lie_in_the_copilot_home(tmp_path: Path) -> None:
    """COPILOT_HOME moves everything; versions before 1.0 also followed XDG_CONFIG_HOME."""
    folders = ["session-state", "history-session-state"]

    assert [tmp_path / ".copilot" / name for name in folders] == SOURCE.roots(Machine(tmp_path, {}))
    assert [Path("/data") / name for name in folders] == SOURCE.roots(Machine(tmp_path, {"COPILOT_HOME": "/data"}))
    assert Path("/x/.copilot/session-state") in SOURCE.roots(Machine(tmp_path, {"XDG_CONFIG_HOME": "/x"}))


def test_a_session_is_named_by_its_folder(tmp_path: Path) -> None:
    """The newest sessions have a folder each, older ones a file; other files in a session's folder are none."""
    (tmp_path / "abc").mkdir()
    for name in ("abc/events.jsonl", "abc/plan.jsonl", "def.jsonl", "session_ghi_1.json"):
        (tmp_path / name).write_text("{}")

    found = [ref.run_id for container in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(container)]

    assert ["abc", "def", "session_ghi_1"] == found


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever a copied session is called, its content tells whose it is."""
    loose = tmp_path / "full.txt"
    loose.write_bytes(_session(quirk).read_bytes())

    assert SOURCE.accepts(loose)


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b'{"sessionId":"s","type":"user"}\n', b"[]", b"{\n"])
def test_other_files_are_neither_recognized_nor_read(content: bytes, tmp_path: Path) -> None:
    """Other agents' sessions, empty files and binary ones are left to others."""
    loose = tmp_path / "session.json"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.json")
    with pytest.raises(SourceError, match=r"session\.json"):
        SOURCE.read(_ref(loose))


def _session(quirk: str) -> Path:
    return next(path for path in sorted((HERE / quirk).rglob("*.json*")) if path.name != "expected.jsonl")


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.stem)


def _standing(path: Path) -> list[Line]:
    """The lines as if nothing had been taken back: that is the one thing that may change in an earlier line."""
    return [replace(line, undone=False) for line in SOURCE.read(_ref(path)).lines]
