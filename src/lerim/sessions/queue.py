"""Whose turn it is. Sessions of a project go one at a time, oldest first, each with exactly one final effect.

A worker claims a session and holds it by a lease that it renews. Every claim hands out a higher token, and only the
holder of the newest one may finish: a worker that was thought dead and wakes up again is refused. Leases and waits are
measured by the database's clock, never by a worker's own, so workers need not agree on the time.

Where the engine has several writers at once, a claim picks a row that nobody else is picking, and has the turn of its
project before it looks again: no worker waits for another one, and none fails because of it.

A worker that ends without a word was most likely stopped by somebody: that is a death, not a failed attempt, and no
number of deaths gives a session up. One that has seen several may be what kills them. It goes to the end of the
queue and is taken in a process of its own; if it ends that one while its worker lives on, the attempt has failed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, NotFound
from lerim.sessions.session import SELECT, Held, Session, SessionState, decode, fetch, time_text
from lerim.storage.database import Database, Row, Transaction, Value

#: Seconds since 1970 as a transaction sees them.
QueueClock = Callable[[Transaction], float]
#: A number from 0 up to 1.
Random = Callable[[], float]
#: Whether a worker of this name has surely ended.
HasEnded = Callable[[str], bool]


@dataclass(frozen=True)
class Rules:
    """How long a worker may be silent, and how often and how soon a failure is tried again."""

    lease_seconds: float = 120.0
    max_attempts: int = 5
    #: That no model answered is seldom the session's fault. So many attempts take most of a day.
    max_unanswered: int = 30
    #: So many workers in a row may end without a word before the session is suspected of ending them.
    trusted_deaths: int = 3
    first_wait: float = 30.0
    longest_wait: float = 3600.0

    def wait(self, attempts: int, random: Random) -> float:
        """Twice as long after each attempt; up to half of it is chance, so that failures do not return as one."""
        full = min(self.longest_wait, self.first_wait * 2.0 ** min(attempts - 1, 60))
        return full * (0.5 + 0.5 * random())


@dataclass(frozen=True)
class Job:
    """A claimed session. `token` is the proof that this worker holds it."""

    session: Session
    token: int
    worker: str
    #: Several workers ended while they held it: take it in a process of its own.
    is_suspect: bool = False

    @property
    def attempt(self) -> int:
        return self.session.attempts

    @property
    def hold(self) -> tuple[Value, ...]:
        """Which row it is, and the proof that it is held: the values of HELD."""
        return self.session.project_id, self.session.id, self.token


_WAITS = "w.state IN ('pending', 'failed')"
_BUSY = "(SELECT r.project_id FROM sessions r WHERE r.state = 'running')"
_TURN = "w.last, coalesce(w.started, w.active) {order}, w.id {order}"

# The projects in which something waits: one look at the index for each, however many sessions wait there. Its whole
# order is asked for, so that no other index will do.
_NEXT_PROJECT = f"""
(SELECT w.project_id FROM sessions w WHERE {_WAITS} AND w.project_id > {{last}}
 ORDER BY w.project_id, {_TURN.format(order="")} LIMIT 1)
"""
WAITING = f"""
SELECT {_NEXT_PROJECT.format(last="''")}
UNION ALL
SELECT {_NEXT_PROJECT.format(last="p.project_id")} FROM waiting p WHERE p.project_id IS NOT NULL
"""

# What is next in each project that nobody works on, and of these the first.
FIRST_FREE = f"""
WITH RECURSIVE waiting (project_id) AS ({{projects}})
SELECT w.id, w.project_id
FROM (SELECT p.project_id,
             (SELECT w.id FROM sessions w
              WHERE w.project_id = p.project_id AND {_WAITS} AND (w.due <= ? OR w.due > ?) {{asked}}
              ORDER BY {_TURN} LIMIT 1) AS id
      FROM waiting p WHERE p.project_id NOT IN {_BUSY} {{passed}}) first
JOIN sessions w ON w.project_id = first.project_id AND w.id = first.id
ORDER BY {_TURN}
LIMIT 1 {{unheld}}
"""

CLAIM = f"""
UPDATE sessions AS w
SET state = 'running', token = token + 1, attempts = attempts + 1, worker = ?, leased_at = ?, lease_seconds = ?,
    taken = fingerprint, taken_size = size
