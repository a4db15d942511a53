"""Which of two ways that a question offered a reply takes, and what it refuses: "Postgres or SQLite?", "sqlite"."""

from __future__ import annotations

import re

from lerim.ingest.signals.chosen import (
    BESIDES,
    CHANGES_CHOICE,
    RULES_OUT,
    is_choice,
    is_deed,
    is_refused,
    what_was_chosen,
    without_choice,
)
from lerim.ingest.signals.phrasing import as_subject, capital, is_order, led_reason, lower, reasoned
from lerim.ingest.signals.plain_words import lead_off, plain, statement
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch, asked_above
from lerim.ingest.signals.subjects import raised
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import has_a_verb
from lerim.ingest.signals.values import Meant, thing_asked_for
from lerim.ingest.words import is_english
from lerim.text.sentences import sentence_spans
from lerim.text.words import words

_NOW = r"(?:and |so |ok |now )?"
_ASKER = (
    r"(?:(?:should|shall|can|could) (?:i|we)|(?:(?:do|would) you )?(?:want|like|prefer)(?: (?:me|us) to)?"
    r"|(?:do|would) you (?:rather )?(?:have|want|prefer)|how about|i (?:can|could|would)(?: either)?"
    r"|i['’]d(?: either)?)(?: also| then| rather| now)*"
)
_THING = r"[\w`.+#/-]+(?: [\w`.+#/-]+){0,3}?"
#: Two ways, both short enough to be told apart, and where or for what they are.
_EITHER = re.compile(
    rf"{_NOW}{_ASKER} (?P<use>use |go with |take |pick |choose |prefer |have )?(?:an? |the )?"
    rf"(?P<one>{_THING}),? or (?:rather |with |an? |the )?(?P<other>{_THING})"
    r"(?P<where> (?:for|in|on|at|as|when|between|per|inside|within) [^?]{3,80})?",
    re.I,
)
_DOING = re.compile(rf"{_NOW}(?:(?:should|shall|can|could) |(?:do|would) you (?:want|like) me to |i )", re.I)
_WITH_OR_WITHOUT = re.compile(
    rf"{_NOW}(?:{_ASKER} )?(?:use |add |go with |take |have )?(?:an? |the )?(?P<what>[^?]{{4,80}}?),?"
    r" with(?:out)? or with(?:out)? (?P<of>[^?]{3,60})",
    re.I,
)
#: "Should thumbnails be made on upload or lazily?", "Should the appendix go before or after the references?"
_SUBJECT = re.compile(
    rf"{_NOW}(?:should|shall) (?P<who>(?!(?:i|we|you|it|they|this|that)\b)[\w`. -]{{3,60}}?) "
    r"(?:be (?P<deed>\w+(?:ed|en|ne|pt|nt|lt|rt|un|ut|et|ld|de))"
    r"|(?P<verb>be|go|live|run|come|happen|stay|sit|start|use|return))"
    r" (?P<one>[^?,]{2,50}?),? or (?P<other>[^?,]{2,50})",
    re.I,
)
_WHERE = re.compile(r"(?:in|on|at|as|by|with|to|from|for|before|after|under|over) ", re.I)
_OR = re.compile(r"\bor\b", re.I)
_REPLY = re.compile(
    r"(?P<way>[^,.;!(–—]{2,60}?)(?:\s+(?:please|pls|then|is (?:enough|fine|ok(?:ay)?|better)))*"
    r"(?P<rest>$|[,.;!(–—].*|\s+because\b.*)",
    re.I | re.S,
)
_USES = re.compile(r"(?:let['’]?s )?(?:use|go with|go for|take|pick|i(?:['’]d)? prefer|prefer|rather) (?:the )?", re.I)
_MOST_WAY_WORDS = 6

