"""Records, their versions, and what a change did to them."""

# No `from __future__ import annotations`, here and in the other modules: see the package.
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

if TYPE_CHECKING:
    from lerim.context.place import Kept
    from lerim.context.store import Undone, Version


class EvidencePayload(TypedDict):
    agent: str
    run_id: str
    first_line: int
    last_line: int
    quote: str
    speaker: str
    said: NotRequired[str]


class RecordPayload(TypedDict):
    id: str
    primitive: str
    title: str
    body: str
    created: str
    updated: str
    source: str
    confidence: float
    tags: list[str]
    kind: NotRequired[str]
    status: str
    version: int
    valid_from: NotRequired[str]
    valid_until: NotRequired[str]
    worded: NotRequired[str]
    superseded_by: NotRequired[str]
    evidence: list[EvidencePayload]
    trust: str
    description: NotRequired[str]
    date: NotRequired[str]
    time: NotRequired[str]
    coding_agent: NotRequired[str]
    raw_trace_path: NotRequired[str]
    run_id: NotRequired[str]
    repo_name: NotRequired[str]
    extra: dict[str, Any]
    last_used: NotRequired[str]
    uses: NotRequired[int]


class KeptPayload(RecordPayload):
    scope: str
    file: str | None


class VersionPayload(TypedDict):
    version: int
    operation: str
    at: str
    author: str
    reason: str
    change: int
    run_id: str | None
    record: RecordPayload


# `from` is a Python keyword.
DiffPayload = TypedDict("DiffPayload", {"id": str, "from": int, "to": int, "diff": list[str]})


class UndonePayload(TypedDict):
    changes: list[int]
    undone: list[str]
    kept: list[str]


def kept_payload(kept: "Kept") -> KeptPayload:
    from lerim.context.transfer import as_json  # Only machine output needs it.

    path = kept.path
    where = {"scope": kept.place.scope, "file": str(path) if path else None}
    return cast(KeptPayload, {**where, **as_json(kept.record)})


def version_payload(version: "Version") -> VersionPayload:
    from lerim.context.transfer import version_json  # Only machine output needs it.

    return cast(VersionPayload, version_json(version))


def diff_payload(kept: "Kept", old: int, new: int, lines: list[str]) -> DiffPayload:
    return {"id": kept.record.id, "from": old, "to": new, "diff": lines}


def undone_payload(done: "Undone") -> UndonePayload:
    return {
        "changes": [change.id for change in done.changes],
        "undone": [record.id for record in done.records],
        "kept": [record.id for record in done.kept],
    }
