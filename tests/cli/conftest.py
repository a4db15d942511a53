"""A shell to type commands into: the real command line, in a project of its own."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Types commands in a folder, with Lerim's home in another."""

    def __init__(self, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = project
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    @property
    def memory(self) -> Path:
        return self.project / ".lerim" / "memory"

    def __call__(self, *argv: str, stdin: str | None = None) -> Done:
        if stdin is not None:
            self._monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        self._capsys.readouterr()
        code = main(argv)
        captured = self._capsys.readouterr()
        return Done(code, captured.out, captured.err)

    def ok(self, *argv: str, stdin: str | None = None) -> Done:
        done = self(*argv, stdin=stdin)
        assert 0 == done.code, done.err
        return done

    def add(self, title: str, *flags: str) -> dict[str, Any]:
        kind = () if {"--primitive", "--kind"} & set(flags) else ("--primitive", "decision")
        added: dict[str, Any] = self.ok("memory", "add", "--title", title, *kind, *flags, "--json").json
        return added


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    project = tmp_path / "shop"
    project.mkdir()
    for name in ("LERIM_CONFIG", "EDITOR", "VISUAL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LERIM_HOME", str(tmp_path / "lerim-home"))
    monkeypatch.chdir(project)
    shell = Shell(project.resolve(), capsys, monkeypatch)
    shell.ok("init")
    return shell
