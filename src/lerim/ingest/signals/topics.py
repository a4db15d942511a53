"""What a session speaks of: how telling each word is here, and how much two texts have in common."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import chain

from lerim.ingest.signals.text import topics
from lerim.ingest.signals.turns import Conversation, Turn


class _Weights(dict[str, float]):
    """Each stem's weight, worked out when it is first asked for: a sum over many then needs no function of ours."""

    def __init__(self, messages: int, counts: Counter[str]) -> None:
        self._messages = messages
        self._counts = counts

    def __missing__(self, stem: str) -> float:
        # Sums over sets come in any order; rounded to 64ths they are exact, and so the same on every machine.
        weight = round((math.log((self._messages + 1) / (self._counts[stem] + 0.5)) + 0.3) * 64) / 64
        self[stem] = weight
        return weight


class Vocabulary:
    """How many messages of the session use a stem. A rare one tells more."""

    def __init__(self, talk: Conversation) -> None:
        messages = [turn.text for turn in talk.turns] + [message.text for _, message in talk.answers]
        self._masses: dict[frozenset[str], float] = {}
        self._norms: dict[frozenset[str], float] = {}
        self.about = lru_cache(maxsize=32_768)(topics)
        self._messages = len(messages)
        self._counts = Counter(chain.from_iterable(map(self.about, messages)))
        #: How telling a stem is, at least a little.
        self.weight = _Weights(self._messages, self._counts).__getitem__

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
        whole = math.sqrt(self._norm(one) * self._norm(two))
        return shared / whole if whole else 0.0

    def _norm(self, one: frozenset[str]) -> float:
        if (known := self._norms.get(one)) is None:
            known = self._norms[one] = sum(self.weight(stem) ** 2 for stem in one)
        return known


class GrowingVocabulary(Vocabulary):
    """The vocabulary of what was said so far: what comes later changes nothing that was weighed before."""

    def __init__(self, talk: Conversation) -> None:
        super().__init__(Conversation((), talk.opening))

    def learn(self, turn: Turn) -> None:
        """Count a turn and its answers."""
        texts = [turn.text, *(message.text for message in turn.after)]
        self._messages += len(texts)
        self._counts.update(chain.from_iterable(map(self.about, texts)))
        self._masses, self._norms = {}, {}
        self.weight = _Weights(self._messages, self._counts).__getitem__
