"""Sessions into memories: how many a second from nothing, and how the time grows with a session's length.

The sessions are made up, unless --traces names a folder of real ones. The baseline decodes every line of them.
As a script, a worker that brings real ones into the sandbox.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import conversations
from measure import LERIM, Result, Sample, Sandbox, in_turn

MB = 1_000_000
#: Sizes as they are found: most sessions are short, and a few hold most of the bytes.
SIZES = (*[MB // 20] * 24, *[MB // 5] * 6, *[MB] * 2)
LONG, FULL_LONG = (5, 20), (5, 20, 40)
AIMS = {5: "1 s", 20: "4 s", 40: "8 s"}


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    """From nothing, with one process and with two."""
    count = _bring(sandbox)
    rounds = {"decode": partial(sandbox.sample, "traces.py", "decode", str(sandbox.root))}
    if sandbox.traces:
        rounds = {"decode": partial(sandbox.sample, "sessions.py", "decode", str(sandbox.traces))}
    rounds["one"] = partial(_sync, sandbox)
    two = sandbox.knows("sync", flag="--jobs")
    if two:
        rounds["two"] = partial(_sync, sandbox, "--jobs", "2")
    samples = in_turn(2, rounds)
    name = "sync of real sessions" if sandbox.traces else "sync of made-up sessions"
    one = samples["one"]
    yield Result(name, one, samples["decode"], "20 sessions/s", f"{count / one.cpu:.1f} sessions/s")
    note = f"{one.wall / samples['two'].wall:.1f} times as fast by the clock" if two else ""
    yield Result(f"{name}, --jobs 2", samples.get("two"), samples["decode"], "nearly 2 times as fast", note)


def long(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    """One session, ever longer."""
    for size in FULL_LONG if sandbox.full else LONG:
        with sandbox.another() as box:
            folder = box.root / ".claude" / "projects" / "project"
            folder.mkdir(parents=True)
            conversations.write(folder / "session.jsonl", size * MB, box.project, size, conversations.TEACHING)
            box.command(LERIM, "init")
            decode = box.sample("traces.py", "decode", str(box.root))
            sync = box.command(LERIM, "sync", "--all")
            yield Result(f"a session of {size} MB", sync, decode, AIMS[size], f"{sync.cpu:.2f} s")


def _bring(sandbox: Sandbox) -> int:
    if sandbox.traces:
        return int(sandbox.worker("sessions.py", "count", str(sandbox.traces))["sessions"])
    folder = sandbox.root / ".claude" / "projects" / "project"
    folder.mkdir(parents=True)
    for number, size in enumerate(SIZES):
        path = folder / f"session-{number:02}.jsonl"
        conversations.write(path, size, sandbox.project, number, conversations.TEACHING[: 1 + number % 4])
    return len(SIZES)


def _sync(sandbox: Sandbox, *flags: str) -> Sample:
    """From nothing: what a round before it left is removed."""
    shutil.rmtree(sandbox.root / "home", ignore_errors=True)
    shutil.rmtree(sandbox.project / ".lerim", ignore_errors=True)
    sandbox.command(LERIM, "init")
    if sandbox.traces:
        sandbox.worker("sessions.py", "bring", str(sandbox.traces))
    return sandbox.command(LERIM, "sync", "--all", *flags)


# The workers.


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.jsonl")


def bring(folder: Path) -> dict[str, float]:
    """Every session of every file is known, and held in the sandbox's project."""
    from lerim import Lerim

    with Lerim() as lerim:
        return {"sessions": sum(len(lerim.traces.find(str(path), lerim.house.cwd)) for path in _files(folder))}


def count(folder: Path) -> dict[str, float]:
    from lerim import Lerim

    with Lerim() as lerim:
        lerim.init()
    return bring(folder)


def decode(folder: Path) -> dict[str, float]:
    import orjson
    from measure import Clock

    clock = Clock()
    with clock:
        for path in _files(folder):
            for line in path.read_bytes().splitlines():
                try:
                    orjson.loads(line)
                except ValueError:
                    continue
    return dict(clock.sample()._asdict())


if __name__ == "__main__":
    print(json.dumps({"bring": bring, "count": count, "decode": decode}[sys.argv[1]](Path(sys.argv[2]))))
