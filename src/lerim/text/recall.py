"""What was found in a short text, kept for who asks next: a session's readers look at the same sentences in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_T = TypeVar("_T")
#: A sentence, or two. What is longer seldom comes again, and would be held for long.
SHORT = 300
_LATEST = 4096


def recalled(find: Callable[[str], _T]) -> Callable[[str], _T]:
    """The same pure function, with what it found in the latest short texts. What it gives must not be changed."""
    known = lru_cache(maxsize=_LATEST)(find)

    @wraps(find)
    def found(text: str) -> _T:
        return known(text) if len(text) <= SHORT else find(text)

    return found
