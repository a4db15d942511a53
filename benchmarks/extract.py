"""What a session taught, by the embedded engine alone: how many MB of canonical trace a core reads in a second.

The sessions are made up, or those that --traces names, archived before. The baseline decodes every line of them.
As a script, one worker on what was laid into the sandbox.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import conversations
from measure import Clock, Result, Sandbox, in_turn

MB = 1_000_000
SIZES = (*[MB // 5] * 12, *[MB] * 4, 4 * MB)


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    folder = sandbox.traces or sandbox.root / "files"
    if not sandbox.traces:
        folder.mkdir()
        for number, size in enumerate(SIZES):
            conversations.write(folder / f"session-{number:02}.jsonl", size, sandbox.project, seed=number)
    kept = sandbox.worker("extract.py", "archive", str(sandbox.root), str(folder))
    rounds = {name: partial(sandbox.sample, "extract.py", name, str(sandbox.root)) for name in ("extract", "decode")}
    samples = in_turn(min(repeats, 2), rounds)
    speed = f"{kept['bytes'] / MB / samples['extract'].cpu:.1f} MB/s of trace"
    yield Result("extract", samples["extract"], samples["decode"], note=speed)


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


def _archive(folder: Path, root: Path) -> dict[str, float]:
    """Every session of the folder, read and redacted into the archive."""
    from lerim.sessions.archive import archive, safe_name
    from lerim.sources.base import Reading
    from lerim.sources.pieces import container
    from lerim.sources.redact import Redactor
    from lerim.sources.registry import recognize

    kept = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.jsonl"):
        source = recognize(path)
        for found in container(source.name, path) if source else ():
            for ref in source.sessions(found):
                reading, redactor = source.read(ref), Redactor(b"benchmark")
                lines = map(redactor.line, reading.lines)
                target = root / "traces" / f"{safe_name(f'{path.stem}-{ref.run_id}')}.jsonl"
                done = archive(Reading(redactor.header(reading.header), lines, reading.account), target)
                kept.append(done.path if done.facts.turns else None)
                if not done.facts.turns:
                    done.path.unlink()
    return {"bytes": sum(path.stat().st_size for path in kept if path)}


def main(name: str, root: str, folder: str = "") -> None:
    if name == "archive":
        print(json.dumps(_archive(Path(folder), Path(root))))
        return
    clock = Clock()
    {"extract": _extract, "decode": _decode}[name](sorted((Path(root) / "traces").iterdir()), clock)
    print(json.dumps(clock.sample()._asdict()))


if __name__ == "__main__":
    main(*sys.argv[1:])
