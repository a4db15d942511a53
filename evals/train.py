"""Learn the embedded engine's weights from labeled sessions, and say how well they do on repositories never seen.

    python evals/train.py TRACES_DIR LABELS_DIR [TRACES_DIR LABELS_DIR …] [--write]

Prints the figures of the weights on the sessions they were learned from, and cross-validated: each repository is
scored by weights that never saw it. The last pair of folders holds sessions as they usually come: confidence is
calibrated on them. With --write, the weights go into the package. Needs numpy.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from extract import labeled
from matching import Label, Made, Tally, count, match_score, same_words

from lerim.ingest.findings import Tier
from lerim.ingest.signals.features import agent_features, user_features
from lerim.ingest.signals.kinds import sort_of
from lerim.ingest.signals.model import Model, Weights
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.selection import choose, nearness
from lerim.ingest.signals.sureness import confidence_of, tier_of
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.weighing import REVIEW, Weighed, weighed
from lerim.ingest.signals.wording import quotes, worded
from lerim.ingest.words import is_english

#: How strongly weights are drawn to nothing. Few labels, so strongly.
PULL = 30.0
#: Confidence lies between these two: nothing is certain, and nothing that is written is worthless.
MOST, LEAST = 0.95, 0.1
#: Repositories are parted into so many folds; each is scored by weights learned from the others.
FOLDS = 10
WEIGHTS = Path(__file__).parent.parent / "src/lerim/ingest/signals/weights.json"


@dataclass(frozen=True)
class Row:
    """A reading with what is seen of it, and whether it is what a label rests on."""

    reading: UnitReading
    features: dict[str, float]
    is_right: bool
    #: Which label it matches best, if any.
    best: int | None

    @property
    def whose(self) -> str:
        return "user" if self.reading.unit.is_users else "agent"


@dataclass(frozen=True)
class Sample:
    """A labeled session taken apart."""

    group: str
    labels: list[Label]
    rows: list[Row]
    session: SessionReading
    #: Whether it is of the sessions that confidence is calibrated on.
    is_usual: bool


@dataclass(frozen=True)
class Scored:
    """A chosen reading as it would be proposed."""

    weighed: Weighed
    made: Made
    tier: Tier
    confidence: float


def main() -> int:
    arguments = _arguments()
    pairs = _pairs(arguments.folders)
    samples = [sample for pair in pairs for sample in _samples(*pair, is_usual=pair is pairs[-1])]
    groups, units = {sample.group for sample in samples}, sum(len(sample.rows) for sample in samples)
    print(f"{len(samples)} sessions, {len(groups)} repositories, {units} units")
    usual = [sample for sample in samples if sample.is_usual]
    crossed = _crossed(samples)
    curves = _calibrated(usual, crossed)
    whole = _with_calibration(_learned(samples), curves)
    for part, name in ((samples, "all"), (usual, "the last pair")):
        seen = [_scored(sample, whole) for sample in part]
        unseen = [_scored(sample, _with_calibration(crossed[sample.group], curves)) for sample in part]
        for tiers, of in (((Tier.SURE,), "sure"), ((Tier.SURE, Tier.REVIEW), "sure and review")):
            _print(f"{name}: {of}, in sample", part, seen, tiers)
            _print(f"{name}: {of}, cross-validated", part, unseen, tiers)
        if part is usual:
            _print_reliability(part, unseen)
    if arguments.write:
        WEIGHTS.write_text(json.dumps(_as_json(whole, len(samples)), indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(f"wrote {WEIGHTS}")
    return 0


# --- sessions ------------------------------------------------------------------------------------------------------


def _samples(traces: Path, labels: Path, *, is_usual: bool) -> Iterator[Sample]:
    for one in labeled(traces, labels):
        session = SessionReading(conversation(one.transcript))
        memories = one.label["memories"]
        seen: list[tuple[UnitReading, dict[str, float]]] = [
            (r, user_features(r, session)) for r in session.user_readings
        ]
        seen += [(r, agent_features(r, session)) for r in session.agent_readings]
        yield Sample(one.group, memories, [_row(r, f, memories, session) for r, f in seen], session, is_usual)


def _row(reading: UnitReading, features: dict[str, float], memories: Sequence[Label], session: SessionReading) -> Row:
    texts = tuple(quote.text for quote in quotes(reading))
    body = worded(reading, session).body if reading.unit.is_users else reading.unit.text
    made = Made("", body, texts)
    bounded = made.bounded()
    # What the unit itself says must be what the label rests on: a match by what it answers would teach chance.
    is_right = any(
        match_score(label, bounded) > 0
        and any(same_words(item["quote"], bounded.quotes[0]) for item in label["evidence"])
        for label in memories
    )
    scores = [match_score(label, bounded) for label in memories]
    best = int(np.argmax(scores)) if max(scores, default=0) > 0 else None
    return Row(reading, features, is_right, best)


# --- learning ------------------------------------------------------------------------------------------------------


def _learned(samples: Sequence[Sample]) -> Weights:
    models = {
        whose: _fitted([row for s in samples for row in s.rows if row.whose == whose]) for whose in ("user", "agent")
    }
    return Weights(models, _sameness(samples, models))


def _crossed(samples: Sequence[Sample]) -> dict[str, Weights]:
    """For each repository the weights learned without it and without those of its fold."""
    groups = sorted({sample.group for sample in samples}, key=lambda group: hashlib.blake2b(group.encode()).digest())
    folds = [set(groups[fold::FOLDS]) for fold in range(FOLDS)]
    learned = [_learned([sample for sample in samples if sample.group not in fold]) for fold in folds]
    return {group: weights for fold, weights in zip(folds, learned, strict=True) for group in fold}


def _sameness(samples: Sequence[Sample], models: dict[str, Model]) -> list[float]:
    """When two readings are one point: of those that match a label, the pairs that match the same one."""
    pairs: list[tuple[float, ...]] = []
    is_same: list[bool] = []
    for sample in samples:
        found = [(weighed(r.reading, models[r.whose], r.features), r.best) for r in sample.rows if r.best is not None]
        found = [(one, best) for one, best in found if one.score >= REVIEW[one.whose]]
        for place, (one, best) in enumerate(found):
            for other, theirs in found[:place]:
                pairs.append(nearness(one, other, sample.session.vocabulary))
                is_same.append(best == theirs)
    x = np.hstack([np.ones((len(pairs), 1)), np.array(pairs)])
    return [round(float(value), 3) for value in _newton(x, np.array(is_same, dtype=float), np.array([0.01, 1, 1, 1]))]


def _fitted(every: Sequence[Row]) -> Model:
    """Logistic regression with a ridge, by Newton's method, on features of equal spread."""
    # Labels are in English: whether they speak of what was said in another language cannot be seen.
    rows = [row for row in every if is_english(row.reading.unit.text)]
    names = [name for name in rows[0].features if name != "bias"]
    x = np.array([[row.features.get(name, 0.0) for name in names] for row in rows])
    y = np.array([row.is_right for row in rows], dtype=float)
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.hstack([np.ones((len(rows), 1)), (x - mean) / spread])
    pull = np.array([0.01, *[PULL] * len(names)])
    weights = _newton(z, y, pull)
    plain = weights[1:] / spread
    values = {"bias": weights[0] - float(plain @ mean), **dict(zip(names, plain, strict=True))}
    return Model({name: round(float(value), 4) for name, value in values.items()}, [(0.0, 0.0), (1.0, 1.0)])


