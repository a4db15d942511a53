"""What can be seen of a unit, as numbers: how it is said, what it answers, and what became of it."""

from __future__ import annotations

import math
import re

from lerim.ingest.signals.cues import agent_cues, user_cues
from lerim.ingest.signals.reading import Reading, Session
from lerim.ingest.signals.replies import How
from lerim.ingest.signals.text import words
from lerim.ingest.signals.units import Sort
from lerim.sources.trace import Via

Features = dict[str, float]

#: What the models look at. Few, because labels are few: more features made every unseen repository worse.
USER_FEATURES = (
    "length",
    "siblings",
    "acknowledged",
    "cue:prohibit",
    "cue:task",
    "cue:rule",
    "answers:item",
    "cue:decide",
    "cue:should",
    "stopped",
    "pure question",
    "confirmation:decided",
    "turns",
    "cue:fact",
    "first turn",
    "cue:instead",
    "cue:reason",
    "confirmed",
    "retracted",
    "no answer",
    "confirmation:ack",
    "is tiny",
    "cue:explore",
    "cue:report",
    "open answer",
)
AGENT_FEATURES = (
    "length",
    "code",
    "lasting",
    "bold",
    "rare",
    "asks",
    "cue:narrate",
    "cue:ack",
    "cue:decided",
    "cue:limit",
    "taken up",
    "user reported an error",
    "arrow",
    "cue:because",
    "reversed",
    "cue:retract",
    "cue:cause",
    "cue:trap",
    "user denies",
)

_NAME = re.compile(r"`[^`\n]+`|\b\w+[./_-]\w[\w./-]*|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\b")
_FIGURE = re.compile(r"\b\d+(?:\.\d+)?(?:k|m|%|ms|s|mb|gb|px)?\b", re.I)
_OPEN = re.compile(r"\?|you decide|up to you|not sure|don'?t know|whatever", re.I)
_CODE_PLACE = re.compile(r"\b[\w/-]+\.(?:go|py|ts|tsx|js|rs|lua|ps1|sh|ya?ml|json)\b(?::\d+)?|\bline \d+|\b\w+\(\)")
_URL = re.compile(r"https?://")


def user_features(reading: Reading, session: Session) -> Features:
    """The features of a user's unit."""
    unit, turn = reading.unit, reading.unit.turn
    assert turn is not None
    said = words(unit.text)
    seen: Features = {"bias": 1.0}
    for cue in sorted(reading.cues):
        seen[f"cue:{cue}"] = 1.0
    count = len(said)
    seen |= {
        "length": math.log1p(count),
        "length²": math.log1p(count) ** 2 / 4,
        "topics": math.log1p(len(reading.about)),
        "is tiny": float(count < 5),
        "asks": float("?" in unit.text),
        "ends asking": float(unit.text.rstrip().endswith("?")),
        "names": min(3.0, len(_NAME.findall(unit.text))) / 3,
        "figures": float(bool(_FIGURE.search(unit.text))),
        "url": float(bool(_URL.search(unit.text))),
        "first turn": float(turn.index == 0),
        "alone": float(unit.siblings == 1),
        "siblings": math.log1p(unit.siblings),
        "opens": float(unit.place == 0),
        "marked": float(bool(unit.mark)),
        "stopped": float(turn.stopped),
        "turns": math.log1p(len(session.talk.turns)),
        "progress": turn.index / max(1, len(session.talk.turns) - 1),
    }
    seen |= {f"via:{turn.via}": float(turn.via is not Via.TYPED), f"sort:{unit.sort}": 1.0}
    seen |= _answering(reading)
    seen |= _following(reading)
    seen |= _standing(reading, session)
    seen |= _thinness(session)
    seen |= _passages(reading)
    seen |= {
        "statement": float("?" not in unit.text and not reading.cues & {"task", "request", "agree"}),
        "reasoned rule": float(
            "reason" in reading.cues and bool(reading.cues & {"rule", "prohibit", "instead", "should", "want"})
        ),
        "open answer": float(unit.sort is Sort.ANSWER and bool(_OPEN.search(unit.text.rsplit("\nA:", 1)[-1]))),
        "reviewish": float(len(turn.text) > 500 and bool(_CODE_PLACE.search(unit.text))),
        "hypothesis": float(
            bool(reading.cues & {"doubt", "report"})
            and not reading.cues & {"should", "decide", "instead", "want", "rule", "prohibit"}
        ),
        "asks to explore": float("explore" in reading.cues and not reading.cues & {"instead", "prohibit", "reason"}),
        "good question": float(
            bool(turn.after) and bool(re.search(r"good question|great question", turn.after[0].text[:200], re.I))
        ),
        "short task": float("task" in reading.cues and count < 12),
        "pure question": float(
            "?" in unit.text and not reading.cues & {"challenge", "idea", "prohibit", "instead", "reason", "opinion"}
        ),
        "judgement": float(
            "opinion" in reading.cues and bool(reading.cues & {"should", "instead", "want", "decide", "prohibit"})
        ),
    }
    return {name: value for name, value in seen.items() if value}


