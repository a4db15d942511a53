"""Codex: the CLI, the IDE extension and the desktop app, which share one format.

Sessions are `rollout-<local time>-<uuid>.jsonl` files in `sessions/YYYY/MM/DD/` and `archived_sessions/` under
`$CODEX_HOME`, by default `~/.codex` on Linux, macOS and Windows alike. Cold ones are compressed to `.jsonl.zst`;
after a revert the conversation goes on in `rollout-<time>-<thread>_<rollout>.jsonl`.

Since 0.32 each line is an envelope `{timestamp, type, payload}`; before, the bare item without a time. What was said
usually stands twice, as a `response_item` (what the model saw) and as an `event_msg` (what the person saw). Only the
events tell what the person typed: items under the user's role also carry instructions, skills and reminders.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lerim.config.identity import normalized_remote
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.codex_lines import Reader
from lerim.sources.codex_survey import CodexFacts, is_bare_head, spawned, surveyed
from lerim.sources.jsonl import records
from lerim.sources.pieces import Record, files_in, translated
from lerim.sources.trace import Header
from lerim.sources.values import as_object, instant, string

_NAME = compile_later(r"rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(?P<id>.+?)\.jsonl(?:\.zst)?$")
_THREAD = compile_later(r"[0-9A-Za-z-]{8,64}")
_FOLDERS = ("sessions", "archived_sessions")
# The head, the instructions, the first prompt and its turn's settings.
_HEAD = 200
_ENVELOPES = {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}


class CodexSource:
    """Codex, whichever of its programs wrote the session."""

    name = "codex"
    title = "Codex"
    reads_one_file = True

    def roots(self, machine: Machine) -> list[Path]:
        home = Path(machine.env.get("CODEX_HOME") or machine.home / ".codex")
        return [home / folder for folder in _FOLDERS]

    def containers(self, root: Path) -> Iterator[Container]:
        for found in files_in(self.name, str(root), _is_rollout, deep=True):
            # While a file is being compressed both stand side by side; the plain one is whole.
            if not str(found.where).endswith(".zst") or not found.path.with_suffix("").exists():
                yield found

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, _id_in_name(container.path))

    def accepts(self, path: Path) -> bool:
        try:
            head = [record for _, record in islice(records(path, Account()), 5)]
        except SourceError:
            return False
        return any(map(_is_ours, head))

    def read(self, ref: SessionRef) -> Reading:
        facts = surveyed(ref.path)
        inherited = facts.own_line - 1 if facts.own_line and _is_orphan(ref.path, facts) else 0
        if inherited:
            facts = surveyed(ref.path, with_history=True)
        account = Account()
        reader = Reader(facts, account)
        lines = translated(records(ref.path, account), account, reader.translate)
        return Reading(_header(ref, facts), lines, account, inherited)

    def header(self, ref: SessionRef) -> Header:
        """What the first records say. A title given later is missing, and the model of a fork of a long session."""
        return _header(ref, surveyed(ref.path, most=_HEAD))


SOURCE = CodexSource()


def _is_rollout(name: str) -> bool:
    return name.startswith("rollout-") and name.endswith((".jsonl", ".jsonl.zst"))


def _id_in_name(path: Path) -> str:
    named = _NAME.match(path.name)
    return named["id"] if named else path.name.partition(".")[0]


def _is_ours(record: Record) -> bool:
    if isinstance(record.get("payload"), dict):
        return str(record.get("type")) in _ENVELOPES and "timestamp" in record
    return record.get("record_type") == "state" or is_bare_head(record)


def _header(ref: SessionRef, facts: CodexFacts) -> Header:
    meta = facts.meta
    thread = string(meta.get("id")) or _id_in_name(ref.path)
    # A revert leaves two files of one thread. They are two traces, so the second keeps the name that tells them apart.
    name = _id_in_name(ref.path)
    return Header(
        agent=ref.agent,
        run_id=name if name.startswith(f"{thread}_") else thread,
        cwd=facts.cwd,
        branch=string(as_object(meta.get("git")).get("branch")) or None,
        model=facts.model,
        version=string(meta.get("cli_version")) or None,
        started=instant(meta.get("timestamp")) or facts.began,
        title=facts.title,
        parent=_parent(meta),
        forked_from=string(meta.get("forked_from_id")) or None,
        remote=normalized_remote(string(as_object(meta.get("git")).get("repository_url"))) or None,
    )


def _is_orphan(path: Path, facts: CodexFacts) -> bool:
    """Whether the file of the session that this one was forked from is gone, so that nobody else tells its history."""
    origin = string(facts.meta.get("forked_from_id"))
    if not _THREAD.fullmatch(origin) or spawned(facts.meta) is not None:
        return False
    home = next((folder.parent for folder in path.parents if folder.name in _FOLDERS), None)
    folders = [home / name for name in _FOLDERS] if home else [path.parent]
    return not any(True for folder in folders for _ in folder.rglob(f"rollout-*{origin}*.jsonl*"))


def _parent(meta: Record) -> str | None:
    thread = as_object(as_object(spawned(meta)).get("thread_spawn"))
    return string(thread.get("parent_thread_id") or meta.get("parent_thread_id")) or None