#: Who says so tells of something, and does not rule on it.
_TOLD_WHY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|made|saved|cost|knows?|needs?|dies?|works?|lets?|keeps?|gives?|can|can['’]?t|got|gets?|lost"
    r"|went|cannot|does|don['’]?t|doesn['’]?t|won['’]?t|breaks?|broke|takes?|uses?|comes?|wants?|[a-z]{3,}ed)\b|['’](?:s|re|ve)\b",
    re.I,
)
_RULES_ON = re.compile(
    r"\b(?:must|should|shall|always|never|only|let['’]?s|please|then|also|make sure|no more|but)\b", re.I
)
_PICKS = re.compile(r"\(?(?:[b-h]|\d)\)?, (?=[a-z])", re.I)
_WHY_WORDS, _MOST_WHY_WORDS, _NAME_WORDS = 3, 24, 4
#: Who says no and then a mark refuses what was asked.
_NO = re.compile(
    r"\W*(?:(?:hm+|ok(?:ay)?|oh|um|uh)\W+)?"
    r"(?:no|nope|nah|never|please don['’]?t|don['’]?t|do not|rather not|better not)"
    r"(?: (?:please|thanks|thank you|way))?"
    r"(?:\s*[,.;:!–—]+\s*|$|\s+(?=because\b|we (?:stay|keep|stick)\b))(?P<rest>.*)",
    re.I | re.S,
)
_NOES = re.compile(r"(?:no|nope|nah|never|rather not|better not|no way|not a chance)", re.I)
_ARTICLE = re.compile(r"\A(?:an?|the|any|another|more|some) ", re.I)
_DEED = r"(?P<deed>(?!be\b|not\b)[a-z]+ [^?.;:]{4,90})"
_OFFERED_DEED = re.compile(
    rf"(?:.*?[,:] )?{_NOW}(?:(?:should|shall|can|could) (?:i|we)|(?:(?:do|would) you )?(?:want|like) (?:me|us) to)"
    rf"(?: also| then| just| maybe| now)* {_DEED}",
    re.I,
)
_COULD = re.compile(rf"i (?:can|could|would|['’]d) (?:also |just |maybe )?{_DEED}", re.I)
_SHORT_QUESTION = re.compile(r"(?:should i|shall i|want (?:me to|that)|ok(?:ay)?|do you want that)\W*$", re.I)
_POINTS = re.compile(r"\b(?:it|one|them|this|that|those|these|you|your)\b", re.I)
#: Who goes on so has refused something else.
_MISTAKEN = re.compile(
    r"(?:i (?:meant|mean|said|wanted|didn|did)|let['’]?s|please|can you|now"
    r"|that['’]?s|that is|wrong|not|the other|you|wait|what|why|how|first"
    r"|later)\b",
    re.I,
)
#: It tells of something: no name of another way does.
_TELLS = re.compile(
    r"\b(?:would|could|people|nobody|everybody|everyone|users|customers|them|it|they|that|we|i|he|she|us|me|still|already|\w{3,}ed)\b",
    re.I,
)
_RULES = re.compile(
    r"(?:and|but|then|use|keep|no|stays?|remains?|only)\b|.*\b(?:must|should|never|always"
    r"|only (?:in|on|for|with|when|if|at|from|by))\b",
    re.I,
)
_LEAST = 2
#: So much of what the agent said last may be what is replied to.
_ENDING, _LAST_SENTENCES = 400, 3


def way_taken(reading: UnitReading) -> Meant | None:
    """The way that a reply takes of the two that were offered last, said with what it is for."""
    questions = [one for one in _asked_last(reading) if _OR.search(one) is not None]
    said = _REPLY.fullmatch(_USES.sub("", lead_off(plain(reading.unit.text)).strip(), count=1)) if questions else None
    if said is None or len(said["way"].split()) > _MOST_WAY_WORDS:
        return None
    return next(filter(None, (_taken(question, said) for question in questions)), None)


def _taken(asked: str, said: re.Match[str]) -> Meant | None:
    question = asked.rstrip("?. ")
    way, (more, why) = said["way"].strip(), rest_of(said["rest"])
    if (named := _WITH_OR_WITHOUT.fullmatch(question)) is not None and way.lower() in {"with", "without"}:
        return Meant(capital(f"{named['what']} {way.lower()} {named['of']}{more}"), why)
    if (named := _EITHER.fullmatch(question)) is not None:
        ways = (named["one"], named["other"])
        taken = [one for one in ways if _is_of(way, one)]
        if len(taken) == 1:
            # Of two things to use the other one can be named; of two things to do it would need other words.
            is_deed = not named["use"] and _DOING.match(question) is not None
            if is_deed and not named["where"] and len(topics(taken[0])) < _LEAST:
                return None
            against = "" if is_deed else f", not {ways[taken[0] == ways[0]]}"
            return Meant(capital(f"{taken[0]}{named['where'] or ''}{against}{more}"), why)
    if (named := _SUBJECT.fullmatch(question)) is not None:
        one, other = named["one"], named["other"]
        if _is_of(way, one) != _is_of(way, other):
            led = _WHERE.match(one) if (named["verb"] or "").lower() == "be" else None
            if led is not None and _WHERE.match(other) is None:
                other = f"{led.group()}{other}"
            way, left = (one, other) if _is_of(way, one) else (other, one)
            against = f", not {left}" if " " in left and not more else ""
            return Meant(f"{capital(named['who'])} {_does(named)} {way}{against}{more}", why)
    return None


def _does(named: re.Match[str]) -> str:
    """The verb of a question, as it is said of its subject."""
    is_many = named["who"].lower().endswith("s") and not named["who"].lower().endswith("ss")
    if named["deed"] or named["verb"].lower() == "be":
        return f"{'are' if is_many else 'is'} {named['deed'] or ''}".rstrip()
    return named["verb"] if is_many else f"{named['verb']}{'es' if named['verb'] == 'go' else 's'}"


