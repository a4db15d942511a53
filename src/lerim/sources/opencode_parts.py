"""An OpenCode message as lines. The database, the JSON tree and the export hold the same messages and parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account
from lerim.sources.pieces import Pen, taken_apart
from lerim.sources.templates import typed_in
from lerim.sources.trace import (
    Event,
    Happening,
    Injected,
    Injection,
    Line,
    Reasoning,
    ToolCall,
    ToolResult,
    User,
    Via,
)
from lerim.sources.values import as_object, call_text, compact, count, instant, objects, payload, shown, spoken, string

# A skill run as a command: its text, this footer, and then what the user wrote after the command.
_SKILL = compile_later(
    r"Base directory for this skill: [^\n]*\n"
    r"(?:Relative paths in this skill [^\n]*(?:\n|$))?(?:\s*<skill_files>.*?</skill_files>)?",
    re.DOTALL,
)
# The built-in commands. Custom ones leave no trace in the text: their template looks like typed words.
_TEMPLATES = (
    "Please analyze this codebase and create a",
    "Create or update `AGENTS.md` for this repository",
    "You are a code reviewer. Your job is to review code changes",
)
_TEMPLATE_ARGUMENTS = compile_later(r"^Input: (.*?)\n+---$", re.DOTALL | re.MULTILINE)
_OWN_SHELL = "The following tool was executed by the user"
_REJECTED = compile_later(
    r"The user rejected permission to use this specific tool call"
    r"(?: with the following feedback: (?P<reason>.*)|.*)|The user dismissed this question.*",
    re.DOTALL,
)
# Tools whose errors are worded by OpenCode. Those of servers and of a project's own say what they like.
_OWN_TOOLS = frozenset(
    {"bash", "edit", "write", "read", "grep", "glob", "list", "patch", "apply_patch", "multiedit", "webfetch"}
    | {"websearch", "codesearch", "todowrite", "todoread", "skill", "question", "plan_exit", "lsp", "batch"}
)
_APPROVED = "User approved"
_UNANSWERED = "Unanswered"
_DONE = {"completed", "success"}
_SPEAKERS = {"user", "assistant"}
# Steps, snapshots and mentions that repeat what other parts say.
_SILENT = {"step-start", "step-finish", "snapshot", "patch", "agent", "source-url"}

Info = dict[str, Any]


@dataclass
class MessageReader:
    """Reads messages one after the other; what one says can depend on those before it."""

    account: Account
    #: A session started by another: what stands under the user's role is the parent agent's.
    is_subagent: bool = False
    #: From this message, or from this part of it, the user went back.
    reverted_message: str = ""
    reverted_part: str = ""
    _undone: bool = False
    _own_shell: bool = False

    def lines(self, info: Info, parts: list[Info]) -> Iterator[Line]:
        """All lines of a message, its parts in order, and how it ended."""
        info = _flattened(info)
        tokens = as_object(info.get("tokens"))
        self.account.input_tokens += count(tokens.get("input"))
        self.account.output_tokens += count(tokens.get("output"))
        if info.get("role") == "user":
            self._own_shell = any(
                part.get("synthetic") and string(part.get("text")).startswith(_OWN_SHELL) for part in parts
            )
        is_target = bool(self.reverted_message) and info.get("id") == self.reverted_message
        self._undone |= is_target and not self.reverted_part
        for part in parts:
            self._undone |= is_target and part.get("id") == self.reverted_part
            yield from self._counted(list(self._part(info, part)), _silence(part))
        if info.get("error") or not parts:
            yield from self._counted(list(_ending(info)), "message without parts")

    def _counted(self, lines: list[Line], reason: str) -> Iterator[Line]:
        self.account.records += 1
        if not lines:
            self.account.skip(reason)
        else:
            self.account.used += 1
        for line in lines:
            yield replace(line, src=self.account.records, undone=self._undone)

    def _part(self, info: Info, part: Info) -> Iterator[Line]:
        at = _moment(info, part)
        text = string(part.get("text"))
        match part.get("type"):
            case "text":
                yield from self._text(info, part, text, at) if text.strip() else ()
            case "reasoning":
                if text.strip():
                    yield Reasoning(**spoken(text), at=at)
            case "tool":
                yield from self._tool(part, at)
            case "tool-invocation":
                yield from _early_tool(as_object(part.get("toolInvocation")), at)
            case "file":
                yield _file(part, at)
            case "compaction":
                yield Event(text="auto" if part.get("auto") else "", at=at, kind=Happening.COMPACTED)
            case "subtask":
                yield from expanded(string(part.get("prompt")), at)
            case "retry":
                yield Event(**shown(_error_text(part.get("error"))), at=at, kind=Happening.ERROR)

    def _text(self, info: Info, part: Info, text: str, at: str | None) -> Iterator[Line]:
        if part.get("synthetic") or part.get("ignored"):
            yield Injected(**shown(text), at=at, kind=_synthetic_kind(text))
        elif string(info.get("role")) not in _SPEAKERS:
            # Its message is damaged, and only that says who speaks.
            yield Injected(**shown(text), at=at, kind=Injection.OTHER)
        elif info.get("role") != "user":
            # `summary: true` is a compaction; an object there is the title the user's message was given.
            if info.get("summary") is True:
                yield Injected(**shown(text), at=at, kind=Injection.COMPACTION)
            else:
                yield from Pen(at=at).said(text)
        elif self.is_subagent:
            yield Injected(**shown(text), at=at, kind=Injection.NOTIFICATION)
        else:
            yield from user_lines(text, at)

    def _tool(self, part: Info, at: str | None) -> Iterator[Line]:
        state = as_object(part.get("state"))
        asked, output = as_object(state.get("input")), _output(state)
        name, call = string(part.get("tool")), string(part.get("callID"))
        if self._own_shell and name == "bash" and asked.get("command"):
            yield User(**spoken(string(asked["command"])), at=at, via=Via.COMMAND)
            yield Injected(**shown(output), at=at, kind=Injection.OUTPUT)
            return
        yield ToolCall(**shown(call_text(asked)), at=at, tool=name, call=call)
        status = string(state.get("status"))
        end = instant(as_object(state.get("time")).get("end")) or at
        if status in _DONE or status == "error":
            code = as_object(state.get("metadata")).get("exit")
            code = code if isinstance(code, int) else None
            yield ToolResult(**shown(output), at=end, call=call, ok=status in _DONE and not code, exit_code=code)
        yield from _decisions(name, state, end)


def user_lines(text: str, at: str | None) -> Iterator[Line]:
    """What the user typed, with the skill, template or reminder around it kept apart."""
    # The last footer is the program's; a skill may hold others.
    footers = list(_SKILL.finditer(text))
    if footers:
        skill = footers[-1]
        yield Injected(**shown(text[: skill.end()].strip()), at=at, kind=Injection.SKILL)
        if rest := text[skill.end() :].strip():
            yield User(**spoken(rest), at=at, via=Via.COMMAND)
    elif text.startswith(_TEMPLATES) or typed_in(text) is not None:
        yield from expanded(text, at)
    else:
        yield from _without_reminders(text, at)


def expanded(text: str, at: str | None) -> Iterator[Line]:
    """A command's template, and the user's words in it where one of OpenCode's own says which they are."""
    if text.strip():
        yield Injected(**shown(text), at=at, kind=Injection.TEMPLATE)
    arguments = _TEMPLATE_ARGUMENTS.search(text) if text.startswith(_TEMPLATES) else None
    typed = arguments[1].strip() if arguments else typed_in(text)
    if typed:
        yield User(**spoken(typed), at=at, via=Via.COMMAND)


