"""What can be seen of a unit, as numbers: how it is said, what it answers, and what became of it.

Few, because labels are few: of a hundred more that were tried, each made unseen repositories worse or no better.
Sessions as they come differ most by form: what was typed in a line or two teaches, pages and pastes do not.
"""

from __future__ import annotations

import math
import re

from lerim.ingest.own_words import beside_shown
from lerim.ingest.signals.cues import agent_cues
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.units import UnitRole
from lerim.text.words import words

Features = dict[str, float]

_USER_CUES = ("prohibit", "task", "rule", "decide", "should", "fact", "instead", "reason", "explore", "report")
_AGENT_CUES = ("narrate", "ack", "decided", "limit", "because", "retract", "cause", "trap")
#: What makes a question more than a question.
_WITH_A_VIEW = frozenset({"challenge", "idea", "prohibit", "instead", "reason", "opinion"})
_MODAL = re.compile(
    r"\b(?:must|should|always|never|only|no longer|instead of|rather than|by default|cannot|can['’]t|needs? to"
    r"|ha(?:s|ve) to)\b",
    re.I,
)
_OPEN = re.compile(r"\?|you decide|up to you|not sure|don'?t know|whatever", re.I)


def user_features(reading: UnitReading, session: SessionReading) -> Features:
    """The features of a user's unit."""
    unit, turn = reading.unit, reading.unit.turn
    assert turn is not None
    count = len(words(unit.text))
    first = agent_cues(turn.after[0].text[:300]) if turn.after else frozenset()
    confirmation = agent_cues(reading.confirmation.text[:400]) if reading.confirmation else frozenset()
    return {
        "bias": 1.0,
        **{f"cue:{cue}": float(cue in reading.cues) for cue in _USER_CUES},
        "length": math.log1p(count),
        "is tiny": float(count < 5),
        "pure question": float("?" in unit.text and not reading.cues & _WITH_A_VIEW),
        "open answer": float(unit.sort is UnitRole.ANSWER and bool(_OPEN.search(unit.text.rsplit("\nA:", 1)[-1]))),
        "first turn": float(turn.index == 0),
        "siblings": math.log1p(unit.siblings),
        "turns": math.log1p(len(session.talk.turns)),
        "stopped": float(turn.stopped),
        "answers:item": float(reading.proposal.how is ReplyMatch.ITEM),
        "acknowledged": float("ack" in first),
        "retracted": float("retract" in first),
        "no answer": float(not turn.after),
        "confirmed": float(reading.confirmation is not None),
        "confirmation:decided": float("decided" in confirmation),
        "confirmation:ack": float("ack" in confirmation),
        "repeated": min(2.0, float(reading.repeats)),
        **_form(reading),
    }


def _form(reading: UnitReading) -> Features:
    """How the message looks that a unit stands in, and what kind of sentence it is."""
    unit, turn = reading.unit, reading.unit.turn
    assert turn is not None
    typed = turn.text if unit.sort is UnitRole.PLAN else beside_shown(turn.text)
    return {
        "message length": math.log1p(len(typed)),
        "message lines": math.log1p(typed.count("\n")),
        "of a page": float(unit.is_of_a_page),
        "is a plan": float(unit.sort is UnitRole.PLAN),
        "printed": float(unit.is_printed),
        "modal": float(_MODAL.search(unit.text) is not None),
        "asks": float("?" in unit.text),
        "a nod": float(reading.is_nod),
        "agrees": float("agree" in reading.cues),
        "is an item": float(bool(unit.mark)),
        "answers:nothing": float(reading.proposal.how is ReplyMatch.NOTHING),
        "answers:same words": float(reading.proposal.how is ReplyMatch.SAME_WORDS),
        "calls that went well": math.log1p(turn.passed),
    }


def agent_features(reading: UnitReading, session: SessionReading) -> Features:
    """The features of an agent's unit."""
    unit, turn, reply = reading.unit, reading.unit.turn, session.after(reading.unit)
    asked = session.cues_of(turn) if turn else frozenset()
    about = session.vocabulary.about
    return {
        "bias": 1.0,
        **{f"cue:{cue}": float(cue in reading.cues) for cue in _AGENT_CUES},
        "length": math.log1p(len(words(unit.text))),
        "bold": float("**" in unit.text),
        "code": min(4, unit.text.count("`") // 2) / 4,
        "arrow": float("→" in unit.text or "->" in unit.text),
        "asks": float("?" in unit.text),
        "user reported an error": float("error" in asked),
        "user denies": float(reply is not None and "deny" in session.cues_of(reply)),
        "taken up": session.vocabulary.overlap(about(reply.text), reading.about) if reply else 0.0,
        "lasting": session.lasting(reading),
        "rare": session.rarity(reading),
        "reversed": float(reading.is_reversed),
    }
