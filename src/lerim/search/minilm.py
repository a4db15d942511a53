"""all-MiniLM-L6-v2 as a few matrix products. In a fresh process this answers before onnxruntime has been imported.

The weights are int8 with a scale for each row or column, read from an ONNX file without an ONNX library.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lerim.search.arrays import Array
from lerim.search.wordpiece import WordPieces

Floats = NDArray[np.float32]
DIMENSIONS = 384
HEADS, _HEAD = 12, 32
LAYERS = 6
_EPSILON = np.float32(1e-12)
#: Pieces of a text that are read; the model was trained on 128 and published with 256.
MAX_PIECES = 256
#: A record's text is read whole up to so many pieces; of a longer one, the gist. Its words are searched for, too: so a
#: vector need only say what it is about. With ranking as a whole, on questions to memories of 300 pieces, 20 find as
#: many as 32 or 96, and 16 a little less. Less of what is short makes answers worse.
SHORT, GIST = 48, 20
# Pieces a batch: what fits into a processor's cache together with a layer's weights.
_BATCH_PIECES = 256


class ModelLayer(NamedTuple):
    """The matrices of one layer, with their biases."""

    qkv: Floats
    qkv_bias: Floats
    out: Floats
    out_bias: Floats
    norm: tuple[Floats, Floats]
    up: Floats
    up_bias: Floats
    down: Floats
    down_bias: Floats
    last_norm: tuple[Floats, Floats]


class _Layers:
    """The layers in their order, unpacked as they are used.

    One question goes through them once: they share the same memory, which is half of the time and of the memory that
    all of them take. Whoever comes again gets them all, and they are kept.
    """

    def __init__(self, tensors: dict[str, Array]) -> None:
        self._tensors = tensors
        self._is_used = False
        self._kept: list[ModelLayer] = []

    def __iter__(self) -> Iterator[ModelLayer]:
        if self._is_used and not self._kept:
            self._kept = [_layer(self._tensors, number, _Room()) for number in range(LAYERS)]
        self._is_used = True
        return iter(self._kept) if self._kept else self._one_by_one()

    def _one_by_one(self) -> Iterator[ModelLayer]:
        room = _Room()
        return (_layer(self._tensors, number, room) for number in range(LAYERS))


class _Room:
    """The memory for the matrices of a layer."""

    def __init__(self) -> None:
        self.qkv = np.empty((DIMENSIONS, 3 * DIMENSIONS), np.float32)
        self.out = np.empty((DIMENSIONS, DIMENSIONS), np.float32)
        self.up = np.empty((DIMENSIONS, 4 * DIMENSIONS), np.float32)
        self.down = np.empty((4 * DIMENSIONS, DIMENSIONS), np.float32)


class MiniLM:
    """Texts → unit vectors. Texts of similar length are computed together, so order does not matter to the caller."""

    def __init__(self, weights: Path) -> None:
        self._pieces = WordPieces()
        tensors = read_tensors(weights)
        self._words, self._word_scale = tensors["word_embeddings.weight_q"], tensors["word_embeddings.weight_scale"]
        positions = tensors["position_embeddings.weight_q"] * tensors["position_embeddings.weight_scale"]
        self._positions: Floats = positions[:MAX_PIECES] + tensors["token_type_embeddings.weight"][0]
        self.norm = tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"]
        self._layers = _Layers(tensors)

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> Floats:
        """A unit vector for each text, or for its gist."""
        pieces = [
            self._pieces.gist(text, SHORT, GIST) if gist else self._pieces.encode(text, MAX_PIECES) for text in texts
        ]
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for batch in batches([len(piece) for piece in pieces]):
            vectors[batch] = self._forward([pieces[number] for number in batch])
        return vectors

    def _forward(self, pieces: Sequence[Sequence[int]]) -> Floats:
        ids, is_there, hidden = padded(pieces)
        x = normed(self.embedded(ids), self.norm)
        for layer in self._layers:
            x = through(layer, x, hidden)
        mean = mean_of(x, is_there)
        unit: Floats = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def pieces(self, text: str, limit: int) -> list[int]:
        """The numbers of a text's pieces, between a start and an end mark, `limit` at most."""
        return self._pieces.encode(text, limit)

    def embedded(self, ids: Array) -> Floats:
        """The pieces as they go into the first layer, once they are normed."""
        found: Floats = self._words[ids] * self._word_scale[ids] + self._positions[: ids.shape[1]]
        return found


@lru_cache(maxsize=1)
def loaded(weights: Path) -> MiniLM:
    """The model, loaded once in a process: the vectors are its, and so are the words of the second reader."""
    return MiniLM(weights)


def padded(pieces: Sequence[Sequence[int]]) -> tuple[Array, Array, Floats | None]:
    """Texts as rows of one length, what of it is there, and what attention must not see of it."""
    lengths = np.array([len(piece) for piece in pieces])
    longest = int(lengths.max())
    ids = np.zeros((len(pieces), longest), np.int64)
    for row, piece in zip(ids, pieces, strict=True):
        row[: len(piece)] = piece
    is_there = np.arange(longest) < lengths[:, None]
    # Texts of one length have nothing to hide.
    hidden = None if is_there.all() else np.where(is_there, np.float32(0), np.float32(-1e9))[:, None, None, :]
    return ids, is_there, hidden


