"""Patterns that cannot hang a run: globs over names, and regular expressions over lines.

What a search may cost is counted in steps, so that the bound does not depend on a clock.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

from lerim.errors import Refused
from lerim.regex import PatternError, Regex

#: What one search may cost: a few seconds, however bad pattern and text are.
MAX_WORK = 1_000_000_000
#: A pattern without these matches in a line only if it matches in the whole text.
_AT_AN_END = ("^", "$", "\\A", "\\z")


class Exhausted(Exception):
    """A search has cost as much as one may."""


@dataclass
class Work:
    """How much a search may still cost."""

    left: int = MAX_WORK

    def spend(self, cost: int) -> None:
        self.left -= cost
        if self.left < 0:
            raise Exhausted


# Globs


class Glob:
    """A pattern of names between slashes: `*`, `?` and `[…]` within a name, `**` for any number of folders.

    Names that begin with a dot are matched only by a pattern that writes the dot.
    """

    def __init__(self, pattern: str) -> None:
        self.folders_only = pattern.endswith("/")
        names = [name for name in pattern.split("/") if name not in {"", "."}]
        self._names = [None if name == "**" else re.compile(fnmatch.translate(name)) for name in names]
        self._hidden = [name.startswith(".") for name in names]

    def begin(self) -> frozenset[int]:
        """Where matching stands before the first name: the positions in the pattern that may come next."""
        return self._skip({0})

    def step(self, at: frozenset[int], name: str) -> frozenset[int]:
        """Where it stands after `name`; empty when nothing can match any more."""
        hidden, after = name.startswith("."), set()
        for position in at - {len(self._names)}:
            expected = self._names[position]
            if hidden and not self._hidden[position]:
                continue
            if expected is None:
                after.add(position)
            elif expected.match(name):
                after.add(position + 1)
        return self._skip(after)

    def matches(self, at: frozenset[int]) -> bool:
        return len(self._names) in at

    def goes_on(self, at: frozenset[int]) -> bool:
        """Whether anything below could match."""
        return any(position < len(self._names) for position in at)

    def _skip(self, at: set[int]) -> frozenset[int]:
        for position in sorted(at):
            while position < len(self._names) and self._names[position] is None:
                position += 1
                at.add(position)
        return frozenset(at)


def has_magic(name: str) -> bool:
    return any(character in name for character in "*?[")


# Regular expressions


class LineSearch:
    """A pattern, ready to be searched for in lines. Raises Refused, naming what is wrong with it."""

    def __init__(self, pattern: str, work: Work | None = None) -> None:
        self.work = work or Work()
        try:
            self._regex = Regex(pattern)
        except PatternError as error:
            raise Refused(f"The pattern {error}. Write '\\' before what is meant as is.") from error
        self._at_an_end = any(mark in pattern for mark in _AT_AN_END)

    def may_be_in(self, text: str) -> bool:
        """Whether a line of the text can match. One look at all of it is much faster than one at each line."""
        return self._at_an_end or self.end(text) is not None

    def end(self, line: str) -> int | None:
        """Where the first match in the line ends; None without one. Raises Exhausted."""
        self.work.spend((len(line) + 1) * self._regex.steps)
        return self._regex.end(line)
