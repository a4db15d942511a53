"""A process that changes memories is killed, over and over; after each kill the memory must be sound and complete.

Run as a program: it forks its victims, which a test runner with threads must not do. Prints a JSON report.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from lerim.context.filters import ANY
from lerim.context.place import Kept
from lerim.context.records import Draft, Kind, Primitive, Status
from lerim.errors import Conflict, NotFound
from lerim.service import Lerim

Ack = Callable[[str, str, int], None]
Step = Callable[[Lerim, Ack, random.Random], None]


def open_lerim(folder: Path) -> Lerim:
    return Lerim(folder / "project", env={"LERIM_HOME": str(folder / "home"), "HOME": str(folder)})


def new_sandbox() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="lerim-crash-")).resolve()
    (folder / "project").mkdir()
    with open_lerim(folder) as lerim:
        lerim.setup.init()
    return folder


def draft(number: int) -> Draft:
    if number % 2:
        return Draft(Primitive.DECISION, f"Decision {number}", f"because of {number}\n" * 5, tags=("a", "b"))
    return Draft(Primitive.LEARNING, f"Learning {number}", f"since {number}", kind=Kind.INSIGHT)


# One step of each kind, on a memory that has a few records.


def add(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    kept = lerim.memory.add(draft(dice.randrange(10**6)))
    ack("add", kept.record.id, kept.record.version)


def revise(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    kept = pick(lerim, dice)
    new = lerim.memory.revise(kept, reason="drill", body=f"revised {dice.random()}")
    ack("revise", new.record.id, new.record.version)


def archive(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    new = lerim.memory.archive(pick(lerim, dice), reason="drill")
    ack("archive", new.record.id, new.record.version)


def restore(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    closed = [kept for kept in lerim.memory.select(ANY) if kept.record.status is not Status.ACTIVE]
    if closed:
        new = lerim.memory.restore(dice.choice(closed), reason="drill")
        ack("restore", new.record.id, new.record.version)


def supersede(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    new = lerim.memory.supersede(pick(lerim, dice), pick(lerim, dice), reason="drill")
    ack("supersede", new.record.id, new.record.version)


def undo(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    for record in lerim.memory.undo().records:
        ack("undo", record.id, record.version)


def edit(lerim: Lerim, ack: Ack, dice: random.Random) -> None:
    """A person saves a file, and the next command takes it in."""
    kept = pick(lerim, dice)
    path = kept.path
    if path is None:
        return
    swap = path.with_suffix(".swp")
    swap.write_bytes(path.read_bytes() + f"edited {dice.random()}\n".encode())
    swap.replace(path)
    for _, done in lerim.memory.reconcile():
        for record in done.edited:
            ack("edit", record.id, record.version)


STEPS = (add, add, revise, archive, restore, supersede, undo, edit)


def pick(lerim: Lerim, dice: random.Random) -> Kept:
    active = lerim.memory.select()
    return dice.choice(active) if active else lerim.memory.add(draft(dice.randrange(10**6)))


def victim(folder: Path, seed: int, ack: Ack) -> None:
    dice = random.Random(seed)
    with open_lerim(folder) as lerim:
        lerim.memory.reconcile()
        ack("ready", "", 0)
        while True:
            try:
                dice.choice(STEPS)(lerim, ack, dice)
            except (Conflict, NotFound):
                continue  # superseding in a circle, nothing left to undo: refused, and that is fine


def spawn(body: Callable[[Ack], object]) -> tuple[int, int]:
    """Fork a victim; its process id, and the pipe its acknowledgements come through."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    os.close(reader)
    try:
        body(lambda *words: os.write(writer, (json.dumps(words) + "\n").encode()) and None)
    except BaseException as error:  # the parent reads it as a failure
        os.write(writer, (json.dumps(["error", repr(error), 0]) + "\n").encode())
    os._exit(0)


def heard(reader: int, lines: int) -> bytes:
    """What came through the pipe once so many lines did, or all of it when the victim ended before."""
    data = b""
    while data.count(b"\n") < lines and (chunk := os.read(reader, 65536)):
        data += chunk
    return data


