"""All memories at once over HTTP: in and out, checked, rebuilt, reset; the index, and copies of everything."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from lerim.context.filters import Filter, statuses_named
from lerim.context.memory import Which
from lerim.context.place import Where
from lerim.errors import UsageError
from lerim.payloads.backup import BackupPayload, RestoredPayload, backup_payload, restored_payload
from lerim.payloads.search import IndexedPayload, indexed_payload
from lerim.payloads.upkeep import (
    CheckPayload,
    ExportedRecordPayload,
    ImportPayload,
    RebuildPayload,
    ResetPayload,
    ScanPayload,
    SharePayload,
    check_payload,
    exported_payload,
    import_payload,
    rebuilt_files_payload,
    rebuilt_store_payload,
    reset_payload,
    scan_payload,
    share_payload,
)
from lerim.serve.api.asking import Call, Nothing
from lerim.serve.api.memories import StatusWord
from lerim.serve.api.table import ApiTable

UPKEEP = ApiTable()


class ExportAsked(TypedDict):
    status: NotRequired[Annotated[StatusWord, "default: all"]]
    scope: NotRequired[Annotated[Which, "default: the scope that memories are written to"]]
    history: NotRequired[Annotated[bool, "with every version"]]


class ImportAsked(TypedDict):
    lines: Annotated[list[str], "JSON lines, as an export writes them"]
    scope: NotRequired[Where]
    overwrite: NotRequired[Annotated[bool, "if an id exists with different content, take the imported one"]]
    allow_secret: NotRequired[bool]


class ScanAsked(TypedDict):
    versions: NotRequired[Annotated[bool, "also earlier versions, which history keeps"]]
    traces: NotRequired[Annotated[bool, "also the archived traces"]]


RebuildAsked = TypedDict("RebuildAsked", {"from": Annotated[Literal["files", "store"], "the side to trust"]})


class ResetAsked(TypedDict):
    scope: Annotated[Which, "what to delete"]
    yes: Annotated[bool, "that this deletes everything in it: records, history and files"]
    backup: NotRequired[Annotated[bool, "keep a backup (default)"]]


class IndexAsked(TypedDict):
    rebuild: NotRequired[Annotated[bool, "rebuild the index files from the records"]]
    download: NotRequired[Annotated[str, "first download this embedding model, if your settings allow it"]]


@UPKEEP.get("/export", "memory export", takes_long=True)
def export_memories(call: Call[ExportAsked]) -> list[ExportedRecordPayload]:
    """All memories of a scope, as they can be imported again."""
    wanted = Filter(statuses=statuses_named(call.asked.get("status", "all")))
    history = call.asked.get("history", False)
    return exported_payload(call.lerim.memory.export_lines(wanted, call.asked.get("scope"), history=history))


@UPKEEP.post("/import", "memory import", takes_long=True)
def import_memories(call: Call[ImportAsked]) -> ImportPayload:
    """Take in memories: what is here already stays as it is, unless it shall be overwritten."""
    asked = call.asked
    done = call.lerim.memory.import_from(
        None,
        asked["lines"],
        asked.get("scope"),
        overwrite=asked.get("overwrite", False),
        allow_secret=asked.get("allow_secret", False),
    )
    return import_payload(done)


@UPKEEP.get("/check", "memory check", takes_long=True)
def check_memory(call: Call[Nothing]) -> CheckPayload:
    """Whether the memory is consistent: versions, links, files, indexes."""
    return check_payload(call.lerim.memory.check())


@UPKEEP.get("/check/share", "memory check")
def check_share(call: Call[Nothing]) -> SharePayload:
    """What a commit of the project's .lerim folder would reveal, file by file."""
    return share_payload(call.lerim.setup.would_reveal())


@UPKEEP.post("/check/share", "memory check")
def fix_share(call: Call[Nothing]) -> SharePayload:
    """The same, and what Lerim wrote is said again without it."""
    return share_payload(call.lerim.setup.would_reveal(fix=True))


@UPKEEP.get("/scan", "memory scan", takes_long=True)
def scan_memory(call: Call[ScanAsked]) -> ScanPayload:
    """What looks like a secret in memories."""
    asked = call.asked
    return scan_payload(
        call.lerim.memory.scan(versions=asked.get("versions", False), traces=asked.get("traces", False))
    )


@UPKEEP.post("/scan", "memory scan", takes_long=True)
def mask_secrets(call: Call[ScanAsked]) -> ScanPayload:
    """The same, and what is found in current memories is masked."""
    asked = call.asked
    found = call.lerim.memory.scan(versions=asked.get("versions", False), traces=asked.get("traces", False), fix=True)
    return scan_payload(found)


@UPKEEP.post("/rebuild", "memory rebuild", takes_long=True)
def rebuild_memory(call: Call[RebuildAsked]) -> RebuildPayload:
    """Rebuild the store from the files, or the files from the store."""
    if call.asked["from"] == "store":
        return rebuilt_files_payload(call.lerim.memory.rebuild_files())
    return rebuilt_store_payload(sum(item.changes for _, item in call.lerim.memory.rebuild_store()))


@UPKEEP.post("/reset", "memory reset", takes_long=True)
def reset_memory(call: Call[ResetAsked]) -> ResetPayload:
    """Delete everything in a scope: records, history and files. Keeps a backup unless told not to."""
    if not call.asked["yes"]:
        raise UsageError("this deletes everything in the scope; nothing was changed", hint='"yes": true if you do')
    return reset_payload(call.lerim.setup.reset(call.asked["scope"], backup=call.asked.get("backup", True)))


@UPKEEP.post("/index", "index", takes_long=True)
def refresh_index(call: Call[IndexAsked]) -> IndexedPayload:
    """Bring the search index up to date: the words and the meaning of every memory. The graph follows it."""
    index = call.lerim.index
    if "download" in call.asked:
        index.download_model(call.asked["download"])
    done = index.refresh(rebuild=call.asked.get("rebuild", False))
    call.lerim.graph.follow(call.lerim.projects.all())
    return indexed_payload(done, index.health())


@UPKEEP.get("/backups", "backup list")
def list_backups(call: Call[Nothing]) -> list[BackupPayload]:
    """The backups, newest first."""
    return [backup_payload(backup) for backup in call.lerim.backups.all()]


@UPKEEP.post("/backups", "backup make", code=201, takes_long=True)
def make_backup(call: Call[Nothing]) -> BackupPayload:
    """Copy all memories with their history, the review, the queue and the memory files."""
    return backup_payload(call.lerim.backups.make())


@UPKEEP.post("/backups/{name}/restore", "restore", takes_long=True)
def restore_backup(call: Call[Nothing]) -> RestoredPayload:
    """Go back to a backup. What is there now is backed up first."""
    return restored_payload(call.lerim.backups.restore(call.lerim.backups.find(call.named("name"))))
