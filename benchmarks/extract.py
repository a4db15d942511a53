"""What a session taught, by the embedded engine alone: how many MB of canonical trace a core reads in a second.

The sessions are those of `ingest.py`, archived before. The baseline decodes every line of the same traces.
As a script, one worker on what was laid into the sandbox.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from measure import Clock, Result, Sandbox, in_turn

import ingest


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    kept = ingest.lay_out(sandbox)
    rounds = {name: ingest.worker(sandbox, name, "extract.py") for name in ("extract", "decode")}
    samples = in_turn(min(repeats, 3), rounds)
    yield Result("extract", samples["extract"], samples["decode"])
    size = kept["bytes"] / ingest.MB
    print(f"    {kept['sessions']:.0f} sessions, {size:.1f} MB, {size / samples['extract'].cpu:.1f} MB/s of trace")


# --- in the worker ----------------------------------------------------------------------------------------------------


def _extract(paths: list[Path], clock: Clock) -> None:
    from lerim.ingest.extract import extract
    from lerim.ingest.signals.engine import EmbeddedEngine
    from lerim.ingest.transcript import Transcript

    for path in paths:
        transcript, engine = Transcript.read(path), EmbeddedEngine()
        with clock:
            extract(transcript, engine)


def _decode(paths: list[Path], clock: Clock) -> None:
    from lerim.sources.trace import decode

    with clock:
        for path in paths:
            with path.open(encoding="utf-8") as file:
                for line in file:
                    decode(line)


def main(name: str, root: str) -> None:
    clock = Clock()
    {"extract": _extract, "decode": _decode}[name](sorted((Path(root) / "traces").iterdir()), clock)
    sample = clock.sample()
    print(json.dumps({"cpu": sample.cpu, "wall": sample.wall, "peak": sample.peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
