"""Which records are wanted: one rule, as a test on a record and as a condition in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lerim.context.records import Kind, Primitive, Record, Status, time_text
from lerim.storage.database import Value


@dataclass(frozen=True)
class Filter:
    """Which records to list. Empty means any; several tags must all be there."""

    primitive: Primitive | None = None
    kind: Kind | None = None
    tags: Sequence[str] = ()
    statuses: Sequence[Status] = (Status.ACTIVE,)
    since: datetime | None = None
    until: datetime | None = None

    def takes(self, record: Record) -> bool:
        return (
            (self.primitive is None or record.primitive is self.primitive)
            and (self.kind is None or record.kind is self.kind)
            and (not self.statuses or record.status in self.statuses)
            and (self.since is None or record.updated >= self.since)
            and (self.until is None or record.updated <= self.until)
            and set(self.tags) <= set(record.tags)
        )

    def where(self) -> tuple[str, list[Value]]:
        """The same rule as a condition on `records r`."""
        terms: list[str] = ["1"]
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
        for tag in self.tags:
            # Tags are stored as a JSON list of strings: the quotes make it a whole tag.
            terms.append("r.tags LIKE ? ESCAPE '\\'")
            values.append("%" + like(json.dumps(tag, ensure_ascii=False)) + "%")
        return " AND ".join(terms), values


ANY = Filter(statuses=())


def like(text: str) -> str:
    """A text as a LIKE pattern that means just that text. The escape character is a backslash."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
