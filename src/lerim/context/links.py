"""How records bear on each other: the links and clusters of one project, as this machine keeps them.

Links are derived. Who reads them needs nothing of how they are found; who finds them is the room `graph`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from lerim.context.records import RecordId
from lerim.dataclass import dataclass
from lerim.storage.database import Database, Row, Transaction, Value

# Values a statement takes at most, with room to spare.
_AT_ONCE = 5_000
_EDGE = "source, target, kind, confidence, reason"
# By the indexes of the few records it asks for: by its key, a planner would walk through all records of a project.
_OF_PROJECT = "project_id || '' = ?"


class EdgeKind(StrEnum):
    """What the source of a link is to its target."""

    SUPPORTS = "supports"
    REFINES = "refines"
    DEPENDS_ON = "depends_on"
    CONTRADICTS = "contradicts"
    SAME_TOPIC = "same_topic"
    EVIDENCE_FOR = "evidence_for"
    SUPERSEDES = "supersedes"
    RELATED = "related"

    @property
    def said(self) -> str:
        """The kind as it stands between the two."""
        return _SAID[self][0]

    @property
    def said_back(self) -> str:
        """The same, seen from the target."""
        return _SAID[self][1]

    @property
    def is_mutual(self) -> bool:
        """Whether it says the same in both directions."""
        return _SAID[self][0] == _SAID[self][1]


_SAID = {
    EdgeKind.SUPPORTS: ("supports", "is supported by"),
    EdgeKind.REFINES: ("refines", "is refined by"),
    EdgeKind.DEPENDS_ON: ("depends on", "is needed by"),
    EdgeKind.CONTRADICTS: ("contradicts", "is contradicted by"),
    EdgeKind.SAME_TOPIC: ("same topic", "same topic"),
    EdgeKind.EVIDENCE_FOR: ("is evidence for", "rests on"),
    EdgeKind.SUPERSEDES: ("replaced", "was replaced by"),
    EdgeKind.RELATED: ("related", "related"),
}


@dataclass(frozen=True)
class Edge:
    """A link between two records, how sure it is, and why in words."""

    source: RecordId
    target: RecordId
    kind: EdgeKind
    confidence: float
    reason: str

    def other(self, end: str) -> RecordId:
        """The record at the other end."""
        return self.target if self.source == end else self.source

    def said_from(self, end: str) -> str:
        """The kind as it reads from one of its ends."""
        return self.kind.said if self.source == end else self.kind.said_back


@dataclass(frozen=True)
class Cluster:
    """Records that belong together: what they are about, and the one that the others are tied to most."""

    id: str
    label: str
    center: RecordId
    members: tuple[RecordId, ...]


class Links:
    """The links of one project's records. Reading them costs a look at the local database."""

    def __init__(self, local: Database, project_id: str) -> None:
        self._local = local
        self._project = project_id

    def neighbors(self, record_id: str) -> list[Edge]:
        """The links of a record, the strongest first."""
        return self.neighbors_of([record_id]).get(RecordId(record_id), [])

    def neighbors_of(self, record_ids: Collection[str]) -> dict[RecordId, list[Edge]]:
        """The links of several records, by record, the strongest first. One without links is not among them."""
        with self._local.read() as tx:
            found = LinkRows(tx, self._project).of(record_ids)
        by_record: defaultdict[RecordId, list[Edge]] = defaultdict(list)
        wanted = set(record_ids)
        for edge, is_kept in found:
            for end in {edge.source, edge.target} & wanted if is_kept else ():
                by_record[RecordId(end)].append(edge)
        return {end: sorted(edges, key=_strongest) for end, edges in by_record.items()}

    def opposed(self, record_ids: Collection[str]) -> dict[RecordId, list[RecordId]]:
        """For several records, those that each cannot hold together with, the surest first."""
        return {
            end: [edge.other(end) for edge in edges if edge.kind is EdgeKind.CONTRADICTS]
            for end, edges in self.neighbors_of(record_ids).items()
        }

    def edges(self) -> list[Edge]:
        """All links there are, in the order of their records."""
        with self._local.read() as tx:
            return LinkRows(tx, self._project).kept()

    def clusters(self) -> list[Cluster]:
        """The clusters, the largest first."""
        with self._local.read() as tx:
            rows = LinkRows(tx, self._project)
            return sorted(rows.clusters(), key=lambda one: (-len(one.members), one.id))

    def cluster_of(self, record_id: str) -> Cluster | None:
        """The cluster that a record belongs to, if any."""
        with self._local.read() as tx:
            return LinkRows(tx, self._project).cluster_of(record_id)

    def records(self) -> set[RecordId]:
        """Every record that was looked at, linked or not."""
        with self._local.read() as tx:
            sql = "SELECT record_id FROM linked_records WHERE project_id = ?"
            return {RecordId(row[0]) for row in tx.rows(sql, (self._project,))}


