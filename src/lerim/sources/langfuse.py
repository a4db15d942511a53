"""Langfuse's traces and observations, as its interface, its API and its exports to a bucket write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lerim.sources.chat import is_message
from lerim.sources.pieces import Record
from lerim.sources.talks import Step, Talk, Timed, first_text, first_value, grouped
from lerim.sources.values import as_object, compact, objects, parsed, string

_TYPES = frozenset(
    {"SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
)
_ASKED = ("question", "query", "prompt", "input", "text", "message")
_TOLD = ("answer", "output", "completion", "response", "text", "message", "content")
#: What only an observation has, whatever its type.
_PLACES = frozenset({"parentObservationId", "parent_observation_id"})
_TRACE_KEYS = frozenset({"sessionId", "session_id", "userId", "user_id", "observations", "htmlPath", "bookmarked"})
_MOST_DEPTH = 40


def is_item(record: Record) -> bool:
    """Whether a record is a trace or an observation."""
    if "run_type" in record or not isinstance(record.get("id"), str):
        return False
    if _trace_of(record) and (string(record.get("type")).upper() in _TYPES or not _PLACES.isdisjoint(record)):
        return True
    has_sides = "input" in record or "output" in record
    return isinstance(record.get("observations"), list) or (has_sides and bool(_TRACE_KEYS & record.keys()))


def talks(records: Iterable[tuple[int, Record]]) -> list[Talk]:
    """The conversations in an export: traces of one session are one."""
    found = [(number, one) for number, record in records for one in _with_observations(record)]
    traces = {string(one.get("id")): one for _, one in found if not _is_observation(one)}
    # A tool by the id of another observation is damaged: it encloses nothing.
    by_id = {string(one.get("id")): one for _, one in sorted(found, key=_is_no_tool) if _is_observation(one)}
    sessions = _sessions(one for _, one in found)
    speaking = {name: one for name, one in by_id.items() if _is_asking(one) and _sides(one)}
    told = {above for one in speaking.values() for above in (_trace_of(one), *_above(one, by_id))}
    facts: dict[str, Record] = {}
    steps = []
    for number, one in found:
        trace = _trace_of(one) if _is_observation(one) else string(one.get("id"))
        talk = sessions.get(trace) or trace or "traces"
        began = first_text(one, "startTime", "start_time", "timestamp")
        _learn(facts.setdefault(talk, {}), one, traces.get(trace, {}), began)
        echo = _sides(one) if not _is_observation(one) and string(one.get("id")) in told else ()
        steps.append(Step(number, trace, talk, tuple(_said(one, by_id, told)), began, tuple(echo)))
    return grouped(steps, facts)


def _with_observations(record: Record) -> Iterator[Record]:
    yield record
    for one in objects(record.get("observations")):
        yield {"traceId": record.get("id"), **one}


def _is_observation(record: Record) -> bool:
    return bool(_trace_of(record)) and "type" in record


def _is_no_tool(found: tuple[int, Record]) -> bool:
    return string(found[1].get("type")).upper() != "TOOL"


def _is_asking(record: Record) -> bool:
    """Whether it is a call of a model."""
    return string(record.get("type")).upper() == "GENERATION"


def _trace_of(record: Record) -> str:
    return first_text(record, "traceId", "trace_id")


def _sessions(found: Iterable[Record]) -> dict[str, str]:
    names: dict[str, str] = {}
    for one in found:
        if name := first_text(one, "sessionId", "session_id"):
            names.setdefault(_trace_of(one) or string(one.get("id")), name)
    return names


def _above(one: Record, by_id: dict[str, Record]) -> Iterator[str]:
    for _ in range(_MOST_DEPTH):
        parent = first_text(one, "parentObservationId", "parent_observation_id")
        if not parent:
            return
        yield parent
        if parent not in by_id:
            return
        one = by_id[parent]


def _learn(facts: Record, one: Record, trace: Record, began: str) -> None:
    if model := first_text(one, "model", "provided_model_name"):
        facts.setdefault("model", model)
    if title := first_text(trace, "name") or first_text(one, "trace_name"):
        facts.setdefault("title", title)
    if began and (not facts.get("started") or began < facts["started"]):
        facts["started"] = began


def _said(one: Record, by_id: dict[str, Record], told: set[str]) -> Iterator[Timed]:
    """What a record says: a generation its messages, a tool its use, another only what nobody inside says."""
    kind = string(one.get("type")).upper()
    above = [by_id[name] for name in _above(one, by_id) if name in by_id]
    if any(string(outer.get("type")).upper() == "TOOL" for outer in above):
        return  # What a tool asks of a model is no part of the conversation.
    if kind == "TOOL":
        yield from _tool_use(one)
    elif _is_asking(one) or (not _is_observation(one) and string(one.get("id")) not in told):
        yield from _sides(one)


def _sides(one: Record) -> list[Timed]:
    began = first_text(one, "startTime", "start_time", "timestamp") or None
    ended = first_text(one, "endTime", "end_time") or began
    asked = [(began, message) for message in _listed(one.get("input"), _ASKED, "user")]
    return [*asked, *((ended, message) for message in _listed(one.get("output"), _TOLD, "assistant"))]


def _listed(given: Any, names: tuple[str, ...], role: str) -> list[Record]:
    """The messages of one side: a list, an object with one, a message, or a plain text."""
    found = parsed(given) if isinstance(given, str) and given.lstrip()[:1] in {"{", "["} else given
    found = given if found is None else found
    if isinstance(found, dict):
        for key in ("messages", "choices"):
            if isinstance(found.get(key), list):
                return [as_object(one.get("message")) or one for one in objects(found[key])]
        if is_message(found):
            return [found]
        text = first_value(found, *names)
        return _listed(text, (), role) if text is not found else []
    if isinstance(found, list):
        return [as_object(one.get("message")) or one for one in objects(found)]
    return [{"role": role, "content": found}] if isinstance(found, str) and found.strip() else []


def _tool_use(one: Record) -> Iterator[Timed]:
    call = string(one.get("id"))
    given = parsed(one.get("input")) or one.get("input")
    part = {"type": "tool_use", "id": call, "name": string(one.get("name")) or "tool", "input": given}
    yield first_text(one, "startTime", "start_time") or None, {"role": "assistant", "content": [part]}
    back = one.get("output")
    problem = first_text(one, "statusMessage", "status_message")
    is_error = string(one.get("level")).upper() == "ERROR"
    if back is not None or is_error:
        text = back if isinstance(back, str) else compact(back) if back is not None else problem
        result = {"role": "tool", "tool_call_id": call, "content": text, **({"ok": False} if is_error else {})}
        yield first_text(one, "endTime", "end_time") or None, result
