"""Cline's conversation as the model saw it: read where what the person saw was not kept."""

from __future__ import annotations

import re

from lerim.dataclass import dataclass, field
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account
from lerim.sources.cline_request import TALKING, Piece, is_denied, outcome, pieces
from lerim.sources.pieces import Outcome, Pen, Record, answered, command_line, picture, words
from lerim.sources.trace import Happening, Injection, Line, Via
from lerim.sources.values import as_object, call_text, compact, count, instant, objects, string

_TOOLS = (
    "execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files|"
    "list_files|list_code_definition_names|codebase_search|browser_action|use_mcp_tool|access_mcp_resource|web_fetch|"
    "fetch_instructions|switch_mode|update_todo_list|new_rule|" + "|".join(sorted(TALKING))
)
# Models without tools of their own write their calls as tags into the text.
_CALL = compile_later(rf"<(?P<tool>{_TOOLS}|thinking)>\n?(?P<inside>.*?)\n?</(?P=tool)>", re.DOTALL)
_PARAMETER = compile_later(r"<(?P<name>\w+)>\n?(?P<value>.*?)\n?</(?P=name)>", re.DOTALL)


@dataclass
class HistoryReader:
    """Reads messages of a model's protocol. Calls in tags are answered in order, others by their id."""

    account: Account
    pen: Pen = field(default_factory=Pen)
    waiting: list[tuple[str, str]] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)
    question: str = ""

    def translate(self, number: int, message: Record) -> Outcome:
        self.pen = Pen(number, instant(message.get("ts")))
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
        match message.get("role"):
            case "user":
                return self._from_user(parts)
            case "assistant":
                used = as_object(message.get("metrics"))
                read = ("inputTokens", "cacheReadTokens", "cacheWriteTokens")
                self.account.input_tokens += sum(count(used.get(key)) for key in read)
                self.account.output_tokens += count(used.get("outputTokens"))
                return [line for part in parts for line in self._from_agent(part)]
            case other:
                return f"unknown: role {other}"

    # Under the user's role

    def _from_user(self, parts: list[Record]) -> list[Line]:
        # The marker of a result and the result itself are separate parts, so texts are understood as one.
        text = "\n\n".join(filter(None, (string(part.get("text")) for part in parts)))
        results = [line for part in parts if part.get("type") == "tool_result" for line in self._native_result(part)]
        shown = [part for part in parts if "text" not in part and part.get("type") != "tool_result"]
        images = [self.pen.user(image) for image in map(picture, shown) if image]
        return [*results, *self._text(text), *images]

    def _text(self, text: str) -> list[Line]:
        found = list(pieces(text))
        # Without any of Cline's tags around it, it is what was typed.
        if not self.waiting and [piece.kind for piece in found] == ["rest"] and not text.startswith("["):
            return [self.pen.user(text)]
        is_refused = any(is_denied(piece.tool, piece.text) for piece in found if piece.tool)
        return [line for piece in found for line in self._piece(piece, is_refused)]

    def _piece(self, piece: Piece, is_refused: bool) -> list[Line]:
        if not piece.text:
            return []
        match piece.kind:
            case "task" | "user_message":
                return [self.pen.user(piece.text)]
            case "feedback":
                return [self.pen.user(piece.text, Via.REJECTION if is_refused else Via.TYPED)]
            case "answer":
                question, self.question = self.question, ""
                return [self.pen.user(answered([(question, piece.text)]), Via.ANSWER)]
            case "environment_details":
                return [self.pen.injected(piece.text, Injection.ENVIRONMENT)]
            case "rest":
                return [self.pen.injected(piece.text, Injection.REMINDER)]
            case _:
                return self._result(piece)

    def _result(self, piece: Piece) -> list[Line]:
        if piece.tool in TALKING:
            return [self.pen.injected(piece.text, Injection.REMINDER)]
        call, _ = self.waiting.pop(0) if self.waiting else (f"message-{self.pen.src}", piece.tool)
        ok, code = outcome(piece.tool, piece.text)
        lines: list[Line] = [self.pen.result(call, piece.text, ok, code)]
        return [*lines, self.pen.event(Happening.REJECTED, piece.tool)] if is_denied(piece.tool, piece.text) else lines

    def _native_result(self, part: Record) -> list[Line]:
        call = string(part.get("tool_use_id"))
        tool = self.tools.get(call, "")
        text = words(part.get("content"))
        found = list(pieces(text, tool or "?"))
        spoken = [piece for piece in found if piece.kind in {"feedback", "answer", "user_message"}]
        lines = [line for piece in spoken for line in self._piece(piece, is_denied(tool or "?", text))]
        if tool in TALKING:
            return lines
        ok, code = outcome(tool, text)
        ok = False if part.get("is_error") is True else ok
        kept = "\n".join(piece.text for piece in found if piece not in spoken)
        return [self.pen.result(call, kept, ok, code), *lines]

    # Under the agent's role

    def _from_agent(self, part: Record) -> list[Line]:
        match part.get("type"):
            case "text":
                return self._agent_text(string(part.get("text")))
            case "thinking" | "reasoning":
                thought = string(part.get("thinking")) or string(part.get("text"))
                return [self.pen.reasoning(thought)] if thought.strip() else []
            case "tool_use":
                return self._native_call(part)
            case _:
                return []

    def _agent_text(self, text: str) -> list[Line]:
        lines: list[Line] = []
        at = 0
        for number, found in enumerate(_CALL.finditer(text), 1):
            lines += self._spoken(text[at : found.start()])
            lines += self._tagged_call(number, found["tool"], found["inside"])
            at = found.end()
        return lines + self._spoken(text[at:])

    def _spoken(self, text: str) -> list[Line]:
        return self.pen.said(text.strip())

    def _tagged_call(self, number: int, tool: str, inside: str) -> list[Line]:
        if tool == "thinking":
            return [self.pen.reasoning(inside.strip())] if inside.strip() else []
        arguments = {found["name"]: found["value"] for found in _PARAMETER.finditer(inside)}
        if tool in TALKING:
            return self._talk(arguments)
        call = f"message-{self.pen.src}-{number}"
        self.waiting.append((call, tool))
        return [self.pen.call(call, tool, call_text(arguments) if arguments else inside)]

    def _native_call(self, part: Record) -> list[Line]:
        call, tool = string(part.get("id")), string(part.get("name")) or "tool"
        self.tools[call] = tool
        if tool in TALKING:
            return self._talk(as_object(part.get("input")))
        return [self.pen.call(call, tool, command_line(part.get("input")))]

    def _talk(self, arguments: Record) -> list[Line]:
        self.question = string(arguments.get("question"))
        keys = ("question", "result", "response", "context")
        text = next((string(arguments[key]) for key in keys if arguments.get(key)), "")
        return self._spoken(text or compact(arguments))
