"""What later words make of what was said before: a value is taken, a cause is proved or confirmed, "remember this"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from lerim.context.records import LIKELY
from lerim.ingest.signals.causes import (
    FOUND_CAUSE,
    answers_why,
    asked_cause,
    cause_told,
    effect_before,
    is_asked_why,
    is_ordered_mended,
    is_sought,
    orders_mending,
    reports_fault,
    tells_cause,
    tells_trouble,
    was_mended,
)
from lerim.ingest.signals.passing import LASTING, RULES_ANYWHERE, is_habit
from lerim.ingest.signals.plain_words import agents_statement, plain
from lerim.ingest.signals.proofs import doubts, says_it_is_proved, seeks_cause, tells_proof
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.stays import kept_so
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.turns import Turn, Utterance
from lerim.ingest.signals.verdicts import CONFIRMS, TAKES_UP, HeardTurn, is_refuted, leaves_fault, says_it_runs
from lerim.ingest.signals.weighing import FEWEST_TOPICS, OWN_POINT, PLAIN_ENOUGH, REVIEW, THIN_SCORE, Weighed
from lerim.text.sentences import sentences

#: Within so many turns an exception is made from a rule: "wait, the spawn table has to stay in Resources".
SOON = 2
#: A value that the agent named, and the user takes: "5 then", "0.35 then. write it into the config".
_TAKES_VALUE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|good|hm+|so|let['’]?s (?:take|say|do|use)|take|make it|we take|i take)[, ]+)*"
    r"(?P<value>\d[\d_.,]*\d|\d)\s?(?:%|[a-zµ]{1,7})?(?:,? (?:then|it is|please|pls))\W*(?:$|(?<=[.,;!] )|\s)",
    re.I,
)


def with_taken_values(found: list[Weighed]) -> list[Weighed]:
    """ "5 then" says of nothing what it is 5 of: the agent's sentence on what is 5 now does."""
    changed: dict[int, Weighed] = {}
    for one in found:
        turn, said = one.reading.unit.turn, _TAKES_VALUE.match(one.reading.unit.text)
        if one.whose != "user" or turn is None or said is None or one.reading.unit.place:
            continue
        value = re.compile(rf"(?<![\w.]){re.escape(said['value'])}(?![\w]|\.\d)")
        told = [other for other in found if other.whose == "agent" and _is_soon_after(other.reading, turn)]
        named = next((other for other in told if _is_said_of(value, other.reading)), None)
        if named is not None and value.search(turn.proposal) is not None and not one.reading.rules_itself:
            changed[id(named)] = replace(_as_proved(named), reasons=("taken up",), related=one.reading)
            changed[id(one)] = replace(one, score=0.0)
    return [changed.get(id(one), one) for one in found]


def _is_soon_after(reading: UnitReading, turn: Turn) -> bool:
    """Whether the agent says it in answer to the turn, or to the next one or two: it does as it is told in between."""
    answers = reading.unit.turn
    return answers is not None and 0 <= answers.index - turn.index <= SOON


def _is_said_of(value: re.Pattern[str], reading: UnitReading) -> bool:
    """Whether an agent's sentence says what has the value."""
    text = reading.unit.text
    return value.search(text) is not None and "?" not in text and len(reading.about) >= FEWEST_TOPICS


def with_concluded(found: list[Weighed]) -> list[Weighed]:
    """What is ruled for a reason is at least as strong as its reason, which stands before it and says more."""
    changed = list(found)
    for place in range(1, len(found)):
        reason, ruling = changed[place - 1 : place + 1]
        is_one = reason.reading.unit.message == ruling.reading.unit.message
        if is_one and ruling.reading.unit.is_conclusion and 0 < ruling.score < reason.score:
            changed[place - 1] = replace(reason, score=ruling.score, confidence=ruling.confidence)
            changed[place] = replace(ruling, score=reason.score, confidence=max(reason.confidence, ruling.confidence))
    return changed


def with_remembered(found: list[Weighed]) -> list[Weighed]:
    """ "Remember this" speaks of what was said before it: the strongest statement of the turns before is taken."""
    raised: dict[int, Weighed] = {}
    for place, one in enumerate(found):
        if one.whose != "user" or "remember" not in one.reading.cues or len(one.reading.about) > 3:
            continue
        if is_habit(one.reading.unit.text):
            # "Never again monday" remembers nothing.
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
            score = max(best.score, PLAIN_ENOUGH)
            raised[id(best)] = replace(best, score=score, reasons=("cue:remember", *best.reasons))
    return [raised.get(id(one), one) for one in found]


