"""Zed's own agent.

One database, `threads/threads.db` in Zed's data folder: ~/.local/share/zed (XDG_DATA_HOME; a Flatpak's own), on macOS
~/Library/Application Support/Zed, on Windows %LOCALAPPDATA%\\Zed. `threads` has a row for each thread with its title,
its folders (a line each, and their order) and `data`: a JSON document, mostly compressed with zstd. Zed writes the
whole row again after each turn.

A message is `{"User": …}` with texts and mentions, `{"Agent": …}` with texts, thoughts, calls and the results by the
id of their call, or "Resume". Up to document version 0.2.0 messages have a `role`, `segments`, `tool_uses` and
`tool_results`. There are no times in it. Threads with a parent were started by an agent, and imported ones were shared
by somebody else: what stands under the user there is not the user's. Agents that Zed runs for others (Claude Code,
Codex, Gemini) keep their sessions themselves.

Written down from the editor's own source (zed-industries/zed, `crates/agent/src/db.rs`, 2026); never seen on real data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lerim.config.identity import normalized_remote
from lerim.errors import SourceError
from lerim.sources import sqlite_file, zstd
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.json_file import salvaged
from lerim.sources.pieces import Outcome, Pen, Record, command_line, translated, words
from lerim.sources.plain_file import MAX_DOCUMENT_BYTES
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Happening, Header, Injection, Line
from lerim.sources.values import as_object, compact, count, instant, objects, string, texts

_DATABASE = "threads.db"
_COLUMNS = ("summary", "updated_at", "created_at", "parent_id", "folder_paths", "folder_paths_order", "data_type")
#: What a call ends with when a person refused it, or stopped the agent.
_ENDED = {
    "Permission to run tool denied by user": Happening.REJECTED,
    "Tool canceled by user": Happening.INTERRUPTED,
}


class ZedSource:
    name = "zed"
    title = "Zed"

    def roots(self, machine: Machine) -> list[Path]:
        if machine.platform == "win32":
            return [Path(machine.env.get("LOCALAPPDATA") or machine.home / "AppData" / "Local") / "Zed" / "threads"]
        if machine.platform == "darwin":
            return [machine.app_support / "Zed" / "threads"]
        flatpak = machine.home / ".var" / "app" / "dev.zed.Zed" / "data"
        return [base / "zed" / "threads" for base in (machine.data_home, flatpak)]

    def containers(self, root: Path) -> Iterator[Container]:
        if state := sqlite_file.state(root / _DATABASE):
            yield Container(self.name, root / _DATABASE, state)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        with sqlite_file.opened(container.path) as database:
            sql = "SELECT id, updated_at, length(data) FROM threads ORDER BY rowid"
            found = database.rows(sql) if _is_ours(database) else []
            if not found:
                database.require_sound()
        for run_id, updated, size in found:
            yield SessionRef(self.name, container.path, string(run_id), f"{updated}-{size}")

    def accepts(self, path: Path) -> bool:
        try:
            if not sqlite_file.is_database(path):
                return False
            with sqlite_file.opened(path) as database:
                return _is_ours(database)
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        row, thread, items = _thread(ref, account)
        usage = as_object(thread.get("cumulative_token_usage"))
        account.input_tokens = count(usage.get("input_tokens")) + count(usage.get("cache_read_input_tokens"))
        account.output_tokens = count(usage.get("output_tokens"))
        is_ours = not row.get("parent_id") and not thread.get("subagent_context") and not thread.get("imported")
        reader = _ZedReader(is_ours=is_ours)
        return Reading(_header(ref, row, thread), translated(items, account, reader.translate), account)


SOURCE = ZedSource()


def _is_ours(database: AgentDatabase) -> bool:
    return {"id", "summary", "data_type", "data"} <= database.columns("threads")


def _thread(ref: SessionRef, account: Account) -> tuple[Record, Record, Iterable[tuple[int, Record]]]:
    """What the row says, what the document says, and its messages."""
    with sqlite_file.opened(ref.path) as database:
        names = [name for name in _COLUMNS if name in database.columns("threads")]
        found = database.row(f"SELECT {', '.join(names)}, data FROM threads WHERE id = ?", ref.run_id)
    if found is None:
        raise SourceError(f"{ref.path} has no thread {ref.run_id}")
    row = dict(zip(names, found[:-1], strict=True))
    raw = found[-1].encode() if isinstance(found[-1], str) else found[-1]
    if not isinstance(raw, bytes):
        raise SourceError(f"thread {ref.run_id} in {ref.path} is empty")
    if raw.startswith(zstd.MAGIC):
        raw = zstd.plain_bytes(ref.path, raw, MAX_DOCUMENT_BYTES)
    thread = as_object(raw)
    if isinstance(thread.get("messages"), list):
        return row, thread, _counted(thread["messages"], account)
    return row, {}, salvaged(ref.path, raw, account, "messages", _is_message).items


def _is_message(item: Record) -> bool:
    return not {"User", "Agent", "role"}.isdisjoint(item)


def _counted(listed: list[object], account: Account) -> Iterator[tuple[int, Record]]:
    for number, message in enumerate(listed, 1):
        account.records += 1
        if message == "Resume":
            account.skip("resumed")
        elif isinstance(message, dict):
            yield number, message
        else:
            account.trouble(number, f"a {type(message).__name__}, not a message")


def _header(ref: SessionRef, row: Record, thread: Record) -> Header:
    snapshot = as_object(thread.get("initial_project_snapshot"))
    worktree = next(iter(objects(snapshot.get("worktree_snapshots"))), {})
    git = as_object(worktree.get("git_state"))
    folders = _folders(string(row.get("folder_paths")), string(row.get("folder_paths_order")))
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=next(iter(folders), "") or string(worktree.get("worktree_path")) or None,
        branch=string(git.get("current_branch")) or None,
        model=string(as_object(thread.get("model")).get("model")) or None,
        started=instant(snapshot.get("timestamp")) or instant(row.get("created_at")) or instant(row.get("updated_at")),
        title=string(row.get("summary")) or string(thread.get("title")) or None,
        parent=string(row.get("parent_id")) or None,
        remote=normalized_remote(string(git.get("remote_url"))) or None,
    )


def _folders(paths: str, order: str) -> list[str]:
    """The folders of a thread's project, in the order in which they stand in the window."""
    listed = [path for path in paths.split("\n") if path]
    places = [int(place) for place in order.split(",") if place.strip().isdecimal()]
    if sorted(places) != list(range(len(listed))):
        return listed
    return [path for _, path in sorted(zip(places, listed, strict=True))]


