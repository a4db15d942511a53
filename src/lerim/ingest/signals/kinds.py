"""Which primitive and kind a memory is, from how it is said.

Most of what a session settles is a decision. A kind is given only where the words show it, and were right more often
than "decision" in sessions they were not found in: how somebody wants the work done, how things are, why something
failed.
"""

from __future__ import annotations

import re

from lerim.context.records import Kind, Primitive
from lerim.glance import seldom
from lerim.ingest.findings import Act
from lerim.ingest.signals.causes import GIVEN_UP, reports_fault
from lerim.ingest.signals.cues import agent_cues
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.units import UnitRole

# How work is done: the agent's conduct, its commits, tests, texts and helpers; not what the product does.
_CONDUCT = seldom(
    r"\bstash\b|\b(?:hard[- ]?)?wrap (?:long|lines)|\bco-?author|\bcommit (?:message|sha|each"
    r"|separately|as you|after|often)|\b(?:one|another|separate|single|same) commits?\b"
    r"|\bforce[- ]?push\b|\breply (?:directly|to (?:the|each))|\b(?:every|each|ensure|create"
    r"|have) .{0,20}\b(?:bead|ticket)\b"
    r"|\bregression tests?\b|\b(?:those|these|useless|useful|meaningful|thin) (?:\w+_?)?tests?\b"
    r"|\btests? (?:are just|just|first|before)\b|\bchangelog\b"
    r"|\bpr (?:description|body|title)\b|\b(?:needs? to be|must be|be) documented\b"
    r"|\bclearly skills?\b|\b(?:as|like|same as) (?:we do )?in (?:the )?\S{2,20} repo\b"
    r"|\bin line with\b"
    r"|\bexisting librar|\blogging framework\b|\bpublic repo\b|\bjargon\b|\bmeanin?g?ful word\b"
    r"|\bverbose\b|\bconcise|\bpaginat|\bdon'?t (?:guess|assume)\b|\bstop (?:guessing|assuming)\b"
    r"|\bask (?:me )?(?:first|before)\b|\bunbacked\b"
    r"|\bdouble[- ]check|\b(?:works|validate\w*|verif\w+) (?:it )?(?:works )?(?:e2e|automatically)\b"
    r"|\bverification\b|\bexample that runs\b|\bdon'?t (?:touch|run|commit|push|edit) (?:anything"
    r"|without|until|unless|any)\b|\bwithout asking\b"
    r"|\bi (?:always |never |really )?(?:prefer|hate|want you to (?:always|never))\b|\b(?:always|never"
    r"|please) (?:use|run|write|ask|commit|push|test|add|reply|answer|explain)\b|\bemojis?\b"
    r"|\bcode comments?\b|\bcode style\b|\bindent|\bumbrella issue\b|\bmilestone\b",
    re.I,
)
_ORDER = frozenset(
    {"prohibit", "rule", "standing", "instead", "want", "remember", "request", "task", "should", "agree"}
)
_SETTLES = frozenset({"decide", "should", "instead", "want", "idea", "provisional", "agree", "defer", "prohibit"})
_BREAKS = seldom(
    r"\bbroken?\b|\bbreaks?\b|\bfail(?:s|ed|ing)?\b|\b(?:not|isn['’]?t|doesn['’]?t|won['’]?t|never) (?:work"
    r"|working|affect|attribut|find|see|show)\w*|\bgone\b|\bcorrupt\w*|\bcrash\w*|\bstill not\b|\bbug\b"
    r"|\bregress\w*|\bexit(?:s|ed)? immediately\b|\bcan['’]?t find\b|\bassumes \S+ (?:is|are|has)\b",
    re.I,
)
_FAILURE = re.compile(
    r"\bthe bug (?:is|was)\b|\bsilent(?:ly)?\b|\bswallow|\bdeadlock|\bcorrupt|\boverwr(?:ites?|ote)\b"
    r"|\bpanic|\bnot enough\b|\bbreaks?\b|\bnever\b|\bonly (?:checks|exposes|works|loads)\b"
    r"|\broot cause\):",
    re.I,
)
_ASKS_FACT = re.compile(
    r"^(?:ok(?:ay)?,? |so |and |but |hmm+,? )*(?:does|do (?:they|you)|did|is ther|are there|what (?:is"
    r"|are|does|normally)|why (?:is|are|does|do|did)|where|when|who)\b",
    re.I,
)
# A sentence about a thing that orders nothing says how things are.
_THING = re.compile(r"(?:(?:ok(?:ay)?|also|and|but|so|hmm+|ah|btw|fyi)[:, ]+)*(?:the|when|api)\b", re.I)
_CHANGED = re.compile(
    r"\b(?:now|instead|no longer|replaced|removed|renamed|switch(?:ed|ing)|added|moved|simplified"
    r"|keeps?|stays?|deliberate\w*|left (?:alone|out|as)|dropped|must|should|needs?)\b|→",
    re.I,
)
_DONE = re.compile(r"\b(?:replaced|removed|renamed|switched|now uses?|changed|updated|deliberately)\b", re.I)


