"""The candidates of one place, as a transaction sees them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from lerim.context.records import RecordId, Trust, time_text
from lerim.context.review.candidates import TELLS_NEWS, ReviewCandidate, ReviewState
from lerim.context.review.rows import IS_LIKELY, NOW, OPPOSES, SELECT, decode
from lerim.context.store import Snapshot
from lerim.errors import NotFound
from lerim.storage.database import Value


class LaterWord(NamedTuple):
    """What the user said later than a record and may end it, while nobody has said whether it does: a candidate that
    waits, or a memory that was accepted beside it."""

    name: str
    title: str
    said: datetime
    is_sure: bool = False


class WaitingCount(NamedTuple):
    """How many candidates wait for a decision, and how many of them are likely."""

    total: int = 0
    likely: int = 0


def _is_of(candidate: ReviewCandidate, session: str) -> bool:
    """Whether it came from a session, by `agent/run_id` or by the beginning of its run id."""
    return candidate.session.startswith(session) or candidate.session.partition("/")[2].startswith(session)


class Waiting:
    """The candidates of one place, as a transaction sees them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._tx = snapshot.tx
        self._project = snapshot.project_id

    def select(
        self, state: ReviewState | None = ReviewState.PENDING, session: str | None = None, limit: int = 0
    ) -> list[ReviewCandidate]:
        """The candidates in a state, or in any; of a session by `agent/run_id`, or the beginning of its run id.

        Of those that wait, the likely ones come first, the surest before the others; then what was said last.
        """
        conditions, values = ["TRUE"], list[Value]()
        if state is not None:
            conditions.append("state = ?")
            values.append(str(state))
        sql = f"{SELECT} WHERE {' AND '.join(conditions)}"
        found = [decode(row) for row in self._tx.rows(sql, (self._project, *values))]
        # When it was said stands in its evidence: the database cannot order by that.
        ordered = sorted(
            (one for one in found if session is None or _is_of(one, session)), key=lambda one: (*one.turn, one.id)
        )
        return ordered[: limit or None]

    def starting_with(self, prefix: str) -> list[ReviewCandidate]:
        """Candidates whose id begins with `prefix`, or the one that has it as its id."""
        sql = f"{SELECT} WHERE id >= ? AND id < ? ORDER BY id LIMIT 5"
        return [decode(row) for row in self._tx.rows(sql, (self._project, prefix, prefix + "\x7f"))]

    def of_record(self, record_id: str) -> ReviewCandidate | None:
        """The candidate that became this record, before others added to it; None when it came another way."""
        row = self._tx.row(f"{SELECT} WHERE record_id = ? ORDER BY decided_change", (self._project, record_id))
        return decode(row) if row else None

    def against(self, ids: Collection[RecordId]) -> dict[RecordId, LaterWord]:
        """Of these records, those that the user's later words stand against, surely or perhaps, each with the last such
        words."""
        sql = f"{SELECT} WHERE {OPPOSES} AND state IN ('pending', 'accepted') AND trust = ?"
        found = [decode(row) for row in self._tx.rows(sql, (self._project, str(Trust.USER)))]
        by_time = sorted(found, key=lambda one: (one.said, one.id))
        told = [(record_id, self._later(one, record_id)) for one in by_time for record_id in one.opposed & {*ids}]
        # Whoever accepted old words accepted them beside what was said since.
        told += [(one.record_id, self._since(one)) for one in by_time if one.record_id and one.record_id in {*ids}]
        return {record_id: later for record_id, later in told if later is not None}

    def _since(self, one: ReviewCandidate) -> LaterWord | None:
        """The last word that was said after a memory, and that it was accepted beside although it may not hold with
        it."""
        found = (self._snapshot.find(record_id) for record_id in one.doubts if record_id != one.record_id)
        later = [record for record in found if record is not None and record.holds and record.last_said.at > one.said]
        last = max(later, key=lambda record: record.last_said, default=None)
        return LaterWord(last.id, last.title, last.last_said.at) if last is not None else None

    def _later(self, one: ReviewCandidate, record_id: RecordId) -> LaterWord | None:
        is_sure = record_id in one.against
        if one.state is ReviewState.PENDING:
            return LaterWord(one.id, one.title, one.said, is_sure)
        if one.record_id == record_id:
            return None  # It is part of that by now.
        # Whoever accepted it closed what it surely ended.
        kept = self._snapshot.find(one.record_id) if one.record_id and record_id in one.doubts else None
        return LaterWord(kept.id, kept.title, kept.last_said.at) if kept and kept.holds else None

    def accepted_in_doubt(self) -> list[ReviewCandidate]:
        """What was accepted beside memories that may not hold with it."""
        sql = f"{SELECT} WHERE {OPPOSES} AND state = 'accepted' ORDER BY id"
        return [one for one in (decode(row) for row in self._tx.rows(sql, (self._project,))) if one.doubts]

    def news(self, since: datetime | None = None) -> list[ReviewCandidate]:
        """What waits and tells that something is otherwise now, in the user's words; of what was noted since then."""
        sql = f"{SELECT} WHERE signals LIKE ? AND created >= ? AND state = 'pending' AND trust = ? ORDER BY id"
        values = (self._project, f"%{TELLS_NEWS}%", time_text(since) if since else "", str(Trust.USER))
        return [decode(row) for row in self._tx.rows(sql, values)]

    def with_words(self, beginnings: Collection[str], limit: int) -> list[ReviewCandidate]:
        """What the user said and waits, and has a word that begins so, or one with that inside; what was noted last
        first."""
        if not beginnings:
            return []
        text = "lower(title || ' ' || body || ' ' || evidence)"
        has_one = " OR ".join(f"{text} LIKE ?" for _ in beginnings)
        sql = f"{SELECT} WHERE state = 'pending' AND trust = ? AND ({has_one}) ORDER BY created DESC, id LIMIT {limit}"
        values = (self._project, str(Trust.USER), *(f"%{one.lower()}%" for one in beginnings))
        return [decode(row) for row in self._tx.rows(sql, values)]

    def count(self) -> WaitingCount:
        likely = f"coalesce(sum(CASE WHEN {IS_LIKELY} THEN 1 ELSE 0 END), 0)"
        sql = f"SELECT count(*), {likely} FROM ({NOW}) AS now WHERE state = 'pending'"
        row = self._tx.row(sql, (self._project,))
        return WaitingCount(int(row[0]), int(row[1])) if row else WaitingCount()

    def fetch(self, candidate_id: str) -> ReviewCandidate:
        """The candidate with this very id. Raises NotFound."""
        row = self._tx.row(f"{SELECT} WHERE id = ?", (self._project, candidate_id))
        if row is None:
            raise NotFound(f"no candidate '{candidate_id}' in this scope", hint="lerim review list --all")
        return decode(row)
