"""`lerim connect` and `lerim disconnect` as people type them: shown first, asked, done, undone."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SETTINGS = '{\n  "permissions": {"allow": []}\n}\n'


@pytest.fixture
def settings(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of a Claude Code in this home, where nothing else is."""
    monkeypatch.setenv("PATH", "")
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    return path


def on_terminal(shell: Any, answer: bytes, *argv: str) -> tuple[int, str]:
    """Type a command on a terminal, and what it asks for."""
    leader, follower = pty.openpty()
    code = f"import sys; from lerim.cli.main import main; sys.exit(main({[*argv]!r}))"
    streams = {"stdin": follower, "stdout": follower, "stderr": follower}
    process = subprocess.Popen([sys.executable, "-c", code], **streams, cwd=shell.project, env={**os.environ})  # type: ignore[call-overload]
    os.close(follower)
    said = b""
    try:
        while piece := os.read(leader, 65_536):
            said += piece
            if b"[y/N]" in piece:
                os.write(leader, answer + b"\n")
    except OSError:
        pass  # A terminal that nobody writes to any more.
    os.close(leader)
    return process.wait(), said.decode()


def test_nothing_is_written_where_nobody_can_be_asked(shell, settings, tmp_path):
    """The change is shown all the same, and the way to agree to it."""
    done = shell("connect", "claude")

    assert 2 == done.code
    assert '+        "matcher": "startup|clear|compact",' in done.out.splitlines()
    assert "add --yes" in done.err
    assert SETTINGS == settings.read_text()
    assert not (tmp_path / ".claude.json").exists()


def test_a_person_is_asked(shell, settings):
    """No is no, and yes is yes; both after the diff."""
    assert 1 == on_terminal(shell, b"n", "connect", "claude")[0]
    assert SETTINGS == settings.read_text()

    code, said = on_terminal(shell, b"y", "connect", "claude")

    assert 0 == code
    assert said.index("+++ ") < said.index("Change 3 files? [y/N]") < said.index("claude connected")
    assert "hook session-start --agent claude" in settings.read_text()


def test_it_can_be_undone(shell, settings, tmp_path):
    shell.ok("connect", "claude", "--yes")
    assert "claude    Claude Code         connected" in shell.ok("connect", "list").out

    done = shell.ok("disconnect", "claude", "--yes")

    assert "claude disconnected" in done.out
    assert SETTINGS == settings.read_text()
    assert [".claude/settings.json"] == [
        path.relative_to(tmp_path).as_posix() for path in (tmp_path / ".claude").rglob("*") if path.is_file()
    ]
    assert "nothing of Lerim's was found" in shell.ok("disconnect", "claude", "--yes").out


def test_all_are_those_that_are_here(shell, settings, tmp_path):
    (tmp_path / ".gemini").mkdir()

    assert ["claude", "gemini"] == sorted(shell.ok("connect", "--all", "--yes", "--json").json["agents"])
    assert ["claude", "gemini"] == sorted(shell.ok("disconnect", "--all", "--yes", "--json").json["agents"])


def test_without_a_name_the_agents_are_listed(shell, settings):
    done = shell.ok("connect")

    assert "claude    Claude Code         not connected" in done.out.splitlines()
    assert "codex     Codex               not found" in done.out.splitlines()
    assert "--all" in done.err


def test_an_agent_that_cannot_be_connected_keeps_no_other_one_from_it(shell, settings, tmp_path):
    """It is said which, why and what to do; the exit code says that it was done in part."""
    settings.write_text('{"hooks": {')

    done = shell("connect", "claude", "gemini", "--yes")

    assert 3 == done.code
    assert f"{settings} was left as it is: line 1 is not valid JSON" in done.err
    assert "put it right, then: lerim connect claude" in done.err
    assert "gemini connected" in done.out
    assert '{"hooks": {' == settings.read_text()
    assert 1 == shell("connect", "claude", "--yes").code
    assert "claude    Claude Code         cannot be read" in shell.ok("connect", "list").out


def test_a_name_that_no_agent_has_is_corrected(shell):
    for words in (["connect", "cluade"], ["disconnect", "cluade"], ["connect", "doctor", "cluade"]):
        done = shell(*words)
        assert 2 == done.code
        assert "did you mean 'claude'?" in done.err
    assert "which agent?" in shell("disconnect").err


def test_what_codex_must_be_trusted_with_is_said(shell, settings):
    done = shell.ok("connect", "codex", "--yes")

    assert "left to do: Codex: Codex runs a hook only once you trust it" in done.out


def test_another_client_gets_the_entry_printed_or_written(shell, tmp_path):
    printed = json.loads(shell.ok("connect", "generic").out)
    file = tmp_path / "client.json"
    file.write_text('{"mcpServers": {"mine": {}}} // no more\n')

    shell.ok("connect", "generic", "--file", str(file), "--yes")
    assert printed["mcpServers"]["lerim"]["args"] == ["mcp"]
    assert json.loads(file.read_text().partition("//")[0])["mcpServers"] == {"mine": {}, **printed["mcpServers"]}

    shell.ok("disconnect", "generic", "--file", str(file), "--yes")
    assert '{"mcpServers": {"mine": {}}} // no more\n' == file.read_text()


def test_a_project_is_connected_where_one_is(shell, tmp_path, monkeypatch):
    """By the program's name, since others who work there have it elsewhere."""
    shell.ok("connect", "cursor", "--project", "--yes")
    assert "lerim hook session-start" in (shell.project / ".cursor" / "hooks.json").read_text()
    assert "alwaysApply: true" in (shell.project / ".cursor" / "rules" / "lerim.mdc").read_text()
    shell.ok("disconnect", "cursor", "--project", "--yes")
    assert not (shell.project / ".cursor").exists()

    monkeypatch.chdir(tmp_path)
    assert "there is no project here" in shell("connect", "cursor", "--project", "--yes").err


def test_the_doctor_tells_what_is_wrong_by_its_exit_code(shell, settings):
    assert "no agent is connected" in shell.ok("connect", "doctor").out
    shell.ok("connect", "claude", "--yes")
    settings.write_text("{}")

    done = shell("connect", "doctor")

    assert 1 == done.code
    assert "hook SessionStart" in done.out
    assert "lerim connect claude" in done.out


def test_a_folder_of_lerims_own_goes_into_the_entries(shell, settings, tmp_path):
    """An editor that is started from a menu knows nothing of the shell's variables."""
    shell.ok("connect", "claude", "--yes")

    home = str(tmp_path / "lerim-home")
    assert f"LERIM_HOME={home} " in settings.read_text()
    servers = json.loads((tmp_path / ".claude.json").read_text())["mcpServers"]
    assert {"LERIM_HOME": home} == servers["lerim"]["env"]
