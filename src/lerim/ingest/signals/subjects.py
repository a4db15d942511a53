"""What a ruling is on that does not say so itself: "not for rev A", "make it 8". It was raised a little before.

Only English is known. Where nothing names the subject, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lerim.ingest.signals.phrasing import lower
from lerim.ingest.signals.plain_words import lead_off, plain
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import Passage
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import has_a_verb
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.turns import Turn, Utterance
from lerim.text.sentences import sentence_spans

#: So many turns back a subject is still spoken of, when those between raise none.
_TURNS_BACK = 3
_SHORT_TURN_WORDS = 8
_MOST_WORDS = 7
#: So much of a turn is looked at, and so long is a sentence in which somebody comes to speak of something.
_SAID, _LONGEST = 1_500, 240

_VALUE = r"[$€£~<>%]?\d[\d.,_]*(?<![.,])(?: ?%| ?(?:[munµ]?s|secs?|seconds?|mins?|minutes?|hours?"
_VALUE += r"|h|d|days?|weeks?|months?|years?|[kmgt]i?b?|px|pt|em|[mk]?v|[mµ]?a|[mk]?w|[mkg]?hz|mm|cm|x|c|db)\b)?"
_END = r"(?=$|[,.;:!]|\s[–—-]\s| (?:with|because|since|as|then|and|but|for now|please)\b)"
_GENERIC = (
    r"(?:limit|time-?out|threshold|value|default|interval|size|ttl|max(?:imum)?|min(?:imum)?|delay|number|count|rate"
    r"|retries|retention|page size|batch size|buffer|port|version|period|window|cap)"
)
_NUMBER = (
    rf"(?:{_VALUE}|one|two|three|four|five|six|eight|ten|zwei|drei|vier|fünf|zehn|deux|trois|quatre|cinq|dix|dos|tres"
    r"|cuatro|cinco|diez|due|tre|quattro|dois|três|quatro)"
)
#: How many at least or at most, in a few languages, and of what nobody knows: "never more than 4 at once".
_BOUND = (
    r"(?:(?:never|always|not|no|at|only|nie(?:mals)?|nicht|immer|nur|kein|jamais|toujours|pas|au|nunca|siempre|sempre|mai"
    r"|como|no|não|max\.?|min\.?|maximum|minimum|maximal|minimal|höchstens|mindestens|máximo|mínimo|massimo|minimo"
    r"|more|less|fewer|over|under|above|below|most|least|mehr|weniger|über|unter|plus|moins|más|menos|mais|più|meno"
    r"|than|als|que|de|di) )+"
)
_AT_ONCE = (
    r"(?: (?:at (?:once|a time|the same time)|in parallel|each|every time|gleichzeitig|auf einmal|parallel|jedes mal"
    r"|à la fois|en même temps|en parallèle|a la vez|al mismo tiempo|insieme|(?:per|a|pro|par|por|al?) [^\W\d]+))*"
)
#: A title that rules on something which it does not name.
_NO_SUBJECT = re.compile(
    # "Not for rev A", "only on the replica": the limits of something.
    r"(?:not|only|never|always|just) (?:for|in|on|at(?! (?:least|most)\b)|with|before|after|when|if|until|during|to"
    r"|from|by|via|inside|outside|between|below|above|under|over|per)\b"
    # "Take 120 mA, …", "make it 8 with …", "we don't go to 4.25, …".
    rf"|(?:(?:we|i|let['’]?s|please) )?(?:(?:do not|don['’]?t|never) )?"
    rf"(?:make|take|use|say|set|keep|choose|pick|go|stay|put|try|lower|raise|increase|reduce|bump)"
    rf"(?: (?:it|that|them|this))?(?: (?:to|at|with|for|below|above|over|under|on))? (?:max\.? |about )?{_VALUE}{_END}"
    # "Put 15 minutes on it", "change the 5 to 8", "lower the threshold from 0.4 to 0.35".
    rf"|put (?:a )?(?:max\.? )?{_VALUE} (?:on|in|into|to|for) (?:it|that|them|this|there)\b"
    rf"|(?:change|set|turn|raise|lower|bump|increase|reduce|move) (?:the |our )?(?:{_VALUE}|{_GENERIC})"
    rf"(?: (?:down |up )?from {_VALUE})? (?:down |up )?to {_VALUE}{_END}"
    # "2 s is too long", "8 then".
    rf"|{_VALUE} (?:is|are|was|sounds|seems) (?:way |far |much |a bit )?(?:too|not|enough|fine|ok(?:ay)?|good|plenty)\b"
    rf"|{_VALUE} (?:reich(?:t|en)|genüg(?:t|en)|suffi(?:t|sent)|bastan?|ist (?:genug|ok)|sind (?:genug|ok))\b"
    rf"|{_BOUND}{_NUMBER}{_AT_ONCE}"
    r"(?:, (?:never|nie|jamais|nunca|mai) (?:more|less|mehr|weniger|plus|moins|más|menos))?\W*$"
    # "Never reuse a number", "limit stays 512".
    r"|(?:always|never) \w+ (?:an?|the|any) (?:number|name|value|id|one|key|thing)s?$"
    rf"|(?:the )?{_GENERIC}(?::|(?: (?:is|stays?|remains?|at|to)\b(?! (?:the|an?|of|in|for)\b)))"
    r"|(?:that['’]?s|it['’]?s|that is|it is) (?:fine|ok(?:ay)?|good|great)\b",
    re.I,
)
_LIMITS = re.compile(
    r"(?:(?:no|nope|nah|yes|yep|ok(?:ay)?|but|sure|please)[, ]+)*"
    r"(?:not|only|just)(?: yet)? (?:for|in|on|at|with|before|after|when|if|until|during|via|inside|outside"
    r"|between|below|above|under|over|per)"
    r" (?!(?:now|me|this|that|it|friday|monday|today|tomorrow)\b)\w",
    re.I,
)
_MOST_LIMIT_WORDS = 24
#: A number without its unit that can be found again: small ones stand everywhere.
_BARE_FIGURE = re.compile(
    r"(?<![\w.,$€£#/:-])(?:\d+\.\d+|\d{3,})(?=[,;!]|\.?$|\.? (?!%|[a-zA-Z]{1,5}\b(?<!the)(?<!and)(?<!for)))(?![\w%:/-])"
)
_ANY_FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\d])(?!\.\d)")
_UNIT = r"(?:[muµ]?s|min|h|days?|[kKmMgGT]i?B?|px|pt|[mk]?V|[mµ]?A|[mk]?W|[mkMG]?Hz|mm|cm|dB|°C)"
_SETTING = re.compile(
    r"(?:make|take|use|say|set|choose|pick)(?: (?:it|that|them|this))?(?: (?:to|at))? (?=[$€£~]?\d)", re.I
)
_PUT_ON_IT = re.compile(
    rf"put (?P<value>(?:a )?(?:max\.? )?{_VALUE}) (?:on|in|into|to|for) (?:it|that|them|this|there)", re.I
)
_GENERIC_NAME = re.compile(rf"{_GENERIC}\Z", re.I)

_THING = r"(?P<thing>[\w`./=+#-]+(?: [\w`./=+#-]+){0,4}?)"
_NEW = (
    r"(?:(?:ok(?:ay)?|nice|good|great|and|so|now|then|hm+|also|but|first|second|third|next|thx|thanks|ah|btw)[ ,.!]+)*"
)
#: How somebody comes to speak of something.
_RAISES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"{_NEW}(?:what|how) (?:about|abt) (?:the |our )?{_THING}(?:,.*|\?.*|$)",
        r"(?:.*?\b)?(?:next up|up next|today|the next (?:thing|topic|point|one)|next) (?:is|are|we do) (?:the |our )?"
        rf"{_THING}(?:[.,;!].*|$)",
        rf"{_NEW}speaking of (?:the |our )?{_THING},.*",
        rf"{_NEW}(?:let['’]?s |lets |we (?:must|should|have to|need to) )?(?:talk about|discuss|get to|come to)"
        rf" (?:the |our )?{_THING}(?:[.,;!].*|$)",
        rf"(?:first|second|third|next|now|then|last)(?: thing)?[,:]? the {_THING}"
        r" (?:thing|topic|issue|question|story)\W*",
        rf"{_NEW}(?:and )?the {_THING}\?",
        rf"and {_THING}\?",
        rf"{_NEW}(?:we|i) (?:will |do |also |really )?need {_THING}\W*",
    )
)
#: What somebody asks for by its name.
_ASKS_FOR = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?:.*[,;] )?(?:which|what) {_THING}(?P<of> (?:for|of|in|on) (?:the |our |an? )?[\w -]{{2,40}})?"
        r"(?: (?:do|should|shall|would|can|will) (?:we|i|you|it|they|the)\b(?P<rest>.*))?\W*",
        rf"(?:.*[,;] )?what(?:['’]s|s| is| are) (?:the |our ){_THING}"
        r"(?P<of> (?:for|of|in|on) [\w -]{2,40})?\W*",
    )
)
#: "How long do we cache the rates?", "should we log the bodies?": what they ask, as a name for it.
_HOW = re.compile(
    rf"{_NEW}(?P<how>how (?:long|often|big|large|far|old|fast|many [\w-]+|much [\w-]+))"
    r" (?:do|should|shall|can) (?:we|i|you)(?: have to| need to| want to)? (?P<deed>[a-z]+ [^?,.;]{3,50})\W*",
    re.I,
)
#: "Where do the readings go", "how do we store the menus".
_WHERE_OR_HOW = re.compile(
    rf"{_NEW}(?:(?P<where>where) (?:do|does|should|shall) (?P<who>(?:the |our )?[\w -]{{3,40}}?) (?P<goes>go"
    rf"|live|belong|stay|end up)"
    r"|(?P<how>how) (?:do|should|shall) (?:we|i|you) (?P<deed>(?!this\b|that\b|it\b)[a-z]+ [^?,.;]{3,50}))\W*",
    re.I,
)
_SHALL = re.compile(rf"{_NEW}(?:should|shall) (?:we|i) (?P<deed>(?!be\b|not\b)[a-z]+ (?!or\b)[^?,.;]{{3,50}})\W*", re.I)
_OF_REST = re.compile(r".*?(?P<of> (?:for|of|in|on) (?:the |our |an? )?[\w -]{2,40})\W*$", re.I)
_NOTHING = re.compile(
    r"(?:it|that|this|them|these|those|they|you|we|i|he|she|one|ones|both|all|some|any|the|an?|rest|others?|now|ok|why"
    r"|how|if|when|what|to|do|does|did|is|are|else|more|thing|things|next|way|option|kind|sort|yes|no|your|my|up|in|not"
    r"|happens?|time|idea|problem|error|cause|reason|difference)\b",
    re.I,
)
_POINTS = re.compile(r"\b(?:it|this|that|them|these|those|one|ones)$|^(?:ways?|options?|plan|status|cause)\b", re.I)
_POINTS_AT = re.compile(r"\b(?:it|this|that|them|these|those|one|ones|or)\b", re.I)
#: "Two things. first, termination. …", "watchdog. it resets …": named in a word or two.
_NAMED_FIRST = re.compile(
    r"(?:^|(?<=[.!?\n])\s*)(?P<led>(?:first|second|third|next|now|then|last(?:ly)?)[,:]? )?(?:the )?"
    r"(?P<thing>[\w-]{3,24}(?: [\w-]{3,24}){0,2})[.:](?=\s)",
    re.I,
)
#: "LocMemCache it is."
_IT_IS = re.compile(r"(?:^|(?<=[.!\n] ))(?P<thing>[\w`.+-]{3,30}(?: [\w`.+-]{2,20})?) it is\b", re.I)


def lacks_subject(title: str) -> bool:
    """Whether a title rules on something that it does not name."""
    return _NO_SUBJECT.match(title) is not None


def is_generic(thing: str) -> bool:
    """Whether a name says nothing without what it is of: "timeout", "limit"."""
    return _GENERIC_NAME.match(thing.strip()) is not None


def raised(reading: UnitReading, session: SessionReading, *, as_topic: bool = False) -> str:
    """What the user spoke of right before, or what the agent said it would be; nothing where no words name it. With
    `as_topic`, what they asked for by its name does not count: nothing can be "of" a "retry setting"."""
    unit, turn = reading.unit, reading.unit.turn
    if turn is None:
        return ""
    heard = _SpokenOf(session.vocabulary, turn.before)
    own = _named(unit.message.text[: unit.span.start][-_SAID:], heard, as_topic=as_topic)
    if name := own or _chosen_by_agent(turn):
        return name
    return next((name for name, _ in _raised_earlier(turn, session, as_topic=as_topic)), "")


def raised_in(reading: UnitReading, session: SessionReading) -> Passage | None:
    """The user's earlier sentence that names what `raised` tells, if it stands in another turn."""
    turn, subject = reading.unit.turn, raised(reading, session)
    for name, earlier in _raised_earlier(turn, session) if turn is not None and subject else ():
        spans = sentence_spans(earlier.text, 0, min(len(earlier.text), _SAID))
        if name == subject and (at := next((one for one in spans if name in one.of(earlier.text).lower()), None)):
            return Passage(earlier.message, at)
    return None


