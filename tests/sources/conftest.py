"""What the sources' tests share: reading a golden folder and comparing it with the canonical trace beside it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.sources import trace
from lerim.sources.base import Account, SessionRef, Source

EXPECTED = "expected.jsonl"

Golden = Callable[..., list[Account]]


@pytest.fixture
def golden() -> Golden:
    """Compare what a source reads from a folder with the folder's expected.jsonl."""
    return assert_golden


def assert_golden(source: Source, folder: Path, *refs: SessionRef, root: Path | None = None) -> list[Account]:
    """Read every session under a folder, or the given ones, and compare them with `expected.jsonl`.

    Sessions are found through the source below `root` or `folder`; a lone file that the source does not find by itself
    (a loose file without the agent's layout) is read as it is. UPDATE_GOLDEN=1 rewrites the expectation.
    Gives the accounts, which are always balanced; every line survives encoding and a second reading is identical.
    """
    sessions = list(refs) or _found(source, root or folder) or [_loose(source, folder)]
    actual: list[str] = []
    accounts: list[Account] = []
    for ref in sessions:
        lines, account = _read(source, ref)
        assert (lines, account) == _read(source, ref), "a second reading gives the same lines"
        assert account.is_balanced, f"{account} accounts for every record"
        assert lines == [trace.encode(trace.decode(line)) for line in lines]
        actual += lines
        accounts.append(account)
    _compare(folder / EXPECTED, actual)
    return accounts


def _read(source: Source, ref: SessionRef) -> tuple[list[str], Account]:
    reading = source.read(ref)
    return list(trace.encode_all(reading.header, reading.lines)), reading.account


def _found(source: Source, root: Path) -> list[SessionRef]:
    containers = sorted(source.containers(root), key=lambda container: container.path)
    return [ref for found in containers if found.path.name != EXPECTED for ref in source.sessions(found)]


def _loose(source: Source, folder: Path) -> SessionRef:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != EXPECTED]
    assert len(files) == 1, f"{folder} holds one input, not {[path.name for path in files]}"
    return SessionRef(source.name, files[0], files[0].stem)


def _compare(path: Path, actual: list[str]) -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text("".join(line + "\n" for line in actual), encoding="utf-8")
    expected = path.read_text(encoding="utf-8").removesuffix("\n").split("\n") if path.exists() else []
    difference = "\n".join(difflib.unified_diff(expected, actual, str(path), "read", lineterm=""))
    assert expected == actual, difference
