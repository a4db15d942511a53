"""Where the memory is kept, whether that place is sound, and what a copy of it came to."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lerim.flows.moving import StorageCopy, StorageState
    from lerim.storage.checkup import SchemaStep, StorageCheck
    from lerim.storage.moving import CopiedDatabase


class SchemaPayload(TypedDict):
    name: str
    step: int
    needed: int


class StoragePayload(TypedDict):
    where: str
    shared: bool
    records: int | None
    projects: int | None
    schemas: list[SchemaPayload]
    problem: str | None
    fix: str | None


class StorageCheckPayload(TypedDict):
    name: str
    ok: bool
    detail: str
    fix: str | None


class StorageUpgradePayload(TypedDict):
    where: str
    upgraded: list[SchemaPayload]


class CopiedTablePayload(TypedDict):
    name: str
    rows: int
    hash: str


class CopiedDatabasePayload(TypedDict):
    name: str
    rows: int
    was_there: bool
    tables: list[CopiedTablePayload]
    left_out: dict[str, int]
    replaced: str | None


# `from` is a word of Python's.
StorageCopyPayload = TypedDict(
    "StorageCopyPayload",
    {
        "from": str,
        "to": str,
        "dry_run": bool,
        "databases": list[CopiedDatabasePayload],
        "problems": list[str],
    },
)


def storage_payload(state: "StorageState") -> StoragePayload:
    return {
        "where": str(state.where),
        "shared": state.where.address is not None,
        "records": state.records,
        "projects": state.projects,
        "schemas": [_schema(step) for step in state.steps],
        "problem": state.problem.message if state.problem else None,
        "fix": state.problem.hint if state.problem else None,
    }


def storage_check_payload(checks: "Sequence[StorageCheck]") -> list[StorageCheckPayload]:
    return [{"name": one.name, "ok": one.ok, "detail": one.detail, "fix": one.fix or None} for one in checks]


def storage_upgrade_payload(where: str, before: "Sequence[SchemaStep]") -> StorageUpgradePayload:
    return {"where": where, "upgraded": [_schema(step) for step in before]}


def storage_copy_payload(done: "StorageCopy") -> StorageCopyPayload:
    return {
        "from": done.source,
        "to": done.target,
        "dry_run": done.is_dry,
        "databases": [_copied(one) for one in done.databases],
        "problems": list(done.problems),
    }


def _schema(step: "SchemaStep") -> SchemaPayload:
    return {"name": step.name, "step": step.found, "needed": step.needed}


def _copied(one: "CopiedDatabase") -> CopiedDatabasePayload:
    return {
        "name": one.name,
        "rows": one.rows,
        "was_there": one.was_there,
        "tables": [{"name": name, "rows": found.rows, "hash": found.digest} for name, found in one.tables.items()],
        "left_out": dict(one.left_out),
        "replaced": str(one.replaced) if one.replaced else None,
    }
