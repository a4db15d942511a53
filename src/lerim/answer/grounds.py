"""Whether a written answer says what the records it cites say. Pure.

Whoever writes an answer, a sentence of it is shown only when the records it cites were seen and say it: its names,
its numbers, its quotes, and most of the other words of each of its clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from lerim.answer.compose import Sentence, cite, standing
from lerim.answer.retrieval import CitedRecord
from lerim.answer.support import PLAIN, is_named, names_in
from lerim.answer.wanted import text_of
from lerim.answer.words import SMALL
from lerim.context.place import Kept
from lerim.context.records import Record, RecordId, Status
from lerim.search.terms import terms
from lerim.text.sentences import first_sentence, sentences
from lerim.text.stems import stem

#: How many of a clause's telling words must stand in the records it cites.
CLAUSE_SHARE = 0.6
#: Ids that are offered to a writer who cites something else.
_OFFERED = 20
_ID = re.compile(r"\b(?:dec|lrn|sum)-[a-z0-9]{3,32}\b")
# Ids inside a sentence: they are put behind it, once.
_CITATION = re.compile(rf"\s*[\[(]\s*(?:{_ID.pattern}[\s,;]*)+[\])]")
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
_QUOTED = re.compile(r'"([^"]{2,})"')
_CLAUSE = re.compile(
    r"[;:,()!?]+(?=\s|$)|\s-+\s"
    r"|\b(?:and|but|because|since|so that|which|while|whereas|although|though|instead of|rather than)\b",
    re.I,
)
_NEGATES = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|\w+n't|lack(?:s|ed|ing)?|avoid\w*|stop\w*"
    r"|reject\w*|refus\w*|forb[ia]d\w*|prohibit\w*|bann?(?:s|ed)?|disallow\w*|against|unlike|instead of|rather than)\b",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_NAMES = """
