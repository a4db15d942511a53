"""What the HTTP API adds to the documents of the command line: pages of lists, errors with a code, conflicts."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar

from lerim.payloads.memory import KeptPayload, kept_payload

if TYPE_CHECKING:
    from lerim.context.place import Kept

Item = TypeVar("Item")
_Shown = TypeVar("_Shown")


class PagePayload(TypedDict, Generic[Item]):
    items: list[Item]
    next: str | None


class ApiErrorPayload(TypedDict):
    error: str
    hint: str | None
    code: int


class ConflictPayload(ApiErrorPayload):
    yours: dict[str, Any]
    current: KeptPayload


class ServerPayload(TypedDict):
    version: str
    url: str
    pid: int
    read_only: bool
    project: str | None


def page_payload(items: Iterable[_Shown], shown: Callable[[_Shown], Item], after: str | None) -> PagePayload[Item]:
    return {"items": [shown(item) for item in items], "next": after}


def api_error_payload(message: str, hint: str | None, code: int) -> ApiErrorPayload:
    return {"error": message, "hint": hint, "code": code}


def conflict_payload(error: ApiErrorPayload, yours: dict[str, Any], current: "Kept") -> ConflictPayload:
    return {**error, "yours": yours, "current": kept_payload(current)}


def server_payload(url: str, pid: int, version: str, project: str | None, *, read_only: bool) -> ServerPayload:
    return {"version": version, "url": url, "pid": pid, "read_only": read_only, "project": project}
