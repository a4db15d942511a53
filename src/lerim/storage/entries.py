"""The entries of a room: its public methods, each of which keeps the room's promise before it does its own work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType
from typing import Any, Protocol, TypeVar

_T = TypeVar("_T")
_Room = TypeVar("_Room", bound="Room")
_Method = TypeVar("_Method", bound=Callable[..., Any])
_NOT_AN_ENTRY = "is_not_an_entry"
# As `inspect` has it, which takes long to load.
_GENERATOR = 0x20


class Room(Protocol):
    """A class whose public methods are entries."""

    def enter(self, work: Callable[[], _T]) -> _T:
        """Keep the promise, then do the work. Work that enters again is simply done."""
        ...


def entries(room: type[_Room]) -> type[_Room]:
    """Lead every public method of a class through its `enter`, so that none can be forgotten.

    A generator is left alone: it works bit by bit, through other entries.
    """
    for name, method in list(vars(room).items()):
        if isinstance(method, FunctionType) and not name.startswith("_") and name != "enter":
            is_generator = method.__code__.co_flags & _GENERATOR
            if not is_generator and not hasattr(method, _NOT_AN_ENTRY):
                setattr(room, name, _entry(method))
    return room


def not_an_entry(method: _Method) -> _Method:
    """Mark a public method that keeps the promise in its own way, or has nothing to do with it."""
    setattr(method, _NOT_AN_ENTRY, True)
    return method


def _entry(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def entering(room: Room, *args: Any, **kwargs: Any) -> Any:
        return room.enter(partial(method, room, *args, **kwargs))

    return entering
