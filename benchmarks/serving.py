"""What an agent waits for when it starts `lerim mcp`, against `python -c pass`: the handshake and the tools; a search.

Where 200 memories are. The handshake is what every session pays, a call only who makes one.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from functools import partial

from measure import ALONE, LERIM, Result, Sample, Sandbox, in_turn
from peak import peak_kib

COUNT = 200
AIMS = {"mcp, handshake and tools": "6x", "mcp, first search": ""}
_CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_FIRST = (
    {"id": 1, "method": "initialize", "params": _CLIENT},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)
_SEARCH = {
    "id": 3,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"query": "cache timeout"}},
}


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    sandbox.fill(COUNT)
    if not sandbox.knows("mcp"):
        return
    runs = {
        "base": sandbox.bare,
        "mcp, handshake and tools": partial(_talk, sandbox, *_FIRST),
        "mcp, first search": partial(_talk, sandbox, *_FIRST, _SEARCH),
    }
    samples = in_turn(repeats, runs)
    base = samples.pop("base")
    for name, sample in samples.items():
        yield Result(name, sample, base, AIMS[name], f"{sample.cpu:.2f} s")


def _talk(sandbox: Sandbox, *messages: dict[str, object]) -> Sample:
    """A server from its start to the answer to the last of these messages."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [LERIM, "mcp"],
        cwd=sandbox.project,
        env={**sandbox.env, **ALONE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin and process.stdout
    lines = (json.dumps({"jsonrpc": "2.0", **message}) for message in messages)
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())
    process.stdin.flush()
    for message in messages:
        if "id" in message:
            answer = json.loads(process.stdout.readline())
            assert "result" in answer, answer
    wall, peak = time.perf_counter() - started, peak_kib(process.pid)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return Sample(usage.ru_utime + usage.ru_stime, wall, peak)
