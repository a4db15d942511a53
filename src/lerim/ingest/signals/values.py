"""A bare value, and the thing that it is the value of: "make it 5s" tells no thing, but the agent had asked of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lerim.ingest.signals.chosen import asked_for, last_question
from lerim.ingest.signals.phrasing import capital, is_order, lower, reasoned
from lerim.ingest.signals.plain_words import agents_statement, ended, lead_off, plain, statement
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.subjects import is_generic, raised
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import is_errand, stands_alone
from lerim.ingest.signals.units import UnitRole
from lerim.text.sentences import sentence_spans

_IT = r"(?:it|that|this|them)"
_SETS = (
    rf"(?:(?:then|just|rather|please|so|but|and|also|maybe) )*(?:make {_IT}|set (?:{_IT} )?to|put {_IT} (?:at|to)"
    r"|let['’]?s (?:do|say|use|take|go with|make it|set it to)|i['’]?d (?:say|go with|take|use)|say|use|go with|take"
    r"|make(?= [$€£]?\d)"
    rf"|(?:raise|lower|bump|reduce|increase|limit|change|extend|shorten|cut) (?:{_IT} )?(?:(?:up|down) )?to|to"
    rf"|(?:keep|leave|cap) {_IT} at)"
)
_NO_UNIT = (
    r"(?:is|are|because|since|for|on|in|and|or|but|should|please|then|instead|not|as|with|if|when|it|we|i|max|seems?"
    r"|of)\b"
)
_BARE_VALUE = re.compile(
    rf"(?:{_SETS} )?"
    r"(?P<value>(?:(?:max(?:imum)?|min(?:imum)?|at most|at least|about|around|up to|no more than|exactly|only) )?"
    rf"[$€£~<>]?\d[\d.,_]*(?<![.,])(?: ?%| ?(?!{_NO_UNIT})[^\W\d_]+)?"
    rf"(?:(?: per| a|/| each) ?(?!{_NO_UNIT})[\w-]+){{0,2}})"
    r"(?:,? (?:please|pls|max|instead|then|(?:is|are|should be|seems) (?:fine|enough|ok(?:ay)?|good|plenty)))*"
    r"(?P<rest>$|\s*[,.;!(–—-](?!\d).*"
    r"|\s+(?:because|since|as|for|on|in|per|with|not|unless|except|and|but|until)\b.*)",
    re.I | re.S,
)
#: "That's fine but make it 60 sec", "2 s is too long, the operator thinks it hangs. 500 ms".
_FINE_BUT = re.compile(r"(?:that['’]?s|that is|it['’]?s|it is)? ?(?:fine|ok(?:ay)?|good|great),? but (?=\w)", re.I)
_TOO_MUCH = re.compile(
    r"(?P<why>(?:[$€£~]?\d[\d.,_]*(?<![.,])(?: ?%| ?[^\W\d_]+)?|it|that)(?: is|['’]s) (?:way |far |much |a bit )?"
    r"(?:too \w+|not enough)\b[^;:]*?)[,.;:–—-]+\s+"
    rf"(?P<then>(?:{_SETS} )?[$€£~<>]?\d.*)",
    re.I | re.S,
)
_FIGURE = re.compile(r"\d[\d.,]*(?<![.,])")
#: Behind a value this says where it holds or what else does, and not why.
_GOES_ON = re.compile(
    r"\W*(?:(?:and|but|then|for|in|on|at|per|with|without|not|never|always|only|max|unless|except|until|no|plus|or)\b"
    r"|\d)|.*\b(?:must|should|never|always)\b",
    re.I | re.S,
)
_REASON_WORDS = 3

_THE = r"(?:an?|the|our|some|any|another|its|this) "
_ASKER = (
    r"(?:(?:should|shall|can|could) (?:i|we)|(?:(?:do|would) you )?(?:want|like) (?:me|us) to"
    r"|(?:do )?(?:you|we) (?:want|need)(?: to)?|is it (?:ok|okay|fine) to|how about i|i would|i['’]d)"
    r"(?: also| then| maybe| better)*"
)
_PUTS = (
    r"(?:add|set(?: up)?|introduce|configure|put(?: in)?|use|include|have|define|enforce|enable|raise|lower|bump"
    r"|increase|reduce|change|keep|shorten|extend|adjust|pick|choose|specify|make)"
)
#: Where the thing itself ends, and a value that was offered begins.
_OFFERED = (
    r"(?:,? (?:to|of|at|from|as|with|for|by|after|within) (?:about |around |say |like )?[$€£~]?\d.*"
    r"|,? (?:as well|too|there|here|now|instead|for (?:it|that|this|them))\b.*|, .*)"
)
_DO, _WITH = r"(?:should|shall|do|would|does|must)", r"(?P<rest>(?: (?:per|in|on|for|at|of|when|before|after) .+)?)"
_ASKED = (
    # "Should I add a timeout to the uploads, say 30 s?"
    (rf".*?\b{_ASKER} {_PUTS} (?:{_THE})?(?P<thing>.+?){_OFFERED}?", r"\g<thing>"),
    # "Which font size should the captions have?"
    (
        rf"(?:what|which) (?P<thing>[\w -]{{3,40}}?) {_DO} (?P<who>(?:the|our|an?|each|every) [\w -]{{2,50}}?)"
        rf" (?:have|use|get|need|want|be|allow|support|show|run with|take|wait for){_WITH}",
        r"\g<thing> of \g<who>\g<rest>",
    ),
    # "What limit do you want for uploads?"
    (
        rf"(?:what|which) (?P<thing>[\w -]{{3,40}}?) {_DO} (?:i|we|you)"
        rf" (?:use|set|pick|take|want|go with|have|like|put|choose|keep|need|aim for|prefer){_WITH}",
        r"\g<thing>\g<rest>",
    ),
    (rf"what(?: should| shall)? (?P<thing>(?:the|our) .{{3,60}}?) be{_WITH}", r"\g<thing>\g<rest>"),
    (r"what(?:['’]s| is| are) (?P<thing>(?:the|our) .{3,80})", r"\g<thing>"),
    (
        r"(?P<how>how (?:long|often|big|large|far|old|fast|many [\w-]+|much [\w-]+))"
        r" (?:do|should|shall|can) (?:i|we|you)(?: want to)? (?P<rest>.{4,80})",
        r"\g<how> to \g<rest>",
    ),
)
_TODAY = r"(?:(?:right now|currently|today|at the moment),? )?"
_THIS = r"(?:(?:the|our) [\w`. -]{2,50}?|(?-i:[A-Z])[\w`-]+)"
_SO_FAR = r"(?: (?:yet|set|at all|right now|so far))?[.!]?"
_STATED = (
    # "The list has no page size. Should I add one?"
    (rf"{_TODAY}(?P<who>{_THIS}) ha(?:s|ve) no (?P<thing>[\w -]{{3,40}}?){_SO_FAR}", r"\g<thing> of \g<who>"),
    (rf"{_TODAY}there(?:['’]s| is| are)(?: currently)? no (?P<thing>[\w -]{{3,60}}?){_SO_FAR}", r"\g<thing>"),
    # "The probe has a delay of 30 s.", "The zoom is 1.5x."
    (
        rf"{_TODAY}(?P<who>{_THIS}) (?:has|have|uses?) (?:an?|the) (?P<thing>[\w -]{{3,40}}?) of [$€£~]?\d.*",
        r"\g<thing> of \g<who>",
    ),
    (
        rf"{_TODAY}(?P<thing>{_THIS}) (?:is|are|defaults? to|stands? at)"
        r" (?:currently |now |set to |hard[- ]?coded to |at |the default of |a default of )*[$€£~]?\d.*",
        r"\g<thing>",
    ),
)
#: Where a sentence of the agent's gives something a value.
_GIVEN = (
    re.compile(
        rf"\b{_ASKER} {_PUTS} (?:{_THE})?(?P<thing>(?!(?:it|that|this|them)\b)[\w-]+(?: [\w-]+){{0,3}}?) (?:to|at|of)"
        r" (?:about )?(?P<value>[$€£~]?\d[\d.,]*(?: ?[^\W\d_]+| ?%)?)",
        re.I,
    ),
    re.compile(
        r"\b(?:the|an?|its|our) (?P<thing>[\w-]+(?: [\w-]+){0,2}?) of (?:about |up to )?"
        r"(?P<value>[$€£~]?\d[\d.,]*(?: ?[^\W\d_]+| ?%)?)",
        re.I,
    ),
)
_TIME = re.compile(r"[munµ]?s|secs?|seconds?|mins?|minutes?|h|hours?|d|days?|weeks?|months?|years?")
_Names = tuple[tuple[re.Pattern[str], str], ...]
_BY_QUESTION: _Names = tuple((re.compile(rf"(?:and |so )?{asked}", re.I), said) for asked, said in _ASKED)
_BY_STATEMENT: _Names = tuple((re.compile(stated, re.I), said) for stated, said in _STATED)
_NO_THING = re.compile(
    r"(?:it|that|this|them|these|those|one|ones|some|something|anything|both|so|a|an|the)\b(?! \w+ of\b)", re.I
)
_MOST_THING_WORDS = 14
_COUNTED = re.compile(r"\d[\d.,]* ?(?P<unit>[^\W\d_]{1,12}|%)")
_BEFORE = re.compile(r" (?:only|currently|right now|by default|so far|at the moment)\b", re.I)
#: The agent's word for it: what it is, and not what was done.
_IS_SO = re.compile(
    r"\b(?:is|are|has|have|lasts?|waits?|keeps?|expires?|retr(?:y|ies)|defaults?|stays?|holds?|runs?|uses?|allows?|takes"
    r"|gets)\b",
    re.I,
)
_DID = re.compile(
    r"(?:i|we|you|now|done|ok(?:ay)?|so|all|it|this|that|these|they|both)\b|.*\b(?:i|i['’]\w+|you|your)\b", re.I
)
_NOW = re.compile(r" now(?=[ ,.;]|$)|^(?:done|ok(?:ay)?|got it|sure|understood|right|noted)[,.:;!–—-]+ *", re.I)
_SHORTEST_TOLD, _MOST_TOLD_WORDS = 3, 18
_ANSWER = 500
#: What could be so, and is not yet.
_PROPOSED = re.compile(r"\b(?:would|could|might|suggest\w*|usual(?:ly)?|typical(?:ly)?|reasonable|i['’]d)\b", re.I)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a reply means, said so that it stands alone, and why it is so."""

    statement: str
    why: str = ""

    @property
    def body(self) -> str:
        """The statement and its reason."""
        return f"{ended(self.statement)}\n\nWhy: {ended(capital(self.why))}" if self.why else ended(self.statement)


