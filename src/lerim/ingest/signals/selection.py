"""Which readings become candidates: the strongest, each point once, no more than a session of this length can teach."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lerim.ingest.findings import Tier
from lerim.ingest.signals.cues import user_cues
from lerim.ingest.signals.features import agent_features, user_features
from lerim.ingest.signals.model import Model, Weights, weights
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.titles import (
    asks,
    is_errand,
    is_passing,
    is_said_in_english,
    is_whole,
    settles,
    stands_alone,
    wonders,
)
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.units import UnitRole
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences

#: From which score on words are worth a look.
REVIEW = {"user": 0.15, "agent": 0.19}
#: Questions and nods need more: they state nothing themselves.
REVIEW_TALK = 0.16
#: From which score on the user's words are sure, if form and title allow.
SURE = 0.25
#: Two readings that are this likely one point are taken once; the agent's words repeat themselves more. The user's are
#: parted when in doubt: a ruling that is hidden behind its sibling is lost, and whoever judges sees both.
ONE_POINT = {"user": 0.9, "agent": 0.4}
_FOUND_OUT = 0.75
#: What is likely part of the same point goes with it.
_RELATED, _RELATED_SCORE = 0.35, 0.1
_CAP, _CAP_GROWTH = 1.0, 8.0
#: Who speaks of so many things says what they mean; a rule speaks of fewer.
_OWN_POINT, _FEWEST_TOPICS = 3, 2
#: A session in which little was said teaches only what was said to be lasting. What else the user states in it is noted
#: from this score on: it may well change what was said before.
_THIN_SCORE = 0.2
_LASTING = frozenset({"standing", "remember"})
#: Signs that say as much together: what we do and what not, what not and why, a choice and why.
_TOGETHER = tuple(
    frozenset(both.split())
    for both in ("fact instead", "fact prohibit", "decide prohibit", "prohibit reason", "decide reason", "rule reason")
)
#: What is said to be lasting, with how or why, needs no further sign.
_HOW_OR_WHY = frozenset({"reason", "prohibit", "instead", "want", "rule"})
_PLAIN_ENOUGH = 0.5
#: Who allows something takes back that it was forbidden.
_ALLOWS = re.compile(
    r"\b(?:fine|ok|okay|allowed|safe|possible|permitted)(?: to [\w ./-]{3,60}?)? (?:now|again|from now on)\b", re.I
)
#: What is so now and was not so before ends what was said then, however little is said of it.
_CHANGES = re.compile(
    r"\bno more \S|\b(?:not|\w+n['’]?t)\b.{2,60}\bany ?more\b"
    r"|\b(?:is|are) (?:gone|dead|retired|decommissioned|history)\b"
    r"|\bwe(?:['’]?re| are) (?:on|at|using) .{2,60}\bnow\b"
    r"|\b(?:is|are) (?:at )?v?\d[\w.]*\+?(?: \w+)? now\b"
    r"|\bdecided against\b|\boff the table\b"
    r"|\b(?:do|does|go|goes|live|lives|run|runs|use|uses)\b.{2,60}\bnow\W*(?:$|,)",
    re.I,
)
#: Who says so says that it lasts, whatever the title is left with.
_FROM_NOW_ON = re.compile(r"\bfrom (?:now|here) on\b|\bgoing forward\b|\bforever\b|\bfor good\b", re.I)


_FROM_NOW = re.compile(r"\bfrom now\b", re.I)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A reading and how much speaks for it."""

    reading: UnitReading
    score: float
    confidence: float
    reasons: tuple[str, ...]
    #: What it says together with what it answers and how it was taken up.
    about: frozenset[str]
    #: Another statement of the user's on the same point.
    related: UnitReading | None = None

    @property
    def whose(self) -> str:
        return "user" if self.reading.unit.is_users else "agent"

    @property
    def rank(self) -> float:
        """Its score against what its kind of words needs."""
        return self.score / (REVIEW_TALK if _is_talk(self.reading) else REVIEW[self.whose])


def _is_talk(reading: UnitReading) -> bool:
    is_choice = reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    return reading.unit.is_users and not is_choice and ("?" in reading.unit.text or reading.is_nod)


