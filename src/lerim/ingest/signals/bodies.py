"""The body of a memory: what was settled and why, in statements, and nothing of the talk around them."""

from __future__ import annotations

import re
from itertools import dropwhile

from lerim.ingest.signals.chosen import (
    BESIDES,
    CHOICE,
    CHOICES,
    CONTEXT_WORDS,
    answers_openly,
    heads,
    is_choice,
    is_refused,
    last_question,
    replied_to,
    what_was_chosen,
    with_what_was_added,
)
from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE, agent_cues, tells_change
from lerim.ingest.signals.phrasing import Reasoned, capital, is_order, reasoned
from lerim.ingest.signals.plain_words import (
    LEAD,
    agents_statement,
    ended,
    fitting,
    is_acknowledging,
    lead_off,
    plain,
    statement,
)
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.rulings import rules_plainly
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.title_offers import OWN_POINT, STATUS, TALKING
from lerim.ingest.signals.titles import asks, is_errand, is_passing, reports, stands_alone
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.text.sentences import sentence_spans
from lerim.text.words import words

_OWN_WORDS, _OUTCOME_WORDS = 56, 40
#: So much of what a rule speaks of has to be what the user spoke of.
_SHARED = 0.6
#: What a reason is given for is said right before it.
_LAST_WORDS = 3
# A short sentence before the point: "That was it, thanks." and "Fix that."
_EMPTY = re.compile(
    r"(?:that (?:was|is) it|that works|(?:fix|do|try) (?:that|it|this)|go (?:ahead|for it)"
    r"|(?:looks|sounds) (?:good|great)|lgtm|thanks?(?: you)?)(?:, thanks?(?: you)?)?[.!]+\s+",
    re.I,
)
#: Said to whoever keeps it, and nothing of what is kept.
_TO_BE_KEPT = re.compile(
    r"(?:^|(?<=[.!?;])\s+)(?:(?:and|also|please|so)[, ]+)*(?:remember|note|memori[sz]e|save|keep) (?:that|this|it)"
    r"(?: down| in mind| for (?:later|next time|the future))?(?:,? please)?[.!]+(?=\s|$)",
    re.I,
)
#: How somebody tells what they are at, or were.
_OF_SELF = re.compile(r"(?:i['’]?m|i am|i was|i have|i['’]?ve|i had|i just|i spent|i keep|we had|we were)\b", re.I)
#: Who begins so turns to something else, unless it is of the same.
_TURNS = re.compile(
    r"(?:and|also|then|now|oh|btw|ah|und|achja|y|et|e|today|yesterday|i|i['’]?m|i['’]ve)\b(?! (?:that|this|it)\b)", re.I
)
#: The end of a list in a sentence of its own: "… and an index on the email".
_ADDS = re.compile(
    r"(?:and|plus|also) (?:an?|one|no|never|always)\b(?! (?:question|thing|idea|doubt|problem)s?\b)", re.I
)
_NARROWS = re.compile(
    r"\b(?:only|just|nothing else|nur|seulement|solo)\b(?=\W*(?:$|[,.;:]))|\b(?:instead|rather)\b", re.I
)
#: "10 s is too fast. now 15 s": what it is from now on.
NEW_VALUE = re.compile(
    r"(?:so |then |and )?(?:now|make (?:it|that)|let['’]?s (?:do|say|use|take))\s+(?:\w+ ){0,2}?\$?\d[\w.,%: -]{0,20}$",
    re.I,
)
_EITHER = re.compile(r"\bor\b|\beither\b|\boder\b", re.I)
_LEFT_MARK = re.compile(r"^[.,;:!?–—-]+\s+")


