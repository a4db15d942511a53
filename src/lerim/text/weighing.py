"""The rules' judgment of two statements, weighed against a score that was learned from labeled pairs. Pure.

Rules know the sentences that somebody thought of. The score goes by what any sentence shows (`contrast.py`), through
small trees that `evals/train_curate.py` learned. Where the rules are unsure, a high score settles it. Where they see
nothing, a high score is for a person: of what it finds alone on pairs by a new author, too much can hold together. It
never turns what says the same into its contrary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from lerim.dataclass import dataclass, replace
from lerim.text.alike import missing
from lerim.text.bearing import Bearing, Judgment, judge
from lerim.text.contrast import contrast
from lerim.text.statements import Statement

#: From here on a score settles what the rules are unsure of. No pair that goes together came so far, of authors that
#: the trees never saw.
_SETTLED = 0.82
#: From here on a person should look at what the rules did not see.
_ASKED = 0.86
#: The pairs it was learned from are no longer than this, in characters. Of what says more, more can hold together.
_TITLE, _BODY = 100, 120
#: So much of one must stand in the other.
_SHARED = 0.33
#: A tree, or a part of one: a leaf's worth, or the number of a sign, a step, and what to go on with below and above it.
Branching = Any


@dataclass(frozen=True, slots=True)
class Forest:
    """All that was learned: which signs there are, and the trees."""

    bias: float
    signs: tuple[str, ...]
    trees: tuple[Branching, ...]

    def score(self, found: Mapping[str, float]) -> float:
        """How likely it is that the later one replaces the earlier, 0 to 1."""
        row = [found.get(name, 0.0) for name in self.signs]
        total = self.bias + math.fsum(_worth(tree, row) for tree in self.trees)
        return 1 / (1 + math.exp(-total))


def _worth(tree: Branching, row: list[float]) -> float:
    while isinstance(tree, list):
        sign, step, below, above = tree
        tree = above if row[sign] > step else below
    return float(tree)


@cache
def forest() -> Forest:
    """The trees that came with the package."""
    data = json.loads(resources.files(__package__).joinpath("trees.json").read_text("utf-8"))
    return Forest(data["bias"], tuple(data["signs"]), tuple(data["trees"]))


def weighed(later: Statement, earlier: Statement, *, is_choice: bool = True) -> Judgment:
    """How the later statement bears on the earlier one, by the rules and by the score. Of facts, by the rules alone:
    there may be several."""
    ruled = judge(later, earlier, is_choice=is_choice)
    if not is_choice or ruled.replaces or ruled.bearing is Bearing.DUPLICATE or not _is_of_one_matter(later, earlier):
        return ruled
    score = forest().score(contrast(later, earlier))
    found = settled(ruled, score, tells_change=later.tells_change, is_plain=are_plain(later, earlier))
    is_told_already = found is not ruled and judge(earlier, later).bearing is Bearing.DUPLICATE
    return ruled if is_told_already else found


def settled(ruled: Judgment, score: float, *, tells_change: bool, is_plain: bool) -> Judgment:
    """What comes of the score where the rules are not sure that the later one replaces the earlier."""
    if ruled.bearing.replaces:
        return replace(ruled, is_sure=ruled.is_sure or (is_plain and score >= _SETTLED))
    if ruled.bearing is Bearing.DUPLICATE or score < _ASKED:
        return ruled
    bearing = Bearing.REVERSAL if tells_change else Bearing.CONTRADICTION
    return Judgment(bearing, "it seems to say something else of the same", is_sure=False)


def are_plain(later: Statement, earlier: Statement) -> bool:
    """Whether two are short, as those are that the score was learned from, and speak of one matter for a good part."""
    if any(len(one.title) > _TITLE or len(one.body) > _BODY for one in (later, earlier)):
        return False
    mine, theirs = (frozenset(word for said in one.main for word in said.heavy) for one in (later, earlier))
    lacking, lost = missing(mine, theirs), missing(theirs, mine)
    return any(len(rest) <= (1 - _SHARED) * len(told) for rest, told in ((lacking, mine), (lost, theirs)) if told)


def _is_of_one_matter(later: Statement, earlier: Statement) -> bool:
    """Whether there is anything to weigh: a word that both have, in titles that are not the same."""
    if later.title.casefold() == earlier.title.casefold() or later.numbered != earlier.numbered:
        return False
    return missing(later.heavy, earlier.bag) != later.heavy
