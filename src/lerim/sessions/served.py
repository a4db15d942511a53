"""What was given to which session, and what became of each memory there: the tables behind `lerim usefulness`.

A hook says which session it serves. Who calls over MCP does not: it is the one session of that agent which was going on
there at that moment, if there was exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass
from lerim.sessions.session import SELECT, Session, clean, decode, stored_path, unstored_path
from lerim.storage.database import Database, Transaction

#: More memories than any view cites.
_MOST_RECORDS = 500
_LONGEST_ID = 64
#: The letters of a note's name that tell sessions apart; what follows tells how often one was given something.
_KEY = 32
#: Characters to a token, roughly, in English prose with names of code.
_PER_TOKEN = 4
#: Sessions that were given a memory and made nothing of it before it is named as never used.
_OFTEN = 3
_NEW = """
INSERT INTO served (key, at, agent, session, cwd, root, view, digest, characters) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO NOTHING
"""
_RECORD = "INSERT INTO served_records (key, record) VALUES (?, ?) ON CONFLICT DO NOTHING"
# Which sessions were going on where and when an agent was given something without saying in which.
_GOING_ON = """
SELECT v.key, s.agent, s.run_id FROM served v JOIN sessions s
  ON lower(v.agent) LIKE s.agent || '%' AND coalesce(s.project_root, '') = coalesce(v.root, '')
  AND (v.root IS NOT NULL OR s.cwd = v.cwd) AND s.started <= v.at AND s.active >= v.at
WHERE v.session = '' AND s.gone = 0 AND s.parent IS NULL
"""
# Whose session was read since, or has grown and was read again.
_READ = """
SELECT v.key, v.at, v.root, s.id, s.ingested FROM served v JOIN sessions s ON s.agent = v.agent AND s.run_id = v.session
WHERE s.ingested IS NOT NULL AND coalesce(v.judged, '') <> s.ingested ORDER BY v.at, v.key
"""
_OUTCOME = "UPDATE served_records SET outcome = ?, line = ?, by_user = ? WHERE key = ? AND record = ?"
_REPEATED = """
INSERT INTO repeated (agent, session, record, line, root, is_given) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (agent, session, record) DO UPDATE SET line = excluded.line,
  is_given = CASE WHEN repeated.is_given = 1 THEN 1 ELSE excluded.is_given END
"""
# One session, as far as is known: by its name, or by the beginning of the note's.
_SESSION = f"v.agent || '/' || CASE v.session WHEN '' THEN substr(v.key, 1, {_KEY}) ELSE v.session END"
_WHOSE = "(? = 1 OR coalesce(v.root, '') = coalesce(?, ''))"
_SUMS = f"""
SELECT count(DISTINCT {_SESSION}),
       count(DISTINCT CASE WHEN v.judged IS NOT NULL THEN v.agent || '/' || v.session END),
       coalesce(sum(v.characters), 0), coalesce(sum(CASE WHEN v.judged IS NOT NULL THEN v.characters END), 0)
FROM served v WHERE {_WHOSE}
"""
# A session that was given a memory twice counts once.
_USES = f"""
SELECT record, count(*), count(CASE outcome WHEN 'followed' THEN 1 END), count(CASE outcome WHEN 'ignored' THEN 1 END),
       count(CASE outcome WHEN 'contradicted' THEN 1 END)
FROM (
  SELECT r.record, max(r.outcome) AS outcome FROM served_records r JOIN served v ON v.key = r.key
  WHERE {_WHOSE} GROUP BY r.record, {_SESSION}) given
GROUP BY record ORDER BY 3 DESC, 2 DESC, record
"""
# What was given on each day, and what became of it. A session counts on the day when it was given something first.
_BY_DAY = f"""
SELECT substr(v.at, 1, 10), count(DISTINCT {_SESSION}),
       coalesce(sum(CASE WHEN v.judged IS NOT NULL THEN v.characters END), 0)
FROM served v WHERE {_WHOSE} GROUP BY 1 ORDER BY 1
"""
_OUTCOMES_BY_DAY = f"""
SELECT day, count(CASE outcome WHEN 'followed' THEN 1 END), count(CASE outcome WHEN 'ignored' THEN 1 END),
       count(CASE outcome WHEN 'contradicted' THEN 1 END), count(*) - count(outcome)
