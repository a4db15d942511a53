"""Kimi Code, and the Kimi CLI that it was before.

Kimi Code keeps `sessions/<folder>/<session>/agents/<agent>/wire.jsonl` under ~/.kimi-code (KIMI_CODE_HOME), a file for
the main agent and one for each of its subagents, and `state.json` beside `agents` with the folder worked in. Every
record has a `type` and a `time`. Words reach the agent by `turn.prompt` or, while it works, by `turn.steer`, and stand
in `context.append_message` once more; `origin` says whose they are. What the agent does is in
`context.append_loop_event`. `permission.record_approval_result` is the user's decision about a call, `context.undo`
takes back turns.

The Kimi CLI keeps `sessions/<md5 of the folder>/<uuid>/wire.jsonl` under ~/.kimi (KIMI_SHARE_DIR), records
`{timestamp, message: {type, payload}}`; `kimi.json` above lists the folders.

Seen on sessions that both programs themselves wrote (Kimi Code 2.1.0, Kimi CLI 1.40.0, of 2026) with an invented model,
and on small samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import md5
from itertools import islice
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.kimi_older import OlderReader, answers
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, show_all, translated, words
from lerim.sources.plain_file import read_bytes
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string

_WIRE, _MAIN = "wire.jsonl", "main"
#: How the folders of Kimi Code's sessions begin, all of them.
_NAMED = "session_"
_FIRST = 3
_ASKS = "AskUserQuestion"
#: Whose words stand under the user's role, when they are nobody's.
_ORIGINS = {
    "injection": Injection.REMINDER,
    "compaction_summary": Injection.COMPACTION,
    "hook_result": Injection.HOOK,
    "skill_activation": Injection.SKILL,
    "plugin_command": Injection.TEMPLATE,
    "shell_command": Injection.OUTPUT,
}
_REPEATS = frozenset({"agent.message.appended", "context.splice"})


class KimiSource:
    name = "kimi"
    title = "Kimi Code"

    def roots(self, machine: Machine) -> list[Path]:
        current = Path(machine.env.get("KIMI_CODE_HOME") or machine.home / ".kimi-code")
        older = Path(machine.env.get("KIMI_SHARE_DIR") or machine.home / ".kimi")
        return [current / "sessions", older / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted([*root.glob(f"*/*/agents/*/{_WIRE}"), *root.glob(f"*/*/{_WIRE}")]):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, _run_id(container.path))

    def accepts(self, path: Path) -> bool:
        try:
            head = [record for _, record in islice(records(path, Account()), _FIRST)]
        except SourceError:
            return False
        return any(_is_current(record) or _is_older(record) for record in head)

    def read(self, ref: SessionRef) -> Reading:
        survey = _KimiSurvey()
        show_all(records(ref.path, Account()), survey.note)
        if not survey.is_current and not survey.is_older:
            raise SourceError(f"no Kimi session in {ref.path}")
        account = Account()
        reader = _KimiReader(survey, account) if survey.is_current else OlderReader(account)
        return Reading(_header(ref, survey), translated(records(ref.path, account), account, reader.translate), account)


SOURCE = KimiSource()


def _is_current(record: Record) -> bool:
    if record.get("type") == "metadata":
        return "created_at" in record and "protocol_version" in record
    return isinstance(record.get("type"), str) and "." in record["type"] and "time" in record


def _is_older(record: Record) -> bool:
    if record.get("type") == "metadata":
        return "protocol_version" in record and "created_at" not in record
    message = as_object(record.get("message"))
    return "timestamp" in record and {"type", "payload"} <= message.keys()


def _run_id(path: Path) -> str:
    """A session by its folder; a subagent's by its own below."""
    if path.parent.parent.name != "agents":
        return path.parent.name if path.name == _WIRE else path.stem
    session = path.parent.parent.parent.name.removeprefix(_NAMED)
    return session if path.parent.name == _MAIN else f"{session}.{path.parent.name}"


