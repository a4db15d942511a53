"""A small coding agent for the catalog's tests: a folder of text files, one session each, and of JSON databases."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from lerim.errors import SourceError
from lerim.sessions.catalog import Catalog
from lerim.sessions.queue import Queue, Rules
from lerim.sessions.routing import Atlas, Registered
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.trace import Header, User
from lerim.storage.database import Database


class FakeAgent:
    """`<run>.log`: a JSON header, then a line for each prompt. `<name>.db`: a JSON object of several sessions."""

    name = "fake"
    title = "Fake Agent"

    def __init__(self) -> None:
        #: Names of the sessions that were really opened.
        self.reads: list[str] = []

    def roots(self, machine: Machine) -> list[Path]:
        return [machine.home / ".fake", machine.home / ".fake-old"]

    def containers(self, root: Path) -> Iterator[Container]:
        folders = [os.fspath(root)]
        while folders:
            try:
                entries = os.scandir(folders.pop())
            except FileNotFoundError:
                continue
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith((".log", ".db")):
                    stat = entry.stat()
                    yield Container(self.name, Path(entry.path), (stat.st_mtime_ns, stat.st_size, stat.st_ino))

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        if container.path.suffix == ".log":
            yield SessionRef(self.name, container.path, container.path.stem)
            return
        for run_id, session in self._database(container.path).items():
            yield SessionRef(self.name, container.path, run_id, fingerprint=str(session["version"]))

    def accepts(self, path: Path) -> bool:
        return path.suffix in {".log", ".db"}

    def read(self, ref: SessionRef) -> Reading:
        self.reads.append(ref.run_id)
        account = Account()
        if ref.path.suffix == ".db":
            session = self._database(ref.path)[ref.run_id]
            return Reading(Header(agent=self.name, run_id=ref.run_id, **session["header"]), [], account)
        first, *rest = ref.path.read_text("utf-8").splitlines()
        try:
            header = Header(agent=self.name, run_id=ref.run_id, **json.loads(first))
        except ValueError as error:
            raise SourceError(f"cannot read {ref.path}: no header") from error
        return Reading(header, [User(text=line) for line in rest], account)

    def _database(self, path: Path) -> dict[str, dict[str, dict[str, str]]]:
        try:
            found: dict[str, dict[str, dict[str, str]]] = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise SourceError(f"{path} is locked") from error
        return found


class Laptop:
    """A machine with a Fake Agent on it, and the catalog and queue that watch it."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.home = folder / "user"
        self.agent = FakeAgent()
        self.machine = Machine(self.home, {})
        self.database = database
        self.now = 1_000_000.0
        self.app = self.folder("app")
        self.projects = [Registered("prj-app", self.app)]
        self.since = None
        self._age = 1_700_000_000

    def folder(self, name: str) -> Path:
        path = self.home.parent / name
        path.mkdir(parents=True)
        return path

    def file(self, name: str) -> Path:
        path = self.home / ".fake" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, *lines: str, cwd: Path | str | None = None, **header: str) -> Path:
        """A session's file; each call makes the file a second younger than all before it."""
        path = self.file(name)
        header = {"cwd": str(cwd or self.app)} | header
        path.write_text("\n".join([json.dumps(header), *lines]) + "\n", "utf-8")
        return self.touch(path)

    def write_database(self, name: str, **sessions: str) -> Path:
        """A database with a version for each session."""
        path = self.file(name)
        headers = {run: {"cwd": str(self.app), "started": f"2026-01-01T00:00:0{i}Z"} for i, run in enumerate(sessions)}
        path.write_text(json.dumps({run: {"version": v, "header": headers[run]} for run, v in sessions.items()}))
        return self.touch(path)

    def append(self, path: Path, *lines: str) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        self.touch(path)

    def touch(self, path: Path, at: int | None = None) -> Path:
        self._age += 1
        os.utime(path, (at or self._age, at or self._age))
        return path

    @property
    def catalog(self) -> Catalog:
        return Catalog(self.database, Atlas(tuple(self.projects), self.home / ".lerim"), self.since)

    def discover(self):
        return self.catalog.discover([self.agent], self.machine)

    def queue(self, **rules: float) -> Queue:
        return Queue(self.database, lambda: 1.0, Rules(**rules), clock=lambda tx: self.now)

    def states(self) -> dict[str, str]:
        """What became of each session: its state, and the reason if there is one."""
        return {
            session.run_id: str(session.state) + (f": {session.reason}" if session.reason else "")
            for session in self.queue().list()
        }

    def work_off(self) -> list[str]:
        """Complete everything that can be claimed; the runs in the order they were taken."""
        queue, order = self.queue(), []
        while job := queue.claim("worker"):
            order.append(job.session.run_id)
            queue.complete(job)
        return order


@pytest.fixture
def sessions_database(engine: Any, tmp_path: Path) -> Iterator[Database]:
    database = engine.open(tmp_path, "sessions")
    yield database
    database.close()


@pytest.fixture
def laptop(tmp_path: Path, sessions_database: Database) -> Laptop:
    return Laptop(tmp_path, sessions_database)


@pytest.fixture
def new_laptop(engine: Any, tmp_path: Path) -> Iterator[Callable[[str], Laptop]]:
    """Laptops with databases of their own, for tests that need several."""
    with ExitStack() as opened:

        def make(name: str) -> Laptop:
            folder = tmp_path / name
            folder.mkdir()
            return Laptop(folder, opened.enter_context(closing(engine.open(folder, "sessions"))))

        yield make
