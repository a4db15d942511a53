"""Hostile clones, opened with real commands: nothing outside changes, nothing hangs, what the user types is kept."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main

from .clones import Clone, World, clones

CLONES = clones()
#: What nobody may wait for. A clone is judged in far less; machines that run tests are shared.
PATIENCE = 30
_SAMPLE = 5


def chosen() -> list[Any]:
    """A sample of every kind in the default suite, the same each time; all of them in the drill."""
    sample = {clone.name for clone in random.Random(11).sample(CLONES, _SAMPLE)}
    marks: dict[bool, list[pytest.MarkDecorator]] = {True: [], False: [pytest.mark.drill]}
    return [pytest.param(clone, id=clone.name, marks=marks[clone.name in sample]) for clone in CLONES]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> World:
    """A user with a home, a project of their own, and things that are nobody's business."""
    for name in ("LERIM_HOME", "LERIM_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    home, outside, other = tmp_path / "home", tmp_path / "outside", tmp_path / "other"
    for folder in (home, outside / "public", other):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (outside / "photos.db").write_bytes(b"photo\0" * 500)
    (outside / "public" / "page.html").write_text("<p>public</p>")
    (home / "notes.txt").write_text("mine")
    git("init", "-q", cwd=other)
    monkeypatch.chdir(other)
    assert main(["memory", "add", "--primitive", "decision", "--title", "Use Postgres in the other project"]) == 0
    (home / ".lerim" / "config.toml").write_text("")
    tell(home, other, "11111111-1111-4111-8111-111111111111", "We decided to use tabs in the other project.")
    capsys.readouterr()
    return World(home, outside, other)


@pytest.fixture
def repo(tmp_path: Path, world: World) -> Path:
    repo = tmp_path / "clone"
    repo.mkdir()
    git("init", "-q", cwd=repo)
    (repo / "main.py").write_text("print()\n")
    tell(world.home, repo, "22222222-2222-4222-8222-222222222222", "We decided to use spaces in the clone.")
    return repo


def git(*words: str, cwd: Path) -> str:
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(["git", *words], cwd=cwd, env=quiet, capture_output=True, text=True, check=True).stdout


def tell(home: Path, cwd: Path, session: str, said: str) -> None:
    """A session of an agent, as it left it."""
    folder = home / ".claude" / "projects" / cwd.name
    folder.mkdir(parents=True)
    about = {"cwd": str(cwd), "sessionId": session, "version": "2.0.0", "isSidechain": False, "userType": "external"}
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 86_400))
    user = {"type": "user", "uuid": f"u-{session}", "parentUuid": None, "timestamp": at, **about}
    agent = {"type": "assistant", "uuid": f"a-{session}", "parentUuid": user["uuid"], "timestamp": at, **about}
    reply = {
        "id": "m",
        "role": "assistant",
        "model": "x",
        "content": [{"type": "text", "text": "Done, as you decided."}],
    }
    lines = [{**user, "message": {"role": "user", "content": said}}, {**agent, "message": reply}]
    file = folder / f"{session}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(file, (time.time() - 86_400,) * 2)


def canary(world: World, repo: Path) -> dict[str, str]:
    """Everything that is not Lerim's: what it is, and what it holds."""
    found: dict[str, str] = {}
    for root in (world.outside, world.home, world.other, repo):
        for folder, names, files in os.walk(root):
            names[:] = [name for name in names if name != ".lerim" or not (Path(folder) / name).is_dir()]
            names[:] = [name for name in names if name != ".lerim"]
            for name in (*names, *files):
                found[f"{folder}/{name}"] = _print(Path(folder) / name)
    return found


def _print(path: Path) -> str:
    about = path.lstat()
    small = path.is_file() and not path.is_symlink() and about.st_size < 1 << 20
    return f"{about.st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest() if small else about.st_size}"


@contextmanager
def patience() -> Iterator[None]:
    """Fails whoever waits: for a writer, for an end, for an engine that goes back and forth."""

    def fail(*_: object) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


Typed = Callable[..., tuple[int, str]]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type a command: its exit code, and all it said."""

    def typed(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        with patience():
            code = main(words)
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        # A check lists what it found with the way out of each, and who is done in part names the queue.
        assert code in (0, 3) or words == ("memory", "check") or "try:" in said.err, f"{words}: {said.err}"
        return code, said.out + said.err

    return typed


COMMANDS = (
    ("status",),
    ("config", "show"),
    ("project", "list"),
    ("memory", "list"),
    ("search", "releases"),
    ("ask", "where do we push releases?"),
    ("sync",),
    ("runs", "list"),
    ("memory", "check"),
)
_MINE = "My own decision about colors"


@pytest.mark.parametrize("clone", chosen())
def test_a_hostile_clone_changes_nothing_but_its_own_folder(
    clone: Clone, world: World, repo: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.lay(repo, world)
    before, store = canary(world, repo), global_files(world)
    monkeypatch.chdir(repo)

    for words in COMMANDS:
        typed(*words)
    code, said = typed("memory", "add", "--primitive", "decision", "--title", _MINE)
    typed("status")

    assert canary(world, repo) == before
    assert clone.can_keep == (code == 0), said
    assert global_files(world) == store, "what was said in a clone is no global memory"
    assert where_kept(world) == ({str(repo)} if clone.can_keep else set())
    assert talk_in_git(repo) == []


def global_files(world: World) -> set[str]:
    return {str(path) for path in (world.home / ".lerim" / "memory").rglob("*.md")}


def where_kept(world: World) -> set[str]:
    """The roots of the projects that keep what the user typed."""
    sql = "SELECT p.root FROM records r JOIN projects p ON p.id = r.project_id WHERE r.title = ?"
    with closing(sqlite3.connect(world.home / ".lerim" / "context.sqlite3")) as store:
        return {root for (root,) in store.execute(sql, (_MINE,))}


def talk_in_git(repo: Path) -> list[str]:
    """What git would take along of conversations; nothing where git itself would fail or wait forever."""
    read_by_git = (repo / ".git" / "config", *(repo / ".lerim").rglob(".gitignore"))
    if not all(path.is_file() and path.stat().st_size < 1 << 20 for path in read_by_git):
        return []
    seen = git("status", "--porcelain", "-uall", cwd=repo).splitlines()
    private = (".lerim/meta/", ".lerim/workspace/", ".lerim/index/", "summaries/")
    return [line for line in seen if any(part in line for part in private) and not line.endswith(".gitignore")]


def test_there_are_as_many_as_promised() -> None:
    assert len(CLONES) >= 60
    assert len({clone.name for clone in CLONES}) == len(CLONES)
