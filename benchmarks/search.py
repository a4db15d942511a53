"""Search in 1,000 to 1,000,000 memories against a plain FTS5 OR-query on the same database.

    python benchmarks/search.py [sizes…]

One process, one core. Texts are made up, with word frequencies as in real text; so are vectors, around a few hundred
topics, since embedding a million texts takes hours. Embedding a question is measured apart, with the real model.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from peak import peak_kib

from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.projects import Projects
from lerim.context.records import Draft, Evidence, Primitive, Record, valid
from lerim.context.recovery import STORE, open_local, open_store
from lerim.search.embeddings import Embedder, find_embedder
from lerim.search.index import Index
from lerim.search.search import Searcher, search

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_VOCABULARY = 30_000
_TOPICS = 300
_BATCH = 5_000


class MadeUp(Embedder):
    """Vectors from a text's topic, which is its last word, and from the text itself."""

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> np.ndarray:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> np.ndarray:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        told = text.rsplit(" ", 1)[1].removeprefix("topic")
        # Now and then made-up words look like a password, and are hidden with what follows.
        topic = int(told) if told.isdigit() else seed % _TOPICS
        vector = _centers()[topic] + 0.06 * np.random.default_rng(seed).standard_normal(384)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def _centers(made: list[np.ndarray] = []) -> np.ndarray:  # noqa: B006 - made once
    if not made:
        vectors = np.random.default_rng(3).standard_normal((_TOPICS, 384))
        made.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return made[0]


class Words:
    """Texts whose words are as unevenly distributed as people's."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._vocabulary = [_word(number) for number in range(_VOCABULARY)]
        total = 0.0
        self._sums = [total := total + 1 / (rank + 3) for rank in range(_VOCABULARY)]

    def text(self, low: int, high: int) -> str:
        words = self._dice.choices(self._vocabulary, cum_weights=self._sums, k=self._dice.randint(low, high))
        return f"{' '.join(words)} topic{self._dice.randrange(_TOPICS)}"


def _word(number: int) -> str:
    letters = random.Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=4 + number % 7)
    return "".join(letters)


class Row(NamedTuple):
    """What one size came to. Times in milliseconds of CPU a query."""

    size: int
    ours: tuple[float, float]
    plain: tuple[float, float]
    store_seconds: float
    terms_seconds: float
    vectors_seconds: float
    index_mb: float
    store_mb: float
    peak_mb: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="how many memories (default 1k to 1M)")
    parser.add_argument("--queries", type=int, default=200, help="questions asked of each (default 200)")
    args = parser.parse_args()
    _tell_encoding()
    print(
        f"{'memories':>10} {'p50 ms':>8} {'p95 ms':>8} {'FTS5 p50':>9} {'FTS5 p95':>9} {'p95 ratio':>9}"
        f" {'store s':>8} {'terms s':>8} {'vectors s':>9} {'index MB':>9} {'store MB':>9} {'peak MB':>8}"
    )
    for size in args.sizes:
        # A process of its own: the peak of one size must not be the floor of the next.
        child = os.fork()
        if not child:
            _tell(measure(size, args.queries))
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            return 1
    return 0


def measure(size: int, queries: int) -> Row:
    with tempfile.TemporaryDirectory(prefix="lerim-bench-") as folder:
        home = Path(folder)
        database, local = open_store(home), open_local(home)
        projects = Projects(database, home)
        project = projects.add(home / "project")
        scope = Scope(ScopeMode.PROJECT_ONLY, project.root, home)
        memory = Memory(database, local, scope, projects, projects.lay_out)
        place, searcher = memory.place(project), Searcher(MadeUp("made-up", "made-up@1", home), home / "index")

        def fill() -> None:
            for batch in made_up_records(size):
                with place.store.change("benchmark", "made up") as change:
                    change.create_all(batch)

        index = Index.of(database, local, project.id, searcher.folder, searcher.embedder)
        seconds = [_cpu(step) for step in (fill, index.write_terms, index.embed)]
        asked = list(questions(queries))
        ours = _times(asked, lambda query: search(memory, query, Filter(), 10, searcher=searcher))
        plain = _times(asked, lambda query: _plain(database, project.id, query))
        files = sum(file.stat().st_size for file in searcher.folder.iterdir())
        store = sum(file.stat().st_size for file in home.glob(f"{STORE}*"))
        database.close()
        return Row(size, ours, plain, *seconds, files / 1e6, store / 1e6, peak_kib() / 1024)


def _plain(database: object, project_id: str, query: str) -> list[tuple[object, ...]]:
    """What a program does that has FTS5 and nothing else."""
    words = " OR ".join(f'"{word}"' for word in query.split())
    sql = (
        "SELECT r.id, r.title FROM records_fts JOIN records r ON r.seq = records_fts.rowid WHERE records_fts MATCH ?"
        " AND r.project_id = ? AND r.status = 'active' ORDER BY bm25(records_fts) LIMIT 10"
    )
    with database.read() as tx:  # type: ignore[attr-defined]
        found: list[tuple[object, ...]] = tx.rows(sql, (words, project_id))
        return found


def questions(count: int) -> Iterator[str]:
    words = Words(5)
    for _ in range(count):
        yield words.text(3, 8)


def made_up_records(size: int) -> Iterator[list[Record]]:
    words, start = Words(7), datetime(2024, 1, 1, tzinfo=UTC)
    for first in range(0, size, _BATCH):
        yield [_record(words, number, start) for number in range(first, min(first + _BATCH, size))]


def _record(words: Words, number: int, start: datetime) -> Record:
    # Eight records a session, as a long one leaves.
    evidence = (Evidence("claude", f"run-{number // 8}", number % 8 + 1, number % 8 + 1),)
    draft = Draft(Primitive.DECISION, words.text(5, 9), words.text(30, 60), evidence=evidence)
    return valid(draft.record(start + timedelta(minutes=number)))


def _times(queries: Sequence[str], ask: Callable[[str], object]) -> tuple[float, float]:
    """p50 and p95 in milliseconds of CPU. The first questions open files and are not counted."""
    for query in queries[:5]:
        ask(query)
    found = []
    for query in queries:
        started = time.process_time()
        ask(query)
        found.append(1000 * (time.process_time() - started))
    found.sort()
    return found[len(found) // 2], found[int(len(found) * 0.95)]


def _cpu(step: Callable[[], object]) -> float:
    started = time.process_time()
    step()
    return time.process_time() - started


def _tell_encoding() -> None:
    with tempfile.TemporaryDirectory(prefix="lerim-bench-") as folder:
        model = find_embedder(Path(folder), enabled=True, model="")
    if not isinstance(model, Embedder):
        print(f"no model: {model.reason}")
        return
    loading = _cpu(lambda: model.encode(["load"]))
    p50, p95 = _times(["how do we rotate the tokens of the payment service?"] * 50, lambda text: model.encode([text]))
    print(f"a question's vector: {p50:.1f} ms p50, {p95:.1f} ms p95; loading the model {1000 * loading:.0f} ms")


def _tell(row: Row) -> None:
    print(
        f"{row.size:>10,} {row.ours[0]:>8.1f} {row.ours[1]:>8.1f} {row.plain[0]:>9.1f} {row.plain[1]:>9.1f}"
        f" {row.ours[1] / row.plain[1]:>8.2f}x {row.store_seconds:>8.1f} {row.terms_seconds:>8.1f}"
        f" {row.vectors_seconds:>9.1f} {row.index_mb:>9.1f} {row.store_mb:>9.1f} {row.peak_mb:>8.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())
