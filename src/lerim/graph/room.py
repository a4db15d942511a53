"""The door to the context graph: brought up to date, looked at, walked through, exported.

    lerim.graph.neighbors("dec-k3v9q2m7xa")

Each place of the scope has a graph of its own; no link leads from one to another. Whoever looks at it finds it up to
date: what changed since is linked first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from lerim.context.face.folder import slug
from lerim.context.filters import BRIEF
from lerim.context.links import Cluster, Links
from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.progress import Progress, silent
from lerim.context.records import Record, RecordId
from lerim.dataclass import dataclass
from lerim.errors import Conflict, LerimError, NotFound
from lerim.graph.following import is_behind
from lerim.graph.parts import GraphNeighbor, GraphPart, GraphPath, PlaceGraph, RecordLinks
from lerim.private import make_private, open_private
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from pathlib import Path

    from lerim.context.projects import Project
    from lerim.graph.export import ExportFormat
    from lerim.search.room import SearchIndex

_T = TypeVar("_T")
#: Seconds that a command which wrote something spends on linking it.
_PATIENCE = 5.0
#: Vectors that are made for what was just written before it is linked.
_VECTORS_AT_ONCE = 256


@entries
@dataclass(frozen=True)
class ContextGraph:
    """The context graph of one scope."""

    memory: Memory
    index: Callable[[], SearchIndex]
    progress: Progress

    def enter(self, work: Callable[[], _T]) -> _T:
        return self.memory.enter(work)

    def refresh(self, *, rebuild: bool = False, until: Callable[[], bool] = lambda: False) -> int:
        """Link what changed since, or everything anew; how many records were looked at.

        What is left when `until` says stop is left to the next time.
        """
        return sum(self._refresh(place, rebuild, until) for place in self._places())

    @not_an_entry
    def follow(self, projects: Sequence[Project] | None = None) -> None:
        """Link what was just written, in these projects or in the places here, for a few seconds at most. Never fails:
        whoever looks at the graph makes up for it."""
        until = time.monotonic() + _PATIENCE
        if projects is None:
            with suppress(LerimError, OSError):
                projects = [place.project for place in self._places()]
        for project in projects or ():
            # The folder of one of them may be gone.
            with suppress(LerimError, OSError):
                self._refresh(self.memory.place(project), False, lambda: time.monotonic() > until, vectors=0)

    def show(self) -> list[PlaceGraph]:
        """The graph of each place."""
        return [self._graph(place) for place in self._looked_at()]

    def part(
        self,
        most: int,
        *,
        cluster: str = "",
        near: Sequence[str] = (),
        until: Callable[[], bool] = lambda: False,
    ) -> list[GraphPart]:
        """At most so many records of each place: a cluster, or what lies around some records, or what is linked best.

        What is not linked yet when `until` says stop is left to the next time.
        """
        return [self._part(place, most, cluster, near) for place in self._looked_at(until)]

    def neighbors(self, reference: str) -> RecordLinks:
        """A record's links. Raises NotFound, or Conflict for what does not hold any more."""
        kept = self._find(reference)
        links = self._links(kept.place)
        edges = links.neighbors(kept.record.id)
        found = self._records(kept.place, {edge.other(kept.record.id) for edge in edges})
        others = [(edge, found.get(edge.other(kept.record.id))) for edge in edges]
        neighbors = [GraphNeighbor(edge, Kept(record, kept.place)) for edge, record in others if record is not None]
        return RecordLinks(kept, neighbors, links.cluster_of(kept.record.id))

    def clusters(self) -> list[tuple[Place, Cluster]]:
        """The clusters of each place, the largest first."""
        return [(place, cluster) for place in self._looked_at() for cluster in self._links(place).clusters()]

    def path(self, start: str, end: str) -> GraphPath:
        """The way from one record to another over the fewest and strongest links. Raises NotFound when there is none,
        and Conflict when they are of different places."""
        from lerim.graph.paths import shortest  # Only this walks.

        one, other = self._find(start, past=True), self._find(end, past=True)
        if one.place.project != other.place.project:
            raise Conflict(
                f"'{one.record.id}' is {one.place.scope} memory and '{other.record.id}' is {other.place.scope} memory",
                hint="no link leads from one to the other: lerim graph show",
            )
        edges = shortest(self._links(one.place), one.record.id, other.record.id)
        if edges is None:
            raise NotFound(
                f"no way leads from '{one.record.id}' to '{other.record.id}'",
                hint=f"lerim graph neighbors {one.record.id}",
            )
        ids = [one.record.id]
        for edge in edges:
            ids.append(edge.other(ids[-1]))
        records = self._records(one.place, set(ids))
        return GraphPath([Kept(records[each], one.place) for each in ids], edges)

    @not_an_entry
    def export(self, form: ExportFormat) -> str:
        """The graph as one document."""
        from lerim.graph.export import exported  # Only an export needs it.

        return exported(self.show(), form)

    @not_an_entry
    def write(self, graphs: Sequence[PlaceGraph], form: ExportFormat, target: Path) -> None:
        """Write a graph that was shown into a file that only its owner can read."""
        from lerim.graph.export import exported  # As above.

        text = exported(graphs, form)
        with open_private(target) as file:
            file.write(text.encode("utf-8", "replace"))

    @not_an_entry
    def default_target(self, form: ExportFormat) -> Path:
        """Where an export goes when nobody says where to: into Lerim's own folder, out of any repository."""
        folder = self.memory.scope.home / "exports"
        make_private(folder)
        return folder / f"{self._name()}-graph.{form}"

    # How it is done

    def _name(self) -> str:
        places = self._places()
        return slug(places[0].project.name) or "memory" if places else "memory"

    def _places(self) -> list[Place]:
        return [] if self.memory.scope.is_empty else self.memory.places()

    def _looked_at(self, until: Callable[[], bool] = lambda: False) -> list[Place]:
        places = self._places()
        for place in places:
            if not place.local.is_read_only:
                self._refresh(place, False, until)
        return places

    def _refresh(self, place: Place, rebuild: bool, until: Callable[[], bool], vectors: int = _VECTORS_AT_ONCE) -> int:
        embedder, model = self.index().embedder, self._model()
        if not rebuild and not is_behind(place, model):
            return 0
        from lerim.graph.building import LinkBuilder  # Start-up: numpy, and for most looks there is nothing to do.
        from lerim.graph.clusters import refresh_clusters
        from lerim.search.index import Index

        index = Index.of(place.store.database, place.local, place.project.id, self.index().folder, embedder)
        index.catch_up(vectors)
        builder = LinkBuilder(place, index, model)
        if rebuild:
            builder.forget()
        done = 0
        while not until() and (step := builder.step()) is not None:
            done += step
            # To count the records takes longer than to link a few.
            if self.progress is not silent:
                self.progress("linking records", done, max(done, self._size(place)))
        refresh_clusters(place)
        return done

    def _model(self) -> str:
        """The model by whose vectors records are linked; nothing where there is none."""
        return getattr(self.index().embedder, "key", "")

    def _size(self, place: Place) -> int:
        with place.store.read() as snapshot:
            return snapshot.count(BRIEF)

    def _links(self, place: Place) -> Links:
        return Links(place.local, place.project.id)

    def _find(self, reference: str, *, past: bool = False) -> Kept:
        """A record that is linked: one that holds or, with `past`, one that was replaced by such a one."""
        kept = self.memory.find(reference)
        if not kept.record.may_brief and not (past and kept.record.superseded_by):
            raise self._not_linked(kept)
        self._looked_at()
        return kept

    def _not_linked(self, kept: Kept) -> LerimError:
        record = kept.record
        if record.superseded_by is not None:
            now = self.memory.current(kept).record.id
            return Conflict(f"'{record.id}' was replaced by '{now}'", hint=f"lerim graph neighbors {now}")
        if record.is_hearsay:
            why = f"'{record.id}' came with a repository that you do not trust: it is linked with nothing"
            return Conflict(why, hint="lerim project trust")
        return Conflict(
            f"'{record.id}' is {record.status}: only what holds is linked", hint=f"lerim memory restore {record.id}"
        )

    def _graph(self, place: Place) -> PlaceGraph:
        links = self._links(place)
        edges = links.edges()
        with place.store.read() as snapshot:
            records = {record.id: record for record in sorted(snapshot.select(BRIEF), key=lambda one: one.id)}
        past = {end for edge in edges for end in (edge.source, edge.target)} - records.keys()
        records |= dict(sorted(self._records(place, past).items()))
        known = [edge for edge in edges if edge.source in records and edge.target in records]
        return PlaceGraph(place, records, known, links.clusters())

    def _part(self, place: Place, most: int, cluster: str, near: Sequence[str]) -> GraphPart:
        from lerim.graph.selection import around, best_linked, degrees  # Only who draws it needs it.

        links = self._links(place)
        edges, clusters = links.edges(), links.clusters()
        with place.store.read() as snapshot:
            total = snapshot.count(BRIEF)
        if cluster:
            members = next((one.members for one in clusters if one.id == cluster), ())
            wanted = set(members[:most])
        elif near:
            wanted = around(edges, [RecordId(one) for one in near], most)
        else:
            wanted = best_linked(edges, clusters, most)
        records = self._records(place, wanted)
        if not cluster and not near and (total <= most or not records):
            # There is room for what is linked with nothing.
            with place.store.read() as snapshot:
                records |= {record.id: record for record in snapshot.page(BRIEF, most)}
        drawn = [edge for edge in edges if edge.source in records and edge.target in records]
        graph = PlaceGraph(place, dict(sorted(records.items())), drawn, clusters)
        return GraphPart(graph, total, degrees(edges), is_behind(place, self._model()))

    def _records(self, place: Place, ids: set[RecordId]) -> dict[RecordId, Record]:
        with place.store.read() as snapshot:
            return {one: record for one in ids if (record := snapshot.find(one)) is not None}
