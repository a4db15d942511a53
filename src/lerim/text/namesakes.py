"""Names made after one pattern: "eu-west-1" and "eu-central-1", "orders.paid" and "orders.sent". Pure.

They look alike and stand in like sentences, and so a model takes them for one. Each is the name of something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_JOINT = re.compile(r"[-_./:]")


def namesakes(later: Sequence[str], earlier: Sequence[str]) -> tuple[str, str] | None:
    """The name by which the words of each title differ, where both are made after one pattern."""
    mine, theirs = _names(later, earlier), _names(earlier, later)
    if len(mine) != 1 or len(theirs) != 1:
        return None
    (new,), (old,) = mine, theirs
    one, two = _pieces(new), _pieces(old)
    is_one_pattern = len(one) == len(two) and not set(one).isdisjoint(two)
    # "acme-log" and "acme-logs" is a slip, or a plural.
    differ = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    return (new, old) if is_one_pattern and differ and not any(_is_begun(a, b) for a, b in differ) else None


def _names(line: Sequence[str], other: Collection[str]) -> list[str]:
    return [word for word in dict.fromkeys(line) if word not in other and len(_pieces(word)) > 1]


def _pieces(word: str) -> list[str]:
    return [piece for piece in _JOINT.split(word) if piece]


def _is_begun(one: str, two: str) -> bool:
    """Whether one piece is the beginning of the other; the numbers 1 and 10 are two."""
    short, long = sorted((one, two), key=len)
    return long.startswith(short) and not long.isdigit()