#: What somebody did to see whether it was so.
_DID = re.compile(
    r"\W*(?:(?:i|we)(?: have|['’]ve)? |just )?(?:\w{2,}ed|put|ran|cut|took|made|did|built|set)"
    r" (?:an?|the|it|them|that|this|one|all|in|by|with|without|on|\d)\b",
    re.I,
)
_REMEMBER_THAT = re.compile(
    r"\b(?:remember|note|keep|save|write) (?:that|this|it)(?: down| in mind)?"
    r"(?=\W*$|[,.;!]| (?:for|when|if|please|pls|somewhere)\b)",
    re.I,
)
_FOUND_IT = re.compile(
    r"\W*(?:the )?(?:root |real |actual )?(?:cause|culprit|reason|problem)\s?[:–—]|\W*(?:found (?:it|the \w+)"
    r"|got it|reproduced|confirmed|there it is|that explains it)\W+\w"
    r"|\W*it(?:['’]?s| is| was) (?:the|an?) [\w -]{2,30}: \w",
    re.I,
)
#: How it was found, and nothing of what: "Found it. Confirmed with a profiler".
_ONLY_HOW = re.compile(
    r"\W*(?:found (?:it|the \w+)|got it|(?:now )?(?:confirmed|verified|proved|proven|reproduced|measured))\b"
    r"(?: (?:it )?(?:with|by|via|in|on|using|through) [^.!?:]*)?[.!*]*",
    re.I,
)
#: How many turns of the user's before that the agent may have told the cause.
_TOLD_BEFORE = 3


def with_proved(found: list[Weighed], session: SessionReading) -> list[Weighed]:
    """What the agent says it proved, after a check and without contradiction, is likely worth a look: it is the answer
    that the session was for."""
    proofs = {id(one): one.reading.unit.message for one in found if _is_proved(one, session)}
    borne_out = {id(one) for one in _borne_out(found, session)}
    told = (*proofs.values(), *(one.reading.unit.message for one in found if id(one) in borne_out))
    return [
        _as_proved(_as_cause(one) if tells_cause(one.reading.unit.text, is_asked=True) else one)
        if id(one) in proofs
        else _as_borne_out(one)
        if id(one) in borne_out
        else replace(one, score=0.0)
        if _only_nods_at(one, told)
        else one
        for one in found
    ]


def without_refuted(found: list[Weighed], session: SessionReading) -> list[Weighed]:
    """A cause that turned out to be none, and what a user says of it, are over."""
    claims = [one for one in found if _claims_cause(one) and _is_refuted(one, session)]
    over = {one.reading.unit.message for one in claims}
    replies = {reply.index for one in claims if (reply := session.after(one.reading.unit)) is not None}

    def is_over(one: Weighed) -> bool:
        unit = one.reading.unit
        if one.whose == "agent":
            return unit.message in over
        is_reply = unit.turn is not None and unit.turn.index in replies
        return is_reply and leaves_fault(unit.text) and not one.reading.has_ruling

    return [replace(one, reading=replace(one.reading, is_reversed=True)) if is_over(one) else one for one in found]


def _claims_cause(one: Weighed) -> bool:
    text = one.reading.unit.text
    return one.whose == "agent" and (
        "cause" in one.reading.cues or _FOUND_IT.match(text) is not None or tells_cause(text)
    )


def _is_refuted(one: Weighed, session: SessionReading) -> bool:
    turn, number = one.reading.unit.turn, one.reading.unit.number
    if turn is None:
        return False
    answers = tuple(message.text for message in turn.after if message.number >= number)
    later = session.talk.turns[turn.index + 1 : turn.index + 1 + _TOLD_BEFORE]
    heard = [HeardTurn(each.text, tuple(message.text for message in each.after)) for each in later]
    return is_refuted(one.reading.unit.text, HeardTurn(turn.text, answers), heard)


