"""Whether a sentence says of one thing what the records say of another. Pure.

Each of its words may stand in a record and the sentence be false all the same: "SQLite is used for bookings" of one
that uses Postgres for bookings because SQLite locked. What a clause says must be said together, in one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lerim.text.backing import Clause, clauses_of
from lerim.text.common import STRONG, UNITS, UNIVERSAL
from lerim.text.folding import fold
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import words

# Where a sentence joins statements that stand for themselves. What a "because" joins is said together or not at all.
_JOIN = re.compile(r"(?<=\w)[;,]\s+(?:and\s+|but\s+)?|\s+(?:and|but|whereas)\s+", re.IGNORECASE)
_TURNED_DOWN_WORDS = "reject rejected rejects drop dropped abandon abandoned rule ruled against instead avoid not never"
_TURNED_DOWN = frozenset(map(stem, _TURNED_DOWN_WORDS.split()))
# Words that bound a statement: they are said, or the statement is another one.
_BOUNDS = {
    "ago": {"ago"},
    "before": {"before", "within", "until", "prior"},
    "except": {"except", "unless", "but", "apart"},
    "only": {"only", "alone", "just", "solely", "nothing", "sole"},
    "unless": {"unless", "except", "if"},
}
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_COUNTED = re.compile(r"\b(\d[\d.,]*)\s+([a-z]{3,})", re.IGNORECASE)


def parts_of(sentence: str) -> list[str]:
    """The statements that a sentence joins, each by itself."""
    return [part for part in map(str.strip, _JOIN.split(sentence)) if part]


def crossed(sentence: str, text: str) -> str | None:
    """What a sentence says of something else than a record does, in words; None when it says nothing so."""
    if sentence.rstrip().endswith("?"):
        return "an answer asks nothing"
    told = _told(text)
    clauses = list(clauses_of(fold(sentence)))
    problems = (
        _rebounded(sentence, told),
        _recounted(sentence, text),
        _taken_up(sentence, told),
        *(_renamed(clause, told) or _misnumbered(clause, told) for clause in clauses),
    )
    return next(filter(None, problems), None)


class _Told:
    """One sentence of a record."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = frozenset(words(text))
        clauses = list(clauses_of(text))
        self.stems = frozenset(one for clause in clauses for one in clause.stems)
        self.numbers = frozenset(_NUMBER.findall(text))
        self.names = frozenset(one for clause in clauses for one in clause.names)
        self.turns_down = any(clause.denied for clause in clauses) or not _TURNED_DOWN.isdisjoint(map(stem, self.words))


def _told(text: str) -> list[_Told]:
    """The sentences of a record. A name that begins one looks like any other word: what is a name in one is in all."""
    told = list(map(_Told, sentences(fold(text))))
    names = frozenset(name for one in told for name in one.names)
    for one in told:
        one.names |= names & one.stems
    return told


def _misnumbered(clause: Clause, told: Sequence[_Told]) -> str | None:
    """Whether a number is given to something of which the record tells another one."""
    subject = next((one for one in clause.stems if not one[:1].isdigit()), None)
    of_subject = [one for one in told if subject in one.stems]
    known = frozenset(number for one in of_subject for number in one.numbers)
    for number in _NUMBER.findall(clause.text):
        if known and number not in known and any(number in one.numbers for one in told):
            return f"{number} is not said of {subject}"
    return None


def _renamed(clause: Clause, told: Sequence[_Told]) -> str | None:
    """Whether a clause puts one name in the place of another: what else it says is said of that one alone."""
    # A name that begins a sentence looks like any other word.
    names = clause.names | frozenset(one for other in told for one in other.names & frozenset(clause.stems))
    about = frozenset(clause.stems) - names
    if len(about) > 1:
        names, about = names | _subject(clause, told), about - _subject(clause, told)
    best = max((len(about & one.stems) for one in told), default=0)
    nearest = [one for one in told if len(about & one.stems) == best] if best else []
    foreign = [one for one in nearest if names - one.stems and one.names - frozenset(clause.stems)]
    if nearest and len(foreign) == len(nearest):
        return f"it is said of {', '.join(sorted(foreign[0].names)[:3])}, not so in '{clause.text[:80]}'"
    return None


def _subject(clause: Clause, told: Sequence[_Told]) -> frozenset[str]:
    """What a clause is said of: as good as a name when the record says other things of it, and none of its numbers."""
    numbers = frozenset(_NUMBER.findall(clause.text))
    of_it = [one for one in told if clause.stems[0] in one.stems]
    is_counted = any(numbers & one.numbers for one in of_it)
    return frozenset(clause.stems[:1]) if of_it and not is_counted else frozenset()


def _taken_up(sentence: str, told: Sequence[_Told]) -> str | None:
    """Whether something is affirmed that the record names only to turn it down."""
    if not _TURNED_DOWN.isdisjoint(map(stem, words(sentence))):
        return None
    for clause in clauses_of(fold(sentence)):
        for name in sorted(clause.names) if not clause.denied else ():
            naming = [one for one in told if name in one.stems]
            if naming and all(one.turns_down and name in one.names for one in naming):
                return f"{name} is named only to be turned down"
    return None


def _rebounded(sentence: str, told: Sequence[_Told]) -> str | None:
    """Whether a sentence bounds what is said otherwise than it was bounded, or not at all."""
    said = frozenset(words(fold(sentence)))
    whole = frozenset(word for one in told for word in one.words)
    for bound, alike in _BOUNDS.items():
        if bound in said and whole.isdisjoint(alike):
            return f"there is no '{bound}'"
    if re.search(r"(?i)\bnot only\b", sentence) and not any("not only" in one.text.casefold() for one in told):
        return "nothing says 'not only'"
    if "all" in said or "always" in said or "every" in said:
        stems = frozenset(one for clause in clauses_of(fold(sentence)) for one in clause.stems)
        nearest = max(told, key=lambda one: len(stems & one.stems), default=None)
        if nearest is not None and nearest.words.isdisjoint(STRONG | UNIVERSAL):
            return "nothing says that it holds without exception"
    return None


def _recounted(sentence: str, text: str) -> str | None:
    """Whether a number counts something else than it does in the record."""
    counted = {(number, stem(unit)) for number, unit in _counts(text)}
    for number, unit in _counts(sentence):
        units = {one for known, one in counted if known == number}
        if units and all(one in _UNIT_STEMS for one in units) and stem(unit) not in units and unit not in _SMALL:
            return f"{number} is not the number of {unit}"
    return None


def _counts(text: str) -> Iterator[tuple[str, str]]:
    return ((number.rstrip(".,"), unit.casefold()) for number, unit in _COUNTED.findall(fold(text)))


_UNIT_STEMS = frozenset(map(stem, UNITS))
_SMALL_WORDS = "for per from and the before after with when until are was has each"
_SMALL = frozenset(_SMALL_WORDS.split())
