"""The door: the candidates of all places of a scope, and what becomes of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TypeVar

from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import Random, Record, RecordId
from lerim.context.review.candidates import SOURCE, Edits, Opposition, ReviewCandidate, ReviewState, draft_of
from lerim.context.review.deciding import ReviewList
from lerim.context.review.desk import (
    Proposed,
    ReviewDecision,
    ReviewDesk,
    ReviewOutcome,
    ReviewVerdict,
    WaitingItem,
    adding_refused,
    closing_refused,
)
from lerim.context.review.waiting import Waiting, WaitingCount
from lerim.dataclass import replace
from lerim.errors import Conflict, NotFound, UsageError, VerdictRefused
from lerim.storage.entries import entries

_T = TypeVar("_T")
#: After these it is no memory of its own.
_REJECTING = frozenset({ReviewVerdict.REJECT, ReviewVerdict.SAME})


@entries
class Review:
    """The candidates of all places of a scope, and what becomes of them."""

    def __init__(
        self, memory: Memory, random: Random = os.urandom, desk: Callable[[], ReviewDesk] | None = None
    ) -> None:
        self._memory = memory
        self._random = random
        self._desk = desk

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._memory.enter(work)

    def select(
        self, state: ReviewState | None = ReviewState.PENDING, session: str | None = None, limit: int = 0
    ) -> list[Proposed]:
        """The candidates in a state, or in any with None: what was said last first, and before that what waits and is
        likely, the surest first."""
        lists = self._in_each(lambda waiting: waiting.select(state, session, limit))
        found = [Proposed(candidate, place) for place, candidates in lists for candidate in candidates]
        found.sort(key=lambda one: one.candidate.turn)
        return found[:limit] if limit else found

    def find(self, reference: str) -> Proposed:
        """A candidate by id or the beginning of one. Raises NotFound, or Conflict when it is unclear."""
        for place, near in self._in_each(lambda waiting: waiting.starting_with(reference)):
            exact = [candidate for candidate in near if candidate.id == reference]
            if len(near) > 1 and not exact:
                names = ", ".join(candidate.id for candidate in near)
                raise Conflict(f"'{reference}' could be {names}", hint="type one more letter")
            if near:
                return Proposed((exact or near)[0], place)
        raise NotFound(f"no candidate '{reference}' in this scope", hint="lerim review list --all")

    def of_record(self, kept: Kept) -> ReviewCandidate | None:
        """The candidate that became this memory; None when it came another way."""
        if kept.record.source != SOURCE:
            return None  # One that added to it did not become it.
        with kept.place.store.read() as snapshot:
            return Waiting(snapshot).of_record(kept.record.id)

    def rivals(self, proposed: Proposed) -> list[Kept]:
        """The memories that surely do not hold together with a candidate, by now."""
        against = self._against(proposed, self.record_of(proposed))
        with proposed.place.store.read() as snapshot:
            found = [snapshot.find(one) for one in against.surely]
        return [Kept(record, proposed.place) for record in found if record is not None and record.holds]

    def replaced_by(self, kept: Kept) -> list[RecordId]:
        """What a memory took the place of."""
        with kept.place.store.read() as snapshot:
            return [old for old, new in snapshot.successors().items() if new == kept.record.id]

    def waiting(self) -> WaitingCount:
        """How many wait for a decision."""
        counts = [count for _, count in self._in_each(Waiting.count)]
        return WaitingCount(sum(one.total for one in counts), sum(one.likely for one in counts))

    def record_of(self, proposed: Proposed, edits: Edits = Edits(), *, confirmed: bool = True) -> Record:  # noqa: B008 - frozen
        """The memory it would become, not written yet. Raises InvalidRecord."""
        draft = draft_of(proposed.candidate, edits, confirmed=confirmed)
        return draft.record(proposed.place.store.clock(), self._random)

    def next(self, limit: int = 5, session: str | None = None) -> list[WaitingItem]:
        """What waits for a decision, the likely ones first, each with what it takes to judge it."""
        return [self.looked_at(one) for one in self.select(ReviewState.PENDING, session, limit)]

    def looked_at(self, proposed: Proposed) -> WaitingItem:
        """A candidate with the words around it, and the memories near it."""
        if self._desk is None:
            return WaitingItem(proposed, (), ())
        desk = self._desk()
        return WaitingItem(proposed, desk.around(proposed), desk.near(proposed))

    def decide(self, decision: ReviewDecision, *, author: str = "person", run_id: str | None = None) -> ReviewOutcome:
        """Do what somebody decided. Raises Conflict.

        Whoever is no person is held to what was said: raises VerdictRefused for words that the session does not back,
        and for what would take away from a person's memory.
        """
        proposed = self.find(decision.id)
        known = self._spoken_of(decision, proposed)
        if author != "person":
            self._require_allowed(decision, proposed, known.record if known else None)
        reason = decision.reason
        if decision.verdict in _REJECTING:
            if known is not None:
                reason = f"the same as {known.record.id}" + (f": {reason}" if reason else "")
            done = self.reject(proposed, author=author, reason=reason, run_id=run_id)
            return ReviewOutcome(done, decision.verdict, known)
        if known is not None and decision.verdict is ReviewVerdict.UPDATES:
            kept = self._update(proposed, known, decision, author, run_id)
        else:
            record = self.record_of(proposed, decision.edits, confirmed=author == "person")
            replaces = known.record.id if known else None
            kept = self.accept(proposed, record, author=author, reason=reason, run_id=run_id, replaces=replaces)
        return ReviewOutcome(self.find(proposed.candidate.id), decision.verdict, kept)

    def _spoken_of(self, decision: ReviewDecision, proposed: Proposed) -> Kept | None:
        """The memory that a verdict speaks of besides the candidate. Raises UsageError, NotFound or Conflict."""
        if decision.verdict in (ReviewVerdict.ACCEPT, ReviewVerdict.REJECT):
            return None
        if not decision.record:
            raise UsageError(
                f"'{decision.verdict}' needs the memory it speaks of: one of the near memories, by its id",
                hint=f"lerim review decide {decision.id} {decision.verdict} --record ID",
            )
        known = self._memory.find(decision.record)
        if known.place.project != proposed.place.project:
            raise Conflict(
                f"'{known.record.id}' is {known.place.scope} memory and '{decision.id}' is not",
                hint="accept it, or name a memory of its own scope",
            )
        if not known.record.holds or not known.record.primitive.is_lesson:
            raise Conflict(
                f"'{known.record.id}' is no active decision or learning", hint=f"lerim memory show {known.record.id}"
            )
        return known

    def _require_allowed(self, decision: ReviewDecision, proposed: Proposed, known: Record | None) -> None:
        """Raises VerdictRefused for what only a person may decide."""
        why = ""
        if known is not None and decision.verdict is ReviewVerdict.UPDATES:
            why = adding_refused(known)
        elif known is not None and decision.verdict is ReviewVerdict.REPLACES:
            why = closing_refused(proposed.candidate, known)
        if not why and decision.verdict is ReviewVerdict.ACCEPT:
            why = self._rivals_refused(proposed, decision.edits)
        if not why and decision.verdict not in _REJECTING and self._desk:
            why = self._desk().refusal(proposed, decision.edits, known)
        if why:
            hint = f"word it in the session's own words, or leave it to a person: lerim review accept {decision.id}"
            raise VerdictRefused(why, hint=hint)

    def _rivals_refused(self, proposed: Proposed, edits: Edits) -> str:
        """Why what stands against a candidate may not be closed by whoever is no person; nothing when it may."""
        against = self._against(proposed, self.record_of(proposed, edits, confirmed=False))
        with proposed.place.store.read() as snapshot:
            rivals = [record for one in against.surely if (record := snapshot.find(one)) and record.holds]
        return next(filter(None, (closing_refused(proposed.candidate, rival) for rival in rivals)), "")

    def _update(
        self, proposed: Proposed, known: Kept, decision: ReviewDecision, author: str, run_id: str | None
    ) -> Kept:
        why = f"{proposed.candidate.id} adds to it" + (f": {decision.reason}" if decision.reason else "")
        with proposed.place.change(author, why, run_id) as change:
            candidate_id = proposed.candidate.id
            record = ReviewList(change).add_to(candidate_id, known.record, decision.edits, author, decision.reason)
        return Kept(record, proposed.place, change.masked.get(record.id, ()))

    def accept(
        self,
        proposed: Proposed,
        record: Record | None = None,
        *,
        author: str = "person",
        reason: str = "",
        run_id: str | None = None,
        allow_secret: bool = False,
        replaces: RecordId | None = None,
    ) -> Kept:
        """Make a memory of it, as it stands or as `record` says. Raises Conflict."""
        record = record or self.record_of(proposed)
        if allow_secret:
            from lerim.context.disclosure import allowed  # Start-up: few memories hold a secret.

            record = allowed(record)
        why = f"accepted {proposed.candidate.id}" + (f": {reason}" if reason else "")
        against = self._against(proposed, record)
        with proposed.place.change(author, why, run_id) as change:
            record = ReviewList(change).accept(
                proposed.candidate.id, record, author, reason, replaces=replaces, against=against
            )
        return Kept(record, proposed.place, change.masked.get(record.id, ()))

    def _against(self, proposed: Proposed, record: Record) -> Opposition:
        """What stands against a candidate in these words by now: memories came and went since it was noted."""
        candidate = proposed.candidate
        if self._desk is None:
            return candidate.noted
        return self._desk().rivals(proposed, record, (*candidate.against, *candidate.doubts))

    def reject(
        self, proposed: Proposed, *, author: str = "person", reason: str = "", run_id: str | None = None
    ) -> Proposed:
        """Turn it down for good. Raises Conflict."""
        why = f"rejected {proposed.candidate.id}" + (f": {reason}" if reason else "")
        with proposed.place.change(author, why, run_id) as change:
            return replace(proposed, candidate=ReviewList(change).reject(proposed.candidate.id, author, reason))

    def restore(self, proposed: Proposed) -> Proposed:
        """Let one that was rejected, or is outdated, wait again. Raises Conflict."""
        with proposed.place.change("person", f"restored {proposed.candidate.id}") as change:
            return replace(proposed, candidate=ReviewList(change).restore(proposed.candidate.id))

    def _in_each(self, ask: Callable[[Waiting], _T]) -> Iterator[tuple[Place, _T]]:
        for place in self._memory.places():
            with place.store.read() as snapshot:
                answer = ask(Waiting(snapshot))
            yield place, answer