def tier_of(one: Weighed, title: str, session: SessionReading) -> Tier:
    """What is plainly said to last, with a title that stands alone, is sure; all else is for somebody with judgment."""
    reading = one.reading
    if not reading.unit.is_users or one.score < SURE or _is_doubtful(reading):
        return Tier.REVIEW
    if session.is_thin and not _is_settled(reading):
        return Tier.REVIEW
    if reading.cues & _LASTING and not (is_english(reading.unit.text) and is_said_in_english(reading.unit.text)):
        # In other languages only the plainest rules are known, and not how a title stands.
        return Tier.SURE if is_whole(title) and _keeps_that_it_lasts(title, reading.unit.text) else Tier.REVIEW
    is_to_last = _FROM_NOW_ON.search(reading.unit.text) is not None
    is_said = settles(title) or reading.unit.sort is UnitRole.ANSWER or is_to_last
    # "Run make gen before …" is no errand when it is said to be done from now on.
    is_over = is_passing(title) and not (is_to_last and is_errand(title))
    is_clear = stands_alone(title) and not is_over and is_english(title)
    return Tier.SURE if is_said and is_clear and not session.speller.is_garbled(title) else Tier.REVIEW


def _keeps_that_it_lasts(title: str, text: str) -> bool:
    """Whether a title still says "always" where the text did; the words of a kind of work need none."""
    return bool(user_cues(title) & _LASTING) or not user_cues(text) & _LASTING


def _is_doubtful(reading: UnitReading) -> bool:
    """Whether form alone forbids to take it for the user's ruling: a question, a page, a program's words, or a nod."""
    unit = reading.unit
    if unit.is_reviewing or unit.is_of_a_page or unit.is_printed:
        return True
    if reading.is_nod and reading.proposal.how not in {ReplyMatch.ITEM, ReplyMatch.QUESTION}:
        return True
    # A plan tells what is wrong as plainly as what shall be.
    return unit.sort is UnitRole.PLAN or (unit.sort is UnitRole.WORDS and wonders(unit.text))


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
    return _with_remembered(found)


def weighed(reading: UnitReading, model: Model, features: dict[str, float]) -> Weighed:
    """The reading with its score."""
    score = 0.0 if reading.is_passing else max(model.score(features), _floor(reading))
    return Weighed(reading, score, model.confidence(score), tuple(model.reasons(features)), reading.whole)


def _floor(reading: UnitReading) -> float:
    """What is plainly said to last is taken, whatever else speaks for it."""
    unit, cues = reading.unit, reading.cues
    if reading.is_telling and not unit.is_users and "?" not in unit.text:
        return REVIEW["agent"]
    if unit.sort is not UnitRole.WORDS or unit.is_reviewing or not reading.about:
        return 0.0
    if unit.is_under_rules and "?" not in unit.text:
        return _PLAIN_ENOUGH if "standing" in cues and cues & _HOW_OR_WHY else _THIN_SCORE
    if len(reading.about) < _FEWEST_TOPICS:
        return 0.0
    if "?" in unit.text:
        # "That stays so, forever. What does it cost?": the question does not take back what was said before it.
        cues = user_cues(" ".join(one for one in sentences(unit.text) if not one.endswith("?")))
        if not cues & _LASTING:
            return 0.0
    if "standing" in cues and cues & _HOW_OR_WHY:
        return _PLAIN_ENOUGH
    if "?" not in unit.text and (_ALLOWS.search(unit.text) or _CHANGES.search(unit.text)):
        return _THIN_SCORE
    if len(reading.about) < _OWN_POINT:
        return 0.0
    if "?" not in unit.text and _FROM_NOW.search(unit.text):
        return SURE
    if "remember" in cues:
        return _PLAIN_ENOUGH if cues & {"standing", "prohibit", "reason", "instead"} else REVIEW["user"]
    return 0.0


def _with_remembered(found: list[Weighed]) -> list[Weighed]:
    """ "Remember this" speaks of what was said before it: the strongest statement of the turns before is taken."""
    raised: dict[int, Weighed] = {}
    for place, one in enumerate(found):
        if one.whose != "user" or "remember" not in one.reading.cues or len(one.reading.about) > 3:
            continue
        turn = one.reading.unit.turn
        earlier = [
            (other.score, before)
            for before, other in enumerate(found[:place])
            if other.whose == "user"
            and turn
            and other.reading.unit.turn
            and turn.index - other.reading.unit.turn.index <= 2
        ]
        if earlier:
            best = found[max(earlier)[1]]
            score = max(best.score, _PLAIN_ENOUGH)
            raised[id(best)] = replace(best, score=score, reasons=("cue:remember", *best.reasons))
    return [raised.get(id(one), one) for one in found]


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
        elif session.is_thin and not _is_settled(one.reading) and not _is_stated(one):
            refused.append((one, "The session is too short, and nothing says that this should last."))
        elif twin := next((other for other in kept if same.of(one, other) > _one_point(one)), None):
            refused.append((one, f"It makes the same point as “{_excerpt(twin)}”."))
        elif len(kept) >= cap:
            refused.append((one, "Others in this session are stronger."))
        else:
            kept.append(one)
    return Chosen(tuple(_with_related(kept, [one for one, _ in refused], same)), tuple(refused))