WHERE w.id = ? AND w.project_id = ? AND {_WAITS} AND w.project_id NOT IN {_BUSY}
RETURNING id, token, last
"""

# When the first one that waits may be taken: by its wait, and by when somebody last wrote to it.
NEXT_DUE = """
SELECT min(CASE WHEN active BETWEEN ? AND ? THEN NULL ELSE due END),
       min(CASE WHEN active BETWEEN ? AND ? THEN active END)
FROM sessions WHERE state IN ('pending', 'failed') AND project_id > ''
"""

# In order: whoever else looks after them at the same time waits for the same one.
HOLDERS = """
SELECT project_id, id, token, leased_at, worker, deaths, leased_at + lease_seconds <= ?, leased_at > ? FROM sessions
WHERE state = 'running' ORDER BY project_id
"""

HELD = "project_id = ? AND id = ? AND state = 'running' AND token = ?"

# A lease that was renewed meanwhile is none of ours.
SILENT = f"{HELD} AND leased_at = ?"

# A lease from the future was given before the clock was set back. It starts over: its worker may well be alive.
RESTAMP = f"UPDATE sessions SET leased_at = ? WHERE {SILENT}"

HEARTBEAT = f"UPDATE sessions SET leased_at = ? WHERE {HELD}"

# What came in while the worker was busy is not in yet: the session goes back in the queue.
COMPLETE = f"""
UPDATE sessions
SET state = CASE WHEN fingerprint = taken THEN 'done' ELSE 'pending' END,
    reason = NULL,
    rewritten = CASE WHEN fingerprint = taken THEN 0 ELSE rewritten END,
    ingested = taken, ingested_size = coalesce(taken_size, 0), attempts = 0, deaths = 0, last = 0, due = 0,
    worker = NULL, leased_at = NULL
WHERE {HELD}
RETURNING state
"""

DISMISS = f"""
UPDATE sessions
SET state = CASE WHEN fingerprint = taken THEN 'skipped' ELSE 'pending' END,
    reason = CASE WHEN fingerprint = taken THEN ? END,
    attempts = 0, deaths = 0, last = 0, due = 0, worker = NULL, leased_at = NULL
WHERE {HELD}
RETURNING state
"""

FAIL = f"UPDATE sessions SET state = ?, reason = ?, due = ?, worker = NULL, leased_at = NULL WHERE {HELD}"

# The attempt does not count; the worker's end does, and what comes of it.
DIE = f"""
UPDATE sessions
SET state = 'failed', reason = ?, due = ?, attempts = attempts - 1, deaths = ?, last = ?,
    worker = NULL, leased_at = NULL
WHERE {SILENT}
"""

RELEASE = f"""
UPDATE sessions SET state = 'pending', attempts = attempts - 1, due = 0, worker = NULL, leased_at = NULL WHERE {HELD}
"""

RETRY = """
UPDATE sessions SET state = 'pending', reason = NULL, attempts = 0, deaths = 0, last = 0, due = 0
WHERE state IN ('failed', 'dead') AND project_id > '' AND id = coalesce(?, id)
"""

TAKE = """
UPDATE sessions SET state = 'pending', reason = NULL, choice = 'take', attempts = 0, deaths = 0, last = 0, due = 0
WHERE id = ? AND state <> 'running'
"""

ADMIT = f"""
UPDATE sessions SET state = 'pending', reason = NULL
WHERE state = 'skipped' AND reason = '{Held.OUTSIDE_WINDOW}' AND coalesce(choice, '') <> 'leave' AND project_id = ?
"""

OUTSIDE = f"""
SELECT count(*), coalesce(sum(size), 0) FROM sessions
WHERE state = 'skipped' AND reason = '{Held.OUTSIDE_WINDOW}' AND project_id = coalesce(?, project_id)
"""

NEVER_READ = """
SELECT s.project_id FROM sessions s
WHERE s.ingested IS NULL AND s.project_id > '' AND s.project_id = coalesce(?, s.project_id)
  AND NOT EXISTS (SELECT 1 FROM sessions r WHERE r.project_id = s.project_id AND r.ingested IS NOT NULL)
