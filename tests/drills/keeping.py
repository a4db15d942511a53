"""Whatever Lerim does to keep its house is killed at its lines: backups, restores, index, projects, migrations, files.

Run as a program: it forks its victims, which a test runner with threads must not do. Prints a JSON report.

python keeping.py STEP|all POINTS SEED
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from crash import Ack, acknowledged, draft, open_lerim, spawn, traced_lines

import lerim.context.backups
import lerim.search.index  # noqa: F401 - loaded before the victims are forked
from lerim.context.filters import ANY
from lerim.service import Lerim
from lerim.storage.database import migrations

#: What the memory holds, as far as a kill must not change it: every record with its version and status.
State = dict[str, tuple[int, str, str]]
Step = Callable[[Path, Ack], None]


class Pristine:
    """A home with a few memories and a backup, as often as it is needed."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lerim-keep-")).resolve()
        self.world, self._copy = self.folder / "world", self.folder / "copy"
        # With a remote: a copy of a folder without one is another folder, and not trusted.
        git = self.world / "project" / ".git"
        git.mkdir(parents=True)
        (git / "config").write_text('[remote "origin"]\n\turl = git@git.example:drill.git\n')
        (self.world / "home").mkdir()
        # By name: what is copied is another folder, and trust by hand is of one folder.
        trust = f"[trust]\nprojects = [{json.dumps(str(self.world / 'project'))}]\n"
        (self.world / "home" / "config.toml").write_text(f"[embeddings]\nenabled = false\n{trust}")
        with open_lerim(self.world) as opened:
            opened.setup.init()
            for number in range(4):
                opened.memory.add(draft(number))
            opened.sessions.discover()
            opened.backups.make()
            self.backed_up = state(opened)
            opened.memory.add(draft(10))
            opened.memory.archive(opened.memory.select()[1], reason="seed")
            self.now = state(opened)
        shutil.copytree(self.world, self._copy)

    def anew(self) -> None:
        shutil.rmtree(self.world)
        shutil.copytree(self._copy, self.world)


def state(opened: Lerim) -> State:
    records = [kept.record for kept in opened.memory.select(ANY)]
    return {record.id: (record.version, str(record.status), record.body) for record in records}


# What is killed


def back_up(world: Path, ack: Ack) -> None:
    with open_lerim(world) as opened:
        ack("backup", opened.backups.make().name, 0)


def restore(world: Path, ack: Ack) -> None:
    with open_lerim(world) as opened:
        opened.backups.restore(opened.backups.find())
        ack("restore", "", 0)


def index(world: Path, ack: Ack) -> None:
    with open_lerim(world) as opened:
        opened.index.refresh(rebuild=True)
        ack("index", "", 0)


def register(world: Path, ack: Ack) -> None:
    (world / "second").mkdir(exist_ok=True)
    with Lerim(world / "second", env={"LERIM_HOME": str(world / "home"), "HOME": str(world)}) as opened:
        ack("register", opened.setup.init().id, 0)
        kept = opened.memory.add(draft(20))
        ack("second", kept.record.id, kept.record.version)


def add(world: Path, ack: Ack) -> None:
    with open_lerim(world) as opened:
        kept = opened.memory.add(draft(30))
        ack("add", kept.record.id, kept.record.version)
        new = opened.memory.revise(kept, reason="drill", body="said again")
        ack("revise", new.record.id, new.record.version)


def reconcile(world: Path, ack: Ack) -> None:
    """A person edits one file, writes a new one and renames a third; the next command takes it all in."""
    folder = world / "project" / ".lerim" / "memory" / "decisions"
    first, second = sorted((*folder.glob("*.md"), *folder.with_name("learnings").glob("*.md")))[:2]
    first.write_bytes(first.read_bytes() + b"edited by a person\n")
    (folder / "new-one.md").write_text("---\ntitle: A person's own\n---\n\nwords\n")
    second.rename(second.with_name("renamed.md"))
    with open_lerim(world) as opened:
        for _, done in opened.memory.reconcile():
            for record in [*done.added, *done.edited]:
                ack("file", record.id, record.version)


def migrate(world: Path, ack: Ack) -> None:
    """The first use of a store that an older Lerim left."""
    with open_lerim(world) as opened:
        opened.memory.select()
        ack("migrate", "", 0)


STEPS: dict[str, Step] = {step.__name__: step for step in (back_up, restore, index, register, add, reconcile, migrate)}


