"""What a bare answer settles: what the agent asked for, and the answer. "Nats" tells nothing without its question."""

from __future__ import annotations

import re

from lerim.ingest.signals.asked import BareAnswer
from lerim.ingest.signals.chosen import asked_for
from lerim.ingest.signals.either import rest_of
from lerim.ingest.signals.phrasing import as_subject, capital, lower, reasoned
from lerim.ingest.signals.plain_words import agents_statement, headline
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.subjects import is_generic, raised
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.values import Meant, thing_asked_for
from lerim.text.sentences import sentences
from lerim.text.words import words

_QUESTION_CHARS = 110
_OR = re.compile(r"\b(?:or|oder|ou|o|oppure)\b", re.I)
#: What the ways are for, before they are counted: "for the attributes of a plant I see two ways".
_WAYS_FOR = re.compile(
    r"(?:for|to|für|pour|para) (?P<thing>(?:the |our |an? )?[^,.:;?]{3,50}?),? (?:there are|i (?:see|have|found|know|can"
    r" think of)|we have|you have) (?:\w+ ){0,3}?(?:ways|options|choices|candidates|possibilities|approaches|libraries"
    r"|tools)\b",
    re.I,
)
_WAY = r"(?:an? |the )?[`\w.+#/-]+(?: [`\w.+#/-]+){0,2}?"
#: "Goose, atlas and dbmate."
_LISTED = re.compile(
    rf"(?P<first>[`\w.+#/-]+(?: [`\w.+#/-]+)?)(?P<more>(?:, {_WAY}){{0,5}}),? (?:or|and|oder|und|ou|et|o|y|e)"
    rf" (?P<last>{_WAY})(?=\W*$|[?.:;,]| [–—-] )",
    re.I,
)


def answer_given(reading: UnitReading, session: SessionReading) -> Meant | None:
    """What a bare answer settles, said with what was asked, so that it stands alone; and why, where that was said."""
    found = reading.answer
    if found is None:
        return None
    more, why = rest_of(found.rest)
    said = f"{found.answer}{more}"
    thing = _thing(found, reading, session)
    if thing:
        return Meant(headline(f"{capital(thing)}: {said}"), why)
    if others := _others(found):
        return Meant(headline(f"{capital(found.answer)}, not {others}{more}"), why)
    return _advised(found) or Meant(headline(f"{_subject(found)}: {said}"), why)


def _thing(found: BareAnswer, reading: UnitReading, session: SessionReading) -> str:
    """A name for what was asked, or nothing."""
    if (ways := _ways_for(reading)) and not found.is_counter:
        return ways
    if thing := thing_asked_for(found.question):
        of = raised(reading, session, as_topic=True) if is_generic(thing) else ""
        return f"{of} {thing}".strip()
    # The ways alone name nothing: what was raised does.
    return "" if found.question.endswith("?") else raised(reading, session)


def _ways_for(reading: UnitReading) -> str:
    turn = reading.unit.turn
    named = _WAYS_FOR.search(turn.proposal[-_QUESTION_CHARS * 6 :]) if turn is not None else None
    return re.sub(r"^(?:the|our|an?) ", "", named["thing"], flags=re.I) if named is not None else ""


def _subject(found: BareAnswer) -> str:
    """What was asked, in its own words, without the ways that it offered behind a colon."""
    question = found.question.rstrip("? ")
    head, mark, ways = question.partition(": ")
    if mark and _OR.search(ways) and topics(head):
        question = head
    if not found.question.endswith("?"):
        return headline(agents_statement(question), _QUESTION_CHARS).rstrip(" …")
    *before, last = sentences(question) or [question]
    asked = asked_for(f"{last}?") or as_subject(last.rstrip("? "))
    led = "; ".join(as_subject(one.rstrip("? ")) for one in before)
    return headline(f"{led}; {lower(asked)}" if led else asked, _QUESTION_CHARS)


def _others(found: BareAnswer) -> str:
    """The ways that were named beside the one that was taken: "goose or atlas"."""
    if found.is_counter or found.question.endswith("?"):
        return ""
    for listed in _LISTED.finditer(found.question):
        ways = [listed["first"], *filter(None, listed["more"].split(", ")), listed["last"]]
        # "I compared uPlot": the first of them stands behind other words.
        is_short = all(" " not in way for way in ways[1:])
        ways[0] = ways[0].rpartition(" ")[2] if is_short else ways[0]
        taken = [way for way in ways if set(words(way)) == set(words(found.answer))]
        if len(taken) == 1 and len(ways) > 1:
            return " or ".join(way for way in ways if way not in taken)
    return ""


def _advised(found: BareAnswer) -> Meant | None:
    """What the agent advised, where the user takes it by its name: "agreed with the jsonb"."""
    if found.is_counter or found.question.endswith("?"):
        return None
    parts = reasoned(agents_statement(found.question))
    return Meant(headline(parts.statement), parts.why) if len(topics(parts.statement)) > 1 else None
