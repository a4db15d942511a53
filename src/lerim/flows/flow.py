"""What all flows are: work on the rooms of a house, each entry after a look at what people did to the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from lerim.house.workforce import Workforce

if TYPE_CHECKING:
    from lerim.house.rooms import House

_T = TypeVar("_T")


class Flow:
    """Works on the rooms of a house. Its public methods are entries where `@entries` says so."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._workforce = Workforce(house)

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._house.memory.enter(work)
