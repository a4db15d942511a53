"""Start-up: cold `lerim` commands against `python -c pass`, with 200 memories."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from measure import ALONE, LERIM, Result, Sample, Sandbox, in_turn

COUNT = 200
SEARCH = ["search", "cache", "timeout"]
COMMANDS = {"help": ["--help"], "status": ["status"], "search by words": SEARCH, "search by meaning": SEARCH}
AIMS = {"help": "6x", "status": "7x", "search by words": "7x", "search by meaning": "15x"}
WITH_HELPER = "search by meaning, with the helper"


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    sandbox.fill(COUNT)
    envs = {name: sandbox.words_only() if name == "search by words" else ALONE for name in COMMANDS}
    runs = {name: partial(sandbox.command, LERIM, *args, env=envs[name]) for name, args in COMMANDS.items()}
    samples = in_turn(2 * repeats, {"base": sandbox.bare, **runs})
    base = samples["base"]._replace(peak=sandbox.peak(os.devnull))
    for name, args in COMMANDS.items():
        sandbox.env |= envs[name]
        yield Result(name, samples[name]._replace(peak=sandbox.peak(LERIM, *args)), base, AIMS[name])
        for variable in envs[name]:
            del sandbox.env[variable]
        if verbose:
            tell_imports(sandbox, args)
    yield Result(WITH_HELPER, helped(sandbox, repeats), base, "6x")


def helped(sandbox: Sandbox, repeats: int) -> Sample | None:
    """A search that a resident process answers, with what it takes that process."""
    if not sandbox.knows("helper"):
        return None
    sandbox.command(LERIM, *SEARCH)  # Starts it.
    while (pid := sandbox.told("helper", "status")["pid"]) is None:
        time.sleep(0.1)
    try:
        before = _cpu_of(pid)
        search = in_turn(repeats, {"search": partial(sandbox.command, LERIM, *SEARCH)})["search"]
        return search._replace(cpu=search.cpu + (_cpu_of(pid) - before) / (repeats + 1))
    finally:
        sandbox.command(LERIM, "helper", "stop")


def _cpu_of(pid: int) -> float:
    """Seconds that another process has taken so far; unknown where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def tell_imports(sandbox: Sandbox, args: list[str]) -> None:
    """The dearest imports, by what each costs without those it imports itself."""
    argv = [sys.executable, "-X", "importtime", LERIM, *args]
    done = subprocess.run(argv, cwd=sandbox.project, env=sandbox.env, capture_output=True, text=True, check=True)
    rows = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines()[1:] if "|" in line]
    for own, total, module in sorted(rows, key=lambda row: -int(row[0]))[:12]:
        print(f"    {int(own) / 1000:6.1f} ms own {int(total) / 1000:6.1f} ms with its own  {module.strip()}")
