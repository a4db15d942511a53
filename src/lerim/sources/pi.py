"""pi, the coding agent of the pi project.

Sessions are `<time>_<uuid>.jsonl` in a folder per project, `--<directory with dashes>--`, under `~/.pi/agent/sessions`
on every system. `PI_CODING_AGENT_DIR` moves `~/.pi/agent`, `PI_CODING_AGENT_SESSION_DIR` the sessions themselves.

A file starts with a `session` header and appends entries. Since version 2 they form a tree: whoever goes back to an
earlier point continues from there, and the branch left behind stays in the file. The last entry is where the session
is, so what does not lead to it was abandoned. Version 1 is a plain sequence without ids.

Its subagents' extension leaves `.pi-subagents/artifacts/<…>_transcript.jsonl` in repositories: records with a
`recordType`, those of messages with pi's own message in them. What stands under the user's role there is the agent's.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, translated, words
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, count, instant, objects, string

# Before the words: a skill that was called, or files given on the command line.
# An attached file may close its tag itself, so the last closing one counts.
_ATTACHED = compile_later(r"\s*<(?P<tag>skill|file)\s+name=[^>]*>.*</(?P=tag)>", re.DOTALL)
_TRANSCRIPT = "_transcript"
_EXIT_CODE = compile_later(r"Command exited with code (-?\d+)")
_SPOKEN = ("message", "compaction", "branch_summary", "custom_message")
_PASSED_OVER = {
    "model_change": "settings",
    "thinking_level_change": "settings",
    "session_info": "session title",
    "label": "label",
    "custom": "state of an extension",
    "usage": "token count",
    "context_edit": "context edit",
    "subagent tool_start": "repeats another record",
    "subagent tool_end": "repeats another record",
}


class PiSource:
    """pi, from its first format to the third."""

    name = "pi"
    title = "pi"

    def roots(self, machine: Machine) -> list[Path]:
        if sessions := machine.env.get("PI_CODING_AGENT_SESSION_DIR"):
            return [_expanded(sessions, machine)]
        agent = machine.env.get("PI_CODING_AGENT_DIR")
        return [(_expanded(agent, machine) if agent else machine.home / ".pi" / "agent") / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted([*root.glob("*.jsonl"), *root.glob("*/*.jsonl")]):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        name = container.path.stem
        is_subagents = name.endswith(_TRANSCRIPT)
        run_id = name.removesuffix(_TRANSCRIPT) if is_subagents else name.rpartition("_")[2]
        yield SessionRef(self.name, container.path, run_id)

    def accepts(self, path: Path) -> bool:
        try:
            head = [record for _, record in islice(records(path, Account()), 1)]
        except SourceError:
            return False
        is_session = bool(head) and head[0].get("type") == "session" and {"id", "timestamp", "cwd"} <= head[0].keys()
        return is_session or (bool(head) and _is_subagents(head[0]))

    def read(self, ref: SessionRef) -> Reading:
        survey = PiSurvey.of(_entries(ref.path, Account()))
        if not survey.header and not survey.parents and not survey.has_messages:
            raise SourceError(f"no pi session in {ref.path}")
        account = Account()
        reader = PiReader(survey, account, with_history=_is_orphan(ref.path, survey))
        lines = translated(_entries(ref.path, account), account, reader.translate)
        return Reading(header_of(ref, survey), lines, account, survey.copied if reader.with_history else 0)


SOURCE = PiSource()


def _expanded(folder: str, machine: Machine) -> Path:
    return machine.home / folder.removeprefix("~").lstrip("/\\") if folder.startswith("~") else Path(folder)


def _is_subagents(record: Record) -> bool:
    return isinstance(record.get("recordType"), str) and not {"role", "sourceEventType", "toolName"}.isdisjoint(record)


def _entries(path: Path, account: Account) -> Iterator[tuple[int, Record]]:
    """The entries of a session; records of a subagent's transcript as the entries they were made from."""
    for number, record in records(path, account):
        yield number, _as_entry(record) if _is_subagents(record) else record