FROM (SELECT min(substr(v.at, 1, 10)) AS day, max(r.outcome) AS outcome
      FROM served_records r JOIN served v ON v.key = r.key
      WHERE {_WHOSE} GROUP BY r.record, {_SESSION}) given
GROUP BY day
"""
_SAID_AGAIN = f"SELECT v.agent, v.session, v.record, v.line, v.is_given FROM repeated v WHERE {_WHOSE} ORDER BY 1, 2, 4"


@dataclass(frozen=True)
class ReadServing:
    """A view that was given to a session which was read since."""

    key: str
    at: str
    #: None: the global memory's.
    root: Path | None
    session: Session
    #: The session as it was read, which is what is judged.
    fingerprint: str
    records: tuple[str, ...]
    #: Those that were followed when it was judged before.
    followed: frozenset[str]


@dataclass(frozen=True)
class RecordOutcome:
    """What became of one memory in one session."""

    record: str
    outcome: str
    line: int | None
    by_user: bool


@dataclass(frozen=True)
class MemoryUse:
    """How often sessions were given a memory, and what they made of it; the rest was not read yet."""

    record: str
    given: int
    followed: int
    ignored: int
    contradicted: int


@dataclass(frozen=True)
class SaidAgain:
    """What a user had to say again in a session, at a line, although a memory said it."""

    session: str
    record: str
    line: int
    #: Whether the session had been given that memory.
    is_given: bool


@dataclass(frozen=True)
class ServedSums:
    """Sessions that were given a view, those of them that were read since, and the characters given to each."""

    sessions: int
    judged: int
    characters: int
    judged_characters: int


@dataclass(frozen=True)
class ServedDay:
    """What sessions were given on a day, and how often they made what of a memory."""

    day: str
    sessions: int
    #: Of what was given to those that were read since, roughly.
    tokens: int
    followed: int
    ignored: int
    contradicted: int
    #: Their sessions were not read yet.
    unknown: int


@dataclass(frozen=True)
class Usefulness:
    """What handing out memories was good for."""

    #: Sessions that were given a view, and those of them that were read since.
    sessions: int
    judged: int
    #: What was given to those that were read, in tokens, roughly.
    tokens: int
    #: Times that a session was given a memory, by what it made of it.
    followed: int
    ignored: int
    contradicted: int
    #: Tokens for each time that a memory was followed; None when none was.
    tokens_per_useful: float | None
    #: Every memory that was given, the most followed first.
    memories: tuple[MemoryUse, ...]
    #: Those that several sessions were given and none followed.
    never_used: tuple[str, ...]
    #: What users had to say again although a memory said it.
    said_again: tuple[SaidAgain, ...]


class ServedViews:
    """What sessions were given."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take_in(self, notes: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Take in notes of hooks by their names. One that was taken in before changes nothing."""
        with self._database.write() as tx:
            for key, note in notes:
                _take(tx, key, note)

    def name_sessions(self) -> None:
        """Say which session it was that was given something and not named: where it can have been one only."""
        found: dict[str, list[tuple[str, str]]] = {}
        with self._database.read() as tx:
            for key, agent, session in tx.rows(_GOING_ON):
                found.setdefault(key, []).append((agent, session))
        named = [(*sessions[0], key) for key, sessions in found.items() if len(sessions) == 1]
        if named:
            with self._database.write() as tx:
                tx.run_many("UPDATE served SET agent = ?, session = ? WHERE key = ?", named)

    def read_since(self) -> list[ReadServing]:
        """What was given to sessions that were read since, and not judged as they are now."""
        with self._database.read() as tx:
            return [_serving(tx, *row) for row in tx.rows(_READ)]

    def keep(self, serving: ReadServing, judged: Iterable[RecordOutcome], again: Iterable[tuple[str, int]]) -> None:
        """What became of the memories, and what was said again: records, and lines of the session."""
        root = stored_path(serving.root) if serving.root else None
        session, given = serving.session, set(serving.records)
        with self._database.write() as tx:
            for one in judged:
                tx.run(_OUTCOME, (one.outcome, one.line, one.by_user, serving.key, one.record))
            for record, line in again:
                tx.run(_REPEATED, (session.agent, session.run_id, record, line, root, record in given))
            tx.run("UPDATE served SET judged = ? WHERE key = ?", (serving.fingerprint, serving.key))

    def sums(self, root: Path | None, *, everywhere: bool = False) -> ServedSums:
        with self._database.read() as tx:
            row = tx.row(_SUMS, _whose(root, everywhere))
        assert row is not None
        return ServedSums(*(int(value) for value in row))

    def uses(self, root: Path | None, *, everywhere: bool = False) -> list[MemoryUse]:
        """Every memory that was given, the most followed first."""
        with self._database.read() as tx:
            rows = tx.rows(_USES, _whose(root, everywhere))
        return [MemoryUse(str(row[0]), *(int(value or 0) for value in row[1:])) for row in rows]

    def by_day(self, root: Path | None, *, everywhere: bool = False) -> list[ServedDay]:
        """The days on which sessions were given anything, oldest first."""
        whose = _whose(root, everywhere)
        with self._database.read() as tx:
            given = tx.rows(_BY_DAY, whose)
            outcomes = {row[0]: [int(value or 0) for value in row[1:]] for row in tx.rows(_OUTCOMES_BY_DAY, whose)}
        return [
            ServedDay(str(day), int(sessions), int(characters) // _PER_TOKEN, *outcomes.get(day, (0, 0, 0, 0)))
            for day, sessions, characters in given
        ]

    def said_again(self, root: Path | None, *, everywhere: bool = False) -> list[SaidAgain]:
        with self._database.read() as tx:
            rows = tx.rows(_SAID_AGAIN, _whose(root, everywhere))
        return [SaidAgain(f"{agent}/{name}", record, line, bool(given)) for agent, name, record, line, given in rows]

    def usefulness(self, root: Path | None, *, everywhere: bool = False) -> Usefulness:
        """What is known so far, of one project (or of the global memory, where `root` is None) or of all."""
        sums, uses = self.sums(root, everywhere=everywhere), self.uses(root, everywhere=everywhere)
        followed, tokens = sum(one.followed for one in uses), sums.judged_characters // _PER_TOKEN
        idle = (one.record for one in uses if not one.followed and one.ignored + one.contradicted >= _OFTEN)
        return Usefulness(
            sums.sessions,
            sums.judged,
            tokens,
            followed,
            sum(one.ignored for one in uses),
            sum(one.contradicted for one in uses),
            tokens / followed if followed else None,
            tuple(uses),
            tuple(idle),
            tuple(self.said_again(root, everywhere=everywhere)),
        )


def _whose(root: Path | None, everywhere: bool) -> tuple[Any, ...]:
    return int(everywhere), stored_path(root) if root else None


def _take(tx: Transaction, key: str, note: Mapping[str, Any]) -> None:
    texts = [clean(_text(note, name)) or "" for name in ("at", "agent", "session")]
    where, root = stored_path(_text(note, "cwd")), _text(note, "root")
    view = [clean(_text(note, name)) or "" for name in ("view", "digest")]
    size = note.get("characters")
    characters = size if isinstance(size, int) and 0 <= size < 1 << 32 else 0
    tx.run(_NEW, (key, *texts, where, stored_path(root) if root else None, *view, characters))
    records = note.get("records")
    for record in records[:_MOST_RECORDS] if isinstance(records, list) else ():
        if isinstance(record, str) and 0 < len(record) <= _LONGEST_ID:
            tx.run(_RECORD, (key, clean(record)))


def _serving(tx: Transaction, key: str, at: str, root: str | None, session_id: int, read: str) -> ReadServing:
    row = tx.row(f"{SELECT} WHERE s.id = ?", (session_id,))
    assert row is not None
    found: Sequence[Any] = tx.rows("SELECT record, outcome FROM served_records WHERE key = ? ORDER BY record", (key,))
    followed = frozenset(record for record, outcome in found if outcome == "followed")
    where = unstored_path(root) if root is not None else None
    return ReadServing(key, at, where, decode(row), read, tuple(record for record, _ in found), followed)


def _text(note: Mapping[str, Any], name: str) -> str:
    value = note.get(name)
    return value if isinstance(value, str) else ""
