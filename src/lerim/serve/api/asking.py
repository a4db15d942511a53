"""What a request asks: its query or its body, as a route declares it, checked before anything is done.

A route says what it takes as a TypedDict, each field with a line about it. From the same type the OpenAPI document is
made. What no field is called is refused: a word that was mistyped must not be quietly left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NotRequired,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from lerim.errors import UsageError

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from lerim.service import Lerim

_Asked = TypeVar("_Asked")
#: What every request may say in its query, whatever it asks: whose memory it is about.
PROJECT = "project"
_MISSING = object()
_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_TRUE, _FALSE = ("true", "1", "yes", ""), ("false", "0", "no")


class Nothing(TypedDict):
    """For routes that ask for nothing more."""


class Limited(TypedDict):
    """Of a long list, a page at a time."""

    limit: NotRequired[Annotated[int, "at most so many (default 50, at most 1,000)"]]
    cursor: NotRequired[Annotated[str, "where to go on: `next` of the page before"]]


class Call(Generic[_Asked]):
    """A request as a route sees it: the memory it is about, and what it asks."""

    def __init__(self, request: Request, lerim: Lerim, asked: _Asked) -> None:
        self.request = request
        self.lerim = lerim
        self.asked = asked

    def named(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    @property
    def is_read_only(self) -> bool:
        return bool(self.request.app.state.site.is_read_only)


async def asked_of(request: Request, kind: type[Any]) -> Mapping[str, Any]:
    """What a request asks, checked: in its query if it only reads, else in its body. Raises UsageError."""
    if request.method in ("GET", "HEAD"):
        return checked(kind, _from_query(request.query_params, kind), is_text=True)
    body = await request.body()
    try:
        given = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError):
        raise UsageError("the body is not JSON", hint="Content-Type: application/json") from None
    if not isinstance(given, dict):
        raise UsageError("the body is not a JSON object")
    return checked(kind, given, is_text=False)


def checked(kind: type[Any], given: Mapping[str, Any], *, is_text: bool) -> Mapping[str, Any]:
    """The fields of a TypedDict, each of its type; texts of a query are read as what they stand for."""
    hints = get_type_hints(kind, include_extras=True)
    strange = sorted(set(given) - set(hints))
    if strange:
        known = ", ".join(sorted(hints)) or "nothing"
        raise UsageError(f"there is no '{strange[0][:60]}' to ask for here", hint=f"what there is: {known}")
    found = {}
    for name, hint in hints.items():
        value = given.get(name, _MISSING)
        if value is not _MISSING:
            found[name] = _checked(name, value, bare(hint), is_text=is_text)
        elif is_required(hint):
            raise UsageError(f"'{name}' is missing", hint=f"{name}: {said_of(hint)}" if said_of(hint) else None)
    return found


def bare(hint: Any) -> Any:
    """A type without what is said about it."""
    while get_origin(hint) in (Annotated, NotRequired):
        hint = get_args(hint)[0]
    return hint


def is_required(hint: Any) -> bool:
    """Whether a field has to be there. The class itself does not know, where annotations are texts."""
    return get_origin(hint) is not NotRequired


def said_of(hint: Any) -> str:
    """What is said about a type."""
    while get_origin(hint) is NotRequired:
        hint = get_args(hint)[0]
    return str(get_args(hint)[1]) if get_origin(hint) is Annotated else ""


def _from_query(query: QueryParams, kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    given: dict[str, Any] = {}
    for name in query:
        values = query.getlist(name)
        if name in hints and get_origin(bare(hints[name])) is list:
            given[name] = values
        elif len(values) > 1:
            raise UsageError(f"'{name[:60]}' is given {len(values)} times", hint="give it once")
        elif name != PROJECT or name in hints:
            given[name] = values[0]
    return given


def _checked(name: str, value: Any, kind: Any, *, is_text: bool) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin is list:
        (item,) = get_args(kind)
        if not isinstance(value, list):
            raise _unfit(name, "a list")
        return [_checked(name, one, item, is_text=is_text) for one in value]
    if is_typeddict(kind):
        if not isinstance(value, dict):
            raise _unfit(name, "an object")
        return checked(kind, value, is_text=is_text)
    if origin is Literal or (isinstance(kind, type) and issubclass(kind, Enum)):
        return _chosen(name, value, kind)
    return _plain(name, value, kind, is_text=is_text)


def choices(kind: Any) -> list[str]:
    """The words of which a value is one."""
    return [*map(str, get_args(kind))] if get_origin(kind) is Literal else [str(one.value) for one in kind]


def _chosen(name: str, value: Any, kind: Any) -> Any:
    if not isinstance(value, str) or value not in choices(kind):
        raise _unfit(name, "one of " + ", ".join(choices(kind)))
    return value if get_origin(kind) is Literal else kind(value)


def _plain(name: str, value: Any, kind: type[Any], *, is_text: bool) -> Any:
    if is_text:
        value = _read(value, kind)
    is_fit = isinstance(value, kind) and not (kind is not bool and isinstance(value, bool))
    if kind is float and type(value) is int:
        return float(value)
    if not is_fit or (isinstance(value, str) and _is_broken(value)):
        raise _unfit(name, _NAMES[kind])
    return value


def _read(text: str, kind: type[Any]) -> Any:
    """A text of a query as what it stands for; the text itself when it stands for none."""
    if kind is bool:
        return True if text.lower() in _TRUE else False if text.lower() in _FALSE else text
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _is_broken(text: str) -> bool:
    """Half an emoji, or a null: no database and no file can hold it."""
    try:
        return b"\0" in text.encode()
    except UnicodeEncodeError:
        return True


def _unfit(name: str, what: str) -> UsageError:
    return UsageError(f"'{name[:60]}' must be {what}")
