"""Which records are wanted: one rule, as a test on a record and as a condition in the database."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from lerim.context.records import (
    Kind,
    Primitive,
    Record,
    Status,
    Trust,
    clean_tags,
    parse_last_moment,
    parse_time,
    time_text,
)
from lerim.dataclass import dataclass
from lerim.storage.database import Transaction, Value


@dataclass(frozen=True)
class PageMark:
    """Where a page of a list ended: at this record, as it was then."""

    scope: str
    is_hearsay: bool
    updated: str
    id: str


def statuses_named(word: str) -> tuple[Status, ...]:
    """The statuses that a word names: one, or `all` of them. Raises ValueError."""
    return () if word == "all" else (Status(word),)


@dataclass(frozen=True)
class Filter:
    """Which records to list. Empty means any; several tags must all be there."""

    primitive: Primitive | None = None
    kind: Kind | None = None
    tags: Sequence[str] = ()
    statuses: Sequence[Status] = (Status.ACTIVE,)
    since: datetime | None = None
    until: datetime | None = None
    #: Whose session it came from.
    agent: str | None = None
    #: Sessions it may come from, as (agent, run id); None for any.
    sessions: Collection[tuple[str, str]] | None = None
    #: Whether what came with repositories that the user does not trust is wanted, too.
    hearsay: bool = True

    @classmethod
    def asked(
        cls,
        primitive: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] = (),
        status: str = Status.ACTIVE,
        since: str | None = None,
        until: str | None = None,
        *,
        flag: str = "",
    ) -> Filter:
        """The filter that words describe; `flag` stands before the name of a date that is none. Raises InvalidRecord,
        ValueError for what there is not."""
        return cls(
            primitive=Primitive(primitive) if primitive else None,
            kind=Kind(kind) if kind else None,
            tags=clean_tags([*tags]),
            statuses=statuses_named(status),
            since=None if since is None else parse_time(since, f"{flag}since"),
            until=None if until is None else parse_last_moment(until, f"{flag}until"),
        )

    @property
    def is_broad(self) -> bool:
        """Whether most records pass, so that there is no use in listing them first."""
        return self == Filter(statuses=self.statuses) and (not self.statuses or Status.ACTIVE in self.statuses)

    def takes(self, record: Record) -> bool:
        return (
            (self.primitive is None or record.primitive is self.primitive)
            and (self.kind is None or record.kind is self.kind)
            and (not self.statuses or record.status in self.statuses)
            and (self.since is None or record.updated >= self.since)
            and (self.until is None or record.updated <= self.until)
            and set(self.tags) <= set(record.tags)
            and (self.hearsay or not record.is_hearsay)
            and (self.agent is None or self.agent in {agent for agent, _ in _sessions_of(record)})
            and (self.sessions is None or not _sessions_of(record).isdisjoint(self.sessions))
        )

    def where(self, tx: Transaction) -> tuple[str, list[Value]]:
        """The same rule as a condition on `records r`, in the words of the transaction's engine."""
        terms: list[str] = ["TRUE"]
        values: list[Value] = []
        for column, value in (("primitive", self.primitive), ("kind", self.kind)):
            if value is not None:
                terms.append(f"r.{column} = ?")
                values.append(str(value))
        if self.statuses:
            terms.append(f"r.status IN ({', '.join('?' * len(self.statuses))})")
            values += [str(status) for status in self.statuses]
        for operator, moment in ((">=", self.since), ("<=", self.until)):
            if moment is not None:
                terms.append(f"r.updated {operator} ?")
                values.append(time_text(moment))
        if not self.hearsay:
            terms.append("r.trust <> ?")
            values.append(str(Trust.SHARED))
        for tag in self.tags:
            # Tags are stored as a JSON list of strings: the quotes make it a whole tag.
            terms.append("r.tags LIKE ? ESCAPE '\\'")
            values.append("%" + like(json.dumps(tag, ensure_ascii=False)) + "%")
        if self.agent is not None:
            terms.append(f"(r.coding_agent = ? OR {_cites('cited.agent = ?')})")
            values += [self.agent, self.agent]
        if self.sessions is not None:
            pairs = json.dumps(sorted(self.sessions))
            own, cited = tx.among("r.coding_agent", "r.run_id"), _cites(tx.among("cited.agent", "cited.run_id"))
            terms.append(f"({own} OR {cited})")
            values += [pairs, pairs]
        return " AND ".join(terms), values


def _cites(condition: str) -> str:
    """Whether a piece of a record's evidence meets a condition."""
    return f"EXISTS (SELECT 1 FROM cited_sessions cited WHERE cited.record_seq = r.seq AND {condition})"


def _sessions_of(record: Record) -> set[tuple[str, str]]:
    """The sessions a record came from: those it cites, and the one it sums up."""
    cited = {(evidence.agent, evidence.run_id) for evidence in record.evidence}
    return cited | {(record.coding_agent or "", record.run_id or "")}


ANY = Filter(statuses=())
#: What an agent may be told before it starts: what holds, in the user's own memory.
BRIEF = Filter(hearsay=False)


def like(text: str) -> str:
    """A text as a LIKE pattern that means just that text. The escape character is a backslash."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