GROUP BY s.project_id ORDER BY max(s.active) DESC
"""

# A running session is taken out of its worker's hands: what that worker finishes later is refused.
LEAVE = """
UPDATE sessions SET state = 'skipped', reason = ?, choice = 'leave', worker = NULL, leased_at = NULL WHERE id = ?
"""

_ORDER = "ORDER BY s.last, coalesce(s.started, s.active), s.id"
_DUE = "s.state IN ('pending', 'failed') AND s.project_id = coalesce(?, s.project_id)"
_FIRST = f"""
(s.state IN ('pending', 'failed')
 OR (s.state = 'skipped' AND s.reason = '{Held.OUTSIDE_WINDOW}' AND coalesce(s.choice, '') <> 'leave' AND s.project_id
     NOT IN (SELECT r.project_id FROM sessions r WHERE r.ingested IS NOT NULL AND r.project_id > '')))
AND s.project_id = coalesce(?, s.project_id)
"""


@dataclass(frozen=True)
class _Asked:
    """What a claim asks for: of which projects, which of their sessions, and the values of both."""

    projects: str
    of: tuple[Value, ...]
    sql: str
    values: tuple[Value, ...]

    def also(self, condition: str, *values: Value) -> _Asked:
        return replace(self, sql=f"{self.sql} AND {condition}", values=(*self.values, *values))


def database_clock(tx: Transaction) -> float:
    """The database's own time: workers need not agree on theirs."""
    return tx.now()


