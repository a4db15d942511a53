"""What the later of two statements is to the earlier one, by a small model that reads both at once.

The words are those of all-MiniLM-L6-v2, and so were its layers before `evals/train_bearing.py` taught them on pairs of
statements from software projects: int8 with a scale for each column, in `models/bearing.arrays`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from lerim.search import arrays
from lerim.search.arrays import Array
from lerim.search.embeddings import packaged_weights
from lerim.search.minilm import LAYERS, Floats, MiniLM, ModelLayer, batches, loaded, mean_of, normed, padded, through
from lerim.text.bearing import Bearing

WEIGHTS = Path(__file__).with_name("models") / "bearing.arrays"
#: What the model tells apart, in the order of its answers.
BEARINGS = (Bearing.DUPLICATE, Bearing.REFINEMENT, Bearing.CONTRADICTION, Bearing.REVERSAL, Bearing.UNRELATED)
#: Pieces of each statement that are read, a title and a sentence or two: time is by the piece.
MOST_PIECES = 40


def as_read(title: str, body: str) -> str:
    """A statement as the model reads it."""
    return f"{title}. {body}" if body else title


class BearingModel:
    """Pairs of statements → how likely each bearing is."""

    def __init__(self, words: MiniLM, taught: dict[str, Array]) -> None:
        self._words = words
        self._sides: Floats = taught["sides"]
        self._layers = [_layer(taught, number) for number in range(LAYERS)]
        self._head, self._head_bias = taught["head"], taught["head_bias"]

    def shares(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """For each pair, the earlier statement first, a row with the share of every bearing."""
        sides = [[self._words.pieces(text, MOST_PIECES) for text in pair] for pair in pairs]
        pieces = [[*earlier, *later[1:]] for earlier, later in sides]
        found = np.empty((len(pairs), len(BEARINGS)), np.float32)
        for batch in batches([len(piece) for piece in pieces]):
            firsts = np.array([len(sides[number][0]) for number in batch])
            found[batch] = self._forward([pieces[number] for number in batch], firsts)
        return found

    def _forward(self, pieces: Sequence[Sequence[int]], firsts: Array) -> Floats:
        ids, is_there, hidden = padded(pieces)
        is_later = (np.arange(ids.shape[1]) >= firsts[:, None]).astype(np.int8)
        x = normed(self._words.embedded(ids) + self._sides[is_later], self._words.norm)
        for layer in self._layers:
            x = through(layer, x, hidden)
        scores = np.concatenate([x[:, 0], mean_of(x, is_there)], axis=1) @ self._head + self._head_bias
        shares = np.exp(scores - scores.max(1, keepdims=True))
        result: Floats = shares / shares.sum(1, keepdims=True)
        return result


def _layer(taught: dict[str, Array], number: int) -> ModelLayer:
    def named(name: str) -> Floats:
        return taught[f"{number}.{name}"]

    def matrix(name: str) -> Floats:
        found: Floats = named(f"{name}_q") * named(f"{name}_scale")
        return found

    return ModelLayer(
        qkv=matrix("qkv"),
        qkv_bias=named("qkv_bias"),
        out=matrix("out"),
        out_bias=named("out_bias"),
        norm=(named("norm_weight"), named("norm_bias")),
        up=matrix("up"),
        up_bias=named("up_bias"),
        down=matrix("down"),
        down_bias=named("down_bias"),
        last_norm=(named("last_norm_weight"), named("last_norm_bias")),
    )


@cache
def bearing_model() -> BearingModel | None:
    """The model that came with Lerim, loaded once in a process; None without the weights of its words."""
    words = packaged_weights()
    return BearingModel(loaded(words), arrays.read(WEIGHTS)) if words else None