def _as_entry(record: Record) -> Record:
    if record["recordType"] != "message":
        return {"type": f"subagent {record['recordType']}"}
    message = as_object(record.get("message"))
    said = {"content": message.get("content") or record.get("text"), "role": record.get("role") or message.get("role")}
    at = record.get("timestamp") or record.get("ts")
    return {"type": "message", "timestamp": at, "isSubagent": True, "message": {**message, **said}}


def _parent(header: Record) -> str:
    return string(header.get("parentSession")) or string(header.get("branchedFrom"))


def _is_orphan(path: Path, survey: PiSurvey) -> bool:
    """Whether the file of the session that this one was forked from is gone, so that nobody else tells its history."""
    parent = _parent(survey.header)
    name = re.split(r"[/\\]", parent)[-1]
    return bool(survey.copied) and not any(_is_there(file) for file in (Path(parent), path.parent / name))


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def header_of(ref: SessionRef, survey: PiSurvey) -> Header:
    header = survey.header
    parent = _parent(header)
    return Header(
        agent=ref.agent,
        run_id=string(header.get("id")) or ref.run_id,
        cwd=string(header.get("cwd")) or None,
        model=survey.model,
        started=instant(header.get("timestamp")),
        title=survey.title,
        # The parent is given by its file: /…/<time>_<uuid>.jsonl
        forked_from=re.split(r"[/\\_]", parent)[-1].removesuffix(".jsonl") or None,
    )


@dataclass
class PiSurvey:
    """Who follows whom, and where the session ended up."""

    header: Record = field(default_factory=dict)
    model: str | None = None
    title: str | None = None
    has_messages: bool = False
    parents: dict[str, str | None] = field(default_factory=dict)
    last: str | None = None
    is_tree: bool = True
    #: The last line that was copied from the session this was forked from.
    copied: int = 0

    @classmethod
    def of(cls, found: Iterable[tuple[int, Record]]) -> PiSurvey:
        survey = cls()
        for number, record in found:
            with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
                survey.note(record)
                survey.note_copy(number, record)
        return survey

    def note_copy(self, number: int, entry: Record) -> None:
        """Entries copied into a fork keep their times, which lie before the fork's own. What is no time, tells none."""
        at, forked = string(entry.get("timestamp")), string(self.header.get("timestamp"))
        if _parent(self.header) and instant(at) and instant(forked) and at < forked:
            self.copied = number

    def note(self, entry: Record) -> None:
        if entry.get("type") == "session":
            self.header = self.header or entry
            self.model = self.model or string(entry.get("modelId")) or None
            return
        self.has_messages = self.has_messages or entry.get("type") in _SPOKEN
        model = entry.get("modelId") or as_object(entry.get("message")).get("model")
        self.model = self.model or string(model) or None
        if entry.get("type") == "session_info":
            self.title = string(entry.get("name")) or self.title
        if isinstance(name := entry.get("id"), str):
            self._place(name, entry.get("parentId"))

    def _place(self, name: str, parent: object) -> None:
        # A tool that hides secrets may have made ids equal; then the tree is lost and the file order is what remains.
        self.is_tree = self.is_tree and name not in self.parents
        # An entry whose parent could not be read follows what stands before it.
        known = isinstance(parent, str) and parent in self.parents
        self.parents[name] = str(parent) if known else None if parent is None else self.last
        self.last = name

    def standing(self) -> set[str]:
        """The entries that lead to where the session is."""
        found: set[str] = set()
        at = self.last
        while at is not None and at not in found:
            found.add(at)
            at = self.parents.get(at)
        return found