two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13 fourteen 14 fifteen 15
sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80
ninety 90 hundred 100 thousand 1000 million 1000000
"""
_NUMBER_WORDS = dict(zip(_NUMBER_NAMES.split()[::2], _NUMBER_NAMES.split()[1::2], strict=True))
# What may be said about records although they do not say it themselves: what became of them, and that they say so.
_ABOUT_WORDS = """
replace replaced replaces supersede superseded switch switched change changed move moved former formerly previous
previously original originally initial initially earlier later first then therefore thus hence however already longer
anymore current recently reason decisions agree agreed memory memories record records recorded note noted notes state
states stated say says said according mean means apply applies hold holds held valid
"""
_ABOUT = frozenset(map(stem, _ABOUT_WORDS.split())) | PLAIN | SMALL


@dataclass(frozen=True)
class Claim:
    """A sentence as somebody wrote it, and the ids it cites."""

    text: str
    ids: tuple[str, ...]


class Grounds:
    """What an answer may rest on: what was retrieved, and what its writer found besides."""

    def __init__(self, retrieved: Sequence[CitedRecord]) -> None:
        self.retrieved = tuple(retrieved)
        self.known: dict[RecordId, Kept] = {}
        for item in self.retrieved:
            for record in (item.kept.record, *item.before):
                self.known[record.id] = Kept(record, item.kept.place)

    def add(self, found: Iterable[Kept]) -> None:
        """Let what was found be cited, too. What was archived is no answer, whoever finds it."""
        for kept in found:
            if kept.record.status is not Status.ARCHIVED:
                self.known.setdefault(kept.record.id, kept)

    def problem(self, claim: Claim) -> str | None:
        """Why a sentence cannot be shown, in words for its writer; None when it can."""
        named = [*claim.ids, *ids_in(claim.text)]
        if unknown := [name for name in named if name not in self.known]:
            offered = ", ".join(sorted(self.known)[:_OFFERED]) or "none was found"
            return f"{', '.join(unknown)} is not among the memories. Cite only: {offered}."
        if not named:
            return f"'{claim.text[:80]}' cites no memory."
        cited = self._cited(claim)
        days = "\n".join(map(_days, cited))
        missing = unsupported_part(
            _bare(claim.text), [*map(text_of, cited)], days=days, was=not all(r.holds for r in cited)
        )
        return missing and f"{', '.join(record.id for record in cited)} does not say so: {missing}."

    def sentence(self, claim: Claim) -> Sentence:
        """A claim as people read it: with its citations, and what became of the records when none holds any more."""
        cited = self._cited(claim)
        ids = tuple(record.id for record in cited)
        gone = "" if any(record.holds for record in cited) else standing(cited[0])
        return Sentence(f"{_bare(claim.text).rstrip('. ')} {cite(ids)}{gone}.", ids)

    def _cited(self, claim: Claim) -> list[Record]:
        ids = dict.fromkeys((*claim.ids, *ids_in(claim.text)))
        return [self.known[RecordId(record_id)].record for record_id in ids]


class Writer(Protocol):
    """Writes an answer from its grounds, to which it may add. What it says is judged by them before it is shown."""

    def __call__(self, question: str, grounds: Grounds) -> Sequence[Claim]: ...


def ids_in(text: str) -> list[str]:
    """What looks like the ids of records in a text."""
    return _ID.findall(text)


def unsupported_part(sentence: str, texts: Sequence[str], *, days: str = "", was: bool = False) -> str | None:
    """What a sentence says and no text does, in words; None when the texts say it all. A text begins with its title.

    `days` may be named, too. `was` is for texts that hold no more: that they do not is true.
    """
    sentence, texts = _plain(sentence), [_plain(text) for text in texts]
    text = "\n".join((*texts, days))
    vocabulary = set(terms(text))
    for quote in _QUOTED.findall(sentence):
        if _folded(quote) not in _folded(text):
            return f'"{quote}" does not stand there word for word'
    for name in (name for part in sentences(sentence) for name in _subjects(part)):
        if not is_named(name, text, vocabulary):
            return f"there is no '{name}'"
    clauses = list(_clauses(sentence))
    for clause in clauses:
        if number := next((n for n in _numbers(clause) - _numbers(days) if not _is_numbered(clause, n, texts)), None):
            return f"there is no such '{number}'"
        telling = _telling(clause)
        if sum(_stands(term, vocabulary) for term in telling) < CLAUSE_SHARE * len(telling):
            return f"there is nothing of '{clause}'"
        if not was and _is_opposite(clause, text):
            return f"it says the opposite of '{clause}'"
    return None if clauses else "a sentence must say something by itself"


def _is_numbered(clause: str, number: str, texts: Sequence[str]) -> bool:
    """Whether a number stands in a sentence that, with its title, speaks of what the clause speaks of."""
    about = [term for term in _telling(clause) if not term[0].isdigit() and term not in _NUMBER_WORDS]
    for text in texts:
        title = first_sentence(text)
        for part in sentences(text):
            if any(known == number or known.startswith(f"{number}.") for known in _numbers(part)):
                vocabulary = set(terms(part if part == title else f"{title} {part}"))
                if not about or any(_stands(term, vocabulary) for term in about):
                    return True
    return False


def _subjects(sentence: str) -> list[str]:
    """The names in a sentence, and its first word when that tells something: it is what the rest is about."""
    first = re.match(r"\W*(\w[\w'.+#/-]*)", sentence)
    found = names_in(sentence) + ([first[1]] if first else [])
    return [name for name in found if not set(terms(name)) <= _ABOUT and not name.isdigit() and not _is_number(name)]


def _is_number(word: str) -> bool:
    return word.lower() in _NUMBER_WORDS


def _is_opposite(clause: str, text: str) -> bool:
    """Whether the parts of a text that have most of a clause deny what it affirms, or affirm what it denies."""
    telling = set(_telling(clause))
    shares: dict[str, int] = {part: len(telling & set(terms(part))) for part in _clauses(text)}
    best = max(shares.values(), default=0)
    if not best or best < len(telling) / 2:
        return False
    return all(_denies(part) != _denies(clause) for part, share in shares.items() if share == best)


def _denies(clause: str) -> bool:
    return _NEGATES.search(clause) is not None


def _clauses(text: str) -> Iterator[str]:
    """The clauses of a text that tell something, each with the word that joins it: "not MySQL", "rather than MySQL"."""
    for sentence in sentences(text):
        starts = [0, *(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]
        for start, end in pairwise(starts):
            clause = sentence[start:end].strip(" ,;:()!?.-")
            if _telling(clause):
                yield clause


def _telling(text: str) -> list[str]:
    return [term for term in dict.fromkeys(terms(text)) if term not in _ABOUT]


def _stands(term: str, vocabulary: set[str]) -> bool:
    """Whether a term is among others, or one that differs in its ending: expire and expiry."""
    if term in vocabulary or _NUMBER_WORDS.get(term) in vocabulary:
        return True
    return any(_is_akin(term, other) for other in vocabulary)


def _is_akin(one: str, other: str) -> bool:
    shortest = min(len(one), len(other))
    return shortest >= 4 and one[: max(4, shortest - 1)] == other[: max(4, shortest - 1)]


def _numbers(text: str) -> set[str]:
    """The numbers of a text, in digits or words: 1,000 is 1000, 03 is 3."""
    digits = (re.sub(r",(?=\d{3}\b)", "", number) for number in _NUMBER.findall(text))
    found = {number.replace(",", ".").lstrip("0") or "0" for number in digits}
    return found | {_NUMBER_WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _NUMBER_WORDS}


def _days(record: Record) -> str:
    """The days that may be given for a record, in the ways people write them."""
    days = filter(None, (record.created, record.valid_from, record.valid_until))
    return "\n".join(f"{day:%Y-%m-%d}, {day.day} {day:%B %Y}" for day in days)


def _bare(text: str) -> str:
    return " ".join(_ID.sub("", _CITATION.sub("", text)).split())


def _plain(text: str) -> str:
    return text.translate(_TYPOGRAPHY)


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w'.%$+#/-]+", " ", text.casefold()).split()).strip(".")
