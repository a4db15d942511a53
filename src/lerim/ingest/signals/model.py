"""The linear model: a few dozen weights, learned once by `evals/train.py`, and how sure each score turned out to be."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise

#: Pairs of score and share, both rising.
Curve = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Model:
    """A weight per feature, and the calibration: which share of candidates with a score was right."""

    weights: Mapping[str, float]
    calibration: Curve

    def score(self, features: Mapping[str, float]) -> float:
        """How much the features speak for a memory, 0 to 1."""
        total = sum(weight * features.get(name, 0.0) for name, weight in self._in_order)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    @cached_property
    def _in_order(self) -> Sequence[tuple[str, float]]:
        """Sums of fractions depend on their order."""
        return sorted(self.weights.items())

    def confidence(self, score: float) -> float:
        """Which share of candidates with this score is right, between the points that were measured."""
        return between(self.calibration, score)

    def reasons(self, features: Mapping[str, float]) -> list[str]:
        """The features that spoke for it, strongest first."""
        spoken = [(weight * features.get(name, 0.0), name) for name, weight in self._in_order if name != "bias"]
        telling = [(weight, name) for weight, name in spoken if weight > 0.05]
        return [name for _, name in sorted(telling, key=lambda pair: (-pair[0], pair[1]))]


def between(points: Curve, score: float) -> float:
    """The share at a score, between the points that were measured."""
    if score <= points[0][0]:
        return points[0][1]
    for (low, one), (high, two) in pairwise(points):
        if score <= high:
            return one + (two - one) * (score - low) / (high - low)
    return points[-1][1]


@dataclass(frozen=True)
class Weights:
    """All that was learned: one model for the user's words, one for the agent's; and when two are one point."""

    models: Mapping[str, Model]
    #: Bias, shared words in all, shared own words, nearness.
    same: Sequence[float]
    #: The calibration of what is sure: its form speaks for it besides its score.
    sure: Curve = ((0.0, 0.5),)


@cache
def weights() -> Weights:
    """The weights that came with the package."""
    data = json.loads(resources.files(__package__).joinpath("weights.json").read_text("utf-8"))
    models = {
        whose: Model(part["weights"], [(low, high) for low, high in part["calibration"]])
        for whose, part in data["models"].items()
    }
    return Weights(models, data["same"], [(low, high) for low, high in data["sure"]])
