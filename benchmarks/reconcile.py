"""Taking in 10,000 unchanged, settled files against a bare walk with `scandir` and `stat`. Aim: 3x.

As a script, one worker that makes a few passes over the sandbox's project.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from measure import Clock, Result, Sample, Sandbox, in_turn

COUNT = 10_000
PASSES = 5


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    sandbox.fill(COUNT)

    def worker(which: str) -> Sample:
        said = sandbox.worker("reconcile.py", which, str(sandbox.project))
        return Sample(said["cpu"], said["wall"], int(said["peak"]))

    samples = in_turn(repeats, {which: functools.partial(worker, which) for which in ("take_in", "walk")})
    yield Result("reconcile 10,000", samples["take_in"], samples["walk"], 3)


def take_in(project: Path) -> Sample:
    from lerim import Lerim

    clock = Clock()
    with Lerim(project) as lerim:
        place = lerim.memory.places()[0]
        for _ in range(PASSES):
            with clock:
                done = place.face.take_in()
            assert not done.changes and not done.problems
    return clock.sample()


def walk(project: Path) -> Sample:
    clock = Clock()
    for _ in range(PASSES):
        with clock:
            found = walk_through(str(project / ".lerim" / "memory"))
        assert found == COUNT
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


if __name__ == "__main__":
    cpu, wall, peak = {"take_in": take_in, "walk": walk}[sys.argv[1]](Path(sys.argv[2]))
    print(json.dumps({"cpu": cpu / PASSES, "wall": wall / PASSES, "peak": peak}))
