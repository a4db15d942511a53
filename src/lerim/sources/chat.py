"""A message of a chat, as the programs and platforms of this world write it → lines of the canonical trace.

OpenAI's and Anthropic's messages, those of the Responses API, of LangChain, of OpenTelemetry's GenAI conventions, of
ChatGPT's and Claude's exports: a role, who speaks, and a content of text or parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from lerim.dataclass import dataclass, field
from lerim.errors import TraceError
from lerim.sources.pieces import Pen, Record, command_line, words
from lerim.sources.trace import MAX_SPEAKER, Injection, Line
from lerim.sources.values import as_object, compact, instant, objects, string

#: Where every form is described.
HINT = "docs/trace.md describes every form and key"
_TIMES = "ISO 8601, or seconds or milliseconds since 1970"


class ChatRole(StrEnum):
    """Who a message is from, by its kind."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


#: What programs call them.
_ROLES = {
    **dict.fromkeys(("user", "human", "HumanMessage", "HumanMessageChunk"), ChatRole.USER),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "AIMessage", "AIMessageChunk"), ChatRole.ASSISTANT),
    **dict.fromkeys(("tool", "function", "ToolMessage", "FunctionMessage", "tool_result"), ChatRole.TOOL),
    **dict.fromkeys(("system", "developer", "SystemMessage", "SystemMessageChunk"), ChatRole.SYSTEM),
}
#: People by what they are in a conversation. Whose word counts for how much is a profile's to say.
PEOPLE = frozenset(
    (
        *("customer", "client", "caller", "visitor", "guest", "member", "patient", "student", "requester", "contact"),
        *("prospect", "buyer", "lead", "champion", "partner", "vendor", "participant", "interviewee", "respondent"),
        *("colleague", "operator", "supervisor", "manager", "reviewer", "approver", "expert", "engineer", "responder"),
        *("commander", "analyst", "researcher", "editor", "rep", "seller", "moderator", "interviewer", "admin"),
    )
)
#: Agents that are people or programs: what they say is an agent's word.
AGENTS = frozenset({"agent", "support_agent", "copilot", "chatbot"})
_TEXT = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
_THOUGHTS = frozenset({"thinking", "reasoning", "thought"})
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "server_tool_call", "function_call"})
_RESULTS = frozenset(
    {"tool_result", "mcp_tool_result", "tool_call_response", "server_tool_call_response", "function_call_output"}
    | {"web_search_tool_result", "code_execution_tool_result", "tool_response", "non_standard_result"}
)
_ROLELESS = _CALLS | _RESULTS | {"reasoning"}
#: Times a message may carry, under the names platforms give them.
_MOMENTS = ("timestamp", "created_at", "createdAt", "create_time", "time", "ts")


