"""A line of text → what it asserts: its verb, its phrases and what joins each of them, denied or not. Pure.

No parser of a language stands behind this. Small words part a line into phrases, and what joins a phrase to the line
tells its part: what a rule is about, or what it says of that. Where the small words do not tell, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.text.common import DENIES
from lerim.text.grammar import (
    ADVERBS,
    AUXILIARIES,
    CONDITIONS,
    COPULAS,
    DETERMINERS,
    ENDING,
    FUNCTION_WORDS,
    JOINING,
    LIGHT,
    MODALS,
    NOUN_TOO,
    PREPOSITIONS,
    PRONOUNS,
    REFUSALS,
    SOFT,
    VERB_FORMS,
)
from lerim.text.quantities import Quantity, counted
from lerim.text.rewrites import plainly
from lerim.text.stems import stem
from lerim.text.words import words

#: Where a sentence parts.
BREAK = compile_later(r"[;()!?\n]|:(?!\d)|\.(?=\s|$)|,\s|\s-+\s|\s(?:→|->|=>)\s|\b(?:but|and then|whereas|while|so)\b")
_AND = compile_later(r"\band\s+(?=([\w'-]+))")
_EXCEPT = compile_later(
    r"\b(?:except(?:ing)?|apart from|aside from|other than|unless|but not|save for|with the exception of|excluding"
    r"|only if|only when|even|for instance|for example|such as)\b"
)
_OPEN = compile_later(
    r"\b(?:trying to|can you|could you|help me|make sure|want to (?:know|make|ensure|see)|thinking of|might|maybe)\b"
    r"|\b(?:i'm|i am|we're|we are) \w+ing\b|^\W*\w+ing the\b"
)
_OPEN_OBJECT = frozenset({"the", "a", "an", "our", "its", "their", "all", "every", "each"})
_HAVE = frozenset({"has", "have", "had", "hasn't", "haven't"})
_POSSIBLE = frozenset({"may", "can", "could", "might"})
_NO_FORM = "", ""
_SHORTEST_PARTICIPLE = 5


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand together, and what joins them to the line."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    #: The stems, and those of them that tell something.
    bag: frozenset[str]
    telling: frozenset[str]
    #: "subject", "object", "is", or the preposition before it.
    link: str
    #: Whether "the" or "our" stands before it: there is one of it.
    is_one: bool


@dataclass(frozen=True, slots=True)
class Assertion:
    """A part of a sentence that says one thing."""

    text: str
    phrases: tuple[Phrase, ...]
    verb: str
    quantities: tuple[Quantity, ...]
    #: Numbers that are part of a name: phase 14.
    names: frozenset[str]
    #: How many of its words deny.
    denials: int
    #: What it goes without, which denies that alone: "without asking".
    without: frozenset[str]
    #: Whether it begins with its verb: "use", "never use".
    is_order: bool
    has_modal: bool
    #: Whether that only says that it may be.
    is_possible: bool
    has_copula: bool
    #: Whether it limits what was said before it: "except in tests".
    is_exception: bool
    #: Whether it only asks, tries or wonders: "I'm trying to", "can you".
    is_open: bool
    #: All its stems; those of its phrases that tell something; these and the verb, unless it says little.
    bag: frozenset[str]
    nouns: frozenset[str]
    heavy: frozenset[str]

    @property
    def is_whole(self) -> bool:
        """Whether it says something by itself, and is no piece of another."""
        return bool(self.verb) or self.has_copula

    @property
    def is_denied(self) -> bool:
        return self.denials % 2 == 1

    @property
    def is_over(self) -> bool:
        """Whether what it speaks of has ended. What is removed after two weeks is there until then."""
        return self.verb in ENDING and not self.quantities and not self.linked(CONDITIONS)

    def linked(self, links: frozenset[str]) -> list[Phrase]:
        """The phrases that are joined so."""
        return [phrase for phrase in self.phrases if phrase.link in links]


def assertions(line: str) -> Iterator[Assertion]:
    """What a sentence asserts, part by part."""
    for clause in _clauses(plainly(line)):
        before: Assertion | None = None
        for piece in _pieces(clause):
            if (found := _assertion(piece)) is not None:
                before = _with_subject(found, before)
                yield before


def _with_subject(one: Assertion, before: Assertion | None) -> Assertion:
    """ "Is generated and committed": what is said second is said of the same."""
    first = words(one.text)[:1]
    if before is None or not before.has_copula or one.denials or not first or _form(first[0]) not in ("past", "either"):
        return one
    subject = tuple(phrase for phrase in before.phrases if phrase.link == "subject")
    told = frozenset(word for phrase in subject for word in phrase.telling)
    return replace(
        one,
        phrases=(*subject, *one.phrases),
        is_order=False,
        has_copula=True,
        bag=one.bag.union(*(phrase.bag for phrase in subject)),
        nouns=one.nouns | told,
        heavy=one.heavy | told,
    )


def is_content(word: str) -> bool:
    """Whether a word names something, and does not only join or deny."""
    return bool(word) and word not in FUNCTION_WORDS and word not in DENIES


def _clauses(line: str) -> Iterator[str]:
    """The clauses between the marks. "Long, detailed answers" is one: what stands behind the comma joins nothing."""
    at = 0
    for match in BREAK.finditer(line):
        if not (match[0].startswith(",") and _goes_on(line[match.end() :])):
            yield line[at : match.start()]
            at = match.end()
    yield line[at:]


def _goes_on(rest: str) -> bool:
    following = words(rest.partition(",")[0][:80])
    return 0 < len(following) <= 2 and all(
        is_content(word) and _form(word) not in ("base", "third") for word in following
    )


def _pieces(clause: str) -> Iterator[str]:
    """ "Get rid of it and use another": what follows says something of its own when it begins with a verb."""
    at = 0
    for match in _AND.finditer(clause):
        if match[1] in VERB_FORMS or match[1] in PRONOUNS or match[1] == "not":
            yield clause[at : match.start()]
            at = match.end()
    yield clause[at:]


def _assertion(piece: str) -> Assertion | None:
    line = counted(words(piece))
    found = line.words
    verb_at = _verb_place(found)
    phrases = tuple(_phrases(found, verb_at))
    verb = "" if verb_at is None or found[verb_at] in AUXILIARIES else _verb(found[verb_at])
    if not phrases and not line.quantities and not verb:
        return None
    nouns = frozenset(one for phrase in phrases for one in phrase.telling)
    is_heavy = verb and verb not in LIGHT and verb not in SOFT
    return Assertion(
        piece.strip(),
        phrases,
        verb,
        line.quantities,
        line.names,
        denials=sum(word in DENIES or VERB_FORMS.get(word, _NO_FORM)[0] in REFUSALS for word in found),
        without=_without(found),
        is_order=bool(verb) and all(not word or word in ADVERBS or word in DENIES for word in found[:verb_at]),
        has_modal=not MODALS.isdisjoint(found),
        is_possible=not _POSSIBLE.isdisjoint(found),
        has_copula=not COPULAS.isdisjoint(found),
        is_exception=_EXCEPT.search(piece) is not None,
        is_open=_OPEN.search(piece) is not None,
        bag=frozenset(one for phrase in phrases for one in phrase.stems) | ({verb} if verb else frozenset()),
        nouns=nouns,
        heavy=nouns | ({verb} if is_heavy else frozenset()),
    )


def _without(line: Sequence[str]) -> frozenset[str]:
    behind = line[line.index("without") + 1 :] if "without" in line else ()
    return frozenset(stem(word) for word in behind if is_content(word))


# -- the verb


def _verb(word: str) -> str:
    return stem(VERB_FORMS.get(word, (word, ""))[0])


def _form(word: str) -> str:
    return VERB_FORMS.get(word, _NO_FORM)[1]


def _verb_place(line: Sequence[str]) -> int | None:
    """Where the verb of a line stands: at the beginning of an order, behind an auxiliary, or behind the subject."""
    first = next((at for at, word in enumerate(line) if _is_telling(word)), None)
    if first is not None and _is_order(line, first):
        return first
    for at, word in enumerate(line):
        if word in AUXILIARIES:
            return _participle(line, at) or at
    return _finite(line, first or 0)


def _is_telling(word: str) -> bool:
    return bool(word) and not (word in ADVERBS or word in DENIES or word in PRONOUNS or word in MODALS)


def _is_order(line: Sequence[str], first: int) -> bool:
    """Whether a line begins with a verb. "Log lines are", "package manager": what is a name as well may be one."""
    has_other_verb = any(word in AUXILIARIES for word in line[first + 1 :]) or _finite(line, first + 1) is not None
    if _form(line[first]) == "past":
        return first == 0 and not has_other_verb  # "Moved the build to …": who did it goes without saying.
    if _form(line[first]) not in ("base", "either"):
        return False
    if line[first] not in NOUN_TOO:
        return True
    following = [word for word in line[first + 1 :] if word]
    return not has_other_verb and (len(following) > 1 or _following(line, first).endswith("s"))


def _participle(line: Sequence[str], at: int) -> int | None:
    """The verb that an auxiliary stands before, if there is one."""
    wanted = _wanted(line[at])
    for place in range(at + 1, len(line)):
        word = line[place]
        if word in COPULAS or word in _HAVE:
            wanted, at = _wanted(word), place  # "May be stored".
        if word and word not in AUXILIARIES and word not in ADVERBS and word not in DENIES and word not in PRONOUNS:
            return place if _form(word) in wanted or (line[at] in COPULAS and _is_participle(word)) else None
    return None


def _wanted(auxiliary: str) -> tuple[str, ...]:
    """The forms of the verb that it stands before."""
    return ("past", "either", "ing") if auxiliary in COPULAS or auxiliary in _HAVE else ("base", "either")


def _is_participle(word: str) -> bool:
    """Whether a word that nobody listed is one: "is versioned", "was abolished"."""
    return len(word) > _SHORTEST_PARTICIPLE and word.isalpha() and word.endswith("ed") and word not in VERB_FORMS


def _following(line: Sequence[str], at: int) -> str:
    return next((one for one in line[at + 1 :] if one and one not in ADVERBS), "")


def _finite(line: Sequence[str], start: int) -> int | None:
    """A verb behind a subject: "tests live", "the gateway sends"."""
    for at in range(max(start, 1), len(line)):
        before = next((one for one in reversed(line[:at]) if one and one not in ADVERBS), "")
        if line[at] in AUXILIARIES:
            return at
        if before and before not in DETERMINERS and before not in PREPOSITIONS and _is_finite(line, at, before):
            return at
    return None


def _is_finite(line: Sequence[str], at: int, before: str) -> bool:
    word, following = line[at], _following(line, at)
    match _form(word):
        case "third":
            # "Feature flags come", "unit tests in CI": a name of things.
            if following in AUXILIARIES or (_form(following) in ("base", "either") and _is_no_name(line, following)):
                return False
            return VERB_FORMS[word][0] not in NOUN_TOO or bool(following and following not in PREPOSITIONS)
        case "past":
            return _form(following) not in ("past", "third")
        case "base" | "either":
            # "Deploys to production need an approval".
            is_plural = word not in NOUN_TOO and line[0].endswith("s")
            # "A release does not wait", of which only "not" is left.
            return is_plural or before.endswith("s") or before in PRONOUNS or line[at - 1] in DENIES
        case _:
            # A verb that nobody listed, before its object: "the bus guarantees the order".
            return word.isalpha() and word.endswith("s") and at + 1 < len(line) and line[at + 1] in _OPEN_OBJECT


def _is_no_name(line: Sequence[str], word: str) -> bool:
    """Whether a verb is one where it stands: what may be a name as well is, unless a preposition follows."""
    return word not in NOUN_TOO or _following(line, line.index(word)) in PREPOSITIONS


# -- the phrases


def _phrases(line: Sequence[str], verb_at: int | None) -> Iterator[Phrase]:
    link = "object" if verb_at == 0 else "subject"
    held: list[str] = []
    is_one = False
    for at, word in enumerate(line):
        if (joins := _link(word, is_verb=at == verb_at)) is not None:
            if held:
                yield _phrase(held, link, is_one=is_one)
                held = []
            link, is_one = joins or link, word in ("the", "our")
        elif is_content(word):
            held.append(word)
    if held:
        yield _phrase(held, link, is_one=is_one)


def _phrase(held: Sequence[str], link: str, *, is_one: bool) -> Phrase:
    found = tuple(map(stem, held))
    bag = frozenset(found)
    return Phrase(tuple(held), found, bag, bag - SOFT, link, is_one)


def _link(word: str, *, is_verb: bool) -> str | None:
    """What a word makes of what follows: nothing new when it only parts, None when it goes on with the phrase."""
    if is_verb:
        return "is" if word in COPULAS else "object"
    if word in PREPOSITIONS or word in CONDITIONS:
        return "in" if word == "next" else word
    if word in AUXILIARIES:
        return "is"
    return "" if not word or word in JOINING or word in DENIES else None
