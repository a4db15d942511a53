"""Continue's sessions, of its program and of editors, become traces."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.continue_dev import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "continue"
PROGRAM = HERE / "program/sessions/a1b062c0-0000-4000-8000-000000000001.json"


@pytest.mark.parametrize("quirk", ["program", "editor"])
def test_sessions_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Answers, a refusal, a compaction and the word that the program says after it; results told once."""
    golden(SOURCE, HERE / quirk, root=HERE / quirk / "sessions")


def test_calls_that_end_in_any_order_keep_their_lines(tmp_path: Path) -> None:
    """The document is written anew whenever one of several calls ends; what is there is told when all have."""
    document = json.loads(PROGRAM.read_text())
    states = document["history"][2]["toolCallStates"]
    document["history"] = document["history"][:3]
    before: list[Line] = []
    for ended in ((), (2,), (2, 0), (2, 0, 1)):
        document["history"][2]["toolCallStates"] = [
            state if at in ended else _running(state) for at, state in enumerate(states)
        ]
        lines = _lines(tmp_path, document)

        assert before == lines[: len(before)]
        before = lines
    assert 3 == sum(line.type == "tool_result" for line in before)


def test_an_answer_counts_only_from_the_program_own_tool(tmp_path: Path) -> None:
    """A server's tool that says the same is a tool that said something."""
    document = json.loads(PROGRAM.read_text())
    for item in (document["history"][2]["message"]["toolCalls"][1], document["history"][2]["toolCallStates"][1]):
        (item.get("toolCall") or item)["function"]["name"] = "mcp_AskQuestion"

    assert not any("9090" in line.text for line in _lines(tmp_path, document) if line.type == "user")


def test_the_list_beside_them_is_no_session() -> None:
    """It is where their times are."""
    (found,) = SOURCE.containers(HERE / "program" / "sessions")

    assert found.path == PROGRAM
    assert SOURCE.accepts(PROGRAM)
    assert not SOURCE.accepts(PROGRAM.with_name("sessions.json"))


def test_sessions_lie_where_the_environment_says() -> None:
    assert [Path("/h/.continue/sessions")] == SOURCE.roots(Machine(Path("/h"), {}))
    assert [Path("/c/sessions")] == SOURCE.roots(Machine(Path("/h"), {"CONTINUE_GLOBAL_DIR": "/c"}))


def _running(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "output"} | {"status": "calling"}


def _lines(folder: Path, document: object) -> list[Line]:
    path = folder / "session.json"
    path.write_text(json.dumps(document))
    return list(SOURCE.read(SessionRef("continue", path, "session")).lines)