@dataclass
class ChatReader:
    """Reads messages one by one. A result without an id belongs to the oldest call without one."""

    pen: Pen = field(default_factory=Pen)
    waiting: list[str] = field(default_factory=list)

    def understand(self, number: int, message: Any, at: str | None = None) -> list[Line]:
        """The lines of a message, said `at` a time unless it says its own. Raises TraceError with what is wrong."""
        if not isinstance(message, dict):
            raise TraceError(f"a {type(message).__name__}, not a message", line=number, hint=HINT)
        message = plain(message)
        role, name = role_of(message, number)
        moment = _moment(number, message) or instant(at)
        self.pen = Pen(number, moment, speaker=speaker_of(message, role, name))
        content = _content(number, message)
        if role is ChatRole.TOOL:
            return [self._result(message, content)]
        if role is ChatRole.SYSTEM:
            text = _text(content)
            return [self.pen.injected(text, Injection.INSTRUCTIONS)] if text.strip() else []
        lines = list(self._parts(role, content))
        thought = _text(message.get("reasoning_content"))
        if thought.strip():
            lines.insert(0, self.pen.reasoning(thought))
        return [*lines, *self._listed_calls(message)] if role is ChatRole.ASSISTANT else lines

    def _parts(self, role: ChatRole, content: object) -> Iterator[Line]:
        """The lines of a content in its order: texts that follow each other are one."""
        said: list[str] = []
        for part in content if isinstance(content, list) else [content]:
            other = list(self._other(part)) if isinstance(part, dict) else []
            if not other:
                said.append(_text(part))
                continue
            yield from self._said(role, said)
            yield from other
            said = []
        yield from self._said(role, said)

    def _said(self, role: ChatRole, said: list[str]) -> Iterable[Line]:
        text = "\n".join(filter(None, said))
        if not text.strip():
            return []
        return [self.pen.user(text)] if role is ChatRole.USER else self.pen.said(text)

    def _other(self, part: Record) -> Iterator[Line]:
        """A part that is no text: a call, a result, a thought."""
        kind = string(part.get("type"))
        if kind in _CALLS and (part.get("name") or part.get("function")):
            yield self._call(part, 1)
        elif kind in _RESULTS:
            yield self._result(part, part)
        elif kind in _THOUGHTS:
            thought = next((text for key in ("thinking", "content", "text") if (text := _text(part.get(key)))), "")
            thought = thought or _text(part.get("summary"))
            if thought.strip():
                yield self.pen.reasoning(thought)

    def _listed_calls(self, message: Record) -> Iterator[Line]:
        for nth, call in enumerate(objects(message.get("tool_calls")), 1):
            yield self._call(call, nth)
        if isinstance(message.get("function_call"), dict):
            yield self._call(message["function_call"], 1)

    def _call(self, call: Record, nth: int) -> Line:
        function = as_object(call.get("function")) or call
        name = string(call.get("id") or call.get("call_id")) or f"message-{self.pen.src}-{nth}"
        self.waiting.append(name)
        given = next((function[key] for key in ("arguments", "args", "input") if key in function), None)
        return self.pen.call(name, string(function.get("name")) or "tool", command_line(given))

    def _result(self, message: Record, content: object) -> Line:
        ok = message.get("ok")
        if not isinstance(ok, bool):
            is_error = message.get("is_error") is True or message.get("status") == "error"
            ok = False if is_error else None
        text = _given_back(content) if isinstance(content, dict) else _text(content)
        return self.pen.result(self._answered(message), text, ok)

    def _answered(self, message: Record) -> str:
        names = ("tool_call_id", "tool_use_id", "call_id", "id")
        # The id of a message as a whole is no call's.
        given = next((string(message.get(key)) for key in names if string(message.get(key))), "")
        call = given if given in self.waiting or "role" not in message else string(message.get("tool_call_id"))
        call = call or (self.waiting[0] if self.waiting else f"message-{self.pen.src}")
        if call in self.waiting:
            self.waiting.remove(call)
        return call


def plain(message: Record) -> Record:
    """The message with its role, content and name where everybody else has them."""
    kwargs = message.get("kwargs")
    if message.get("lc") == 1 and isinstance(kwargs, dict):
        # LangChain's own way to write an object down: its class, and what it was made of.
        kind = message.get("id")
        return {**kwargs, "role": kind[-1] if isinstance(kind, list) and kind else kwargs.get("type")}
    if isinstance(message.get("author"), dict):
        author = message["author"]
        return {**message, "role": author.get("role"), "name": author.get("name"), "content": message.get("content")}
    if "role" in message:
        return {**message, "content": message["parts"]} if _has_parts(message) else message
    if isinstance(message.get("sender"), str):
        content = message.get("content") or message.get("text")
        return {**message, "role": message["sender"], "content": content if content is not None else ""}
    kind = string(message.get("type"))
    if kind not in _ROLES:
        return message
    return {**message["data"], "role": kind} if isinstance(message.get("data"), dict) else {**message, "role": kind}


def _has_parts(message: Record) -> bool:
    return isinstance(message.get("parts"), list) and message.get("content") is None


