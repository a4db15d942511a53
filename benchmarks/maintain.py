"""What it costs to look after the memory when 100 records are new, however many there are: 1,000, 10,000, 100,000.

As a script: a worker on the sandbox's project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import memories
from measure import Clock, Result, Sample, Sandbox

SIZES, FULL = (1_000, 10_000), (1_000, 10_000, 100_000)
NEW = 100


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    fewest: Sample | None = None
    for size in FULL if sandbox.full else SIZES:
        with sandbox.another() as box:
            box.fill(size)
            sample = box.sample("maintain.py", "look")
            # Whoever knows most against whoever knows least.
            fewest = fewest or sample
            yield Result(f"maintain after {NEW} new, {size:,}", sample, fewest, "3x", f"{sample.cpu:.2f} s")


def look() -> Sample:
    """A look after some records came, a few of them like others that were known."""
    from lerim import Lerim
    from lerim.context.feed import Feed, Followed
    from lerim.curate.due import FOLLOWS

    with Lerim() as lerim:
        place = lerim.memory.places()[0]
        with place.local.write() as local, place.store.read() as snapshot:
            # All that was there before is as if it had been looked at: the first look is another matter.
            feed = Feed(snapshot.tx, place.project.id)
            Followed(local, place.project.id, FOLLOWS).advance(feed.store(), feed.newest())
        lerim.memory.import_from(None, list(_new_lines()))
        lerim.index.refresh()
        clock = Clock()
        with clock:
            (done,) = lerim.curation.maintain()[:1]
        assert done.looked_at["changed"] >= NEW // 2, done.looked_at
        return clock.sample()


def _new_lines() -> Iterator[str]:
    """Memories of which every fifth says again what another one says."""
    known = list(memories.memories(NEW))
    for number, memory in enumerate(memories.memories(NEW, seed=11)):
        again = {name: known[number][name] for name in ("title", "body")} if number % 5 == 0 else {}
        yield json.dumps({**memory, **again})


if __name__ == "__main__":
    print(json.dumps(look()._asdict()))
