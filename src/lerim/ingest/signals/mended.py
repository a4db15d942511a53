"""What an agent found wrong or lacking and put right later in the same session: it is told as that."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from lerim.glance import seldom
from lerim.ingest.signals.causes import tells_state_before, tells_trouble
from lerim.ingest.signals.given_up import names_in
from lerim.ingest.signals.phrasing import is_order
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.turns import Conversation
from lerim.ingest.signals.units import Unit
from lerim.text.sentences import sentences

#: What an agent did to something, or how that is by now.
_DEED = re.compile(
    r"(?:^\W*(?:\d+[.)]\s*)?(?:[*`]{0,3}[\w./()-]+[*`]{0,3}(?:,? [*`]{1,3}[\w./()-]+[*`]{1,3})*\s*(?:[—–:-]|→)\s*)?"
    r"|\bi(?:['’]ve| have)? (?:\w+ )?)"
    r"(?:fixed|added|removed|renamed|replaced|moved|changed|switched|updated|deleted|dropped|rewrote|corrected|hardened"
    r"|sanitized|sanitised|validated|covered|implemented|wrapped|guarded|cleaned|documented|reworded|extended"
    r"|behoben|ersetzt|entfernt|hinzugefügt|corrigé|remplacé|supprimé|ajouté|corregido|añadido)\b"
    r"|\b(?:now|no longer) (?:rejects?|accepts?|returns?|validates?|handles?|resolves?|supports?|checks?|covers?"
    r"|points? at|rejected|fails? closed)\b",
    re.I,
)
#: Who says so right behind what is wrong sets about it.
_SETS_ABOUT = re.compile(
    r"\W*(?:so |now |then )?(?:let me|i(?:['’]ll| will| need to|['’]m going to| have to)|i['’]m (?=\w+ing\b)"
    r"|ich (?:werde|muss)"
    r"|je vais|voy a) (?:\w+ )?(?:fix|prefix|remov|add|updat|renam|replac|correct|chang|mov|delet|patch|rewrit|adjust"
    r"|beheb|änder|entfern|corrig|arregl)\w*",
    re.I,
)
#: What is lacking, in a sentence on how things are.
_LACKING = seldom(
    r"\b(?:no|without(?: any)?|missing|lacks?|only) (?:\w+ ){0,3}(?:tests?|checks?|validation|coverage|docs?|guards?"
    r"|handling|equivalent)\b"
    r"|\b(?:still|no longer (?:used|needed|called|read|match)\w*|unsanitised|unsanitized|verbatim|unvalidated|unused"
    r"|dead code|stale|gap|drops?"
    r"|throws? away|too (?:wide|broad|loose))\b"
    r"|\bdoes(?:n['’]t| not)\b|\bnever \w+s\b",
    re.I,
)
#: "Patch the reader so that …" says what to do.
_ORDERS = re.compile(r"(?!the\b|an?\b|this\b|that\b)\w+ (?:the|an?|this|that)\b", re.I)
_SHARED_TOPICS = 3
#: The point of a list that a statement stands at, and an order to do some of them.
_MARK = re.compile(r"\W*(?P<mark>[A-H]|\d{1,2})[.):]\s")
_POINT = re.compile(r"\b(?:[a-h]|\d{1,2})\b")
_DO_POINTS = re.compile(
    r"\b(?:do|fix|address|tackle|apply|take|add|implement) (?:points? |numbers? |items? )?"
    r"(?P<points>(?:[A-Ha-h]|\d{1,2})\b(?:(?:, (?:and )?| and | & |\+)(?:[A-Ha-h]|\d{1,2})\b)*)",
    re.I,
)
_REPLY_CHARS = 200


def is_mended_later(told: str, unit: Unit, talk: Conversation) -> bool:
    """Whether what is told of an agent's statement is wrong or lacking, and the agent says later what it did to that
    very thing, or sets about it at once."""
    if not _tells_fault(told) or is_order(told) or _ORDERS.match(told) or _SETS_ABOUT.match(told):
        return False
    if _is_set_about(unit) or _is_ordered_done(unit, talk):
        return True
    names, about = names_in(told), topics(told)
    return bool(names) and any(
        not names.isdisjoint(deed.names) and len(about & deed.about) >= _SHARED_TOPICS
        for _, message in talk.answers
        if message.number > unit.number
        for deed in _deeds_in(message.text)
    )


class _Deed(NamedTuple):
    """What a sentence on a deed names, and what it is about."""

    names: frozenset[str]
    about: frozenset[str]


@lru_cache(maxsize=512)  # Each statement of a session is held against what was said later.
def _deeds_in(text: str) -> tuple[_Deed, ...]:
    deeds = ((names_in(one), one) for one in sentences(text) if _DEED.search(one) is not None)
    return tuple(_Deed(names, topics(one)) for names, one in deeds if names)


def _is_set_about(unit: Unit) -> bool:
    """Whether its last sentence sets about something, and calls went well after that."""
    said, turn = sentences(unit.text), unit.turn
    is_done = turn is not None and turn.passed > 0 and any(one.number > unit.number for one in turn.after)
    return is_done and len(said) > 1 and _SETS_ABOUT.match(said[-1]) is not None


def _is_ordered_done(unit: Unit, talk: Conversation) -> bool:
    """Whether the user has the point done that it stands at ("fix B and C"), and calls went well after that."""
    place = unit.turn.index + 1 if unit.turn is not None else 0
    reply = talk.turns[place] if place < len(talk.turns) else None
    if reply is None or not reply.passed or not reply.after or unit.message not in reply.before[-1:]:
        return False
    mark, named = _MARK.match(unit.text), _DO_POINTS.search(reply.text[:_REPLY_CHARS])
    return mark is not None and named is not None and mark["mark"].lower() in _POINT.findall(named["points"].lower())


def _tells_fault(sentence: str) -> bool:
    is_fault = tells_trouble(sentence) or tells_state_before(sentence) or _LACKING.search(sentence) is not None
    return is_fault and _DEED.search(sentence) is None
