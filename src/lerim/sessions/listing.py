"""Sessions as people look through them: newest first, by agent, state, project, day and words, a page at a time.

The database counts and chooses: tens of thousands of sessions are looked through without one of them being decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from lerim.dataclass import dataclass, replace
from lerim.sessions.session import SELECT, Session, SessionState, clean, decode
from lerim.storage.database import Database, Row, Value

#: When a session was: when it began, or else the last time that anything happened in it.
_WHEN = "coalesce(s.started, s.active)"
_DAY = f"substr({_WHEN}, 1, 10)"
_WORDS = "(s.agent || '/' || s.run_id || ' ' || coalesce(s.title, '') || ' ' || coalesce(s.cwd, ''))"


@dataclass(frozen=True)
class SessionFilter:
    """Which sessions are wanted. None, or nothing, is any."""

    agent: str | None = None
    state: SessionState | None = None
    #: NO_PROJECT for those that belong to none.
    project_id: str | None = None
    #: As in `2026-02-20`.
    day: str | None = None
    #: All of them must be in its name, its title or its folder.
    text: str = ""


@dataclass(frozen=True)
class SessionPage:
    """Some of the sessions that are wanted, newest first, and how many there are."""

    sessions: tuple[Session, ...]
    total: int


@dataclass(frozen=True)
class SessionDay:
    """A day, and how many of its sessions are in each state."""

    day: str
    counts: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


class SessionListing:
    """Looks through the catalog as the last look at the disk left it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wanted: SessionFilter, limit: int, offset: int = 0) -> SessionPage:
        where, values = _where(wanted)
        total = self._rows(f"SELECT count(*) FROM sessions s {where}", values)[0][0]
        sql = f"{SELECT} {where} ORDER BY {_WHEN} DESC, s.id DESC LIMIT ? OFFSET ?"
        return SessionPage(tuple(decode(row) for row in self._rows(sql, (*values, limit, offset))), int(total))

    def days(self, wanted: SessionFilter, most: int) -> list[SessionDay]:
        """Each day of the last so many with a session, oldest first, counted back from the newest; whichever day is
        wanted."""
        where, values = _where(replace(wanted, day=None))
        newest = self._rows(f"SELECT max({_DAY}) FROM sessions s {where}", values)[0][0]
        if newest is None:
            return []
        since = f"{where} {'AND' if where else 'WHERE'} {_DAY} >= ?"
        sql = f"SELECT {_DAY}, s.state, count(*) FROM sessions s {since} GROUP BY 1, 2 ORDER BY 1"
        found: dict[str, dict[str, int]] = {}
        for day, state, count in self._rows(sql, (*values, _days_before(str(newest), most - 1))):
            found.setdefault(str(day), {})[str(state)] = int(count)
        return [SessionDay(day, counts) for day, counts in found.items()]

    def agents(self) -> dict[str, int]:
        """How many sessions there are of each agent."""
        return dict(self._rows("SELECT agent, count(*) FROM sessions GROUP BY 1 ORDER BY 1", ()))

    def projects(self) -> dict[str, int]:
        """How many sessions there are of each project, by its id; those of none by nothing."""
        return dict(self._rows("SELECT coalesce(project_id, ''), count(*) FROM sessions GROUP BY 1", ()))

    def states(self, wanted: SessionFilter) -> dict[str, int]:
        """How many of those that are wanted are in each state, whichever state is wanted."""
        where, values = _where(replace(wanted, state=None))
        return dict(self._rows(f"SELECT s.state, count(*) FROM sessions s {where} GROUP BY 1", values))

    def _rows(self, sql: str, values: Sequence[Value]) -> Sequence[Row]:
        def read() -> Sequence[Row]:
            with self._database.read() as tx:
                return tx.rows(sql, values)

        return self._database.guarded(read)


def _days_before(day: str, count: int) -> str:
    try:
        return (date.fromisoformat(day) - timedelta(days=count)).isoformat()
    except (ValueError, OverflowError):
        # Some agent's clock: whatever it says is the first and the last day.
        return day


def _where(wanted: SessionFilter) -> tuple[str, list[Value]]:
    terms: list[str] = []
    values: list[Value] = []
    for column, value in (("s.agent", wanted.agent), ("s.state", wanted.state), (_DAY, wanted.day)):
        if value is not None:
            terms.append(f"{column} = ?")
            values.append(clean(str(value)))
    if wanted.project_id is not None:
        terms.append("coalesce(s.project_id, '') = ?")
        values.append(clean(wanted.project_id))
    for word in (clean(wanted.text, 200) or "").lower().split():
        terms.append(f"instr(lower({_WORDS}), ?) > 0")
        values.append(word)
    return f"WHERE {' AND '.join(terms)}" if terms else "", values
