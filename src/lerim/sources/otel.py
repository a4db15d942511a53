"""OpenTelemetry's spans of agents: the GenAI conventions, as an OTLP export, a collector's file or an SDK writes them.

Messages are attributes of a span (`gen_ai.input.messages`), or events: of the span, or log records beside it. Spans
that only enclose others repeat what those say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from lerim.dataclass import dataclass, field
from lerim.lazy_regex import compile_later
from lerim.sources.pieces import Record
from lerim.sources.talks import Step, Talk, Timed, first_text, first_value, grouped
from lerim.sources.values import as_object, instant, objects, parsed, string

_ENVELOPES = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
_SCOPES = (
    *("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"),
    *("scopeLogs", "scope_logs"),
)
_ITEMS = ("spans", "logRecords", "log_records")
_CONVERSATION = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread.id", "conversation.id")
#: Messages as attributes, in and out, newest convention first.
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "llm.prompts", "input.value")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "llm.completions", "output.value")
#: Numbered attributes of OpenLLMetry and OpenInference: `gen_ai.prompt.0.content`, `llm.input_messages.0.message.role`.
_NUMBERED = compile_later(
    r"(?P<side>gen_ai\.prompt|gen_ai\.completion|llm\.input_messages|llm\.output_messages)"
    r"\.(?P<at>\d{1,6})\.(?:message\.)?(?P<key>[\w.]{1,120})"
)
_CALL = compile_later(r"tool_calls\.(?P<at>\d{1,4})\.(?:tool_call\.)?(?:function\.)?(?P<key>\w+)")
_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_MOST_DEPTH = 40


def is_item(record: Record) -> bool:
    """Whether a record is one of OpenTelemetry's: an envelope, a span or a log record."""
    if any(isinstance(record.get(key), list) for key in (*_ENVELOPES, *_SCOPES)):
        return True
    context = record.get("context")
    has_id = isinstance(context, dict) and isinstance(context.get("trace_id"), str)
    has_id = has_id or bool(first_text(record, "traceId", "trace_id") and first_text(record, "spanId", "span_id"))
    return has_id and ("attributes" in record or "events" in record or "body" in record)


def spans_in(record: Record) -> Iterator[Record]:
    """The spans and log records of a record, however they are wrapped."""
    for key in _ENVELOPES:
        for resource in objects(record.get(key)):
            yield from spans_in(resource)
    for key in _SCOPES:
        for scope in objects(record.get(key)):
            for name in _ITEMS:
                yield from objects(scope.get(name))
    if not any(key in record for key in (*_ENVELOPES, *_SCOPES)):
        yield record


@dataclass(frozen=True)
class _SpanRecord:
    """A span or a log record, with its attributes as plain values."""

    number: int
    trace: str
    id: str
    parent: str
    began: str
    ended: str
    facts: Record
    messages: tuple[Timed, ...] = ()
    events: tuple[Record, ...] = field(default=())

    @property
    def tool(self) -> str:
        return string(self.facts.get("gen_ai.tool.name"))

    @property
    def is_log(self) -> bool:
        return not self.parent and not self.ended


def talks(records: Iterable[tuple[int, Record]]) -> list[Talk]:
    """The conversations in an export's records."""
    spans = [_span(number, span) for number, record in records for span in spans_in(record)]
    names = _named(spans)
    speaking = {span.id: span for span in spans if span.id and span.messages and not span.is_log}
    parents = {span.id: span.parent for span in spans if span.id and not span.is_log}
    enclosing = {above for span in speaking.values() for above in _above(span.parent, parents)}
    # A tool's span by the id of another one is damaged: it encloses nothing.
    tools = {span.id for span in spans if span.tool} - {span.id for span in spans if not span.tool and not span.is_log}
    facts: dict[str, Record] = {}
    steps: list[Step] = []
    for span in spans:
        talk = names.get(span.trace) if not _own_name(span) else _own_name(span)
        talk = talk or span.trace or "spans"
        _learn(facts.setdefault(talk, {}), span)
        # What only encloses others says what they say; what a tool asks of a model is no part of the talk.
        is_inner = any(above in tools for above in _above(span.parent, parents))
        messages = () if span.id in enclosing or is_inner else span.messages
        echo = span.messages if span.id in enclosing and not is_inner else ()
        steps.append(Step(span.number, span.trace, talk, messages or _tool_use(span, is_inner), span.began, echo))
    return grouped(steps, facts)


