"""What was tried and given up: what was said for it is over, and why it did not work is worth more than all of that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lerim.context.records import LIKELY
from lerim.glance import seldom
from lerim.ingest.signals.causes import GIVEN_UP, is_sought, tells_cause, tells_trouble
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.turns import Turn, Utterance
from lerim.ingest.signals.weighing import OWN_POINT, REVIEW, Weighed
from lerim.text.sentences import sentences

_LEAD = r"\W*(?:(?:ok(?:ay)?|done|right|sorry|yes|understood|ja|gut|d['’]accord)[,.!:—– ]+)*"
#: An agent took its own work back, and says so first.
_TOOK_BACK = re.compile(
    rf"{_LEAD}(?:i(?:['’]ve| have)? )?(?:just )?(?:reverted|rolled (?:it |that |this )?back|backed (?:it |that "
    rf"|this )?out|undid"
    r"|took (?:it|that|this) (?:back )?out(?: again)?|put (?:the )?(?:old|original|previous) [^.!?]{2,40} back"
    r"|(?:alles |das |es )?zurückgenommen|annulé|revertido|deshecho)\b",
    re.I,
)
#: A way that turned out to be none.
_NO_WAY = seldom(
    r"\bi won['’]t (?:retry|try (?:it|that|this) again)\b"
    r"|\b(?:not|n['’]t|never) (?:be )?(?:fixable|feasible|workable|possible|going to work|work) (?:like )?(?:that"
    r"|this) way\b"
    r"|\b(?:that|this|it)(?:['’]s| is| was| turned out to be) an? (?:dead end|deadlock|non-starter)\b"
    r"|\bso geht (?:das|es) nicht\b|\bne marche pas comme ça\b|\bno funciona así\b",
    re.I,
)
_BECAUSE = re.compile(r"\b(?:because|since|so that|blocks?|weil|denn|parce que|porque)\b", re.I)
#: So far into its answer an agent says that it gave something up.
_FIRST = 6
_TURNS_BACK = 2
_NAME = re.compile(
    r"`([^`\n]{2,80})`|\b([\w-]+\.(?:py|go|tsx?|js|rs|lua|ps1|sh|sql|c|cpp|h|java|rb|kt)|\w+_\w+|[a-z]+[A-Z]\w+)\b"
)
#: "read" may be of anything, "scale.read" and "weigh_all" are not.
_TELLING_NAME = re.compile(r"[._/:-]|.{9}")
_CALLED = re.compile(r"[\w.:/$-]{3,}")


@dataclass(frozen=True, slots=True)
class _GivenUp:
    """Where an agent says that it gave something up, and what it names there if it had done that before."""

    turn: Turn
    message: Utterance
    names: frozenset[str]


def names_in(text: str) -> frozenset[str]:
    """What code is called in a text, without what stands in brackets behind it."""
    found = (one for pair in _NAME.findall(text) for one in pair if one)
    called = (_CALLED.match(one.strip().partition("(")[0]) for one in found)
    return frozenset(one.group().lower() for one in called if one is not None)


def with_given_up(found: list[Weighed], session: SessionReading) -> list[Weighed]:
    """What spoke for a thing that was tried and given up is over; why it was, told where it is given up, waits."""
    changed: dict[int, Weighed] = {}
    for given_up in _given_up(session):
        over = [one for one in found if _is_of(one, given_up)]
        for one in over:
            changed[id(one)] = replace(one, reading=replace(one.reading, is_reversed=True))
        names = frozenset().union(*(names_in(one.reading.unit.text) for one in over))
        told = [one for one in found if one.reading.unit.message is given_up.message]
        if (why := _why(told, names)) is None:
            continue
        # What else is told there as the cause is told by it.
        changed.update((id(one), replace(one, score=0.0)) for one in told if one.is_confirmed)
        changed[id(why)] = _as_lesson(why)
    return [changed.get(id(one), one) for one in found]


def _why(told: Sequence[Weighed], names: frozenset[str]) -> Weighed | None:
    """Of what is said where something is given up, what says why: it names the same as what spoke for it."""
    telling = [one for one in told if len(one.reading.about) >= OWN_POINT and not _is_of_taking_back(one)]
    named = [one for one in telling if not names_in(one.reading.unit.text).isdisjoint(names)]
    if named:
        return max(named, key=lambda one: (_tells_why(one), -one.reading.unit.place))
    return next((one for one in telling if _NO_WAY.search(one.reading.unit.text) and _tells_why(one)), None)


def _is_of_taking_back(one: Weighed) -> bool:
    return _TOOK_BACK.match(one.reading.unit.text) is not None or "?" in one.reading.unit.text


def _tells_why(one: Weighed) -> bool:
    text = one.reading.unit.text
    return tells_cause(text) or tells_trouble(text) or _BECAUSE.search(text) is not None


def _given_up(session: SessionReading) -> Iterator[_GivenUp]:
    for turn in session.talk.turns:
        is_doubted = is_sought(turn) or bool({"undo", "deny"} & session.cues_of(turn))
        for message in turn.after:
            said = sentences(message.text)[:_FIRST]
            is_taken_back = is_doubted and bool(said) and _TOOK_BACK.match(said[0]) is not None
            if is_taken_back or any(_NO_WAY.search(one) is not None for one in said):
                yield _GivenUp(turn, message, names_in(message.text) if is_taken_back else frozenset())


def _is_of(one: Weighed, given_up: _GivenUp) -> bool:
    """Whether it was said shortly before for what was given up: it names the same."""
    turn, unit = one.reading.unit.turn, one.reading.unit
    if turn is None or unit.is_users or not one.score:
        return False
    names = {name for name in names_in(unit.text) if _TELLING_NAME.search(name) is not None}
    is_before = 0 < given_up.turn.index - turn.index <= _TURNS_BACK
    return is_before and not names.isdisjoint(given_up.names)


def _as_lesson(one: Weighed) -> Weighed:
    return replace(
        one,
        reading=replace(one.reading, cues=one.reading.cues | {GIVEN_UP}, is_reversed=False),
        score=max(one.score, REVIEW["agent"]),
        confidence=max(one.confidence, LIKELY),
        reasons=(GIVEN_UP, *one.reasons),
    )
