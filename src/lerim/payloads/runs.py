"""Runs of the agent, and what became of the sessions they ingested."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from lerim.context.records import time_text

if TYPE_CHECKING:
    from lerim.errors import LerimError
    from lerim.flows.intake import Due
    from lerim.llm import Estimate
    from lerim.runtime.results import SyncResult
    from lerim.runtime.runs.artifacts import Loaded
    from lerim.runtime.runs.folder import RunFile, RunInfo
    from lerim.runtime.worker import Taken
    from lerim.sessions.session import Session


class RunPayload(TypedDict):
    id: str
    kind: str
    folder: str
    started: str
    status: str
    session: str | None
    counts: dict[str, int]
    engine: str | None
    provider: str | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    seconds: float | None
    error: str | None


class RunFilePayload(TypedDict):
    name: str
    bytes: int


class LoadedRunPayload(RunPayload):
    artifacts: dict[str, dict[str, Any]]
    files: list[RunFilePayload]
    problems: list[str]
    logs: NotRequired[dict[str, list[Any]]]


class WrittenRecordPayload(TypedDict):
    record_id: str
    title: str
    path: str | None
    action: str
    replaced: list[list[str]]


class RunResultPayload(TypedDict):
    run_id: str
    run_folder: str
    memory_root: str
    workspace_root: str
    text: str
    written: list[WrittenRecordPayload]
    counts: dict[str, int]
    artifacts: dict[str, str]
    seconds: float
    cost_usd: float | None
    notice: str | None


class SyncResultPayload(RunResultPayload):
    session: str
    trace_path: str
    summary: WrittenRecordPayload | None
    noted: int


class TakenPayload(TypedDict):
    session: str
    state: str
    reason: str | None
    seconds: float
    result: SyncResultPayload | None


class SyncPayload(TypedDict):
    sessions: list[TakenPayload]
    counts: dict[str, int]
    failed: int
    waiting: int
    dead: list[str]
    noted: int
    outside_window: int
    error: NotRequired[str]
    hint: NotRequired[str | None]


class EstimatePayload(TypedDict):
    requests: int
    tokens: int
    input_tokens: int
    output_tokens: int
    usd: float | None


class DuePayload(TypedDict):
    sessions: list[str]
    bytes: int
    estimates: dict[str, EstimatePayload]


def run_payload(run: "RunInfo") -> RunPayload:
    return {
        "id": run.id,
        "kind": str(run.kind),
        "folder": str(run.folder),
        "started": time_text(run.started),
        "status": str(run.status),
        "session": run.session,
        "counts": dict(run.counts),
        "engine": run.engine,
        "provider": run.provider,
        "model": run.model,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "cost_usd": run.cost_usd,
        "seconds": run.seconds,
        "error": run.error,
    }


def loaded_run_payload(
    loaded: "Loaded", files: Sequence["RunFile"], logs: Mapping[str, Sequence[str]]
) -> LoadedRunPayload:
    payload = {
        **run_payload(loaded.info),
        "artifacts": {artifact.file: artifact.model_dump(mode="json") for artifact in loaded.artifacts},
        "files": [{"name": file.name, "bytes": file.bytes} for file in files],
        "problems": list(loaded.problems),
    }
    if logs:
        payload["logs"] = {name: [_parsed(line) for line in lines] for name, lines in logs.items()}
    return cast(LoadedRunPayload, payload)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def taken_payload(taken: "Taken") -> TakenPayload:
    return {
        "session": taken.session.name,
        "state": str(taken.state),
        "reason": taken.reason,
        "seconds": round(taken.seconds, 3),
        "result": _sync_result_payload(taken.result) if taken.result else None,
    }


def _sync_result_payload(result: "SyncResult") -> SyncResultPayload:
    return cast(SyncResultPayload, result.payload())


def sync_payload(
    done: Sequence["Taken"],
    counts: Mapping[str, int],
    failed: int,
    waiting: int,
    error: "LerimError | None",
    dead: Sequence["Session"],
    outside_window: int = 0,
) -> SyncPayload:
    """What became of the sessions; `error` is what ended the work early, `dead` is what was given up, now or before."""
    payload: SyncPayload = {
        "sessions": [taken_payload(taken) for taken in done],
        "counts": dict(counts),
        "failed": failed,
        "waiting": waiting,
        "dead": [session.name for session in dead],
        "noted": sum(taken.result.noted for taken in done if taken.result),
        "outside_window": outside_window,
    }
    if error:
        payload["error"], payload["hint"] = error.message, error.hint
    return payload


def due_payload(due: "Due", estimates: "Mapping[str, Estimate]") -> DuePayload:
    return {
        "sessions": [session.name for session in due.sessions],
        "bytes": due.size,
        "estimates": {role: estimate_payload(found) for role, found in estimates.items()},
    }


def estimate_payload(found: "Estimate") -> EstimatePayload:
    return {
        "requests": found.requests,
        "tokens": found.tokens,
        "input_tokens": found.input_tokens,
        "output_tokens": found.output_tokens,
        "usd": found.usd,
    }
