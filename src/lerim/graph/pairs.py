"""What one record is to another: one link at most, with its confidence and its reason. Pure.

A wrong link costs more than a missing one: each kind asks for grounds of two sorts, as nearness and a name, or a word
such as "because" and a name. What only looks alike is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from re import Pattern

from lerim.context.links import Edge, EdgeKind
from lerim.context.records import Evidence, Record, is_choice
from lerim.dataclass import dataclass, field
from lerim.graph.names import Rarity, names_in
from lerim.lazy_regex import compile_later
from lerim.search.terms import SMALL, terms
from lerim.text.bearing import Bearing, Judgment, judge
from lerim.text.sentences import sentences
from lerim.text.statements import Statement, statement

#: How near two records must be to be compared for what they say.
_COMPARED = 0.5
#: How near is the same topic by itself, and beside a name that both speak of.
_SAME_TOPIC, _TOPIC_WITH_NAME = 0.66, 0.55
#: How near is related beside a name, a very rare name, and the same words of a session.
_NEAR_WITH_NAME, _NEAR_WITH_RARE_NAME, _NEAR_IN_SESSION = 0.45, 0.4, 0.45
#: So much of a title must stand in the other record for one to say something of the other.
_SAME_SUBJECT = 0.5
#: Words of a session are the same when so many lines lie between them, at most.
_LINES_APART = 2
_NEEDS = compile_later(
    r"\b(?:depends? (?:up)?on|relies on|rely on|requires?|only works? (?:with|if|when|after)|built on top of|"
    r"based on|presupposes|assumes|prerequisite)\b"
)
_BECAUSE = compile_later(r"\b(?:because|since|due to|the reason (?:is|was)|as a result of|thanks to)\b")


@dataclass(frozen=True)
class LinkedText:
    """A record, and what is read out of it once for all its pairs."""

    record: Record

    @cached_property
    def statement(self) -> Statement:
        return statement(self.record.title, self.record.body)

    @cached_property
    def title_terms(self) -> frozenset[str]:
        return frozenset(term for term in terms(self.record.title) if term not in SMALL)

    @cached_property
    def terms(self) -> frozenset[str]:
        return self.title_terms | frozenset(terms(self.record.body))

    @cached_property
    def title_names(self) -> frozenset[str]:
        return frozenset(names_in(self.record.title))

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names behind words such as "depends on"."""
        return self._named_after(_NEEDS)

    @cached_property
    def reasons(self) -> frozenset[str]:
        """The names behind a "because"."""
        return self._named_after(_BECAUSE)

    def _named_after(self, cue: Pattern[str]) -> frozenset[str]:
        lines = (self.record.title, *sentences(self.record.body))
        found = ((line, cue.search(line)) for line in lines)
        return frozenset(name for line, match in found if match for name in names_in(line[match.end() :]))

    @property
    def is_choice(self) -> bool:
        return is_choice(self.record.primitive, self.record.kind)


@dataclass(frozen=True)
class Tie:
    """What two records have in common."""

    #: The cosine, when each is among the nearest of the other.
    near: float | None = None
    #: The names that both speak of and few others do.
    names: Mapping[str, Rarity] = field(default_factory=dict)

    @property
    def nearness(self) -> float:
        return self.near or 0.0

    @property
    def rarest(self) -> Rarity:
        return max(self.names.values(), default=Rarity.COMMON)


def link(one: LinkedText, other: LinkedText, tie: Tie) -> Edge | None:
    """What one record is to another; None when that is nothing worth telling."""
    if one.record.primitive.is_lesson and other.record.primitive.is_lesson:
        earlier, later = sorted((one, other), key=lambda each: (each.record.last_said, each.record.id))
        return (
            _said(earlier, later, tie)
            or _built(one, other, tie)
            or _built(other, one, tie)
            or _grounded(one, other, tie)
            or _alike(one, other, tie)
        )
    return _told(one.record, other.record) or _told(other.record, one.record)


def replaced(new: Record, old: Record) -> Edge:
    """The link to what a record has replaced."""
    return Edge(new.id, old.id, EdgeKind.SUPERSEDES, 1.0, "it took its place")


# -- what one says of the other


def _said(earlier: LinkedText, later: LinkedText, tie: Tie) -> Edge | None:
    if tie.nearness < _COMPARED or not (_repeats(earlier, later) or _repeats(later, earlier)):
        return None
    found = judge(later.statement, earlier.statement, is_choice=earlier.is_choice and later.is_choice)
    new, old = later.record, earlier.record
    if found.bearing.replaces:
        return _contrary(earlier, later, tie, found)
    if found.bearing is Bearing.REFINEMENT:
        return Edge(new.id, old.id, EdgeKind.REFINES, _confidence(0.6, tie), found.reason)
    if found.bearing is Bearing.DUPLICATE:
        return Edge(new.id, old.id, EdgeKind.SUPPORTS, _confidence(0.7, tie), found.reason)
    return None


