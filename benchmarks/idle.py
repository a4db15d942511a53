"""`lerim sync` when nothing is new, against `python -c pass`: with 200 sessions known, 20,000, and with --full 100,000.

As a script, a worker: the sessions of the sandbox are known, and done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import conversations
from measure import LERIM, Result, Sandbox, in_turn

SIZES, FULL = (200, 1_000, 20_000), (200, 1_000, 20_000, 100_000)
PER_FOLDER = 200
AIMS = {200: "12x", 20_000: "0.4 s"}


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    known = 0
    # Before there are any: a new project takes in what its agents left.
    sandbox.command(LERIM, "init")
    for size in FULL if sandbox.full else SIZES:
        write_sessions(sandbox, known, size)
        know(sandbox)
        known = size
        rounds = min(repeats, 3) if size > 1_000 else repeats
        samples = in_turn(rounds, {"base": sandbox.bare, "sync": lambda: sandbox.command(LERIM, "sync")})
        peak = sandbox.peak(LERIM, "sync")
        sync = samples["sync"]._replace(peak=peak)
        yield Result(f"idle sync, {size:,} sessions", sync, samples["base"], AIMS.get(size, ""), f"{sync.cpu:.2f} s")


def write_sessions(sandbox: Sandbox, first: int, last: int) -> None:
    for number in range(first, last):
        folder = sandbox.root / ".claude" / "projects" / f"project-{number // PER_FOLDER:04}"
        folder.mkdir(parents=True, exist_ok=True)
        conversations.write_tiny(folder / f"session-{number:06}.jsonl", sandbox.project, number)


def know(sandbox: Sandbox) -> None:
    """Found by a command; taken in by nobody, which would take hours: the catalog says so."""
    sandbox.command(LERIM, "sessions", "list", "--limit", "1")
    catalog = Path(sandbox.env["LERIM_HOME"]) / "index" / "sessions.sqlite3"
    with closing(sqlite3.connect(catalog)) as database, database:
        database.execute("UPDATE sessions SET state = 'done', ingested = fingerprint, ingested_size = size")
