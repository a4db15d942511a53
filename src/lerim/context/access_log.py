"""Who read, wrote and exported what in a shared store, when, and how they came.

What is written the server notes by itself, whoever writes and whatever with. What is read leaves no trace there: it is
noted by what it was read through, as the command line or a server of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from lerim.dataclass import dataclass
from lerim.storage.database import Database, Value
from lerim.storage.entries import entries

_T = TypeVar("_T")
_COLUMNS = "at, who, token, via, address, action, what, project_id, amount"


class AccessKind(StrEnum):
    READ = "read"
    WRITE = "write"
    EXPORT = "export"
    RIGHTS = "rights"


@dataclass(frozen=True)
class AccessEntry:
    at: datetime
    who: str
    token: str | None
    #: `cli`, `http`, `mcp`; `sql` for whoever came with a client of their own.
    via: str
    address: str | None
    action: AccessKind
    what: str
    project_id: str | None
    amount: int | None


@entries
class AccessLog:
    """The log, as far as whoever asks may see it: what they did, and what others did in projects they administer."""

    def __init__(self, database: Database) -> None:
        """`database` is the team's schema."""
        self._database = database

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._database.guarded(work)

    def note(self, action: AccessKind, what: str, project_id: str | None = None, amount: int | None = None) -> None:
        """Note what one did. A store that nobody shares keeps no log."""
        with self._database.write_among() as tx:
            tx.rows("SELECT note(?, ?, ?, ?)", (str(action), what, project_id, amount))

    def is_kept(self) -> bool:
        """Whether there is anybody whose doings are noted."""
        with self._database.read() as tx:
            return bool(tx.row("SELECT 1 WHERE is_shared()"))

    def latest(
        self, limit: int = 100, *, who: str = "", project_id: str = "", action: AccessKind | None = None
    ) -> list[AccessEntry]:
        """The newest entries, newest first; 0 is all."""
        asked: list[Value] = []
        where = "true"
        for column, value in (("who", who), ("project_id", project_id), ("action", str(action or ""))):
            if value:
                where += f" AND {column} = ?"
                asked.append(value)
        sql = f"SELECT {_COLUMNS} FROM audit WHERE {where} ORDER BY at DESC"
        with self._database.read() as tx:
            rows = tx.rows(f"{sql} LIMIT ?" if limit else sql, (*asked, limit) if limit else asked)
        return [_entry(*row) for row in rows]


def _entry(
    at: datetime,
    who: str,
    token: str | None,
    via: str,
    address: str | None,
    action: str,
    what: str,
    project_id: str,
    amount: int | None,
) -> AccessEntry:
    return AccessEntry(at, who, token, via, address, AccessKind(action), what, project_id or None, amount)
