"""What must never happen: a lost write, a half-written memory, a lock shown to a user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from lerim.context.records import Draft, Primitive
from lerim.service import Lerim

HERE = Path(__file__).parent


def run_program(name: str, *argv: str, env: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(HERE / name), *argv],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=280,
    )
    assert 0 == done.returncode, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    # In memory, where there is some: a kill is the same there, and a drill waits for no disk.
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as scratch:
        yield {
            "HOME": str(tmp_path),
            "LERIM_HOME": str(tmp_path / "lerim"),
            "TMPDIR": scratch,
            "LERIM_CONFIG": "",
        }


@pytest.mark.parametrize("kills", [8, pytest.param(320, marks=pytest.mark.drill)])
def test_kills_at_random_moments_lose_nothing(env: dict[str, str], kills: int) -> None:
    """Whatever a process was doing when it was killed, every acknowledged write is there and the memory is sound."""
    report = run_program("crash.py", "random", str(kills), "20260220", env=env)

    assert [] == report["wrong"]
    assert kills == report["kills"]
    assert report["acknowledged"] > kills


@pytest.mark.parametrize("points", [3, pytest.param(90, marks=pytest.mark.drill)])
def test_a_kill_before_any_line_of_a_step_loses_nothing(env: dict[str, str], points: int) -> None:
    """Add, revise, archive, restore, supersede, undo and edit survive a kill anywhere from first line to last."""
    report = run_program("crash.py", "stepped", str(points), "7", env=env)

    assert [] == report["wrong"]
    assert report["kills"] > 5 * points


#: What Lerim does to keep its house. With the kills above and those of a sync, `make drill` kills over 2,000 times.
KEEPING = ("back_up", "restore", "index", "register", "add", "reconcile", "migrate")


@pytest.mark.drill
@pytest.mark.parametrize(("step", "kills"), [("all", 2), *((step, 150) for step in KEEPING)])
def test_a_kill_while_the_house_is_kept_loses_nothing(env: dict[str, str], step: str, kills: int) -> None:
    """Backups, restores, the index, a new project, a migration, files that people changed: killed at any line, no
    record is lost, both faces agree, a restore is whole or did not happen, and no half-made file stays."""
    report = run_program("keeping.py", step, str(kills), "20260220", env=env)

    assert [] == [wrong for done in report.values() for wrong in done["wrong"]]
    # The length of a run varies a little: a point near its end may come too late.
    assert all(done["kills"] >= 0.9 * kills - 1 for done in report.values()), report


@pytest.mark.drill
@pytest.mark.parametrize("points", [2, 40])
def test_a_kill_while_the_memory_is_curated_does_all_of_it_or_nothing(env: dict[str, str], points: int) -> None:
    """A run that merges, replaces and archives, and one that takes that back: never half of either, in both faces."""
    report = run_program("curating.py", str(points), "20260220", env=env)

    assert [] == [wrong for done in report.values() for wrong in done["wrong"]]
    assert all(done["kills"] >= 0.9 * points - 1 for done in report.values()), report


@pytest.mark.drill
@pytest.mark.parametrize("kind", ["unclean", "home", "all"])
@pytest.mark.skipif(os.geteuid() != 0, reason="takes the right to become somebody else")
def test_a_home_that_cannot_be_written_to_can_be_read(env: dict[str, str], kind: str) -> None:
    """Lists, searches and shows, no byte changed; what would write says in one line that it cannot."""
    report = run_program("reading.py", kind, env={**env, "TMPDIR": ""})

    assert {} == {words: said for words, (code, *said) in report["read"].items() if code}
    assert [] == [words for words, (_, out, _) in report["read"].items() if "Traceback" in out]
    assert "bearer tokens" in report["read"]["search bearer tokens"][1]
    assert ("everywhere" in report["read"]["memory list"][1]) == (kind == "unclean")
    for words, (code, _, err) in report["refused"].items():
        assert 1 == code, words
        assert "cannot write" in err, words
        assert 1 == err.count("lerim: "), words
    assert report["same"]


@pytest.mark.parametrize("processes", [2, pytest.param(4, marks=pytest.mark.drill)])
def test_processes_that_write_at_once_lose_no_update(tmp_path: Path, env: dict[str, str], processes: int) -> None:
    """Every process's memories are there, a shared counter has counted every one, and nobody saw a lock."""
    project = tmp_path / "project"
    project.mkdir()
    with Lerim(project, env=env) as lerim:
        lerim.setup.init()
        counter = lerim.memory.add(Draft(Primitive.DECISION, "Counter", "0")).record.id
    rounds = 12

    crowd = [
        subprocess.Popen(
            [sys.executable, str(HERE / "crowd.py"), str(project), str(rounds), counter, f"process {number}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )
        for number in range(processes)
    ]
    done = [(*process.communicate(timeout=280), process.returncode) for process in crowd]

    assert [("", 0)] * processes == [(err, code) for _, err, code in done]
    added = [record_id for out, _, _ in done for record_id in json.loads(out)["added"]]
    with Lerim(project, env=env) as lerim:
        lerim.memory.reconcile()
        assert [] == lerim.memory.check()
        assert {counter, *added} == {kept.record.id for kept in lerim.memory.select()}
        assert str(rounds * processes) == lerim.memory.find(counter).record.body
        assert 1 + rounds * processes == lerim.memory.find(counter).record.version


@pytest.mark.parametrize("drill", ["readonly-memory", "readonly-home", "full 8192", "full 300000"])
def test_a_disk_that_refuses_changes_nothing(drill: str, env: dict[str, str]) -> None:
    """A full disk or a folder that is not ours: a clear error with a next step, and the memory is as before."""
    # The drill gives up its rights, and pytest's own folders are closed to strangers: it makes one of its own.
    report = run_program("disk.py", *drill.split(), env={**env, "TMPDIR": ""})

    assert 1 == report["code"]
    assert "nothing was changed" in report["said"]
    assert "try: " in report["said"]
    assert report["files_same"]
    assert report["records_same"]
    assert report["sound"], report["report"]


def test_a_store_from_a_newer_lerim_is_refused_and_left_untouched(tmp_path: Path, env: dict[str, str]) -> None:
    """The command says to upgrade; no byte of the store changes and no file appears beside it."""
    import sqlite3

    home = tmp_path / "lerim"
    home.mkdir()
    with sqlite3.connect(home / "context.sqlite3") as database:
        database.execute("PRAGMA user_version = 999")
        database.execute("CREATE TABLE future (x)")
    database.close()
    before = {path.name: path.read_bytes() for path in home.iterdir()}

    done = lerim_command(tmp_path, env, "status")

    assert 1 == done.returncode
    assert "newer Lerim" in done.stderr
    assert "pip install --upgrade lerim" in done.stderr
    assert before == {path.name: path.read_bytes() for path in home.iterdir()}


@pytest.mark.parametrize("damage", ["header", "middle", "empty-page"])
def test_a_damaged_store_is_kept_aside_and_rebuilt_from_the_files(
    tmp_path: Path, env: dict[str, str], damage: str
) -> None:
    """The next command says what happened, the damaged file is kept, and every memory that has a file is there."""
    project = tmp_path / "project"
    project.mkdir()
    with Lerim(project, env=env) as lerim:
        lerim.setup.init()
        ids = {lerim.memory.add(Draft(Primitive.DECISION, f"Decision {n}", "why " * 300)).record.id for n in range(30)}
    store = tmp_path / "lerim" / "context.sqlite3"
    for side in ("-wal", "-shm"):
        store.with_name(store.name + side).unlink(missing_ok=True)
    data = bytearray(store.read_bytes())
    if damage == "header":
        data[:64] = b"not a database at all, not at all, no, not even a little bit. no"
    elif damage == "middle":
        data[8192:] = os.urandom(len(data) - 8192)
    else:
        data[4096:] = bytes(len(data) - 4096)
    store.write_bytes(data)

    done = lerim_command(project, env, "memory", "list", "--json")

    assert 0 == done.returncode, done.stderr
    assert ids == {item["id"] for item in json.loads(done.stdout)}
    assert "damaged" in done.stderr
    kept = [
        path for path in store.parent.iterdir() if ".damaged-" in path.name and path.name[-4:] not in ("-wal", "-shm")
    ]
    assert [len(data)] == [path.stat().st_size for path in kept]
    assert 0 == lerim_command(project, env, "memory", "check").returncode


def lerim_command(cwd: Path, env: dict[str, str], *argv: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from lerim.cli.main import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, *argv],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **env},
        timeout=60,
    )
