"""Does it help? What sessions made of the memories that they were given, and what users had to say again all the same.

Judged when a session's trace comes in, by `ingest/outcomes.py`. A memory that was followed counts as used; one that the
user said the opposite of is trusted a little less. Nothing else follows from it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.feedback import doubt
from lerim.context.memory import Memory
from lerim.context.place import Kept
from lerim.context.records import Record, parse_time
from lerim.dataclass import dataclass
from lerim.errors import Conflict, InvalidRecord, LerimError, NotFound
from lerim.ingest.outcomes import JudgedMemory, MemoryOutcome, SessionReview
from lerim.ingest.transcript import Transcript
from lerim.search.similar import similar
from lerim.sessions.served import ReadServing, RecordOutcome, ServedViews

if TYPE_CHECKING:
    from lerim.sessions.session import Session

#: Records that are held against one statement of the user's.
_NEAR = 6


@dataclass(frozen=True)
class ServingJudge:
    """Judges what was given to sessions that were read since."""

    served: ServedViews
    #: The memory that a project's sessions read: of its own place and the global one.
    memory_at: Callable[[Path | None], Memory]
    #: Where a session's trace is archived.
    trace_of: Callable[[Session], Path]

    def judge(self, servings: Iterable[ReadServing]) -> int:
        """How many could be judged. What cannot be read is judged when it can."""
        count = 0
        for serving in servings:
            with suppress(LerimError, OSError):
                self._judge(serving)
                count += 1
        return count

    def _judge(self, serving: ReadServing) -> None:
        memory = self.memory_at(serving.root)
        kept = list(_found(memory, serving.records))
        review = SessionReview(Transcript.read(self.trace_of(serving.session)))
        judged = review.judge([one.record for one in kept])
        given = [one.record for one in kept]
        again = review.repeated(lambda text: known_before(memory, text, _start(serving.session), given))
        outcomes = [RecordOutcome(one.record, one.outcome, one.line, one.by_user) for one in judged]
        self.served.keep(serving, outcomes, [(one.record, one.line) for one in again])
        self._learn(memory, kept, judged, serving)

    def _learn(
        self, memory: Memory, kept: Sequence[Kept], judged: Sequence[JudgedMemory], serving: ReadServing
    ) -> None:
        by_id = {one.record.id: one for one in kept}
        followed = [one for one in judged if one.outcome is MemoryOutcome.FOLLOWED]
        memory.touch([by_id[one.record] for one in followed if one.record not in serving.followed])
        for one in judged:
            if one.by_user and by_id[one.record].record.holds:
                doubt(by_id[one.record], f"{serving.session.name}#L{one.line}")


def known_before(memory: Memory, text: str, moment: datetime | None, given: Iterable[Record]) -> list[Record]:
    """Records that may say what a statement says, and were said before a moment."""
    near = [one.record for place in memory.places() for one in similar(place, text, limit=_NEAR)]
    found = {record.id: record for record in (*given, *near)}
    # When it was first said: to say it again does not make it new.
    return [record for record in found.values() if moment is None or (record.valid_from or record.created) < moment]


def _found(memory: Memory, records: Iterable[str]) -> Iterable[Kept]:
    for record in records:
        with suppress(NotFound, Conflict):
            yield memory.find(record)


def _start(session: Session) -> datetime | None:
    try:
        return parse_time(session.started) if session.started else None
    except InvalidRecord:
        return None