def _repeats(one: LinkedText, other: LinkedText) -> bool:
    """Whether enough of a title stands in the other record for the two to be compared, which takes its time."""
    return len(one.title_terms & other.terms) >= _SAME_SUBJECT * max(len(one.title_terms), 1)


def _contrary(earlier: LinkedText, later: LinkedText, tie: Tie, found: Judgment) -> Edge | None:
    """Two that cannot both hold: choices on one subject only. What merely sounds like it is left out."""
    shared = later.title_terms & earlier.title_terms
    least = min(len(later.title_terms), len(earlier.title_terms))
    is_one_subject = least and len(shared) >= _SAME_SUBJECT * least
    if not (found.is_sure and is_one_subject and earlier.is_choice and later.is_choice):
        return None
    return Edge(later.record.id, earlier.record.id, EdgeKind.CONTRADICTS, _confidence(0.7, tie), found.reason)


# -- what one is built on


def _built(one: LinkedText, other: LinkedText, tie: Tie) -> Edge | None:
    """A sentence of one that says what it needs or why it is so, and names what the other is about."""
    about = {name for name in tie.names if name in other.title_names}
    if not about or tie.nearness < _NEAR_WITH_RARE_NAME:
        return None
    if needed := sorted(about & one.needs):
        reason = f"it says that it needs {needed[0]}"
        return Edge(one.record.id, other.record.id, EdgeKind.DEPENDS_ON, _confidence(0.6, tie), reason)
    if (given := sorted(about & one.reasons)) and one.is_choice and not other.is_choice:
        reason = f"the reason for it names {given[0]}"
        return Edge(other.record.id, one.record.id, EdgeKind.SUPPORTS, _confidence(0.6, tie), reason)
    return None


def _grounded(one: LinkedText, other: LinkedText, tie: Tie) -> Edge | None:
    """A fact and a choice out of the same words of a session: the one is why the other was made."""
    if one.is_choice == other.is_choice or not _same_words(one.record, other.record):
        return None
    fact, choice = (other, one) if one.is_choice else (one, other)
    if tie.nearness < _NEAR_IN_SESSION and not tie.names:
        return None
    reason = "both come from the same words of a session"
    return Edge(fact.record.id, choice.record.id, EdgeKind.EVIDENCE_FOR, _confidence(0.6, tie), reason)


def _alike(one: LinkedText, other: LinkedText, tie: Tie) -> Edge | None:
    first, second = sorted((one.record.id, other.record.id))
    named = f"both speak of {_listed(tie.names)}" if tie.names else ""
    if tie.nearness >= _SAME_TOPIC or (tie.names and tie.nearness >= _TOPIC_WITH_NAME):
        reason = "; ".join(filter(None, ("near in meaning", named)))
        return Edge(first, second, EdgeKind.SAME_TOPIC, _confidence(0.5, tie), reason)
    least = _NEAR_WITH_RARE_NAME if tie.rarest is Rarity.VERY_RARE else _NEAR_WITH_NAME
    if tie.names and tie.nearness >= least:
        return Edge(first, second, EdgeKind.RELATED, _confidence(0.3, tie), named)
    if tie.nearness >= _NEAR_IN_SESSION and _same_words(one.record, other.record):
        reason = "both come from the same words of a session"
        return Edge(first, second, EdgeKind.RELATED, _confidence(0.3, tie), reason)
    return None


# -- what a session tells


def _told(summary: Record, lesson: Record) -> Edge | None:
    if summary.primitive.is_lesson or not lesson.primitive.is_lesson:
        return None
    session = summary.coding_agent, summary.run_id
    if session not in {(piece.agent, piece.run_id) for piece in lesson.evidence}:
        return None
    return Edge(summary.id, lesson.id, EdgeKind.EVIDENCE_FOR, 0.5, "the session in which it was said")


def _same_words(one: Record, other: Record) -> bool:
    return any(_is_beside(mine, theirs) for mine in one.evidence for theirs in other.evidence)


def _is_beside(one: Evidence, other: Evidence) -> bool:
    if (one.agent, one.run_id) != (other.agent, other.run_id):
        return False
    return one.first_line - other.last_line <= _LINES_APART and other.first_line - one.last_line <= _LINES_APART


def _confidence(base: float, tie: Tie) -> float:
    """How sure a link is: more for what is nearer, and for a name that hardly anybody else speaks of."""
    sure = base + 0.4 * max(tie.nearness - 0.4, 0.0) + 0.05 * min(len(tie.names), 3) + 0.05 * int(tie.rarest)
    return round(min(sure, 0.99), 2)


def _listed(names: Mapping[str, Rarity]) -> str:
    return ", ".join(sorted(names, key=lambda name: (-names[name], name))[:3])
