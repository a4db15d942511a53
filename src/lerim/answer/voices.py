"""Who said what a record says, in words. Pure."""

from __future__ import annotations

from lerim.answer.wanted import began
from lerim.context.records import Primitive, Record, Trust

_HEX = frozenset("0123456789abcdef")
_VOICES = {Trust.USER: "the user", Trust.AGENT: "the agent"}


def told_by_whom(record: Record) -> str:
    """Whose words a record rests on, where and when: `said by the user in claude/b81d5e20 on 2026-06-14`."""
    day = f"{began(record):%Y-%m-%d}"
    if record.primitive is Primitive.SUMMARY:
        return f"a session of {day}, {_session(record.coding_agent or '', record.run_id or '')}"
    spoken = [piece for piece in record.evidence if piece.speaker is record.trust] or list(record.evidence)
    if not spoken:
        return f"added by hand on {day}" if record.source == "manual" else f"from {record.source} on {day}"
    first = spoken[0]
    return f"said by {_VOICES.get(first.speaker, 'somebody')} in {_session(first.agent, first.run_id)} on {day}"


def _session(agent: str, run_id: str) -> str:
    """A session by a name that is short and can be asked for: the beginning of a random id, or a telling one whole."""
    head = run_id[:8]
    return f"{agent}/{head if all(letter in _HEX for letter in head) else run_id[:40]}"
