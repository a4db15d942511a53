"""The wire of the Kimi CLI, Python's, before Kimi Code: records `{timestamp, message: {type, payload}}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lerim.sources.base import Account
from lerim.sources.pieces import Outcome, Pen, Record, answered, command_line, words
from lerim.sources.trace import Happening, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string, texts

_ASKS = "AskUserQuestion"
_PASSED_OVER = {
    "TurnEnd": "step",
    "StepBegin": "step",
    "StepRetry": "step",
    "HookTriggered": "hook",
    "HookResolved": "hook",
    "HookRequest": "hook",
    "HookResponse": "hook",
    "MCPLoadingBegin": "progress",
    "MCPLoadingEnd": "progress",
    "SubagentEvent": "a subagent's own",
    "ApprovalRequest": "asked for a decision",
    "QuestionRequest": "told with the answer",
    "PlanDisplay": "repeats another record",
    "CompactionEnd": "progress",
    "BtwBegin": "told with the answer",
    "ToolCallPart": "a piece of a call",
}


class OlderReader:
    """Turns the records of the Kimi CLI into lines."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.pen = Pen()
        self.calls: dict[str, tuple[str, object]] = {}
        self.requests: dict[str, str] = {}
        self._kinds: dict[str, Callable[[Record], Outcome]] = {
            "TurnBegin": lambda said: self._typed(words(said.get("user_input")), Via.TYPED),
            "SteerInput": lambda said: self._typed(words(said.get("user_input")), Via.QUEUED),
            "BtwEnd": lambda said: self.pen.said(string(said.get("response"))),
            "ContentPart": self._part,
            "TextPart": self._part,
            "ThinkPart": self._part,
            "ToolCall": self._call,
            "ToolResult": self._result,
            "ApprovalResponse": self._decision,
            "ApprovalRequestResolved": self._decision,
            "StatusUpdate": self._usage,
            "Notification": self._notification,
            "StepInterrupted": lambda _: [self.pen.event(Happening.INTERRUPTED)],
            "CompactionBegin": lambda _: [self.pen.event(Happening.COMPACTED)],
        }

    def translate(self, number: int, record: Record) -> Outcome:
        message = as_object(record.get("message"))
        self.pen = Pen(number, instant(record.get("timestamp")))
        if record.get("type") == "metadata":
            return "session header"
        kind, payload = string(message.get("type")), as_object(message.get("payload"))
        if kind == "ApprovalRequest":
            self.requests[string(payload.get("id"))] = string(payload.get("sender"))
        if translate := self._kinds.get(kind):
            return translate(payload)
        return _PASSED_OVER.get(kind, f"unknown: {kind}")

    def _typed(self, text: str, via: Via) -> Outcome:
        if not text.strip():
            return []
        if text.startswith("/"):
            return [self.pen.user(text, Via.COMMAND)]
        return self.pen.typed(text) if via is Via.TYPED else [self.pen.user(text, via)]

    def _part(self, part: Record) -> Outcome:
        if part.get("type") == "think":
            thought = string(part.get("think"))
            return [self.pen.reasoning(thought)] if thought.strip() else "encrypted reasoning"
        return self.pen.said(words(part))

    def _call(self, call: Record) -> Outcome:
        asked, name = as_object(call.get("function")), string(call.get("id"))
        self.calls[name] = string(asked.get("name")), asked.get("arguments")
        return [self.pen.call(name, string(asked.get("name")) or "tool", command_line(asked.get("arguments")))]

    def _result(self, result: Record) -> Outcome:
        given, call = as_object(result.get("return_value")), string(result.get("tool_call_id"))
        output = given.get("output")
        is_error = given.get("is_error") is True
        text = words(output) or string(given.get("message")) or compact(output)
        lines: list[Line] = [self.pen.result(call, text, not is_error)]
        name, asked = self.calls.pop(call, ("", None))
        if name == _ASKS and not is_error:
            lines += answers(output, asked, self.pen)
        return lines

    def _decision(self, response: Record) -> Outcome:
        tool = self.requests.get(string(response.get("request_id")), "")
        is_refused = response.get("response") == "reject"
        lines: list[Line] = [self.pen.event(Happening.REJECTED if is_refused else Happening.ACCEPTED, tool)]
        if (reason := string(response.get("feedback"))).strip():
            lines.append(self.pen.user(reason, Via.REJECTION))
        return lines

    def _notification(self, note: Record) -> Outcome:
        text = "\n".join(filter(None, (string(note.get("title")), string(note.get("body")))))
        return [self.pen.injected(text, Injection.NOTIFICATION)] if text.strip() else []

    def _usage(self, status: Record) -> Outcome:
        usage = as_object(status.get("token_usage"))
        read = ("input_other", "input_cache_read", "input_cache_creation")
        self.account.input_tokens += sum(count(usage.get(name)) for name in read)
        self.account.output_tokens += count(usage.get("output"))
        return "token count"


def answers(output: object, given: object, pen: Pen) -> Iterator[Line]:
    """What the user answered to the agent's own tool that asks, `{"answers": {question: answer}}`."""
    found = as_object(as_object(output).get("answers"))
    asked = {string(item.get("question")) for item in objects(as_object(given).get("questions"))}
    pairs = ((question, ", ".join(texts(said)) or string(said)) for question, said in found.items())
    # Only to what was asked: the questions are in the call.
    if text := answered((question, said) for question, said in pairs if question in asked):
        yield pen.user(text, Via.ANSWER)
