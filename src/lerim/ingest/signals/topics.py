"""What a session speaks of: how telling each word is here, and how much two texts have in common."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

from lerim.ingest.signals.text import topics
from lerim.ingest.signals.turns import Conversation


class Vocabulary:
    """How many messages of the session use a stem. A rare one tells more."""

    def __init__(self, talk: Conversation) -> None:
        messages = [turn.text for turn in talk.turns] + [said.text for _, said in talk.answers]
        self._messages = len(messages)
        self._counts: Counter[str] = Counter()
        self._weights: dict[str, float] = {}
        self._masses: dict[frozenset[str], float] = {}
        for text in messages:
            self._counts.update(topics(text))
        self.about = lru_cache(maxsize=4096)(topics)

    def weight(self, stem: str) -> float:
        """How telling a stem is, at least a little."""
        known = self._weights.get(stem)
        if known is None:
            # Sums over sets come in any order; rounded to 64ths they are exact, and so the same on every machine.
            known = round((math.log((self._messages + 1) / (self._counts[stem] + 0.5)) + 0.3) * 64) / 64
            self._weights[stem] = known
        return known

    def shared(self, one: frozenset[str], two: frozenset[str]) -> float:
        """The weight of what both speak of."""
        return sum(map(self.weight, one & two))

    def overlap(self, one: frozenset[str], two: frozenset[str]) -> float:
        """Which share of the first text's weight stands in the second, 0 to 1."""
        whole = self._mass(one)
        return self.shared(one, two) / whole if whole else 0.0

    def _mass(self, one: frozenset[str]) -> float:
        if (known := self._masses.get(one)) is None:
            known = self._masses[one] = sum(map(self.weight, one))
        return known

    def contained(self, one: frozenset[str], two: frozenset[str]) -> float:
        """Which share of the smaller text's weight stands in the other, 0 to 1."""
        smaller = min(self._mass(one), self._mass(two))
        return self.shared(one, two) / smaller if smaller else 0.0

    def likeness(self, one: frozenset[str], two: frozenset[str]) -> float:
        """The cosine of two texts, 0 to 1."""
        shared = sum(self.weight(stem) ** 2 for stem in one & two)
        whole = math.sqrt(sum(self.weight(s) ** 2 for s in one) * sum(self.weight(s) ** 2 for s in two))
        return shared / whole if whole else 0.0
