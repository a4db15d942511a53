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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hi, I'm Nora Feldt, and my parcel is late.", "Nora Feldt"),
        ("Hello there! This is Tomas. The app crashes.", "Tomas"),
        ("Good morning, it's Wendy from Leeds again.", "Wendy"),
        ("My login fails. I am Nora van der Meer and I pay monthly.", "Nora van der Meer"),
        ("Guten Tag, ich bin Jörg Özdemir, mein Paket fehlt.", "Jörg Özdemir"),
        ("Hallo, hier ist Svenja, ich komme nicht rein.", "Svenja"),
        ("Ich heiße Łukasz Żak und brauche Hilfe.", "Łukasz Żak"),
        ("Bonjour, je suis Élodie Marchand, ma commande manque.", "Élodie Marchand"),
        ("Je m'appelle Hugo.", "Hugo"),
        ("Hola, soy Lucía, no puedo entrar.", "Lucía"),
        ("Me llamo Íñigo de la Cruz y espero desde ayer.", "Íñigo de la Cruz"),
        ("Buongiorno, sono Chiara Bassi, il sito non va.", "Chiara Bassi"),
        ("Olá, sou o Tiago Nunes, preciso de ajuda.", "Tiago Nunes"),
        ("Hoi, mijn naam is Sanne.", "Sanne"),
        ("Здравствуйте, меня зовут Ольга Белова.", "Ольга Белова"),
        ("It still fails. Best regards, Nora Feldt", "Nora Feldt"),
        ("It still fails.\nKind regards\nNora Feldt\nFeldt Ltd", "Nora Feldt"),
        ("Can you help? Thanks, Nora", "Nora"),
        ("Es geht nicht. Viele Grüße, Jörg Özdemir", "Jörg Özdemir"),
        ("Cela ne marche pas. Cordialement, Élodie Marchand", "Élodie Marchand"),
        ("No funciona. Un saludo, Lucía Ortega", "Lucía Ortega"),
        ("It still fails. — Nora", "Nora"),
    ],
)
def test_whoever_says_or_signs_their_name_is_known_by_it(text: str, name: str) -> None:
    names = names_in([User(text=text, speaker="customer", outside=True)])

    assert name == names[0]
    assert {part for part in name.split() if len(part) > 2 and part[0].isupper()} <= set(names)
    assert not {"van", "der", "Feldt Ltd"} & set(names)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dear Ms. Feldt,\nwe looked into it.", "Feldt"),
        ("Hello Nora and welcome back!", "Nora"),
        ("Hi Nora Feldt", "Nora Feldt"),
        ("Sehr geehrter Herr Özdemir, das Paket ist unterwegs.", "Özdemir"),
        ("Hallo Jörg! Ich schaue nach.", "Jörg"),
        ("Bonjour Mme Marchand, je regarde.", "Marchand"),
        ("Estimada Sra. Ortega: gracias. Hola Lucía, lo reviso.", "Ortega"),
        ("Merci, Élodie. Je regarde.", "Élodie"),
        ("Здравствуйте, Ольга! Сейчас посмотрю.", "Ольга"),
    ],
)
def test_whoever_is_greeted_is_known_by_name(text: str, name: str) -> None:
    outside = User(text="My order is late.", speaker="customer", outside=True)

    assert name in names_in([Assistant(text=text), outside])


@pytest.mark.parametrize(
    "text",
    [
        "Hi, I'm German and the page is in English.",
        "Hello, I'm on Windows 11. I'm using Chrome.",
        "I am Product Manager at a small shop.",
        "I'm Very Unhappy with this.",
        "Hallo, ich bin Kundin bei euch.",
        "Ich bin Premium Mitglied und komme nicht rein.",
        "Thanks, that worked.",
        "Thanks. Postgres is slow, though.",
        "Thanks, Support Team",
        "The regards of the form are cut. Docker restarts.",
        "This is Docker 24 on my machine, it's Ubuntu underneath.",
        "- First step\n- Second step",
    ],
)
def test_what_somebody_is_or_has_is_no_name(text: str) -> None:
    assert [] == names_in([User(text=text, speaker="customer", outside=True)])
