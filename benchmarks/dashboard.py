"""What a person waits for who opens the dashboard: `lerim serve` from its start to the first page, and the next pages.

Where 1,000 memories are, and with --full 100,000. The first page is held against `python -c pass`, the next ones
against those of the smallest memory: what a page costs should not follow the size of the memory.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure import ALONE, LERIM, Result, Sample, Sandbox, in_turn
from peak import peak_kib

SIZES, FULL = (1_000,), (1_000, 100_000)
FIRST = "/p/here/"
PAGES = {"Today": FIRST, "Memory": "/p/here/memory", "a search": "/p/here/memory?q=cache+timeout"}
#: How often each page is asked for by whoever stays.
TIMES = 10


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    fewest: dict[str, Sample] = {}
    for size in FULL if sandbox.full else SIZES:
        with sandbox.another() as box:
            box.fill(size)
            if not box.knows("serve"):
                return
            samples = in_turn(min(repeats, 3), {"base": box.bare, "first": lambda box=box: visit(box, [FIRST])})
            first, base = samples["first"], samples["base"]
            yield Result(f"dashboard, first page, {size:,}", first, base, "", f"{first.cpu:.2f} s")
            for name, path in PAGES.items():
                each = _less(visit(box, [FIRST, *[path] * (TIMES + 1)]), visit(box, [FIRST, path]))
                base = fewest.setdefault(name, each)
                yield Result(f"dashboard, {name}, {size:,}", each, base, "", f"{each.cpu * 1000:.0f} ms")


def _less(many: Sample, one: Sample) -> Sample:
    """What each of the pages took by which two visits differ."""
    return Sample((many.cpu - one.cpu) / TIMES, (many.wall - one.wall) / TIMES, many.peak)


def visit(box: Sandbox, paths: Sequence[str]) -> Sample:
    """A server from its start to the last of these pages."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [LERIM, "serve", "--port", "0", "--json"],
        cwd=box.project,
        env={**box.env, **ALONE, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout
    told = json.loads(process.stdout.readline())
    headers = {"Authorization": f"Bearer {Path(told['token_file']).read_text()}"}
    line = http.client.HTTPConnection(told["url"].removeprefix("http://").rstrip("/"))
    for path in paths:
        line.request("GET", path, headers=headers)
        answer = line.getresponse()
        assert answer.read() and answer.status == 200, f"{path}: {answer.status}"
    wall, peak = time.perf_counter() - started, peak_kib(process.pid)
    line.close()
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return Sample(usage.ru_utime + usage.ru_stime, wall, peak)