def _header(ref: SessionRef, survey: _KimiSurvey) -> Header:
    folder = ref.path.parent
    is_agents = folder.parent.name == "agents"
    home = folder.parent.parent if is_agents else folder
    state = _document(home / "state.json")
    cwd = string(state.get("cwd")) or string(state.get("workDir")) or survey.cwd
    title = string(state.get("title")) or string(state.get("custom_title"))
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=cwd or (None if is_agents else _folder_of(home)),
        model=survey.model,
        started=instant(survey.started) or instant(state.get("createdAt")),
        title=title or None,
        parent=home.name.removeprefix(_NAMED) if is_agents and folder.name != _MAIN else None,
    )


def _document(path: Path) -> Record:
    try:
        return as_object(read_bytes(path))
    except SourceError:
        return {}


def _folder_of(home: Path) -> str | None:
    """The folder whose sessions lie under a digest of its path, by the list that the Kimi CLI keeps."""
    listed = objects(_document(home.parent.parent.parent / "kimi.json").get("work_dirs"))
    paths = (string(item.get("path")) for item in listed)
    # The program's own choice; nothing is kept safe by it.
    return next(
        (path for path in paths if md5(path.encode(), usedforsecurity=False).hexdigest() == home.parent.name), None
    )


@dataclass
class _KimiSurvey:
    """What a file says about itself, and which of its records were taken back."""

    is_current: bool = False
    is_older: bool = False
    started: object = None
    model: str | None = None
    cwd: str = ""
    prompts: list[int] = field(default_factory=list)
    #: From which record to which one words were taken back.
    undone: list[tuple[int, int]] = field(default_factory=list)

    def note(self, number: int, record: Record) -> None:
        self.is_current = self.is_current or _is_current(record)
        self.is_older = self.is_older or _is_older(record)
        kind = record.get("type")
        self.started = self.started or record.get("created_at") or record.get("time") or record.get("timestamp")
        self.model = self.model or (string(record.get("model")) if kind == "llm.request" else "") or None
        self.cwd = self.cwd or string(as_object(record.get("environmentDisclosure")).get("cwd"))
        if kind == "turn.prompt":
            self.prompts.append(number)
        elif kind == "context.clear" and self.prompts:
            self.prompts.clear()
        elif kind == "context.undo":
            taken = max(0, min(count(record.get("count")), len(self.prompts)))
            if taken:
                self.undone.append((self.prompts[-taken], number))
                del self.prompts[-taken:]

    def is_undone(self, number: int) -> bool:
        return any(begin <= number < end for begin, end in self.undone)


