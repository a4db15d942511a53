"""LangSmith's runs, as its SDK and its exports write them: a run for every call of a model, a tool or a chain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lerim.sources.chat import is_message
from lerim.sources.pieces import Record
from lerim.sources.talks import Step, Talk, Timed, first_text, first_value, grouped
from lerim.sources.values import as_object, compact, objects, parsed, string

#: What a conversation over several traces is named by, in a run's metadata.
_THREADS = ("thread_id", "session_id", "conversation_id")
#: Where a chain keeps a plain question and a plain answer.
_ASKED = ("input", "question", "query", "prompt", "text", "user_input")
_TOLD = ("output", "answer", "result", "response", "text", "completion")
_MOST_DEPTH = 40


def is_item(record: Record) -> bool:
    """Whether a record is a run."""
    return isinstance(record.get("run_type"), str) and ("inputs" in record or "outputs" in record or "id" in record)


def talks(records: Iterable[tuple[int, Record]]) -> list[Talk]:
    """The conversations in the runs of an export."""
    runs = [(number, run) for number, record in records for run in _with_children(record)]
    # A tool by the id of another run is damaged: it encloses nothing.
    by_id = {
        string(run.get("id")): run for _, run in sorted(runs, key=lambda found: found[1].get("run_type") != "tool")
    }
    threads = _threads(run for _, run in runs)
    speaking = {string(run.get("id")) for _, run in runs if run.get("run_type") == "llm" and _messages(run)}
    told = {above for name in speaking for above in _above(by_id[name], by_id)}
    facts: dict[str, Record] = {}
    steps = []
    for number, run in runs:
        trace = first_text(run, "trace_id") or _root(run, by_id)
        talk = threads.get(trace) or trace or "runs"
        began = string(run.get("start_time"))
        _learn(facts.setdefault(talk, {}), run, began)
        is_echo = string(run.get("id")) in told and not run.get("parent_run_id") and run.get("run_type") != "tool"
        echo = _messages(run) if is_echo else ()
        steps.append(Step(number, trace, talk, tuple(_said(run, by_id, told)), began, tuple(echo)))
    return grouped(steps, facts)


def _with_children(run: Record, depth: int = _MOST_DEPTH) -> Iterator[Record]:
    yield run
    for child in objects(run.get("child_runs")) if depth else ():
        yield from _with_children({"parent_run_id": run.get("id"), **child}, depth - 1)


def _above(run: Record, by_id: dict[str, Record]) -> Iterator[str]:
    """The runs that enclose one."""
    for _ in range(_MOST_DEPTH):
        parent = string(run.get("parent_run_id"))
        if not parent:
            return
        yield parent
        if parent not in by_id:
            return
        run = by_id[parent]


def _root(run: Record, by_id: dict[str, Record]) -> str:
    return [string(run.get("id")), *_above(run, by_id)][-1]


def _threads(runs: Iterable[Record]) -> dict[str, str]:
    """The conversation that each trace belongs to, where one of its runs says so."""
    found: dict[str, str] = {}
    for run in runs:
        metadata = as_object(as_object(run.get("extra")).get("metadata"))
        if name := first_text(metadata, *_THREADS) or first_text(run, "thread_id"):
            found.setdefault(first_text(run, "trace_id") or string(run.get("id")), name)
    return found


def _learn(facts: Record, run: Record, began: str) -> None:
    metadata = as_object(as_object(run.get("extra")).get("metadata"))
    if model := first_text(metadata, "ls_model_name", "model"):
        facts.setdefault("model", model)
    if not run.get("parent_run_id") and (title := string(run.get("name"))):
        facts.setdefault("title", title)
    if began and (not facts.get("started") or began < facts["started"]):
        facts["started"] = began


def _said(run: Record, by_id: dict[str, Record], told: set[str]) -> Iterator[Timed]:
    """What a run says: a model's call its messages, a tool's its input and output, another only what nobody inside
    says. What a tool asks of a model is no part of the conversation."""
    above = [by_id[name] for name in _above(run, by_id) if name in by_id]
    if any(one.get("run_type") == "tool" for one in above):
        return
    if run.get("run_type") == "tool":
        yield from _tool_use(run)
    elif run.get("run_type") == "llm" or (string(run.get("id")) not in told and not above):
        yield from _messages(run)


def _messages(run: Record) -> list[Timed]:
    began, ended = string(run.get("start_time")) or None, string(run.get("end_time")) or None
    inputs, outputs = as_object(run.get("inputs")), as_object(run.get("outputs"))
    found = [(began, message) for message in _listed(inputs, _ASKED, "user")]
    return [*found, *((ended, message) for message in _listed(outputs, _TOLD, "assistant"))]


def _listed(side: Record, names: tuple[str, ...], role: str) -> list[Record]:
    """The messages of one side of a run: a list, generations, choices, or a plain text."""
    for given in (first_value(side, "messages", "input", "chat_history"), side.get("generations"), side.get("choices")):
        if found := list(_flat(given)):
            return found
    given = first_value(side, *names)
    if is_message(given if isinstance(given, dict) else side):
        return [given if isinstance(given, dict) else side]
    if isinstance(given, str) and given.strip():
        return [{"role": role, "content": given}]
    return []


def _flat(given: Any, depth: int = 4) -> Iterator[Record]:
    """Messages in lists within lists, as batches of prompts and generations are."""
    for one in given if isinstance(given, list) else ():
        if isinstance(one, list) and depth:
            yield from _flat(one, depth - 1)
        elif isinstance(one, dict) and isinstance(one.get("message"), dict):
            yield one["message"]
        elif isinstance(one, dict) and "lc" not in one and isinstance(one.get("text"), str) and "role" not in one:
            yield {"role": "assistant", "content": one["text"]}
        elif isinstance(one, dict):
            yield one


def _tool_use(run: Record) -> Iterator[Timed]:
    inputs, outputs = as_object(run.get("inputs")), as_object(run.get("outputs"))
    back = first_value(outputs, "output", "result", "content")
    message = as_object(back) if isinstance(back, dict) else {}
    message = as_object(message.get("kwargs")) or message
    call = string(message.get("tool_call_id")) or string(run.get("id"))
    given = first_value(inputs, "input")
    given = parsed(given) if isinstance(given, str) and given.startswith("{") else given
    part = {"type": "tool_use", "id": call, "name": string(run.get("name")) or "tool", "input": given or inputs}
    yield string(run.get("start_time")) or None, {"role": "assistant", "content": [part]}
    told = message.get("content") if message else back
    problem = string(run.get("error"))
    if told is not None or problem:
        text = told if isinstance(told, str | list) else compact(told) if told is not None else problem
        result = {"role": "tool", "tool_call_id": call, "content": text, **({"ok": False} if problem else {})}
        yield string(run.get("end_time")) or None, result
