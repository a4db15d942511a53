"""Qwen Code.

Sessions are `projects/<folder with dashes>/chats/<uuid>.jsonl` under `~/.qwen`, older ones `tmp/<hash>/chats/`;
`QWEN_RUNTIME_DIR` moves them. Lines are records `{uuid, parentUuid, sessionId, timestamp, type, cwd, version}` of the
types `user`, `assistant`, `tool_result` and `system`, with Gemini's `message.parts`. They form a tree: the last record
is where the session is, and what does not lead to it was rewound. What a person typed is in `systemPayload.displayText`
when more than that was sent; a `subtype` or a `provenance` says which messages under the user's role are nobody's.

Written down from the program's own source (QwenLM/qwen-code, `chatRecordingService.ts`, 0.21 of August 2026) and small
samples; never seen on real data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, show_all, translated, words
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string

_FIRST = 5
_TYPES = frozenset({"user", "assistant", "tool_result", "system"})
#: Kinds of messages under the user's role that a person sent.
_TYPED = frozenset({"", "mid_turn_user_message", "user_text_elements", "at_command", "realtime_message"})
_CONTEXT = "<qwen:"


class QwenSource:
    name = "qwen"
    title = "Qwen Code"
    reads_one_file = True

    def roots(self, machine: Machine) -> list[Path]:
        return [Path(machine.env.get("QWEN_RUNTIME_DIR") or machine.home / ".qwen")]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted([*root.glob("projects/*/chats/*.jsonl"), *root.glob("tmp/*/chats/*.jsonl")]):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.stem)

    def accepts(self, path: Path) -> bool:
        try:
            return any(_is_ours(record) for _, record in islice(records(path, Account()), _FIRST))
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        survey = _QwenSurvey()
        show_all(records(ref.path, Account()), survey.note)
        if not survey.parents:
            raise SourceError(f"no Qwen session in {ref.path}")
        account = Account()
        reader = _QwenReader(survey, account)
        return Reading(_header(ref, survey), translated(records(ref.path, account), account, reader.translate), account)


SOURCE = QwenSource()


def _is_ours(record: Record) -> bool:
    """Claude's records have the same names around their messages, but content in place of parts."""
    has_body = isinstance(as_object(record.get("message")).get("parts"), list) or "systemPayload" in record
    return has_body and string(record.get("type")) in _TYPES and {"uuid", "sessionId", "timestamp"} <= record.keys()


@dataclass
class _QwenSurvey:
    """Who follows whom, where the session ended up, and what it says about itself."""

    parents: dict[str, str | None] = field(default_factory=dict)
    first: Record = field(default_factory=dict)
    last: str = ""
    model: str | None = None
    title: str | None = None

    def note(self, _: int, record: Record) -> None:
        if not _is_ours(record):
            return
        self.first = self.first or record
        self.last = string(record.get("uuid"))
        self.parents.setdefault(self.last, string(record.get("parentUuid")) or None)
        self.model = self.model or string(record.get("model")) or None
        if record.get("subtype") == "custom_title":
            self.title = string(as_object(record.get("systemPayload")).get("customTitle")) or self.title

    def standing(self) -> set[str]:
        """The records that lead to where the session is."""
        found: set[str] = set()
        at: str | None = self.last
        while at and at not in found:
            found.add(at)
            at = self.parents.get(at)
        return found


def _header(ref: SessionRef, survey: _QwenSurvey) -> Header:
    first = survey.first
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=string(first.get("cwd")) or None,
        branch=string(first.get("gitBranch")) or None,
        model=survey.model,
        version=string(first.get("version")) or None,
        started=instant(first.get("timestamp")),
        title=survey.title,
    )