def _raised_earlier(turn: Turn, session: SessionReading, *, as_topic: bool = False) -> Iterator[tuple[str, Turn]]:
    """What the user came to speak of in the turns before, the last first, up to one in which they say more."""
    for earlier in reversed(session.talk.turns[max(0, turn.index - _TURNS_BACK) : turn.index]):
        heard = _SpokenOf(session.vocabulary, (*turn.before, *earlier.after))
        if name := _named(earlier.text[:_SAID], heard, as_topic=as_topic):
            yield name, earlier
        if len(earlier.text.split()) > _SHORT_TURN_WORDS:
            return


def _chosen_by_agent(turn: Turn) -> str:
    found = _IT_IS.search(plain(turn.proposal[:200])) if turn.before else None
    return found["thing"] if found is not None and _NOTHING.match(found["thing"]) is None else ""


class _SpokenOf:
    """What the agent spoke of in some messages. It is much, and seldom asked for."""

    def __init__(self, vocabulary: Vocabulary, messages: Iterable[Utterance]) -> None:
        self._vocabulary = vocabulary
        self._messages = messages

    def has(self, about: frozenset[str]) -> bool:
        """Whether all of it was spoken of."""
        rest = set(about)
        for message in self._messages:
            rest -= self._vocabulary.about(message.text)
        return not rest


