"""What the server offers, as data: tools with their arguments, views as resources, a prompt, and when to use them.

Agents pay for every byte of this in every session, whether they call a tool or not: it is counted in the tests. Loads
no SDK, so that anybody can look at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from lerim.context.feedback import Verdict
from lerim.context.records import Kind, Primitive
from lerim.context.review.desk import ReviewVerdict

#: Most that all tools may take on the wire.
MOST_SCHEMA_BYTES = 4096
KINDS = (str(Primitive.DECISION), *map(str, Kind))


class Field(NamedTuple):
    """An argument of a tool."""

    type: Literal["string", "integer", "array"]
    about: str = ""
    choices: tuple[str, ...] = ()
    #: Of a number: the least and the most it may be. Of a text: its least and most characters.
    least: int = 1
    most: int = 20_000
    is_required: bool = False
    #: What each of a list is made of.
    items: Mapping[str, Field] = {}

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": self.type}
        if self.about:
            found["description"] = self.about
        if self.choices:
            found["enum"] = list(self.choices)
        if self.items:
            found["items"] = object_schema(self.items)
        return found


class McpTool(NamedTuple):
    """A tool: what it does, in a sentence for a model, and what it takes."""

    name: str
    about: str
    fields: Mapping[str, Field] = {}
    #: Whether it changes anything.
    writes: bool = False


def object_schema(fields: Mapping[str, Field]) -> dict[str, Any]:
    """The JSON schema of an object with these fields."""
    required = [name for name, field in fields.items() if field.is_required]
    schema: dict[str, Any] = {"type": "object", "properties": {name: one.schema() for name, one in fields.items()}}
    return {**schema, "required": required} if required else schema


def _needed(about: str = "", most: int = 20_000, choices: tuple[str, ...] = ()) -> Field:
    return Field("string", about, choices, most=most, is_required=True)


_KIND = Field("string", choices=KINDS)
_DECISION = {
    "id": _needed(),
    "verdict": _needed(choices=tuple(ReviewVerdict)),
    "record": Field("string", "memory it is the same as, updates or replaces", most=64),
    "title": Field("string", "reworded, in the session's own words", most=200),
    "body": Field("string", most=6_000),
    "kind": _KIND,
    "reason": Field("string", most=400),
}

TOOLS: tuple[McpTool, ...] = (
    McpTool("brief", "What to know before work here: decisions, rules, pitfalls, open risks."),
    McpTool("working_memory", "What changed lately, and what the last sessions left open."),
    McpTool(
        "search",
        "Find memories by words and meaning.",
        {"query": _needed(most=2_000), "limit": Field("integer", most=20)},
    ),
    McpTool(
        "ask",
        "Answer a question from memory, citing memories; says so when nothing answers it.",
        {"question": _needed(most=2_000)},
    ),
    McpTool("record", "One memory in full: text, history, and who said it where.", {"id": _needed(most=64)}),
    McpTool("status", "State of the memory here."),
    McpTool(
        "remember",
        "Save what the user just said should last. Kept if quote is theirs, word for word; else it waits for review.",
        {
            "title": _needed("a statement that stands alone, in the user's words", most=200),
            "quote": _needed("what the user wrote, verbatim", most=4_000),
            "body": Field("string", "why, and details they gave", most=6_000),
            "kind": _KIND,
        },
        writes=True,
    ),
    McpTool(
        "feedback",
        "Say how a memory turned out. To lessen the user's own, quote the user.",
        {
            "id": _needed(most=64),
            "verdict": _needed(choices=tuple(Verdict)),
            "note": Field("string", "why", most=400),
            "quote": Field("string", "the user's words", most=4_000),
        },
        writes=True,
    ),
    McpTool(
        "review",
        "Judge what Lerim noted but is not sure of. Without decisions: the next candidates, each with its words.",
        {
            "limit": Field("integer", most=20),
            "decisions": Field("array", most=20, items=_DECISION),
        },
        writes=True,
    ),
    McpTool(
        "submit_trace",
        "Hand in a session that Lerim cannot read by itself; what it teaches waits for review.",
        {
            "name": _needed("letters, digits, dots, dashes", most=80),
            "text": _needed("lines 'User: …' and 'Assistant: …', or JSON messages", most=5_000_000),
        },
        writes=True,
    ),
)
BY_NAME: Mapping[str, McpTool] = {tool.name: tool for tool in TOOLS}


class ViewResource(NamedTuple):
    """A view that clients can attach."""

    uri: str
    #: As `ViewName` calls it.
    view: str
    about: str


RESOURCES: tuple[ViewResource, ...] = (
    ViewResource("lerim://brief", "brief", "What to know before work in this project"),
    ViewResource("lerim://working-memory", "working-memory", "What changed lately, and what is open"),
    ViewResource("lerim://clinic", "clinic", "What keeps going wrong, and what would help"),
)

PROMPT = "start-work"
PROMPT_ABOUT = "Begin with what this project's memory knows"


def offered(*, write: bool) -> list[McpTool]:
    """The tools that an agent is told of."""
    return [tool for tool in TOOLS if write or not tool.writes]


def tool_schema(tool: McpTool) -> dict[str, Any]:
    """A tool as it is listed."""
    listed = {"name": tool.name, "description": tool.about, "inputSchema": object_schema(tool.fields)}
    # Clients ask their user less often about what only reads.
    return listed if tool.writes else {**listed, "annotations": {"readOnlyHint": True}}


def resource_schema(view: ViewResource) -> dict[str, Any]:
    """A view as it is listed."""
    return {"uri": view.uri, "name": view.view, "description": view.about, "mimeType": "text/markdown"}


def prompt_schema() -> dict[str, Any]:
    """The prompt as it is listed."""
    return {"name": PROMPT, "description": PROMPT_ABOUT}
