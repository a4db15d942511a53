"""The canonical trace: one session as lines that say who really speaks, in true order.

One JSON object per line, compact. Line 1 is the header. Evidence cites line numbers, so lines are never reordered,
merged or removed once written: a session that grew only adds lines, and a rewound turn stays, marked `undone`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, ClassVar

from lerim.dataclass import dataclass, fields

SCHEMA = 1
# Enough of a tool's output to see what happened; the rest is marked, counted and left out.
MAX_TOOL_TEXT = 4_000
# A person pastes logs, and their words stand around them. Only absurd sizes are cut.
MAX_SPOKEN_TEXT = 200_000
# A line that people read at a glance. Agents put whole prompts there.
MAX_TITLE = 300
# Names of tools, models and branches, and ids that link a result to its call.
MAX_NAME = 300
# Who speaks, where several people do: a name, a role, or both.
MAX_SPEAKER = 120
# The longest path any system has.
MAX_PATH = 4_096
_HEADER_LIMITS = {
    "title": MAX_TITLE,
    "cwd": MAX_PATH,
    **dict.fromkeys(("branch", "model", "version", "parent", "forked_from", "remote", "profile"), MAX_NAME),
}


def _bound(item: object, **limits: int) -> None:
    """Cut the texts of an item. At the edge, once for all: nobody behind here meets a title of a megabyte."""
    for name, limit in limits.items():
        value = getattr(item, name)
        if isinstance(value, str) and len(value) > limit:
            object.__setattr__(item, name, f"{value[: limit - 1]}…")


class Via(StrEnum):
    """How the user's words reached the agent."""

    TYPED = "typed"
    QUEUED = "queued"  # typed while the agent was working
    ANSWER = "answer"  # to a question the agent asked through a tool
    REJECTION = "rejection"  # the reason given with a refused tool call
    PLAN = "plan"  # a plan the user approved or edited
    COMMAND = "command"  # arguments of a slash command, or a shell line of the user's own


class Injection(StrEnum):
    """Text under the user's role or the system's that no user typed."""

    INSTRUCTIONS = "instructions"  # AGENTS.md, CLAUDE.md, rules, system and developer prompts
    REMINDER = "reminder"  # system reminders
    ENVIRONMENT = "environment"  # cwd, open files, IDE context, attached files
    SKILL = "skill"
    HOOK = "hook"
    TEMPLATE = "template"  # an expanded slash command
    OUTPUT = "output"  # a local command's output shown to the agent
    NOTIFICATION = "notification"  # task and teammate messages
    COMPACTION = "compaction"  # a summary standing in for earlier history
    OTHER = "other"