def acknowledged(reader: int, data: bytes = b"") -> list[list[object]]:
    while chunk := os.read(reader, 65536):
        data += chunk
    os.close(reader)
    return [json.loads(line) for line in data.splitlines() if line.endswith(b"]")]


def verify(folder: Path, acks: list[list[object]]) -> list[str]:
    """What is wrong after a crash. Nothing should be."""
    with open_lerim(folder) as lerim:
        for _, done in lerim.memory.reconcile():
            if done.problems or done.deleted:
                return [f"reconcile found {done.problems} and deleted {done.deleted}"]
        wrong = [f"{finding.where}: {finding.what}" for finding in lerim.memory.check()]
        for what, record_id, version in acks:
            if what == "error":
                wrong.append(str(record_id))
            else:
                kept = lerim.memory.find(str(record_id))
                if kept.record.version < int(str(version)):
                    wrong.append(f"{what} of {record_id} version {version} is lost")
    return wrong


def random_kills(count: int, seed: int) -> dict[str, object]:
    """Kill at random moments of a busy process."""
    dice = random.Random(seed)
    wrong: list[str] = []
    writes = 0
    for number in range(count):
        if number % 20 == 0:
            folder = new_sandbox()
        pid, reader = spawn(lambda ack, number=number, folder=folder: victim(folder, seed + number, ack))
        # It says that it is ready and does something, however slow the machine is; then comes a moment of its own.
        data = heard(reader, 1 + dice.randint(0, 3))
        time.sleep(dice.uniform(0.0, 0.02))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        acks = [ack for ack in acknowledged(reader, data) if ack[0] != "ready"]
        writes += len(acks)
        wrong += verify(folder, acks)
    return {"kills": count, "acknowledged": writes, "wrong": wrong}


def stepped_kills(points: int, seed: int) -> dict[str, object]:
    """Kill before the n-th line of Lerim's own code, through each kind of step from its first line to its last."""
    wrong: list[str] = []
    kills = 0
    for step in dict.fromkeys(STEPS):
        folder = new_sandbox()
        with open_lerim(folder) as lerim:
            for number in range(6):
                lerim.memory.add(draft(number))
            lerim.memory.archive(lerim.memory.select()[0], reason="seed")
        total = count_lines(folder, step, seed)
        for at in range(1, total, max(total // points, 1)):
            pid, reader = spawn(lambda ack, at=at, step=step, folder=folder: traced(folder, step, seed + at, ack, at))
            _, status = os.waitpid(pid, 0)
            kills += os.WIFSIGNALED(status)
            wrong += [f"{step.__name__} line {at}: {text}" for text in verify(folder, acknowledged(reader))]
    return {"kills": kills, "wrong": wrong}


def count_lines(folder: Path, step: Step, seed: int) -> int:
    pid, reader = spawn(lambda ack: ack("lines", "", traced(folder, step, seed, lambda *_: None, None)))
    os.waitpid(pid, 0)
    return int(str(acknowledged(reader)[-1][2]))


def traced(folder: Path, step: Step, seed: int, ack: Ack, kill_at: int | None) -> int:
    """Run one step, counting the lines of Lerim it executes; die by SIGKILL at line `kill_at`."""
    with open_lerim(folder) as lerim:
        lerim.memory.reconcile()
        return traced_lines(lambda: step(lerim, ack, random.Random(seed)), kill_at)


def traced_lines(work: Callable[[], object], kill_at: int | None) -> int:
    """Do some work, counting the lines of Lerim it executes; die by SIGKILL at line `kill_at`."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal lines
        if "/lerim/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            lines += 1
            if lines == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    except (Conflict, NotFound):
        pass
    finally:
        sys.settrace(None)
    return lines


if __name__ == "__main__":
    kind, amount, start = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    report = random_kills(amount, start) if kind == "random" else stepped_kills(amount, start)
    print(json.dumps(report))
