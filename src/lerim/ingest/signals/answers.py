"""What a bare answer settles: what the agent asked for, and the answer. "Nats" tells nothing without its question."""

from __future__ import annotations

import re

from lerim.ingest.signals.asked import BareAnswer
from lerim.ingest.signals.chosen import asked_for
from lerim.ingest.signals.cues import agent_cues
from lerim.ingest.signals.either import rest_of
from lerim.ingest.signals.phrasing import as_subject, capital, is_order, lower, reasoned
from lerim.ingest.signals.plain_words import agents_statement, headline, plain
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import Passage
from lerim.ingest.signals.subjects import is_generic, raised
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import is_errand
from lerim.ingest.signals.values import Meant, thing_asked_for
from lerim.text.sentences import sentence_spans, sentences
from lerim.text.words import words

_FIGURE = re.compile(r"\d")
#: "Exact: = 5.6".
_LABEL = re.compile(r"(?<=\w): ")
_AMOUNT = re.compile(r"(?P<figure>\d[\d.,_]*(?<![.,]))(?P<blank> ?)(?P<unit>%|[^\W\d_]{1,9})?\b(?![.,]\d)")
_OF_FIGURE = re.compile(
    r"(?P<amount>(?P<figure>\d[\d.,_]*(?<![.,])) ?(?:%|[^\W\d_]{1,7})) (?P<thing>[\w-]+(?: [\w-]+){0,2}?)"
    r"(?= (?:would|will|is|are|should|looks?|works?|makes?|gives?|fits?)\b|[.,;:?]|$)",
    re.I,
)
_FORE = re.compile(
    r"(?:so |then |and )?(?:i(?:['’]d| would| suggest| propose|['’]ll)|let['’]s|we could|shall i|should i)\b", re.I
)
_SETS = re.compile(
    r"(?:cache|hold|wait|retry|poll|sync|refresh|limit|cap|allow|offer|charge|raise|lower|send|show)\b", re.I
)
_ON_IT = re.compile(r"\b(?:it|them|this|that|one)\b", re.I)
_IN_BRACKETS = re.compile(r" ?\([^()]{0,200}\)")
_FEW = 2
_QUESTION_CHARS, _ENDING = 110, 700
_ASKS = re.compile(r"(?:how|what|which|where|when|should|shall|wie|was|welche\w?|wo|wann|soll)\b", re.I)
_OR = re.compile(r"\b(?:or|oder|ou|o|oppure)\b", re.I)
#: What the ways are for, before they are counted: "for the attributes of a plant I see two ways".
_WAYS_FOR = re.compile(
    r"(?:for|to|für|pour|para) (?P<thing>(?:the |our |an? )?[^,.:;?]{3,50}?),? (?:there are|i (?:see|have|found"
    r"|know|can"
    r" think of)|we have|you have) (?:\w+ ){0,3}?(?:ways|options|choices|candidates|possibilities|approaches|libraries"
    r"|tools)\b",
    re.I,
)
_NAME = r"(?:[`\"“”\w+#/-]|\.(?=\w))+"
#: "Two options: …" names nothing.
_COUNTED = re.compile(
    r"(?:(?:i see|there are|we have) )?(?:two|three|four|\d|some|the) (?:options|ways|choices"
    r"|possibilities)\Z",
    re.I,
)
_WAY = rf"(?:an? |the )?{_NAME}(?: {_NAME}){{0,2}}?"
#: "Goose, atlas and dbmate."
_LISTED = re.compile(
    rf"(?P<first>{_NAME}(?: {_NAME})?)(?P<more>(?:, {_WAY}){{0,5}}),? (?:or|and|oder|und|ou|et|o|y|e)"
    rf" (?P<last>{_WAY})(?=\W*$|[?.:;,]| [–—-] | (?:both|all|each|are|can|could|would|fit)\b)",
    re.I,
)


def answer_given(reading: UnitReading, session: SessionReading) -> Meant | None:
    """What a bare answer settles, said with what was asked, so that it stands alone; and why, where that was said."""
    found = reading.answer
    if found is None:
        return None
    more, why = rest_of(found.rest)
    said = f"{_LABEL.sub(' ', _as_spelled(found), count=1)}{more}"
    if thing := _thing(found, reading, session):
        return Meant(headline(f"{capital(thing)}: {said}"), why)
    if (proposed := _with_other_figure(found)) or (proposed := _named_by_figure(found)):
        return Meant(headline(f"{proposed}{more}"), why)
    if taken := _of_ways(found, reading):
        return Meant(headline(f"{taken}{more}"), why)
    if (advised := _advised(found)) is not None:
        return advised
    # "With or without a cache", "with the cache" says all of it.
    is_whole = _OR.search(found.question) is not None and len(found.answer.split()) > _FEW
    is_whole = is_whole and not found.question.endswith("?")
    return Meant(headline(capital(said) if is_whole else f"{_subject(found)}: {said}"), why)


def question_of(reading: UnitReading) -> Passage | None:
    """Where the agent asked what a bare answer answers."""
    turn, found = reading.unit.turn, reading.answer
    if found is None or turn is None or not turn.before:
        return None
    last = turn.before[-1]
    asked = (span for span in reversed(list(sentence_spans(last.text))) if plain(span.of(last.text)) in found.question)
    return next((Passage(last, span) for span in asked if topics(span.of(last.text))), None)


