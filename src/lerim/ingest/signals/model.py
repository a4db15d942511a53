"""The linear model: a few dozen weights, learned once by `evals/train.py`, and how sure each score turned out to be."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise


@dataclass(frozen=True)
class Model:
    """A weight per feature, and the calibration: which share of candidates with a score was right."""

    weights: Mapping[str, float]
    #: Pairs of score and share, both rising.
    calibration: Sequence[tuple[float, float]]

    def score(self, features: Mapping[str, float]) -> float:
        """How much the features speak for a memory, 0 to 1."""
        total = sum(self.weights.get(name, 0.0) * value for name, value in sorted(features.items()))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def confidence(self, score: float) -> float:
        """Which share of candidates with this score is right, between the points that were measured."""
        points = self.calibration
        if score <= points[0][0]:
            return points[0][1]
        for (low, one), (high, two) in pairwise(points):
            if score <= high:
                return one + (two - one) * (score - low) / (high - low)
        return points[-1][1]

    def reasons(self, features: Mapping[str, float]) -> list[str]:
        """The features that spoke for it, strongest first."""
        spoken = [(self.weights.get(name, 0.0) * value, name) for name, value in features.items() if name != "bias"]
        return [name for weight, name in sorted(spoken, key=lambda pair: (-pair[0], pair[1])) if weight > 0.05]


@dataclass(frozen=True)
class Weights:
    """All that was learned: one model for the user's words, one for the agent's; and when two are one point."""

    models: Mapping[str, Model]
    #: Bias, shared words in all, shared own words, nearness.
    same: Sequence[float]


@cache
def weights() -> Weights:
    """The weights that came with the package."""
    said = json.loads(resources.files(__package__).joinpath("weights.json").read_text("utf-8"))
    models = {
        whose: Model(part["weights"], [(low, high) for low, high in part["calibration"]])
        for whose, part in said["models"].items()
    }
    return Weights(models, said["same"])
