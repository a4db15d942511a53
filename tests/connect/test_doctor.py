"""`lerim connect doctor`: each connection tried as its agent would, and what is wrong with it named."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.connect.agents import AGENTS, Ground
from lerim.connect.command_line import Launcher
from lerim.connect.doctor import ConnectionCheck, examine
from lerim.connect.room import Connector

from .conftest import PROGRAM as RUN_LERIM


class Clinic:
    """A home with a `lerim` in a folder with a blank in its name, and agents connected to it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.lerim = folder / "my tools" / "lerim"
        self.put_program(self.lerim, f'exec {sys.executable} -P -c "{RUN_LERIM}" "$@"')
        env = {"HOME": str(folder), "PATH": f"{folder / 'bin'}{os.pathsep}{os.defpath}", "PYTHONUTF8": "1"}
        self.ground = Ground(folder, env, Launcher(str(self.lerim)))

    @property
    def connector(self) -> Connector:
        return Connector(self.home / ".lerim", self.ground, datetime.now(UTC))

    def put_program(self, path: Path, line: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def connect(self, name: str) -> None:
        connector = self.connector
        connector.connect(connector.plan([AGENTS[name]]))

    def look(self, *names: str) -> dict[str, ConnectionCheck]:
        found = examine(self.connector, self.ground, [AGENTS[name] for name in names])
        return {check.name: check for check in found}

    def without_server(self, path: str, key: str) -> None:
        """Take the server out of a file, where it is not what a test is about."""
        file = self.home / path
        document = json.loads(file.read_text())
        del document[key]["lerim"]
        file.write_text(json.dumps(document))


@pytest.fixture
def clinic(tmp_path: Path) -> Clinic:
    return Clinic(tmp_path)


def test_a_connection_that_works_is_proved(clinic: Clinic) -> None:
    """The hook gives the brief as Claude Code takes it, the server answers, and nothing is left behind."""
    clinic.connect("claude")
    before = sorted(clinic.home.rglob("*"))

    checks = clinic.look()

    assert {"entries", "hook SessionStart", "hook SessionEnd", "hook PreCompact", "mcp"} == checks.keys()
    assert all(check.ok for check in checks.values()), checks
    assert "gives a new session its brief" == checks["hook SessionStart"].said
    assert "the server lerim answers" in checks["mcp"].said
    assert before == sorted(clinic.home.rglob("*"))


@pytest.mark.parametrize(
    "name", ["codex", "gemini", "copilot", "vscode", "cursor", "cline", "droid", "kiro", "opencode", "pi"]
)
def test_every_hook_speaks_as_its_agent_listens(clinic: Clinic, name: str) -> None:
    """The canary of a brief comes out where this agent looks for it."""
    clinic.connect(name)
    entries = {entry.edit.label: entry for entry in AGENTS[name].parts(clinic.ground)}
    # Starting the server each time is not what this is about.
    mcp = entries["mcp"].path
    mcp.unlink() if mcp.suffix != ".json" or name != "gemini" else clinic.without_server(
        ".gemini/settings.json", "mcpServers"
    )

    said = [check.said for check in clinic.look(name).values()]

    assert "gives a new session its brief" in said


def test_nothing_is_said_where_nothing_is_connected(clinic: Clinic) -> None:
    assert {} == clinic.look()


def test_an_entry_that_an_agent_dropped_is_noticed(clinic: Clinic) -> None:
    """And the command that puts it back."""
    clinic.connect("claude")
    settings = clinic.home / ".claude" / "settings.json"
    settings.write_text("{}")
    clinic.without_server(".claude.json", "mcpServers")

    checks = clinic.look()

    assert (False, "lerim connect claude") == (checks["hook SessionStart"].ok, checks["hook SessionStart"].hint)
    assert checks["hook SessionStart"].said.endswith("settings.json: was dropped")
    assert not checks["mcp"].ok


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("exit 3", "it ended with 3"),
        ("echo 'Welcome!'", "not what the agent takes"),
        ('echo \'{"additionalContext": "lerim-doctor-canary"}\'', "not what the agent takes"),
        ("true", "not what the agent takes"),
    ],
)
def test_a_hook_that_does_not_do_its_work_is_found_out(clinic: Clinic, line: str, said: str) -> None:
    """Another program in Lerim's place, one that prints too much, the wrong shape, or nothing."""
    clinic.connect("codex")
    (clinic.home / ".codex" / "config.toml").unlink()
    clinic.put_program(clinic.lerim, line)

    check = clinic.look()["hook SessionStart"]

    assert not check.ok
    assert said in check.said


def test_a_program_that_is_gone_is_found_out(clinic: Clinic) -> None:
    """As after a move of the environment it was installed in."""
    clinic.connect("pi")
    clinic.lerim.unlink()

    checks = clinic.look()

    assert not checks["extension"].ok
    assert "does not answer" in checks["mcp"].said
    assert "lerim connect pi" == checks["mcp"].hint


def test_hooks_that_the_user_turned_off_are_mentioned(clinic: Clinic) -> None:
    clinic.connect("gemini")
    settings = clinic.home / ".gemini" / "settings.json"
    document = json.loads(settings.read_text()) | {"hooksConfig": {"enabled": False}}
    del document["mcpServers"]
    settings.write_text(json.dumps(document))

    assert "take hooksConfig.enabled out of" in clinic.look()["switch"].hint


#: A Codex that answers `hooks/list` over its app server, in the words of the real one.
CODEX = r"""
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said.get("method") == "initialize":
        print(json.dumps({"method": "configWarning", "params": {}}), flush=True)
        print(json.dumps({"id": said["id"], "result": {"userAgent": "codex"}}), flush=True)
    elif said.get("method") == "hooks/list":
        hooks = [
            {"key": "k", "eventName": event, "command": command, "trustStatus": trust, "currentHash": "sha256:0"}
            for event, command, trust in TRUST
        ]
        print(json.dumps({"id": said["id"], "result": {"data": [{"cwd": "/", "hooks": hooks}]}}), flush=True)
"""


def put_codex(clinic: Clinic, trust: Any) -> None:
    script = clinic.home / "codex.py"
    script.write_text(f"TRUST = {trust!r}\n{CODEX}")
    clinic.put_program(clinic.home / "bin" / "codex", f"exec {sys.executable} {script}")


def test_codex_is_asked_what_it_trusts(clinic: Clinic) -> None:
    """What the user has still to do is said, for our hooks and no others."""
    ours = "'/x/lerim' hook session-start --agent codex"
    put_codex(clinic, [("sessionStart", ours, "untrusted"), ("stop", ours, "trusted"), ("stop", "other", "modified")])
    clinic.connect("codex")
    (clinic.home / ".codex" / "config.toml").unlink()

    checks = {name: check for name, check in clinic.look().items() if name.startswith("trust")}

    assert {"trust sessionStart", "trust stop"} == checks.keys()
    assert not checks["trust sessionStart"].ok
    assert "/hooks" in checks["trust sessionStart"].hint
    assert checks["trust stop"].ok


def test_a_codex_that_does_not_see_the_hooks_is_a_problem(clinic: Clinic) -> None:
    put_codex(clinic, [])
    clinic.connect("codex")
    (clinic.home / ".codex" / "config.toml").unlink()

    assert "codex does not see the hooks" == clinic.look()["trust"].said


def test_a_codex_that_does_not_tell_is_no_problem(clinic: Clinic) -> None:
    """An older one has no such question."""
    clinic.put_program(clinic.home / "bin" / "codex", "exit 2")
    clinic.connect("codex")
    (clinic.home / ".codex" / "config.toml").unlink()

    assert clinic.look()["trust"].ok