def _newton(x: Any, y: Any, pull: Any) -> Any:
    """The weights of a logistic regression that is drawn to nothing by `pull`."""
    weights = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + np.diag(pull), x.T @ (p - y) + pull * weights)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


# --- calibration ---------------------------------------------------------------------------------------------------


def _with_calibration(weights: Weights, curves: dict[str, list[tuple[float, float]]]) -> Weights:
    models = {w: replace(m, calibration=curves[w]) for w, m in weights.models.items()}
    return replace(weights, models=models, sure=curves["sure"])


def _calibrated(samples: Sequence[Sample], crossed: dict[str, Weights]) -> dict[str, list[tuple[float, float]]]:
    """Which share of candidates with a score is right, for scores given by models that never saw the repository."""
    points: dict[str, list[tuple[float, bool]]] = {"user": [], "agent": [], "sure": []}
    for sample in samples:
        kept = _scored(sample, crossed[sample.group])
        for one, right in zip(kept, _right(sample, kept), strict=True):
            points["sure" if one.tier is Tier.SURE else one.weighed.whose].append((one.weighed.score, right))
    return {name: _curve(found) for name, found in points.items()}


def _right(sample: Sample, kept: Sequence[Scored]) -> list[bool]:
    return count(sample.labels, [one.made for one in kept], Tally())


