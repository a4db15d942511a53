"""Which records are nearest in meaning to each: lists of a few, kept exact while records come, change and go.

A cosine is a product of whole numbers and two scales: the same for a pair however many are compared at once. So a list
that followed every change is, to the bit, the one that is made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lerim.dataclass import dataclass
from lerim.search.segment import Numbers
from lerim.search.vectors import Bytes, Floats, Pack

#: So many of the nearest count for each record.
MOST_NEAR = 12
#: What is further away than this is not near.
LEAST_NEAR = 0.4
_NOBODY = -1
_ROWS = 2048
# Rows compared with all others at once: a block of cosines stays within a few megabytes.
_QUERIES = 64
_LIST = np.dtype([("near", np.int64, MOST_NEAR), ("how", np.float64, MOST_NEAR)])
Cosines = NDArray[np.float64]


@dataclass(frozen=True)
class VectorTable:
    """The vectors of some records, row by row in the order of `seqs`, which are sorted."""

    seqs: Numbers
    rows: Bytes
    scales: Floats

    @classmethod
    def of(cls, packs: Sequence[Pack], seqs: Sequence[int]) -> VectorTable:
        """The vectors of these records; those that have none are left out."""
        wanted = np.array(sorted(seqs), np.int64)
        packs = [pack for pack in packs if len(pack)]
        if not packs or not len(wanted):
            return cls(np.empty(0, np.int64), np.empty((0, 1), np.int8), np.empty(0, np.float32))
        rows = np.zeros((len(wanted), packs[0].rows.shape[1]), np.int8)
        scales = np.zeros(len(wanted), np.float32)
        # Of a record that several packs hold, the last one has the newest.
        for pack in packs:
            at = pack.places(wanted)
            here = np.flatnonzero(at >= 0)
            rows[here], scales[here] = pack.rows[at[here]], pack.scales[at[here]]
        there = np.flatnonzero(scales > 0)
        return cls(wanted[there], rows[there], scales[there])

    def places(self, seqs: Sequence[int]) -> Numbers:
        """The rows of these records."""
        return np.searchsorted(self.seqs, np.array(seqs, np.int64))

    def cosines(self, places: Numbers) -> Cosines:
        """How near some of the records are to all of them; to themselves not at all."""
        some = self.rows[places].astype(np.float32)
        found = np.empty((len(places), len(self.seqs)), np.float64)
        for at in range(0, len(self.seqs), _ROWS):
            # Whole numbers, far below what a float holds exactly: the order of adding does not matter.
            found[:, at : at + _ROWS] = some @ self.rows[at : at + _ROWS].astype(np.float32).T
        found *= self.scales[places, None].astype(np.float64) * self.scales[None, :].astype(np.float64)
        found[np.arange(len(places)), places] = -1.0
        return found


class NearLists:
    """The nearest records of each record, best first, and how near each is. Rows are in the order of `seqs`."""

    def __init__(self, lists: Mapping[int, bytes]) -> None:
        self.seqs: Numbers = np.array(sorted(lists), np.int64)
        found = np.frombuffer(b"".join(lists[seq] for seq in self.seqs.tolist()), _LIST)
        self._near, self._how = found["near"].copy(), found["how"].copy()

    def mutual(self, one: int, other: int) -> float | None:
        """How near two records are of which each is among the nearest of the other; None when they are not."""
        near = self.of(one).get(other)
        return near if near is not None and one in self.of(other) else None

    def of(self, seq: int) -> dict[int, float]:
        """The nearest of one record."""
        row = int(np.searchsorted(self.seqs, seq))
        return self._read(row) if row < len(self.seqs) and self.seqs[row] == seq else {}

    def blob(self, seq: int) -> bytes:
        """A list as it is kept."""
        row = int(np.searchsorted(self.seqs, seq))
        return bytes(self._near[row].tobytes()) + bytes(self._how[row].tobytes())

    def follow(self, table: VectorTable, gone: set[int], come: set[int]) -> dict[int, set[int]]:
        """Take records out and in; of each record whose list changed, those that came into it or went out of it.

        `table` holds the vectors of all records as they are after that.
        """
        before = {seq: self.of(seq) for seq in gone}
        # Whoever lost one of its nearest has room for somebody that nobody knows yet.
        lost = np.isin(self._near, np.array(sorted(gone), np.int64)).any(axis=1) if gone else np.zeros(0, np.bool_)
        short = set(self.seqs[lost].tolist()) - gone if gone else set[int]()
        before |= {seq: self.of(seq) for seq in short}
        self._move_to(table.seqs)
        anew = sorted(come | short)
        for start in range(0, len(anew), _QUERIES):
            some = anew[start : start + _QUERIES]
            places = table.places(some)
            cosines = table.cosines(places)
            for row, place in enumerate(places.tolist()):
                self._write(place, _best(cosines[row], table.seqs))
            new = [row for row, seq in enumerate(some) if seq in come]
            self._met(cosines[new], [some[row] for row in new], set(anew), before)
        after = {seq: self.of(seq) for seq in {*before, *come}}
        return {seq: _differing(before.get(seq, {}), near) for seq, near in after.items()}

    def _move_to(self, seqs: Numbers) -> None:
        """Have a row for each of these records, empty for those that had none."""
        near, how = _empty(len(seqs))
        at = np.searchsorted(self.seqs, seqs)
        at[at == len(self.seqs)] = 0
        here = np.flatnonzero(self.seqs[at] == seqs) if len(self.seqs) else np.empty(0, np.int64)
        near[here], how[here] = self._near[at[here]], self._how[at[here]]
        self.seqs, self._near, self._how = seqs, near, how

    def _met(
        self, cosines: Cosines, newcomers: Sequence[int], anew: set[int], before: dict[int, dict[int, float]]
    ) -> None:
        """Put newcomers into the lists of others that they are near enough to, and note what those were before."""
        last = self._near[:, -1]
        floors = np.where(last == _NOBODY, LEAST_NEAR, self._how[:, -1])
        for row, place in zip(*(found.tolist() for found in np.nonzero(cosines >= floors[None, :])), strict=True):
            other = int(self.seqs[place])
            if other not in anew:
                near = self._read(place)
                before.setdefault(other, near)
                self._write(place, _first({**near, newcomers[row]: float(cosines[row, place])}))

    def _read(self, row: int) -> dict[int, float]:
        found = zip(self._near[row].tolist(), self._how[row].tolist(), strict=True)
        return {seq: how for seq, how in found if seq != _NOBODY}

    def _write(self, row: int, near: Mapping[int, float]) -> None:
        self._near[row], self._how[row] = _NOBODY, 0.0
        self._near[row, : len(near)], self._how[row, : len(near)] = list(near), list(near.values())


def _empty(rows: int) -> tuple[Numbers, Cosines]:
    return np.full((rows, MOST_NEAR), _NOBODY, np.int64), np.zeros((rows, MOST_NEAR), np.float64)


def _best(cosines: Cosines, seqs: Numbers) -> dict[int, float]:
    near = np.flatnonzero(cosines >= LEAST_NEAR)
    order = near[np.lexsort((seqs[near], -cosines[near]))[:MOST_NEAR]]
    return dict(zip(seqs[order].tolist(), cosines[order].tolist(), strict=True))


def _first(near: Mapping[int, float]) -> dict[int, float]:
    return dict(sorted(near.items(), key=lambda item: (-item[1], item[0]))[:MOST_NEAR])


def _differing(one: Mapping[int, float], other: Mapping[int, float]) -> set[int]:
    return {seq for seq in one.keys() | other.keys() if one.get(seq) != other.get(seq)}


def pairs_of(changed: Mapping[int, set[int]]) -> Iterator[tuple[int, int]]:
    """The pairs that changed lists speak of, the lower number first."""
    for seq, others in changed.items():
        yield from ((min(seq, other), max(seq, other)) for other in others)
