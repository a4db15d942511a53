"""The state of the memory."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from lerim.context.place import PlaceStatus
    from lerim.flows.overview import Overview
    from lerim.search.health import IndexHealth


class PlacePayload(TypedDict):
    scope: str
    root: str
    records: dict[str, int]
    problems: int


class IndexPayload(TypedDict):
    records: int
    fts: int
    embedded: int
    missing: int
    lag: int
    model: str | None
    reason: str | None
    fix: str | None
    state: str


class StatusPayload(TypedDict):
    home: str
    store: str
    project: str | None
    scope: str
    places: list[PlacePayload]
    projects: int
    record_count: int
    fts_count: int
    embedding_count: int
    missing_embedding_count: int
    index: IndexPayload
    sessions: dict[str, int]
    review: int
    likely: int
    next: list[str]


def status_payload(view: "Overview") -> StatusPayload:
    return {
        "home": str(view.home),
        "store": view.store,
        "project": str(view.scope.project) if view.scope.project else None,
        "scope": str(view.scope.mode),
        "places": [_place_payload(place) for place in view.places],
        "projects": view.projects,
        "record_count": view.record_count,
        "fts_count": view.fts_count,
        "embedding_count": view.index.embedded,
        "missing_embedding_count": view.index.missing,
        "index": _index_payload(view.index),
        "sessions": view.sessions,
        "review": view.waiting.total,
        "likely": view.waiting.likely,
        "next": view.next_steps,
    }


def _place_payload(status: "PlaceStatus") -> PlacePayload:
    return {
        "scope": status.place.scope,
        "root": str(status.place.project.root),
        "records": {f"{primitive}.{state}": count for (primitive, state), count in status.counts.items()},
        "problems": status.problems,
    }


def _index_payload(health: "IndexHealth") -> IndexPayload:
    return {
        "records": health.records,
        "fts": health.fts,
        "embedded": health.embedded,
        "missing": health.missing,
        "lag": health.lag,
        "model": health.model,
        "reason": health.reason,
        "fix": health.fix,
        "state": str(health.state),
    }
