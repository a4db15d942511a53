"""Patterns of our own, compiled when they are first looked for: a command that starts needs few of all there are."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def compile_later(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The same as `re.compile`, but that its methods alone can be used; `re.sub` would not take it."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


class _Later:
    """A pattern that is not compiled yet. What was used once is kept as it is: from then on nothing is in between."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.__source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(re.compile(*self.__source), name)
        return found