def body_of(reading: UnitReading, title: str, related: UnitReading | None) -> str:
    """What was settled, why, and what came of it, each in a sentence or two. Statements, not talk."""
    own = _with_reason_apart(_on_the_point(reading.unit, title), _OWN_WORDS, title)
    parts = [own.statement]
    chosen, is_item = reading.proposal.passages, reading.proposal.how is ReplyMatch.ITEM
    is_no = is_refused(reading)
    if is_no:
        parts = [f"{ended(replied_to(reading))} {own.statement}" if topics(own.statement) else replied_to(reading)]
    elif related is not None and not _narrows(reading, related) and _goes_with(related.unit.text, own.statement):
        parts[0] += " " + fitting(_spoken(related.unit), CONTEXT_WORDS)
    elif PUTS_RIGHT_AT_ONCE.match(reading.unit.text):
        parts = [own.statement if topics(title) <= topics(own.statement) else f"{ended(title)} {own.statement}"]
    elif len(topics(own.statement)) < OWN_POINT and reading.answers_it and _speaks_of_it(reading):
        parts = [_answered(reading, own.statement)]
    if own.why:
        parts.append(f"Why: {own.why}")
    if is_item and not is_no and reading.answers_it and is_choice(reading.unit):
        # "B, no second database" means what B is.
        option = what_was_chosen(chosen, reading.unit.text) if len(chosen) == 1 else heads(chosen)
        if BESIDES.search(reading.unit.text):
            parts = [option]
        parts += [] if topics(option) <= topics(" ".join(parts)) else [f"Chosen: {option}"]
    if outcome := outcome_of(reading):
        parts.append(outcome)
    return "\n\n".join(parts)


def _speaks_of_it(reading: UnitReading) -> bool:
    """Whether a few words answer what the agent said last: it asked, they say yes, or they name something of it."""
    if reading.proposal.how is not ReplyMatch.ASKED or "?" in reading.proposal.text or "agree" in reading.cues:
        return True
    about = topics(reading.unit.text)
    return not about or not about.isdisjoint(topics(reading.proposal.text))


def outcome_of(reading: UnitReading) -> str:
    """What the agent made of a reply, as far as it fits."""
    taken_up = _taken_up(reading)
    return fitting(taken_up, _OUTCOME_WORDS) if taken_up else ""


def _answered(reading: UnitReading, own: str) -> str:
    """What a reply means that says nothing by itself, as "yes" and "2 please" do: what it chose, or what was asked."""
    chosen, is_item = reading.proposal.passages, reading.proposal.how is ReplyMatch.ITEM
    if answers_openly(reading) and (asked := last_question(chosen[0].text)):
        return f"{asked} {own}"
    is_bare = is_item and len(topics(own)) < 2
    offered = heads(chosen) if is_bare and len(chosen) > 1 else what_was_chosen(chosen[:2], reading.unit.text)
    if answers_openly(reading) and _EITHER.search(offered) is not None:
        return own  # Who takes one of two ways does not say both.
    offered = with_what_was_added(offered, reading) if is_item and is_choice(reading.unit) else offered
    return offered if is_bare or len(topics(offered)) >= OWN_POINT else own


def _taken_up(reading: UnitReading) -> str:
    """How the agent put what the user agreed to, or chose from what was offered. What it made of a ruling that says
    enough by itself is its own: it may be overruled in the next turn."""
    is_reply = reading.is_nod or reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    return _stated(reading.confirmation.text, reading) if is_reply and reading.confirmation is not None else ""


def _narrows(reading: UnitReading, related: UnitReading) -> bool:
    """Whether it takes something back of what was said before: "first name and seats only" of "name, seats, phone"."""
    return related.unit.number < reading.unit.number and _NARROWS.search(reading.unit.text) is not None


def _goes_with(text: str, said: str) -> bool:
    """Whether other words of the user's say more of the same: not all of it again, and neither "push it" nor what went
    wrong before."""
    more, about = topics(text), topics(said)
    is_talk = any(_is_beside(one) or reports(one) for one in (span.of(text) for span in sentence_spans(text)))
    return bool(more & about) and not more <= about and not is_talk


def _stated(text: str, reading: UnitReading) -> str:
    """The sentences of an agent that state something: nobody is asked, answered or spoken to in them."""
    text = plain(text)
    said = (agents_statement(span.of(text)) for span in sentence_spans(text))
    stated = (one for one in said if _is_whole(one) and not one.endswith("?") and TALKING.search(one) is None)
    # Whether tests pass and what was pushed is over tomorrow.
    stated = (one for one in stated if STATUS.search(one) is None and _is_the_users(one, reading))
    stated = (one for one in stated if not is_acknowledging(one))
    # "Building the mockup now" and what else the agent was at comes before it speaks of the user's point, if at all.
    answered = reading.proposal.text if reading.is_nod else ""
    about = reading.about.union(topics(reading.unit.question), topics(answered))
    return " ".join(map(ended, dropwhile(lambda one: about.isdisjoint(topics(one)), stated)))


