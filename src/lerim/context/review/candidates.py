"""What waits: a memory that could be one, with the words it rests on, and what it may stand against."""

from __future__ import annotations

import os
import unicodedata
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from lerim.context.records import (
    CONFIRMED,
    LIKELY,
    Draft,
    Evidence,
    Kind,
    Primitive,
    Random,
    Record,
    RecordId,
    Trust,
    new_id,
)
from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later

SOURCE = "review"
#: How the ids of what waits begin.
WAITING = "rev-"
_WORDS = compile_later(r"\w+")
#: Characters of a memory's words that a signal quotes.
_QUOTED = 300
#: How the run ids begin of what agents asked to remember: no session brings it back, so no session outdates it.
TOLD = "told-"
#: What stands in place of a session's agent for these.
TOLD_BY = "mcp"
#: How the signal begins of a candidate that disagrees with a memory, as far as one can tell.
MAY_OPPOSE = "may stand against"
STANDS_AGAINST = "stands against"
#: The signal of what stands in a plan: the user approved it, and most likely did not write it.
OF_A_PLAN = "from a plan that the user approved"
_DOUBTS = compile_later(rf"{MAY_OPPOSE} ((?:dec|lrn)-[a-z2-7]{{10}}) “")
#: The signal of the user's words that tell what was not so before: what is read later may be what it ends.
TELLS_NEWS = "says what is otherwise now"


class ReviewState(StrEnum):
    """How a candidate stands."""

    PENDING = "pending"  # waits for somebody to decide
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OUTDATED = "outdated"  # its session was ingested again and no longer says so, or its run was undone


@dataclass(frozen=True)
class ReviewCandidate:
    """A memory that could be one, with the words it rests on. `run_id` is the run that proposed it."""

    id: str
    session: str
    run_id: str
    primitive: Primitive
    title: str
    body: str
    confidence: float
    created: datetime
    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    trust: Trust = Trust.USER
    #: Why the engine took it for a memory, in words people can read.
    signals: tuple[str, ...] = ()
    #: Its place's project, once it is kept.
    project: str = ""
    state: ReviewState = ReviewState.PENDING
    decided: datetime | None = None
    #: Who decided: `person`, `lerim` or `agent`.
    author: str | None = None
    reason: str = ""
    #: What it became.
    record_id: RecordId | None = None
    #: The records that it cannot hold together with: whoever accepts it closes those that were said before it.
    against: tuple[RecordId, ...] = ()

    def speaker_of(self, piece: Evidence) -> str:
        """Whose words a quote is, as people should read it: of a plan that the user approved, the plan's."""
        is_planned = OF_A_PLAN in self.signals and piece.speaker is Trust.USER
        return "approved plan" if is_planned else str(piece.speaker)

    @property
    def said(self) -> datetime:
        """When its words were said, by their session; else when it was noted."""
        return max((piece.said for piece in self.evidence if piece.said), default=self.created)

    @property
    def doubts(self) -> tuple[RecordId, ...]:
        """The records that may not hold beside it: told as open, and closed by nobody who accepts it."""
        named = map(doubted_by, self.signals)
        return tuple(found for found in named if found is not None)

    @property
    def opposed(self) -> frozenset[RecordId]:
        """The records that it does not, or may not, hold together with."""
        return frozenset((*self.against, *self.doubts))

    @property
    def noted(self) -> Opposition:
        """What it stood against when it was noted."""
        return Opposition(self.against, self.doubts)

    @property
    def is_likely(self) -> bool:
        """Whether it is worth looking at first: by its confidence, or because something known may end by it, or
        because somebody asked for it. What is not likely waits behind these."""
        is_opposed = bool(self.against) or any(signal.startswith(MAY_OPPOSE) for signal in self.signals)
        return self.confidence >= LIKELY or is_opposed or self.run_id.startswith(TOLD)

    @property
    def turn(self) -> tuple[object, ...]:
        """When it is its turn to be looked at: what waits and is likely first, and of that the surest; then what was
        said last, then by confidence. Of the rest of one moment, in the order of the session."""
        is_ahead = self.state is ReviewState.PENDING and self.is_likely
        is_behind = self.state is ReviewState.PENDING and not is_ahead
        # What somebody asked to keep needs no sign that it is worth it.
        worth = (1.0 if self.run_id.startswith(TOLD) else self.confidence) if is_ahead else 0.0
        line = min((piece.first_line for piece in self.evidence), default=0)
        return is_behind, -worth, -self.said.timestamp(), -self.confidence, self.session, line, self.title


class Opposition(NamedTuple):
    """The records that a candidate surely does not hold together with, and those that it perhaps does not."""

    surely: tuple[RecordId, ...] = ()
    perhaps: tuple[RecordId, ...] = ()


@dataclass(frozen=True)
class Edits:
    """What somebody says otherwise than the candidate. What is None stays."""

    title: str | None = None
    body: str | None = None
    primitive: Primitive | None = None
    kind: Kind | None = None
    tags: tuple[str, ...] | None = None


def doubted_by(signal: str) -> RecordId | None:
    found = _DOUBTS.match(signal)
    return RecordId(found[1]) if found is not None else None


def signal_of(record: Record, *, is_sure: bool, why: str = "") -> str:
    """What a candidate says of a memory that it does not, or may not, hold together with: both sides are quoted, and
    `why` names the words that clash."""
    # The words it rests on, not what an agent made of them.
    quotes = [piece.quote for piece in record.own_evidence if piece.quote]
    said = " ".join((quotes[-1] if quotes else record.body or record.title).split())
    shown = said if len(said) <= _QUOTED else f"{said[:_QUOTED].rsplit(' ', 1)[0]} …"
    stands = STANDS_AGAINST if is_sure else MAY_OPPOSE
    told = f" ({why})" if why else ""
    return f"{stands} {record.id} “{record.title}”, said on {record.last_said.at:%Y-%m-%d}: “{shown}”{told}"


def is_of_session(record: Record, session: str) -> bool:
    """Whether a memory rests on words of a session: who decided something there spoke of it there, too, and only what
    plainly takes it back stands against it."""
    return any(f"{piece.agent}/{piece.run_id}" == session for piece in record.evidence)


def new_review_id(random: Random = os.urandom) -> str:
    """A fresh id: `rev-` and ten letters, like a record's."""
    return f"{WAITING}{new_id(Primitive.DECISION, random).partition('-')[2]}"


def draft_of(candidate: ReviewCandidate, edits: Edits = Edits(), *, confirmed: bool = True) -> Draft:  # noqa: B008 - frozen
    """The memory it would become: its own evidence and trust, and a person's confidence when one `confirmed` it."""
    # As everywhere, a kind makes it a learning, and a decision has none.
    primitive = edits.primitive or (Primitive.LEARNING if edits.kind else candidate.primitive)
    kept_kind = candidate.kind if primitive is Primitive.LEARNING else None
    return Draft(
        primitive,
        candidate.title if edits.title is None else edits.title,
        candidate.body if edits.body is None else edits.body,
        edits.kind or kept_kind,
        candidate.tags if edits.tags is None else edits.tags,
        max(candidate.confidence, CONFIRMED) if confirmed else candidate.confidence,
        SOURCE,
        candidate.evidence,
        candidate.trust,
    )


def title_words(title: str) -> str:
    """A title as it is compared: two that differ in case, spaces or punctuation only are the same."""
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", title).casefold()))
