"""Whose word counts for more: a person's, then the user's in a session, then the agent's. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from lerim.context.records import Record, Trust

#: Where a record is from that a person wrote down.
_BY_HAND = "manual"
_ORDER = tuple(Trust)


class Authority(IntEnum):
    """Who may overrule whom: the higher the lower, never the other way round. Among equals, time decides."""

    NOBODY = 0
    AGENT = 1
    USER = 2
    PERSON = 3

    @classmethod
    def of(cls, trust: Trust, source: str = "") -> Authority:
        """The authority of a record, by whose words it rests on and where it is from."""
        if trust is Trust.USER:
            return cls.PERSON if source == _BY_HAND else cls.USER
        return cls.AGENT if trust is Trust.AGENT else cls.NOBODY


def is_by_hand(record: Record) -> bool:
    """Whether a person wrote it down."""
    return Authority.of(record.trust, record.source) is Authority.PERSON


def lowest_trust(records: Iterable[Record]) -> Trust:
    """What can be said of something that rests on all of these: no more than of the least trusted."""
    return max((record.trust for record in records), key=_ORDER.index)