class _QwenReader:
    """Turns records into lines, in file order."""

    def __init__(self, survey: _QwenSurvey, account: Account) -> None:
        self.account = account
        self.standing = survey.standing()
        self.cwd = survey.first.get("cwd")
        self.pen = Pen()

    def translate(self, number: int, record: Record) -> Outcome:
        is_undone = string(record.get("uuid")) not in self.standing
        self.pen = Pen(number, instant(record.get("timestamp")), is_undone)
        match record.get("type"):
            case "user":
                lines: Outcome = self._user(record)
            case "assistant":
                lines = self._assistant(record)
            case "tool_result":
                lines = [*self._results(record)]
            case "system":
                return self._system(string(record.get("subtype")), as_object(record.get("systemPayload")))
            case other:
                return f"unknown: {other}"
        return [*self._moved(record), *lines] if lines and not isinstance(lines, str) else lines

    def _moved(self, record: Record) -> Iterator[Line]:
        cwd = record.get("cwd")
        if isinstance(cwd, str) and cwd and cwd != self.cwd:
            self.cwd = cwd
            yield self.pen.moved(cwd, string(record.get("gitBranch")) or None)

    def _user(self, record: Record) -> Outcome:
        texts = [words(part) for part in _parts(record)]
        typed = string(as_object(record.get("systemPayload")).get("displayText"))
        sent = "\n".join(text for text in texts if text and not text.lstrip().startswith(_CONTEXT))
        around = [text for text in texts if text.lstrip().startswith(_CONTEXT)]
        lines: list[Line] = [self.pen.injected(text, Injection.HOOK) for text in around]
        provenance = string(record.get("provenance"))
        if string(record.get("subtype")) not in _TYPED or provenance not in {"", "real_user"}:
            return [*([self.pen.injected(sent, Injection.NOTIFICATION)] if sent.strip() else []), *lines]
        if typed.strip() and typed.strip() != sent.strip():
            # Files and folders that were named stand in what was sent, behind the words.
            lines += [self.pen.injected(sent, Injection.ENVIRONMENT)] if sent.strip() else []
        words_typed = typed or sent
        is_queued = record.get("subtype") == "mid_turn_user_message"
        if not words_typed.strip():
            return lines
        return [*([self.pen.user(words_typed, Via.QUEUED)] if is_queued else self.pen.typed(words_typed)), *lines]

    def _assistant(self, record: Record) -> Outcome:
        usage = as_object(record.get("usageMetadata"))
        self.account.input_tokens += count(usage.get("promptTokenCount"))
        self.account.output_tokens += count(usage.get("candidatesTokenCount"))
        return [line for part in _parts(record) for line in self._part(part)]

    def _part(self, part: Record) -> Iterable[Line]:
        call = as_object(part.get("functionCall"))
        if call:
            return [self.pen.call(string(call.get("id")), string(call.get("name")), command_line(call.get("args")))]
        text = words(part)
        if part.get("thought") is True:
            return [self.pen.reasoning(text)] if text.strip() else []
        return self.pen.said(text)

    def _results(self, record: Record) -> Iterator[Line]:
        outcome = as_object(record.get("toolCallResult"))
        status = string(outcome.get("status"))
        for part in _parts(record):
            answer = as_object(part.get("functionResponse"))
            response = as_object(answer.get("response"))
            if not answer:
                continue
            text = compact(response.get("output", response.get("error"))) or words(outcome.get("resultDisplay"))
            call = string(answer.get("id")) or string(outcome.get("callId"))
            yield self.pen.result(call, text, status == "success" if status else None)
            if status == "cancelled":
                is_refused = "did not allow" in text or "denied" in text or "rejected" in text
                kind = Happening.REJECTED if is_refused else Happening.INTERRUPTED
                yield self.pen.event(kind, string(answer.get("name")))

    def _system(self, subtype: str, payload: Record) -> Outcome:
        match subtype:
            case "chat_compression":
                return [self.pen.event(Happening.COMPACTED)]
            case "rewind":
                return [self.pen.event(Happening.REWOUND, "went back to an earlier point")]
            case "slash_command" if payload.get("phase") != "result" and string(payload.get("rawCommand")).strip():
                return [self.pen.user(string(payload["rawCommand"]), Via.COMMAND)]
            case "ui_telemetry":
                return "token count"
            case "custom_title":
                return "session title"
            case _:
                return f"bookkeeping: {subtype}" if subtype else "unknown: system"


def _parts(record: Record) -> list[Record]:
    return objects(as_object(record.get("message")).get("parts"))
