"""Agents that the memory is handed to: how each stands, and what connecting or letting go would change."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypedDict


class ConnectionPartPayload(TypedDict):
    part: str
    file: str
    standing: str
    problem: str


class ConnectionPayload(TypedDict):
    agent: str
    title: str
    found: bool
    standing: str
    parts: list[ConnectionPartPayload]


class FileChangePayload(TypedDict):
    file: str
    agents: list[str]
    diff: list[str]


class ConnectChangesPayload(TypedDict):
    agents: list[str]
    changes: list[FileChangePayload]
    refused: dict[str, str]
    warnings: list[str]
    left_to_do: list[str]
    kept: list[str]
    done: bool


class ConnectionCheckPayload(TypedDict):
    agent: str
    check: str
    ok: bool
    said: str
    hint: str


class _Change(Protocol):
    """A change of a file, as whoever plans it has it."""

    @property
    def diff(self) -> list[str]: ...


def connection_part_payload(part: str, file: str, standing: str, problem: str) -> ConnectionPartPayload:
    return {"part": part, "file": file, "standing": standing, "problem": problem}


def connection_payload(
    agent: str, title: str, standing: str, parts: list[ConnectionPartPayload], *, found: bool
) -> ConnectionPayload:
    return {"agent": agent, "title": title, "found": found, "standing": standing, "parts": parts}


def file_change_payload(file: str, agents: Iterable[str], change: _Change) -> FileChangePayload:
    return {"file": file, "agents": sorted(agents), "diff": change.diff}


def connect_changes_payload(
    agents: Sequence[str],
    changes: list[FileChangePayload],
    *,
    refused: Mapping[str, str],
    warnings: Sequence[str],
    left_to_do: Sequence[str] = (),
    kept: Sequence[str] = (),
    done: bool,
) -> ConnectChangesPayload:
    return {
        "agents": [*agents],
        "changes": changes,
        "refused": dict(refused),
        "warnings": [*warnings],
        "left_to_do": [*left_to_do],
        "kept": [*kept],
        "done": done,
    }


def connection_check_payload(agent: str, check: str, *, ok: bool, said: str, hint: str) -> ConnectionCheckPayload:
    return {"agent": agent, "check": check, "ok": ok, "said": said, "hint": hint}