def _above(span: str, parents: dict[str, str]) -> Iterator[str]:
    for _ in range(_MOST_DEPTH):
        if not span:
            return
        yield span
        span = parents.get(span, "")


def _own_name(span: _SpanRecord) -> str:
    return first_text(span.facts, *_CONVERSATION)


def _named(spans: Iterable[_SpanRecord]) -> dict[str, str]:
    """The conversation that each trace says it belongs to, as soon as one of its spans does."""
    found: dict[str, str] = {}
    for span in spans:
        if span.trace and (name := _own_name(span)):
            found.setdefault(span.trace, name)
    return found


def _learn(facts: Record, span: _SpanRecord) -> None:
    model = first_text(span.facts, "gen_ai.response.model", "gen_ai.request.model")
    if model:
        facts.setdefault("model", model)
    if title := first_text(span.facts, "gen_ai.agent.name"):
        facts.setdefault("title", title)
    if span.began and (not facts.get("started") or span.began < facts["started"]):
        facts["started"] = span.began


def _tool_use(span: _SpanRecord, is_inner: bool) -> tuple[Timed, ...]:
    """What a tool's span says of its call and its result."""
    given = span.facts.get("gen_ai.tool.call.arguments")
    back = span.facts.get("gen_ai.tool.call.result")
    if not span.tool or is_inner or (given is None and back is None):
        return ()
    call = first_text(span.facts, "gen_ai.tool.call.id") or span.id
    part = {"type": "tool_call", "id": call, "name": span.tool, "arguments": parsed(given) or given or ""}
    result = {"type": "tool_call_response", "id": call, "response": back}
    asked = {"role": "assistant", "content": [part]}
    answer = {"role": "user", "content": [result]}
    return ((span.began or None, asked), *(((span.ended or None, answer),) if back is not None else ()))


# --- one span ------------------------------------------------------------------------------------------------------


