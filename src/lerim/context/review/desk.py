"""What is decided on: a candidate with what it takes to judge it, a verdict, and what only a person may say."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from lerim.context.place import Kept, Place
from lerim.context.records import Record, RecordId, Trust, is_choice
from lerim.context.review.candidates import Edits, Opposition, ReviewCandidate
from lerim.dataclass import dataclass


class ReviewVerdict(StrEnum):
    """What can be said of a candidate."""

    ACCEPT = "accept"  # it is a memory, as it stands or in other words
    REJECT = "reject"
    SAME = "same"  # a memory says it already
    UPDATES = "updates"  # a memory says less of the same: it gets the rest
    REPLACES = "replaces"  # a memory holds no more because of it


@dataclass(frozen=True)
class ReviewDecision:
    """A verdict on a candidate, the words for it, and the memory it speaks of besides."""

    id: str
    verdict: ReviewVerdict
    edits: Edits = Edits()
    #: The id of the memory that it is the same as, updates or replaces.
    record: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class Proposed:
    """A candidate and the place that keeps it."""

    candidate: ReviewCandidate
    place: Place


@dataclass(frozen=True)
class UnitAround:
    """Words that stand near a candidate's own in its session, with their number on the sheet and who says them."""

    id: str
    who: str
    line: int
    text: str
    #: Whether the candidate rests on them.
    is_quoted: bool = False


@dataclass(frozen=True)
class WaitingItem:
    """A candidate with what it takes to judge it: the words around it, and the memories that are near."""

    proposed: Proposed
    units: tuple[UnitAround, ...]
    near: tuple[Kept, ...]


@dataclass(frozen=True)
class ReviewOutcome:
    """What a decision came to: the candidate as it stands now, and the memory that it became or was added to."""

    proposed: Proposed
    verdict: ReviewVerdict
    kept: Kept | None = None


class ReviewDesk(Protocol):
    """Where candidates are held against their sessions: somebody else's room, since this one knows no sessions."""

    def around(self, proposed: Proposed) -> tuple[UnitAround, ...]: ...

    def near(self, proposed: Proposed) -> tuple[Kept, ...]: ...

    def rivals(self, proposed: Proposed, record: Record, noted: Sequence[RecordId] = ()) -> Opposition:
        """The memories that do not hold together with what it shall say, of those near it and those that were noted."""
        ...

    def refusal(self, proposed: Proposed, edits: Edits, known: Record | None) -> str:
        """Why it cannot become a memory in these words, by what its session says; nothing when it can."""
        ...


def closing_refused(candidate: ReviewCandidate, record: Record) -> str:
    """Why whoever is no person may not close a record in favor of a candidate; nothing when they may."""
    if record.is_hearsay:
        return f"'{record.id}' came with a repository that is not trusted, and stays as it is"
    if candidate.trust is Trust.USER:
        said = max((piece.said for piece in candidate.evidence if piece.said), default=None)
        is_late = said is not None and said < record.last_said.at
        return f"'{record.id}' was said after it and holds" if is_late and record.trust is Trust.USER else ""
    if record.source == "manual":
        return f"a person wrote '{record.id}', and only the user's own words can replace that"
    if record.trust is Trust.USER and is_choice(record.primitive, record.kind):
        return f"the user decided '{record.id}', and the agent's words do not replace that"
    return ""


def adding_refused(record: Record) -> str:
    """Why whoever is no person may not add to a record; nothing when they may."""
    if record.is_hearsay:
        return f"'{record.id}' came with a repository that is not trusted, and stays as it is"
    return f"a person wrote '{record.id}', and only a person adds to that" if record.source == "manual" else ""
