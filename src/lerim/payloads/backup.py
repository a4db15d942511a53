"""Backups, and what a restore did."""

from typing import TYPE_CHECKING, TypedDict

from lerim.context.records import time_text

if TYPE_CHECKING:
    from lerim.context.backups import Backup, Restored


class BackupPayload(TypedDict):
    name: str
    folder: str
    created: str
    reason: str
    records: int
    projects: int
    bytes: int


class RestoredPayload(TypedDict):
    restored: BackupPayload
    before: BackupPayload
    files: int


def backup_payload(backup: "Backup") -> BackupPayload:
    return {
        "name": backup.name,
        "folder": str(backup.folder),
        "created": time_text(backup.created),
        "reason": backup.reason,
        "records": backup.records,
        "projects": len(backup.projects),
        "bytes": backup.size,
    }


def restored_payload(done: "Restored") -> RestoredPayload:
    return {"restored": backup_payload(done.backup), "before": backup_payload(done.before), "files": done.files}