def _strongest(edge: Edge) -> tuple[float, str, str]:
    return -edge.confidence, edge.source, edge.target


class LinkRows:
    """The links of one project inside a transaction: read, and written by whoever finds them."""

    def __init__(self, tx: Transaction, project_id: str) -> None:
        self._tx = tx
        self._project = project_id

    def kept(self) -> list[Edge]:
        sql = f"SELECT {_EDGE} FROM links WHERE project_id = ? AND is_kept = 1"
        return [_edge(row) for row in self._tx.rows(sql, (self._project,))]

    def of(self, record_ids: Iterable[str]) -> list[tuple[Edge, bool]]:
        """Every link that was found for these records, each once, and whether it is kept."""
        ids = sorted(set(record_ids))
        found: dict[tuple[str, str], tuple[Edge, bool]] = {}
        for end in ("source", "target"):
            for row in self._among(f"SELECT {_EDGE}, is_kept FROM links WHERE project_id = ? AND {end} IN", ids):
                found[row[0], row[1]] = _edge(row[:-1]), bool(row[-1])
        return list(found.values())

    def put(self, edges: Iterable[Edge]) -> None:
        """Note links that were found; none of them is kept yet."""
        sql = f"INSERT INTO links (project_id, {_EDGE}) VALUES (?, ?, ?, ?, ?, ?)"
        rows = ((e.source, e.target, str(e.kind), e.confidence, e.reason) for e in edges)
        self._tx.run_many(sql, ((self._project, *row) for row in rows))

    def take_out(self, pairs: Iterable[tuple[str, str]]) -> None:
        sql = "DELETE FROM links WHERE project_id = ? AND source = ? AND target = ?"
        both = (ends for one, other in pairs for ends in ((one, other), (other, one)))
        self._tx.run_many(sql, ((self._project, *ends) for ends in both))

    def keep(self, edges: Iterable[tuple[Edge, bool]]) -> None:
        """Say which links count."""
        sql = "UPDATE links SET is_kept = ? WHERE project_id = ? AND source = ? AND target = ?"
        self._tx.run_many(sql, ((int(kept), self._project, edge.source, edge.target) for edge, kept in edges))

    def clusters(self) -> list[Cluster]:
        sql = "SELECT cluster, record_id FROM linked_records WHERE project_id = ? AND cluster IS NOT NULL"
        members: defaultdict[str, list[RecordId]] = defaultdict(list)
        for cluster, record_id in self._tx.rows(sql, (self._project,)):
            members[cluster].append(RecordId(record_id))
        sql = "SELECT id, label, center FROM link_clusters WHERE project_id = ?"
        rows = self._tx.rows(sql, (self._project,))
        return [Cluster(row[0], row[1], RecordId(row[2]), tuple(sorted(members[row[0]]))) for row in rows]

    def cluster_of(self, record_id: str) -> Cluster | None:
        sql = (
            "SELECT c.id, c.label, c.center FROM linked_records r JOIN link_clusters c"
            " ON c.project_id = r.project_id AND c.id = r.cluster WHERE r.project_id = ? AND r.record_id = ?"
        )
        row = self._tx.row(sql, (self._project, record_id))
        if row is None:
            return None
        sql = "SELECT record_id FROM linked_records WHERE project_id = ? AND cluster = ? ORDER BY record_id"
        members = tuple(RecordId(one) for (one,) in self._tx.rows(sql, (self._project, row[0])))
        return Cluster(row[0], row[1], RecordId(row[2]), members)

    def unclustered(self) -> set[str]:
        """The records whose links changed since clusters were last looked for."""
        sql = f"SELECT record_id FROM linked_records WHERE {_OF_PROJECT} AND clustered = 0"
        return {row[0] for row in self._tx.rows(sql, (self._project,))}

    def mark_unclustered(self, record_ids: Iterable[str]) -> None:
        sql = "UPDATE linked_records SET clustered = 0 WHERE project_id = ? AND record_id = ?"
        self._tx.run_many(sql, ((self._project, one) for one in record_ids))

    def put_clusters(self, clusters: Sequence[Cluster], alone: Iterable[str], seen: Iterable[str]) -> None:
        """Note clusters, records that belong to none, and the records for which that is settled now."""
        assign = "UPDATE linked_records SET cluster = ? WHERE project_id = ? AND record_id = ?"
        owned = ((one.id, self._project, member) for one in clusters for member in one.members)
        self._tx.run_many(assign, owned)
        self._tx.run_many(assign, ((None, self._project, one) for one in alone))
        sql = "UPDATE linked_records SET clustered = 1 WHERE project_id = ? AND record_id = ?"
        self._tx.run_many(sql, ((self._project, one) for one in seen))
        self._tx.run_many(
            "INSERT INTO link_clusters (project_id, id, label, center) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (project_id, id) DO UPDATE SET label = excluded.label, center = excluded.center",
            ((self._project, one.id, one.label, one.center) for one in clusters),
        )
        self._tx.run(
            "DELETE FROM link_clusters WHERE project_id = ? AND id NOT IN"
            " (SELECT cluster FROM linked_records WHERE project_id = ? AND cluster IS NOT NULL)",
            (self._project, self._project),
        )

    # The records, and what of them links are found by

    def near_lists(self) -> list[tuple[int, str, bytes | None]]:
        """Row, id and nearest records of every record that is known here."""
        sql = "SELECT record_seq, record_id, near FROM linked_records WHERE project_id = ? ORDER BY record_seq"
        return [(row[0], row[1], row[2]) for row in self._tx.rows(sql, (self._project,))]

    def has_any(self) -> bool:
        """Whether any record is known here."""
        return self._tx.row("SELECT 1 FROM linked_records WHERE project_id = ? LIMIT 1", (self._project,)) is not None

    def is_unfinished(self, *, with_vectors: bool) -> bool:
        """Whether clusters are to be looked for, or records wait for their vectors where there will be some."""
        sql = f"SELECT 1 FROM linked_records WHERE {_OF_PROJECT} AND"
        left = ("clustered = 0", "near IS NULL") if with_vectors else ("clustered = 0",)
        return any(self._tx.row(f"{sql} {one} LIMIT 1", (self._project,)) for one in left)

    def waiting(self, model: str) -> list[int]:
        """Records that had no vector when they were looked at, and have one by this model now."""
        sql = (
            "SELECT n.record_seq FROM linked_records n CROSS JOIN embeddings e ON e.project_id = n.project_id"
            f" AND e.model = ? AND e.record_seq = n.record_seq WHERE n.{_OF_PROJECT} AND n.near IS NULL"
            " ORDER BY n.record_seq"
        )
        return [row[0] for row in self._tx.rows(sql, (model, self._project))]

    def put_record(self, rows: Iterable[tuple[int, str, bytes | None]]) -> None:
        self._tx.run_many(
            "INSERT INTO linked_records (project_id, record_seq, record_id, near) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (project_id, record_seq) DO UPDATE SET near = excluded.near",
            ((self._project, *row) for row in rows),
        )

    def take_out_records(self, seqs: Iterable[int]) -> None:
        sql = "DELETE FROM linked_records WHERE project_id = ? AND record_seq = ?"
        self._tx.run_many(sql, ((self._project, seq) for seq in seqs))

    def names_of(self, seqs: Sequence[int]) -> dict[int, set[str]]:
        found: defaultdict[int, set[str]] = defaultdict(set)
        sql = "SELECT record_seq, name FROM linked_names WHERE project_id = ? AND record_seq IN"
        for seq, name in self._among(sql, seqs):
            found[seq].add(name)
        return found

    def holders(self, names: Iterable[str], most: int) -> dict[str, set[int]]:
        """The records that speak of each name; of one that more than `most` do, only so many and one more."""
        sql = "SELECT record_seq FROM linked_names WHERE project_id = ? AND name = ? LIMIT ?"
        return {name: {row[0] for row in self._tx.rows(sql, (self._project, name, most + 1))} for name in names}

    def put_names(self, names: Mapping[int, Collection[str]]) -> None:
        """Note all that some records speak of, in place of what was known."""
        sql = "DELETE FROM linked_names WHERE project_id = ? AND record_seq = ?"
        self._tx.run_many(sql, ((self._project, seq) for seq in names))
        sql = "INSERT INTO linked_names (project_id, name, record_seq) VALUES (?, ?, ?)"
        rows = ((self._project, name, seq) for seq, some in names.items() for name in sorted(some))
        self._tx.run_many(sql, rows)

    def forget(self) -> None:
        """Forget everything of the project, to be found again."""
        for table in LINK_TABLES:
            self._tx.run(f"DELETE FROM {table} WHERE project_id = ?", (self._project,))

    def _among(self, sql: str, some: Sequence[Value]) -> Iterator[Row]:
        for start in range(0, len(some), _AT_ONCE):
            values = some[start : start + _AT_ONCE]
            yield from self._tx.rows(f"{sql} ({', '.join('?' * len(values))})", (self._project, *values))


#: What is kept here, by project.
LINK_TABLES = ("links", "link_clusters", "linked_names", "linked_records")


def _edge(row: Row) -> Edge:
    source, target, kind, confidence, reason = row
    return Edge(RecordId(source), RecordId(target), EdgeKind(kind), confidence, reason)
