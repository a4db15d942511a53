"""What Cline, Roo Code and Kilo Code send to a model: tool results, the user's words and the state of the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# "[read_file for 'src/app.py'] Result:" opens what came back from a tool.
_MARKER = re.compile(r"^\[(?P<tool>\w+)(?: for [^\n]*)?\] Result:[ \t]*\n?", re.MULTILINE)
_PIECE = re.compile(
    r"<(?P<tag>task|feedback|answer|user_message|environment_details)>\n?(?P<inside>.*?)\n?</(?P=tag)>", re.DOTALL
)
# Words of the program itself, around a result or instead of one.
_BOILERPLATE = re.compile(
    r"^(?:# task_progress |# TODO LIST |The user (?:has )?provided (?:the following )?feedback|"
    r"New instructions for task continuation|\[TASK RESUMPTION\]|\[ERROR\])",
    re.MULTILINE,
)
_CWD = re.compile(r"Current (?:Working|Workspace) Directory \((?P<cwd>[^)\n]+)\)")
_MODEL = re.compile(r"<model>(?P<model>[^<\n]+)</model>")
_DENIED = "The user denied this operation"
_REFUSAL = re.compile(rf"\s*{_DENIED}[^\n]*feedback:\s*")
_FAILED = re.compile(r"\s*(?:The tool execution failed|Error |<error>|\[ERROR\])")
_EXIT_CODE = re.compile(r"[Ee]xit(?:ed with)? code:? (-?\d+)")

#: Tools that only talk: what they say and the answer to it stand elsewhere.
TALKING = {
    "attempt_completion",
    "ask_followup_question",
    "plan_mode_respond",
    "act_mode_respond",
    "new_task",
    "condense",
}


@dataclass(frozen=True)
class Piece:
    """A part of a request: under a tag (`task`, `feedback`, …), from a tool (`tool:<name>`), or `rest`."""

    kind: str
    text: str

    @property
    def tool(self) -> str:
        return self.kind.removeprefix("tool:") if self.kind.startswith("tool:") else ""


def pieces(request: str, tool: str = "") -> Iterator[Piece]:
    """The parts of a request in their order; nothing of the text is in none of them but blanks.

    A file that a tool has read may hold the same tags. They count only where the program itself puts them, so that
    nobody's file can speak for the user. `tool` names the tool whose result the text is, if it is one.
    """
    at = 0
    for found in _PIECE.finditer(request):
        before = request[at : found.start()]
        *_, (last, result) = [(tool, before), *_results(before)]
        if _is_genuine(found, last, result, request[found.end() :]):
            yield from _untagged(before)
            yield Piece(found["tag"], found["inside"].strip())
            at, tool = found.end(), last
    yield from _untagged(request[at:])


def is_denied(text: str) -> bool:
    """Whether a result says that the user refused the tool call."""
    return text.lstrip().startswith(_DENIED)


def outcome(tool: str, result: str) -> tuple[bool | None, int | None]:
    """Whether a tool worked, and the exit code of a command that reports it."""
    if is_denied(result) or _FAILED.match(result):
        return False, None
    if tool != "execute_command":
        return True, None
    code = _EXIT_CODE.search(result)
    return (int(code[1]) == 0, int(code[1])) if code else (None, None)


def cwd_in(text: str) -> str | None:
    found = _CWD.search(text)
    return found["cwd"] if found else None


def model_in(text: str) -> str | None:
    found = _MODEL.search(text)
    return found["model"] if found else None


def _is_genuine(found: re.Match[str], tool: str, before: str, after: str) -> bool:
    if not tool or tool in TALKING:
        return True
    if found["tag"] == "environment_details":
        return not after.strip()
    return found["tag"] == "feedback" and _REFUSAL.fullmatch(before) is not None


def _results(text: str) -> list[tuple[str, str]]:
    markers = list(_MARKER.finditer(text))
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    return [(marker["tool"], text[marker.end() : end]) for marker, end in zip(markers, ends, strict=False)]


def _untagged(text: str) -> Iterator[Piece]:
    first = _MARKER.search(text)
    yield from _rest(text[: first.start()] if first else text)
    for tool, result in _results(text):
        boilerplate = _BOILERPLATE.search(result)
        yield Piece(f"tool:{tool}", (result[: boilerplate.start()] if boilerplate else result).strip())
        if boilerplate:
            yield from _rest(result[boilerplate.start() :])


def _rest(text: str) -> Iterator[Piece]:
    if text.strip():
        yield Piece("rest", text.strip())
