"""A project that is served, as a person does it with `lerim serve`, and a browser's way in."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lerim.context.place import Kept
from lerim.context.records import Draft, Primitive, Record
from lerim.examples import install
from lerim.service import Lerim

#: Seconds. Everything is waited for as long as a busy machine may need: nothing here is about time.
PATIENCE = int(os.environ.get("LERIM_PATIENCE", "60"))
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
_LERIM = (sys.executable, "-P", "-c", "from lerim.cli.main import run; run()")


@dataclass(frozen=True)
class Machine:
    """A home, and a project in it. Their names have to be escaped, in a page as in a path."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "ada & co"

    @property
    def project(self) -> Path:
        return self.home / "berths <b>"

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LERIM_")}
        return {**kept, "HOME": str(self.home), "LERIM_NO_HELPER": "1", "PYTHONUNBUFFERED": "1"}

    def make(self) -> None:
        (self.project / ".git").mkdir(parents=True)

    def run(self, *command: str | Path) -> str:
        """What a command prints; it must not fail, but may have something to say (3)."""
        done = subprocess.run(command, cwd=self.project, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), f"{command}: {done.stdout} {done.stderr}"
        return done.stdout

    def lerim(self, *words: str | Path) -> str:
        return self.run(*_LERIM, *words)

    def json(self, *words: str) -> Any:
        return json.loads(self.lerim(*words, "--json"))

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A command that goes on while a test looks."""
        pipe = subprocess.PIPE
        return subprocess.Popen((*_LERIM, *words), cwd=self.project, env=self.env, stdout=pipe, stderr=pipe, text=True)

    def open(self) -> Lerim:
        return Lerim(self.project, env=self.env)

    def add(self, title: str, body: str = "", **fields: Any) -> Kept:
        with self.open() as lerim:
            return lerim.memory.add(Draft(fields.pop("primitive", Primitive.DECISION), title, body, **fields))

    def record(self, record_id: str) -> Record:
        """What the memory has of a record by now."""
        with self.open() as lerim:
            return lerim.memory.find(record_id).record


@dataclass(frozen=True)
class Served:
    """A machine whose memory is served."""

    machine: Machine
    url: str
    token: str

    def login(self) -> str:
        """A link that lets one browser in, once."""
        asked = urllib.request.Request(f"{self.url}/login/link", method="POST")
        asked.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return str(json.load(answer)["url"])

    def at(self, path: str) -> str:
        """The address of a page of the project."""
        return f"{self.url}/p/here{path}"


@contextmanager
def serving(machine: Machine, *flags: str) -> Iterator[Served]:
    """Serve what a machine remembers. Nothing that a browser asks may end in a traceback."""
    log = machine.folder / "server.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            (*_LERIM, "serve", "--port", "0", "--json", *flags),
            cwd=machine.project,
            env=machine.env,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout
    try:
        told = json.loads(process.stdout.readline() or "{}")
        assert told, log.read_text()
        yield Served(machine, told["url"].rstrip("/"), Path(told["token_file"]).read_text())
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert "Traceback" not in log.read_text()


def example(folder: Path) -> Machine:
    """The example sessions, read."""
    machine = Machine(folder)
    machine.make()
    install(machine.home, machine.project, datetime.now(UTC))
    machine.lerim("sync")
    return machine


def large(folder: Path, count: int) -> Machine:
    """A memory of so many records, and the example sessions. Vectors are made up, since real ones take far longer."""
    machine = Machine(folder)
    machine.make()
    source = folder / "memories.jsonl"
    _memories().write(source, count)
    machine.lerim("init")
    machine.lerim("memory", "import", source)
    machine.run(sys.executable, BENCHMARKS / "vectors.py", "index")
    install(machine.home, machine.project, datetime.now(UTC))
    machine.lerim("sync")
    return machine


def _memories() -> Any:
    """The module that makes memories up for the benchmarks."""
    spec = importlib.util.spec_from_file_location("memories", BENCHMARKS / "memories.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
