"""Prompts that Cursor lists by themselves: `aiService.prompts` of a workspace, every text that was typed into it.

Replies are not there. What a conversation has as well is left to it; what is left are the prompts of conversations that
are gone. The latest have a time, in `aiService.generations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lerim.digests import blake2b
from lerim.errors import SourceError
from lerim.sources import sqlite_file
from lerim.sources.base import Account, Reading, SessionRef
from lerim.sources.cursor_bubbles import bubble_lines
from lerim.sources.cursor_editor import PROMPTS, typed_texts, workspace_folder
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Header, Line
from lerim.sources.values import objects, parsed, string

_PREFIX = "prompts-"
_GENERATIONS = "aiService.generations"


def is_prompts(run_id: str) -> bool:
    return run_id.startswith(_PREFIX)


def sessions(database: AgentDatabase) -> Iterator[tuple[str, str]]:
    """The id and fingerprint of a workspace's prompts, if some of them are in no conversation."""
    prompts = _prompts(database)
    known = typed_texts(database) if prompts else set()
    left = [text for text in prompts if text.strip() and text.strip() not in known]
    if left:
        yield _run_id(database.path, prompts), f"{len(prompts)}-{_digest(left)}"


def read(ref: SessionRef) -> Reading:
    """The prompts that no conversation has. Raises SourceError when there are none."""
    with sqlite_file.opened(ref.path) as database:
        prompts, times, known = _prompts(database), _times(database), typed_texts(database)
    if not prompts:
        raise SourceError(f"{ref.path} has no prompts")
    header = Header(agent="cursor", run_id=ref.run_id, cwd=workspace_folder(ref.path.parent))
    account = Account()
    return Reading(header, _lines(prompts, times, known, account), account)


def _lines(prompts: list[str], times: dict[str, object], known: set[str], account: Account) -> Iterator[Line]:
    for number, text in enumerate(prompts, 1):
        account.records += 1
        if text.strip() in known:
            account.skip("prompt of a conversation")
        else:
            yield from bubble_lines({"type": 1, "text": text, "createdAt": times.get(text)}, number, account)


def _prompts(database: AgentDatabase) -> list[str]:
    return [string(item.get("text")) for item in _list(database, PROMPTS)]


def _times(database: AgentDatabase) -> dict[str, object]:
    return {string(item.get("textDescription")): item.get("unixMs") for item in _list(database, _GENERATIONS)}


def _list(database: AgentDatabase, key: str) -> list[dict[str, object]]:
    if not database.columns("ItemTable"):
        return []
    row = database.row("SELECT value FROM ItemTable WHERE key = ?", key)
    # Damage in this list must not cost the conversations beside it.
    return objects(parsed(row[0])) if row and row[0] else []


def _run_id(path: Path, prompts: list[str]) -> str:
    """By the workspace; a database elsewhere, by what was typed first."""
    is_workspace = path.parent.parent.name == "workspaceStorage"
    return _PREFIX + (path.parent.name if is_workspace else _digest(prompts[:1]))


def _digest(texts: list[str]) -> str:
    return blake2b("\0".join(texts).encode("utf-8", "replace"), digest_size=8).hexdigest()
