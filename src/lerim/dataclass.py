"""Dataclasses that cost nothing to define, with the names that the standard library gives their parts.

The standard ones write and compile half a dozen functions for every class, and load `inspect` to do so: a third of what
a quick command waited for. Here a class only notes its fields. Its `__init__` is written when the first instance is
made, and the rest is shared by all. `dataclasses.replace` and its kin take such instances like any others.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # To whoever checks types, they are the standard ones.
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import is_dataclass as is_dataclass
    from dataclasses import replace as replace

_FIELDS = "__lerim_fields__"
_MISSING: Any = object()
_SLOTTED = type(type("_Slotted", (), {"__slots__": ("one",)}).__dict__["one"])
_set: Callable[[Any, str, Any], None] = object.__setattr__


class _Field:
    """One field of a class, by the names the standard library gives its parts."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "metadata", "name", "repr", "type")

    def __init__(
        self, default: Any, default_factory: Any, init: bool, repr: bool, compare: bool, kw_only: bool, metadata: Any
    ) -> None:
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only
        self.metadata = metadata or {}


def _dataclass(cls: Any = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False) -> Any:
    """Make a class a dataclass."""
    if cls is None:
        return lambda cls: _defined(cls, frozen, slots, kw_only)
    return _defined(cls, frozen, slots, kw_only)


def _field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    init: bool = True,
    repr: bool = True,
    compare: bool = True,
    kw_only: bool = False,
    metadata: Any = None,
) -> Any:
    """A field with more to it than a default."""
    return _Field(default, default_factory, init, repr, compare, kw_only, metadata)


def _fields(of: Any) -> tuple[_Field, ...]:
    """The fields of a class or an instance, in their order."""
    return tuple(getattr(of, _FIELDS).values())


def _is_dataclass(of: Any) -> bool:
    return hasattr(of, _FIELDS)


def _replace(item: Any, /, **changes: Any) -> Any:
    """The same with other values. Standard dataclasses are taken, too."""
    if not _is_dataclass(item):
        from dataclasses import replace  # Its class has loaded it.

        return replace(item, **changes)
    for each in getattr(item, _FIELDS).values():
        if each.init and each.name not in changes:
            changes[each.name] = getattr(item, each.name)
    return type(item)(**changes)


if not TYPE_CHECKING:
    dataclass, field, fields, is_dataclass, replace = _dataclass, _field, _fields, _is_dataclass, _replace


# --- a class ----------------------------------------------------------------------------------------------------------


def _defined(cls: Any, frozen: bool, slots: bool, kw_only: bool) -> Any:
    found: dict[str, _Field] = dict(getattr(cls, _FIELDS, {}))
    for name, kind in cls.__annotations__.items():
        if "ClassVar" not in str(kind):
            found[name] = _declared(cls, name, kind, kw_only)
    methods = {
        _FIELDS: found,
        "__dataclass_fields__": _StandardFields(),
        "__match_args__": tuple(each.name for each in found.values() if each.init and not each.kw_only),
        "__repr__": _repr,
        "__eq__": _equals,
        "__hash__": _hash if frozen else None,
        **({"__setattr__": _frozen_set, "__delattr__": _frozen_delete} if frozen else {}),
    }
    own = vars(cls)
    given = {name: method for name, method in methods.items() if name not in own or own[name] is None}
    if slots:
        cls = _with_slots(cls, found, frozen)
    for name, method in given.items():
        setattr(cls, name, method)
    if "__init__" not in own:
        cls.__init__ = _init_later(cls, frozen)
    return cls


def _declared(cls: Any, name: str, kind: Any, kw_only: bool) -> _Field:
    value = getattr(cls, name, _MISSING)
    if isinstance(value, _SLOTTED):  # The slot of a base.
        value = _MISSING
    declared = value if isinstance(value, _Field) else _field(default=value)
    declared.name, declared.type, declared.kw_only = name, kind, declared.kw_only or kw_only
    if declared.default is not _MISSING:
        setattr(cls, name, declared.default)
    elif name in vars(cls):
        delattr(cls, name)
    return declared