def mean_of(x: Floats, is_there: Array) -> Floats:
    """The mean of each text's pieces."""
    found: Floats = (x * is_there[:, :, None]).sum(1) / is_there.sum(1, keepdims=True).astype(np.float32)
    return found


def through(layer: ModelLayer, x: Floats, hidden: Floats | None) -> Floats:
    texts, length, width = x.shape
    flat = x.reshape(-1, width)
    qkv = _times(flat, layer.qkv, layer.qkv_bias).reshape(texts, length, 3, HEADS, _HEAD)
    query, key, value = qkv.transpose(2, 0, 3, 1, 4)
    scores = query @ key.transpose(0, 1, 3, 2)
    if hidden is not None:
        scores += hidden
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(-1, width)
    mixed = _times(mixed, layer.out, layer.out_bias)
    mixed += flat
    flat = normed(mixed, layer.norm)
    wide = _times(_gelu(_times(flat, layer.up, layer.up_bias)), layer.down, layer.down_bias)
    wide += flat
    return normed(wide, layer.last_norm).reshape(texts, length, width)


def _times(x: Floats, matrix: Floats, bias: Floats) -> Floats:
    product: Floats = x @ matrix
    product += bias
    return product


def normed(x: Floats, norm: tuple[Floats, Floats]) -> Floats:
    """In place."""
    x -= x.mean(-1, keepdims=True)
    spread = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
    x *= 1 / np.sqrt(spread + _EPSILON)
    x *= norm[0]
    x += norm[1]
    return x


def _gelu(x: Floats) -> Floats:
    """x · Φ(x). Φ by its tanh form: within 0.0005 of the exact one; the vectors' cosines to exact ones are 0.9999."""
    inner = x * x
    inner *= np.float32(0.044715 * 0.7978845608)
    inner += np.float32(0.7978845608)
    inner *= x
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.5)
    return inner


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions grouped by length, so that little is padded."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[number] > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _layer(tensors: dict[str, Array], number: int, room: _Room) -> ModelLayer:
    def named(name: str) -> Floats:
        return tensors[f"encoder.layer.{number}.{name}"].astype(np.float32)

    def matrix(index: int, into: Floats) -> Floats:
        name = f"matrix.{6 * number + index}"
        return np.multiply(tensors[f"{name}_q"], tensors[f"{name}_scale"], out=into)

    scale = np.float32(_HEAD**-0.5)
    query_bias = named("attention.self.query.bias") * scale
    for index in range(3):
        matrix(index, room.qkv[:, index * DIMENSIONS : (index + 1) * DIMENSIONS])
    room.qkv[:, :DIMENSIONS] *= scale
    return ModelLayer(
        qkv=room.qkv,
        qkv_bias=np.concatenate([query_bias, named("attention.self.key.bias"), named("attention.self.value.bias")]),
        out=matrix(3, room.out),
        out_bias=named("attention.output.dense.bias"),
        norm=(named("attention.output.LayerNorm.weight"), named("attention.output.LayerNorm.bias")),
        up=matrix(4, room.up),
        up_bias=named("intermediate.dense.bias"),
        down=matrix(5, room.down),
        down_bias=named("output.dense.bias"),
        last_norm=(named("output.LayerNorm.weight"), named("output.LayerNorm.bias")),
    )


# --- the ONNX file ----------------------------------------------------------------------------------------------------

_TYPES = {1: np.float32, 3: np.int8, 7: np.int64}
_MATRIX = re.compile(r"val_(\d+)_(q|scale)")


def read_tensors(path: Path) -> dict[str, Array]:
    """The constants of an ONNX file by name, not copied. The exporter numbered the matrices in the order of their use:
    they are called `matrix.0_q`, `matrix.0_scale` and so on here."""
    with path.open("rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    graph = next(value for field, value in _fields(data) if field == 7)
    tensors = dict(_tensor(value) for field, value in _fields(graph) if field == 5)
    numbers = sorted({int(found[1]) for name in tensors if (found := _MATRIX.fullmatch(name)) and found[2] == "q"})
    order = {number: place for place, number in enumerate(numbers)}

    def renamed(name: str) -> str:
        found = _MATRIX.fullmatch(name)
        return f"matrix.{order[int(found[1])]}_{found[2]}" if found and int(found[1]) in order else name

    return {renamed(name).removeprefix("inner."): values for name, values in tensors.items()} | {
        name.removeprefix("inner.embeddings."): values for name, values in tensors.items()
    }


def _tensor(data: memoryview) -> tuple[str, Array]:
    name, kind, raw, shape = "", 0, data[:0], list[int]()
    for field, value in _fields(data):
        match field:
            case 1:
                shape += [value] if isinstance(value, int) else _packed(value)
            case 2:
                kind = int(value)
            case 8:
                name = bytes(value).decode()
            case 9:
                raw = value
    if kind not in _TYPES or not raw:
        return name, np.empty(0)
    return name, np.frombuffer(raw, _TYPES[kind]).reshape(shape)


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message: their numbers and values."""
    at = 0
    value: int | memoryview
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
            case 2:
                size, at = _varint(data, at)
                value, at = data[at : at + size], at + size
            case wire:
                size = 4 if wire == 5 else 8
                value, at = data[at : at + size], at + size
        yield key >> 3, value


def _packed(data: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
