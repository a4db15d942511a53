"""A transcript's lines as a model reads them: numbered, with who speaks; other people's text fenced as data. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from lerim.ingest.transcript import Numbered, OutsideWords
from lerim.sources.trace import (
    Assistant,
    Event,
    Injected,
    Line,
    Moved,
    Reasoning,
    ToolCall,
    ToolResult,
    User,
    Via,
    shorten,
)

#: How much of a line is shown. What people say is the point; a tool's output only has to be recognized.
_SHOWN: dict[type[Line], int] = {
    User: 12_000,
    Assistant: 6_000,
    Reasoning: 1_000,
    ToolCall: 300,
    ToolResult: 400,
    Injected: 200,
    OutsideWords: 2_000,
}
_SHOWN_OTHERWISE = 200


def rendered(lines: Iterable[Numbered]) -> str:
    """The lines with their numbers, as `L12 user: …`. What was taken back is left out: nobody may quote it."""
    return "\n".join(_line(numbered) for numbered in lines if not numbered.line.undone)


def fenced(text: str, name: str) -> str:
    """The text between marks that cannot stand in it, so that nothing inside can pretend to be outside."""
    mark = f"{name}-{sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    return f"<<<{mark}\n{text}\n{mark}>>>"


def _line(numbered: Numbered) -> str:
    line = numbered.line
    text, _ = shorten(line.text, _SHOWN.get(type(line), _SHOWN_OTHERWISE))
    return f"L{numbered.number} {_who(line)}: {text}"


def _who(line: Line) -> str:
    match line:
        case User(via=via):
            return "user" if via is Via.TYPED else f"user ({via})"
        case Assistant():
            return "agent"
        case Reasoning():
            return "agent thinks"
        case ToolCall(tool=tool):
            return f"call of {tool}"
        case ToolResult(running=True):
            return "output so far"
        case ToolResult(ok=ok):
            return "failed output" if ok is False else "output"
        case OutsideWords(who=who):
            return f"outside ({who})"
        case Injected(kind=kind):
            return f"injected {kind}"
        case Event(kind=kind):
            return f"event {kind}"
        case Moved():
            return "moved to"
        case _:
            return line.type