class _ZedReader:
    """Turns messages into lines; in threads that no user of this machine wrote, nobody is heard as the user."""

    def __init__(self, *, is_ours: bool) -> None:
        self.is_ours = is_ours

    def translate(self, number: int, message: Record) -> Outcome:
        pen = Pen(number)
        if isinstance(said := message.get("User"), dict):
            return [*self._user(said, pen)]
        if isinstance(said := message.get("Agent"), dict):
            return [*_agent(said, pen)]
        if "role" in message:
            return [*self._older(message, pen)]
        return f"unknown: {next(iter(message), 'message')}"

    def _user(self, message: Record, pen: Pen) -> Iterator[Line]:
        mentions = [as_object(part.get("Mention")) for part in objects(message.get("content")) if "Mention" in part]
        typed = "".join(_written(part) for part in objects(message.get("content")))
        yield from self._typed(typed, pen)
        for mention in mentions:
            if (content := string(mention.get("content"))).strip():
                yield pen.injected(f"{_label(mention)}\n{content}", Injection.ENVIRONMENT)

    def _typed(self, text: str, pen: Pen, *, is_hidden: bool = False) -> Iterator[Line]:
        if not text.strip():
            return
        if self.is_ours and not is_hidden:
            yield from pen.typed(text)
        else:
            yield pen.injected(text, Injection.NOTIFICATION)

    def _older(self, message: Record, pen: Pen) -> Iterator[Line]:
        segments = objects(message.get("segments"))
        results = objects(message.get("tool_results"))
        if message.get("role") == "user":
            said = "\n".join(filter(None, (words(part) for part in segments))) or string(message.get("text"))
            # In its first form, what goes back to the model with the results of tools is under the user's role, too.
            yield from self._typed(said, pen, is_hidden=bool(message.get("is_hidden") or results))
            if (context := string(message.get("context"))).strip():
                yield pen.injected(context, Injection.ENVIRONMENT)
        elif message.get("role") == "assistant":
            yield from pen.said(string(message.get("text")))
            for part in segments:
                yield from _segment(part, pen)
        for use in objects(message.get("tool_uses")):
            yield pen.call(string(use.get("id")), string(use.get("name")) or "tool", command_line(use.get("input")))
        for result in results:
            yield from _result(result, pen)


def _written(part: Record) -> str:
    """A piece of what was typed: text, or the name of something mentioned in the midst of it."""
    if isinstance(part.get("Text"), str):
        return str(part["Text"])
    return _label(as_object(part["Mention"])) if "Mention" in part else "[image]" if "Image" in part else ""


def _label(mention: Record) -> str:
    kind, uri = next(iter(as_object(mention.get("uri")).items()), ("", {}))
    facts = as_object(uri)
    where = string(facts.get("abs_path")) or string(facts.get("url"))
    return f"[{string(facts.get('name')) or where or kind or 'mention'}]"


def _agent(message: Record, pen: Pen) -> Iterator[Line]:
    results = as_object(message.get("tool_results"))
    for part in objects(message.get("content")):
        if isinstance(part.get("Text"), str):
            yield from pen.said(part["Text"])
        elif (thought := string(as_object(part.get("Thinking")).get("text"))).strip():
            yield pen.reasoning(thought)
        elif use := as_object(part.get("ToolUse")):
            call, given = string(use.get("id")), use.get("input") or use.get("raw_input")
            yield pen.call(call, string(use.get("name")) or "tool", command_line(given))
            if isinstance(result := results.get(call), dict):
                yield from _result({"tool_use_id": call, **result}, pen)


def _segment(part: Record, pen: Pen) -> Iterator[Line]:
    text = string(part.get("text"))
    if part.get("type") == "text":
        yield from pen.said(text)
    elif part.get("type") == "thinking" and text.strip():
        yield pen.reasoning(text)


def _result(result: Record, pen: Pen) -> Iterator[Line]:
    text = _printed(result.get("content")) or compact(result.get("output"))
    is_error = result.get("is_error") is True
    yield pen.result(string(result.get("tool_use_id")), text, not is_error)
    if is_error and (what := _ENDED.get(text.strip())):
        yield pen.event(what, string(result.get("tool_name")))


def _printed(content: object) -> str:
    """What a tool gave back: a text, `{"Text": …}`, `{"Image": …}`, or a list of them."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_printed, objects(content) or texts(content))))
    if isinstance(content, dict):
        return string(content.get("Text")) or ("[image]" if "Image" in content else words(content))
    return string(content)