def _one_point(one: Weighed) -> float:
    """From when on it makes a point that was made: what was found out is more than how a ruling was taken up."""
    return _FOUND_OUT if one.reading.is_telling else ONE_POINT[one.whose]


def _order(one: Weighed) -> tuple[bool, float, int, int]:
    """The user's statements come before the agent's: what an agent says of a point must not stand for its user's."""
    unit = one.reading.unit
    return not unit.is_users, -one.rank, unit.number, unit.span.start


def _is_settled(reading: UnitReading) -> bool:
    """Whether even few words settle something: they are said to last, tell, rule and say why, or choose from what was
    offered."""
    return (
        bool(reading.cues & _LASTING)
        or (len(reading.about) >= _OWN_POINT and any(both <= reading.cues for both in _TOGETHER))
        or reading.is_telling
        or reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    )


def _is_stated(one: Weighed) -> bool:
    """Whether the user says in their own words how it is, or shall be: no question, nothing that a program printed."""
    unit = one.reading.unit
    is_own = unit.is_users and "?" not in unit.text and not unit.is_printed and not asks(unit.text)
    return is_own and one.score >= _THIN_SCORE and len(one.reading.about) >= _OWN_POINT


def _excerpt(one: Weighed) -> str:
    return " ".join(one.reading.unit.text.split())[:80]


class _Sameness:
    """How likely two readings make one point: by the words they share and how near they stand."""

    def __init__(self, vocabulary: Vocabulary, known: Weights) -> None:
        self._vocabulary = vocabulary
        self._weights = known.same

    def of(self, one: Weighed, other: Weighed) -> float:
        mine, theirs = one.reading.unit, other.reading.unit
        if mine.turn is theirs.turn and mine.mark and theirs.mark and mine.mark != theirs.mark and mine.is_users:
            # Rulings on different items of a list stay apart, however alike they sound.
            return 0.0
        if mine.question != theirs.question and mine.sort is theirs.sort is UnitRole.ANSWER:
            return 0.0
        if _speak_for_themselves(one, other) and not one.reading.about & other.reading.about:
            # What two statements answer, and what the agent made of them, makes them no more alike.
            return 0.0
        bias, *rest = self._weights
        total = bias + sum(w * f for w, f in zip(rest, nearness(one, other, self._vocabulary), strict=True))
        return 1 / (1 + math.exp(-total))


def _speak_for_themselves(*both: Weighed) -> bool:
    return all(one.reading.unit.is_users and len(one.reading.about) >= _OWN_POINT for one in both)


def nearness(one: Weighed, other: Weighed, vocabulary: Vocabulary) -> tuple[float, float, float]:
    """What two readings share in all, in their own words, and how near their turns are."""
    mine, theirs = one.reading.unit, other.reading.unit
    apart = abs((mine.turn.index if mine.turn else -1) - (theirs.turn.index if theirs.turn else -1))
    return (
        vocabulary.contained(one.about, other.about),
        vocabulary.likeness(one.reading.about, other.reading.about),
        1 / (1 + apart),
    )


def _with_related(kept: Sequence[Weighed], others: Sequence[Weighed], same: _Sameness) -> Iterable[Weighed]:
    """Each kept reading with the user's nearest other statement on its point. One statement stands once."""
    free = [o for o in others if o.whose == "user" and o.score >= _RELATED_SCORE and len(o.reading.about) > 3]
    for one in kept:
        if one.whose == "user" and one.reading.proposal.how not in {ReplyMatch.ITEM, ReplyMatch.QUESTION}:
            likely = [(same.of(other, one), -index, other) for index, other in enumerate(free)]
            chance, _, best = max(likely, default=(0.0, 0, one), key=lambda found: found[:2])
            if chance > _RELATED:
                free.remove(best)
                yield replace(one, related=best.reading)
                continue
        yield one