class Happening(StrEnum):
    """What happened between the words."""

    INTERRUPTED = "interrupted"  # the user stopped the agent
    COMPACTED = "compacted"
    REWOUND = "rewound"
    ACCEPTED = "accepted"  # the user accepted or rejected a change by a button
    REJECTED = "rejected"
    ERROR = "error"  # the agent or its provider failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing said or done. `at` is ISO 8601 UTC or None; `src` is the line or index it came from in the source."""

    type: ClassVar[str]
    text: str
    at: str | None = None
    src: int = 0
    #: Rewound or edited away: it was said, but the session went on without it.
    undone: bool = False
    #: Characters left out of `text`, where a marker stands.
    cut: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Line):
    """Words of a person. `speaker` says which, where there are several: "customer", or "Ana Ruiz (customer)"."""

    type: ClassVar[str] = "user"
    via: Via = Via.TYPED
    speaker: str | None = None
    #: Of somebody whose word counts for nothing here, as a customer's: data, whatever it says.
    outside: bool = False

    def __post_init__(self) -> None:
        _bound(self, speaker=MAX_SPEAKER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant(Line):
    """Words of an agent. `speaker` says which, where there are several."""

    type: ClassVar[str] = "assistant"
    speaker: str | None = None
    outside: bool = False

    def __post_init__(self) -> None:
        _bound(self, speaker=MAX_SPEAKER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning(Line):
    type: ClassVar[str] = "reasoning"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Line):
    """`text` is the input: the command, the path, or compact JSON."""

    type: ClassVar[str] = "tool_call"
    tool: str
    call: str

    def __post_init__(self) -> None:
        _bound(self, tool=MAX_NAME, call=MAX_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Line):
    """What came back, linked to its call. `ok` is None when the format does not say."""

    type: ClassVar[str] = "tool_result"
    call: str
    ok: bool | None = None
    exit_code: int | None = None
    #: The command goes on: this is what it printed so far. Another result of the same call tells how it ended.
    running: bool = False

    def __post_init__(self) -> None:
        _bound(self, call=MAX_NAME)

    @property
    def has_failed(self) -> bool:
        """Whether it is known to have gone wrong."""
        return self.ok is False or bool(self.exit_code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected(Line):
    type: ClassVar[str] = "injected"
    kind: Injection = Injection.OTHER


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Line):
    type: ClassVar[str] = "event"
    kind: Happening


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Line):
    """From here on the session works in another directory or on another branch. `text` is the directory."""

    type: ClassVar[str] = "moved"
    branch: str | None = None

    def __post_init__(self) -> None:
        _bound(self, text=MAX_PATH, branch=MAX_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The facts of a session that do not change while it grows: line 1 of a trace."""

    agent: str
    run_id: str
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    started: str | None = None
    title: str | None = None
    #: The session that started this one as its subagent.
    parent: str | None = None
    #: The session whose history this one began with; what they share is not repeated here.
    forked_from: str | None = None
    #: What the repository's `origin` points at, as `config.identity` writes it: without scheme, user and `.git`.
    remote: str | None = None
    #: The profile it was read by, unless that is the one of coding. Whoever keeps the trace says so, not its writer.
    profile: str | None = None

    def __post_init__(self) -> None:
        _bound(self, **_HEADER_LIMITS)


LINES: dict[str, type[Line]] = {
    kind.type: kind for kind in (User, Assistant, Reasoning, ToolCall, ToolResult, Injected, Event, Moved)
}


def shorten(text: str, limit: int) -> tuple[str, int]:
    """The text, or its beginning and end around a marker that says how much is missing; and how much that is."""
    if len(text) <= limit:
        return text, 0
    head, tail = limit * 2 // 3, limit // 3
    cut = len(text) - head - tail
    return f"{text[:head]}\n[… {cut:,} characters cut …]\n{text[-tail:]}", cut


def encode(item: Header | Line) -> str:
    """One compact JSON line without its line ending. Fields that say nothing are left out."""
    record: dict[str, Any] = {"type": "session", "schema": SCHEMA} if isinstance(item, Header) else {"type": item.type}
    for field in fields(item):
        value = getattr(item, field.name)
        if value is not None and value is not False and not (field.name in {"src", "cut"} and value == 0):
            record[field.name] = value
    if isinstance(item, ToolResult) and item.ok is False:
        record["ok"] = False
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def decode(text: str) -> Header | Line:
    """A line of a canonical trace. Raises ValueError with what is wrong."""
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    kind = record.pop("type", None)
    if kind != "session" and kind not in LINES:
        raise ValueError(f"unknown line type {kind!r}")
    try:
        if kind == "session":
            record.pop("schema", None)
            return Header(**record)
        return _with_enums(LINES[kind], record)
    except TypeError as error:
        raise ValueError(str(error)) from None


def encode_all(header: Header, lines: Iterable[Line]) -> Iterator[str]:
    yield encode(header)
    for line in lines:
        yield encode(line)


def _with_enums(kind: type[Line], record: dict[str, Any]) -> Line:
    enums: dict[type[Line], tuple[str, type[StrEnum]]] = {
        User: ("via", Via),
        Injected: ("kind", Injection),
        Event: ("kind", Happening),
    }
    if kind in enums:
        name, enum = enums[kind]
        if name in record:
            record[name] = enum(record[name])
    return kind(**record)