class _KimiReader:
    """Turns the records of Kimi Code into lines."""

    def __init__(self, survey: _KimiSurvey, account: Account) -> None:
        self.survey = survey
        self.account = account
        self.pen = Pen()
        #: Words that were told when they were typed, and come again when the agent gets them.
        self.told: Counter[str] = Counter()
        self.asked: dict[str, Record] = {}

    def translate(self, number: int, record: Record) -> Outcome:
        self.pen = Pen(number, instant(record.get("time")), self.survey.is_undone(number))
        match record.get("type"):
            case "turn.prompt" | "turn.steer" as kind:
                return self._prompt(record, Via.QUEUED if kind == "turn.steer" else Via.TYPED)
            case "context.append_message":
                return self._message(as_object(record.get("message")))
            case "context.append_loop_event":
                return self._event(as_object(record.get("event")))
            case "permission.record_approval_result":
                return self._decision(record)
            case "turn.cancel" | "prompt.aborted":
                return [self.pen.event(Happening.INTERRUPTED)]
            case "turn.ended" if record.get("reason") in ("failed", "error"):
                return [self.pen.event(Happening.ERROR, compact(record.get("error")))]
            case "context.apply_compaction":
                summary = string(record.get("summary"))
                told = [self.pen.injected(summary, Injection.COMPACTION)] if summary.strip() else []
                return [self.pen.event(Happening.COMPACTED), *told]
            case "context.undo":
                return [self.pen.event(Happening.REWOUND, "took back earlier turns")]
            case "usage.record":
                return self._usage(as_object(record.get("usage")))
            case other if other in _REPEATS:
                return "repeats another record"
            case other:
                return f"bookkeeping: {other}" if isinstance(other, str) else "unknown: record without a type"

    def _prompt(self, record: Record, via: Via) -> Outcome:
        origin = as_object(record.get("origin"))
        text = words(record.get("input"))
        if origin.get("kind") != "user":
            return "told with the message"
        self.told[text.strip()] += 1
        if not text.strip():
            return []
        return self.pen.typed(text) if via is Via.TYPED else [self.pen.user(text, via)]

    def _message(self, message: Record) -> Outcome:
        text, origin = words(message.get("content")), as_object(message.get("origin"))
        if message.get("role") == "assistant":
            return self.pen.said(text)
        if message.get("role") != "user":
            return f"unknown: message of {message.get('role')}"
        if origin.get("kind") == "user":
            return self._typed(message, origin)
        lines: list[Line] = []
        if own := _own_words(origin, text):
            lines.append(self.pen.user(own, Via.COMMAND))
        if text.strip() and not (own and origin.get("kind") == "shell_command"):
            kind = _ORIGINS.get(string(origin.get("kind")), Injection.NOTIFICATION)
            lines.append(self.pen.injected(text, kind))
        return lines

    def _typed(self, message: Record, origin: Record) -> Outcome:
        content = message.get("content")
        # Skills that were called in the midst of the words stand before them.
        skills = len(origin["skillActivations"]) if isinstance(origin.get("skillActivations"), list) else 0
        parts = content if isinstance(content, list) else [content]
        lines: list[Line] = [
            self.pen.injected(skill, Injection.SKILL) for part in parts[:skills] if (skill := words(part)).strip()
        ]
        text = words(parts[skills:])
        if self.told[text.strip()] > 0:
            self.told[text.strip()] -= 1
            return lines or "repeats another record"
        return [*lines, *(self.pen.typed(text) if text.strip() else [])]

    def _event(self, event: Record) -> Outcome:
        match event.get("type"):
            case "content.part":
                return self._part(as_object(event.get("part")))
            case "tool.call":
                call, name = string(event.get("toolCallId")), string(event.get("name")) or "tool"
                self.asked[call] = {"name": name, "args": event.get("args")}
                return [self.pen.call(call, name, command_line(event.get("args")))]
            case "tool.result":
                return [*self._result(event)]
            case "step.begin" | "step.end":
                return "step"
            case other:
                return f"unknown: event {other}"

    def _part(self, part: Record) -> Outcome:
        if part.get("type") == "think":
            thought = string(part.get("think"))
            return [self.pen.reasoning(thought)] if thought.strip() else "encrypted reasoning"
        return self.pen.said(words(part))

    def _result(self, event: Record) -> Iterator[Line]:
        result, call = as_object(event.get("result")), string(event.get("toolCallId"))
        output = result.get("output")
        is_error = result.get("isError") is True
        yield self.pen.result(call, words(output) or compact(output), not is_error)
        asked = self.asked.pop(call, {})
        if asked.get("name") == _ASKS and not is_error:
            yield from answers(output, asked.get("args"), self.pen)

    def _decision(self, record: Record) -> Outcome:
        """A person's decision; those by a rule or a mode are not kept."""
        result = as_object(record.get("result"))
        name = string(record.get("toolName"))
        lines: list[Line] = []
        if result.get("decision") == "approved":
            lines.append(self.pen.event(Happening.ACCEPTED, name))
        elif result.get("decision") in ("rejected", "cancelled"):
            lines.append(self.pen.event(Happening.REJECTED, name))
        if (reason := string(result.get("feedback"))).strip():
            lines.append(self.pen.user(reason, Via.REJECTION))
        return lines

    def _usage(self, usage: Record) -> Outcome:
        read = ("inputOther", "inputCacheRead", "inputCacheCreation")
        self.account.input_tokens += sum(count(usage.get(name)) for name in read)
        self.account.output_tokens += count(usage.get("output"))
        return "token count"


def _own_words(origin: Record, text: str) -> str:
    """What the user typed of a message that is more than that: a command and what stood behind it."""
    kind, is_users = origin.get("kind"), origin.get("trigger") == "user-slash"
    if kind == "shell_command" and origin.get("phase") == "input":
        return text.strip().removeprefix("<bash-input>").removesuffix("</bash-input>").strip()
    if kind == "skill_activation" and is_users:
        return f"/{string(origin.get('skillName'))} {string(origin.get('skillArgs'))}".strip()
    if kind == "plugin_command" and is_users:
        called = f"/{string(origin.get('pluginId'))}:{string(origin.get('commandName'))}"
        return f"{called} {string(origin.get('commandArgs'))}".strip()
    return ""