def prepare(step: str, world: Path) -> None:
    """What a step needs to find. An old store has the oldest schema, and the memories come from their files."""
    if step == "migrate":
        store = world / "home" / "context.sqlite3"
        for suffix in ("", "-wal", "-shm"):
            store.with_name(store.name + suffix).unlink(missing_ok=True)
        with sqlite3.connect(store) as connection:
            oldest = migrations("sqlite", "context")[0]
            connection.executescript(oldest.path.read_text("utf-8"))
            connection.execute(f"PRAGMA user_version = {oldest.number}")
        connection.close()


# What must hold after it


def wrong_after(step: str, pristine: Pristine, acks: list[list[object]]) -> Iterator[str]:
    yield from (str(ack[1]) for ack in acks if ack[0] == "error")
    with open_lerim(pristine.world) as opened:
        for _, done in opened.memory.reconcile():
            if done.problems or done.deleted:
                yield f"reconcile found {done.problems} and deleted {done.deleted}"
        yield from (f"{finding.where}: {finding.what}" for finding in opened.memory.check())
        yield from wrong_state(step, pristine, state(opened), acks)
        found = {backup.name for backup in opened.backups.all()}
        yield from (f"{ack[1]} is lost" for ack in acks if ack[0] == "backup" and ack[1] not in found)
        for path in pristine.world.rglob(".*.tmp"):
            os.utime(path, (0, 0))  # Hours later.
        opened.backups.make()  # Removes what a killed one left.
    yield from wrong_second(pristine.world, acks)
    yield from (f"{path} is left" for path in pristine.world.rglob("*") if is_left(path))


def is_left(path: Path) -> bool:
    return path.name == "restoring" or (path.name.endswith(".tmp") and "search" not in path.parts)


def wrong_state(step: str, pristine: Pristine, found: State, acks: list[list[object]]) -> Iterator[str]:
    """No record is lost or changed but by what was asked for."""
    done = {ack[0] for ack in acks}
    if step == "restore":
        allowed = [pristine.backed_up] if "restore" in done else [pristine.backed_up, pristine.now]
        if found not in allowed:
            yield f"holds {found}"
        return
    for record_id, known in pristine.now.items():
        got = found.get(record_id)
        if step == "migrate":
            if known[1] == "active" and (got is None or got[2] != known[2]):
                yield f"{record_id} is {got}"
        elif got is None or (got != known and step != "reconcile"):
            yield f"{record_id} is {got}, was {known}"
    for what, record_id, version in acks:
        if what in ("add", "revise", "file") and found.get(str(record_id), (0,))[0] < int(str(version)):
            yield f"{what} of {record_id} version {version} is lost"


def wrong_second(world: Path, acks: list[list[object]]) -> Iterator[str]:
    if (world / "second").is_dir():
        with Lerim(world / "second", env={"LERIM_HOME": str(world / "home"), "HOME": str(world)}) as opened:
            for what, record_id, _ in acks:
                if what == "second" and opened.memory.find(str(record_id)).path is None:
                    yield f"{record_id} has no file"
            yield from (f"{finding.where}: {finding.what}" for finding in opened.memory.check())


# The drill


def drill(step: str, points: int, seed: int) -> dict[str, object]:
    """Kill before the n-th line of Lerim's own code, from its first line to its last."""
    pristine, dice = Pristine(), random.Random(seed)
    body = STEPS[step]

    def run(ack: Ack, at: int | None) -> None:
        ack("lines", "", traced_lines(lambda: body(pristine.world, ack), at))

    pristine.anew()
    prepare(step, pristine.world)
    pid, reader = spawn(lambda ack: run(ack, None))
    os.waitpid(pid, 0)
    said = acknowledged(reader)
    assert said[-1][0] == "lines", said
    total = int(str(said[-1][2]))
    kills, wrong = 0, list[str]()
    for number in range(points):
        at = 1 + int((number + dice.random()) * (total - 1) / points)
        pristine.anew()
        prepare(step, pristine.world)
        pid, reader = spawn(lambda ack, at=at: run(ack, at))
        _, status = os.waitpid(pid, 0)
        kills += os.WIFSIGNALED(status)
        acks = [ack for ack in acknowledged(reader) if ack[0] != "lines"]
        wrong += [f"{step} line {at} of {total}: {text}" for text in wrong_after(step, pristine, acks)]
    shutil.rmtree(pristine.folder)
    return {"kills": kills, "lines": total, "wrong": wrong}


if __name__ == "__main__":
    wanted = list(STEPS) if sys.argv[1] == "all" else [sys.argv[1]]
    reports = {name: drill(name, int(sys.argv[2]), int(sys.argv[3])) for name in wanted}
    print(json.dumps(reports))
