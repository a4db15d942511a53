"""The daemon: what it takes while it waits, and a search by meaning that it answers against the cold command.

It waits for a minute, with --full for ten; all was read and looked at before, as on a machine where nobody works.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from measure import ALONE, LERIM, Result, Sample, Sandbox, in_turn

COUNT = 200
SEARCH = ["search", "cache", "timeout"]
SHORT, LONG = 60.0, 600.0
#: The daemon looks a second time once it knows which folders to hear of, when these have been quiet for so long.
SETTINGS = "[daemon]\nquiet_minutes = 0\n"


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    sandbox.fill(COUNT)
    base = sandbox.bare()
    if not sandbox.knows("daemon", "start"):
        yield Result("the daemon, waiting", None, base)
        return
    with (sandbox.root / "home" / "config.toml").open("a") as file:
        file.write(SETTINGS)
    pid = sandbox.told("daemon", "start")["pid"]
    try:
        _rests(sandbox)
        yield waiting(pid, LONG if sandbox.full else SHORT, base, verbose)
        yield from searching(sandbox, repeats)
    finally:
        sandbox.command(LERIM, "daemon", "stop")


def waiting(pid: int, seconds: float, base: Sample, verbose: bool) -> Result:
    """What it and the processes it started took of the CPU, and the memory that is its own share."""
    began, before = time.perf_counter(), cpu_of(pid)
    time.sleep(seconds)
    wall, cpu, peak = time.perf_counter() - began, cpu_of(pid) - before, share_of(pid)
    if verbose:
        print(f"    {resident_of(pid) / 1024:.0f} MB resident, {peak / 1024:.0f} MB its share")
    share = f"{cpu:.2f} s in {wall / 60:.0f} min, {100 * cpu / wall:.3f} % of a core"
    return Result("the daemon, waiting", Sample(cpu, wall, peak), base, "60 MB", share)


def searching(sandbox: Sandbox, repeats: int) -> Iterator[Result]:
    """A search that the daemon answers, with what that takes it, against one that loads everything itself."""
    sandbox.command(LERIM, *SEARCH)  # It loads what is needed.
    while (pid := sandbox.told("helper", "status")["pid"]) is None:
        time.sleep(0.1)
    before, rounds = cpu_of(pid), 2 * repeats + 1
    warm = partial(sandbox.command, LERIM, *SEARCH)
    samples = in_turn(2 * repeats, {"warm": warm, "cold": partial(sandbox.command, LERIM, *SEARCH, env=ALONE)})
    spent = samples["warm"].cpu + (cpu_of(pid) - before) / rounds
    note = f"{samples['cold'].wall / samples['warm'].wall:.1f} times as fast by the clock"
    yield Result(
        "search with the daemon, against cold", samples["warm"]._replace(cpu=spent), samples["cold"], "0.4x", note
    )


def _rests(sandbox: Sandbox) -> None:
    """Until it has done all there is: twice in a row nothing, with the next look far away."""
    quiet = 0
    while quiet < 3:
        time.sleep(1.0)
        quiet = 0 if sandbox.told("daemon", "status")["doing"] else quiet + 1


def cpu_of(pid: int) -> float:
    """Seconds that a process and the children it waited for have taken so far; 0 where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def share_of(pid: int) -> int:
    """KiB that are its own, and its share of what it has in common with others."""
    return _kib(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def resident_of(pid: int) -> int:
    return _kib(Path(f"/proc/{pid}/status"), "VmRSS:")


def _kib(file: Path, name: str) -> int:
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)
