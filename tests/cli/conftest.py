"""A shell to type commands into: the real command line, in a project of its own."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import msgspec
import pytest

from lerim import payloads
from lerim.cli.main import DEFAULT_VERBS, main
from lerim.examples import install

from ..conftest import Prepared

#: Where a home keeps what a sync said that was made for it.
SAID = "said.json"
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


def sit_down(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As somebody whose home is this folder: in their project."""
    for name in ("LERIM_CONFIG", "EDITOR", "VISUAL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("LERIM_HOME", str(folder / "lerim-home"))
    project = folder / "shop"
    project.mkdir(exist_ok=True)
    monkeypatch.chdir(project)
    return project


def typed(*argv: str) -> Done:
    """What a command says to whoever types it where no test listens."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(argv)
    assert 0 == code, err.getvalue()
    return Done(code, out.getvalue(), err.getvalue())


def initialize(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        sit_down(folder, patch)
        typed("init")


@pytest.fixture(scope="session")
def initialized(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A home with a project that Lerim was told of, and nothing else."""
    return Prepared(tmp_path_factory.mktemp("initialized"), initialize)


def learn(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        project = sit_down(folder, patch)
        typed("init")
        install(folder, project, datetime.now(UTC))
        (folder / SAID).write_text(json.dumps(asdict(typed("sync"))))


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """The home of somebody who had the example sessions read, the newest of which ended yesterday."""
    return Prepared(tmp_path_factory.mktemp("learned"), learn)


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The home of whoever types into the shell."""
    for name, prepared in {"synced": "learned", "shell": "initialized"}.items():
        if name in request.fixturenames:
            found: Prepared = request.getfixturevalue(prepared)
            return found.anew()
    return tmp_path


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(sit_down(tmp_path, monkeypatch).resolve(), capsys, monkeypatch)


@pytest.fixture
def synced(shell: Shell, tmp_path: Path) -> Done:
    """What the first sync said, that of the example sessions."""
    return Done(**json.loads((tmp_path / SAID).read_text()))
