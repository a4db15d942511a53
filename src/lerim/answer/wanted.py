"""Which records an exact question speaks of, as a test on a record. Pure."""

from __future__ import annotations

from datetime import datetime

from lerim.answer.times import TimeSpan
from lerim.context.filters import Filter
from lerim.context.records import Record, Status
from lerim.context.store import Version
from lerim.dataclass import dataclass
from lerim.search.terms import terms


@dataclass(frozen=True)
class Wanted:
    """A filter, words that must all stand in the record, and when it began to hold, or `held` at all."""

    filter: Filter = Filter()
    words: tuple[str, ...] = ()
    span: TimeSpan | None = None
    held: bool = False

    def takes(self, record: Record) -> bool:
        return self.filter.takes(record) and self._is_of_the_time(record) and has_words(record, self.words)

    def _is_of_the_time(self, record: Record) -> bool:
        if self.span is None:
            return True
        if not self.held:
            return self.span.holds(began(record))
        return self.span.overlaps(began(record), record.valid_until)

    def describe(self, count: int | None = None) -> str:
        """In words: `decisions about redis, from 2026-03-01 to 2026-03-31`."""
        parts = [self._noun(count)]
        if self.filter.tags:
            parts.append(f"tagged {' and '.join(self.filter.tags)}")
        if self.words:
            parts.append(f"with the words {' and '.join(repr(word) for word in self.words)}")
        if self.span is not None:
            parts.append(f"that held {self.span.describe()}" if self.held else self.span.describe())
        return " ".join(parts)

    def _noun(self, count: int | None) -> str:
        one = str(self.filter.kind or self.filter.primitive or "memory")
        noun = one if count == 1 else f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
        statuses = tuple(self.filter.statuses)
        return noun if statuses in ((), (Status.ACTIVE,)) else f"{' or '.join(statuses)} {noun}"


def began(record: Record) -> datetime:
    """When a record began to hold."""
    return record.valid_from or record.created


def said_at(version: Version) -> datetime:
    """When what a version did to its record was said: a session that is read late tells of its own day."""
    if version.record.version == 1:
        return began(version.record)
    return (version.record.valid_until if version.operation == "supersede" else None) or version.at


def text_of(record: Record) -> str:
    """All that a record says."""
    return "\n".join(filter(None, (record.title, record.body, record.description, " ".join(record.tags))))


def has_words(record: Record, words: tuple[str, ...]) -> bool:
    """Whether all the words stand in a record, whatever their endings."""
    vocabulary = set(terms(text_of(record))) if words else set()
    return all(set(terms(word)) <= vocabulary for word in words)
