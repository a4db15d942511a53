"""What a session waits for when it starts: `lerim hook session-start` and `lerim brief show`, against `python -c pass`.

Where 1,000 memories are, and with --full 100,000. Each start is one of a session of its own, and gives it the brief. As
a script, a worker: makes the brief of the sandbox's project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count

from measure import HERE, LERIM, Result, Sample, Sandbox, in_turn

SIZES, FULL = (1_000,), (1_000, 100_000)
AIM = "6x"


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    for size in FULL if sandbox.full else SIZES:
        with sandbox.another() as box:
            box.fill(size)
            box.worker("hooks.py")
            numbers = count()

            def start(box: Sandbox = box, numbers: Iterator[int] = numbers) -> Sample:
                return _call(box, "session-start", next(numbers))

            def turn(box: Sandbox = box, numbers: Iterator[int] = numbers) -> Sample:
                return _call(box, "turn-end", next(numbers))

            runs = {"base": box.bare, "hook session-start": start, "hook turn-end": turn}
            if box.knows("brief", "show"):
                runs["brief show"] = lambda box=box: box.command(LERIM, "brief", "show")
            samples = in_turn(2 * repeats, runs)
            base = samples.pop("base")
            for name, sample in samples.items():
                yield Result(f"{name}, {size:,}", sample, base, AIM, f"{sample.cpu:.2f} s")


def _call(box: Sandbox, event: str, number: int) -> Sample:
    """A hook as Claude Code calls it."""
    said = {"session_id": f"session-{number}", "cwd": str(box.project), "source": "startup"}
    return box.command(LERIM, "hook", event, "--agent", "claude", said=json.dumps(said))


if __name__ == "__main__":
    from lerim import Lerim
    from lerim.views.view import ViewName

    with Lerim() as lerim:
        made = lerim.views.refresh(ViewName.BRIEF)
    assert made.records, HERE
    print(json.dumps({"characters": len(made.text)}))
