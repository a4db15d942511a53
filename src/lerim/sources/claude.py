"""Claude Code: one JSON line per record in `<config>/projects/<slug>/<session>.jsonl`.

The config folder is ~/.claude on Linux and macOS and %USERPROFILE%\\.claude on Windows; CLAUDE_CONFIG_DIR moves it (a
comma-separated list names several), and older installs used ~/.config/claude. Subagents have files of their own:
`<slug>/<session>/subagents/agent-<id>.jsonl`, before 2.1 `<slug>/agent-<hash>.jsonl`; before that their turns stood
inside the parent's file, marked `isSidechain`. The slug is lossy, so the directory is taken from the records.
Files are deleted after 30 days unless the user says otherwise.

A file is read twice: first a sketch of who follows whom, which shows rewound turns, then the records. Lines keep the
order of the file. A fork copies its parent's records with their `uuid`s; within one file that cannot be seen, so
`uuids` gives them to whoever compares files, and `forked_from` is set only where the records name another session.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.pieces import files_in
from lerim.sources.trace import Header
from lerim.sources.values import as_object, string

# A file may begin with many summaries of other sessions. Titles are first given early, too.
_HEAD = 200


class ClaudeSource:
    """Claude Code, with its subagents as sessions of their own."""

    name = "claude"
    title = "Claude Code"
    reads_one_file = True

    def roots(self, machine: Machine) -> list[Path]:
        """CLAUDE_CONFIG_DIR replaces the usual places."""
        moved = [part.strip() for part in machine.env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
        usual = [machine.home / ".claude", machine.home / ".config" / "claude"]
        return [machine.home / part[2:] if part.startswith("~/") else Path(part) for part in moved] or usual

    def containers(self, root: Path) -> Iterator[Container]:
        """The session files of every project under a config folder, or under a `projects` folder."""
        projects = root / "projects" if (root / "projects").is_dir() else root
        for project in _folders(str(projects)):
            sessions: list[str] = []
            yield from files_in(self.name, project, _is_session, folders=sessions)
            for session in sessions:
                yield from files_in(self.name, f"{session}/subagents", _is_subagent, deep=True)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.stem)

    def accepts(self, path: Path) -> bool:
        """Whether the first records hold a message of Claude Code."""
        from lerim.sources import jsonl  # As in `read`.

        try:
            return any(_is_message(item) for _, item in islice(jsonl.records(path, Account()), _HEAD))
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        """One session. Its title may still change while it grows: the user's own wins over the generated one."""
        # Start-up: most looks at the disk find nothing to read.
        from lerim.sources.claude_reader import ClaudeReader
        from lerim.sources.claude_sketch import Sketch

        sketch = Sketch.of(ref.path)
        account = Account()
        return Reading(sketch.header(ref), ClaudeReader(sketch, account).lines(ref.path), account)

    def header(self, ref: SessionRef) -> Header:
        """What the first records say. A title given later is missing."""
        from lerim.sources.claude_sketch import Sketch  # As in `read`.

        return Sketch.of(ref.path, most=_HEAD).header(ref)

    def uuids(self, ref: SessionRef) -> Iterator[tuple[int, str]]:
        """The line and id of every message record, in order. A fork begins with those of its origin."""
        from lerim.sources.claude_records import IDS, MESSAGES, decoded, line_of  # As in `read`.

        for place, record in decoded(ref.path, Account(), IDS):
            if record.uuid and record.type in MESSAGES:
                yield line_of(place), record.uuid


SOURCE = ClaudeSource()


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted(entry.path for entry in found if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_session(name: str) -> bool:
    return name.endswith(".jsonl")


def _is_subagent(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def _is_message(item: dict[str, Any]) -> bool:
    from lerim.sources.claude_records import MESSAGES  # As in `read`.

    # Qwen Code has the same envelope, but its messages hold `parts`.
    return string(item.get("type")) in MESSAGES and "sessionId" in item and "content" in as_object(item.get("message"))
