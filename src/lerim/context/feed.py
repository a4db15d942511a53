"""What changed since somebody last looked: a project's versions in the order they were written.

No change is announced. Whoever keeps something that is made from the records notes how far it has come, and asks
for what came after. That works over a crash, over a change another process made, and for any number of followers.
"""

from __future__ import annotations

from typing import NamedTuple

from lerim.storage.database import Row, Transaction, Value

# Values a statement takes at most, with room to spare.
_AT_ONCE = 10_000
# In two parts, each of which an index finds: a change may hold a million versions.
_REST = "FROM versions v WHERE v.change_id = ? AND v.record_seq > ?"
_LATER = "FROM changes c JOIN versions v ON v.change_id = c.id WHERE c.project_id = ? AND c.id > ?"


class Position(NamedTuple):
    """A place in the feed: everything up to this record's version in this change."""

    change: int
    seq: int


START = Position(0, 0)
# What the context graph keeps, by project.
_LINKS = ("links", "link_clusters", "linked_names", "linked_records")


class Feed:
    """The feed of one project, as a transaction on the store sees it. Changes are numbered in the order they commit."""

    def __init__(self, tx: Transaction, project_id: str) -> None:
        self._tx = tx
        self._project = project_id

    def store(self) -> str:
        """Which store this is."""
        row = self._tx.row("SELECT id FROM identity")
        assert row is not None
        return str(row[0])

    def since(self, position: Position, limit: int) -> list[Position]:
        """What came after, oldest first; a record that changed twice is there twice."""
        sql = f"SELECT v.change_id, v.record_seq {_REST} ORDER BY v.record_seq LIMIT ?"
        rows = self._tx.rows(sql, (*position, limit))
        if len(rows) < limit:
            sql = f"SELECT c.id, v.record_seq {_LATER} ORDER BY c.id, v.record_seq LIMIT ?"
            rows += self._tx.rows(sql, (self._project, position.change, limit - len(rows)))
        return [Position(*row) for row in rows]

    def seqs(self, position: Position, limit: int | None = None) -> list[int]:
        """The row of every record that changed after, each once."""
        sql = f"SELECT v.record_seq {_REST} UNION SELECT v.record_seq {_LATER} ORDER BY 1"
        values: list[Value] = [*position, self._project, position.change]
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, limit]
        return [row[0] for row in self._tx.rows(sql, values)]

    def records(self, position: Position, columns: str, limit: int | None = None) -> list[Row]:
        """Columns of `records r` for every record that changed after, each once, as it stands now."""
        seqs, found = self.seqs(position, limit), list[Row]()
        for start in range(0, len(seqs), _AT_ONCE):
            some = seqs[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            found += self._tx.rows(f"SELECT {columns} FROM records r WHERE r.seq IN ({marks}) ORDER BY r.seq", some)
        return found

    def latest(self, limit: int) -> list[Position]:
        """The last versions there are, oldest first."""
        sql = (
            "SELECT c.id, v.record_seq FROM changes c JOIN versions v ON v.change_id = c.id WHERE c.project_id = ?"
            " ORDER BY c.id DESC, v.record_seq DESC LIMIT ?"
        )
        return [Position(*row) for row in reversed(self._tx.rows(sql, (self._project, limit)))]

    def newest(self) -> Position:
        """The last version there is; the start when there is none."""
        return next(iter(self.latest(1)), START)

    def has(self, position: Position) -> bool:
        """Whether the feed still has this place: not after a reset, nor in a store that came back from a backup."""
        sql = "SELECT 1 FROM changes c JOIN versions v ON v.change_id = c.id WHERE c.project_id = ? AND c.id = ?"
        values = (self._project, position.change, position.seq)
        return position == START or self._tx.row(f"{sql} AND v.record_seq = ?", values) is not None


class Followed:
    """How far something local has followed a project's feed, inside a transaction on the local database."""

    def __init__(self, local: Transaction, project_id: str, what: str) -> None:
        self._local = local
        self._key = (project_id, what)

    def position(self, feed: Feed) -> Position | None:
        """Where it stands; None when it has never followed this feed, or when that one is gone."""
        sql = "SELECT store, change_id, record_seq FROM followed WHERE project_id = ? AND what = ?"
        row = self._local.row(sql, self._key)
        if row is None or row[0] != feed.store():
            return None
        found = Position(row[1], row[2])
        return found if feed.has(found) else None

    def stands_at(self, store: str, position: Position) -> bool:
        """Whether nobody has moved it since; at the start also when it has never followed anything."""
        sql = "SELECT store, change_id, record_seq FROM followed WHERE project_id = ? AND what = ?"
        return (self._local.row(sql, self._key) or (store, *START)) == (store, *position)

    def advance(self, store: str, position: Position) -> None:
        self._local.run(
            "INSERT INTO followed (project_id, what, store, change_id, record_seq) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (project_id, what) DO UPDATE SET store = excluded.store, change_id = excluded.change_id,"
            " record_seq = excluded.record_seq",
            (*self._key, store, *position),
        )

    def rewind(self) -> None:
        """Have everything followed again, from the start of the same feed."""
        sql = "UPDATE followed SET change_id = ?, record_seq = ? WHERE project_id = ? AND what = ?"
        self._local.run(sql, (*START, *self._key))

    def forget(self) -> None:
        self._local.run("DELETE FROM followed WHERE project_id = ? AND what = ?", self._key)


def forget_gone(store: Transaction, local: Transaction) -> None:
    """Forget what this machine notes about projects that are no longer in the store."""
    there = {row[0] for row in store.rows("SELECT id FROM projects")}
    grounds = ("grounded", "grounds", "ground_names", "ground_branches", "ground_provisional")
    for table in ("followed", "files", "index_parts", "embeddings", "curated", "curations", *_LINKS, *grounds):
        noted = {row[0] for row in local.rows(f"SELECT DISTINCT project_id FROM {table}")}
        local.run_many(f"DELETE FROM {table} WHERE project_id = ?", ((gone,) for gone in noted - there))