class Queue:
    """The sessions that wait. Every method is one short transaction; any number of processes may call them."""

    def __init__(
        self,
        database: Database,
        random: Random,
        rules: Rules | None = None,
        clock: QueueClock = database_clock,
        has_ended: HasEnded = lambda worker: False,
    ) -> None:
        self._database = database
        self._random = random
        self._clock = clock
        self._has_ended = has_ended
        self.rules = rules or Rules()

    # For workers

    def claim(
        self,
        worker: str,
        project_id: str | None = None,
        session_id: int | None = None,
        *,
        newest_first: bool = False,
        quiet: float = 0.0,
    ) -> Job | None:
        """The oldest session whose project nobody works on, or the newest one, held for this worker. None when there is
        nothing to do. One that was written to within `quiet` seconds is left alone: it may well go on."""
        with self._database.write_among() as tx:
            now = self._clock(tx)
            self._reclaim(tx, now)
            # A wait that ends later than any wait can was set before the clock was put right.
            which = _Asked(*_of_projects(project_id, session_id), "", (now, now + self.rules.longest_wait))
            which = which if session_id is None else which.also("w.id = ?", session_id)
            which = which.also("NOT w.active BETWEEN ? AND ?", *_busy(now, quiet)) if quiet else which
            row = self._first(tx, which, (worker, now, self.rules.lease_seconds), newest_first=newest_first)
            if row is None:
                return None
            session = fetch(tx, row[0])
            assert session is not None
            return Job(session, row[1], worker, is_suspect=bool(row[2]))

    def heartbeat(self, job: Job) -> None:
        """Renew the lease. Raises Conflict when the session was given to another: stop working on it."""
        with self._database.write_among() as tx:
            self._held(job, tx.run(HEARTBEAT, (self._clock(tx), *job.hold)))

    def complete(self, job: Job, also: Callable[[Transaction], None] | None = None) -> SessionState:
        """The session is ingested: done, or pending again if it changed meanwhile.

        `also` is part of the same transaction. Raises Conflict, and nothing happens, when another worker has it now.
        """
        with self._database.write_among() as tx:
            state = self._finished(job, tx.rows(COMPLETE, job.hold))
            if also is not None:
                also(tx)
            return state

    def dismiss(self, job: Job, reason: str) -> SessionState:
        """There is nothing to take from the session as it is now. When it changes it comes back."""
        with self._database.write_among() as tx:
            return self._finished(job, tx.rows(DISMISS, (reason, *job.hold)))

    def fail(self, job: Job, error: str, *, unanswered: bool = False) -> SessionState:
        """The attempt failed: the session waits for the next one, or is dead after the last. There are more of them
        when no model answered. Raises Conflict."""
        with self._database.write_among() as tx:
            due = self._clock(tx) + self.rules.wait(job.attempt, self._random)
            most = self.rules.max_unanswered if unanswered else self.rules.max_attempts
            state = SessionState.DEAD if job.attempt >= most else SessionState.FAILED
            if not tx.run(FAIL, (state, error, due, *job.hold)):
                raise _lost(job.session.id)
            return state

    def release(self, job: Job) -> None:
        """Give the session back untouched, as when the user stops a run: it does not count as an attempt."""
        with self._database.write_among() as tx:
            self._held(job, tx.run(RELEASE, job.hold))

    # For people

    def enqueue(self, session_id: int) -> Session:
        """Take this session, whatever the window says and even if it was done. Raises NotFound or Conflict."""
        with self._database.write_among() as tx:
            session = _known(tx, session_id)
            if session.project_id is None:
                raise Conflict(
                    f"{session.name} belongs to no project",
                    hint=f"lerim project add {session.cwd}" if session.cwd else "lerim project add PATH",
                )
            tx.run(TAKE, (session_id,))
            return _known(tx, session_id)

    def retry(self, session_id: int | None = None) -> int:
        """Try failed and dead sessions again, now: one, or all. How many there were."""
        with self._database.write_among() as tx:
            if session_id is not None:
                _known(tx, session_id)
            return tx.run(RETRY, (session_id,))

    def admit(self, project_id: str) -> int:
        """Let a project's sessions from outside the window wait, until the catalog looks again. How many there were."""
        with self._database.write_among() as tx:
            return tx.run(ADMIT, (project_id,))

    def outside_window(self, project_id: str | None = None) -> tuple[int, int]:
        """How many sessions are too old for the window, and their bytes: of one project or of all."""
        rows = self._rows(OUTSIDE, (project_id,))
        return int(rows[0][0]), int(rows[0][1])

    def never_read(self, project_id: str | None = None) -> list[str]:
        """The projects, or whether this one, of which no session was ever ingested."""
        return [row[0] for row in self._rows(NEVER_READ, (project_id,))]

    def skip(self, session_id: int, reason: str) -> Session:
        """Leave this session out, even when it changes, until it is enqueued by hand. Raises NotFound."""
        with self._database.write_among() as tx:
            _known(tx, session_id)
            tx.run(LEAVE, (reason, session_id))
            return _known(tx, session_id)

    def counts(self, project_id: str | None = None) -> dict[SessionState, int]:
        """How many sessions are in each state; every state is there."""
        where, values = _those(project_id=project_id)
        sql = f"SELECT state, count(*) FROM sessions s {where} GROUP BY state"
        found: dict[str, int] = dict(self._rows(sql, values))
        return {state: found.get(state.value, 0) for state in SessionState}

    def due(self, project_id: str | None = None, limit: int | None = None, *, older: bool = False) -> list[Session]:
        """The sessions that wait for their turn or their next attempt, in the order they are taken; with `older`, those
        outside the window, too, of projects that were never read."""
        sql, values = f"{SELECT} WHERE {_FIRST if older else _DUE} {_ORDER}", [project_id]
        return [decode(row) for row in self._rows(*_limited(sql, values, limit))]

    def due_count(self, project_id: str | None = None, *, older: bool = False) -> int:
        """How many of them there are."""
        sql = f"SELECT count(*) FROM sessions s WHERE {_FIRST if older else _DUE}"
        return int(self._rows(sql, (project_id,))[0][0])

    def due_in(self, quiet: float = 0.0) -> float | None:
        """Seconds until the first session that waits may be taken, as `claim` would; None when none waits."""
        with self._database.read() as tx:
            now = self._clock(tx)
            found = tx.rows(NEXT_DUE, _busy(now, quiet) * 2)[0]
        waits = [0.0 if found[0] > now + self.rules.longest_wait else found[0] - now] if found[0] is not None else []
        waits += [_moment(found[1], now) + quiet - now] if found[1] else []
        return max(min(waits), 0.0) if waits else None

    def list(
        self, state: SessionState | None = None, project_id: str | None = None, limit: int | None = None
    ) -> list[Session]:
        """Sessions in the order they are taken, of one state or project or of all."""
        where, values = _those(state=state, project_id=project_id)
        return [decode(row) for row in self._rows(*_limited(f"{SELECT} {where} {_ORDER}", values, limit))]

    # Steps

    def _rows(self, sql: str, values: Sequence[Value]) -> Sequence[Row]:
        def read() -> Sequence[Row]:
            with self._database.read() as tx:
                return tx.rows(sql, values)

        # What names no session may be asked again of a catalog that was rebuilt.
        return self._database.guarded(read)

    def _first(self, tx: Transaction, which: _Asked, lease: Sequence[Value], *, newest_first: bool) -> Row | None:
        """Claim the first session that is free: its id, token and whether it is suspected."""
        order, passed = "DESC" if newest_first else "ASC", list[list[str]]()
        while True:
            others = f"AND NOT {tx.among('p.project_id')}" if passed else ""
            named = {"projects": which.projects, "asked": which.sql, "passed": others}
            sql = FIRST_FREE.format(order=order, unheld=tx.unheld("w"), **named)
            found = tx.row(sql, (*which.of, *which.values, *([json.dumps(passed)] if passed else ())))
            if found is None:
                return None
            if tx.is_turn(found[1]) and (claimed := tx.rows(CLAIM, (*lease, *found))):
                return claimed[0]
            passed.append([found[1]])  # Somebody else was faster at this project.

    def _reclaim(self, tx: Transaction, now: float) -> None:
        """Sessions of workers that fell silent come back: theirs is not the failure, as far as anybody knows."""
        for *held, worker, before, expired, is_of_future in tx.rows(HOLDERS, (now, now)):
            ended = self._has_ended(worker)
            if ended or expired:
                deaths = before + 1
                # Whoever starts a worker after the last one was killed wants its session done, and not in a while.
                wait = 0.0 if ended else self.rules.wait(deaths, self._random)
                is_last = deaths >= self.rules.trusted_deaths
                tx.run(DIE, (_stopped(worker, deaths), now + wait, deaths, is_last, *held))
            elif is_of_future:
                tx.run(RESTAMP, (now, *held))

    def _finished(self, job: Job, rows: Sequence[Row]) -> SessionState:
        self._held(job, len(rows))
        return SessionState(rows[0][0])

    def _held(self, job: Job, changed: int) -> None:
        if not changed:
            raise _lost(job.session.name)