def sort_of(reading: UnitReading) -> tuple[Primitive, Kind | None, Act]:
    """The primitive, its kind when it is a learning, and the act by which it was said."""
    if reading.kind:
        return _named(reading.kind)
    kind, act = (_users if reading.unit.is_users else _agents)(reading)
    return (Primitive.DECISION, None, act) if kind is None else (Primitive.LEARNING, kind, act)


def _named(kind: str) -> tuple[Primitive, Kind | None, Act]:
    """A kind by the words of a kind of work."""
    acts = {Kind.PREFERENCE: Act.PREFERENCE, Kind.PROCEDURE: Act.PROCEDURE, Kind.PITFALL: Act.CAUSE}
    if kind == Primitive.DECISION:
        return Primitive.DECISION, None, Act.DECISION
    return Primitive.LEARNING, Kind(kind), acts.get(Kind(kind), Act.FACT)


def _users(reading: UnitReading) -> tuple[Kind | None, Act]:
    cues, text = reading.cues, reading.unit.text
    asks = text.rstrip().endswith("?")
    if reading.unit.sort in {UnitRole.ANSWER, UnitRole.PLAN}:
        return None, Act.DECISION
    if reports_fault(text):
        return Kind.PITFALL, Act.CAUSE
    if _CONDUCT.search(text) and cues & _ORDER and not ("challenge" in cues and asks):
        return Kind.PREFERENCE, Act.PREFERENCE
    if _BREAKS.search(text) and not cues & {"decide", "instead", "idea", "standing"} and reading.proposal.how != "item":
        return Kind.PITFALL, Act.CAUSE
    if _ASKS_FACT.match(text) and not cues & {"challenge", "idea", "should"}:
        return Kind.INSIGHT, Act.FACT
    if not cues & (_SETTLES | {"request", "task", "remember"}) and (
        (not asks and _is_corrected(reading)) or _tells_of_things(reading)
    ):
        return Kind.INSIGHT, Act.FACT
    if "standing" in cues or "rule" in cues:
        return None, Act.RULE
    return None, Act.CORRECTION if "deny" in cues else Act.DECISION


def _tells_of_things(reading: UnitReading) -> bool:
    """Whether it states how a thing is, and neither chooses, asks nor rules."""
    text, cues = reading.unit.text, reading.cues
    is_choice = reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    return _THING.match(text) is not None and "?" not in text and not is_choice and not cues & {"standing", "rule"}


def _is_corrected(reading: UnitReading) -> bool:
    """Whether the user told the agent how things are, and the agent took it: it had thought otherwise."""
    turn = reading.unit.turn
    return turn is not None and bool(turn.after) and "retract" in agent_cues(turn.after[0].text[:300])


def _agents(reading: UnitReading) -> tuple[Kind | None, Act]:
    text = reading.unit.text
    if GIVEN_UP in reading.cues:
        return Kind.PITFALL, Act.CAUSE
    if "cause" in reading.cues and _FAILURE.search(text) and not _DONE.search(text):
        return Kind.PITFALL, Act.CAUSE
    if "cause" in reading.cues:
        return Kind.INSIGHT, Act.CAUSE
    if _CHANGED.search(text) or "decided" in reading.cues:
        return None, Act.DECISION
    return Kind.INSIGHT, Act.FACT
