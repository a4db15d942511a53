"""Traces of Claude Code: reading them, looking at many that did not change, and archiving a very long one.

Aims: 4x of decoding each line and throwing it away, 2.5x of a bare walk, 200 MB at the most.
As a script, one worker on what was laid into the sandbox.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import conversations
from measure import Clock, Result, Sample, Sandbox, in_turn

if TYPE_CHECKING:
    from lerim.sources.base import SessionRef

MB = 1_000_000
#: Sizes as they are found: most sessions are short, and a few hold most of the bytes.
SIZES = (*[MB // 5] * 10, *[MB] * 7, *[4 * MB] * 2, 8 * MB)
LONG = 500 * MB
MOST_MEMORY = 200
COUNT = 20_000
PER_FOLDER = 200
PASSES = 5


def read(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    folder = _sessions(sandbox)
    for number, size in enumerate(SIZES):
        conversations.write(folder / f"session-{number:02}.jsonl", size, sandbox.project, seed=number)
    samples = in_turn(repeats, _workers(sandbox, "decode", "tell", "redact"))
    base = samples["decode"]
    yield Result("read traces", samples["tell"], base, "4x")
    yield Result("read and redact", samples["redact"], base)
    size = sum(file.stat().st_size for file in folder.iterdir()) / MB
    speeds = [f"{size / sample.cpu:,.0f} MB/s" for sample in (samples["tell"], samples["redact"], base)]
    print(f"    {size:.0f} MB: read {speeds[0]}, with redaction {speeds[1]}, decoding alone {speeds[2]}")


def rescan(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    for number in range(COUNT):
        folder = _sessions(sandbox, f"project-{number // PER_FOLDER:04}")
        conversations.write_tiny(folder / f"session-{number:06}.jsonl", sandbox.project, number)
    first = sandbox.worker("traces.py", "scan_first", str(sandbox.root))
    samples = in_turn(repeats, _workers(sandbox, "scan", "walk"))
    yield Result("rescan 20,000", samples["scan"], samples["walk"], "2.5x")
    if verbose:
        print(f"    {1000 * first['cpu']:8.1f} ms cpu  the first scan, when all of them are new")


def archive(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    conversations.write(_sessions(sandbox) / "session.jsonl", LONG, sandbox.project)
    # Once each: it takes a minute, and what counts is the memory.
    samples = {name: work() for name, work in _workers(sandbox, "keep", "decode").items()}
    yield Result("archive 500 MB", samples["keep"], samples["decode"])
    print(f"    peak {samples['keep'].peak / 1024:.0f} MB, aim <= {MOST_MEMORY} MB")


def _sessions(sandbox: Sandbox, project: str = "project") -> Path:
    folder = sandbox.root / ".claude" / "projects" / project
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _workers(sandbox: Sandbox, *names: str) -> dict[str, functools.partial[Sample]]:
    def worker(name: str) -> Sample:
        said = sandbox.worker("traces.py", name, str(sandbox.root))
        return Sample(said["cpu"], said["wall"], int(said["peak"]))

    return {name: functools.partial(worker, name) for name in names}


# The workers.


def decode(home: Path) -> Sample:
    import orjson

    clock = Clock()
    for ref in _refs(home):
        with clock, ref.path.open("rb") as file:
            for line in file:
                orjson.loads(line)
    return clock.sample()


def tell(home: Path) -> Sample:
    from lerim.sources.claude import SOURCE

    clock = Clock()
    for ref in _refs(home):
        with clock:
            reading = SOURCE.read(ref)
            _exhaust(reading.lines)
        assert reading.account.is_balanced and not reading.account.bad
    return clock.sample()


def redact(home: Path) -> Sample:
    from lerim.sources.claude import SOURCE
    from lerim.sources.redact import Redactor

    clock = Clock()
    for ref in _refs(home):
        redactor = Redactor(b"salt")
        with clock:
            _exhaust(map(redactor.line, SOURCE.read(ref).lines))
    return clock.sample()


def keep(home: Path) -> Sample:
    from lerim.sessions.archive import archive as into_archive
    from lerim.sources.claude import SOURCE
    from lerim.sources.gate import RedactedSource
    from lerim.sources.redact import Redactor

    connected = RedactedSource(SOURCE, (), lambda header: Redactor(b"salt"))
    clock = Clock()
    for ref in _refs(home):
        with clock:
            done = into_archive(connected.read(ref), home / "archive" / ref.path.name)
        assert done.account.is_balanced and done.lines > LONG // (10 * 1024)
    return clock.sample()


def scan(home: Path, passes: int = PASSES) -> Sample:
    from lerim.sessions.catalog import Catalog
    from lerim.sessions.routing import Atlas, Registered
    from lerim.sources.base import Machine
    from lerim.sources.claude import SOURCE
    from lerim.storage.engine import open_database

    clock = Clock()
    database = open_database(home / "sessions.sqlite3", "sessions")
    catalog = Catalog(database, Atlas((Registered("prj", home / "project"),), home / ".lerim"))
    for _ in range(passes):
        with clock:
            found = catalog.discover([SOURCE], Machine(home, {}))
        assert found.new + found.unchanged == COUNT and not found.troubles
    database.close()
    return _each(clock, passes)


def walk(home: Path) -> Sample:
    clock, root = Clock(), home / ".claude" / "projects"
    for _ in range(PASSES):
        with clock:
            found = sum(entry.stat().st_size > 0 for folder in os.scandir(root) for entry in os.scandir(folder.path))
        assert found == COUNT
    return _each(clock, PASSES)


def _each(clock: Clock, passes: int) -> Sample:
    cpu, wall, peak = clock.sample()
    return Sample(cpu / passes, wall / passes, peak)


def _refs(home: Path) -> list[SessionRef]:
    from lerim.sources.claude import SOURCE

    return [ref for container in SOURCE.containers(home / ".claude") for ref in SOURCE.sessions(container)]


def _exhaust(lines: Iterable[object]) -> None:
    for _ in lines:
        pass


if __name__ == "__main__":
    workers = {work.__name__: work for work in (decode, tell, redact, keep, scan, walk)}
    workers["scan_first"] = functools.partial(scan, passes=1)
    print(json.dumps(workers[sys.argv[1]](Path(sys.argv[2]))._asdict()))