def _span(number: int, record: Record) -> _SpanRecord:
    context = as_object(record.get("context"))
    facts = _plain(record.get("attributes"))
    began = _time(first_value(record, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"))
    ended = _time(first_value(record, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time"))
    at = _time(first_value(record, "timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "timestamp"))
    events = [_event(event) for event in objects(record.get("events"))]
    name = first_text(record, "eventName", "event_name") or string(facts.get("event.name"))
    if name:
        events.append((name, at, facts | _plain(record.get("body"))))
    return _SpanRecord(
        number,
        first_text(record, "traceId", "trace_id") or string(context.get("trace_id")),
        first_text(record, "spanId", "span_id") or string(context.get("span_id")),
        first_text(record, "parentSpanId", "parent_span_id", "parent_id"),
        began or at,
        ended,
        facts,
        tuple(_messages(facts, events, began, ended)),
    )


_Event = tuple[str, str, Record]


def _event(event: Record) -> _Event:
    at = _time(first_value(event, "timeUnixNano", "time_unix_nano", "timestamp"))
    return string(event.get("name")), at, _plain(event.get("attributes")) | _plain(event.get("body"))


def _messages(facts: Record, events: Iterable[_Event], began: str, ended: str) -> Iterator[Timed]:
    system = parsed(facts.get("gen_ai.system_instructions"))
    if system:
        yield began or None, {"role": "system", "content": system if isinstance(system, str | list) else [system]}
    found = [*_of_attributes(facts, began, ended), *_numbered(facts, began, ended)]
    for event in events:
        found += _of_event(event, ended)
    yield from found


def _of_attributes(facts: Record, began: str, ended: str) -> Iterator[Timed]:
    for names, role, at in ((_INPUTS, "user", began), (_OUTPUTS, "assistant", ended)):
        given = next((facts[name] for name in names if facts.get(name) not in (None, "", [])), None)
        for message in _listed(given, role):
            yield at or None, message


def _listed(given: object, role: str) -> list[Record]:
    """The messages of an attribute: structured, as JSON in a string, or a text that is one."""
    found = parsed(given)
    if isinstance(found, dict) and isinstance(found.get("messages"), list):
        found = found["messages"]
    if isinstance(found, list) and found:
        return [one if isinstance(one, dict) else {"role": role, "content": one} for one in found]
    if isinstance(found, dict):
        return [found if "role" in found else {"role": role, "content": [found]}]
    return [{"role": role, "content": given}] if isinstance(given, str) and given.strip() else []


def _numbered(facts: Record, began: str, ended: str) -> list[Timed]:
    """Messages that are spread over numbered attributes."""
    found: dict[tuple[bool, int], Record] = {}
    for key, value in facts.items():
        match = _NUMBERED.fullmatch(key)
        if match is None:
            continue
        is_out = match["side"].endswith(("completion", "output_messages"))
        message = found.setdefault((is_out, int(match["at"])), {"role": "assistant" if is_out else "user"})
        if match["key"] in {"role", "content", "name", "tool_call_id"}:
            message[match["key"]] = value
        elif call := _CALL.fullmatch(match["key"]):
            calls = message.setdefault("_calls", {}).setdefault(int(call["at"]), {})
            calls[call["key"]] = value
    return [((ended if is_out else began) or None, _whole(found[is_out, at])) for is_out, at in sorted(found)]


def _whole(message: Record) -> Record:
    calls = message.pop("_calls", {})
    if calls:
        message["tool_calls"] = [calls[at] for at in sorted(calls)]
    content = message.get("content")
    listed = parsed(content) if isinstance(content, str) and content.lstrip().startswith("[") else None
    return {**message, "content": listed if isinstance(listed, list) else content if content is not None else ""}


def _of_event(event: _Event, ended: str) -> list[Timed]:
    name, at, facts = event
    if name in {"gen_ai.content.prompt", "gen_ai.content.completion"}:
        side, role = ("gen_ai.prompt", "user") if name.endswith("prompt") else ("gen_ai.completion", "assistant")
        return [(at or None, message) for message in _listed(facts.get(side), role)]
    if name == "gen_ai.client.inference.operation.details":
        return list(_messages(facts, (), at, ended or at))
    if name not in _EVENTS:
        return []
    inner = as_object(facts.get("message"))
    whole = {**facts, **inner}
    role = string(whole.get("role")) or _EVENTS[name]
    content = whole.get("content")
    content = parsed(content) if isinstance(content, str) and content.lstrip().startswith(("[{", '["')) else content
    message: Record = {key: whole[key] for key in ("name", "ok") if key in whole}
    message |= {"role": role, "content": "" if content is None else content}
    calls = parsed(whole.get("tool_calls"))
    message |= {"tool_calls": calls} if isinstance(calls, list) else {}
    if role == "tool" or name == "gen_ai.tool.message":
        message |= {"role": "tool", "tool_call_id": first_text(whole, "id", "tool_call_id")}
    return [(at or None, message)]


# --- values --------------------------------------------------------------------------------------------------------


def _plain(attributes: object, depth: int = _MOST_DEPTH) -> Record:
    """Attributes as plain values: OTLP lists keys with typed values, an SDK writes an object. So are bodies."""
    if isinstance(attributes, list):
        return {
            key: _value(item.get("value"), depth) for item in objects(attributes) if (key := string(item.get("key")))
        }
    found = _value(attributes, depth) if isinstance(attributes, dict) else parsed(attributes)
    return found if isinstance(found, dict) else {"content": found} if isinstance(found, str) else {}


_TYPED = re.compile(r"(?:string|bool|int|double|bytes)_?[vV]alue")


def _value(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth <= 0:
        return value
    if len(value) == 1:
        [(kind, inner)] = value.items()
        if _TYPED.fullmatch(kind):
            return inner
        if kind in {"arrayValue", "array_value"}:
            return [_value(one, depth - 1) for one in objects(as_object(inner).get("values"))]
        if kind in {"kvlistValue", "kvlist_value"}:
            return _plain(as_object(inner).get("values"), depth - 1)
    return value


def _time(value: object) -> str:
    """A time as OTLP and SDKs write it: nanoseconds since 1970, as a number or in a string, or ISO 8601."""
    number = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 25 else value
    if isinstance(number, int) and not isinstance(number, bool) and number > 10**16:
        try:
            return datetime.fromtimestamp(number / 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        except (ValueError, OverflowError, OSError):
            return ""
    if isinstance(value, str) and instant(value):
        return value
    return instant(number) or ""
