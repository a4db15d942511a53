"""Learn what the signs of a contradiction are worth together, and say how well that does on authors never seen.

    python evals/train_curate.py [--write]

Reads the labeled pairs beside it. Each author's pairs are judged by trees that never saw that author: prints what would
be replaced rightly and wrongly, by the rules alone and with the score. With --write, the trees that were learned from
all pairs go into the package. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lerim.text.bearing import Bearing, Judgment, judge
from lerim.text.contrast import contrast
from lerim.text.statements import Statement, statement
from lerim.text.weighing import are_plain, settled

sys.path.insert(0, str(Path(__file__).parent))
from retrieve import rows

from curate import said, text_of

Floats = NDArray[np.float64]
FOLDER = Path(__file__).parent
TREES = FOLDER.parent / "src/lerim/text/trees.json"
#: Where the pairs of another author begin among those of many voices.
_AUTHORS = (0, 135, 269, 397, 519, 579)
#: Few labels, so small trees, and many of them.
_ROUNDS, _RATE, _LEAVES, _LEAST, _PULL = 200, 0.06, 8, 15, 1.0
#: Steps between which a sign is parted.
_STEPS = 16


@dataclass(frozen=True)
class LabeledPair:
    """A pair: who wrote it, and whether the later one replaces the earlier."""

    author: str
    later: Statement
    earlier: Statement
    replaces: bool

    @cached_property
    def signs(self) -> Mapping[str, float]:
        return contrast(self.later, self.earlier)

    @cached_property
    def ruled(self) -> Judgment:
        return judge(self.later, self.earlier)


@dataclass
class Split:
    """A node of a tree: a leaf while it has no sign."""

    rows: NDArray[np.intp]
    value: float = 0.0
    sign: int = -1
    at: float = 0.0
    gain: float = 0.0
    sides: tuple[Split, ...] = field(default=())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put what was learned from all pairs into the package")
    args = parser.parse_args()
    pairs = list(labeled_pairs())
    names = sorted({name for pair in pairs for name in pair.signs})
    if args.write:
        trees, bias = learned_from(pairs, names)
        TREES.write_text(json.dumps(told(trees, bias, names), separators=(",", ":")) + "\n")
        return 0
    held_out(pairs, names)
    return 0


def labeled_pairs() -> Iterator[LabeledPair]:
    for name in ("development", "test", "voices", "domains"):
        for number, row in enumerate(rows(FOLDER / f"curate_{name}.jsonl")):
            earlier, later = (statement(*text_of(side)) for side in sorted((row["older"], row["newer"]), key=said))
            yield LabeledPair(_author(name, number, row["id"]), later, earlier, Bearing(row["relation"]).replaces)


def _author(name: str, number: int, row: str) -> str:
    if name == "voices":
        return f"voices {sum(first <= number for first in _AUTHORS)}"
    if name == "domains":
        return f"domains {number % 2 + 1}"  # One author; in halves.
    return "development" if row.startswith("development") else "later sets"


def held_out(pairs: Sequence[LabeledPair], names: Sequence[str]) -> None:
    total = np.zeros(6)
    for author in sorted({pair.author for pair in pairs} - {"development"}):
        trees, bias = learned_from([pair for pair in pairs if pair.author != author], names)
        mine = [pair for pair in pairs if pair.author == author]
        scores = scored(trees, bias, rows_of(mine, names))
        counts = np.array(list(counted([*zip(mine, map(float, scores), strict=True)])))
        total += counts
        print(f"{author:12} {figures(counts)}", flush=True)
    print(f"{'all of them':12} {figures(total)}")


def learned_from(pairs: Sequence[LabeledPair], names: Sequence[str]) -> tuple[list[Split], float]:
    return learned(rows_of(pairs, names), np.array([pair.replaces for pair in pairs], float))


def rows_of(pairs: Sequence[LabeledPair], names: Sequence[str]) -> Floats:
    return np.array([[pair.signs.get(name, 0.0) for name in names] for pair in pairs])


def counted(found: Sequence[tuple[LabeledPair, float]]) -> Iterator[int]:
    """How many replace another and how many do not, and what of each is replaced by the rules, and with the score."""
    for is_wanted in (True, False):
        some = [(pair, score) for pair, score in found if pair.replaces is is_wanted]
        yield len(some)
        yield sum(pair.ruled.replaces for pair, _ in some)
        yield sum(_settled(pair, score).replaces for pair, score in some)


def _settled(pair: LabeledPair, score: float) -> Judgment:
    is_plain = are_plain(pair.later, pair.earlier)
    return settled(pair.ruled, score, tells_change=True, is_plain=is_plain)


def figures(counts: Floats) -> str:
    right, ruled, scored_right, wrong, misruled, scored_wrong = map(int, counts)
    return (
        f"{right:4} replace: rules {ruled / right:.3f}, with the score {scored_right / right:.3f};"
        f" {wrong:4} do not: wrongly {misruled}, {scored_wrong}"
    )


# --- trees ------------------------------------------------------------------------------------------------------------


def learned(signs: Floats, wanted: Floats) -> tuple[list[Split], float]:
    """Trees, each of which mends what those before it got wrong."""
    steps = [_steps(column) for column in signs.T]
    binned = np.stack(
        [np.searchsorted(step, column, side="left") for step, column in zip(steps, signs.T, strict=True)], 1
    )
    bias = float(np.log(wanted.mean() / (1 - wanted.mean())))
    totals = np.full(len(wanted), bias)
    trees: list[Split] = []
    for _ in range(_ROUNDS):
        share = 1 / (1 + np.exp(-totals))
        tree = _grown(binned, steps, wanted - share, share * (1 - share))
        trees.append(tree)
        for leaf in _leaves(tree):
            totals[leaf.rows] += leaf.value
    return trees, bias


def _steps(column: Floats) -> Floats:
    values = np.unique(column)
    if len(values) > _STEPS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, _STEPS)))
    return (values[1:] + values[:-1]) / 2


def _grown(binned: NDArray[Any], steps: Sequence[Floats], pull: Floats, weight: Floats) -> Split:
    root = _node(np.arange(len(pull)), binned, steps, pull, weight)
    for _ in range(_LEAVES - 1):
        best = max(_leaves(root), key=lambda leaf: leaf.gain)
        if best.gain <= 0:
            break
        is_low = binned[best.rows, best.sign] <= np.searchsorted(steps[best.sign], best.at, side="left")
        best.sides = tuple(_node(best.rows[side], binned, steps, pull, weight) for side in (is_low, ~is_low))
    return root


def _node(rows: NDArray[np.intp], binned: NDArray[Any], steps: Sequence[Floats], pull: Floats, weight: Floats) -> Split:
    """A leaf, and where it is best parted."""
    all_pull, all_weight = pull[rows].sum(), weight[rows].sum()
    node = Split(rows, _RATE * all_pull / (all_weight + _PULL))
    if len(rows) < 2 * _LEAST:
        return node
    width = _STEPS + 1
    at = (binned[rows] + np.arange(binned.shape[1]) * width).ravel()
    size = binned.shape[1] * width
    sums = [
        np.cumsum(np.bincount(at, np.repeat(part, binned.shape[1]), size).reshape(-1, width), axis=1)
        for part in (pull[rows], weight[rows], np.ones(len(rows)))
    ]
    low_pull, low_weight, low = sums
    gains = low_pull**2 / (low_weight + _PULL) + (all_pull - low_pull) ** 2 / (all_weight - low_weight + _PULL)
    gains -= all_pull**2 / (all_weight + _PULL)
    gains[(low < _LEAST) | (len(rows) - low < _LEAST)] = 0.0
    sign, step = np.unravel_index(int(gains.argmax()), gains.shape)
    if gains[sign, step] > 0:
        node.sign, node.at, node.gain = int(sign), float(steps[int(sign)][int(step)]), float(gains[sign, step])
    return node


def _leaves(node: Split) -> Iterator[Split]:
    if not node.sides:
        yield node
    for side in node.sides:
        yield from _leaves(side)


def scored(trees: Sequence[Split], bias: float, signs: Floats) -> Floats:
    totals = np.full(len(signs), bias)
    for tree in trees:
        totals += [_value(tree, row) for row in signs]
    return 1 / (1 + np.exp(-totals))


def _value(node: Split, row: Floats) -> float:
    while node.sides:
        node = node.sides[int(row[node.sign] > node.at)]
    return node.value


def told(trees: Sequence[Split], bias: float, names: Sequence[str]) -> dict[str, Any]:
    return {"bias": round(bias, 4), "signs": list(names), "trees": [_told(tree) for tree in trees]}


def _told(node: Split) -> Any:
    """A leaf is a number; a node is its sign, its step and both sides."""
    if not node.sides:
        return round(node.value, 4)
    return [node.sign, round(node.at, 4), *map(_told, node.sides)]


if __name__ == "__main__":
    sys.exit(main())
