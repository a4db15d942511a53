"""Imports, exports and checks of the memory."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from lerim.payloads.memory import RecordPayload, VersionPayload

if TYPE_CHECKING:
    from pathlib import Path

    from lerim.context.secret_scan import SecretFinding
    from lerim.context.share_check import Revelation
    from lerim.context.transfer import Imported
    from lerim.context.upkeep import CheckFinding, Reset


class ExportedRecordPayload(RecordPayload):
    scope: str
    versions: NotRequired[list[VersionPayload]]


class ExportPayload(TypedDict):
    exported: int
    target: str


class NotPlacedPayload(TypedDict):
    path: str
    line: int
    reason: str


class ImportPayload(TypedDict):
    created: list[str]
    updated: list[str]
    same: int
    not_placed: list[NotPlacedPayload]
    masked: list[str]


class FindingPayload(TypedDict):
    where: str
    what: str
    fix: str


class SecretFindingPayload(TypedDict):
    id: str | None
    where: str
    line: int
    kind: str
    version: int | None
    allowed: bool
    masked: bool


class ScanPayload(TypedDict):
    clean: bool
    findings: list[SecretFindingPayload]


class CheckPayload(TypedDict):
    sound: bool
    findings: list[FindingPayload]


class RevelationPayload(TypedDict):
    file: str
    line: int
    kind: str
    text: str
    id: str | None
    ours: bool
    fixed: bool


class SharePayload(TypedDict):
    clean: bool
    findings: list[RevelationPayload]


# `from` is a Python keyword.
RebuildPayload = TypedDict(
    "RebuildPayload", {"from": str, "changes": NotRequired[int], "written": NotRequired[dict[str, int]]}
)


class ResetPayload(TypedDict):
    forgotten: dict[str, int]
    backup: str | None
    restore: str | None


def exported_payload(lines: Iterable[str]) -> list[ExportedRecordPayload]:
    """The lines of an export, as one document."""
    return [cast(ExportedRecordPayload, json.loads(line)) for line in lines]


def export_payload(count: int, target: "Path") -> ExportPayload:
    return {"exported": count, "target": str(target)}


def import_payload(done: "Imported") -> ImportPayload:
    return {
        "created": [record.id for record in done.created],
        "updated": [record.id for record in done.updated],
        "same": done.same,
        "not_placed": [{"path": item.path, "line": item.line, "reason": item.reason} for item in done.not_placed],
        "masked": sorted(done.masked),
    }


def scan_payload(found: Sequence["SecretFinding"]) -> ScanPayload:
    findings: list[SecretFindingPayload] = [
        {
            "id": item.record_id,
            "where": item.where,
            "line": item.line,
            "kind": item.kind,
            "version": item.version,
            "allowed": item.allowed,
            "masked": item.masked,
        }
        for item in found
    ]
    return {"clean": not any(item.is_open for item in found), "findings": findings}


def check_payload(found: Sequence["CheckFinding"]) -> CheckPayload:
    findings: list[FindingPayload] = [{"where": item.where, "what": item.what, "fix": item.fix} for item in found]
    return {"sound": not found, "findings": findings}


def share_payload(found: Sequence["Revelation"]) -> SharePayload:
    findings: list[RevelationPayload] = [
        {
            "file": str(item.path),
            "line": item.line,
            "kind": str(item.kind),
            "text": item.text,
            "id": item.record_id,
            "ours": item.ours,
            "fixed": item.fixed,
        }
        for item in found
    ]
    return {"clean": not any(item.is_open for item in found), "findings": findings}


def rebuilt_store_payload(changes: int) -> RebuildPayload:
    return {"from": "files", "changes": changes}


def rebuilt_files_payload(written: Mapping[str, int]) -> RebuildPayload:
    return {"from": "store", "written": dict(written)}


def reset_payload(done: "Reset") -> ResetPayload:
    return {"forgotten": done.records, "backup": str(done.backup) if done.backup else None, "restore": done.restore}
