"""Whether a record really answers a question. Pure.

A question names things and asks for something. A record that is merely about the same subject is no answer: it must
name what the question names, hold the sort of thing that is asked for, and be near enough in meaning or words.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property

from lerim.answer.words import SMALL
from lerim.dataclass import dataclass
from lerim.search.ranking import answers
from lerim.search.terms import terms
from lerim.text.stems import stem
from lerim.text.words import spelled

#: What a record must reach: its nearness in meaning, and a share of its words. Chosen, as the penalties below, on the
#: tuning half of the questions in evals/answer_corpus.py.
NEAR = 0.42
#: How many records there were when it was chosen.
MEASURED = 112
_WORDS = 0.2
#: What must be reached beyond that for each name, and for the asked-for thing, that the record does not have.
NAME_MISSING = 0.2
NOUN_MISSING = 0.2
#: What is not needed when a record's own date is asked for, or the reason for something that it names: every record
#: has the one, and is there for the other, so the subject is all that counts.
_EASE = 0.12
#: How much of the question must stand in the summary of a session, which speaks of many things.
_HISTORY_COVERED = 0.5
#: How much of the question's telling words must stand in a record whose meaning is not known.
COVERED = 0.55


class Asked(Enum):
    """What sort of thing a question asks for."""

    ANYTHING = "no particular sort of thing"
    REASON = "a reason"
    PERSON = "a person or team"
    TIME = "a time or duration"
    DURATION = "a duration"
    NUMBER = "a number"
    MONEY = "an amount of money"
    THING = "a thing of a name"
    DAY = "the day of a decision or learning"
    SPEAKER = "whoever said so"
    COMMAND = "a command"


_UNITS = r"(?:milli)?seconds?|ms|minutes?|hours?|days?|nights?|weeks?|months?|quarters?|years?"
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    "|hundred|thousand|million|half|third|once|twice|single|both"
)
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
#: What a record must show to hold the sort of thing that is asked for.
_SHOWS = {
    Asked.PERSON: re.compile(
        r"@\w|\b(?i:teams?|person|people|somebody|colleagues?|owners?|advis[eo]rs?|sales|ops|developers?|engineers?"
        r"|maintainers?|reviewers?|legal|finance|managers?)\b"
        # A name of a person looks like any other; what stands beside it tells.
        r"|\b(?:by|but|with|from|ask|told) [A-Z][a-z]+\b"
        r"|\b[A-Z][a-z]+ (?:asks?|asked|said|says|showed|wants?|wanted|owns|leads|wrote|maintains|insists|from)\b"
    ),
    Asked.TIME: re.compile(
        rf"\b(?:{_UNITS}|{_DAYS}|noon|midnight|every|each|daily|nightly|hourly|weekly|monthly|yearly|once|twice|weekends?"
        r"|mornings?|at once|immediately|times|retries|attempts|\d{1,2}:\d\d|\d{4}-\d\d)\b",
        re.I,
    ),
    Asked.DURATION: re.compile(rf"\b(?:{_UNITS}|at once|immediately|forever|\d{{1,2}}:\d\d)\b", re.I),
    Asked.NUMBER: re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.I),
    Asked.MONEY: re.compile(
        r"[€$£]|\b(?:euros?|cents?|dollars?|pounds?|percent|prices?|priced?|costs?|free|charged?|fees?|paid)\b", re.I
    ),
}
# A command is worth saying where it stands; a way of doing something may well be told without one.
_COMMAND = re.compile(
    r"`[a-z][\w-]*(?: [^`]*)?`|(?:^|\s)\$ \S"
    r"|\b(?:p?npm|yarn|cargo|docker|uv|pip|make|just|go) (?:run|test|build|install|start|compose|exec|add|dev|lint)\b"
)
_AUXILIARY_WORDS = (
    "is are was were do does did can could may might must should shall will would has have had be been am"
)
_AUXILIARY = frozenset(_AUXILIARY_WORDS.split())
_SAID = (
    r"said|says|decided|wanted|wants|asked|told|chose|insisted|suggested|proposed|made the (?:call|decision)|came up"
)
_DO = r"run|start|build|test|deploy|install|lint|format|launch|execute|compile|release|publish|set up|seed|reset|debug"
_AMOUNT = r"(?:price|bill|wage|salary|budget|discount|fee)"
_TIME_WORDS = r"(?:time|hour|day|weekday|date)"
_QUESTIONS = (
    (
        Asked.REASON,
        re.compile(
            r"\bwhy\b|\bhow come\b|\breasons?\b|\broot cause\b"
            r"|\bwhat (?:cause[sd]?|broke|went wrong|made (?:us|you|them|me))\b"
            r"|\bhow (?:did|could|can) .*\b(?:happen|occur|come about|go wrong)\b"
        ),
    ),
    (Asked.SPEAKER, re.compile(rf"^(?:and )?who(?:se)? (?:idea|word|{_SAID})\b")),
    (
        Asked.COMMAND,
        re.compile(rf"\b(?:how (?:do|can|should|would) (?:i|you|we|one) (?:{_DO})|(?:what|which) command)\b"),
    ),
    (Asked.PERSON, re.compile(r"\bwho(?:se|m)?\b(?! they are)")),
    (Asked.DURATION, re.compile(r"\bhow (?:long|old)\b(?! ago)")),
    (
        Asked.TIME,
        re.compile(
            r"\bhow (?:often|soon|fast|slow|quick)|^(?:and )?(?:(?:since|by|until) )?when\b"
            # "Which date library" and "what time zone" ask for a thing.
            rf"|\b(?:what|which) {_TIME_WORDS}s?(?=$| (?:{'|'.join(_AUXILIARY_WORDS.split())}|of|for|in|on|at)\b)"
            r"|\blatest (?:hour|time)\b"
        ),
    ),
    (
        Asked.MONEY,
        re.compile(rf"\bhow much .*\b(?:cost|pay|charge)|\b{_AMOUNT} (?:of|for|do|does|is)\b|ly {_AMOUNT}\b"),
    ),
)
_HOW_MANY = re.compile(r"\bhow (?:many|much)\s+(?P<rest>[\w -]+)")
_WHICH = re.compile(r"\b(?P<word>which|what)\s+(?P<rest>[\w -]+)")
_WHAT_IS = re.compile(
    r"\bwhat(?:'s| is| are| was| were) (?:the|our|its|their) (?P<rest>[\w -]+?)"
    r"(?= (?:of|for|on|in|at|from|to|when|that|we|do|does|did)\b|$)"
)
_END_WORDS = "of for on in at from to with between we i you the our a an that"
_ENDS = frozenset(_END_WORDS.split()) | _AUXILIARY
# A name of one will do for these; the word itself need not stand in the record.
_SORT_WORDS = """
tool service provider package library framework language engine database format company broker standard platform system
way sort kind type program software product vendor style approach thing technology host server level operation step rule
reason fraction share percentage part component technique method mechanism convention setup option solution place
protocol latency resolution amount
"""
_SORTS = frozenset(map(stem, _SORT_WORDS.split()))
#: Things that are numbers.
_NUMBER_NOUNS = "version release port number size limit threshold"
_NUMBERED = frozenset(map(stem, _NUMBER_NOUNS.split()))


@dataclass(frozen=True)
class Focus:
    """What a question asks for: a sort of thing, and the nouns it goes by."""

    asked: Asked = Asked.ANYTHING
    nouns: tuple[str, ...] = ()

    def describe(self) -> str:
        return f"asked for: {self.asked.value}" + (f" ({' '.join(self.nouns)})" if self.nouns else "")

    def shows_in(self, text: str) -> bool:
        """Whether a text holds anything of the sort."""
        shows = _SHOWS.get(self.asked)
        return shows is None or shows.search(text) is not None

    def shows_in_all(self, text: str) -> bool:
        """Whether a text holds the sort of thing, or none is asked for that could be seen."""
        return self.asked not in (*_SHOWS, Asked.COMMAND) or self.shows_only_in(text)

    def shows_only_in(self, text: str) -> bool:
        """Whether a text holds the sort of thing, and not every text does."""
        if self.asked is Asked.COMMAND:
            return _COMMAND.search(text) is not None
        return self.asked in _SHOWS and self.shows_in(text)

    def is_named(self, vocabulary: set[str]) -> bool:
        """Whether one of the nouns is among the terms of a text: "memory limit" is there when a limit is."""
        return not self.nouns or any(set(terms(noun)) & vocabulary or stem(noun) in _SORTS for noun in self.nouns)


def find_focus(question: str) -> Focus:
    """What a question asks for."""
    text = question.lower().strip(" ?!.")
    for asked, pattern in _QUESTIONS:
        if pattern.search(text):
            return Focus(asked)
    if match := _HOW_MANY.search(text):
        return Focus(Asked.NUMBER, _nouns(match["rest"], plural=True))
    if match := _WHAT_IS.search(text):
        return _thing((match["rest"].split()[-1],))
    if match := _WHICH.search(text):
        return _thing(_nouns(match["rest"], plural=match["word"] == "which"))
    return Focus()


def _thing(nouns: tuple[str, ...]) -> Focus:
    if not nouns:
        return Focus()
    return Focus(Asked.NUMBER if any(stem(noun) in _NUMBERED for noun in nouns) else Asked.THING, nouns)


def _nouns(rest: str, *, plural: bool) -> tuple[str, ...]:
    """What stands between "which" and the verb: its last word, or the first two when the verb is not told apart."""
    words = rest.split()
    ends = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    if 0 < ends <= 3 and words[ends : ends + 1] and words[ends] in _AUXILIARY:
        return (words[ends - 1],)
    # "Which package produces our logs" names a thing; "what went wrong with it" and "what checks our images" do not.
    return tuple(words[: min(2, ends)]) if plural else ()


def names_in(question: str) -> list[str]:
    """The names that a question speaks of: words with a capital or a digit inside, other than its first."""
    words = spelled(question)
    return [word for at, word in enumerate(words) if _is_name(word, first=at == 0)]


def _is_name(word: str, *, first: bool) -> bool:
    bare = word.removesuffix("'s").removesuffix("’s")
    if bare == "I" or bare.startswith(("I'", "I’")):
        return False
    return (bare[0].isupper() and not first) or any(c.isupper() for c in bare[1:]) or any(c.isdigit() for c in bare)


@dataclass(frozen=True)
class ParsedQuestion:
    """A question, taken apart once."""

    text: str
    focus: Focus

    @cached_property
    def terms(self) -> list[str]:
        """Its telling terms, each once."""
        found = list(dict.fromkeys(terms(self.text)))
        return [term for term in found if term not in SMALL and term not in PLAIN] or found

    @cached_property
    def is_bare_why(self) -> bool:
        """Whether it asks for the reason of one thing: then what is decided must be that thing."""
        return self.focus.asked is Asked.REASON and len(self.terms) == 1

    @cached_property
    def is_of_today(self) -> bool:
        """Whether it asks if something still holds."""
        return _STILL.search(self.text) is not None

    @cached_property
    def names(self) -> list[str]:
        return names_in(self.text)


_STILL = re.compile(r"\b(?:still|any ?more|nowadays|these days|currently|no longer)\b", re.IGNORECASE)
_PLAIN_WORDS = """
currently now today still again new old way kind sort need needed want make made work works used happen happens happened
ever own set decide decided decision choose chose pick picked project team
"""
#: Words of questions that say little about their subject.
PLAIN = frozenset(map(stem, _PLAIN_WORDS.split()))


@dataclass(frozen=True)
class SupportVerdict:
    """How well a record supports an answer, and what is missing."""

    supported: bool
    why: str
    score: float


@dataclass(frozen=True)
class MatchedText:
    """A record as it is judged: its text, and what the search says of it; None where that is not known."""

    text: str
    meaning: float | None = None
    coverage: float | None = None
    #: Of how many records it is the nearest.
    among: int = MEASURED
    #: Whether it tells what happened in a session, not what holds.
    is_history: bool = False

    @cached_property
    def vocabulary(self) -> set[str]:
        return set(terms(self.text))


def judge(question: ParsedQuestion, proposed: MatchedText) -> SupportVerdict:
    """Whether a record answers a question."""
    text, vocabulary, meaning = proposed.text, proposed.vocabulary, proposed.meaning
    covered = _coverage(question, vocabulary) if proposed.coverage is None else proposed.coverage
    score, needed = (covered, COVERED) if meaning is None else (meaning + _WORDS * covered, _near(proposed))
    problems = [f"does not name {name}" for name in question.names if not is_named(name, text, vocabulary)]
    needed += NAME_MISSING * len(problems) - (_EASE if _is_about_subject(question) and not problems else 0)
    if not question.focus.is_named(vocabulary):
        problems.append(f"says nothing of a {' '.join(question.focus.nouns)}")
        needed += NOUN_MISSING
    if not question.focus.shows_in(text) or (proposed.is_history and not question.focus.shows_in_all(text)):
        return SupportVerdict(False, f"mentions no {question.focus.asked.value.split(maxsplit=1)[1]}", score)
    if question.is_bare_why and not set(question.terms) & set(terms(text.partition("\n")[0])):
        return SupportVerdict(False, "is about something else, and only mentions it", score)
    if proposed.is_history and covered < _HISTORY_COVERED:
        return SupportVerdict(False, f"tells of a session with {covered:.0%} of the words", score)
    why = "; ".join((f"support {score:.2f} of {needed:.2f} needed", *problems))
    return SupportVerdict(score >= needed, why, score)


def _near(proposed: MatchedText) -> float:
    """How near a record must be. Of a few records, hardly one is near by chance: less has to be asked of it."""
    return NEAR - max(answers(MEASURED) - answers(proposed.among), 0.0)


def _is_about_subject(question: ParsedQuestion) -> bool:
    if question.focus.asked is Asked.REASON:
        return bool(question.names) and "why" in question.text.lower()
    return question.focus.asked in (Asked.DAY, Asked.SPEAKER)


def _coverage(question: ParsedQuestion, vocabulary: set[str]) -> float:
    return sum(term in vocabulary for term in question.terms) / max(len(question.terms), 1)


def is_named(name: str, text: str, vocabulary: set[str]) -> bool:
    """Whether a text has a name, or one that begins with it: Postgres and PostgreSQL."""
    if set(terms(name)) & vocabulary:
        return True
    bare = name.lower().removesuffix("'s").removesuffix("’s")
    return len(bare) >= 4 and any(
        word.startswith(bare) or (len(word) >= 4 and bare.startswith(word)) for word in map(str.lower, spelled(text))
    )
