"""Cursor: the editor's databases, the agents' transcripts, and the stores of `cursor-agent`.

Editor: `User/globalStorage/state.vscdb` and `User/workspaceStorage/<hash>/state.vscdb` below ~/.config/Cursor (Linux),
~/Library/Application Support/Cursor (macOS) or %APPDATA%\\Cursor (Windows); `--user-data-dir` moves it.
Agents, on every system: ~/.cursor, or CURSOR_CONFIG_DIR, with `projects/<slug>/agent-transcripts/` and
`chats/<md5 of the folder>/<id>/store.db`.

One conversation may be in two of the three. Its id is the same in each, so the run id is, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lerim.errors import SourceError
from lerim.sources import cursor_agent, cursor_editor, cursor_prompts, sqlite_file
from lerim.sources.base import Container, Machine, Reading, SessionRef
from lerim.sources.plain_file import read_head
from lerim.sources.values import as_object, string

_PATTERNS = (
    "globalStorage/state.vscdb",
    "workspaceStorage/*/state.vscdb",
    "User/globalStorage/state.vscdb",
    "User/workspaceStorage/*/state.vscdb",
    "projects/*/agent-transcripts/*.jsonl",
    "projects/*/agent-transcripts/*.txt",
    "projects/*/agent-transcripts/*/*.jsonl",
    "projects/*/agent-transcripts/*/*.txt",
    "projects/*/agent-transcripts/*/subagents/*.jsonl",
    "chats/*/*/store.db",
)


class CursorSource:
    name = "cursor"
    title = "Cursor"

    def roots(self, machine: Machine) -> list[Path]:
        """The editor's folder and the agents'."""
        agents = machine.env.get("CURSOR_CONFIG_DIR")
        return [machine.app_support / "Cursor" / "User", Path(agents) if agents else machine.home / ".cursor"]

    def containers(self, root: Path) -> Iterator[Container]:
        """Databases, transcripts and stores. A store and its transcript are two containers of one session."""
        for pattern in _PATTERNS:
            for path in sorted(root.glob(pattern)):
                if state := sqlite_file.state(path):
                    yield Container(self.name, path, state)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        """The conversations of an editor database; anything else is one session, named by its file or folder."""
        path = container.path
        if path.name == "store.db":
            yield SessionRef(self.name, path, path.parent.name)
        elif path.suffix == ".txt" or "agent-transcripts" in path.parts:
            yield SessionRef(self.name, path, path.stem)
        elif not sqlite_file.is_database(path):
            exported = string(cursor_editor.first_object(path).get("composerId"))
            yield SessionRef(self.name, path, exported or path.stem)
        else:
            with sqlite_file.opened(path) as database:
                store = cursor_agent.store_meta(database)
                if store:
                    found = [(string(store.get("agentId")), "")]
                else:
                    found = [*cursor_editor.sessions(database), *cursor_prompts.sessions(database)]
                if not found:
                    database.require_sound()
            for run_id, fingerprint in found:
                yield SessionRef(self.name, path, run_id, fingerprint)

    def accepts(self, path: Path) -> bool:
        """A database with Cursor's tables, a transcript, or an exported composer."""
        try:
            if sqlite_file.is_database(path):
                with sqlite_file.opened(path) as database:
                    return bool(cursor_agent.store_meta(database)) or cursor_editor.is_editor_database(database)
            if path.suffix == ".txt":
                return read_head(path).startswith(b"user:\n")
            return _is_ours(cursor_editor.first_object(path))
        except (SourceError, OSError):
            return False

    def read(self, ref: SessionRef) -> Reading:
        """One conversation. Raises SourceError when the file cannot be read or has no such conversation."""
        if cursor_prompts.is_prompts(ref.run_id):
            return cursor_prompts.read(ref)
        if sqlite_file.is_database(ref.path):
            with sqlite_file.opened(ref.path) as database:
                is_store = bool(cursor_agent.store_meta(database))
            return cursor_agent.read_store(ref) if is_store else cursor_editor.read(ref)
        if ref.path.suffix == ".txt":
            return cursor_agent.read_text_transcript(ref)
        if cursor_editor.is_export(ref.path):
            return cursor_editor.read_export(ref.path)
        return cursor_agent.read_transcript(ref)


def _is_ours(record: dict[str, object]) -> bool:
    if "composerId" in record:
        return True
    # Claude's records have a `type` beside the message, pi's a `recordType`; others have no message around the content.
    if "recordType" in record:
        return False
    return string(record.get("role")) in {"user", "assistant"} and "content" in as_object(record.get("message"))


SOURCE = CursorSource()
