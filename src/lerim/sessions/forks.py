"""Which session gave a record first. A fork begins with copies of another session's records, ids and all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Protocol, runtime_checkable

from lerim.sessions.session import Session
from lerim.sources.base import SessionRef
from lerim.storage.database import Transaction

_AT_ONCE = 500


@runtime_checkable
class NamesRecords(Protocol):
    """A source whose agent gives every record an id that survives a fork."""

    def uuids(self, ref: SessionRef) -> Iterable[str]: ...


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
    """Note that the session gave these records. Who gave a record first keeps it."""
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
