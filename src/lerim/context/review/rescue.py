"""What waits for review, and was decided on, read out of a store that was damaged: files do not have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lerim.context.place import Place
from lerim.context.review.candidates import ReviewCandidate
from lerim.context.review.deciding import ReviewList
from lerim.context.review.rows import ROWS, decode
from lerim.context.review.waiting import Waiting
from lerim.storage.engine import salvage


def rescue(stores: Iterable[Path], place: Place) -> int:
    """Give a place the candidates that these stores had, each once, as the first of them has it. How many wait now."""
    found: dict[str, ReviewCandidate] = {}
    for store in stores:
        for candidate in _read(store, place.project.id):
            found.setdefault(candidate.id, candidate)
    if found:
        with place.change("lerim", "read out of the damaged store") as change:
            ReviewList(change).take_over(found.values())
    with place.store.read() as snapshot:
        return Waiting(snapshot).count().total


def _read(store: Path, project: str) -> Iterator[ReviewCandidate]:
    quoted = project.replace("'", "''")
    for row in salvage(store, f"{ROWS}'{quoted}'"):
        try:
            yield decode(row)
        except (ValueError, TypeError, KeyError, AttributeError):
            continue  # A row of a damaged page may hold anything.
