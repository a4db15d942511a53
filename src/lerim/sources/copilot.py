"""GitHub Copilot CLI.

Sessions are `session-state/<id>/events.jsonl` under `~/.copilot` on Linux, macOS and Windows; `COPILOT_HOME` moves it,
and before 1.0 so did `XDG_CONFIG_HOME` (`$XDG_CONFIG_HOME/.copilot`). Older sessions are `session-state/<id>.jsonl`, or
one JSON document each in `history-session-state/`.

Each line is an event `{type, data, id, timestamp, parentId}`. A user message has what was typed in `content` and what
the model got in `transformedContent`. Subagents write into the same file: their events carry `parentToolCallId`, or
`agentId` beside the type. What a person decided about a call is in `permission.completed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.json_file import read_document
from lerim.sources.jsonl import records
from lerim.sources.pieces import (
    Outcome,
    Pen,
    Record,
    answered,
    command_line,
    container,
    document,
    show_all,
    translated,
    words,
)
from lerim.sources.plain_file import read_head
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string

# What an old session lists: what the person saw, or only what the model got.
_HEAD_BYTES = 65_536
_LISTS = ("timeline", "chatMessages")
_EXIT_CODE = compile_later(r"<?(?:exited with )?exit code:? (-?\d+)>?\s*$")
_ANSWER = compile_later(r"User (?:selected|responded|answered)[^:]*: (?P<words>.*)", re.DOTALL)
_COMMAND = compile_later(r"/[a-z][\w:-]*(?:\s|$)")
# How the program itself codes that the user refused a call.
_REFUSED = frozenset({"rejected", "denied"})
_FEEDBACK = compile_later(r"(?:[Uu]ser feedback|[Ff]eedback)[^:\n]*: (?P<words>.+)", re.DOTALL)
# Where a message under the user's role came from, when a person sent it. All other names are the program's, a skill's,
# a hook's or another agent's (`agent-…`).
_PERSON = frozenset({"", "user", "immediate-prompt", "command"})
# How a permission that was asked for came out, when a person decided. Rules, hooks and policies decide the others.
_APPROVED = frozenset({"approved", "approved-for-session", "approved-for-location"})
_DENIED = "denied-interactively-by-user"
_DECIDED_BY_PERSON = frozenset({"", "human", "user"})
_PASSED_OVER = {
    "assistant.turn_start": "turn marker",
    "assistant.turn_end": "turn marker",
    "assistant.intent": "turn marker",
    "assistant.usage": "token count",
    "session.idle": "turn marker",
    "session.task_complete": "turn marker",
    "session.compaction_start": "turn marker",
    "session.info": "notice of the program",
    "session.warning": "notice of the program",
    "session.model_change": "settings",
    "session.mode_changed": "settings",
    "session.auto_mode_resolved": "settings",
    "session.title_changed": "session title",
    "session.usage_checkpoint": "token count",
    "session.usage_info": "token count",
    "pending_messages.modified": "queue marker",
    "permission.requested": "question of the program",
    "hook.start": "hook",
    "hook.end": "hook",
    "subagent.started": "subagent activity",
    "subagent.completed": "subagent activity",
    "subagent.failed": "subagent activity",
    "subagent.selected": "subagent activity",
    "tool.execution_partial_result": "repeats another record",
    "tool.execution_progress": "repeats another record",
}


class CopilotSource:
    """Copilot in the terminal; Copilot Chat in the editor keeps its sessions elsewhere."""

    name = "copilot"
    title = "GitHub Copilot CLI"
    reads_one_file = True

    def roots(self, machine: Machine) -> list[Path]:
        homes = [Path(machine.env.get("COPILOT_HOME") or machine.home / ".copilot")]
        if config := machine.env.get("XDG_CONFIG_HOME"):
            homes.append(Path(config) / ".copilot")
        return [home / folder for home in homes for folder in ("session-state", "history-session-state")]

    def containers(self, root: Path) -> Iterator[Container]:
        found = [*root.glob("*/events.jsonl"), *root.glob("*.jsonl"), *root.glob("*.json")]
        for path in sorted(found):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        path = container.path
        yield SessionRef(self.name, path, path.parent.name if path.name == "events.jsonl" else path.stem)

    def accepts(self, path: Path) -> bool:
        try:
            if whole := document(path, *_LISTS):
                return "sessionId" in whole
            head = [record for _, record in islice(records(path, Account()), 1)]
        except SourceError:
            return False
        is_start = bool(head) and head[0].get("type") == "session.start"
        return is_start and "sessionId" in as_object(head[0].get("data"))

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        whole = document(ref.path, *_LISTS) or _salvaged(ref.path, account)
        if whole:
            found: Iterable[tuple[int, Record]] = list(enumerate(_converted(whole), 1))
            account.records += len(list(found))
            survey = _CopilotSurvey.of(found)
        else:
            found = records(ref.path, account)
            survey = _CopilotSurvey.of(records(ref.path, Account()))
        if not survey.is_session:
            raise SourceError(f"no Copilot session in {ref.path}")
        return Reading(
            _header(ref, survey), translated(found, account, _CopilotReader(survey, account).translate), account
        )


SOURCE = CopilotSource()


def _header(ref: SessionRef, survey: _CopilotSurvey) -> Header:
    start = survey.start
    place = as_object(start.get("context"))
    return Header(
        agent=ref.agent,
        run_id=string(start.get("sessionId")) or ref.run_id,
        cwd=string(place.get("cwd")) or None,
        branch=string(place.get("branch")) or None,
        model=string(start.get("selectedModel")) or survey.model,
        version=string(start.get("copilotVersion")) or None,
        started=instant(start.get("startTime")),
        title=survey.title,
    )


# --- the old form: one document ---------------------------------------------------------------------------------------


def _salvaged(path: Path, account: Account) -> Record | None:
    """The whole items of a damaged document; None when it is none."""
    head = read_head(path, _HEAD_BYTES)
    key = next((name for name in _LISTS if re.search(rb'"%b"\s*:\s*\[' % name.encode(), head)), None)
    if key is None or any(as_object(line) for line in head.split(b"\n")[:5]):
        return None
    found = Account()
    items = read_document(path, found, key, lambda item: not item.keys().isdisjoint({"type", "role"})).items
    account.records += len(found.bad)
    account.bad += found.bad
    return {key: [item for _, item in items]}


def _converted(whole: Record) -> Iterator[Record]:
    """An old session as the events a newer version would have written."""
    start = {name: whole.get(name) for name in ("sessionId", "startTime", "selectedModel", "context")}
    yield {"type": "session.start", "data": start}
    if "timeline" in whole:
        yield from map(_entry, objects(whole["timeline"]))
    else:
        yield from map(_chat, objects(whole.get("chatMessages")))


def _entry(entry: Record) -> Record:
    kinds = {
        "user": "user.message",
        "copilot": "assistant.message",
        "info": "session.info",
        "warning": "session.warning",
        "error": "session.error",
        "tool_call_requested": "tool.execution_start",
        "tool_call_completed": "tool.execution_complete",
    }
    result = as_object(entry.get("result"))
    data = {
        "content": entry.get("text"),
        "message": entry.get("text"),
        "toolCallId": entry.get("callId"),
        "toolName": entry.get("name"),
        "arguments": entry.get("arguments"),
        "success": result.get("type") == "success" if "type" in result else None,
        "result": {"content": result.get("log", entry.get("result"))},
    }
    kind = string(entry.get("type"))
    return {"type": kinds.get(kind, kind), "timestamp": entry.get("timestamp"), "data": data}


def _chat(message: Record) -> Record:
    role, text = message.get("role"), words(message.get("content"))
    if role == "tool":
        data = {"toolCallId": message.get("tool_call_id"), "result": {"content": text}}
        return {"type": "tool.execution_complete", "data": data}
    calls = [
        {"toolCallId": call.get("id"), **as_object(call.get("function"))} for call in objects(message.get("tool_calls"))
    ]
    return {"type": f"{role}.message", "data": {"content": text, "toolRequests": calls}}


# --- events -----------------------------------------------------------------------------------------------------------


@dataclass
class _CopilotSurvey:
    """What the whole file says about each of its events."""

    start: Record = field(default_factory=dict)
    model: str | None = None
    title: str | None = None
    is_session: bool = False
    places: dict[str, int] = field(default_factory=dict)
    undone: list[range] = field(default_factory=list)

    @classmethod
    def of(cls, found: Iterable[tuple[int, Record]]) -> _CopilotSurvey:
        surveyed = cls()
        show_all(found, surveyed.note)
        return surveyed

    def note(self, number: int, event: Record) -> None:
        data = as_object(event.get("data"))
        self.is_session = self.is_session or "data" in event
        self.places.setdefault(str(event.get("id")), number)
        self.model = self.model or string(data.get("newModel") or data.get("model")) or None
        match event.get("type"):
            case "session.start":
                self.start = self.start or data
            case "session.title_changed":
                self.title = string(data.get("title")) or self.title
            case "session.snapshot_rewind":
                since = self.places.get(str(data.get("upToEventId")))
                self.undone += [range(since, number)] if since is not None else []


class _CopilotReader:
    """Turns events into lines, in file order."""

    def __init__(self, survey: _CopilotSurvey, account: Account) -> None:
        self.survey = survey
        self.account = account
        self.pen = Pen()
        place = as_object(survey.start.get("context"))
        self.place = place.get("cwd"), place.get("branch")
        #: The subagent an event is of; empty for the session's own agent.
        self.subagent = ""
        self.called: set[str] = set()
        self.tools: dict[str, str] = {}
        self.refused: set[str] = set()
        self.own: set[str] = set()
        self.questions: dict[str, str] = {}
        self.thoughts: set[int] = set()
        self.readers = self._readers()

    def translate(self, number: int, event: Record) -> Outcome:
        undone = any(number in turns for turns in self.survey.undone)
        self.pen = Pen(number, instant(event.get("timestamp")), undone)
        self.subagent = string(event.get("agentId"))
        kind = str(event.get("type"))
        if kind in self.readers:
            return self.readers[kind](as_object(event.get("data")))
        return _PASSED_OVER.get(kind, f"unknown: {kind}")

    def _readers(self) -> dict[str, Callable[[Record], Outcome]]:
        return {
            "session.start": lambda _: "session header",
            "session.resume": lambda data: self._moved(as_object(data.get("context"))),
            "session.context_changed": self._moved,
            "session.error": lambda data: [self.pen.event(Happening.ERROR, string(data.get("message")))],
            "session.truncation": lambda _: [self.pen.event(Happening.COMPACTED, "oldest messages dropped")],
            "session.compaction_complete": self._compacted,
            "session.snapshot_rewind": lambda _: [self.pen.event(Happening.REWOUND)],
            "session.shutdown": self._shutdown,
            "abort": lambda data: [self.pen.event(Happening.INTERRUPTED, string(data.get("reason")))],
            "user.message": self._user,
            "assistant.message": self._assistant,
            "assistant.reasoning": lambda data: self._thought(string(data.get("content"))),
            "tool.execution_start": self._start,
            "tool.execution_complete": self._complete,
            "tool.user_requested": self._own_command,
            "permission.completed": self._permission,
            "skill.invoked": lambda data: self._injected(string(data.get("content")), Injection.SKILL),
            "system.message": lambda data: self._injected(words(data.get("content")), Injection.INSTRUCTIONS),
            "system.notification": lambda data: self._injected(words(data.get("content")), Injection.NOTIFICATION),
        }

    def _injected(self, text: str, kind: Injection) -> list[Line]:
        return [self.pen.injected(text.strip(), kind)] if text.strip() else []

    def _moved(self, context: Record) -> Outcome:
        cwd, branch = context.get("cwd"), context.get("branch")
        if not isinstance(cwd, str) or (cwd, branch) == self.place:
            return "session resumed"
        self.place = cwd, branch
        return [self.pen.moved(cwd, string(branch) or None)]

    def _user(self, data: Record) -> Outcome:
        text = words(data.get("content"))
        sent = string(data.get("transformedContent"))
        before, found, after = sent.partition(text) if text else ("", "", "")
        lines = self._injected(before, Injection.ENVIRONMENT) if found else []
        source = string(data.get("source"))
        if data.get("parentToolCallId") or self.subagent or source.startswith("agent-"):
            lines += self._injected(text, Injection.NOTIFICATION)
        elif source not in _PERSON or data.get("isAutopilotContinuation"):
            lines += self._injected(text, Injection.OTHER)
        elif text.strip():
            lines.append(self.pen.user(text, _via(text, data)))
        # When the words are not in what was sent, a template went out in their place.
        lines += self._injected(after, Injection.REMINDER) if found else self._injected(sent, Injection.TEMPLATE)
        named = [string(file.get("path") or file.get("displayName")) for file in objects(data.get("attachments"))]
        return lines + self._injected("\n".join(f"[file {name}]" for name in named if name), Injection.ENVIRONMENT)

    def _assistant(self, data: Record) -> Outcome:
        self.account.output_tokens += count(data.get("outputTokens"))
        thought = self._thought(string(data.get("reasoningText")))
        lines: list[Line] = [] if isinstance(thought, str) else thought
        lines += self.pen.said(words(data.get("content")))
        for request in objects(data.get("toolRequests")):
            lines += self._call(request, string(request.get("name")))
        return lines

    def _thought(self, text: str) -> Outcome:
        """Reasoning comes with its message, as an event of its own, or as both."""
        if not text.strip() or hash(text) in self.thoughts:
            return "repeats another record" if text else "empty"
        self.thoughts.add(hash(text))
        return [self.pen.reasoning(text)]

    def _call(self, request: Record, tool: str) -> list[Line]:
        """A call is in the message that asks for it and again when it starts; either may be missing."""
        call = str(request.get("toolCallId"))
        if call in self.called:
            return []
        self.called.add(call)
        self.tools[call] = tool
        arguments = request.get("arguments")
        if tool == "ask_user":
            self.questions[call] = string(as_object(arguments).get("question"))
        return [self.pen.call(call, tool, command_line(arguments or {}))]

    def _start(self, data: Record) -> Outcome:
        return self._call(data, string(data.get("toolName"))) or "repeats another record"

    def _complete(self, data: Record) -> Outcome:
        call = str(data.get("toolCallId"))
        result, error = as_object(data.get("result")), as_object(data.get("error"))
        text = words(result.get("content")) or string(error.get("message")) or compact(data.get("error"))
        found = _EXIT_CODE.search(text[-100:])
        code = int(found[1]) if found else None
        ok = data["success"] and not code if isinstance(data.get("success"), bool) else None
        if call in self.own:
            return self._injected(text, Injection.OUTPUT)
        # The old form shows a call only when it is done.
        asked = self._call(data, string(data.get("toolName"))) if data.get("toolName") else []
        is_refused = data.get("success") is False and error.get("code") in _REFUSED
        return [*asked, self.pen.result(call, text, ok, code), *self._decided(call, text, ok=ok, is_refused=is_refused)]

    def _decided(self, call: str, text: str, *, ok: bool | None, is_refused: bool) -> Iterator[Line]:
        """What the person said through a tool: the answer to a question, or why a call was refused."""
        if call in self.questions and ok is not False:
            found = _ANSWER.match(text)
            answer = found["words"] if found else text
            if pair := answered([(self.questions.pop(call), answer.strip())]):
                yield self.pen.user(pair, Via.ANSWER)
        elif is_refused and call not in self.refused:
            yield self.pen.event(Happening.REJECTED, "tool call refused")
            if feedback := _FEEDBACK.search(text):
                yield self.pen.user(feedback["words"].strip(), Via.REJECTION)

    def _permission(self, data: Record) -> Outcome:
        """What a person answered when a call needed their leave; the result of a call they refused says it again."""
        result = as_object(data.get("result"))
        kind, call = string(result.get("kind")), str(data.get("toolCallId"))
        if string(data.get("decisionSource")) not in _DECIDED_BY_PERSON:
            return "permission given or denied by a rule"
        tool = self.tools.get(call, "")
        if kind in _APPROVED:
            return [self.pen.event(Happening.ACCEPTED, tool)]
        if kind != _DENIED:
            return "permission given or denied by a rule"
        self.refused.add(call)
        feedback = string(result.get("feedback")).strip()
        said = [self.pen.user(feedback, Via.REJECTION)] if feedback else []
        return [self.pen.event(Happening.REJECTED, tool or "tool call refused"), *said]

    def _own_command(self, data: Record) -> Outcome:
        """A shell line the person ran with `!`."""
        self.called.add(str(data.get("toolCallId")))
        self.own.add(str(data.get("toolCallId")))
        return [self.pen.user(command_line(data.get("arguments") or {}), Via.COMMAND)]

    def _compacted(self, data: Record) -> Outcome:
        summary = string(data.get("summaryContent"))
        return [self.pen.event(Happening.COMPACTED), *self._injected(summary, Injection.COMPACTION)]

    def _shutdown(self, data: Record) -> Outcome:
        used = [as_object(as_object(model).get("usage")) for model in as_object(data.get("modelMetrics")).values()]
        if any(used):
            self.account.input_tokens = sum(count(usage.get("inputTokens")) for usage in used)
            self.account.output_tokens = sum(count(usage.get("outputTokens")) for usage in used)
        return "token count"


def _via(text: str, data: Record) -> Via:
    if _COMMAND.match(text):
        return Via.COMMAND
    return Via.QUEUED if data.get("delivery") in {"queued", "steering", "immediate"} else Via.TYPED
