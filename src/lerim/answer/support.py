"""Whether a record really answers a question. Pure.

A question names things and asks for something. A record that is merely about the same subject is no answer: it must
name what the question names, hold the sort of thing that is asked for, and be near enough in meaning or words.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cached_property

from lerim.answer.focus import Asked, Focus, names_in
from lerim.answer.kindred import is_meant, one_of_its_sort
from lerim.answer.tongues import is_same_word
from lerim.answer.words import SMALL
from lerim.dataclass import dataclass
from lerim.search.ranking import answers
from lerim.search.terms import terms
from lerim.text.stems import stem
from lerim.text.words import pieces, spelled

#: What a record must reach: its nearness in meaning, and a share of its words. Chosen, as the penalties below, on the
#: tuning half of the questions in evals/answer_corpus.py.
NEAR = 0.54
#: How many records there were when it was chosen.
MEASURED = 112
_WORDS = 0.2
#: And the share that stands there by this word or another.
_MEANT = 0.25
#: What must be reached beyond that for each name, and for the asked-for thing, that the record does not have.
NAME_MISSING = 0.25
NOUN_MISSING = 0.25
#: What is not needed when a record's own date is asked for, or the reason for something that it names: every record
#: has the one, and is there for the other, so the subject is all that counts.
_EASE = 0.12
#: How much of the question must stand in the summary of a session, which speaks of many things.
_HISTORY_COVERED = 0.5
#: How much of the question's telling words must stand in a record whose meaning is not known.
COVERED = 0.55


@dataclass(frozen=True)
class ParsedQuestion:
    """A question, taken apart once."""

    text: str
    focus: Focus

    @cached_property
    def terms(self) -> list[str]:
        """Its telling terms, each once."""
        asked = _PAST.sub(" ", self.text) if self.is_of_past else self.text
        asked = _OF_ITS_SORT.sub(lambda found: found[found.lastgroup or 0], asked)
        # Of a name such as `httpOnly` all of it, once.
        if self.focus.asked is Asked.REASON:
            asked = _CHOSEN_OR_LEFT.sub(" ", asked)
        if self.focus.asked is Asked.TIME:
            asked = _DONE_ONCE.sub(" ", asked)
        asked = _WHICH_RUNS.sub(r"\1", asked)
        asked = _COMPARES.sub(" ", _IS_CALLED.sub(" ", asked))
        found = list(dict.fromkeys(terms(word)[-1] for word in pieces(_LIGHT_DEED.sub(" ", asked))))
        return [term for term in found if term not in LITTLE] or found

    @cached_property
    def said(self) -> frozenset[str]:
        """All that it says itself."""
        return frozenset(terms(self.text)) - SMALL

    @cached_property
    def is_bare_why(self) -> bool:
        """Whether it asks for the reason of one thing: then what is decided must be that thing."""
        return self.is_why_of_one and _CHOSEN_OR_LEFT.search(self.text) is None

    @property
    def is_why_of_one(self) -> bool:
        """Whether it asks why of one thing, or why that was left."""
        return self.focus.asked is Asked.REASON and len(self.terms) == 1

    @cached_property
    def is_of_today(self) -> bool:
        """Whether it asks if something still holds."""
        return _STILL.search(self.text) is not None

    @cached_property
    def is_of_past(self) -> bool:
        """Whether it asks how something was before."""
        return _WAS.search(self.text) is not None and _PAST.search(self.text) is not None

    @property
    def is_of_the_first(self) -> bool:
        """Whether it asks for how something was in the very beginning."""
        return self.is_of_past and _FIRST.search(self.text) is not None

    @property
    def is_yes_or_no(self) -> bool:
        """Whether it asks if something is so, or may be done."""
        return _YES_OR_NO.match(self.text) is not None

    @cached_property
    def asks_what_may_be(self) -> bool:
        """Whether it asks what may be done, or has to be: only what somebody ruled tells."""
        return _WHAT_MAY.match(self.text) is not None

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The two things of which one is asked for: "tabs or spaces"; none in any other question."""
        found = _EITHER.search(self.text)
        return tuple(terms(one)[-1] for one in found.groups() if terms(one)) if found is not None else ()

    @cached_property
    def asks_how_it_is(self) -> bool:
        """Whether it asks what, where, which or how something is: what was only ordered, or is a heading, is no
        answer."""
        return _HOW_IT_IS.match(self.text) is not None

    @property
    def measured(self) -> frozenset[str]:
        """Its terms that only name the sort of value that is asked for."""
        return self.focus.measured

    def is_said(self, term: str, words: Set[str]) -> bool:
        """Whether words speak of what a term of it says; another of its own terms does not stand for that."""
        if self.has_parts(term, words):
            return True
        if self._denies and any(f"{no}{term}" in words for no in ("mis", "un", "in", "dis")):
            return True  # What does not match is a mismatch.
        return is_same_word(term, words) or is_meant(term, words - set(self.terms))

    def has_parts(self, term: str, words: Set[str]) -> bool:
        """Whether words have all parts of a name in code: `DefaultAgentKind` speaks of the `AgentKind`."""
        parts = self._parts.get(term)
        return parts is not None and parts.issubset(words)

    @cached_property
    def _parts(self) -> dict[str, frozenset[str]]:
        """The parts of its names in code, by their whole."""
        names = (terms(word) for word in pieces(self.text))
        return {name[-1]: frozenset(name[:-1]) for name in names if len(name) > 1}

    @cached_property
    def _denies(self) -> bool:
        return _DENIES.search(self.text) is not None

    @property
    def asks_value(self) -> bool:
        """Whether it asks for a value, a thing of a name or a place."""
        return self.focus.is_visible

    @property
    def asks_value_by_name(self) -> bool:
        """Whether it asks for a value by what that is called: "which ttl", "what is `MAX_RETRIES`"."""
        return self.focus.is_value_named or self._identifier is not None

    def has_value(self, text: str) -> bool:
        """Whether a text has a value of what is called so; of a name in code, right beside it."""
        if self._identifier is None:
            return self.focus.has_figure(text, self.said)
        return re.search(rf"(?i){re.escape(self._identifier)}{_IS_SET}", text) is not None

    @cached_property
    def _identifier(self) -> str | None:
        """The name in code whose value is asked for."""
        found = _WHAT_IS_NAMED.match(self.text)
        return found["name"] if found is not None else None

    def gives_value(self, text: str) -> bool:
        """Whether a text has a value of the sort that is asked for, which the question has not."""
        return self.focus.gives_value(text, self.text)

    @cached_property
    def names(self) -> list[str]:
        return names_in(self.text)