class PiReader:
    """Turns entries into lines, in file order."""

    def __init__(self, survey: PiSurvey, account: Account, *, with_history: bool) -> None:
        self.account = account
        self.with_history = with_history
        self.standing = survey.standing() if survey.is_tree else set(survey.parents)
        self.copied = survey.copied
        self.pen = Pen()

    def translate(self, number: int, entry: Record) -> Outcome:
        name, at = entry.get("id"), entry.get("timestamp")
        self.pen = Pen(number, instant(at), isinstance(name, str) and name not in self.standing)
        if entry.get("type") == "session":
            return "session header"
        if number <= self.copied and not self.with_history:
            return "history of the session this was forked from"
        match entry.get("type"):
            case "message":
                return self._message(as_object(entry.get("message")), is_subagent=bool(entry.get("isSubagent")))
            case "compaction":
                return self._summary(Happening.COMPACTED, entry)
            case "branch_summary":
                return self._summary(Happening.REWOUND, entry)
            case "custom_message":
                return self._injected(words(entry.get("content")), Injection.OTHER)
            case other:
                return _PASSED_OVER.get(str(other), f"unknown: {other}")

    def _message(self, message: Record, *, is_subagent: bool) -> Outcome:
        self.pen.at = self.pen.at or instant(message.get("timestamp"))
        match message.get("role"):
            case "user" if is_subagent:
                return self._injected(words(message.get("content")), Injection.NOTIFICATION)
            case "user":
                return self.user(message)
            case "assistant":
                return self._assistant(message)
            case "toolResult":
                return self._result(message)
            case "bashExecution":
                return self._own_command(message)
            case "custom" | "hookMessage":
                return self._injected(words(message.get("content")), Injection.HOOK)
            case "branchSummary" | "compactionSummary":
                return self._injected(string(message.get("summary")), Injection.COMPACTION)
            case other:
                return f"unknown: message {other}"

    def user(self, message: Record) -> Outcome:
        """What stands under the user's role: what was attached, and what was typed."""
        text, lines = words(message.get("content")), list[Line]()
        while attached := _ATTACHED.match(text):
            kind = Injection.SKILL if attached["tag"] == "skill" else Injection.ENVIRONMENT
            lines.append(self.pen.injected(attached[0].strip(), kind))
            text = text[attached.end() :].lstrip()
        via = Via.COMMAND if any(line.text.startswith("<skill") for line in lines) else Via.TYPED
        return [*lines, self.pen.user(text, via)] if text.strip() else lines

    def _assistant(self, message: Record) -> Outcome:
        self._count(as_object(message.get("usage")))
        content = message.get("content")
        lines: list[Line] = self.pen.said(string(content))
        for part in objects(content):
            lines += self._part(part)
        match message.get("stopReason"):
            case "aborted":
                lines.append(self.pen.event(Happening.INTERRUPTED))
            case "error":
                lines.append(self.pen.event(Happening.ERROR, string(message.get("errorMessage"))))
        return lines or "encrypted reasoning"

    def _part(self, part: Record) -> Iterator[Line]:
        match part.get("type"):
            case "thinking" if string(part.get("thinking")).strip():
                yield self.pen.reasoning(part["thinking"])
            case "text" if string(part.get("text")).strip():
                yield from self.pen.said(part["text"])
            case "toolCall":
                yield self.pen.call(str(part.get("id")), str(part.get("name")), command_line(part.get("arguments")))

    def _result(self, message: Record) -> Outcome:
        text = words(message.get("content"))
        code = _EXIT_CODE.search(text[-200:]) if message.get("toolName") == "bash" else None
        is_error = message.get("isError")
        ok = None if is_error is None else not is_error
        return [self.pen.result(str(message.get("toolCallId")), text, ok, int(code[1]) if code else None)]

    def _own_command(self, message: Record) -> Outcome:
        """A shell line the person ran with `!`; the agent saw it and its output."""
        lines: list[Line] = [self.pen.user(string(message.get("command")), Via.COMMAND)]
        if output := string(message.get("output")):
            lines.append(self.pen.injected(output, Injection.OUTPUT))
        return lines

    def _summary(self, what: Happening, entry: Record) -> Outcome:
        return [self.pen.event(what), *self._injected(string(entry.get("summary")), Injection.COMPACTION)]

    def _injected(self, text: str, kind: Injection) -> list[Line]:
        return [self.pen.injected(text, kind)] if text.strip() else []

    def _count(self, usage: Record) -> None:
        # What came from a cache was read too.
        self.account.input_tokens += sum(count(usage.get(name)) for name in ("input", "cacheRead", "cacheWrite"))
        self.account.output_tokens += count(usage.get("output"))