def _is_whole(sentence: str) -> bool:
    """Whether it is no piece of code or of a quote that was taken for a sentence."""
    return bool(sentence) and sentence.count("(") == sentence.count(")") and not sentence.count('"') % 2


def _is_the_users(sentence: str, reading: UnitReading) -> bool:
    """Whether an agent's sentence may stand beside the user's. It tells what came of it; a rule is not for an agent to
    add, so one that rules has to speak of what the user spoke of."""
    if not is_order(sentence) and "limit" not in agent_cues(sentence):
        return True
    about = topics(sentence)
    theirs = reading.whole if reading.is_nod else reading.about
    return bool(about) and len(about & theirs) >= _SHARED * len(about)


def _on_the_point(unit: Unit, title: str) -> str:
    """Of what somebody said in one breath, the sentence that the title is made of and those that go with it. What they
    asked for beside it, and what they said of something else, is not of this memory."""
    text, about = _spoken(unit), topics(title)
    spans = list(sentence_spans(text))
    said = [span.of(text) for span in spans]
    shared = [len(topics(one) & about) for one in said]
    point = max(range(len(said)), key=lambda place: shared[place], default=0)
    if unit.sort is UnitRole.ANSWER or len(said) < 2 or shared[point] * 2 < len(about):
        return text
    first, last, about = point, point, topics(said[point])
    # What else they stated goes with it. Nobody knows what "it" is without the sentence before, whatever that tells.
    while first and not _is_beside(said[first - 1]):
        is_told = reports(said[first - 1]) or _OF_SELF.match(lead_off(said[first - 1]))
        if is_told and stands_alone(statement(said[first])):
            break
        first -= 1
    # There is no room for all of it: what leads up to the point goes, and never the point.
    while first < point and len(text[spans[first].start : spans[point].end].split()) > _OWN_WORDS:
        first += 1
    for place in range(point + 1, len(said)):
        turns = _TURNS.match(said[place]) is not None and _ADDS.match(said[place]) is None
        is_elsewhere = turns and about.isdisjoint(topics(said[place]))
        if (_is_beside(said[place]) or is_elsewhere) and not NEW_VALUE.match(said[place]):
            break
        last = place
    return text[spans[first].start : spans[last].end]


def _is_beside(sentence: str) -> bool:
    """Whether it asks, or asks for something that is over when it is done."""
    is_over = is_passing(statement(sentence)) and is_errand(sentence)
    is_over = is_over and not (tells_change(sentence) or rules_plainly(sentence))
    return sentence.endswith("?") or asks(sentence) or is_over


def _with_reason_apart(text: str, limit: int, title: str) -> Reasoned:
    """The sentences as far as they fit, with the first reason taken out of them, if it is one for what the title says:
    "X for entries, and accounts stay Y because …" gives none for X."""
    text = fitting(text, limit)
    for span in sentence_spans(text):
        found = reasoned(span.of(text))
        if found.why and not _ends_on_another(found.statement, title):
            rest = f"{text[: span.start]}{ended(found.statement)}{text[span.end :]}"
            return Reasoned(capital(rest), ended(capital(found.why)))
    return Reasoned(text)


def _ends_on_another(said: str, title: str) -> bool:
    """Whether what stands right before a reason is not what the title speaks of."""
    ends = [word for word in words(said) if topics(word)][-_LAST_WORDS:]
    return bool(ends) and topics(" ".join(ends)).isdisjoint(topics(title))


def _spoken(unit: Unit) -> str:
    """What the user said, without the reply it begins with, and without the end of what was taken out before it."""
    text = _LEFT_MARK.sub("", plain(unit.text))
    if unit.sort is UnitRole.ANSWER:
        answer = statement(unit.text.split("\nA:", 1)[-1])
        return f"{fitting(plain(unit.question), 25)} {answer}"
    for _ in range(3):
        for pattern in (CHOICES, CHOICE, LEAD, _EMPTY):
            found = pattern.match(text)
            if found is not None and len(topics(text[found.end() :])) >= 2:
                text = text[found.end() :]
    return _TO_BE_KEPT.sub("", text).strip() or text