def _those(**columns: str | None) -> tuple[str, list[Value]]:
    """The sessions with these values, as a condition on `sessions s`; None is any."""
    named = {name: value for name, value in columns.items() if value is not None}
    where = " AND ".join(f"s.{name} = ?" for name in named)
    return f"WHERE {where}" if where else "", list(named.values())


def _of_projects(project_id: str | None, session_id: int | None) -> tuple[str, tuple[Value, ...]]:
    """The projects whose sessions are asked for, as SQL with its values."""
    if session_id is not None:
        return "SELECT project_id FROM sessions WHERE id = ? AND project_id = coalesce(?, project_id)", (
            session_id,
            project_id,
        )
    return (WAITING, ()) if project_id is None else ("SELECT ?", (project_id,))


def _limited(sql: str, values: Sequence[Value], limit: int | None) -> tuple[str, Sequence[Value]]:
    return (sql, values) if limit is None else (f"{sql} LIMIT ?", [*values, limit])


def _busy(now: float, quiet: float) -> tuple[str, str]:
    """When a session was last written to if it is still being written. What is dated later than that is wrong."""
    if not quiet:
        return "z", "a"  # Never.
    first, last = (datetime.fromtimestamp(moment, UTC) for moment in (now - quiet + 1.0, now + 1.0))
    return time_text(first), time_text(last)


def _moment(text: str, other: float) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:  # Some agent's own words.
        return other


def _known(tx: Transaction, session_id: int) -> Session:
    session = fetch(tx, session_id)
    if session is None:
        raise NotFound(f"no session {session_id} in the catalog", hint="lerim sessions list")
    return session


def _stopped(worker: str, deaths: int) -> str:
    before = f", after {deaths - 1} before it" if deaths > 1 else ""
    return f"worker {worker} stopped without reporting{before}"


def _lost(session: str | int) -> Conflict:
    return Conflict(f"session {session} is no longer held by this worker; nothing was changed")
