"""What people say of a memory: useful, wrong or outdated. Each word is a version; nothing is ever deleted.

useful    it counts as a use, and confidence goes a fifth of the way up to 0.95: never quite sure
wrong     confidence is halved; at or below 0.25 the memory is archived
outdated  it held once and holds no more: its time is closed, confidence is halved, and it is archived

What is archived is out of searches and answers, and comes back with `lerim memory restore`. What replaced an outdated
memory is for `lerim memory supersede` to say: then answers tell both.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from lerim.context.place import Kept
from lerim.context.records import Record, Status
from lerim.errors import Conflict

MOST_CONFIDENCE = 0.95
LEAST_CONFIDENCE = 0.05
#: At or below this a memory that was called wrong is archived.
PUT_AWAY = 0.25
_UP = 0.2
_DOWN = 0.5
#: For what nobody said of the memory itself.
_DOUBTED = 0.9


class Verdict(StrEnum):
    """What a person can say of a memory."""

    USEFUL = "useful"
    WRONG = "wrong"
    OUTDATED = "outdated"


def feedback(kept: Kept, verdict: Verdict, *, note: str = "", author: str = "person") -> Kept:
    """Take a person's word on a memory. Raises Conflict when it does not hold any more and is not called useful."""
    if verdict is not Verdict.USEFUL and not kept.record.holds:
        raise Conflict(
            f"'{kept.record.id}' is {kept.record.status} already", hint=f"lerim memory history {kept.record.id}"
        )
    reason = f"feedback: {verdict}" + (f", {note}" if note else "")
    with kept.place.change(author, reason) as change:
        if verdict is Verdict.USEFUL:
            change.touch([kept.record.id])
        # Read again inside the change: two people may speak at once.
        record = change.revise(
            kept.record.id, "feedback", **_changes(verdict, change.fetch(kept.record.id), change.now)
        )
    return replace(kept, record=record)


def doubt(kept: Kept, where: str) -> Kept:
    """Trust a memory a little less, since a user said the opposite in a session. Once for each: `where` it was said."""
    reason = f"the user said otherwise: {where}"
    with kept.place.change("lerim", reason) as change:
        confidence = max(change.fetch(kept.record.id).confidence * _DOUBTED, LEAST_CONFIDENCE)
        record = change.revise(kept.record.id, "feedback", confidence=round(confidence, 4))
    return replace(kept, record=record)


def _changes(verdict: Verdict, record: Record, now: datetime) -> dict[str, Any]:
    confidence = corrected(record.confidence, verdict)
    match verdict:
        case Verdict.USEFUL:
            return {"confidence": confidence}
        case Verdict.WRONG:
            away = {"status": Status.ARCHIVED} if confidence <= PUT_AWAY else {}
            return {"confidence": confidence, **away}
        case Verdict.OUTDATED:
            until = record.valid_until or max(now, record.created)
            return {"confidence": confidence, "status": Status.ARCHIVED, "valid_until": until}


def corrected(confidence: float, verdict: Verdict) -> float:
    """Confidence after a word: `useful` nears the most there is, the others halve it down to the least."""
    if verdict is Verdict.USEFUL:
        return max(confidence, round(confidence + (MOST_CONFIDENCE - confidence) * _UP, 4))
    return min(confidence, round(max(confidence * _DOWN, LEAST_CONFIDENCE), 4))
