"""What comes first: by whose word it is, how much it was used, when it was said, and how near it is to what is at hand.

Pure. The same records give the same order whatever the time of day: age is counted back from the last word there is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from lerim.context.records import CONFIRMED, Record, Trust
from lerim.dataclass import dataclass
from lerim.text.words import STOP, pieces
from lerim.views.at_hand import AtHand
from lerim.views.material import ToldRecord

# What each part may add. Truth leads: nothing newer or nearer lifts an agent's word over a person's.
_TRUTH = {Trust.USER: 2.0, Trust.AGENT: 1.0}
_BY_HAND = 1.0
_CONFIDENCE = 1.0
_USE = 0.35
_MOST_USE = 1.0
_RECENCY = 0.8
_HALF_LIFE_DAYS = 60.0
_NEARNESS = 0.9
_HERE = 0.2
#: What the user may have said otherwise of since: behind the rest of its kind.
_DISPUTED = 1.0
#: Folders and endings that stand in any path, and branches that say nothing of what is done on them.
_COMMON_WORDS = """
src lib app apps test tests docs doc py ts tsx js jsx json md rs go java rb css html yaml yml toml index main master
develop dev trunk feature feat fix bugfix hotfix chore release init readme
"""
_COMMON = STOP | frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True)
class WeighedRecord:
    """A record with what it is worth."""

    held: ToldRecord
    worth: float

    @property
    def key(self) -> tuple[float, float, str]:
        """Best first; of two alike, what was said last; then by id, so that nothing else decides."""
        return (-self.worth, -self.held.record.last_said.at.timestamp(), self.held.id)


def ranked(held: Iterable[ToldRecord], at_hand: AtHand) -> list[WeighedRecord]:
    """Records, best first."""
    all_held = list(held)
    newest = max((one.record.last_said.at for one in all_held), default=None)
    near = _Nearness(at_hand)
    found = [WeighedRecord(one, worth_of(one, newest, near)) for one in all_held]
    return sorted(found, key=lambda one: one.key)


def worth_of(held: ToldRecord, newest: datetime | None, near: _Nearness) -> float:
    record = held.record
    return (
        truth_of(record)
        + _CONFIDENCE * record.confidence
        + min(_USE * math.log1p(record.uses), _MOST_USE)
        + _RECENCY * _recency(record, newest)
        + _NEARNESS * near.of(record)
        + (0.0 if held.is_global else _HERE)
        - (_DISPUTED if held.rival else 0.0)
    )


def truth_of(record: Record) -> float:
    """Whose word it is: a person's who wrote it down, the user's in a session, the agent's, nobody's known."""
    return _TRUTH.get(record.trust, 0.0) + (_BY_HAND if is_by_hand(record) else 0.0)


def is_by_hand(record: Record) -> bool:
    """Whether a person wrote it down: it cites no session, and is the user's word."""
    return record.trust is Trust.USER and not record.evidence


def is_accepted(record: Record) -> bool:
    """Whether a person read it and said yes: then it is told as they let it stand."""
    return record.source == "review" and record.confidence >= CONFIRMED


def _recency(record: Record, newest: datetime | None) -> float:
    if newest is None:
        return 0.0
    days = (newest - record.last_said.at).total_seconds() / 86_400
    return float(0.5 ** (max(days, 0.0) / _HALF_LIFE_DAYS))


def tells_of(at_hand: AtHand) -> str:
    """What is at hand that says something of the work, in words; nothing on the main branch with nothing changed."""
    branch = f"branch `{at_hand.branch}`" if _telling(at_hand.branch) else ""
    count = len(at_hand.files)
    files = f"{count} changed file{'' if count == 1 else 's'}" if count else ""
    return " and ".join(filter(None, (branch, files)))


class _Nearness:
    """How much a record has to do with a branch and some files: 0 to 1."""

    def __init__(self, at_hand: AtHand) -> None:
        self._paths = {path.lower() for path in at_hand.files}
        self._names = {path.rpartition("/")[2] for path in self._paths}
        told = [*_telling(at_hand.branch), *(word for path in at_hand.files for word in _telling(path))]
        self._words = frozenset(told)
        self._branch = frozenset(_telling(at_hand.branch))

    def of(self, record: Record) -> float:
        if not self._words:
            return 0.0
        if any(tag in self._paths or tag.rpartition("/")[2] in self._names for tag in record.tags):
            return 1.0
        words = set(_telling(f"{record.title} {' '.join(record.tags)}"))
        on_branch = len(words & self._branch)
        in_files = len(words & self._words) - on_branch
        return min(0.4 * on_branch + 0.2 * in_files, 0.8)


def _telling(text: str) -> list[str]:
    """The words of a path or a branch that tell it from others: camelCase in parts, nothing that stands everywhere."""
    found = []
    for piece in pieces(text.replace("_", " ")):
        found += [piece.lower(), *_humps(piece)]
    return [word for word in found if len(word) > 2 and not word.isdigit() and word not in _COMMON]


def _humps(piece: str) -> Sequence[str]:
    """`AuthStore` is `auth` and `store`."""
    cuts = [at for at in range(1, len(piece)) if piece[at].isupper() and not piece[at - 1].isupper()]
    return [piece[a:b].lower() for a, b in pairwise((0, *cuts, len(piece)))] if cuts else ()