#: "What is the `MAX_RETRIES` of the importer set to?"
_WHAT_IS_NAMED = re.compile(
    r"\W*(?i:what(?:['’]?s| is| are| was)?|which value (?:has|does)) (?:(?i:the|our|default|value|of|for) |[a-z]+ )*?"
    r"[`'\"]?(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b"
)
#: How a value stands behind the name.
_IS_SET = (
    r"[`'\"]?\)?(?: (?:constant|variable|setting|value|limit))?"
    r"(?: ?(?:==?|:=|:|→|->|=>|to|at|by default)| (?:is|are|was|stays?|becomes?|goes|changed|raised|lowered|set)\b"
    r"(?: (?:now|set|still|to|at|from \S+ to|back to|down to|up to))*)"
    r" ?(?:[`'\"]\w|[~<>=]*\d|true\b|false\b)"
)
_HOW_IT_IS = re.compile(
    r"\W*(?:(?:so|and|but|ok|hey)[ ,]+)*(?:where\b|which\b|who\b"
    r"|how (?!(?:(?:do|can|should|could|would) (?:i|we|you|one)|to)\b)"
    r"|what(?! (?:did|do|should|must|have|had) (?:i|we|you)\b)\b)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"([\w.+#-]+),? or (?:the |an? |in |with |by |as )?([\w.+#-]+)", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)
_WHAT_MAY = re.compile(
    r"\W*(?:(?:so|and|but|ok|hey)[ ,]+)*(?:what|which \w+) (?:(?:may|must)|(?:can|should)(?= (?:be|i|we)\b)"
    r"|(?:is|are) (?:allowed|permitted|forbidden))\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"\W*(?:(?:so|and|but|ok|hey)[ ,]+)*(?:can|may|could|should|must|do|does|did|are|is|was|were|have|has|am)\b",
    re.IGNORECASE,
)
#: "Can I add a submodule?" asks of submodules, whatever would be done with one.
_LIGHT_DEED = re.compile(
    r"(?:(?<=\bi )|(?<=\bwe ))"
    r"(?:add|use|have|put|do|get|(?:move|switch|go|migrate|change|upgrade)(?= (?:over )?to\b))(?= )"
    r"|\b(?:allowed|permitted|supposed)\b(?: to (?:add|use|have)\b)?"
    r"|\b(?:mean|stand for)(?=\W*$)",
    re.IGNORECASE,
)
#: What only says of which sort a thing is that stands beside it: "exit code 3", "a staff member", "the --dry flag".
_OF_ITS_SORT = re.compile(
    r"\b(?P<number>(?i:exit|error|status|return)) codes?\b|\b(?P<group>(?i:staff|team|crew|board)) members?\b"
    r"|(?P<name>--\w[\w-]*|\b\w*(?:[a-z][A-Z]|_|[A-Z]{2})\w*) (?:flag|option|variable|setting|parameter)s?\b"
)
#: "Which browser runs on the kiosks?" asks for a browser, whatever it does there.
_WHICH_RUNS = re.compile(
    r"^(\W*(?:which|what) \w+(?: \w+)?) (?:runs?|serves?|powers?|drives?|is used|are used)"
    r"(?= (?:on|in|for|at|our|the)\b)",
    re.IGNORECASE,
)
#: "When do we build the map?" is told by what it comes after.
_DONE_ONCE = re.compile(r"(?<=\bwe )(?:build|make|start|begin|introduce|tackle|finish|look(?: at| into)?)(?= )", re.I)
#: Who asks why somebody did so asks of the thing.
_CHOSEN_OR_LEFT = re.compile(
    r"(?<=\bwe )(?:leave|drop|abandon|ditch|replace|stop using|give up|get rid of|move away from|move off|reject|refuse"
    r"|turn down|go with|switch to|move to)(?= )|\b(?:root )?caused?\b|\bculprit\b",
    re.IGNORECASE,
)
#: Who asks how two things differ asks of the two.
_COMPARES = re.compile(r"\b(?:differen(?:ces?|t)|differs?|distinctions?|compared?|comparison)\b(?= |$)", re.IGNORECASE)
_IS_CALLED = re.compile(r"(?<=\w )(?:called|named)(?=\W*$)", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|did|had|used|what['’]?s the (?:old|first|original|initial))\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:first|original\w*|initial\w*|beginning|begin with|start with)\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:at first|original(?:ly)?|initial(?:ly)?|in the beginning|to (?:begin|start) with|previous(?:ly)?"
    r"|former(?:ly)?|earlier|used to (?:be|have|use)|(?:before|at the start)(?=\W*$)"
    r"|before (?:that|it changed|the change)|(?<=the )(?:old|first|last)(?= [a-z]+(?: \w+)?\W*$))\b",
    re.IGNORECASE,
)
_STILL = re.compile(r"\b(?:still|any ?more|nowadays|these days|currently|no longer)\b", re.IGNORECASE)
_PLAIN_WORDS = """
currently now today still again new old way kind sort need needed want make made work works used happen happens happened
one next ever own set decide decided decision choose chose pick picked project team manager
"""
#: Words of questions that say little about their subject.
PLAIN = frozenset(map(stem, _PLAIN_WORDS.split()))
#: What goes wrong is called so everywhere: it joins no two sentences.
_TROUBLE_WORDS = (
    "fail failed failing failure error errors broken break breaks issue problem bug wrong work works fix fixed"
)
TROUBLE = frozenset(map(stem, _TROUBLE_WORDS.split()))
#: Terms that a sentence may have besides what is asked, and say no more.
LITTLE = SMALL | PLAIN


@dataclass(frozen=True)
class SupportVerdict:
    """How well a record supports an answer, and what is missing."""

    supported: bool
    why: str
    score: float
    #: Whether every word of the question stands there.
    has_all: bool = False


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
    meant = _meant(question, vocabulary)
    score, needed = (
        (covered, COVERED) if meaning is None else (meaning + _WORDS * covered + _MEANT * meant, _near(proposed))
    )
    problems = [f"does not name {name}" for name in question.names if not is_named(name, text, vocabulary)]
    needed += NAME_MISSING * len(problems) - (_EASE if _is_about_subject(question) and not problems else 0)
    is_seen = question.focus.is_told_by_look and question.focus.shows_only_in(text, question.said)
    is_told = is_seen or question.focus.is_named(vocabulary) or question.focus.is_version_in(text, question.terms)
    # One that the question names itself is not the one that it asks for.
    others = set(one_of_its_sort(question.terms)) - set(question.terms)
    if not is_told and vocabulary.isdisjoint(others):
        problems.append(f"says nothing of a {' '.join(question.focus.nouns)}")
        needed += NOUN_MISSING
    said = question.said
    if not question.focus.shows_in(text, said) or (proposed.is_history and not question.focus.shows_in_all(text, said)):
        return SupportVerdict(False, f"does not have {question.focus.thing}", score)
    if (
        question.is_bare_why
        and not proposed.is_history
        and not set(question.terms) & set(terms(text.partition("\n")[0]))
    ):
        return SupportVerdict(False, "is about something else, and only mentions it", score)
    if proposed.is_history and not _has_the_thing(question, vocabulary):
        return SupportVerdict(False, "tells a value of something else", score)
    if proposed.is_history and max(covered, meant) < _HISTORY_COVERED:
        return SupportVerdict(False, f"tells of a session with {max(covered, meant):.0%} of the words", score)
    why = "; ".join((f"support {score:.2f} of {needed:.2f} needed", *problems))
    return SupportVerdict(score >= needed, why, score, all(term in vocabulary for term in question.terms))


def _has_the_thing(question: ParsedQuestion, vocabulary: set[str]) -> bool:
    """Whether the thing stands there whose value is asked for, and not just a value of that sort."""
    things = [term for term in question.terms if term not in question.measured]
    if len(things) in (0, len(question.terms)):
        return True
    named = sum(is_meant(term, vocabulary) for term in things)
    return named >= _HISTORY_COVERED * len(things) and not vocabulary.isdisjoint(things)


def _near(proposed: MatchedText) -> float:
    """How near a record must be. Of a few records, hardly one is near by chance: less has to be asked of it."""
    return NEAR - max(answers(MEASURED) - answers(proposed.among), 0.0)


def _is_about_subject(question: ParsedQuestion) -> bool:
    if question.focus.asked is Asked.REASON:
        return bool(question.names) and "why" in question.text.lower()
    return question.focus.asked in (Asked.DAY, Asked.SPEAKER)


def _coverage(question: ParsedQuestion, vocabulary: set[str]) -> float:
    return sum(term in vocabulary for term in question.terms) / max(len(question.terms), 1)


def _meant(question: ParsedQuestion, vocabulary: set[str]) -> float:
    """How much of a question's words stand in a record, or others for them."""
    meant = sum(is_meant(term, vocabulary) or is_same_word(term, vocabulary) for term in question.terms)
    return meant / max(len(question.terms), 1)


def is_named(name: str, text: str, vocabulary: set[str]) -> bool:
    """Whether a text has a name, or one that begins with it: Postgres and PostgreSQL."""
    named = set(terms(name)) & vocabulary
    # Of a figure all of it: 1e-8 is not 1e-10.
    if named and (not name[0].isdigit() or named == set(terms(name))):
        return True
    bare = name.lower().removesuffix("'s").removesuffix("’s")
    return len(bare) >= 4 and any(
        # Several of what is short in capitals: GPUs.
        word.startswith(bare) or bare == f"{word}s" or (len(word) >= 4 and bare.startswith(word))
        for word in map(str.lower, spelled(text))
    )