def _named(text: str, heard: _SpokenOf, *, as_topic: bool = False) -> str:
    """The last thing that somebody came to speak of in a text."""
    spans = list(sentence_spans(text))
    for span in reversed(spans):
        for name in _names(plain(span.of(text)), _RAISES if as_topic else (*_RAISES, *_ASKS_FOR)):
            return name
    for found in reversed(list(_NAMED_FIRST.finditer(text))):
        about = topics(found["thing"])
        is_name = about and heard.has(about) and not has_a_verb(lead_off(found["thing"]))
        if is_name and _NOTHING.match(found["thing"]) is None:
            return lower(found["thing"])
    return ""


def _names(sentence: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[str]:
    for pattern in patterns if len(sentence) <= _LONGEST else ():
        if (found := pattern.fullmatch(sentence)) is None:
            continue
        said = found.groupdict()
        where = said.get("of") or ""
        if said.get("rest") and (of := _OF_REST.fullmatch(said["rest"])) is not None:
            where = of["of"]
        name = f"{found['thing']}{where}".strip(" `.?!,")
        is_empty = _NOTHING.match(name) is not None or _POINTS.search(name) is not None
        if not is_empty and topics(name) and len(name.split()) <= _MOST_WORDS:
            yield lower(name)
    if patterns is _RAISES or len(sentence) > _LONGEST:
        return
    how, shall = _HOW.fullmatch(sentence), _SHALL.fullmatch(sentence)
    deed = (how or shall or {"deed": ""})["deed"]
    if deed and not _POINTS_AT.search(deed):
        yield f"{how['how'].lower()} to {deed}" if how is not None else doing(deed)
    if (asked := _WHERE_OR_HOW.fullmatch(sentence)) is not None and not _POINTS_AT.search(asked.group()):
        is_many = asked["where"] and asked["who"].rstrip().endswith("s")
        goes = asked["goes"] if is_many else f"{asked['goes']}s"
        yield f"where {asked['who']} {goes}" if asked["where"] else f"how to {asked['deed']}"


def row_of(title: str, turn: Turn | None) -> str:
    """What the agent's table calls the thing whose value a title speaks of: the head of its only row with that."""
    if turn is None or not turn.before or len(figures := set(_BARE_FIGURE.findall(title))) != 1:
        return ""
    (figure,) = figures
    rows = [line.strip().strip("|").split("|") for line in turn.proposal.splitlines() if line.strip().startswith("|")]
    heads = [plain(cells[0]) for cells in rows if any(figure in _ANY_FIGURE.findall(cell) for cell in cells[1:])]
    return heads[0] if len(heads) == 1 and topics(heads[0]) and len(heads[0].split()) <= _MOST_WORDS else ""


def with_units(title: str, turn: Turn | None) -> str:
    """The title with the unit of a bare number, where the agent names it: "4.25" is "4.25 V"."""
    if turn is None:
        return title
    said = " ".join(message.text for message in (*turn.before[-1:], *turn.after[:1]))

    def whole(found: re.Match[str]) -> str:
        units = set(re.findall(rf"(?<![\w.]){re.escape(found.group())}( ?{_UNIT})\b", said))
        return found.group() + units.pop() if len(units) == 1 else found.group()

    return _BARE_FIGURE.sub(whole, title)


def without_setting(title: str) -> str:
    """The value without the verb that sets it, as it stands behind its subject: "make it 8" is "8"."""
    return _PUT_ON_IT.sub(r"\g<value>", _SETTING.sub("", title, count=1), count=1)


def limits_at_once(text: str) -> str:
    """The first sentence of a reply that only says where or when something holds, or not: "nah not for rev A, …"."""
    said = lead_off(plain(text))
    first = next((span.of(said) for span in sentence_spans(said)), "")
    is_limit = _LIMITS.match(first) is not None and not first.endswith("?")
    return first.rstrip(". !") if is_limit and len(first.split()) <= _MOST_LIMIT_WORDS else ""


# --- questions as what they are on ---

_TO_DO = re.compile(r"(?:also |then |just )?(?P<verb>[a-z]+)(?P<rest>\b.*)", re.I | re.S)
_DOUBLED = re.compile(r"(?:[^aeiou]|qu|^)[aeiou][bdglmnprt]\Z")
_UNSTRESSED = ("en", "er", "el", "on", "et", "it")
_STRESSED_LATE = frozenset({"set", "get", "let", "reset", "refer", "submit", "commit", "emit", "split", "hit"})


def doing(deed: str) -> str:
    """What may be done, as a name for it: "add an index" is "adding an index"."""
    found = _TO_DO.fullmatch(deed)
    if found is None:
        return deed
    verb = found["verb"].lower()
    if verb.endswith("ie"):
        stem = verb[:-2] + "y"
    elif verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        stem = verb[:-1]
    elif verb in _STRESSED_LATE or (_DOUBLED.search(verb) and not verb.endswith(_UNSTRESSED)):
        stem = verb + verb[-1]
    else:
        stem = verb
    return f"{stem}ing{found['rest']}"