def _with_slots(cls: Any, found: dict[str, _Field], frozen: bool) -> Any:
    """The same class once more: slots are given when a class is made."""
    inherited = {name for base in cls.__mro__[1:-1] for name in getattr(base, "__slots__", ())}
    space = {name: value for name, value in vars(cls).items() if name not in (*found, "__dict__", "__weakref__")}
    space["__slots__"] = tuple(name for name in found if name not in inherited)
    if frozen:
        # A copy is filled without asking: nobody else can set anything.
        space |= {"__getstate__": _state, "__setstate__": _set_state}
    made = type(cls)(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    return made


# --- its instances ----------------------------------------------------------------------------------------------------


def _init_later(cls: Any, frozen: bool) -> Any:
    def __init__(self: Any, *args: Any, **named: Any) -> None:
        cls.__init__ = _written_init(cls, frozen)
        cls.__init__(self, *args, **named)

    return __init__


def _written_init(cls: Any, frozen: bool) -> Any:
    """The `__init__` of a class, as one would write it by hand."""
    known: dict[str, Any] = {"_set": _set, "_MISSING": _MISSING}
    given, named, body = ["self"], list[str](), list[str]()
    for each in getattr(cls, _FIELDS).values():
        known |= {f"_default_{each.name}": each.default, f"_make_{each.name}": each.default_factory}
        if each.init:
            (named if each.kw_only else given).append(_parameter(each))
        if each.init or each.default_factory is not _MISSING:
            value = _value(each)
            body.append(f"_set(self, {each.name!r}, {value})" if frozen else f"self.{each.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    signature = ", ".join([*given, *(["*", *named] if named else [])])
    exec(f"def __init__({signature}):\n " + "\n ".join(body or ["pass"]), known)
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _parameter(each: _Field) -> str:
    if each.default_factory is not _MISSING:
        return f"{each.name}=_MISSING"
    return each.name if each.default is _MISSING else f"{each.name}=_default_{each.name}"


def _value(each: _Field) -> str:
    if each.default_factory is _MISSING:
        return each.name
    return f"_make_{each.name}() if {each.name} is _MISSING else {each.name}" if each.init else f"_make_{each.name}()"


def _compared(cls: Any) -> Callable[[Any], Any]:
    """What of an instance counts when two are compared: its only value, or a tuple of them."""
    names = [each.name for each in getattr(cls, _FIELDS).values() if each.compare]
    of = attrgetter(*names) if names else lambda item: ()
    cls.__lerim_compared__ = staticmethod(of)
    return of


def _values(item: Any) -> Any:
    cls = type(item)
    return (vars(cls).get("__lerim_compared__") or _compared(cls))(item)


def _equals(self: Any, other: Any) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash((type(self), _values(self)))


def _repr(self: Any) -> str:
    shown = (each.name for each in getattr(self, _FIELDS).values() if each.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _frozen_set(self: Any, name: str, value: Any) -> None:
    from dataclasses import FrozenInstanceError  # Only a mistake needs it.

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _frozen_delete(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError  # As above.

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in getattr(self, _FIELDS).values()]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(getattr(self, _FIELDS).values(), state, strict=True):
        _set(self, each.name, value)


class _StandardFields:
    """The fields as the standard library wants to see them, made when it asks."""

    def __get__(self, item: object, cls: Any) -> dict[str, Any]:
        import dataclasses  # Whoever asks has loaded it.

        made: dict[str, Any] = {}
        for each in getattr(cls, _FIELDS).values():
            options = {name: getattr(each, name) for name in ("init", "repr", "compare", "kw_only")}
            for name in ("default", "default_factory"):
                if (value := getattr(each, name)) is not _MISSING:
                    options[name] = value
            standard: Any = dataclasses.field(**options, metadata=each.metadata)
            standard.name, standard.type = each.name, each.type
            standard._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
            made[each.name] = standard
        # Whoever asks once asks again, with every copy.
        cls.__dataclass_fields__ = made
        return made
