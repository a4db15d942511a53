"""The words of a kind of work, as its profile names them: what is meant to last, what tells, what passes.

Plain words, looked for as a whole: a profile cannot make a search hang.
"""

from __future__ import annotations

import re
from functools import cached_property

from lerim.config.profiles import Profile, memory_kinds


class WorkWords:
    """A profile's words, to be looked for in what people and agents say."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def is_lasting(self, text: str) -> bool:
        """Whether whoever has a say means it to last."""
        return self._has("lasting", text)

    def is_telling(self, text: str) -> bool:
        """Whether an agent says that it found something out."""
        return self._has("telling", text)

    def is_passing(self, text: str) -> bool:
        """Whether it is about this case alone."""
        return self._has("passing", text)

    def kind(self, text: str) -> str:
        """The kind of memory that the words are typical of; empty when they are of none."""
        return next((kind for kind in self._profile.words if kind in memory_kinds() and self._has(kind, text)), "")

    def _has(self, what: str, text: str) -> bool:
        pattern = self._patterns.get(what)
        return pattern is not None and pattern.search(text) is not None

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {what: _pattern(words) for what, words in self._profile.words.items() if words}


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    spaced = (r"\s+".join(map(re.escape, word.split())) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)", re.IGNORECASE)
