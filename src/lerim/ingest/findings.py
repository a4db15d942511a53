"""What extraction speaks of: quotes, findings, candidates, rejections, and the summary of a session. Values only."""

from __future__ import annotations

from enum import StrEnum

from lerim.context.records import Kind, Primitive, Trust
from lerim.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a session, verbatim, and the lines of the canonical trace where they stand."""

    first: int
    last: int
    text: str
    #: Whose words they are. Nobody's that count, until the quote is verified.
    speaker: Trust = Trust.INJECTED


class Act(StrEnum):
    """What somebody does by saying something: the type of a finding."""

    DECISION = "decision"  # a choice that was made
    PREFERENCE = "preference"  # how somebody wants things done
    RULE = "rule"  # always, never, must
    CORRECTION = "correction"  # not that, but this
    FACT = "fact"  # how things stand
    CAUSE = "cause"  # why something failed
    FIX = "fix"  # what made it work
    PROCEDURE = "procedure"  # how something is done
    REMEMBER = "remember"  # an order to remember
    GOAL = "goal"  # what the session is for
    OUTCOME = "outcome"  # what came of it
    OPEN = "open"  # what is left


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a window holds that may matter, with the words it rests on."""

    act: Act
    statement: str
    quotes: tuple[Quote, ...]
    #: How strongly the words speak for it, 0 to 1. Below the durable threshold it is dropped.
    strength: float
    #: What made it a finding, in words people can read.
    signals: tuple[str, ...] = ()
    window: int = 0


class Tier(StrEnum):
    """How sure the engine is: what is sure becomes a memory, what is plausible waits for a person."""

    SURE = "sure"
    REVIEW = "review"


class RelationKind(StrEnum):
    """How a reader holds a candidate against a record that is kept already."""

    SAME = "same"
    MORE = "more"
    REPLACES = "replaces"


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """What a reader says that a candidate is to a record: its id and title."""

    kind: RelationKind
    record: str
    title: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that could be written. `id` is `c1`, `c2`, … within its extraction."""

    id: str
    primitive: Primitive
    title: str
    body: str
    quotes: tuple[Quote, ...]
    kind: Kind | None = None
    confidence: float = 0.7
    tags: tuple[str, ...] = ()
    tier: Tier = Tier.SURE
    #: Why the engine takes it for a memory, in words people can read.
    signals: tuple[str, ...] = ()
    #: Whose words it rests on. Set when its evidence is verified.
    trust: Trust = Trust.USER
    #: Whether the user said that this was it: then it is their word, whoever said it first.
    is_confirmed: bool = False
    #: What it is to a record that is kept already, as far as its reader says so.
    relation: KnownRelation | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """What was considered and not kept, and why."""

    title: str
    reason: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an engine made of its findings, before anything was verified."""

    candidates: tuple[Candidate, ...] = ()
    rejected: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """The summary of one session: its title, one sentence, and its body as Markdown."""

    title: str
    description: str
    body: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a session taught, with verified evidence: candidates sure and for review, and what was turned down."""

    engine: str
    windows: int
    findings: tuple[Finding, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    review: tuple[Candidate, ...] = ()
    rejected: tuple[Rejection, ...] = field(default=())