def _borne_out(found: list[Weighed], session: SessionReading) -> Iterator[Weighed]:
    """The causes that agents told of what was reported to go wrong, and whose cure worked: one of each turn."""
    told: dict[int, Weighed] = {}
    for one in found:
        unit, turn = one.reading.unit, one.reading.unit.turn
        if unit.is_users or turn is None or len(one.reading.about) < OWN_POINT or one.reading.is_reversed:
            continue
        led_to_it = _so_far(turn, session)[-2:]
        if not any(map(is_sought, led_to_it)):
            continue
        if not (tells_cause(unit.text, is_asked=any(map(is_asked_why, led_to_it))) and tells_trouble(unit.text)):
            continue
        reply = session.after(unit)
        is_doubted = reply is not None and doubts(reply.text)
        if not was_mended(turn, reply, unit.number) or is_doubted:
            continue
        best = told.setdefault(turn.index, one)
        told[turn.index] = max(best, one, key=_how_well_told)
    yield from told.values()


def _how_well_told(one: Weighed) -> tuple[bool, float]:
    """What only names a cause, once it is mended, says less than what explained it before."""
    is_named = "cause" in one.reading.cues and len(topics(cause_told(one.reading.unit.text))) > OWN_POINT
    return is_named, one.score


def _as_borne_out(one: Weighed) -> Weighed:
    score, reasons = max(one.score, REVIEW["agent"]), ("proved by the agent", *one.reasons)
    return replace(_as_cause(one), score=score, reasons=reasons, is_confirmed=True)


def _as_cause(one: Weighed) -> Weighed:
    return replace(one, reading=replace(one.reading, cues=one.reading.cues | {"cause", FOUND_CAUSE}))


def _only_nods_at(one: Weighed, told: Collection[Utterance]) -> bool:
    """Whether the user says no more to it than "ok, put it in": what they take up is kept in the agent's words."""
    reading = one.reading
    turn, runs = reading.unit.turn, says_it_runs(reading.unit.text)
    if (
        one.whose != "user"
        or not (reading.is_nod or runs)
        or reading.has_ruling
        or reading.cues & (LASTING | {"instead"})
    ):
        return False
    answered = [passage.message for passage in reading.proposal.passages[:1]]
    return any(message in told for message in (turn.before if runs and turn is not None else answered))


def _as_proved(one: Weighed) -> Weighed:
    return replace(
        one,
        score=max(one.score, REVIEW["agent"]),
        confidence=max(one.confidence, LIKELY),
        reasons=("proved by the agent", *one.reasons),
        is_confirmed=True,
    )


def _is_proved(one: Weighed, session: SessionReading) -> bool:
    unit, turn, is_cause = one.reading.unit, one.reading.unit.turn, "cause" in one.reading.cues
    if unit.is_users or turn is None or len(one.reading.about) < OWN_POINT or one.reading.is_reversed:
        return False
    if all(_ONLY_HOW.fullmatch(said) for said in sentences(unit.text)):
        return False
    if not (turn.passed or turn.failed) or not tells_proof(unit.text, is_cause=is_cause):
        return False
    is_sought = (
        is_cause or says_it_is_proved(unit.text) or any(seeks_cause(asked.text) for asked in _so_far(turn, session))
    )
    reply = session.after(unit)
    return is_sought and (reply is None or not doubts(reply.text)) and not _is_refuted(one, session)


def _so_far(turn: Turn, session: SessionReading) -> Sequence[Turn]:
    """A turn and those before it that led to what it was answered."""
    return session.talk.turns[max(0, turn.index - _TOLD_BEFORE) : turn.index + 1]


def with_confirmed(found: list[Weighed]) -> list[Weighed]:
    """ "Yep, that was it" speaks of the cause that the agent found: that is what somebody may keep, not the nod."""
    changed: dict[int, Weighed] = {}
    for place, one in enumerate(found):
        turn = one.reading.unit.turn
        if one.whose != "user" or turn is None or not _takes_up_cause(one.reading.unit.text):
            continue
        told = [
            (at - turn.index, "cause" in other.reading.cues, other.score, before)
            for before, other in enumerate(found[:place])
            if (at := _cause_at(other, turn.index)) is not None and (turn.index - at < 2 or _is_of(other, turn))
        ]
        if not told:
            continue
        cause = found[max(told)[-1]]
        changed[id(cause)] = replace(
            _as_cause(cause),
            score=max(cause.score, REVIEW["agent"]),
            confidence=max(cause.confidence, LIKELY),
            reasons=("confirmed by the user", *cause.reasons),
            related=one.reading,
            is_confirmed=True,
        )
        is_more = (
            CONFIRMS.match(one.reading.unit.text) is None and not one.reading.is_nod and not _tells_try(one.reading)
        )
        if not (is_more or one.reading.cues & (LASTING | {"instead"})):
            changed[id(one)] = replace(one, score=0.0)
    return [changed.get(id(one), one) for one in found]


