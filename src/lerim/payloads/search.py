"""What a search found, and what bringing the index up to date did."""

from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from lerim.payloads.memory import KeptPayload, kept_payload

if TYPE_CHECKING:
    from lerim.search.health import IndexHealth
    from lerim.search.room import Indexed
    from lerim.search.search import Hit


class HitPayload(KeptPayload):
    matched: list[str]
    why: str
    score: NotRequired[float]
    relevance: NotRequired[float]
    doubt: NotRequired[str]
    explained: NotRequired[list[str]]


class IndexedPayload(TypedDict):
    indexed: int
    embedded: int
    state: str
    missing: int


def hit_payload(hit: "Hit", *, explain: bool) -> HitPayload:
    match: dict[str, object] = {"matched": list(hit.words), "why": hit.why}
    if hit.parts is not None:
        match["score"] = round(hit.parts.score, 3)
        match["relevance"] = round(hit.parts.relevance, 3)
    if hit.doubt:
        match["doubt"] = hit.doubt
    if explain:
        match["explained"] = hit.explained()
    return cast(HitPayload, {**match, **kept_payload(hit.kept)})


def indexed_payload(done: "Indexed", health: "IndexHealth") -> IndexedPayload:
    return {
        "indexed": done.records,
        "embedded": done.vectors,
        "state": str(health.state),
        "missing": health.missing,
    }
