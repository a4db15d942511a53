"""Where every session and every byte of the agents' files went. The sums are whole by construction, and checked.

Each container's bytes are divided among the sessions in it, evenly when there are several, since a database does not
tell whose bytes are whose. What holds no session is accounted for by itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum

from lerim.dataclass import dataclass, field
from lerim.sessions.session import Held, SessionState
from lerim.storage.database import Database, Row, Transaction

NO_SESSION = "holds no session"


class Fate(StrEnum):
    INGESTED = "ingested"
    WAITING = "waiting"
    SKIPPED = "skipped"
    FAILED = "failed"
    VANISHED = "vanished"  # gone before it was ingested


@dataclass(frozen=True)
class AuditEntry:
    """Sessions and bytes of one fate and reason."""

    fate: Fate
    reason: str | None
    sessions: int
    bytes: int


@dataclass(frozen=True)
class Audit:
    """Everything discovered, and where it went."""

    sessions: int
    bytes: int
    entries: tuple[AuditEntry, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every discovered session and byte is accounted for."""
        counted = sum(entry.sessions for entry in self.entries), sum(entry.bytes for entry in self.entries)
        return (self.sessions, self.bytes) == counted

    def of(self, fate: Fate) -> AuditEntry:
        """One fate, whatever the reasons."""
        chosen = [entry for entry in self.entries if entry.fate is fate]
        return AuditEntry(fate, None, sum(entry.sessions for entry in chosen), sum(entry.bytes for entry in chosen))


@dataclass
class _Ledger:
    sessions: Counter[tuple[Fate, str | None]] = field(default_factory=Counter)
    bytes: Counter[tuple[Fate, str | None]] = field(default_factory=Counter)

    def entries(self) -> Iterator[AuditEntry]:
        for fate, reason in sorted(self.sessions.keys() | self.bytes.keys(), key=lambda key: (key[0], key[1] or "")):
            yield AuditEntry(fate, reason, self.sessions[fate, reason], self.bytes[fate, reason])


def audit(database: Database) -> Audit:
    """Account for everything in the catalog, as of one moment."""
    with database.read() as tx:
        totals = tx.row("SELECT (SELECT count(*) FROM sessions), (SELECT coalesce(sum(size), 0) FROM containers)")
        ledger = _Ledger()
        holders = _sessions(tx, ledger)
        copies = _copies(tx)
        for row in tx.rows("SELECT id, size, gone, problem FROM containers"):
            _share_out(ledger, row, holders.get(row[0], []) + copies.get(row[0], []))
    assert totals is not None
    return Audit(int(totals[0]), int(totals[1]), tuple(ledger.entries()))


#: A fate with the bytes of the session that are in already although the rest is not.
_Part = tuple[Fate, str | None, int]


def _sessions(tx: Transaction, ledger: _Ledger) -> Mapping[int, list[_Part]]:
    """Count the sessions, and say which container holds which fates."""
    holders: dict[int, list[_Part]] = defaultdict(list)
    sql = """SELECT s.container_id, s.state, s.reason, s.gone, CASE WHEN s.gone = 1 AND c.gone = 0 THEN 1 ELSE 0 END,
                    CASE WHEN s.rewritten = 1 THEN 0 ELSE s.ingested_size END
             FROM sessions s JOIN containers c ON c.id = s.container_id ORDER BY s.id"""
    for container, state, reason, gone, left_its_container, kept in tx.rows(sql):
        fate, why = _fate(SessionState(state), reason, bool(gone))
        ledger.sessions[fate, why] += 1
        # Deleted inside a database that lives on: no byte of it is left to account for.
        if not left_its_container:
            holders[container].append((fate, why, kept))
    return holders


def _copies(tx: Transaction) -> Mapping[int, list[_Part]]:
    copies: dict[int, list[_Part]] = defaultdict(list)
    for container, reason in tx.rows("SELECT container_id, reason FROM copies"):
        copies[container].append((Fate.SKIPPED, reason, 0))
    return copies


def _fate(state: SessionState, reason: str | None, gone: bool) -> tuple[Fate, str | None]:
    match state:
        case SessionState.DONE:
            return Fate.INGESTED, None
        case SessionState.FAILED | SessionState.DEAD:
            return Fate.FAILED, reason
        case SessionState.SKIPPED if gone or reason == Held.GONE:
            return Fate.VANISHED, None
        case SessionState.SKIPPED:
            return Fate.SKIPPED, reason
        case SessionState.PENDING | SessionState.RUNNING:
            return Fate.WAITING, None


def _share_out(ledger: _Ledger, container: Row, parts: list[_Part]) -> None:
    _, size, gone, problem = container
    if problem is not None:
        ledger.bytes[Fate.FAILED, problem] += 0  # named even when its bytes belong to sessions listed earlier
    parts = parts or [_without_session(bool(gone), problem)]
    share, rest = divmod(size, len(parts))
    for number, (fate, reason, kept) in enumerate(parts):
        mine = share + (number < rest)
        already = min(kept, mine) if fate is not Fate.INGESTED else 0
        if already:
            ledger.bytes[Fate.INGESTED, None] += already
        ledger.bytes[fate, reason] += mine - already


def _without_session(gone: bool, problem: str | None) -> _Part:
    if gone:
        return Fate.VANISHED, None, 0
    return (Fate.FAILED, problem, 0) if problem is not None else (Fate.SKIPPED, NO_SESSION, 0)