def _thing(found: BareAnswer, reading: UnitReading, session: SessionReading) -> str:
    """A name for what was asked, or nothing."""
    if (ways := _ways_for(reading)) and not found.is_counter:
        return ways
    # Of what a figure is, the agent may have said before it asked.
    asked = reading.proposal.text.partition(found.question)[0] if _FIGURE.search(found.answer) else ""
    if thing := thing_asked_for(f"{_plain_question(found)}?") or thing_asked_for(asked):
        of = raised(reading, session, as_topic=True) if is_generic(thing) else ""
        return f"{of} {thing}".strip()
    # The ways alone name nothing, and neither does "which one do you want": what was raised does.
    is_telling = found.question.endswith("?") and len(topics(found.question)) >= _FEW
    return "" if is_telling or found.is_counter else raised(reading, session)


def _as_spelled(found: BareAnswer) -> str:
    """The answer as the agent wrote it, where it named that: "keycloak" is "Keycloak"."""
    named = re.search(rf"(?<!\w){re.escape(found.answer)}(?!\w)", found.question, re.I)
    return named.group() if named is not None else found.answer


def _ways_for(reading: UnitReading) -> str:
    turn = reading.unit.turn
    named = _WAYS_FOR.search(turn.proposal[-_ENDING:]) if turn is not None else None
    return re.sub(r"^(?:the|our|an?) ", "", named["thing"], flags=re.I) if named is not None else ""


def _plain_question(found: BareAnswer) -> str:
    """The question without what stands in brackets, be they closed or not."""
    return _IN_BRACKETS.sub("", found.question).partition(" (")[0].strip("?() ")


def _subject(found: BareAnswer) -> str:
    """What was asked, in its own words, without the ways that it offered behind a colon."""
    question = _plain_question(found)
    head, mark, ways = question.partition(": ")
    if mark and _OR.search(ways) and topics(head):
        question = ways if _COUNTED.match(head) else head
    head, mark, asked = question.rpartition(": ")
    if mark and _ASKS.match(asked):
        question = asked
    if not found.question.endswith("?"):
        return headline(agents_statement(question), _QUESTION_CHARS).rstrip(" …")
    *before, last = sentences(question) or [question]
    asked = asked_for(f"{last}?") or as_subject(last.rstrip("? "))
    led = "; ".join(as_subject(one.rstrip("? ")) for one in before)
    return capital(headline(f"{led}; {lower(asked)}" if led else asked, _QUESTION_CHARS))


def _with_other_figure(found: BareAnswer) -> str:
    """What the agent proposed, with the user's figure for its only one: "I'd cache it for 24 h. Fine?", "6"."""
    said, told = _AMOUNT.fullmatch(found.answer), list(_AMOUNT.finditer(found.question))
    fore = _FORE.match(found.question)
    if not found.is_counter or said is None or len(told) != 1 or fore is None:
        return ""
    proposed = capital(found.question[fore.end() :].strip("?. "))
    if _ON_IT.search(proposed) is not None or not (is_errand(proposed) or is_order(proposed) or _SETS.match(proposed)):
        return ""
    figure = said.group() if said["unit"] else f"{said['figure']}{told[0]['blank']}{told[0]['unit']}"
    return proposed.replace(told[0].group(), figure, 1)


def _named_by_figure(found: BareAnswer) -> str:
    """What the agent gave this very figure: "16 px row spacing would fix that", "ok 16 then"."""
    said = _AMOUNT.fullmatch(found.answer)
    if not found.is_counter or said is None:
        return ""
    for told in _OF_FIGURE.finditer(found.question):
        if told["figure"] == said["figure"] and topics(told["thing"]):
            return f"{capital(told['thing'])}: {told['amount']}"
    return ""


def _of_ways(found: BareAnswer, reading: UnitReading) -> str:
    """The way that was taken of those that were named: "dbmate, not goose or atlas"."""
    turn = reading.unit.turn
    if found.is_counter or found.question.endswith("?") or turn is None:
        return ""
    for listed in _LISTED.finditer(turn.proposal[-_ENDING:]):
        ways = [listed["first"], *filter(None, listed["more"].split(", ")), listed["last"]]
        # "I compared uPlot": the first of them stands behind other words.
        is_short = all(" " not in way for way in ways[1:])
        ways[0] = ways[0].rpartition(" ")[2] if is_short else ways[0]
        ways = [way.strip(' `."“”') for way in ways]
        taken = [way for way in ways if words(way) == words(found.answer)]
        if len(taken) == 1 and len(ways) > 1:
            return f"{capital(taken[0])}, not {' or '.join(way for way in ways if way not in taken)}"
    return ""


def _advised(found: BareAnswer) -> Meant | None:
    """What the agent advised, where the user takes it by its name: "agreed with the jsonb"."""
    if found.is_counter or found.question.endswith("?") or "recommend" not in agent_cues(found.question):
        return None
    parts = reasoned(agents_statement(found.question))
    return Meant(headline(parts.statement), parts.why) if len(topics(parts.statement)) > 1 else None
