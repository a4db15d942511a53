"""Every agent is known by its name and by the content of its files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lerim.errors import NotFound
from lerim.sources.base import Machine
from lerim.sources.registry import SOURCES, recognize, source_for

HERE = Path(__file__).parent
AGENTS = [
    "claude",
    "codex",
    "cursor",
    "crush",
    "opencode",
    "gemini",
    "qwen",
    "kimi",
    "copilot",
    "vscode",
    "openclaw",
    "pi",
    "cline",
    "continue",
    "aider",
    "droid",
    "kiro",
    "grok",
    "goose",
    "openhands",
    "entire",
    "zed",
    "custom",
]


def test_every_agent_is_there_once() -> None:
    """One line each, and each is found under its name."""
    assert AGENTS == [source.name for source in SOURCES]
    assert list(SOURCES) == [source_for(name) for name in AGENTS]


def test_an_unknown_agent_is_an_error_that_names_the_known() -> None:
    """Whoever mistypes a name sees the right ones."""
    with pytest.raises(NotFound, match="'clade'") as raised:
        source_for("clade")

    assert "claude" in str(raised.value.hint)


@pytest.mark.parametrize("name", AGENTS)
def test_looking_for_sessions_needs_no_agent(name: str, tmp_path: Path) -> None:
    """On a machine without the agent there is nothing, and that is no error."""
    source = source_for(name)
    machine = Machine(tmp_path, {}, "linux")

    assert [] == [found for root in source.roots(machine) for found in source.containers(root)]


def test_a_file_of_nobody_is_not_recognized(tmp_path: Path) -> None:
    """Neither empty files nor folders, pictures, programs or prose are sessions."""
    for name, content in {
        "a": b"",
        "b": b"\x89PNG\r\n",
        "c": b"import os\n",
        "d": b"# Notes\n\ntext",
        "e": b"{}",
    }.items():
        (tmp_path / name).write_bytes(content)
        assert recognize(tmp_path / name) is None

    assert recognize(tmp_path) is None
    assert recognize(tmp_path / "missing") is None


def test_starting_the_command_imports_no_source() -> None:
    """`lerim --help` must not pay for adapters it does not use."""
    code = "import sys, lerim.cli.main; print([name for name in sys.modules if name.startswith('lerim.sources.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "registry" not in done.stdout
    assert "claude" not in done.stdout
