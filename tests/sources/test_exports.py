"""Exports of platforms: which conversations are in one, what is said in each once and in order, and how they grow."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from lerim.config.profiles import PrivateKind
from lerim.sources.custom import SOURCE, read_trace, read_traces
from lerim.sources.exports import export_of
from lerim.sources.pieces import container
from lerim.sources.private_data import names_in, private_in
from lerim.sources.trace import Assistant, Line, User

HERE = Path(__file__).parent / "custom"
EXPORTS = (
    "otel",
    "otel_document",
    "otel_logs",
    "otel_sdk",
    "langsmith",
    "langsmith_nested",
    "langfuse",
    "langfuse_rows",
)
APPS = ("chatgpt", "claude_ai", "responses")


def golden(name: str) -> bytes:
    (path,) = (path for path in (HERE / name).iterdir() if path.name != "expected.jsonl")
    return path.read_bytes()


def spoken(lines: Any) -> list[tuple[str, str]]:
    return [(line.type, line.text) for line in lines]


def rows(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("name", [*EXPORTS, *APPS])
def test_an_export_is_told_by_its_shape(name: str, tmp_path: Path) -> None:
    """Whatever the file is called."""
    (talk,) = export_of(golden(name))
    path = tmp_path / "x.json"
    path.write_bytes(golden(name))

    assert SOURCE.accepts(path)
    assert talk.steps


@pytest.mark.parametrize("name", ["otel", "otel_logs", "otel_sdk", "langsmith", "langfuse_rows"])
def test_a_file_that_grows_only_adds_lines(name: str, tmp_path: Path) -> None:
    """Record by record: what was told before stands at its place, and the fingerprint changes when something is new."""
    lines = golden(name).splitlines(keepends=True)
    path = tmp_path / "grows.jsonl"
    before: list[tuple[str, str]] = []
    seen: list[str] = []
    for count in range(1, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        refs = [ref for found in container("custom", path) for ref in SOURCE.sessions(found)]
        if not export_of(path.read_bytes()):
            continue
        (ref,) = refs
        now = spoken(SOURCE.read(ref).lines)
        # A call that only encloses others is told until those are there.
        if name != "otel" and name != "langsmith":
            assert now[: len(before)] == before
        before = now
        seen.append(ref.run_id)
    assert 1 == len(set(seen))
    assert before == spoken(read_trace(path, "x").lines)


@pytest.mark.parametrize("name", ["otel", "otel_logs", "otel_sdk", "langsmith", "langfuse_rows"])
def test_records_in_any_order_tell_the_same(name: str) -> None:
    """Exporters write what ended first."""
    lines = golden(name).decode().splitlines(keepends=True)

    assert spoken(read_trace("".join(lines), "x").lines) == spoken(read_trace("".join(lines[::-1]), "x").lines)


def test_words_that_are_said_twice_are_told_twice() -> None:
    """A call repeats its history; a person who says "yes" again says it again."""
    one = {"id": "1", "trace_id": "a", "session_id": "s", "type": "GENERATION", "start_time": "2026-03-04 10:00:01"}
    asked = [{"role": "user", "content": "go on?"}, {"role": "assistant", "content": "Shall I?"}]
    yes = {"role": "user", "content": "yes"}
    first = {**one, "input": [*asked, yes], "output": "Done. More?"}
    second = {**one, "id": "2", "trace_id": "b", "start_time": "2026-03-04 10:00:09"}
    second |= {"input": [*asked, yes, {"role": "assistant", "content": "Done. More?"}, yes], "output": "Done."}
    alone = {
        **one,
        "id": "3",
        "trace_id": "c",
        "start_time": "2026-03-04 10:00:19",
        "input": "yes",
        "output": "All done.",
    }

    lines = spoken(read_trace(rows(first, second, alone), "x").lines)
    assert 3 == lines.count(("user", "yes"))
    assert ["go on?", "Shall I?", "yes", "Done. More?", "yes", "Done.", "yes", "All done."] == [
        text for _, text in lines
    ]


def test_conversations_of_one_file_are_kept_apart() -> None:
    records = [
        {
            "id": f"{n}",
            "trace_id": f"t{n}",
            "session_id": f"s{n % 2}",
            "type": "GENERATION",
            "input": f"q{n}",
            "output": "a",
        }
        for n in range(4)
    ]
    found = read_traces(rows(*records), "x")

    assert [["q0", "q2"], ["q1", "q3"]] == [
        [line.text for line in one.lines if isinstance(line, User)] for one in found
    ]
    assert 2 == len({one.header.run_id for one in found})


def test_what_a_tool_asks_of_a_model_is_not_told() -> None:
    """Its "user" is a program."""
    runs = [
        {"id": "r", "run_type": "chain", "inputs": {}, "outputs": {}},
        {
            "id": "t",
            "run_type": "tool",
            "name": "ask",
            "parent_run_id": "r",
            "inputs": {"q": 1},
            "outputs": {"output": "ok"},
        },
        {
            "id": "i",
            "run_type": "llm",
            "parent_run_id": "t",
            "inputs": {"messages": [{"role": "user", "content": "always obey"}]},
        },
        {
            "id": "l",
            "run_type": "llm",
            "parent_run_id": "r",
            "inputs": {"messages": [{"role": "user", "content": "hello"}]},
        },
    ]
    lines = read_trace(rows(*runs), "x").lines

    assert ["hello"] == [line.text for line in lines if isinstance(line, User)]


def test_a_loop_among_spans_ends() -> None:
    """A span that is its own ancestor, or a run its own child."""
    span = {
        "traceId": "t",
        "spanId": "a",
        "parentSpanId": "b",
        "attributes": {"gen_ai.input.messages": [{"role": "user", "content": "hi"}]},
    }
    other = {**deepcopy(span), "spanId": "b", "parentSpanId": "a"}

    export_of(rows(span, other).encode())


def test_a_transcript_with_spans_pasted_into_it_is_a_transcript() -> None:
    text = "User: what is this?\n" + golden("otel_sdk").decode() + "\nAssistant: A span."

    assert ["user", "assistant"] == [
        line.type for line in read_trace(text.replace("\nAssistant", "\n\nAssistant"), "x").lines
    ]


def test_a_name_is_no_role() -> None:
    """Whoever calls themselves an operator is what the message says they are."""
    lines = read_trace(
        rows(
            {"role": "user", "name": "operator", "content": "hi"},
            {"role": "customer", "name": "Bo (colleague)", "content": "ho"},
        ),
        "x",
    ).lines

    assert ["operator (user)", "Bo colleague (customer)"] == [line.speaker for line in lines if isinstance(line, User)]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("order #45122 and order number A-1234", ["45122", "A-1234"]),
        ("orders of 500 units, and order 500 units", []),
        ("mail ana.ruiz+x@mail.example.org now", ["ana.ruiz+x@mail.example.org"]),
        ("call me at 0171 2345678, or +49 (171) 234-5678", ["0171 2345678", "+49 (171) 234-5678"]),
        ("at 2026-03-04 10:00:00 from 10.0.0.1 with 1,204 errors", []),
        ("card 4111 1111 1111 1111, not 4111 1111 1111 1112", ["4111 1111 1111 1111"]),
        ("IBAN DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("account number 99120034; the account is locked; policy 2024 applies", ["99120034"]),
        ("I live at 221 Baker Street", ["221 Baker Street"]),
    ],
)
def test_private_numbers_and_addresses_are_found(text: str, hidden: list[str]) -> None:
    kinds = [kind for kind in PrivateKind if kind is not PrivateKind.NAME]
    found = {text[span.start : span.end].lstrip("#") for span in private_in(text, kinds, ())}

    assert set(hidden) == found


def test_people_outside_are_found_by_name() -> None:
    lines: list[Line] = [
        User(text="Hi, my name is Ana Ruiz. Please help.", speaker="customer", outside=True),
        Assistant(text="Hello Ms. Ruiz, I do."),
        User(text="Thanks,\nAna", speaker="Ana Lu (customer)", outside=True),
        User(text="This is Bo from billing.", speaker="colleague"),
    ]
    names = names_in(lines)

    assert {"Ana Ruiz", "Ana", "Ruiz", "Ana Lu"} <= set(names)
    assert "Bo" not in names and "Please" not in names
