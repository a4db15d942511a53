"""What a client hears before the SDK is there: the same as from the SDK, and sooner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from lerim.serve.opening import GREETED, GREETLESS, Opened, Opening

from ..samples import sampled_rows
from .conftest import Workplace

LISTS = {"tools/list": lambda: {"tools": [{"name": "search"}]}, "prompts/list": lambda: {"prompts": []}}
READS = {"search": {"content": []}}
CLIENT = {"name": "test", "version": "1"}
MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": GREETLESS,
        "io.modelcontextprotocol/clientInfo": CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
INITIALIZED = {"method": "notifications/initialized"}


def greeting(version: object, number: object = 0, **capabilities: object) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": CLIENT}
    return {"id": number, "method": "initialize", "params": params}


def lines(*messages: dict[str, Any]) -> list[bytes]:
    return [json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages]


def heard(*said: bytes) -> tuple[list[dict[str, Any]], Opened]:
    """What is answered without the SDK, and what is left to it."""
    answers: list[dict[str, Any]] = []
    opening = Opening(
        lambda data: answers.append(json.loads(data)), LISTS, lambda params, agent: READS.get(params["name"])
    )
    return answers, opening.listen(said)


def asked_of_a_server(here: Workplace, *said: bytes) -> dict[Any, Any]:
    """The answers of a process, by number. It is told more only when it has answered."""
    process = subprocess.Popen(
        (sys.executable, "-P", "-c", "from lerim.cli.main import run; run()", "mcp"),
        cwd=here.project,
        env={**os.environ, **here.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin and process.stdout
    answers = []
    for line in said:
        process.stdin.write(line)
        process.stdin.flush()
        if "id" in json.loads(line):
            answers.append(json.loads(process.stdout.readline()))
    rest, _ = process.communicate(timeout=60)
    assert (0, b"") == (process.returncode, rest)
    return {answer["id"]: answer.get("result") for answer in answers}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    return Workplace(tmp_path_factory.mktemp("opening"))


_LISTED = [{"id": n, "method": name} for n, name in enumerate(("tools/list", "resources/list", "prompts/list"), 1)]


@pytest.mark.parametrize(
    ("said", "params"),
    sampled_rows(
        [
            ((greeting(GREETED[-1]), INITIALIZED, *_LISTED), {}),
            (({"id": 0, "method": "server/discover"}, *_LISTED), MODERN),
        ],
        2,
    ),
    ids=["greeted", "greetless"],
)
def test_what_is_said_before_the_sdk_is_there_is_what_the_sdk_says(here: Workplace, said: Any, params: dict[str, Any]):
    """Something that only the SDK answers, put first, makes it answer all of it."""
    asked = [{"params": params, **one} for one in said]
    first = {"id": "first", "method": "ping", "params": params}

    at_once = asked_of_a_server(here, *lines(*asked))
    by_the_sdk = asked_of_a_server(here, *lines(first, *asked))

    del by_the_sdk["first"]
    assert by_the_sdk == at_once
    assert [0, 1, 2, 3] == sorted(at_once)


def call(number: object, name: object, **arguments: object) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_what_only_reads_is_answered_as_the_sdk_answers_it(here: Workplace):
    here.add("Use JWT bearer tokens", "Short expiry.")
    calls = [
        call(1, "search", query="bearer tokens"),
        call(2, "search"),
        call(3, "search", query="bearer tokens", limit=0),
        call(4, "search", query="ünïcode \u2028 nowhere"),
        call(5, "record", id="dec-unknown000"),
        call(6, "status"),
        {**call(7, "search"), "params": {"name": "search", "arguments": None, "_meta": {"progressToken": 1}}},
        call(8, "ask", question="How are users known?"),
    ]
    greeted = (greeting(GREETED[-1]), INITIALIZED)

    at_once = asked_of_a_server(here, *lines(*greeted, *calls))
    by_the_sdk = asked_of_a_server(here, *lines(*greeted, {"id": "first", "method": "ping"}, *calls))

    del by_the_sdk["first"]
    assert by_the_sdk == at_once
    assert "JWT" in at_once[1]["content"][0]["text"]
    assert [False, True] == [at_once[1]["isError"], at_once[2]["isError"]]


def test_a_call_that_writes_is_left_to_the_sdk_and_so_is_all_that_follows():
    said = lines(greeting(GREETED[-1]), INITIALIZED, call(1, "search"), call(2, "remember"), call(3, "search"))

    answers, opened = heard(*said)

    assert [0, 1] == [answer["id"] for answer in answers]
    assert Opened((said[0], said[1], said[3]), 0) == opened


def test_a_client_with_roots_is_asked_for_them_before_anything_is_looked_up():
    said = lines(greeting(GREETED[-1], roots={}), INITIALIZED, call(1, "search"))

    answers, opened = heard(*said)

    assert [0] == [answer["id"] for answer in answers]
    assert Opened(tuple(said), 0) == opened


def test_a_tool_that_is_called_after_that_answers_once(here: Workplace):
    """The greeting is not said again by the SDK, which has to hear it."""
    said = (greeting(GREETED[-1]), INITIALIZED, _LISTED[0], call(9, "feedback"))
    answers = asked_of_a_server(here, *lines(*said))

    assert [0, 1, 9] == list(answers)
    assert "'id' is missing" in answers[9]["content"][0]["text"]


@pytest.mark.parametrize("version", GREETED)
def test_a_greeting_is_answered_in_the_revision_it_came_in(version: str):
    answers, opened = heard(*lines(greeting(version)))

    assert version == answers[0]["result"]["protocolVersion"]
    assert Opened() == opened


def test_the_sdk_hears_of_the_greeting_and_of_what_it_has_to_answer():
    said = lines(greeting(GREETED[0], "a"), INITIALIZED, {"id": 1, "method": "tools/list"}, call(5, "x"), {"id": 6})

    answers, opened = heard(*said)

    assert ["a", 1] == [answer["id"] for answer in answers]
    assert Opened((said[0], said[1], said[3]), "a") == opened


@pytest.mark.parametrize(
    "odd",
    [
        b"not json\n",
        b"[]\n",
        b'{"id": 1, "method": 7}\n',
        b"[" * 100_000 + b"\n",
        *lines(
            greeting("1999-01-01"),
            greeting(7),
            greeting(GREETED[-1], 1.5),
            greeting(GREETED[-1], True),
            greeting(GREETED[-1], {"a": 1}),
            {"method": "initialize"},
            {"id": 1, "method": "tools/list"},
            {"id": 1, "method": "server/discover"},
            {"id": 1, "method": "tools/list", "params": {**MODERN, "cursor": "x"}},
            {"id": 1, "method": "resources/read", "params": MODERN},
        ),
    ],
)
def test_whatever_is_odd_is_left_to_the_sdk(odd: bytes):
    assert ([], Opened((odd,))) == heard(odd)
