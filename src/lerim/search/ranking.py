"""How well a record answers a question: a few parts that everybody can follow, added up. Pure.

One set of weights for every memory: four round numbers, and any near them find about as much. Parts that helped one
set of questions and cost another were taken away. `evals/retrieve.py --cross-validate` leaves conversations out when it
chooses these weights; which parts there are was decided with all of them in sight.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from lerim.dataclass import dataclass

# A number, or an array of them: this module needs no numerics library for the few lines it has.
Worth = Any

#: BM25: how soon a repeated term stops counting, and how much a long text is held against it.
SATURATION, LENGTH = 1.2, 0.75
#: What a question's term is worth at most, however large the memory is.
MOST_WEIGHT = 9.0

#: What a small word such as `what` or `did` is worth of its weight.
SMALL_WORTH = 0.4
#: How near a record is taken to be while its vector is not made yet.
UNKNOWN_NEARNESS = 0.15


@dataclass(frozen=True)
class Parts:
    """What speaks for a record."""

    #: BM25 of the question's terms, over the record and what stands beside it in its session.
    words: float = 0.0
    #: How much of what the question says stands in the record: 0 to 1, rare terms count more.
    coverage: float = 0.0
    #: The cosine of question and record; None while the record has no vector, or there is no model.
    meaning: float | None = None
    #: How well its date fits those that the question names, 0 to 2.
    date: float = 0.0
    #: Whether it rests on the user's own words.
    by_user: bool = False

    @property
    def score(self) -> float:
        return sum(worth for _, worth in self.worths())

    def worths(self) -> list[tuple[str, float]]:
        """What each part adds to the score."""
        near = UNKNOWN_NEARNESS if self.meaning is None else self.meaning
        return list(worths(self.words, near, self.date, self.by_user).items())

    @property
    def nearness(self) -> str:
        """How near its meaning is, in words; nothing when that is not known or not near."""
        if self.meaning is None or self.meaning < _CLOSE:
            return ""
        return "very close in meaning" if self.meaning >= _VERY_CLOSE else "close in meaning"

    @property
    def aside(self) -> str:
        """What else speaks for a record that neither has the words nor is near: the strongest of it, if anything."""
        if self.date > 0:
            return "from the time asked for"
        if self.words > 0:
            return "its session has the words"
        return "related in meaning" if self.meaning is not None and self.meaning >= _RELATED else ""

    def explained(self) -> list[str]:
        """Each part of the score in words, and what it adds."""
        near = "not known yet, taken as" if self.meaning is None else "cosine"
        reasons = {
            "words": f"{self.coverage:.0%} of what was asked stands in it; BM25 {self.words:.2f}, its session included",
            "meaning": f"{near} {UNKNOWN_NEARNESS if self.meaning is None else self.meaning:.2f}",
            "date": f"its date fits the one asked for, {self.date:.1f} of 2",
            "the user's own words": "it rests on what the user said",
        }
        lines = [f"{worth:+.2f} {name}: {reasons[name]}" for name, worth in self.worths() if worth]
        return [*lines, f"{self.score:.2f} in all, with a relevance of {self.relevance:.2f}"]

    @property
    def relevance(self) -> float:
        """How much it has to do with the question, whatever else there is: calibrated, not a rank."""
        near = UNKNOWN_NEARNESS if self.meaning is None else self.meaning
        return near + _COVERED * self.coverage


_COVERED = 0.5


def answers(records: int) -> float:
    """The relevance that the best of so many records must reach, or there is no answer among them.

    The more records, the nearer the best one is by chance alone. Measured: of questions asked of a memory that has
    nothing to do with them, 2 % reach it, whether it has 30 records or 600; of questions that it can answer, 99 % do.
    """
    return min(max(0.28, 0.15 + 0.036 * math.log(max(records, 1))), 0.4)


#: What every record must reach beside one that does.
BELONGS = 0.05
_RELATED, _CLOSE, _VERY_CLOSE = 0.2, 0.35, 0.6


def weight(records: int, holding: int) -> float:
    """What a term is worth that `holding` of all `records` hold: rare ones say most."""
    return min(math.log(1 + (records - holding + 0.5) / (holding + 0.5)), MOST_WEIGHT)


class RankingWeights(NamedTuple):
    """What each part is worth."""

    words: float = 0.5
    meaning: float = 8.0
    date: float = 2.0
    by_user: float = 2.0


WEIGHTS = RankingWeights()


def worths(
    words: Worth, meaning: Worth, date: Worth, by_user: Worth, weights: RankingWeights = WEIGHTS
) -> dict[str, Worth]:
    """What each part adds to the score: of one record, or of many at once as arrays."""
    return {
        "words": words * weights.words,
        "meaning": meaning * weights.meaning,
        "date": date * weights.date,
        # Who said it counts for what has to do with the question: else a user's every word is before an agent's answer.
        "the user's own words": by_user * ((words > 0) | (meaning >= _RELATED)) * weights.by_user,
    }
