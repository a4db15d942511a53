"""Factory Droid: one JSON line per record in `~/.factory/sessions/<slug>/<session>.jsonl`, the same on every system.

The first record is `session_start` with the directory and the title; `message` records hold Anthropic content blocks.
Beside the file `<session>.settings.json` has the model and the tokens used. `droid exec --output-format stream-json`
prints another format, which people redirect into files: flat `message`, `tool_call`, `tool_result` and `completion`
records. Both are read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, container, picture, taken_apart, translated, words
from lerim.sources.plain_file import read_bytes
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, call_text, compact, count, instant, objects, string

_HEAD = 50
_OPENING, _CLOSING = "<system-reminder>", "</system-reminder>"
# Only where Droid itself writes it: a program's output may hold the same words.
_EXIT_CODE = compile_later(r"\AError: Command failed \(exit code: (\d+)\)|\[Process exited with code (\d+)\]\s*\Z")
# Droid runs a few commands when a session starts and shows what they printed.
_BRANCH = compile_later(r"% git rev-parse --abbrev-ref HEAD\n(\S+)")
_MODEL = compile_later(r"^Model: (.+)$", re.MULTILINE)
_UNNAMED = "New Session"


class DroidSource:
    """Factory's command line agent."""

    name = "droid"
    title = "Factory Droid"

    def roots(self, machine: Machine) -> list[Path]:
        return [machine.home / ".factory" / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        """Session files lie in a folder per directory; the first versions put them side by side."""
        for path in sorted([*root.glob("*.jsonl"), *root.glob("*/*.jsonl")]):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.stem)

    def accepts(self, path: Path) -> bool:
        try:
            return any(_is_droid(item) for _, item in islice(records(path, Account()), _HEAD))
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        settings = _settings(ref.path)
        used = as_object(settings.get("tokenUsage"))
        read = ("inputTokens", "cacheCreationTokens", "cacheReadTokens")
        account.input_tokens = sum(count(used.get(key)) for key in read)
        account.output_tokens = count(used.get("outputTokens"))
        return Reading(_header(ref, settings), _lines(ref.path, account), account)


SOURCE = DroidSource()


def _is_droid(item: Record) -> bool:
    kind = string(item.get("type"))
    if kind == "session_start":
        return "id" in item and ("owner" in item or "cwd" in item)
    if kind == "completion":
        return "finalText" in item
    return kind in {"tool_call", "tool_result"} and not item.keys().isdisjoint({"toolName", "toolCallId", "toolId"})


def _settings(path: Path) -> Record:
    try:
        return as_object(read_bytes(path.with_suffix(".settings.json")))
    except SourceError:
        return {}


def _header(ref: SessionRef, settings: Record) -> Header:
    account = Account()
    head = [item for _, item in islice(records(ref.path, account), _HEAD)]
    if account.bad and not head:
        raise SourceError(f"cannot read {ref.path}: {account.bad[0].reason} in line {account.bad[0].line}")
    start = next((item for item in head if string(item.get("type")) in {"session_start", "system"}), {})
    opening = next((text for item in head if (text := words(as_object(item.get("message")).get("content")))), "")
    branch, model = _BRANCH.search(opening), _MODEL.search(opening)
    named = string(start.get("sessionTitle"))
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=string(start.get("cwd")) or None,
        branch=branch[1] if branch else None,
        model=string(settings.get("model") or start.get("model")) or (model[1].strip() if model else None),
        version=compact(start.get("version")) or None,
        started=next((at for item in head if (at := instant(item.get("timestamp")))), None),
        title=(named if named != _UNNAMED else "") or string(start.get("title")) or None,
        parent=string(start.get("callingSessionId")) or None,
    )


def _lines(path: Path, account: Account) -> Iterator[Line]:
    return translated(records(path, account), account, _DroidReader())


