"""How attention fades. Age affects attention, not truth: nothing here changes a record."""

from __future__ import annotations

from datetime import datetime, timedelta

from lerim.config.settings import DecaySettings
from lerim.context.records import Record
from lerim.dataclass import dataclass


@dataclass(frozen=True)
class DecayRule:
    """Confidence falls in a straight line to `floor` over `period_days` without use."""

    period_days: int = 180
    floor: float = 0.1
    archive_threshold: float = 0.2
    grace_days: int = 30

    @classmethod
    def of(cls, settings: DecaySettings) -> DecayRule:
        """The rule the settings state."""
        return cls(settings.period_days, settings.floor, settings.archive_threshold, settings.grace_days)


def effective_confidence(record: Record, rule: DecayRule, now: datetime) -> float:
    """How much attention a record deserves today. Never more than its confidence, never below the floor or it."""
    idle = now - last_touched(record)
    share = min(max(idle / timedelta(days=rule.period_days), 0.0), 1.0)
    floor = min(rule.floor, record.confidence)
    return record.confidence - (record.confidence - floor) * share


def is_faded(record: Record, rule: DecayRule, now: datetime) -> bool:
    """Whether maintenance may put it away: little attention left, and no use within the grace period."""
    recently = now - last_touched(record) <= timedelta(days=rule.grace_days)
    return not recently and effective_confidence(record, rule, now) < rule.archive_threshold


def last_touched(record: Record) -> datetime:
    """When it was last used, or else last changed."""
    return max(record.updated, record.last_used or record.updated)
