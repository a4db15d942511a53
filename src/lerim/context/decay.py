"""How attention fades. Age affects attention, not truth: nothing here changes a record."""

from __future__ import annotations

from datetime import datetime, timedelta

from lerim.config.settings import DecaySettings
from lerim.context.authority import Authority
from lerim.context.records import Record, is_rule
from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later

#: What came into the memory within this time is not archived, however long ago it was said.
_YOUNG = timedelta(days=1)
#: How somebody says that a rule allows no exception, besides calling it so.
_MUST = compile_later(
    r"(?i)\b(?:must|never|always|mandatory|required|forbidden|under no circumstances|niemals|nie|immer|auf keinen fall"
    r"|jamais|toujours|nunca|siempre|sempre|mai)\b|никогда|всегда|нельзя|从不|禁止|始终|必须|必ず|絶対|決して|절대|항상|반드시"
)
_MUST_TAG = "must"


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
    # Not by a rounding error either: a floor at the threshold says that nothing is archived.
    return max(record.confidence - (record.confidence - floor) * share, floor)


def is_faded(record: Record, rule: DecayRule, now: datetime) -> bool:
    """Whether maintenance may put it away: little attention left, no use within the grace period, and nobody for whom
    age counts nothing."""
    if _is_exempt(record) or now - record.created < _YOUNG:
        return False
    recently = now - _within_reach(record) <= timedelta(days=rule.grace_days)
    return not recently and effective_confidence(record, rule, now) < rule.archive_threshold


def fades_on(record: Record, rule: DecayRule) -> datetime | None:
    """The first moment at which it may have faded, if nobody uses it until then; None when it never does."""
    floor = min(rule.floor, record.confidence)
    if _is_exempt(record) or floor >= rule.archive_threshold:
        return None
    left, lost = record.confidence - rule.archive_threshold, record.confidence - floor
    share = max(left / lost, 0.0) if lost > 0 else 0.0
    return max(
        last_touched(record) + timedelta(days=rule.period_days * share),
        _within_reach(record) + timedelta(days=rule.grace_days),
        record.created + _YOUNG,
    )


def last_touched(record: Record) -> datetime:
    """When it was last said, confirmed or used, whichever came last."""
    said = record.last_said.at
    return max(said, record.last_used or said)


def _within_reach(record: Record) -> datetime:
    """Since when nobody has used it who could have: what an old session said was of no use before it was read."""
    return max(last_touched(record), record.created)


def is_must(record: Record) -> bool:
    """Whether it is a rule that allows no exception."""
    return is_rule(record.primitive, record.kind) and (
        _MUST_TAG in record.tags or _MUST.search(record.title) is not None
    )


def _is_exempt(record: Record) -> bool:
    """Whether age alone never puts it away: what a person wrote, and what must be kept to."""
    return Authority.of(record.trust, record.source) is Authority.PERSON or is_must(record)