def _thinness(session: Session) -> Features:
    turns = session.talk.turns
    typed = sum(len(turn.text) for turn in turns)
    told = sum(len(said.text) for _, said in session.talk.answers)
    return {
        "session typed": math.log1p(typed) / 8,
        "session told": math.log1p(told) / 8,
        "session mean turn": math.log1p(typed / max(1, len(turns))) / 8,
        "session tasks": sum("task" in user_cues(turn.text[:400]) for turn in turns) / max(1, len(turns)),
    }


def _passages(reading: Reading) -> Features:
    seen: Features = {}
    if reading.proposal.passages:
        seen |= {f"proposal:{cue}": 1.0 for cue in agent_cues(reading.proposal.text[:400])}
    if reading.confirmation is not None:
        seen |= {f"confirmation:{cue}": 1.0 for cue in agent_cues(reading.confirmation.text[:400])}
    return seen


def _answering(reading: Reading) -> Features:
    proposal = reading.proposal
    cues = agent_cues(proposal.text) if proposal.passages else frozenset()
    return {
        f"answers:{proposal.how}": 1.0,
        "answer overlap": proposal.overlap,
        "answers a question": float("?" in proposal.text),
        "answers a recommendation": float("recommend" in cues),
        "answers an offer": float("offer" in cues),
        "agrees to an item": float(proposal.how is How.ITEM and "agree" in reading.cues),
        "agrees shortly": float("agree" in reading.cues and len(reading.about) < 4),
        "agreed text": math.log1p(len(words(proposal.text))) / 4 if "agree" in reading.cues else 0.0,
    }


def _following(reading: Reading) -> Features:
    turn = reading.unit.turn
    assert turn is not None
    first = turn.after[0].text if turn.after else ""
    cues = agent_cues(first[:300])
    last = turn.after[-1].text if turn.after else ""
    return {
        "acknowledged": float("ack" in cues),
        "retracted": float("retract" in cues),
        "pushed back": float("push" in cues),
        "answered at length": math.log1p(len(last)) / 8,
        "worked on": math.log1p(turn.failed + turn.passed) / 4,
        "confirmed": float(reading.confirmation is not None),
        "confirmed with a reason": float(
            reading.confirmation is not None and "because" in agent_cues(reading.confirmation.text)
        ),
        "no answer": float(not turn.after),
    }


def _standing(reading: Reading, session: Session) -> Features:
    """What became of it in the rest of the session."""
    return {
        "reversed": float(reading.is_reversed),
        "next denies": float(reading.next_denies),
        "next agrees": float(reading.next_agrees),
        "lasting": session.lasting(reading),
        "fresh": session.fresh(reading),
        "repeated": min(2.0, float(reading.repeats)),
        "rare": session.rarity(reading),
    }


def agent_features(reading: Reading, session: Session) -> Features:
    """The features of an agent's unit."""
    unit, turn = reading.unit, reading.unit.turn
    said = words(unit.text)
    seen: Features = {"bias": 1.0}
    for cue in sorted(reading.cues):
        seen[f"cue:{cue}"] = 1.0
    reply = session.after(unit)
    replied = user_cues(reply.text[:400]) if reply else frozenset()
    asked = user_cues(turn.text[:600]) if turn else frozenset()
    is_last = bool(turn and turn.after and turn.after[-1] is unit.said)
    seen |= {
        "length": math.log1p(len(said)),
        "length²": math.log1p(len(said)) ** 2 / 4,
        "bold": float("**" in unit.text),
        "code": min(4, unit.text.count("`") // 2) / 4,
        "figures": float(bool(_FIGURE.search(unit.text))),
        "arrow": float("→" in unit.text or "->" in unit.text),
        "asks": float("?" in unit.text),
        "item": float(bool(unit.mark)),
        "opens": float(unit.place == 0),
        "place": unit.place / max(1, unit.siblings - 1),
        "message": math.log1p(len(unit.said.text)) / 8,
        "only": float(unit.siblings == 1),
        "last of turn": float(is_last),
        "session end": float(reply is None),
        "progress": (turn.index if turn else 0) / max(1, len(session.talk.turns) - 1),
        "turns": math.log1p(len(session.talk.turns)),
        "subagent": float(session.talk.is_subagent),
        "user asked why": float("?" in turn.text) if turn else 0.0,
        "user reported an error": float("error" in asked),
        "user denied before": float("deny" in asked),
        "answers the user": session.vocabulary.overlap(reading.about, session.vocabulary.about(turn.text))
        if turn
        else 0.0,
        "user agrees": float("agree" in replied),
        "user denies": float("deny" in replied),
        "taken up": session.vocabulary.overlap(session.vocabulary.about(reply.text), reading.about) if reply else 0.0,
        "failures before": math.log1p(turn.failed) / 2 if turn else 0.0,
        "lasting": session.lasting(reading),
        "fresh": session.fresh(reading),
        "rare": session.rarity(reading),
        "repeated": min(3.0, float(reading.repeats)) / 2,
        "cause and because": float({"cause", "because"} <= reading.cues),
        "trap and limit": float({"trap", "limit"} <= reading.cues),
        "reversed": float(reading.is_reversed),
    }
    return {name: value for name, value in seen.items() if value}
