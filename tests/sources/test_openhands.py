"""OpenHands' conversations, a file for each event, become traces."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.openhands import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "openhands"
NAME = "5cbf151c0c994e14bceef0368d3e7267"


@pytest.fixture(autouse=True)
def _somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events have the time of the machine, without a zone."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def test_a_conversation_reads_as_expected(golden: Callable[..., list[Account]]) -> None:
    """Refusals of the user and of a hook, what the program says in the user's name, another agent's words."""
    golden(SOURCE, HERE / "conversation")


def test_a_conversation_that_grows_only_adds_lines(tmp_path: Path) -> None:
    """An event more is a file more; every one changes what the session is known by."""
    expected = _lines(HERE / "conversation" / NAME)
    live = tmp_path / NAME
    (live / "events").mkdir(parents=True)
    shutil.copy(HERE / "conversation" / NAME / "base_state.json", live)
    marks = set()
    files = sorted((HERE / "conversation" / NAME / "events").iterdir())
    for file in files:
        shutil.copy(file, live / "events")
        lines = _lines(live)
        marks |= {ref.fingerprint for found in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(found)}

        assert expected[: len(lines)] == lines
    assert len(files) == len(marks)


def test_a_damaged_event_costs_only_itself(tmp_path: Path) -> None:
    """And one that is being written, as the state is all the time."""
    live = tmp_path / NAME
    shutil.copytree(HERE / "conversation" / NAME, live)
    (live / "base_state.json").write_text('{"id": "5c')
    first, *_ = sorted((live / "events").iterdir())
    first.write_text("{")
    reading = SOURCE.read(SessionRef("openhands", live / "base_state.json", NAME))

    assert "use pnpm, not npm" in [line.text for line in reading.lines]
    assert [1] == [trouble.line for trouble in reading.account.bad]


def test_a_folder_without_events_says_so(tmp_path: Path) -> None:
    (tmp_path / "base_state.json").write_text("{}")

    with pytest.raises(SourceError, match="no events"):
        SOURCE.read(SessionRef("openhands", tmp_path / "base_state.json", "x"))
    assert not SOURCE.accepts(tmp_path / "base_state.json")


def test_conversations_lie_where_the_environment_says() -> None:
    home = Path("/h")

    assert [home / ".openhands/conversations"] == SOURCE.roots(Machine(home, {}))
    assert [Path("/o/conversations")] == SOURCE.roots(Machine(home, {"OPENHANDS_PERSISTENCE_DIR": "/o"}))
    assert [Path("/c")] == SOURCE.roots(Machine(home, {"OPENHANDS_CONVERSATIONS_DIR": "/c"}))


def _lines(folder: Path) -> list[Line]:
    return list(SOURCE.read(SessionRef("openhands", folder / "base_state.json", NAME)).lines)
