"""A Cursor bubble as lines: what the user typed, what they attached, the reply, its thinking, one tool call."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from lerim.lazy_regex import compile_later
from lerim.sources.base import Account
from lerim.sources.pieces import Pen
from lerim.sources.protobuf import fields, inside, text_of, texts
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
from lerim.sources.values import as_object, call_text, compact, count, instant, objects, parsed, shown, spoken, string

# What the Build button sends under the user's name when a plan is approved, and the Fix button on an error.
_PLAN_TEMPLATE = "Implement the plan as specified, it is attached for your reference."
_FIX_TEMPLATE = compile_later(
    r"For the code present, we get this error:\n```.*```\n"
    r"How can I resolve this\? If you propose a fix, please make it concise\.",
    re.DOTALL,
)
# What a person can add to a prompt, and where its name stands.
_ATTACHMENTS = {
    "fileSelections": "file",
    "folderSelections": "folder",
    "selections": "selection",
    "terminalSelections": "terminal",
    "selectedDocs": "docs",
    "externalLinks": "link",
    "cursorRules": "rule",
}
_FAILED = {"error", "cancelled", "rejected"}
#: Cursor's own tool that asks the user, in its spellings. The names of servers' tools have more to them.
_QUESTION_TOOLS = frozenset({"AskQuestion", "ask_question", "askQuestion", "ask_user_question", "askFollowupQuestion"})

Bubble = dict[str, Any]


def bubble_lines(bubble: Bubble, number: int, account: Account, is_subagent: bool = False) -> Iterator[Line]:
    """The lines of one bubble; it is counted in the account as used, empty or unknown."""
    at = _moment(bubble)
    match bubble.get("type"):
        case 1 | "user":
            lines = [*_attached(bubble, number, at), *_prompt(bubble, number, at, is_subagent)]
        case 2 | "ai":
            lines = [*_reply(bubble, number, at), *_tool(bubble, number, at), *_failure(bubble, number, at)]
        case other:
            account.skip(f"unknown: bubble type {other}")
            return
    tokens = as_object(bubble.get("tokenCount"))
    account.input_tokens += count(tokens.get("inputTokens"))
    account.output_tokens += count(tokens.get("outputTokens"))
    if lines:
        account.used += 1
        yield from lines
    else:
        account.skip("empty bubble")


def _moment(bubble: Bubble) -> str | None:
    # Bubbles are dated since late 2025. Before, a reply has the time it was complete; `clientStartTime` is no date.
    timing = as_object(bubble.get("timingInfo"))
    return instant(bubble.get("createdAt")) or instant(timing.get("clientSettleTime"))


def _prompt(bubble: Bubble, number: int, at: str | None, is_subagent: bool) -> Iterator[Line]:
    text = string(bubble.get("text"))
    if not text.strip():
        return
    if is_subagent:
        yield Injected(**shown(text), at=at, src=number, kind=Injection.NOTIFICATION)
    elif text.startswith(_PLAN_TEMPLATE):
        yield Event(text="plan", at=at, src=number, kind=Happening.ACCEPTED)
        yield Injected(**shown(text), at=at, src=number, kind=Injection.TEMPLATE)
    elif _FIX_TEMPLATE.fullmatch(text.strip()):
        yield Injected(**shown(text), at=at, src=number, kind=Injection.TEMPLATE)
    else:
        yield from Pen(number, at).typed(text)


def _attached(bubble: Bubble, number: int, at: str | None) -> Iterator[Line]:
    """Chats keep what was attached in the bubble itself, composers in its context."""
    holder = as_object(bubble.get("context")) or bubble
    marks = [
        f"[image{_named(image)}]" for image in objects(holder.get("selectedImages")) + objects(bubble.get("images"))
    ]
    for key, what in _ATTACHMENTS.items():
        for item in objects(holder.get(key)):
            marks.append(f"[{what}{_named(item)}]")
            marks += [string(item.get("text"))] if what in {"selection", "terminal"} else []
    if text := "\n".join(filter(None, marks)):
        yield Injected(**shown(text), at=at, src=number, kind=Injection.ENVIRONMENT)


def _named(item: Bubble) -> str:
    uri = as_object(item.get("uri"))
    name = item.get("path") or uri.get("fsPath") or uri.get("path") or item.get("filename") or item.get("name")
    if not isinstance(name, str):
        name = item.get("url") or item.get("relativePath") or ""
    return f" {name}" if isinstance(name, str) and name else ""


def _reply(bubble: Bubble, number: int, at: str | None) -> Iterator[Line]:
    for thought in (bubble.get("thinking"), *objects(bubble.get("allThinkingBlocks"))):
        block = as_object(thought)
        text = thought if isinstance(thought, str) else string(block.get("text")) or string(block.get("thinking"))
        if text.strip():
            yield Reasoning(**spoken(text), at=at, src=number)
    text = string(bubble.get("text")) or string(bubble.get("rawText"))
    if text.strip():
        yield from Pen(number, at).said(text)
    summary = string(as_object(bubble.get("conversationSummary")).get("summary"))
    if summary.strip():
        yield Event(text="", at=at, src=number, kind=Happening.COMPACTED)
        yield Injected(**shown(summary), at=at, src=number, kind=Injection.COMPACTION)


def _tool(bubble: Bubble, number: int, at: str | None) -> Iterator[Line]:
    tool = as_object(bubble.get("toolFormerData"))
    # A bubble of plain text may carry {"additionalData": {"status": "error"}} here: no tool, and no error of its own.
    if not tool.get("name") and not isinstance(tool.get("tool"), int):
        return
    name = string(tool.get("name")) or f"tool {tool.get('tool')}"
    call = string(tool.get("toolCallId")) or string(bubble.get("bubbleId"))
    asked = as_object(tool.get("rawArgs")) or as_object(tool.get("params")) or string(tool.get("rawArgs"))
    binary = _binary(tool)
    written = call_text(asked) if asked else "\n".join(texts(inside(binary, 1)))
    yield ToolCall(**shown(written), at=at, src=number, tool=name, call=call)
    result = as_object(tool.get("result"))
    text = _result_text(tool, result)
    status = string(tool.get("status"))
    code = result.get("exitCodeV2", result.get("exitCode"))
    if not text and binary:
        text, code = _binary_result(name, inside(binary, 2))
    code = code if isinstance(code, int) else None
    if text or status in _FAILED or status == "completed":
        ok = status not in _FAILED and not result.get("rejected") and not code
        yield ToolResult(**shown(text), at=at, src=number, call=call, ok=ok if status else None, exit_code=code)
    yield from _decision(tool, result, name, number, at)
    yield from _answers(name, tool, result, number, at)


def _result_text(tool: Bubble, result: Bubble) -> str:
    for key in ("output", "contents"):
        if isinstance(result.get(key), str):
            return str(result[key])
    error = as_object(tool.get("error"))
    failure = error.get("modelVisibleErrorMessage") or error.get("clientVisibleErrorMessage") or tool.get("error")
    return compact(tool.get("result")) or compact(failure)


def _binary(tool: Bubble) -> bytes:
    """The call as newer versions keep it: one field, numbered by the tool, with what was asked and what came back."""
    try:
        raw = base64.b64decode(string(tool.get("toolCallBinary")))
    except (binascii.Error, ValueError):
        return b""
    return next((value for _, value in fields(raw) if isinstance(value, bytes)), b"")


def _binary_result(name: str, result: bytes) -> tuple[str, int | None]:
    """What came back and its exit code: a message of field 1 when all went well, of another when not."""
    answer = next((value for _, value in fields(result) if isinstance(value, bytes)), b"")
    if "terminal" not in name:
        return "\n".join(texts(result)), None
    # A command's answer repeats the command; the two streams are fields 5 and 6, both together field 10.
    streams = [text_of(inside(answer, number)) for number in (5, 6)]
    code = next((value for number, value in fields(answer) if number == 3 and isinstance(value, int)), None)
    return "\n".join(filter(None, streams)) or text_of(inside(answer, 10)), code


def _decision(tool: Bubble, result: Bubble, name: str, number: int, at: str | None) -> Iterator[Line]:
    decision = string(tool.get("userDecision"))
    if decision == "accepted":
        yield Event(text=name, at=at, src=number, kind=Happening.ACCEPTED)
    elif decision == "rejected" or result.get("rejected") is True or tool.get("status") == "rejected":
        yield Event(text=name, at=at, src=number, kind=Happening.REJECTED)
    elif tool.get("status") == "cancelled":
        yield Event(text=name, at=at, src=number, kind=Happening.INTERRUPTED)


def _answers(name: str, tool: Bubble, result: Bubble, number: int, at: str | None) -> Iterator[Line]:
    """What the user chose or wrote in answer to the agent's questions, which stand in the call."""
    if name not in _QUESTION_TOOLS:
        return
    asked = as_object(parsed(tool.get("params"))) or as_object(tool.get("rawArgs"))
    questions = {string(item.get("id")): item for item in objects(asked.get("questions"))}
    for answer in objects(result.get("answers")):
        question = questions.get(string(answer.get("questionId")), {})
        labels = {compact(item.get("id")): string(item.get("label")) for item in objects(question.get("options"))}
        chosen = answer.get("selectedOptionIds") or answer.get("selectedOptions") or []
        options = [compact(option) for option in (chosen if isinstance(chosen, list) else [chosen])]
        words = [labels.get(option) or option for option in options]
        words += [string(answer.get(key)) for key in ("freeformText", "otherText", "text")]
        if text := ", ".join(filter(None, words)):
            yield User(**spoken(text), at=at, src=number, via=Via.ANSWER)


def _failure(bubble: Bubble, number: int, at: str | None) -> Iterator[Line]:
    failed = as_object(bubble.get("errorDetails"))
    if text := string(failed.get("message")) or compact(failed.get("error")):
        yield Event(**shown(text), at=at, src=number, kind=Happening.ERROR)
