"""Who said what a record says, in words. Pure."""

from __future__ import annotations

from lerim.answer.wanted import began
from lerim.context.records import Record, Trust

_VOICES = {Trust.USER: "the user", Trust.AGENT: "the agent"}


def told_by_whom(record: Record) -> str:
    """Whose words a record rests on, where and when: `said by the user in claude/b81d5e20 on 2026-06-14`."""
    day = f"{began(record):%Y-%m-%d}"
    spoken = [piece for piece in record.evidence if piece.speaker is record.trust] or list(record.evidence)
    if not spoken:
        return f"added by hand on {day}" if record.source == "manual" else f"from {record.source} on {day}"
    first = spoken[0]
    return f"said by {_VOICES.get(first.speaker, 'somebody')} in {first.agent}/{first.run_id[:8]} on {day}"