class _DroidReader:
    """Turns each record into lines; remembers which calls were questions, and the last message."""

    def __init__(self) -> None:
        self._questions: set[str] = set()
        self._last = ""
        self._kinds: dict[str, Callable[[Pen, Record], Outcome]] = {
            "message": self._message,
            "tool_call": lambda pen, record: [self._call(pen, record)],
            "tool_result": lambda pen, record: list(self._result(pen, record)),
            "completion": self._completion,
            "error": lambda pen, record: [pen.event(Happening.ERROR, words(record.get("message")))],
            "compaction_state": self._compaction,
        }

    def __call__(self, number: int, record: Record) -> Outcome:
        kind = string(record.get("type"))
        if kind in {"session_start", "session_end", "system", "todo_state"}:
            return kind
        tell = self._kinds.get(kind)
        return tell(Pen(number, instant(record.get("timestamp"))), record) if tell else f"unknown: {kind or 'no type'}"

    def _message(self, pen: Pen, record: Record) -> Outcome:
        message = as_object(record.get("message")) or record
        content = message.get("content", message.get("text"))
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
        if message.get("role") == "assistant":
            return [line for block in blocks for line in self._agent_block(pen, block)]
        visible = message.get("visibility") or record.get("visibility")
        return [line for block in blocks for line in self._user_block(pen, block, visible)]

    def _user_block(self, pen: Pen, block: Record, visible: Any) -> Iterator[Line]:
        text = string(block.get("text")) or picture(block)
        if block.get("type") == "tool_result":
            yield from self._result(pen, block)
        elif visible == "user_only":
            # What Droid tells the user is under the user's role.
            yield pen.injected(text, Injection.NOTIFICATION)
        elif visible == "llm_only":
            yield pen.injected(text, Injection.OTHER)
        else:
            yield from _spoken(pen, text)

    def _agent_block(self, pen: Pen, block: Record) -> Iterator[Line]:
        text = string(block.get("text"))
        if block.get("type") == "tool_use":
            yield self._call(pen, block)
        elif thinking := string(block.get("thinking")).strip():
            yield pen.reasoning(thinking)
        elif text.strip():
            self._last = text
            yield from pen.said(text)

    def _call(self, pen: Pen, block: Record) -> Line:
        name = string(block.get("name") or block.get("toolName") or block.get("toolId"))
        if name == "AskUser":
            self._questions.add(_call_id(block))
        return pen.call(_call_id(block), name, call_text(block.get("input") or block.get("parameters") or {}))

    def _result(self, pen: Pen, block: Record) -> Iterator[Line]:
        value = as_object(block.get("value"))
        printed = "\n".join(filter(None, (string(value.get("stdout")), string(value.get("stderr")))))
        text = words(block.get("content")) or printed or words(block.get("value"))
        exit_code = value.get("exitCode")
        if not isinstance(exit_code, int):
            found = _EXIT_CODE.search(text)
            exit_code = int(found[1] or found[2]) if found else None
        failed = block.get("is_error", block.get("isError"))
        ok = not failed if failed is not None else exit_code == 0 if exit_code is not None else None
        yield pen.result(_call_id(block), text, ok, exit_code)
        if _call_id(block) in self._questions and ok is not False and text.strip():
            yield pen.user(text, Via.ANSWER)

    def _completion(self, pen: Pen, record: Record) -> Outcome:
        text = string(record.get("finalText"))
        return "the last message again" if not text or text == self._last else pen.said(text)

    def _compaction(self, pen: Pen, record: Record) -> Outcome:
        summary = string(record.get("summaryText") or record.get("summary"))
        lines: list[Line] = [pen.event(Happening.COMPACTED, "compacted")]
        return [*lines, pen.injected(summary, Injection.COMPACTION)] if summary else lines


def _call_id(block: Record) -> str:
    return string(block.get("tool_use_id") or block.get("toolCallId") or block.get("id"))


def _spoken(pen: Pen, text: str) -> Iterator[Line]:
    """The user's words, and the reminder that Droid puts before or into them."""
    before, block, after = taken_apart(text, _OPENING, _CLOSING)
    if own := before.strip():
        yield pen.user(own)
    if content := block.removeprefix(_OPENING).removesuffix(_CLOSING).strip():
        kind = Injection.ENVIRONMENT if content.startswith("User system info") else Injection.REMINDER
        yield pen.injected(content, kind)
    if own := after.strip():
        yield pen.user(own)
