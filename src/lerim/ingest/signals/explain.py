"""What spoke for a memory, in words people can read."""

from __future__ import annotations

from lerim.context.review.candidates import OF_A_PLAN
from lerim.ingest.signals.causes import GIVEN_UP
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.units import UnitRole
from lerim.ingest.signals.weighing import Weighed

_WORDS = {
    "cue:prohibit": "says what not to do",
    "cue:rule": "states a rule",
    "cue:decide": "decides",
    "cue:should": "says how it should be",
    "cue:instead": "names an alternative",
    "cue:reason": "gives a reason",
    "cue:fact": "states how things are",
    "cue:limit": "states a limit",
    "cue:decided": "tells of a decision",
    "cue:because": "gives a reason",
    "cue:cause": "names a cause",
    "cue:trap": "names a trap",
    "cue:ack": "the agent agrees",
    "cue:retract": "the agent takes something back",
    "cue:remember": "asks to remember it",
    "acknowledged": "the agent agreed",
    "retracted": "the agent took back what it had said",
    "stopped": "said after stopping the agent",
    "answers:item": "rules on a numbered item",
    "confirmed": "the agent took it up",
    "confirmation:decided": "the agent reports it as decided",
    "confirmation:ack": "the agent agreed",
    "repeated": "said more than once",
    "bold": "set in bold",
    "user reported an error": "after an error was reported",
    "taken up": "the user took it up",
    "confirmed by the user": "the user confirmed it",
    GIVEN_UP: "why something was tried and given up",
    "proved by the agent": "the agent checked it, and nobody contradicted",
}
_ANSWERS = {
    ReplyMatch.ITEM: "answers an item of the agent's list",
    ReplyMatch.QUESTION: "answers a question",
    ReplyMatch.ASKED: "answers what the agent asked last",
}
_STATE = {"provisional": "said to hold for now", "defer": "put off until later"}
_MOST = 6


def explained(one: Weighed) -> tuple[str, ...]:
    """The strongest reasons first, then what it answers."""
    phrases = [_WORDS[reason] for reason in one.reasons if reason in _WORDS]
    proposal = one.reading.proposal
    # What was said last may have asked nothing.
    if proposal.how in _ANSWERS and (proposal.how is not ReplyMatch.ASKED or "?" in proposal.text):
        phrases.append(_ANSWERS[proposal.how])
    phrases += [_STATE[cue] for cue in sorted(one.reading.cues & set(_STATE)) if one.whose == "user"]
    told = tuple(dict.fromkeys(phrases))[:_MOST] or ("a statement of some length",)
    if one.reading.unit.sort is UnitRole.PLAN:
        told = (OF_A_PLAN, *told)
    return (*told, "perhaps another's words") if one.reading.unit.is_perhaps_anothers else told
