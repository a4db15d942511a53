"""Views: what each says, with the memories behind every line, and how it stands on disk."""

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from lerim.context.records import time_text

if TYPE_CHECKING:
    from lerim.views.view import RenderedView, ViewName, ViewStatus


class ViewLinePayload(TypedDict):
    text: str
    ids: list[str]
    sessions: list[str]


class ViewPayload(TypedDict):
    view: str
    path: str
    fresh: bool
    generated_at: str
    as_of: str | None
    characters: int
    text: str
    lines: list[ViewLinePayload]
    records: list[str]
    data: NotRequired[dict[str, Any]]


class ViewStatusPayload(TypedDict):
    view: str
    path: str
    exists: bool
    fresh: bool
    reason: str
    generated_at: str | None
    records: int
    characters: int
    budget: int
    copies: int


class ViewPathPayload(TypedDict):
    view: str
    path: str
    exists: bool


def view_payload(view: "RenderedView") -> ViewPayload:
    payload: ViewPayload = {
        "view": str(view.name),
        "path": str(view.path),
        "fresh": view.is_fresh,
        "generated_at": time_text(view.generated),
        "as_of": time_text(view.as_of) if view.as_of else None,
        "characters": len(view.text),
        "text": view.text,
        "lines": [
            {"text": line.text, "ids": list(line.records), "sessions": list(line.sessions)} for line in view.lines
        ],
        "records": list(view.records),
    }
    if view.data:
        payload["data"] = dict(view.data)
    return payload


def view_status_payload(status: "ViewStatus") -> ViewStatusPayload:
    return {
        "view": str(status.name),
        "path": str(status.path),
        "exists": status.exists,
        "fresh": status.is_fresh,
        "reason": status.reason,
        "generated_at": time_text(status.generated) if status.generated else None,
        "records": status.records,
        "characters": status.characters,
        "budget": status.budget,
        "copies": status.copies,
    }


def view_path_payload(name: "ViewName", path: str, *, exists: bool) -> ViewPathPayload:
    return {"view": str(name), "path": path, "exists": exists}