def value_said(reading: UnitReading, session: SessionReading) -> Meant | None:
    """What a reply that is no more than a value settles: the value, and of what."""
    unit, proposal = reading.unit, reading.proposal
    if (
        not unit.is_users
        or unit.sort is UnitRole.ANSWER
        or proposal.how is ReplyMatch.ITEM
        or not proposal.passages
        or unit.place
    ):
        return None
    said = _FINE_BUT.sub("", lead_off(plain(unit.text)).strip(), count=1)
    too_much = _TOO_MUCH.fullmatch(said)
    found = _BARE_VALUE.fullmatch(too_much["then"] if too_much is not None else said)
    if found is None:
        return None
    value, why = _with_why(found)
    why = why or (too_much["why"] if too_much is not None else "")
    told = _told(reading, found["value"]) or _counted_anew(proposal.passages[0].text, found["value"])
    asked = proposal.passages[0].text
    thing = (
        told
        or _thing(asked)
        or _stated_of(asked, found["value"])
        or _thing(unit.turn.before[-1].text if unit.turn else "")
    )
    if not told and (not thing or is_generic(thing)):
        # "Timeout" is of something: of what the user had come to speak of.
        asked_of = raised(reading, session)
        about = raised(reading, session, as_topic=bool(thing))
        thing = asked_of if not thing or topics(thing) & topics(asked_of) else f"{about} {thing}".strip()
    if not thing and not reading.is_nod:
        # The question itself in other words, where nothing else asks for it.
        thing = asked_for(asked)
    if told or thing:
        return Meant(told or f"{capital(thing)}: {value}", why)
    return None


