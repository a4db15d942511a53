"""Start-up: cold `lerim` commands against `python -c pass`. Aims: help 6x, search 12x."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from measure import LERIM, Result, Sandbox, in_turn

COMMANDS = {"help": ["--help"], "search": ["search", "cache", "timeout"], "status": ["status"]}
AIMS = {"help": 6, "search": 12}
BASE = [sys.executable, "-c", "pass"]


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    sandbox.fill(200)
    runs = {name: partial(sandbox.command, LERIM, *args) for name, args in COMMANDS.items()}
    samples = in_turn(3 * repeats, {"base": partial(sandbox.command, *BASE), **runs})
    base = samples["base"]._replace(peak=sandbox.peak(os.devnull))
    for name, args in COMMANDS.items():
        yield Result(name, samples[name]._replace(peak=sandbox.peak(LERIM, *args)), base, AIMS.get(name))
        if verbose:
            tell_imports(sandbox, args)


def tell_imports(sandbox: Sandbox, args: list[str]) -> None:
    """The dearest imports, by what each costs without those it imports itself."""
    argv = [sys.executable, "-X", "importtime", LERIM, *args]
    done = subprocess.run(argv, cwd=sandbox.project, env=sandbox.env, capture_output=True, text=True, check=True)
    rows = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines()[1:] if "|" in line]
    for own, total, module in sorted(rows, key=lambda row: -int(row[0]))[:12]:
        print(f"    {int(own) / 1000:6.1f} ms own {int(total) / 1000:6.1f} ms with its own  {module.strip()}")
