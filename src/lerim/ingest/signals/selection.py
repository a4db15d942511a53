"""Which readings become candidates: the strongest, each point once, no more than a session of this length can teach."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lerim.ingest.signals.anew import tell_other_amounts
from lerim.ingest.signals.cues import tells_change
from lerim.ingest.signals.features import agent_features, user_features
from lerim.ingest.signals.given_up import with_given_up
from lerim.ingest.signals.model import Weights, weights
from lerim.ingest.signals.passing import RULES_ANYWHERE
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.sureness import is_settled
from lerim.ingest.signals.taken_up import (
    SOON,
    with_concluded,
    with_confirmed,
    with_kept,
    with_proved,
    with_remembered,
    with_taken_values,
    without_mended,
    without_refuted,
    without_symptoms,
)
from lerim.ingest.signals.text import RULE_WORDS, topics
from lerim.ingest.signals.titles import (
    asks,
)
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.units import UnitRole, rules_too
from lerim.ingest.signals.weighing import FEWEST_TOPICS, OWN_POINT, THIN_SCORE, Weighed, weighed

#: Two readings that are this likely one point are taken once; the agent's words repeat themselves more. The user's are
#: parted when in doubt: a ruling that is hidden behind its sibling is lost, and whoever judges sees both.
ONE_POINT = {"user": 0.9, "agent": 0.4}
_FOUND_OUT = 0.75
#: Two causes are one when they share so much; that both are causes says nothing.
_SAME_CAUSE = 0.2
_CAUSE_WORDS = frozenset(
    {"root", "caus", "issu", "problem", "bug", "actual", "real", "found", "reason", "fix", "culprit"}
)
#: What is likely part of the same point goes with it.
_RELATED, _RELATED_SCORE = 0.35, 0.1
#: Rules of one message that have fewer of their words in common are two.
_ONE_RULE = 1 / 3
_CAP, _CAP_GROWTH = 1.0, 8.0
#: Where something may hold that does not elsewhere, each in the words for it.
_PLACES = "prod production live|staging stage|dev development|local locally|ci|ios|android|windows|linux|macos"
_PLACE_OF = {name: names for names in _PLACES.split("|") for name in names.split()}
_PLACE = re.compile(rf"\b(?:{'|'.join(_PLACE_OF)})\b", re.I)
_STAYS = re.compile(
    r"\W*(?:(?:hm+|wait|no|oh|ah|well|ok(?:ay)?|but|and|actually|hang on|sorry)\W+)+"
    r"(?:except\b|[^.?!\n]{2,60}?\b"
    r"(?:stays?|remains?|(?:has|have|needs?) to stay|(?:is|are) (?:ok|fine|allowed|an exception))\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What became a candidate, and what did not and why."""

    kept: tuple[Weighed, ...] = ()
    refused: tuple[tuple[Weighed, str], ...] = ()


def weigh(session: SessionReading, known: Weights | None = None) -> list[Weighed]:
    """Every reading with its score, in the session's order."""
    known = known or weights()
    found = [
        weighed(reading, known.models["user"], user_features(reading, session)) for reading in session.user_readings
    ]
    found += [
        weighed(reading, known.models["agent"], agent_features(reading, session)) for reading in session.agent_readings
    ]
    found.sort(key=lambda one: (one.reading.unit.number, one.reading.unit.span.start))
    taken_up = without_refuted(with_remembered(with_taken_values(with_concluded(found))), session)
    found = without_symptoms(with_kept(with_confirmed(with_proved(taken_up, session))), session)
    return with_given_up(without_mended(found, session), session)


def choose(readings: Iterable[Weighed], session: SessionReading, known: Weights | None = None) -> Chosen:
    """The strongest readings, each point once, up to a number that grows with the square root of the turns."""
    known = known or weights()
    same = _Sameness(session.vocabulary, known)
    kept: list[Weighed] = []
    refused: list[tuple[Weighed, str]] = []
    cap = _CAP + _CAP_GROWTH * math.sqrt(len(session.talk.turns) + session.talk.outside)
    for one in sorted(readings, key=_order):
        if one.rank < 1:
            refused.append((one, "Too little supports it."))
        elif one.reading.is_reversed:
            refused.append((one, "It was taken back later in the session."))
        elif session.is_thin and not (one.is_confirmed or is_settled(one.reading) or _is_stated(one)):
            refused.append((one, "The session is too short, and nothing says that this should last."))
        elif twin := next(
            (other for other in kept if same.may_be_one(one, other) and same.of(one, other) > _one_point(one)), None
        ):
            refused.append((one, f"It makes the same point as “{_excerpt(twin)}”."))
        elif len(kept) >= cap:
            refused.append((one, "Others in this session are stronger."))
        else:
            kept.append(one)
    return Chosen(tuple(_with_related(kept, [one for one, _ in refused], same)), tuple(refused))


def _one_point(one: Weighed) -> float:
    """From when on it makes a point that was made: what was found out is more than how a ruling was taken up."""
    return _FOUND_OUT if one.reading.is_telling or one.is_confirmed else ONE_POINT[one.whose]


def _order(one: Weighed) -> tuple[bool, float, int, int]:
    """The user's statements come before the agent's: what an agent says of a point must not stand for its user's."""
    unit = one.reading.unit
    return not unit.is_users, -one.rank, unit.number, unit.span.start


def _is_stated(one: Weighed) -> bool:
    """Whether the user says in their own words how it is, or shall be: no question, nothing that a program printed."""
    unit = one.reading.unit
    is_own = unit.is_users and "?" not in unit.text and not unit.is_printed and not asks(unit.text)
    # "Paypal we throw out" says in two words what it ends.
    least = FEWEST_TOPICS if tells_change(unit.text) else OWN_POINT
    return is_own and one.score >= THIN_SCORE and len(one.reading.about) >= least


