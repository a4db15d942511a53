"""Which session gave a record first. A fork begins with copies of another session's records, ids and all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice

from lerim.dataclass import replace
from lerim.digests import blake2b
from lerim.sessions.session import Session
from lerim.sources.base import Reading
from lerim.sources.trace import Line
from lerim.storage.database import Transaction

_AT_ONCE = 500


def without_copies(reading: Reading, copied: Set[int], origin: str) -> Reading:
    """The session without the records of its source that another session gave before: once is enough."""

    def lines() -> Iterator[Line]:
        dropped = set()
        for line in reading.lines:
            if line.src in copied:
                dropped.add(line.src)
            else:
                yield line
        reading.account.used -= len(dropped)
        reading.account.skipped[f"copied from {origin}"] += len(dropped)

    header = replace(reading.header, forked_from=reading.header.forked_from or origin)
    return Reading(header, lines(), reading.account)


def without_history(reading: Reading) -> Reading:
    """A fork without the history that it copied from a session whose file is gone, but which was ingested before."""

    def lines() -> Iterator[Line]:
        dropped = set()
        for line in reading.lines:
            if line.src <= reading.inherited:
                dropped.add(line.src)
            else:
                yield line
        reading.account.used -= len(dropped)
        reading.account.skipped[f"copied from {reading.header.forked_from}"] += len(dropped)

    return replace(reading, lines=lines())


def is_ingested(tx: Transaction, agent: str, run_id: str | None) -> bool:
    """Whether a session was ingested at some time."""
    sql = "SELECT 1 FROM sessions WHERE agent = ? AND run_id = ? AND ingested IS NOT NULL"
    return bool(run_id) and tx.row(sql, (agent, run_id)) is not None


def copied_lines(tx: Transaction, session: Session, records: Sequence[tuple[int, str]]) -> tuple[set[int], str]:
    """The lines of records that another session has given before, and the run id of that one."""
    seen = already_ingested(tx, session, (uuid for _, uuid in records))
    lines = {line for line, uuid in records if uuid in seen}
    if not lines:
        return lines, ""
    first = next(uuid for _, uuid in records if uuid in seen)
    sql = "SELECT s.run_id FROM seen_records r JOIN sessions s ON s.id = r.session_id WHERE r.record = ?"
    row = tx.row(sql, (_key(session.agent, first),))
    return lines, str(row[0]) if row else ""


def already_ingested(tx: Transaction, session: Session, uuids: Iterable[str]) -> set[str]:
    """Those of the records that another session has given before."""
    found: set[str] = set()
    for some in _pieces(uuids):
        keys = {_key(session.agent, uuid): uuid for uuid in some}
        marks = ", ".join("?" * len(keys))
        sql = f"SELECT record FROM seen_records WHERE session_id <> ? AND record IN ({marks})"
        found.update(keys[row[0]] for row in tx.rows(sql, (session.id, *keys)))
    return found


def remember(tx: Transaction, session: Session, uuids: Iterable[str]) -> None:
    """Note that the session gave these records. The first session to give a record keeps it."""
    rows = ((_key(session.agent, uuid), session.id) for uuid in uuids)
    tx.run_many("INSERT INTO seen_records (record, session_id) VALUES (?, ?) ON CONFLICT DO NOTHING", rows)


def _key(agent: str, uuid: str) -> int:
    """64 bits instead of some 40 bytes: with a million records, a chance hit is one in ten million."""
    digest = blake2b(f"{agent}\0{uuid}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _pieces(uuids: Iterable[str]) -> Iterator[Sequence[str]]:
    rest = iter(uuids)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
