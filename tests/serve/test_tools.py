"""What the server offers, and what it makes of what it is given: pure, without a server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lerim.errors import UsageError
from lerim.serve.arguments import checked
from lerim.serve.folder import folder_of
from lerim.serve.greeting import MOST_INSTRUCTION_BYTES, instructions
from lerim.serve.tools import BY_NAME, RESOURCES, TOOLS, offered, tool_schema
from lerim.views.view import ViewName

READING = {"brief", "working_memory", "search", "ask", "record", "status"}
WRITING = {"remember", "feedback", "review", "submit_trace"}


def test_the_instructions_are_short_and_name_every_tool_that_a_session_needs() -> None:
    """A client may cut what is longer."""
    text = instructions()

    assert len(text.encode()) <= MOST_INSTRUCTION_BYTES
    assert {"brief", "search", "ask", "record", "remember", "feedback", "review"} <= set(re.findall(r"\w+", text))


def test_what_writes_is_offered_only_where_it_may() -> None:
    """And only what reads says that it does."""
    assert READING | WRITING == {tool.name for tool in offered(write=True)}
    assert READING == {tool.name for tool in offered(write=False)}
    hinted = {tool.name for tool in TOOLS if tool_schema(tool).get("annotations") == {"readOnlyHint": True}}
    assert READING == hinted


def test_every_schema_is_one() -> None:
    """As validators of clients read it; what is needed is among what there is."""
    from jsonschema import Draft202012Validator

    for tool in TOOLS:
        schema = tool_schema(tool)["inputSchema"]
        Draft202012Validator.check_schema(schema)
        assert set(schema.get("required", ())) <= set(schema["properties"])


def test_the_views_are_those_there_are() -> None:
    assert set(ViewName) == {one.view for one in RESOURCES}


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("search", {}, "'query' is missing"),
        ("search", {"query": "  "}, "'query' is empty"),
        ("search", {"query": 7}, "'query' is a text, and not a number"),
        ("search", {"query": ["x"]}, "'query' is a text, and not a list"),
        ("search", {"query": "x", "limit": "5"}, "'limit' is a whole number, and not a text"),
        ("search", {"query": "x", "limit": True}, "'limit' is a whole number, and not true or false"),
        ("search", {"query": "x", "limit": 2.5}, "'limit' is a whole number, and not a number"),
        ("search", {"query": "x", "limit": 0}, "'limit' is 1 to 20"),
        ("search", {"query": "x", "limit": 10**30}, "'limit' is 1 to 20"),
        ("search", {"query": "x" * 3_000}, "3,000 characters; at most 2,000"),
        ("search", {"query": "half an emoji \ud83d"}, "no valid Unicode"),
        ("search", {"question": "x"}, "there is no argument 'question'"),
        ("brief", {"x": 1}, "there is no argument 'x'"),
        ("feedback", {"id": "x", "verdict": "nice"}, "one of useful, wrong, outdated"),
        ("remember", {"title": "x"}, "'quote' is missing"),
        ("review", {"decisions": ["x"]}, "a list of objects with id"),
        ("review", {"decisions": {"id": "x"}}, "'decisions' is a list, and not an object"),
        ("review", {"decisions": [{"id": "x", "verdict": "keep"}]}, "number 1: 'verdict' is one of accept"),
        ("review", {"decisions": [{"id": "x", "verdict": "same"}] * 21}, "21 entries; at most 20"),
        ("submit_trace", {"name": "x"}, "'text' is missing"),
    ],
)
def test_a_wrong_argument_is_named(tool: str, given: dict[str, Any], words: str) -> None:
    """In words from which a model learns what to send."""
    with pytest.raises(UsageError) as raised:
        checked(BY_NAME[tool], given)

    assert words in raised.value.message


def test_null_is_nothing() -> None:
    """Models fill in what they leave out."""
    assert {"query": "x"} == checked(BY_NAME["search"], {"query": "x", "limit": None})


def test_every_error_can_be_written() -> None:
    with pytest.raises(UsageError) as raised:
        checked(BY_NAME["search"], {"\ud83d" * 100: 1})

    json.dumps(raised.value.message)


# --- which folder -----------------------------------------------------------------------------------------------------


def test_a_root_comes_before_a_variable_before_the_folder_it_was_started_in(tmp_path: Path) -> None:
    """The first root that is a folder here."""
    root, named = tmp_path / "a b", tmp_path / "named"
    root.mkdir()
    named.mkdir()
    env = {"CLAUDE_PROJECT_DIR": str(named)}
    address = root.as_uri()

    assert str(root) == folder_of([address], env, "/")
    assert str(root) == folder_of([f"file://{tmp_path}/gone", address], env, "/")
    assert str(named) == folder_of([], env, "/")
    assert "/" == folder_of([], {}, "/")


@pytest.mark.parametrize(
    "root",
    [
        "https://example.com/x",
        "file://host/x",
        "file:relative",
        "x",
        "",
        "file:///\0",
        "file://[",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_folder_of_this_machine_is_no_root(root: str) -> None:
    assert "/" == folder_of([root], {"CLAUDE_PROJECT_DIR": "relative"}, "/")