def _stated_of(text: str, value: str) -> str:
    """The thing that the agent gave another value: "I'd set the timeout to 2 s", "up to the TTL of 5 minutes"."""
    if set(_FIGURE.findall(value)) & set(_FIGURE.findall(text)):
        return ""  # Of which of its figures the agent spoke, nobody knows.
    for span in reversed(list(sentence_spans(text))):
        for pattern in _GIVEN:
            found = pattern.search(plain(span.of(text)))
            if found is not None and topics(found["thing"]) and _measure(found["value"]) == _measure(value):
                return found["thing"]
    return ""


def _measure(value: str) -> str:
    """In what a value is counted: all times alike, whether in seconds or in days."""
    unit = re.sub(r"[^a-z%°]", "", value.partition(" with ")[0].lower())
    return "time" if _TIME.fullmatch(unit) is not None else unit


def _with_why(found: re.Match[str]) -> tuple[str, str]:
    """The value as far as it goes, and the reason behind it."""
    rest = found["rest"].strip().rstrip(".! ")
    bare = rest.lstrip(" ,.;:!(–—-").rstrip(")")
    parts = reasoned(f"{found['value']} {rest}" if rest[:1].isalpha() else f"{found['value']}{rest}")
    if not rest:
        return found["value"], ""
    if led := re.match(r"(?:because(?: of\b)?+|since|as|bc|due to|weil|wegen|porque) (?P<why>.+)", bare, re.I | re.S):
        return found["value"], led["why"]
    if parts.why:
        return parts.statement, parts.why
    first = next((span.of(bare) for span in sentence_spans(bare)), "")
    if rest[0] in ".!;" and (is_errand(statement(first)) or first.endswith("?")):
        return found["value"], ""  # What shall be done besides is none.
    if _GOES_ON.match(bare) is None and len(bare.split()) >= _REASON_WORDS:
        return found["value"], bare
    more, _, last = bare.partition(", ")
    is_why = len(last.split()) > _REASON_WORDS and not is_order(last)
    if is_why and rest[0].isalpha() and not _GOES_ON.match(last):
        return f"{found['value']} {more}", last
    return (f"{found['value']}{rest}" if rest[0] in ",.;:!(" else f"{found['value']} {rest}"), ""


