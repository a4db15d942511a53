"""How costs grow with what is known: the same commands where 1,000, 10,000 and more memories are.

`make bench` goes up to 10,000; --full to 100,000. As a script: a worker on the sandbox's project.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import conversations
from measure import ALONE, LERIM, Clock, Result, Sample, Sandbox

SIZES, FULL = (1_000, 10_000), (1_000, 10_000, 50_000, 100_000)
#: Sessions whose time is measured, after one that is not.
SESSIONS = 3
SEARCH = ("search", "cache", "timeout")
AIMS = {
    "one candidate, 1,000 known": "0.15 s",
    "one candidate, 10,000 known": "0.2 s",
    "one candidate, 50,000 known": "0.25 s",
    "first search after an add, 10,000": "0.35 s",
    "first search after an add, 100,000": "1 s",
    "memory list, 100,000": "0.5 s",
    "reconcile, 100,000": "0.5 s",
    "reconcile with a young file, 100,000": "0.5 s",
}


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    fewest: Sample | None = None
    for size in FULL if sandbox.full else SIZES:
        with sandbox.another() as box:
            box.fill(size)
            bare, walked = _median([box.bare] * 5), box.sample("growth.py", "walk")
            for what, sample in measure(box):
                name = f"one candidate, {size:,} known" if what == "one candidate" else f"{what}, {size:,}"
                base = walked if what.startswith("reconcile") else bare
                if what == "one candidate":
                    # Whoever knows most against whoever knows least.
                    base = fewest = fewest or sample
                yield Result(name, sample, base, AIMS.get(name, ""), f"{sample.cpu:.2f} s")


def measure(box: Sandbox) -> Iterator[tuple[str, Sample]]:
    """What each command takes, one after the other on the same memories."""
    yield "reconcile", box.sample("growth.py", "take_in")
    yield "reconcile with a young file", box.sample("growth.py", "take_in", "young")
    box.settle()
    yield "search", _median([partial(box.command, LERIM, *SEARCH, env=ALONE) for _ in range(4)])
    listed = _median([partial(box.command, LERIM, "memory", "list") for _ in range(3)])
    yield "memory list", listed._replace(peak=box.peak(LERIM, "memory", "list"))
    yield "first search after an add", _median([partial(first_search, box, number) for number in range(3)])
    yield "one candidate", box.sample("growth.py", "candidate")
    yield "maintain", box.command(LERIM, "maintain")


def first_search(box: Sandbox, number: int) -> Sample:
    title = f"Decision {number} of this benchmark"
    box.command(LERIM, "memory", "add", "--primitive", "decision", "--title", title)
    return box.command(LERIM, *SEARCH, env=ALONE)


def _median(runs: list[Callable[[], Sample]]) -> Sample:
    """The first one may compile, or open what the others find open."""
    samples = [run() for run in runs][1:] if len(runs) > 3 else [run() for run in runs]
    return Sample(*(statistics.median_low(values) for values in zip(*samples, strict=True)))


# The workers.


def take_in(young: bool = False, passes: int = 3) -> Sample:
    """What every command does first, over files that did not change; one of them written just now."""
    from lerim import Lerim

    spent = []
    with Lerim() as lerim:
        place = lerim.memory.places()[0]
        file = next(Path(".lerim/memory").rglob("*.md"))
        for _ in range(passes):
            if young:
                os.utime(file)
            clock = Clock()
            with clock:
                done = place.face.take_in()
            assert not done.problems
            spent.append(clock.sample())
    return sorted(spent)[passes // 2]


def walk() -> Sample:
    clock = Clock()
    with clock:
        walk_through(".lerim/memory")
    return clock.sample()


def walk_through(folder: str) -> int:
    found = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                found += walk_through(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                found += 1
    return found


def candidate() -> Sample:
    """The middle one of some sessions with one candidate each, taken in by one process."""
    from lerim import Lerim

    folder, spent = Path.home() / ".claude" / "projects" / "project", []
    folder.mkdir(parents=True, exist_ok=True)
    with Lerim() as lerim:
        for number in range(SESSIONS + 1):
            text = conversations.teach(conversations.TEACHING[0], number)
            conversations.write_tiny(folder / f"{time.time_ns():032x}.jsonl", Path.cwd(), number, text)
            clock = Clock()
            with clock:
                (taken,) = lerim.sync()
            assert taken.result and sum(taken.result.counts.values()) == 1, taken
            spent.append(clock.sample())
    return sorted(spent[1:])[SESSIONS // 2]


if __name__ == "__main__":
    workers = {"take_in": lambda: take_in(sys.argv[2:] == ["young"]), "walk": walk, "candidate": candidate}
    print(json.dumps(workers[sys.argv[1]]()._asdict()))