def _excerpt(one: Weighed) -> str:
    return " ".join(one.reading.unit.text.split())[:80]


def _are_elsewhere(one: str, other: str) -> bool:
    """Whether each names where it holds, and it is not the same place."""
    mine, theirs = _places(one), _places(other)
    return bool(mine and theirs) and mine.isdisjoint(theirs)


@lru_cache(maxsize=4096)  # Each reading is held against many.
def _places(text: str) -> frozenset[str]:
    return frozenset(_PLACE_OF[name.lower()] for name in _PLACE.findall(text))


class _Sameness:
    """How likely two readings make one point: by the words they share and how near they stand."""

    def __init__(self, vocabulary: Vocabulary, known: Weights) -> None:
        self._vocabulary = vocabulary
        self._weights = known.same

    def may_be_one(self, one: Weighed, other: Weighed) -> bool:
        """A cause that an agent tells is told by nothing that speaks of something else, however near it stands; one
        that the user confirmed by no ruling that came of it, and by no guess that was wrong."""
        if one.is_confirmed and "cause" not in other.reading.cues:
            return False
        if one.whose != "agent" or "cause" not in one.reading.cues:
            return True
        mine, theirs = one.reading.about - _CAUSE_WORDS, other.reading.about - _CAUSE_WORDS
        return self._vocabulary.likeness(mine, theirs) >= _SAME_CAUSE

    def of(self, one: Weighed, other: Weighed) -> float:
        mine, theirs = one.reading.unit, other.reading.unit
        if mine.turn is theirs.turn and mine.mark and theirs.mark and mine.mark != theirs.mark and mine.is_users:
            # Rulings on different items of a list stay apart, however alike they sound.
            return 0.0
        if mine.turn is theirs.turn and mine.is_users and _are_two_rules(one.reading, other.reading):
            return 0.0
        if mine.question != theirs.question and mine.sort is theirs.sort is UnitRole.ANSWER:
            return 0.0
        if _are_elsewhere(mine.text, theirs.text):
            # What holds in staging is no second word on what holds in production.
            return 0.0
        if one.reading.has_ruling and other.reading.has_ruling and tell_other_amounts(mine.text, theirs.text):
            # An amount that was set anew is refused before: these are of two things.
            return 0.0
        if _speak_for_themselves(one, other) and not (one.reading.about & other.reading.about) - RULE_WORDS:
            # What two statements answer, and what the agent made of them, makes them no more alike.
            return 0.0
        bias, *rest = self._weights
        total = bias + sum(w * f for w, f in zip(rest, nearness(one, other, self._vocabulary), strict=True))
        return 1 / (1 + math.exp(-total))


def _are_two_rules(one: UnitReading, other: UnitReading) -> bool:
    """Whether two statements of one message rule, and share too few words to rule on one thing."""
    if rules_too(one.unit.text) or rules_too(other.unit.text):
        return True
    if not (one.cues & RULES_ANYWHERE and other.cues & RULES_ANYWHERE):
        return False
    about, others = one.about - RULE_WORDS, other.about - RULE_WORDS
    return len(about & others) < _ONE_RULE * len(about | others)


def _speak_for_themselves(*both: Weighed) -> bool:
    return all(one.reading.unit.is_users and len(one.reading.about) >= OWN_POINT for one in both)


def nearness(one: Weighed, other: Weighed, vocabulary: Vocabulary) -> tuple[float, float, float]:
    """What two readings share in all, in their own words, and how near their turns are."""
    mine, theirs = one.reading.unit, other.reading.unit
    apart = abs((mine.turn.index if mine.turn else -1) - (theirs.turn.index if theirs.turn else -1))
    return (
        vocabulary.contained(one.about, other.about),
        vocabulary.likeness(one.reading.about, other.reading.about),
        1 / (1 + apart),
    )


def _excepts_from(later: Weighed, rule: Weighed) -> bool:
    """Whether the user takes something out of a rule soon after it: without that the rule would be false."""
    ruled, said = rule.reading.unit.turn, later.reading.unit.turn
    if later.whose != "user" or "standing" not in rule.reading.cues or ruled is None or said is None:
        return False
    if not 0 < said.index - ruled.index <= SOON:
        return False
    text = later.reading.unit.text
    is_of_it = bool(topics(text) & topics(rule.reading.unit.text) - RULE_WORDS)
    return is_of_it and "?" not in text and _STAYS.match(text) is not None


def _with_related(kept: Sequence[Weighed], others: Sequence[Weighed], same: _Sameness) -> Iterable[Weighed]:
    """Each kept reading with the user's nearest other statement on its point. One statement stands once, and one that
    was taken back nowhere."""
    holds = [one for one in others if one.whose == "user" and not one.reading.is_reversed]
    free = [one for one in holds if one.score >= _RELATED_SCORE and len(one.reading.about) > 3]
    for one in kept:
        if one.related is not None:
            yield one
            continue
        if (but := next((other for other in (*kept, *holds) if _excepts_from(other, one)), None)) is not None:
            yield replace(one, related=but.reading)
            continue
        if one.whose == "user" and one.reading.proposal.how not in {ReplyMatch.ITEM, ReplyMatch.QUESTION}:
            likely = [(same.of(other, one), -index, other) for index, other in enumerate(free)]
            chance, _, best = max(likely, default=(0.0, 0, one), key=lambda found: found[:2])
            if chance > _RELATED:
                free.remove(best)
                yield replace(one, related=best.reading)
                continue
        yield one
