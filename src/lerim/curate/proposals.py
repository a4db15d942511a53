"""What could be done to keep the memory true: one operation each, with its reason and the words that speak for it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from lerim.context.records import Kind, Record, RecordId
from lerim.dataclass import dataclass, field, replace

#: How the reason of a pair begins on which only a person can rule.
UNSURE = "nobody can tell for sure"


class CurationVerb(StrEnum):
    """What is done to records. Nothing is ever deleted."""

    MERGE = "merge"  # they say the same: one of them says it for all, with all their evidence
    SUPERSEDE = "supersede"  # another one holds instead
    REVISE = "revise"  # the same point, better said
    ARCHIVE = "archive"  # out of the way, and still there to be read
    RESTORE = "restore"
    REVIEW = "review"  # for a person to decide


@dataclass(frozen=True)
class RecordWording:
    """What a record shall say."""

    title: str
    body: str
    kind: Kind | None = None
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: Record) -> RecordWording:
        return cls(record.title, record.body, record.kind, record.tags)


@dataclass(frozen=True)
class CurationProposal:
    """One operation on some records, as they were seen. What a review `would` be, a person can have done."""

    verb: CurationVerb
    #: All that it speaks of, `into` among them.
    records: tuple[RecordId, ...]
    reason: str
    #: What holds in the end: the one that others are merged into, or that replaces them.
    into: RecordId | None = None
    #: Words that speak for it, each with where they are from.
    evidence: tuple[str, ...] = ()
    wording: RecordWording | None = None
    #: Whether nobody has to look at it first: the very same said twice, and what faded.
    is_safe: bool = False
    would: CurationVerb | None = None
    #: Which version of each record was seen.
    versions: Mapping[RecordId, int] = field(default_factory=dict)

    @property
    def operation(self) -> CurationVerb:
        """What is done to the records, once somebody says so."""
        return self.would or self.verb

    @property
    def by_hand(self) -> str:
        """The command for what only a person can do, where there is nothing to apply; else nothing."""
        if self.operation is not CurationVerb.REVIEW:
            return ""
        if len(self.records) == 1:
            return f"lerim memory edit {self.records[0]}"
        return " or ".join(f"lerim memory archive {one}" for one in self.records)

    @property
    def targets(self) -> tuple[RecordId, ...]:
        """The records that are closed, archived or worded anew."""
        return tuple(one for one in self.records if one != self.into)

    @property
    def touched(self) -> tuple[RecordId, ...]:
        """The records that do not stay as they are."""
        return self.records if self.operation is CurationVerb.MERGE else self.targets or self.records

    def seen(self, records: Mapping[RecordId, Record]) -> CurationProposal:
        """The same, with the versions of its records noted."""
        return replace(self, versions={one: records[one].version for one in self.records})

    def for_review(self, why: str) -> CurationProposal:
        """The same, left to a person."""
        if self.verb is CurationVerb.REVIEW:
            return self
        reason = f"{why}: {self.reason}" if why else self.reason
        return replace(self, verb=CurationVerb.REVIEW, would=self.verb, is_safe=False, reason=reason)