def is_message(value: object) -> bool:
    """Whether a value is a message of a kind that is known."""
    if not isinstance(value, dict):
        return False
    found = plain(value)
    if "role" in found:
        has_content = any(key in found for key in ("content", "parts", "tool_calls", "function_call"))
        return isinstance(found["role"], str) and _known(found["role"]) is not None and has_content
    return string(found.get("type")) in _ROLELESS


def role_of(message: Record, number: int) -> tuple[ChatRole, str]:
    """Whose kind of message it is, and by what name. Raises TraceError."""
    given = message.get("role")
    kind = message.get("type")
    if given is None and isinstance(kind, str) and kind in _ROLELESS:
        # An item of the Responses API: a call, a result or a thought without a message around it.
        return (ChatRole.TOOL if kind in _RESULTS else ChatRole.ASSISTANT), ""
    role = _known(given) if isinstance(given, str) else None
    if role is None:
        raise TraceError(f"role: {given!r:.60} is not a role", line=number, hint=f"one of {', '.join(ChatRole)}")
    return role, str(given)


def _known(role: str) -> ChatRole | None:
    found = _ROLES.get(role) or _ROLES.get(role.lower())
    if found is None and role.lower() in PEOPLE:
        return ChatRole.USER
    return ChatRole.ASSISTANT if found is None and role.lower() in AGENTS else found


def speaker_of(message: Record, role: ChatRole, role_name: str) -> str | None:
    """Who speaks, where the message says more than its role: what they are, or "name (what they are)".

    What somebody is called says nothing of what they are: a customer may call themselves "operator".
    """
    if role not in {ChatRole.USER, ChatRole.ASSISTANT}:
        return None
    if said := " ".join(string(message.get("speaker")).split()):
        return said[:MAX_SPEAKER]
    part = role_name.lower() if role_name.lower() in PEOPLE | AGENTS else ""
    name = " ".join(string(message.get("name")).translate(_NO_BRACKETS).split())
    if not name or name.lower() == part:
        return part or None
    part = part or str(role)
    return f"{name[: MAX_SPEAKER - len(part) - 3]} ({part})"


_NO_BRACKETS = str.maketrans("()", "  ")


def _content(number: int, message: Record) -> object:
    """The content of a message: text, parts, or nothing where there are calls."""
    content = message.get("content")
    if "role" not in message or message.get("role") is None:
        return [message] if string(message.get("type")) not in _RESULTS else message
    if content is None and not message.get("tool_calls") and not message.get("function_call"):
        raise TraceError("content: missing", line=number, hint="text, or a list of parts with text")
    if isinstance(content, dict) and (listed := content.get("parts") or content.get("text")):
        content = listed
    if not isinstance(content, str | list | None):
        raise TraceError(f"content: a {type(content).__name__}, not text", line=number, hint=HINT)
    return "" if content is None else content


def _text(part: object) -> str:
    """The text of a part, a list of parts, or nothing."""
    if isinstance(part, list):
        return "\n".join(filter(None, map(_text, part)))
    if isinstance(part, dict) and string(part.get("type")) in _TEXT and isinstance(part.get("content"), str):
        return str(part["content"])
    if isinstance(part, dict) and part.get("type") == "refusal":
        return string(part.get("refusal"))
    return words(part)


def _given_back(part: Record) -> str:
    """What a tool gave back, under the name its platform has for it."""
    names = ("content", "output", "response", "result", "server_tool_call_response")
    given = next((part[key] for key in names if part.get(key) is not None), None)
    text = _text(given)
    return text if text or isinstance(given, str) else compact(given)


def _moment(number: int, message: Record) -> str | None:
    given = next((message[key] for key in _MOMENTS if message.get(key) is not None), None)
    at = instant(given)
    if given is not None and at is None and "timestamp" in message:
        raise TraceError(f"timestamp: {given!r:.60} is not a time", line=number, hint=_TIMES)
    return at