def _curve(points: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """A rising line through bins of equal size; bins that fall are merged."""
    ordered = sorted(points)
    size = max(12, len(ordered) // 8)
    bins = [ordered[i : i + size] for i in range(0, len(ordered), size)]
    if len(bins) > 1 and len(bins[-1]) < size // 2:
        bins[-2:] = [bins[-2] + bins[-1]]
    merged: list[list[tuple[float, bool]]] = []
    for one in bins:
        merged.append(one)
        while len(merged) > 1 and _share(merged[-2]) >= _share(merged[-1]):
            merged[-2:] = [merged[-2] + merged[-1]]
    curve = [
        (round(float(np.mean([s for s, _ in one])), 4), round(min(MOST, max(LEAST, _share(one))), 4)) for one in merged
    ]
    return curve or [(0.5, 0.5)]


def _share(points: Sequence[tuple[float, bool]]) -> float:
    # One right and one wrong more than were seen: few points prove little.
    return (sum(right for _, right in points) + 1) / (len(points) + 2)


# --- figures -------------------------------------------------------------------------------------------------------


def _scored(sample: Sample, weights: Weights) -> list[Scored]:
    found = [weighed(row.reading, weights.models[row.whose], row.features) for row in sample.rows]
    return [_worded(one, sample.session, weights) for one in choose(found, sample.session, weights).kept]


def _worded(one: Weighed, session: SessionReading, weights: Weights) -> Scored:
    primitive, kind, _ = sort_of(one.reading)
    wording = worded(one.reading, session, one.related)
    texts = tuple(quote.text for quote in quotes(one.reading, one.related))
    made = Made(wording.title, wording.body, texts, primitive.value, kind.value if kind else None)
    tier = tier_of(one, wording.title, session)
    sure = weights.sure if tier is Tier.SURE else ()
    return Scored(one, made, tier, confidence_of(one, wording.title, session, sure))


def _print(name: str, samples: Sequence[Sample], kept: Sequence[list[Scored]], tiers: Sequence[Tier]) -> None:
    tally = Tally()
    for sample, found in zip(samples, kept, strict=True):
        count(sample.labels, [one.made for one in found if one.tier in tiers], tally)
    figures = "  ".join(
        f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}" for key, value in tally.figures().items()
    )
    print(f"{name:48} {figures}")


def _print_reliability(samples: Sequence[Sample], kept: Sequence[list[Scored]]) -> None:
    points = [
        (one.confidence, right)
        for sample, found in zip(samples, kept, strict=True)
        for one, right in zip(found, _right(sample, found), strict=True)
    ]
    print("confidence given, share right (cross-validated), candidates")
    for low in np.arange(0.0, 1.0, 0.1):
        inside = [(confidence, right) for confidence, right in points if low <= confidence < low + 0.1]
        if inside:
            print(f"  {np.mean([t for t, _ in inside]):.2f}  {np.mean([r for _, r in inside]):.2f}  {len(inside)}")


def _as_json(weights: Weights, sessions: int) -> dict[str, Any]:
    parts = {w: {"weights": dict(m.weights), "calibration": m.calibration} for w, m in weights.models.items()}
    return {
        "made_by": "evals/train.py",
        "sessions": sessions,
        "models": parts,
        "same": weights.same,
        "sure": weights.sure,
    }


def _pairs(folders: Sequence[Path]) -> list[tuple[Path, Path]]:
    if len(folders) % 2:
        raise SystemExit("give folders in pairs: TRACES_DIR LABELS_DIR")
    return list(zip(folders[::2], folders[1::2], strict=True))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