def option_taken(reading: UnitReading, session: SessionReading) -> Meant | None:
    """The option that was chosen and why, when the user says no more than that: "b, we have people who know it"."""
    is_one = reading.proposal.how is ReplyMatch.ITEM and len(reading.proposal.passages) == 1
    said = lead_off(reading.unit.text)
    if is_one and not without_choice(said).strip(" .!"):
        return _option_alone(reading, session)
    is_picked = is_choice(reading.unit) or _PICKS.match(said) is not None
    if not is_one or not is_picked or is_refused(reading) or reading.has_ruling:
        return None
    added = without_choice(said).strip()
    why = statement(added)
    is_told = _TOLD_WHY.search(why) is not None and not is_order(why) and _RULES_ON.search(why) is None
    if not is_told or "?" in why or CHANGES_CHOICE.match(added) or BESIDES.search(added) or RULES_OUT.match(added):
        return None
    if not _WHY_WORDS <= len(why.split()) <= _MOST_WHY_WORDS or sum(1 for _ in sentence_spans(why)) > 1:
        return None
    option = what_was_chosen(reading.proposal.passages, reading.unit.text).rstrip(". ")
    named = raised(reading, session) if len(option.split()) <= _NAME_WORDS else ""
    is_named = not named or topics(named) & topics(option)
    if topics(why) <= topics(option):
        return None
    return Meant(option if is_named else f"{capital(named)}: {option}", (led_reason(why) or why).rstrip(". "))


def _option_alone(reading: UnitReading, session: SessionReading) -> Meant | None:
    """A short option with what it is an option for, where "b" was all that was said."""
    option = what_was_chosen(reading.proposal.passages, reading.unit.text).rstrip(". ")
    named = raised(reading, session) if len(option.split()) <= _NAME_WORDS else ""
    if not named and not has_a_verb(option) and (asked := asked_above(reading.proposal.passages[0].message)):
        named = thing_asked_for(asked) or as_subject(asked.rstrip("? "))
    return Meant(f"{capital(named)}: {lower(option)}") if named and not topics(named) & topics(option) else None


def said_no_to(reading: UnitReading) -> Meant | None:
    """What the user says no to, as what shall not be."""
    return _refused(reading) or _refused_by_name(reading)


def _refused(reading: UnitReading) -> Meant | None:
    """What a reply says no to, as what shall not be done."""
    asked = _asked_last(reading)
    said = _NO.fullmatch(reading.unit.text.strip()) if asked else None
    if said is None or _MISTAKEN.match(said["rest"]) is not None:
        return None
    deed = _deed(asked)
    if not deed or _OR.search(deed) is not None or _POINTS.search(deed) is not None or len(topics(deed)) < _LEAST:
        return None
    more, why = rest_of(f", {said['rest']}") if said["rest"].strip() else ("", "")
    return Meant(f"Do not {deed}{more.replace(', ', ': ', 1)}", why)


def _refused_by_name(reading: UnitReading) -> Meant | None:
    """What a statement names and says no to behind it."""
    if (said := reading.refusal) is None or _MISTAKEN.match(said.rest) is not None:
        return None
    more, why = rest_of(said.rest)
    if _NOES.fullmatch(said.no) is None or not is_english(said.what):
        return Meant(f"{capital(said.what)}: {said.no.lower()}{more}", why)
    denied = f"Do not {lower(said.what)}" if is_deed(said.what) else f"No {_ARTICLE.sub('', said.what, count=1)}"
    return Meant(f"{denied}{more}", why)


def _asked_last(reading: UnitReading) -> list[str]:
    """What the agent ended with, the last sentence first, when the user's message begins with the reply to it."""
    turn = reading.unit.turn
    if not reading.is_reply_in_words or turn is None:
        return []
    text = plain(turn.proposal[-_ENDING:])
    return [span.of(text).strip() for span in reversed(list(sentence_spans(text)))][:_LAST_SENTENCES]


def _deed(asked: list[str]) -> str:
    """What the agent asked whether it shall do it, or said it could before it asked."""
    for place, one in enumerate(asked):
        if one.endswith("?") and (offered := _OFFERED_DEED.fullmatch(one.rstrip("? "))) is not None:
            return offered["deed"].strip()
        if _SHORT_QUESTION.match(one) is not None and place + 1 < len(asked):
            could = _COULD.fullmatch(asked[place + 1].rstrip(". "))
            return could["deed"].strip() if could is not None else ""
    return ""


def rest_of(rest: str) -> tuple[str, str]:
    """What stands behind the point of a reply: more of the point, and why it is so."""
    bare = rest.strip().lstrip(",.;!(–— ").rstrip(".!) ")
    if not bare:
        return "", ""
    parts = reasoned(bare)
    if led := led_reason(bare):
        return "", led
    if parts.why:
        return f", {parts.statement}", parts.why
    is_why = (has_a_verb(bare) or _TELLS.search(bare) is not None) and _RULES.match(bare) is None
    return ("", bare) if is_why else (f", {bare}", "")


def _is_of(way: str, offered: str) -> bool:
    """Whether the reply's words are of this way."""
    said = set(words(way))
    return bool(said) and said <= set(words(offered))
