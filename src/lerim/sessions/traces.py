"""Traces that machines uploaded: redacted, compressed, in pieces that are named by what they say.

A trace is cut the same way every time, and one that grew begins with the pieces it had: whoever uploads it again sends
what is missing. So an upload that was killed goes on where it ended, and the same one twice is one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

from lerim.dataclass import dataclass
from lerim.digests import blake2b
from lerim.errors import NotFound, SourceError
from lerim.storage.database import Database, Transaction

#: Bytes of a piece: enough to compress well, and little to send again when a session grows.
PIECE = 256 << 10
#: More than any line of ours has, and more than any trace: what somebody uploads may unpack to anything.
_MOST_PIECE = 17 << 20
_MOST_TRACE = 1 << 30
#: Seconds after which a piece that no trace has is what a killed upload left.
_ABANDONED = 7 * 86_400.0

_HAVE = "SELECT digest FROM pieces WHERE project_id = ? AND digest IN ({marks})"
_SEND = "INSERT INTO pieces (project_id, digest, content, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_NAME = """
INSERT INTO traces (project_id, digest, agent, run_id, machine, lines, size, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_JOIN = "INSERT INTO trace_pieces (project_id, trace, number, piece) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_PIECES = "SELECT piece FROM trace_pieces WHERE project_id = ? AND trace = ? ORDER BY number"
_CONTENT = """
SELECT p.content FROM trace_pieces t JOIN pieces p ON p.project_id = t.project_id AND p.digest = t.piece
WHERE t.project_id = ? AND t.trace = ? ORDER BY t.number
"""
_ONE = "SELECT content FROM pieces WHERE project_id = ? AND digest = ?"
_FORGET = "DELETE FROM traces WHERE project_id = ? AND digest = ?"
_UNUSED = """
NOT EXISTS (SELECT 1 FROM trace_pieces t WHERE t.project_id = pieces.project_id AND t.piece = pieces.digest)
"""
_DROP = f"DELETE FROM pieces WHERE project_id = ? AND digest = ? AND {_UNUSED}"
_SWEEP = f"DELETE FROM pieces WHERE at < ? AND {_UNUSED}"


@dataclass(frozen=True)
class TraceName:
    """An uploaded trace: whose it is, where it is from, and how much it says."""

    project_id: str
    digest: str
    agent: str
    run_id: str
    machine: str
    lines: int
    size: int


@dataclass(frozen=True)
class CutTrace:
    """A trace in pieces: the header, which may know its title later, and then so many lines each."""

    digest: str
    pieces: tuple[bytes, ...]
    lines: int
    size: int

    @classmethod
    def of(cls, trace: bytes) -> CutTrace:
        return cls(name_of(trace), tuple(_cut(trace)), trace.count(b"\n"), len(trace))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(name_of, self.pieces))


def name_of(content: bytes) -> str:
    return blake2b(content, digest_size=32).hexdigest()


def _cut(trace: bytes) -> Iterator[bytes]:
    start, least = 0, 0
    while start < len(trace):
        end = trace.find(b"\n", start + least) + 1 or len(trace)
        yield trace[start:end]
        start, least = end, PIECE


class UploadedTraces:
    """The traces in a database that machines share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def send(self, project_id: str, cut: CutTrace) -> int:
        """Upload what is missing, piece by piece: each one counts from then on. How many there were."""
        named = dict(zip(cut.names, cut.pieces, strict=True))
        have = self._have(project_id, list(named))
        missing = {name: piece for name, piece in named.items() if name not in have}
        for name, piece in missing.items():
            with self._database.write_among() as tx:
                tx.run(_SEND, (project_id, name, zlib.compress(piece), tx.now()))
        return len(missing)

    def _have(self, project_id: str, names: Sequence[str]) -> set[str]:
        with self._database.read() as tx:
            sql = _HAVE.format(marks=", ".join("?" * len(names)) or "''")
            return {str(row[0]) for row in tx.rows(sql, (project_id, *names))}

    def note(self, tx: Transaction, name: TraceName, cut: CutTrace) -> None:
        """Have a trace whose pieces were sent, in a transaction of the caller's."""
        who = (name.project_id, name.digest, name.agent, name.run_id, name.machine)
        tx.run(_NAME, (*who, name.lines, name.size, tx.now()))
        rows = [(name.project_id, name.digest, number, piece) for number, piece in enumerate(cut.names)]
        tx.run_many(_JOIN, rows)

    def find(self, tx: Transaction, project_id: str, digest: str) -> TraceName | None:
        sql = "SELECT project_id, digest, agent, run_id, machine, lines, size FROM traces"
        row = tx.row(f"{sql} WHERE project_id = ? AND digest = ?", (project_id, digest))
        return TraceName(*row) if row else None

    def of_session(self, project_id: str, agent: str, run_id: str) -> list[TraceName]:
        """All that is kept of a session, the newest first: what it says now, and what it said before it was
        rewritten."""
        sql = "SELECT project_id, digest, agent, run_id, machine, lines, size FROM traces"
        with self._database.read() as tx:
            where = f"{sql} WHERE project_id = ? AND agent = ? AND run_id = ? ORDER BY at DESC, digest"
            return [TraceName(*row) for row in tx.rows(where, (project_id, agent, run_id))]

    def continues(self, tx: Transaction, project_id: str, digest: str, cut: CutTrace) -> bool:
        """Whether a trace begins with all the lines of an earlier one, its header aside."""
        before = [str(row[0]) for row in tx.rows(_PIECES, (project_id, digest))][1:]
        now = cut.names[1:]
        if len(before) > len(now) or list(now[: len(before) - 1]) != before[:-1]:
            return False
        if not before:
            return True
        row = tx.row(_ONE, (project_id, before[-1]))
        return row is not None and cut.pieces[len(before)].startswith(_unpacked(row[0]))

    def forget(self, tx: Transaction, project_id: str, digest: str) -> None:
        """Drop a trace that a later one continues, with the pieces that nobody else has."""
        pieces = [(project_id, row[0]) for row in tx.rows(_PIECES, (project_id, digest))]
        tx.run(_FORGET, (project_id, digest))
        tx.run_many(_DROP, pieces)

    def sweep(self) -> int:
        """Drop what killed uploads left and nobody went on with. How many pieces there were."""
        with self._database.write_among() as tx:
            return tx.run(_SWEEP, (tx.now() - _ABANDONED,))

    def fetch(self, project_id: str, digest: str) -> bytes:
        """A trace as it was uploaded. Raises NotFound, or SourceError for one that is damaged."""
        with self._database.read() as tx:
            name, rows = self.find(tx, project_id, digest), tx.rows(_CONTENT, (project_id, digest))
        if name is None:
            raise NotFound("its trace was not uploaded", hint="lerim sync, on the machine where the session is")
        if name.size > _MOST_TRACE:
            raise SourceError(f"the uploaded trace of {name.agent}/{name.run_id} is too large to be one of ours")
        trace = b"".join(_unpacked(row[0]) for row in rows)
        if name_of(trace) != digest:
            raise SourceError(
                f"the uploaded trace of {name.agent}/{name.run_id} is damaged", hint="lerim storage check"
            )
        return trace


def _unpacked(content: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        piece = unpacking.decompress(content, _MOST_PIECE)
    except zlib.error as error:
        raise SourceError("an uploaded trace is damaged", hint="lerim storage check") from error
    if unpacking.unconsumed_tail:
        raise SourceError("an uploaded trace is too large to be one of ours", hint="lerim queue")
    return piece
