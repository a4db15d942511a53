"""Whether a written answer says what the records it cites say. Pure.

Whoever writes an answer, a sentence of it is shown only when the records it cites were seen and say it: its names,
its numbers, its quotes, and most of the other words of each of its clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from lerim.answer.compose import Sentence, cite, standing
from lerim.answer.crossing import crossed, parts_of
from lerim.answer.retrieval import CitedRecord
from lerim.answer.support import PLAIN
from lerim.answer.wanted import text_of
from lerim.answer.words import SMALL
from lerim.context.place import Kept
from lerim.context.records import Record, RecordId, Status
from lerim.dataclass import dataclass
from lerim.text.backing import OPPOSITE, Backing

#: Ids that are offered to a writer who cites something else.
_OFFERED = 20
_ID = re.compile(r"\b(?:dec|lrn|sum)-[a-z0-9]{3,32}\b")
# Ids inside a sentence: they are put behind it, once.
_CITATION = re.compile(rf"\s*[\[(]\s*(?:{_ID.pattern}[\s,;]*)+[\])]")
# What may be said about records although they do not say it themselves: what became of them, and that they say so.
_ABOUT_WORDS = """
replace replaced replaces supersede superseded switch switched change changed move moved former formerly previous
previously original originally initial initially earlier later first then therefore thus hence however already longer
anymore current recently reason decisions agree agreed memory memories record records recorded note noted notes state
states stated say says said according mean means apply applies hold holds held valid
"""
_ABOUT = " ".join((*_ABOUT_WORDS.split(), *PLAIN, *SMALL))


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
        missing = self._missing(_bare(claim.text), cited, days)
        return missing and f"{', '.join(record.id for record in cited)} does not say so: {missing}."

    def _missing(self, sentence: str, cited: Sequence[Record], days: str) -> str | None:
        """What no record says. Each statement of a sentence rests on one record, and on those that it replaced."""
        gaps = [self._gap(sentence, together, days) for together in _together(cited)]
        if None in gaps:
            return None
        parts = parts_of(sentence)
        if len(gaps) == 1 or len(parts) == 1:
            return gaps[0]
        for part in parts:
            if None not in (found := [self._gap(part, together, days) for together in _together(cited)]):
                return found[0]
        return None

    def _gap(self, sentence: str, together: Sequence[Record], days: str) -> str | None:
        texts = [*map(text_of, together)]
        was = not all(record.holds for record in together)
        gap = unsupported_part(sentence, texts, days=days, was=was)
        # What became of records is told by their dates and order, which stand in no text.
        return gap if gap is not None or was else crossed(sentence, "\n".join(texts))

    def sentence(self, claim: Claim) -> Sentence:
        """A claim as people read it: with its citations, and what became of the records when none holds any more."""
        cited = self._cited(claim)
        ids = tuple(record.id for record in cited)
        gone = "" if any(record.holds for record in cited) else standing(cited[0])
        return Sentence(f"{_bare(claim.text).rstrip('. ')} {cite(ids)}{gone}.", ids)

    def _cited(self, claim: Claim) -> list[Record]:
        ids = dict.fromkeys((*claim.ids, *ids_in(claim.text)))
        return [self.known[RecordId(record_id)].record for record_id in ids]


def _together(cited: Sequence[Record]) -> list[list[Record]]:
    """The cited records in groups: each with those it replaced, which are told of together."""
    groups: list[list[Record]] = []
    for record in cited:
        linked = [group for group in groups if any(_follows(record, one) or _follows(one, record) for one in group)]
        groups = [group for group in groups if group not in linked]
        groups.append([*(one for group in linked for one in group), record])
    return groups


def _follows(new: Record, old: Record) -> bool:
    return old.superseded_by == new.id or (old.superseded_by is not None and old.superseded_by == new.superseded_by)


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
    also = f"{_ABOUT}\n{days}"
    backing = Backing(texts, also)
    gap = backing.gap(sentence)
    return None if was and gap is not None and gap.startswith(OPPOSITE) else gap


def _days(record: Record) -> str:
    """The days that may be given for a record, in the ways people write them."""
    days = filter(None, (record.created, record.valid_from, record.valid_until))
    return "\n".join(f"{day:%Y-%m-%d}, {day.day} {day:%B %Y}" for day in days)


def _bare(text: str) -> str:
    return " ".join(_ID.sub("", _CITATION.sub("", text)).split())