def _without_reminders(text: str, at: str | None) -> Iterator[Line]:
    before, reminder, after = taken_apart(text, "<system-reminder>", "</system-reminder>")
    if before.strip():
        yield User(**spoken(before), at=at)
    if reminder:
        yield Injected(**shown(reminder), at=at, kind=Injection.REMINDER)
    if after.strip():
        yield User(**spoken(after), at=at)


def _synthetic_kind(text: str) -> Injection:
    if text.startswith("<system-reminder>"):
        return Injection.REMINDER
    if text.startswith(("Called the ", "<path>", "<file>", "<content>")):
        return Injection.ENVIRONMENT
    return Injection.OUTPUT if text.startswith(_OWN_SHELL) else Injection.OTHER


def _flattened(info: Info) -> Info:
    """Messages of mid-2025 keep time, model and error in their metadata."""
    metadata = as_object(info.get("metadata"))
    if "time" in info or not metadata:
        return info
    return {
        **as_object(metadata.get("assistant")),
        "time": metadata.get("time"),
        "error": metadata.get("error"),
        **info,
    }


def _moment(info: Info, part: Info) -> str | None:
    own = as_object(part.get("time")) or as_object(as_object(part.get("state")).get("time"))
    return instant(own.get("start")) or instant(as_object(info.get("time")).get("created"))


