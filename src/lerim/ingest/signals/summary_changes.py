"""What the user changed within the session: a value that was set anew, and an early wish that was put right later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_tasks import StoryTask, StoryTurn, offered_items, offers_ways
from lerim.ingest.signals.summary_words import as_task, is_task, stems
from lerim.ingest.signals.verdicts import confirms, plans, refused
from lerim.sources.trace import Via
from lerim.text.sentences import sentence_spans
from lerim.text.stems import stem

_WORDED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS = {word: str(number) for number, word in enumerate(_WORDED, 1)}
_NUMBER = rf"(?:\d{{1,2}}:\d\d(?![\d:])|\d[\d.,]*\d|\d|{'|'.join(_WORDED)})"
#: How units are said in short.
_SHORT = {
    "min": "minut", "mins": "minut", "m": "minut", "sec": "second", "secs": "second", "s": "second", "hr": "hour",
    "hrs": "hour", "h": "hour", "d": "day", "wk": "week", "pct": "%", "percent": "%", "pts": "point", "pt": "point",
}  # fmt: skip
_CLOCK = "clock"
_OF_DAY = frozenset({"am", "pm", "uhr"})
#: What is counted, and no word that only follows.
_UNIT = (
    r"(?!(?:of|and|or|is|are|to|at|in|on|now|too|only|then|it|that|more|less|by|for|as|please|pls|instead|was|so|i"
    r"|said|per"
    r"|but|not|the|a|an|if|when|because|than|with)\b)[^\W\d_]{1,20}|%"
)
_VALUE = re.compile(rf"(?<![\w.,:-])(?P<number>{_NUMBER})(?:[ -]?(?P<unit>{_UNIT}))?", re.IGNORECASE)
_SETS = re.compile(
    r"\b(?:make|set|change|raise|lower|reduce|increase|put|turn|bump|let['’]?s (?:do|make|say|take|go with)|take|use"
    rf"|rather|better|actually)\b(?P<between>[^.?!\n\d]{{0,30}}?)\b(?P<number>{_NUMBER})\b(?:[ -]?(?P<unit>{_UNIT}))?",
    re.IGNORECASE,
)
_SETS_TOO = re.compile(
    rf"(?:,? (?:and|with|plus)(?: then)?|,) (?P<number>{_NUMBER})[ -]?(?P<unit>{_UNIT})", re.IGNORECASE
)
_FOR_SOME = re.compile(
    r" (?:for|on|in) (?!(?:now|all|every\w*|each|me|us|the moment|general|total|both|this|that|it)\b)(?:the |our |my )?"
    r"[\w-]+(?: [\w-]+)?",
    re.IGNORECASE,
)
#: In digits: whoever says "one" may mean another.
_DIGITAL = r"(?:\d{1,2}:\d\d(?![\d:])|(?!0\d)\d[\d.,]*\d|\d)"
_AMOUNT = rf"(?<![\w.,:-])(?P<number>{_DIGITAL})(?:[ -]?(?P<unit>{_UNIT}))?"
#: The same with no word that sets it: "sorry 12", "12 not 10", "03:30 is better", and nothing but the value.
_PUTS_RIGHT = (
    re.compile(
        r"^\W*(?:(?:sorry|no+|nope|oops|wait|actually|hm+|ah|oh|i mean[t]?|make that|rather|better|correction"
        r"|then)\W+)+"
        rf"{_AMOUNT}(?=\W|$)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_AMOUNT}(?:,? (?:and )?not \d|,? instead\b|,? (?:is |would be |seems |sounds )?(?:better|enough|safer"
        rf"|nicer)\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\bnot \d[\d.,:]*(?: ?{_UNIT})?(?:,? but|,| -+)? {_AMOUNT}(?=\W|$)", re.IGNORECASE),
    # "Not enough for the sale, 8": the new one stands behind why.
    re.compile(
        r"\b(?:not enough|too (?:few|many|much|little|low|high|long|short|slow|fast|small|big|tight|late|early)"
        r"|tight)\b"
        rf"[^.!?\d]{{0,40}}[,.:;–-]\s*(?:(?:make it|then|better|rather|say|so) )?{_AMOUNT}(?: (?:please|pls"
        rf"|then))?\W*$",
        re.IGNORECASE,
    ),
    re.compile(rf"^\W*{_AMOUNT}(?: (?:please|pls|then|too|ok|i said|as i said))*\W*$", re.IGNORECASE),
)
#: A number in letters is one behind these: "make it one", but not "use that one".
_SET_TO = re.compile(r"\s(?:it|them|to|that|this)\s+$", re.IGNORECASE)
_ASKS = re.compile(
    r"\?$|^(?:do|does|did|is|are|was|can|could|what|why|how|which|where|who|when|should)\b", re.IGNORECASE
)
#: How long or how much something took, as somebody saw it.
_MEASURES = re.compile(
    r"\b(?:takes?|took|taking|measur\w+|finds?|found|optim(?:um|al)|solution|finish(?:es|ed)?"
    r"|reach(?:es|ed)"
    r"|peak(?:s|ed)?|averages?|median|p\d\d|slowest|fastest|longest|roughly|estimated?|benchmark\w*|timed|ran for"
    r"|run time"
    r"|dauerte|brauchte|gemessen|gefunden|prend|pris|mesuré\w*|tard[aóo]|mid(?:e|ió)|medid\w+|demora|leva"
    r"|impiega|duurt)\b|~\s?\d",
    re.IGNORECASE,
)
#: What somebody is told, or sets.
_SETS_IT = re.compile(
    r"\b(?:(?:limit|timeout)s? (?:is|was|of|to|at)|defaults?|set(?:s|ting)?|configured|at (?:most|least)|max\w*"
    r"|min(?:imum)?"
    r"|must"
    r"|should|may|allowed|wanted?|höchstens|soll\w*|darf|doit|debe)\b",
    re.IGNORECASE,
)
#: What went wrong, as somebody saw it.
_TROUBLE = re.compile(
    r"\b(?:says|fail(?:s|ed|ing)?|dies?|died|killed|hangs?|hung|crash\w*|comes? back|shows?|showed|wrong|broken|errors?"
    r"|slow|stuck|times? out|timed out|timeouts? after|breaks|broke|aborts?|aborted|complain\w*|sagt|zeigt|hängt|stürzt"
    r"|bricht|falsch|affiche|plante|échoue|falla|muestra|se cuelga)\b",
    re.IGNORECASE,
)
#: Who asks what holds wishes nothing: "24 h is what we have written down, correct?"
_ASKS_HOW_IT_IS = re.compile(
    r"^\W*(?:do|does|did|is|are|was|were|has|have|what|why|how|which|where|who|when|isn['’]?t|aren['’]?t|wasn['’]?t|ist"
    r"|sind|war|steht|stimmt|est-ce|es|era|è)\b.*\?\W*$"
    r"|[,–—-]\s*(?:correct|right|no|yes|true|isn['’]?t it|aren['’]?t they|is it|oder|nicht(?: wahr)?|stimmt['’]?s"
    r"|richtig|ne|n['’]est[- ]ce pas|non|c['’]est ça|verdad|no es así|vero|giusto|né|certo|toch)\s*\?\W*$",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(,\s+|\s+and\s+|\s+with\s+)")
#: Who puts something right does it in so few words, and a good part of them is of what they put right.
_CORRECTION_WORDS, _SHARE = 25, 0.3
_SHORT_UNIT = 2
#: With so few words a wish is a value and no more.
_FEW_WORDS = 5
#: So many words in common make a sentence about the same.
_SAME = 2


@dataclass(frozen=True)
class ValueChange:
    """In one turn a value was set anew: what it was, and what it is in the end, as it was said."""

    turn: int
    number: str
    unit: str
    new: str

    @property
    def is_in_digits(self) -> bool:
        """Whether both values are numbers as people write amounts, and no word or mark of something."""
        return all(one[:1].isdigit() and not re.match(r"0\d+$", one) for one in (self.new.split(" ")[0], self.number))

    def is_all_of(self, text: str, also: str = "") -> bool:
        """Whether a wish says nothing but the new value, and others that it sets `also`."""
        return len(stems(text) - stems(f"{self.new} {also}")) < _SAME and len(text.split()) <= _FEW_WORDS + len(
            also.split()
        )

    def with_first(self, text: str) -> str:
        """The wish that set it, with what it was first."""
        number = self.new.split(" ", 1)[0]
        # "4 slots, we run 4 processes": only what is counted so was set.
        found = next((one for one in _VALUE.finditer(text) if one["number"] == number and self._may_be(one)), None)
        if found is None:
            return text
        return f"{text[: found.start()]}{self.new} (first {self._told(self.number)}){text[found.end() :]}"

    def _may_be(self, found: re.Match[str]) -> bool:
        return _kind(found) in {"", self.unit, *map(_kind, _values(self.new))}

    def _told(self, number: str) -> str:
        """What it was, with a unit that is no word of its own: "31 ms"."""
        unit = self.new.partition(" ")[2]
        return f"{number} {unit}" if 0 < len(unit) <= _SHORT_UNIT or unit == "min" else number

    def is_in(self, text: str) -> bool:
        return any(map(self._is_old, _values(text)))

    def is_wished_in(self, text: str) -> bool:
        """Whether the old value stands there as what was wanted; in a report of trouble it is what was seen."""
        return any(map(self._is_old, _wished(text)))

    def told_in(self, text: str) -> str:
        """The text with the value as it is now, and with what it was first."""
        old = next(filter(self._is_old, _wished(text)), None)
        return (
            text
            if old is None
            else f"{text[: old.start()]}{self.new} (first {self._told(old['number'])}){text[old.end() :]}"
        )

    def _is_old(self, found: re.Match[str]) -> bool:
        return _digits(found["number"]) == self.number and _kind(found) == self.unit


def value_changes(turns: Sequence[StoryTurn]) -> list[ValueChange]:
    """Each value that the user set anew, with what became of it in the end."""
    found = [one for number in range(1, len(turns)) for one in _changes_in(number, turns)]
    return [last for place, one in enumerate(found) if (last := _in_the_end(one, found[place + 1 :])) is not None]


def _changes_in(number: int, turns: Sequence[StoryTurn]) -> Iterator[ValueChange]:
    turn = turns[number]
    if turn.via is not Via.TYPED:
        return
    before_it = turns[number - 1]
    is_answer = bool(offered_items(before_it)) or any(one.endswith("?") for one in before_it.closing[-1:])
    for found in _set_in(turn.text, is_answer=is_answer):
        value, unit = _digits(found["number"]), (found["unit"] or "").lower()
        between = found.groupdict().get("between") or ""
        if value != found["number"] and not unit and not _SET_TO.search(f" {between}"):
            continue
        # Without its unit, the agent's answer tells what was set, or what was said before.
        said = next((one for one in _values(" ".join(turn.closing)) if _digits(one["number"]) == value), None)
        kind = _kind(found) or (_kind(said) if said is not None else "")
        about = stems(between)
        before = list(_said_before(number, found.start(), turns, about))
        is_bare = not _kind(found) and (not between or _SET_TO.search(f" {between}") is not None)
        found_old = next((one for one in before if _is_other(one[0], kind, value)), None)
        if found_old is None and is_bare:
            found_old = next((one for one in before if _is_lone(one[0], turns[number - 1])), None)
        if found_old is None or found_old[1]:
            continue
        old = found_old[0]
        if (some := _FOR_SOME.match(turn.text, found.end())) and not stems(some[0]) <= stems(old.string):
            continue  # "Make it 300 for partners": for others it stays.
        new = f"{found['number']} {unit}".strip() if _kind(found) else said[0] if said is not None else ""
        new = new or f"{found['number']} {old['unit'] or ''}".strip()
        if _digits(old["number"]) != value:
            yield ValueChange(number, _digits(old["number"]), _kind(old), new)


def _set_in(text: str, *, is_answer: bool) -> Iterator[re.Match[str]]:
    """The values that a message sets, with or without a word that says so."""
    # A number alone picks one of what was offered, or answers a question.
    spans = () if is_answer else sentence_spans(text)
    found = [one for span in spans for way in _PUTS_RIGHT if (one := way.search(span.of(text)))]
    if found:
        yield found[0]
        return
    for one in _SETS.finditer(text):
        yield one
        # "5 times, and 30 seconds" sets two.
        if (more := _SETS_TOO.match(text, one.end())) is not None and one["unit"]:
            yield more


def _is_lone(found: re.Match[str], before: StoryTurn) -> bool:
    """Whether a number without a unit can only be said of it: nothing else was named right before."""
    said = [one for text in before.closing for one in _values(text)]
    is_one = len({(_digits(one["number"]), _kind(one)) for one in said}) == 1
    return is_one and found[0] == said[0][0] and _kind(found) != _CLOCK


def _is_proposed(sentence: str) -> bool:
    """Whether an agent only says what could be: that was never so."""
    return sentence.endswith("?") or cues.PROPOSES.search(sentence) is not None


def _said_before(
    number: int, start: int, turns: Sequence[StoryTurn], about: frozenset[str]
) -> Iterator[tuple[re.Match[str], bool]]:
    """The values that were named before, the last first, and whether they were only proposed: those of what the user
    speaks of, where they name it."""
    said = [span.of(turns[number].text[:start]) for span in sentence_spans(turns[number].text[:start])]
    yield from ((one, False) for text in reversed(said) for one in reversed(_settings(text)))
    for turn in reversed(turns[:number]):
        ways = " ".join(offered_items(turn).values()) if offers_ways(turn) else ""
        # A plan that is refused at once never was.
        is_last = turn is turns[number - 1]
        never = set(filter(plans, refused(turn.closing, turns[number].text))) if is_last else set[str]()
        for sentence in [*reversed(turn.closing), turn.text]:
            if sentence not in never and (not about or not about.isdisjoint(stems(sentence))):
                yield from (
                    (one, sentence is not turn.text and (_is_proposed(sentence) or sentence in ways))
                    for one in reversed(_settings(sentence))
                )


def _settings(text: str) -> tuple[re.Match[str], ...]:
    """The values of a text, but for those that somebody measured: nobody had set them."""
    return tuple(one for one in _values(text) if not _is_measured(text, one))


def _is_measured(text: str, value: re.Match[str]) -> bool:
    """Whether the clause of a value tells how long or how much something took, and not what it is set to."""
    begins = max(text.rfind(mark, 0, value.start()) for mark in ";:,(–—") + 1
    ends = min((at for mark in ";:,)–—" if (at := text.find(mark, value.end())) >= 0), default=len(text))
    clause = text[begins:ends]
    return _MEASURES.search(clause) is not None and _SETS_IT.search(clause) is None


def _wished(text: str) -> list[re.Match[str]]:
    """The values of a text, but for those in a report of trouble, and in a question how it is."""
    said = [(span, span.of(text)) for span in sentence_spans(text)]
    spans = [span for span, one in said if _reports_trouble(one) or _ASKS_HOW_IT_IS.search(one)]
    return [one for one in _values(text) if not any(span.start <= one.start() < span.end for span in spans)]


def _reports_trouble(said: str) -> bool:
    return _TROUBLE.search(said) is not None and not is_task(as_task(said)) and _SETS_IT.search(said) is None


@lru_cache(maxsize=4096)  # Each sentence may be looked into for every value that is set after it.
def _values(text: str) -> tuple[re.Match[str], ...]:
    return tuple(found for found in _VALUE.finditer(text) if _kind(found))


def _kind(found: re.Match[str]) -> str:
    """What is counted, or that it is a time of the day; nothing of a bare number."""
    unit = (found["unit"] or "").lower()
    return _CLOCK if ":" in found["number"] or unit in _OF_DAY else _SHORT.get(unit, stem(unit)) if unit else ""


def _is_other(found: re.Match[str], unit: str, number: str) -> bool:
    return _kind(found) == unit and _digits(found["number"]) != number


def _in_the_end(change: ValueChange, later: Sequence[ValueChange]) -> ValueChange | None:
    """A change with the value of the last one; None where it came back to what it was."""
    for one in later:
        if one.is_in(change.new):
            change = replace(change, new=one.new)
    return None if change.is_in(change.new) else change


def _digits(number: str) -> str:
    return _DIGITS.get(number.lower(), number)


# --- wishes that were put right ---------------------------------------------------------------------------------------


def correction_of(tasks: Sequence[StoryTask], turns: Sequence[StoryTurn]) -> StoryTask | None:
    """The wish that puts the first one right, in the end; None when none does."""
    first = stems(tasks[0].text) if tasks else frozenset[str]()
    for task in reversed(tasks[1:]):
        turn, found = turns[task.turn], stems(task.text)
        shared = len(first & found)
        # Who says that this was it puts nothing right.
        is_short = len(turn.text.split()) <= _CORRECTION_WORDS and not (_ASKS.search(task.text) or confirms(turn.text))
        # Who answers a question puts nothing right.
        asked = turns[task.turn - 1].closing[-1:] if task.turn else []
        is_answer = any(one.endswith("?") for one in asked) and cues.REFUSES.match(turn.text) is not None
        is_start = cues.CORRECTS.match(turn.text) is not None and shared >= 1 and not is_answer
        is_meant = is_start or (cues.NARROWS.search(turn.text) is not None and shared >= _SAME and not is_answer)
        if turn.via is Via.TYPED and is_short and not task.bare and is_meant and shared >= _SHARE * len(found):
            return task
    return None


def without_corrected(text: str, correction: str) -> str:
    """A wish without the details that were put right later; its first part always stays."""
    head, *parts = _PARTS.split(text)
    gone = stems(correction)
    kept = [f"{by}{part}" for by, part in zip(parts[::2], parts[1::2], strict=True) if gone.isdisjoint(stems(part))]
    return "".join([head, *kept])


def is_corrected(text: str, wish: str, correction: str) -> bool:
    """Whether a sentence tells of what was put right: of what the wish and its correction have in common."""
    return len(stems(text) & stems(wish) & stems(correction)) >= _SAME