def _tells_try(reading: UnitReading) -> bool:
    """Whether the user tells after a yes how they saw that it was so: "yes!! swapped the fuse, quiet since"."""
    found = TAKES_UP.match(reading.unit.text)
    return found is not None and not reading.has_ruling and _DID.match(reading.unit.text, found.end()) is not None


def with_kept(found: list[Weighed]) -> list[Weighed]:
    """ "Yes, that was it. it must stay off" rules: what shall be stands, and what was wrong is only why."""
    changed: dict[int, Weighed] = {}
    for one in found:
        kept = kept_so(one.reading) if one.whose == "user" else None
        if kept is None or one.reading.unit.turn is None:
            continue
        score, confidence = max(one.score, THIN_SCORE), max(one.confidence, LIKELY)
        reasons = ("confirmed by the user", *one.reasons)
        changed[id(one)] = replace(one, score=score, confidence=confidence, reasons=reasons, is_confirmed=True)
        for other in found:
            is_before = other.whose == "agent" and other.reading.unit.message in one.reading.unit.turn.before
            if is_before and kept.why.rstrip(".") in agents_statement(plain(other.reading.unit.text)):
                changed[id(other)] = replace(other, score=0.0)
    return [changed.get(id(one), one) for one in found]


def _takes_up_cause(text: str) -> bool:
    """Whether the user says that this was it, or that it is to be remembered."""
    return any(sign is not None for sign in (CONFIRMS.match(text), TAKES_UP.match(text), _REMEMBER_THAT.search(text)))


def _is_of(one: Weighed, turn: Turn) -> bool:
    """Whether what the user says yes to still speaks of the cause that was told some turns before."""
    return bool(topics(one.reading.unit.text) & topics(f"{turn.proposal} {turn.text}"))


def _cause_at(one: Weighed, at: int) -> int | None:
    """In which turn before this one an agent told, or asked about, a cause that a nod may mean."""
    turn, text = one.reading.unit.turn, one.reading.unit.text
    if turn is None or one.whose != "agent" or one.reading.is_reversed or not 0 < at - turn.index <= _TOLD_BEFORE:
        return None
    is_cause = "cause" in one.reading.cues or _FOUND_IT.match(text) is not None
    is_plain = "?" not in text and (is_cause or tells_cause(text, is_asked=at - turn.index == 1))
    is_answer = at - turn.index == 1 and (bool(asked_cause(text)) or answers_why(text, turn))
    return turn.index if is_plain or is_answer else None


def without_mended(found: list[Weighed], session: SessionReading) -> list[Weighed]:
    """What the agent found in a review is over when the user has it mended, and so is that order; what it comes from is
    told as mended."""

    def is_over(one: Weighed) -> bool:
        if one.whose == "user":
            is_short = len(one.reading.about) <= OWN_POINT and not one.reading.cues & RULES_ANYWHERE
            return is_short and not one.reading.has_ruling and orders_mending(one.reading.unit.text)
        return "cause" not in one.reading.cues and is_ordered_mended(session.after(one.reading.unit))

    return [replace(one, score=0.0) if is_over(one) else one for one in found]


def without_symptoms(found: list[Weighed], session: SessionReading) -> list[Weighed]:
    """What the user reported to go wrong is told by its cause, where that was found."""
    causes = [one.reading.unit for one in found if FOUND_CAUSE in one.reading.cues]
    effects = [effect_before(session.talk.turns, unit.turn, unit.text) for unit in causes if unit.turn is not None]
    told_in = {turn.index for turn, _ in filter(None, effects)}

    def is_told(one: Weighed) -> bool:
        turn = one.reading.unit.turn
        return (
            one.whose == "user" and turn is not None and turn.index in told_in and reports_fault(one.reading.unit.text)
        )

    return [replace(one, score=0.0) if is_told(one) else one for one in found]