def _silence(part: Info) -> str:
    kind = string(part.get("type"))
    if kind in _SILENT:
        return kind
    known = {"text", "reasoning", "subtask", "tool-invocation"}
    return f"empty {kind}" if kind in known else f"unknown: part {kind}"


def _output(state: Info) -> str:
    parts = [compact(state.get("output")) or compact(state.get("error"))]
    parts += [_mark(item) for item in objects(state.get("attachments"))]
    return "\n".join(filter(None, parts))


def _file(part: Info, at: str | None) -> Line:
    return Injected(text=_mark(part), at=at, kind=Injection.ENVIRONMENT)


def _mark(part: Info) -> str:
    mime = string(part.get("mime")) or string(part.get("mediaType"))
    return payload(mime, string(part.get("url")), string(part.get("filename")))


def _decisions(name: str, state: Info, at: str | None) -> Iterator[Line]:
    """What the user decided about a call: a refusal with its reason, an approval, answers to questions."""
    refused = _REJECTED.match(string(state.get("error"))) if name in _OWN_TOOLS else None
    if refused and state.get("status") == "error":
        yield Event(text=name, at=at, kind=Happening.REJECTED)
        if reason := (refused["reason"] or "").strip():
            yield User(**spoken(reason), at=at, via=Via.REJECTION)
    elif name == "plan_exit" and string(state.get("output")).startswith(_APPROVED):
        yield Event(text="plan", at=at, kind=Happening.ACCEPTED)
    elif name == "question":
        answers = as_object(state.get("metadata")).get("answers")
        for answer in answers if isinstance(answers, list) else []:
            chosen = answer if isinstance(answer, list) else [answer]
            if words := ", ".join(string(word) for word in chosen if word and word != _UNANSWERED):
                yield User(**spoken(words), at=at, via=Via.ANSWER)


def _early_tool(call: Info, at: str | None) -> Iterator[Line]:
    """A tool part of mid-2025."""
    number = string(call.get("toolCallId"))
    yield ToolCall(**shown(call_text(call.get("args"))), at=at, tool=string(call.get("toolName")), call=number)
    if call.get("state") == "result":
        yield ToolResult(**shown(compact(call.get("result"))), at=at, call=number)


def _ending(info: Info) -> Iterator[Line]:
    error = as_object(info.get("error"))
    if not error:
        return
    time = as_object(info.get("time"))
    at = instant(time.get("completed")) or instant(time.get("created"))
    aborted = error.get("name") == "MessageAbortedError"
    kind = Happening.INTERRUPTED if aborted else Happening.ERROR
    yield Event(**shown("" if aborted else _error_text(error)), at=at, kind=kind)


def _error_text(error: object) -> str:
    fields = as_object(error)
    message = string(as_object(fields.get("data")).get("message")) or string(fields.get("message"))
    return ": ".join(filter(None, [string(fields.get("name")), message])) or compact(error)
