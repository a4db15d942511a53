"""Vectors of records: a byte a number, in packs that are built whole, and found through coarse cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lerim.dataclass import dataclass, fields
from lerim.search.arrays import Array
from lerim.search.segment import Numbers

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
#: Up to here every vector is compared; a larger pack has cells of about the square root of its size.
_SMALL = 5_000
#: Cells that are looked into, over all packs.
PROBES = 16
_ROUNDS = 6
_SAMPLE = 40
# Rows compared at a time: as floats they fit into a processor's cache.
_ROWS = 2048


@dataclass(frozen=True)
class Pack:
    """Unit vectors as bytes with a scale each, grouped by cell: cell n is `rows[cells[n]:cells[n + 1]]`."""

    seqs: Numbers
    rows: Bytes
    scales: Floats
    centers: Floats
    cells: Numbers
    #: The places of `seqs`, sorted.
    order: Numbers

    def __len__(self) -> int:
        return len(self.seqs)

    def arrays(self) -> dict[str, Array]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Pack:
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    def places(self, seqs: Numbers) -> Numbers:
        """The places of these records here; -1 for one that is not."""
        if not len(self.seqs):
            return np.full(len(seqs), -1)
        at = np.searchsorted(self.seqs, seqs, sorter=self.order)
        at[at == len(self.seqs)] = 0
        found = self.order[at]
        return np.where(self.seqs[found] == seqs, found, -1)

    def cosines(self, query: Floats, places: Numbers) -> Floats:
        """How near the vectors at these places are to a query."""
        near: Floats = (self.rows[places].astype(np.float32) @ query) * self.scales[places]
        return near

    def in_cell(self, query: Floats, cell: int) -> tuple[Numbers, Floats]:
        """The records of a cell, and how near each is."""
        start, end = int(self.cells[cell]), int(self.cells[cell + 1])
        found = np.empty(end - start, np.float32)
        for at in range(start, end, _ROWS):
            last = min(at + _ROWS, end)
            found[at - start : last - start] = self.rows[at:last].astype(np.float32) @ query
        found *= self.scales[start:end]
        return self.seqs[start:end], found


def nearest(packs: Sequence[Pack], query: Floats, limit: int, probes: int = PROBES) -> tuple[Numbers, Floats]:
    """The records nearest to a query, and how near: of the cells nearest to it, over all packs, best first."""
    packs = [pack for pack in packs if len(pack)]
    if not packs:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    found = [pack.in_cell(query, cell) for pack, cell in _cells(packs, query, probes)]
    seqs, near = (np.concatenate(part) for part in zip(*found, strict=True))
    if len(near) > limit:
        best = np.argpartition(-near, limit)[:limit]
        seqs, near = seqs[best], near[best]
    order = np.argsort(-near, kind="stable")
    return seqs[order], near[order]


def _cells(packs: Sequence[Pack], query: Floats, probes: int) -> Iterator[tuple[Pack, int]]:
    """The cells to look into. A pack without cells counts as one that is always near."""
    large = [pack for pack in packs if len(pack.centers)]
    yield from ((pack, 0) for pack in packs if not len(pack.centers))
    if large:
        near = np.concatenate([pack.centers @ query for pack in large])
        owner = np.repeat(np.arange(len(large)), [len(pack.centers) for pack in large])
        first = np.cumsum([0, *(len(pack.centers) for pack in large)])
        for at in np.argsort(-near)[:probes]:
            yield large[owner[at]], int(at - first[owner[at]])


def pack(seqs: Sequence[int], blobs: Sequence[bytes]) -> Pack:
    """A pack of stored vectors."""
    raw = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), -1) if blobs else np.empty((0, 4), np.uint8)
    scales = np.ascontiguousarray(raw[:, :4]).view(np.float32).ravel()
    rows, numbers = np.ascontiguousarray(raw[:, 4:]).view(np.int8), np.array(seqs, np.int64)
    centers = _centers(rows, scales) if len(rows) > _SMALL else np.empty((0, rows.shape[1]), np.float32)
    order, cells = _grouped(rows, centers)
    rows, scales, numbers = rows[order], scales[order], numbers[order]
    return Pack(numbers, rows, scales, centers, cells, np.argsort(numbers, kind="stable"))


def to_blob(vector: Floats) -> bytes:
    """A unit vector as it is stored: a scale, then a byte a number. Cosines change by less than 0.005."""
    scale = np.float32(max(float(np.abs(vector).max()), 1e-9) / 127)
    return bytes(scale.tobytes()) + bytes(np.rint(vector / scale).astype(np.int8).tobytes())


def _centers(rows: Bytes, scales: Floats) -> Floats:
    """The middles of about √n groups: a few rounds of k-means on a sample. The same rows give the same middles."""
    count = int(len(rows) ** 0.5)
    dice = np.random.default_rng(7)
    some = np.sort(dice.choice(len(rows), min(len(rows), _SAMPLE * count), replace=False))
    sample = rows[some].astype(np.float32) * scales[some, None]
    centers = sample[dice.choice(len(sample), count, replace=False)].copy()
    for _ in range(_ROUNDS):
        owner = _nearest_center(sample, centers)
        sums = np.zeros_like(centers)
        np.add.at(sums, owner, sample)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centers = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centers)
    return centers.astype(np.float32)


def _nearest_center(vectors: Floats, centers: Floats) -> Numbers:
    found = [np.argmax(vectors[at : at + _ROWS] @ centers.T, axis=1) for at in range(0, len(vectors), _ROWS)]
    return np.concatenate(found)


def _grouped(rows: Bytes, centers: Floats) -> tuple[Numbers, Numbers]:
    """The order that puts rows of one cell together, and where each cell begins."""
    if not len(centers):
        return np.arange(len(rows)), np.array([0, len(rows)], np.int64)
    parts = (rows[at : at + _ROWS].astype(np.float32) for at in range(0, len(rows), _ROWS))
    owner = np.concatenate([np.argmax(part @ centers.T, axis=1) for part in parts])
    sizes = np.bincount(owner, minlength=len(centers))
    return np.argsort(owner, kind="stable"), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
