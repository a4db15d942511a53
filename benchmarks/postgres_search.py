"""Searching the same made-up records on both engines: by words alone, by a machine's own index, and by the store.

A question takes CPU time of this process and of the server's; both are counted. Vectors are made up, around a few
hundred topics, and the time to embed a question is not in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Projects
from lerim.context.recovery import open_local
from lerim.search import index
from lerim.search.search import Searcher, search
from lerim.storage.database import Database
from search import MadeUp, made_up_records, questions

if TYPE_CHECKING:
    from postgres import Bench, Figure, Side

_MEANING = "vectors_by_meaning"
# What a machine that never catches up has of the index.
_NEVER = 0


class Times(NamedTuple):
    """Milliseconds of a question: CPU of all processes, and by the clock."""

    cpu: tuple[float, float]
    wall: tuple[float, float]

    def __str__(self) -> str:
        return "{:,.1f} / {:,.1f} ms of CPU, {:,.0f} / {:,.0f} by the clock".format(*self.cpu, *self.wall)


def searches(bench: Bench) -> Iterator[Figure]:
    from postgres import Figure

    for size in bench.extent.sizes:
        asked = list(questions(bench.extent.questions))
        sqlite, postgres = (_Filled(side, size, bench) for side in bench.sides())
        with closing(sqlite), closing(postgres):
            ways = (
                ("by words", sqlite.by_words, postgres.by_words),
                ("by words and meaning, this machine's index", sqlite.by_index, postgres.by_index),
                ("by words and meaning, the store's", sqlite.by_index, postgres.by_store),
            )
            for name, of_sqlite, of_postgres in ways:
                one, other = sqlite.times(asked, of_sqlite), postgres.times(asked, of_postgres)
                what = f"search p50 / p95, {size:,} records, {name}"
                yield Figure(what, str(one), str(other), other.cpu[1] / one.cpu[1])


class _OnePlace:
    """A memory of one place whose files nobody looks at: that takes its time, and the same on both engines."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def places(self) -> list[Place]:
        return [self._place]


class _Filled:
    """A project with so many records, all of them in the index."""

    def __init__(self, side: Side, size: int, bench: Bench) -> None:
        self._server = bench.server.pid if side.url else None
        self._database, self._local = side.context(), open_local(side.home)
        projects = Projects(self._database, side.home)
        project = projects.add(side.home / "project")
        scope = Scope(ScopeMode.PROJECT_ONLY, project.root, side.home)
        memory = Memory(self._database, self._local, scope, projects, projects.lay_out)
        self._memory = _OnePlace(memory.place(project))
        self._searcher = Searcher(MadeUp("made-up", "made-up@1", side.home), side.home / "index")
        self._fill(project.id, size, is_shared=bool(side.url))

    def _fill(self, project: str, size: int, *, is_shared: bool) -> None:
        store = self._memory.places()[0].store
        for batch in made_up_records(size):
            with store.change("benchmark", "made up") as change:
                change.create_all(batch)
        made = index.Index.of(self._database, self._local, project, self._searcher.folder, self._searcher.embedder)
        made.write_terms()
        # A graph that is made at once is the same one, and there ten times as soon.
        definition = _taken_down(self._database) if is_shared else ""
        made.embed()
        if definition:
            _made_again(self._database, definition)

    def by_words(self, query: str) -> None:
        search(self._memory, query, Filter(), 10)  # type: ignore[arg-type]

    def by_index(self, query: str) -> None:
        search(self._memory, query, Filter(), 10, searcher=self._searcher)  # type: ignore[arg-type]

    def by_store(self, query: str) -> None:
        usual, index._FAR_BEHIND = index._FAR_BEHIND, _NEVER
        try:
            self.by_index(query)
        finally:
            index._FAR_BEHIND = usual

    def times(self, asked: Sequence[str], ask: Callable[[str], None]) -> Times:
        """p50 and p95. The first questions open files and are not counted."""
        for query in asked[:5]:
            ask(query)
        found = []
        for query in asked:
            cpu, wall = self._cpu(), time.perf_counter()
            ask(query)
            found.append((1000 * (self._cpu() - cpu), 1000 * (time.perf_counter() - wall)))
        columns = [sorted(column) for column in zip(*found, strict=True)]
        middle, most = len(found) // 2, int(len(found) * 0.95)
        return Times(*((column[middle], column[most]) for column in columns))

    def _cpu(self) -> float:
        """Seconds of this process, and of those that serve it."""
        return time.process_time() + (_children_seconds(self._server) if self._server else 0.0)

    def close(self) -> None:
        self._database.close()
        self._local.close()


def _children_seconds(parent: int) -> float:
    """The CPU time of the processes of a server that are there now."""
    total = 0
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        try:
            total += int(Path(f"/proc/{child}/schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total / 1e9


def _taken_down(database: Database) -> str:
    """Drop the graph of the vectors; how it is made again."""
    with database.write() as tx:
        row = tx.row("SELECT indexdef FROM pg_indexes WHERE indexname = ?", (_MEANING,))
        assert row is not None, "the server has no pgvector"
        tx.run(f"DROP INDEX {_MEANING}")
    return str(row[0])


def _made_again(database: Database, definition: str) -> None:
    with database.write() as tx:
        tx.run(definition)
        tx.run("ANALYZE records, vectors")
