"""Linking 100 new memories where 1,000, 10,000 and 100,000 are linked: against the same where 1,000 are.

`make bench` goes up to 10,000; --full to 100,000. As a script: a worker that fills a memory of so many, and measures.

Texts and vectors are made up, around topics of about eight memories each, whose names their texts share, so that there
is as much to link anywhere. What is known before is linked without comparing texts, which would take longer than all
that is measured; the 100 that are measured are linked as always.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import blake2b
from pathlib import Path

import memories
from measure import Clock, Result, Sample, Sandbox

SIZES, FULL = (1_000, 10_000), (1_000, 10_000, 100_000)
NEW = 100
_TOPIC = 8
_BATCH = 5_000
AIMS = {"100 new links, 10,000": "2x", "100 new links, 100,000": "5x"}


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    fewest: Sample | None = None
    for size in FULL if sandbox.full else SIZES:
        found = sandbox.worker("graph.py", str(size))
        sample = Sample(found["cpu"], found["wall"], int(found["peak"]))
        fewest = fewest or sample
        name = f"100 new links, {size:,}"
        note = f"{sample.cpu:.2f} s; {found['links']:,.0f} links, {found['clusters']:,.0f} clusters"
        yield Result(name, sample, fewest, AIMS.get(name, ""), note)


# The worker.


def measure(size: int, folder: Path) -> dict[str, float]:
    """What it takes to link so many more, terms and vectors of them included in none of it."""
    import numpy as np

    from lerim.config.scope import Scope, ScopeMode
    from lerim.context.links import Links
    from lerim.context.memory import Memory
    from lerim.context.projects import Projects
    from lerim.context.records import Draft, Primitive, Record
    from lerim.context.recovery import open_local, open_store
    from lerim.graph import building, pairs
    from lerim.graph.building import LinkBuilder
    from lerim.graph.clusters import refresh_clusters
    from lerim.search.embeddings import Embedder
    from lerim.search.index import Index
    from lerim.text.bearing import Bearing, Judgment

    class ByTopic(Embedder):
        """Vectors from a text's topic, which is its last word, and from the text itself."""

        def encode(self, texts: Sequence[str], *, gist: bool = False) -> np.ndarray:
            return np.stack([self._vector(text) for text in texts])

        def _vector(self, text: str) -> np.ndarray:
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
            vector = center(text.rsplit(" ", 1)[1]) + 0.04 * np.random.default_rng(seed).standard_normal(384)
            return (vector / np.linalg.norm(vector)).astype(np.float32)

    @cache
    def center(topic: str) -> np.ndarray:
        seed = int.from_bytes(blake2b(topic.encode(), digest_size=8).digest(), "little")
        vector = np.random.default_rng(seed).standard_normal(384)
        return vector / np.linalg.norm(vector)

    dice = random.Random(5)
    known, sums = memories.vocabulary(dice)

    def record(number: int) -> Record:
        topic = f"Topic{dice.randrange(max(size // _TOPIC, 1))}"
        words = " ".join(dice.choices(known, cum_weights=sums, k=24))
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
        return Draft(Primitive.DECISION, f"Use {words[:60]} for {topic}", f"{words} {topic}").record(at)

    home, root = folder / "home", folder / "project"
    root.mkdir(parents=True)
    home.mkdir()
    database, local = open_store(home), open_local(home)
    projects = Projects(database, home, lambda: datetime(2026, 1, 1, tzinfo=UTC))
    scope = Scope(ScopeMode.PROJECT_ONLY, root, home)
    place = Memory(database, local, scope, projects, projects.lay_out).target()
    embedder = ByTopic("by topic", "by-topic@1", Path())
    index = Index(database, local, place.project.id, home / "index" / "search", embedder)
    builder = LinkBuilder(place, index, embedder.key)

    def add(count: int, start: int) -> None:
        for first in range(0, count, _BATCH):
            with place.store.change("bench", "filled") as change:
                change.create_all([record(start + number) for number in range(first, min(first + _BATCH, count))])
        index.write_terms()
        index.embed()

    def follow() -> None:
        while builder.step() is not None:
            pass
        refresh_clusters(place)

    add(size, 0)
    judge, step = pairs.judge, building.STEP
    pairs.judge, building.STEP = lambda *_, **__: Judgment(Bearing.UNRELATED, ""), _BATCH
    follow()
    pairs.judge, building.STEP = judge, step
    add(NEW, size)
    clock = Clock()
    with clock:
        follow()
    links = Links(local, place.project.id)
    return {**clock.sample()._asdict(), "links": len(links.edges()), "clusters": len(links.clusters())}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="lerim-bench-") as temporary:
        print(json.dumps(measure(int(sys.argv[1]), Path(temporary))))