def _told(reading: UnitReading, value: str) -> str:
    """How the agent says the value and its thing in one sentence, when it took the reply up."""
    if not (figures := _FIGURE.findall(value)):
        return ""
    turn, passage = reading.unit.turn, reading.confirmation
    # Elsewhere in its answer the agent may speak of other things: the same value is needed with its unit.
    answer = plain(turn.after[0].text[:_ANSWER]) if turn is not None and turn.after and value not in figures else ""
    texts = [plain(passage.text)] if passage is not None else [answer] if value in answer else []
    parts = [part for text in texts for span in sentence_spans(text) for part in span.of(text).split("; ")]
    for part in parts:
        said = agents_statement(_NOW.sub("", part)).rstrip(". ")
        has_value = set(figures) <= set(_FIGURE.findall(said))
        if has_value and len(said.split()) <= _MOST_TOLD_WORDS and _IS_SO.search(said) and not _DID.match(said):
            return said if stands_alone(said) or len(said.split()) == _SHORTEST_TOLD else ""
    return ""


def _counted_anew(text: str, value: str) -> str:
    """The agent's sentence with the user's number, where it counts the same: "the fix is averaged over 3 samples"."""
    if (said := _COUNTED.fullmatch(value)) is None:
        return ""
    same = re.compile(rf"(?<![\w.])\d[\d.,]* ?{re.escape(said['unit'])}\b", re.I)
    for span in sentence_spans(text):
        told = _BEFORE.sub("", plain(span.of(text))).rstrip(". ")
        is_so = len(_FIGURE.findall(told)) == 1 and _IS_SO.search(told) is not None and _DID.match(told) is None
        is_so = is_so and _PROPOSED.search(told) is None
        if is_so and not told.endswith("?") and same.search(told) is not None and stands_alone(told):
            return capital(same.sub(value, told))
    return ""


def _thing(text: str) -> str:
    """What the agent asked the value of, as a name for it; nothing when it cannot be told."""
    question = last_question(text).rstrip("? ")
    for asked in dict.fromkeys((question, question.rpartition(": ")[2], question.rpartition(", ")[2])):
        for name in _names(asked, _BY_QUESTION):
            return name
    for span in reversed(list(sentence_spans(text))):
        if not span.of(text).endswith("?"):
            for name in _names(plain(span.of(text)), _BY_STATEMENT):
                return name
    return ""


def _names(text: str, patterns: _Names) -> Iterator[str]:
    for pattern, said in patterns:
        if text and (found := pattern.fullmatch(text)) is not None:
            name = re.sub(r"^(?:the|our|an?) ", "", found.expand(said).strip(), flags=re.I)
            name = re.sub(r"(?<= )(?:The|Our|A|An|Each|Every)(?= )", lambda word: word.group().lower(), name)
            # One word is enough where the agent told what it is now: "Gravity is at 980."
            is_thin = " " not in name and "_" not in name and patterns is not _BY_STATEMENT
            if (
                not is_thin
                and _NO_THING.match(name) is None
                and topics(name)
                and len(name.split()) <= _MOST_THING_WORDS
            ):
                yield lower(name)
