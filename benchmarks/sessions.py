"""Sessions into memories: how many a second from nothing, and how the time grows with a session's length.

The sessions are made up, unless --traces names a folder of real ones. The baseline decodes every line of them.
As a script, a worker: it takes in one small session, and then those of a folder, which are measured.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import conversations
from measure import LERIM, Clock, Result, Sample, Sandbox, in_turn

MB = 1_000_000
#: Sizes as they are found: most sessions are short, and a few hold most of the bytes.
SIZES = (*[MB // 20] * 24, *[MB // 5] * 6, *[MB] * 2)
LONG, FULL_LONG = (5, 20), (5, 20, 40)
_COUNTING = "seen = {}\nfor n in range(6_000_000): seen[n % 977] = str(n)"
AIMS = {5: "1 s", 20: "4 s", 40: "8 s"}


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    """From nothing, with one process and with two."""
    folder = sandbox.traces or _made_up(sandbox)
    name = "sync of real sessions" if sandbox.traces else "sync of made-up sessions"
    rounds = {"decode": partial(sandbox.sample, "sessions.py", "decode", str(folder))}
    rounds["take"] = partial(_anew, sandbox, folder)
    samples = in_turn(min(repeats, 2), rounds)
    count = sandbox.worker("sessions.py", "count", str(folder))["sessions"]
    speed = f"{count / samples['take'].cpu:.1f} sessions/s"
    yield Result(name, samples["take"], samples["decode"], "20 sessions/s", speed)
    if sandbox.traces or not sandbox.knows("sync", flag="--jobs"):
        yield Result(f"{name}, --jobs 2", None, samples["decode"], "nearly 2 times as fast")
        return
    many = _made_up(sandbox, "many", rounds=3)
    before, one, two = _possible(sandbox), _command(sandbox, many), _command(sandbox, many, "--jobs", "2")
    # Cores that are shared with others, or are two threads of one, give less than two.
    possible = (before + _possible(sandbox)) / 2
    faster = f"{one.wall / two.wall:.1f} times as fast by the clock, where two processes alone are {possible:.1f}"
    yield Result(f"{name}, --jobs 2", two, samples["decode"], "nearly 2 times as fast", faster)


def single(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    """`lerim sync` of one new session: by the first process that reads any, and by those after it."""
    sandbox.command(LERIM, "init")
    folder = sandbox.root / ".claude" / "projects" / "project"
    folder.mkdir(parents=True)
    numbers = itertools.count()

    def took(*, first: bool) -> Sample:
        if first:
            shutil.rmtree(Path(sandbox.env["LERIM_HOME"]) / "cache", ignore_errors=True)
        number = next(numbers)
        path = folder / f"session-{number:02}.jsonl"
        conversations.write(path, MB // 20, sandbox.project, number, conversations.TEACHING)
        return sandbox.command(LERIM, "sync")

    took(first=True)
    rounds = {"base": sandbox.bare, "first": partial(took, first=True), "next": partial(took, first=False)}
    samples = in_turn(min(repeats, 3), rounds)
    for name, which in (("one new session", "first"), ("one more new session", "next")):
        yield Result(name, samples[which], samples["base"], "", f"{samples[which].cpu:.2f} s")


def long(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    """One session, ever longer."""
    for size in FULL_LONG if sandbox.full else LONG:
        with sandbox.another() as box:
            folder = box.root / "sessions"
            folder.mkdir()
            conversations.write(folder / "session.jsonl", size * MB, box.project, size, conversations.TEACHING)
            decode, took = box.sample("sessions.py", "decode", str(folder)), _anew(box, folder)
            yield Result(f"a session of {size} MB", took, decode, AIMS[size], f"{took.cpu:.2f} s")


def _possible(sandbox: Sandbox) -> float:
    """How many times as fast two processes are here that have nothing to do with each other."""
    one = sandbox.worker("sessions.py", "spin", "1")["wall"]
    return 2 * one / sandbox.worker("sessions.py", "spin", "2")["wall"]


def _made_up(sandbox: Sandbox, name: str = "sessions", rounds: int = 1) -> Path:
    folder = sandbox.root / name
    folder.mkdir()
    for number, size in enumerate(SIZES * rounds):
        path = folder / f"session-{number:02}.jsonl"
        conversations.write(path, size, sandbox.project, number, conversations.TEACHING[: 1 + number % 4])
    return folder


def _anew(sandbox: Sandbox, folder: Path) -> Sample:
    _forget(sandbox)
    kind = "real" if sandbox.traces else "made up"
    return sandbox.sample("sessions.py", "take", str(folder), kind)


def _command(sandbox: Sandbox, folder: Path, *flags: str) -> Sample:
    _forget(sandbox)
    sandbox.command(LERIM, "init")
    shutil.copytree(folder, sandbox.root / ".claude" / "projects" / "project")
    return sandbox.command(LERIM, "sync", "--all", *flags)


def _forget(sandbox: Sandbox) -> None:
    """What a round before left."""
    sandbox.wait_for_index()
    for place in (sandbox.root / "home", sandbox.root / ".claude", sandbox.project / ".lerim"):
        shutil.rmtree(place, ignore_errors=True)


# The workers.


def take(folder: Path, kind: str) -> Sample:
    """All sessions of a folder, by a process that has taken one before and so has loaded what it needs."""
    from lerim import Lerim

    claude = Path.home() / ".claude" / "projects"
    (claude / "before").mkdir(parents=True)
    text = conversations.teach(conversations.TEACHING[0], 0)
    conversations.write_tiny(claude / "before" / "before.jsonl", Path.cwd(), 0, text)
    clock = Clock()
    with Lerim() as lerim:
        lerim.setup.init()
        assert [taken.result for taken in lerim.sync()]
        if kind == "real":
            for path in _files(folder):
                lerim.traces.find(str(path), lerim.house.cwd)
        else:
            shutil.copytree(folder, claude / "project")
        with clock:
            sessions = lerim.sessions.since(None)
            sessions.discover()
            done = list(lerim.sync(sessions))
        assert done and not [taken for taken in done if taken.state == "failed"]
    return clock.sample()


def count(folder: Path) -> dict[str, float]:
    """How many sessions were done, as the catalog of the last round says, but for the one before."""
    from lerim import Lerim

    with Lerim() as lerim:
        return {"sessions": sum(session.state == "done" for session in lerim.sessions.queue.list()) - 1}


def decode(folder: Path) -> Sample:
    import orjson

    clock = Clock()
    with clock:
        for path in _files(folder):
            for line in path.read_bytes().splitlines():
                try:
                    orjson.loads(line)
                except ValueError:
                    continue
    return clock.sample()


def spin(processes: int) -> dict[str, float]:
    """So many processes that count, each as far as the others."""
    began = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", _COUNTING]) for _ in range(processes)]
    codes = [process.wait() for process in running]
    assert not any(codes)
    return {"wall": time.perf_counter() - began}


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.jsonl")


if __name__ == "__main__":
    folder, others = Path(sys.argv[2]), sys.argv[3:]
    work = {"take": lambda: take(folder, *others), "count": lambda: count(folder), "decode": lambda: decode(folder)}
    work["spin"] = lambda: spin(int(sys.argv[2]))
    found = work[sys.argv[1]]()
    print(json.dumps(found if isinstance(found, dict) else found._asdict()))
