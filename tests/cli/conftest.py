"""A shell to type commands into: the real command line, in a project of its own."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import msgspec
import pytest

from lerim import payloads
from lerim.cli.main import DEFAULT_VERBS, main

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


@cache
def documents() -> dict[str, list[Any]]:
    """Which types a command may answer with, as docs/json.md says."""
    modules = [import_module(f"{payloads.__name__}.{module.name}") for module in iter_modules(payloads.__path__)]
    known = {name: value for module in modules for name, value in vars(module).items() if name.endswith("Payload")}
    rows = re.findall(r"^\| `lerim ([^`]+)` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return {
        command: [
            list[known[name]] if many else known[name] for many, name in re.findall(r"(list of )?`(\w+Payload)`", cell)
        ]  # type: ignore[misc]
        for command, cell in rows
    }


def is_documented(argv: Sequence[str], document: Any) -> bool:
    """Whether a command may answer with a document: field by field, with nothing missing and nothing more."""
    words = [word for word in argv if not word.startswith("-")] or list(argv)
    types = (
        documents().get(" ".join(words[:2]))
        or documents().get(words[0])
        or documents()[f"{words[0]} {DEFAULT_VERBS[words[0]]}"]
    )
    return any(_is_a(document, kind) for kind in types)


def _is_a(document: Any, kind: Any) -> bool:
    try:
        # What the type does not know is dropped, and so is found missing.
        return bool(msgspec.convert(document, kind) == document)
    except msgspec.ValidationError:
        return False


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
        done = Done(code, captured.out, captured.err)
        if "--json" in argv and done.out:
            failed = isinstance(done.json, dict) and done.json.keys() == {"error", "hint"}
            assert failed or is_documented(argv, done.json), f"{argv}: {done.out}"
        return done

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
