"""Our dataclasses behave like the standard ones, case by case, and load nothing to be defined."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cached_property
from typing import Any, ClassVar

import pytest

from lerim import dataclass as ours


def both(**options: Any) -> list[Any]:
    """The same class twice: by the standard library, and by ours."""
    made = []
    for module in (dataclasses, ours):
        namespace: dict[str, Any] = {"__name__": __name__, "field": module.field, "ClassVar": ClassVar}
        exec(_SOURCE, namespace)
        made.append(module.dataclass(**options)(namespace["Point"]))
    return made


_SOURCE = """
from __future__ import annotations
class Point:
    '''A point.'''
    kinds: ClassVar[int] = 3
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)
    secret: str = field(default="s", repr=False, compare=False)
    def moved(self): return self.x + self.y
"""


@dataclasses.dataclass(frozen=True)
class StandardChild:
    base: Slotted


@ours.dataclass(frozen=True, slots=True)
class Slotted:
    one: int
    two: str = "b"


@ours.dataclass(frozen=True)
class Base:
    one: int
    two: int = 2

    @cached_property
    def total(self) -> int:
        return self.one + self.two


@ours.dataclass(frozen=True)
class Child(Base):
    two: int = 5
    three: int = ours.field(default=3, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "two", self.two * 10)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("slots", [False, True])
def test_a_class_is_what_the_standard_one_is(frozen: bool, slots: bool) -> None:
    """Values, defaults, words, equality, copies."""
    standard, own = both(frozen=frozen, slots=slots)

    for make in (lambda c: c(1), lambda c: c(1, 5, ["a"]), lambda c: c(y=3, x=4, secret="t")):
        one, two = make(standard), make(own)
        assert repr(one) == repr(two)
        assert dataclasses.asdict(one) == dataclasses.asdict(two)
        assert [f.name for f in dataclasses.fields(one)] == [f.name for f in dataclasses.fields(two)]
        assert (make(own) == make(own), own(1) == own(2)) == (True, False)
        assert dataclasses.replace(two, y=9) == ours.replace(two, y=9) == own(two.x, 9, two.tags)
        assert copy.deepcopy(two) == copy.copy(two) == two
        assert own(1, secret="a") == own(1, secret="b")
    assert own(1).tags is not own(1).tags
    assert standard.__match_args__ == own.__match_args__
    assert hasattr(own(1), "__dict__") is hasattr(standard(1), "__dict__")


@pytest.mark.parametrize("wrong", [(), (1, 2, [], "s", 5)])
def test_a_wrong_number_of_values_is_refused(wrong: tuple[Any, ...]) -> None:
    for cls in both():
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            cls(*wrong)


def test_a_name_that_is_no_field_is_refused() -> None:
    for cls in both():
        with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
            cls(1, z=2)


def test_a_frozen_one_stays_as_it_is_and_can_be_looked_up() -> None:
    for frozen in (Slotted(1), Base(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            frozen.one = 2  # type: ignore[misc]
        with pytest.raises(dataclasses.FrozenInstanceError):
            del frozen.one
        assert {frozen: 1}[type(frozen)(1)] == 1


def test_a_changing_one_cannot_be_looked_up() -> None:
    for cls in both():
        with pytest.raises(TypeError, match="unhashable"):
            hash(cls(1))


def test_a_child_adds_to_its_base() -> None:
    child = Child(1, three=4)

    assert (1, 50, 4) == (child.one, child.two, child.three)
    assert 51 == child.total
    assert Base(1, 50) != child
    assert Child(1, 5, three=4) == child
    with pytest.raises(TypeError):
        Child(1, 2, 3)  # type: ignore[misc]


def test_it_crosses_between_processes() -> None:
    for item in (Slotted(1, "x"), Base(1), Child(2)):
        assert pickle.loads(pickle.dumps(item)) == item


def test_cases_match_by_place() -> None:
    match Slotted(1, "x"):
        case Slotted(one, two):
            assert (1, "x") == (one, two)


def test_a_standard_one_is_replaced_too() -> None:
    assert StandardChild(Slotted(2)) == ours.replace(StandardChild(Slotted(1)), base=Slotted(2))


def test_it_lies_within_a_standard_one() -> None:
    assert {"base": {"one": 1, "two": "b"}} == dataclasses.asdict(StandardChild(Slotted(1)))
