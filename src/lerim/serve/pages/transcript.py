"""A session line by line, as a page shows it: who speaks, what is folded away, and the words that memories rest on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lerim.dataclass import dataclass
from lerim.printable import printable
from lerim.sources.trace import Assistant, Event, Header, Injected, Line, Moved, Reasoning, ToolCall, ToolResult, User

if TYPE_CHECKING:
    from lerim.context.records import Record
    from lerim.sessions.session import Session

#: Characters of one line, and of all lines of a page together; what is left out is told, and a click away.
_LONGEST = 12_000
_MOST = 400_000
#: Lines that evidence may span; more than that is no quote.
_MOST_CITED = 200
_PREVIEW = 110


class CitedLine(NamedTuple):
    """A memory that rests on a line, and its words there."""

    record: str
    title: str
    status: str
    quote: str


@dataclass(frozen=True)
class ShownTraceLine:
    """A line as it is shown."""

    number: int
    #: How it looks: user, assistant, tool, result, failed, aside, event.
    manner: str
    who: str
    at: str
    #: The text in pieces, and whether a memory quotes each.
    pieces: tuple[tuple[str, bool], ...]
    #: What stands on a line that is folded away; empty for one that is not.
    preview: str
    cited: tuple[CitedLine, ...]
    undone: bool
    #: Characters that are not shown here, and those that nobody kept.
    left_out: int
    cut: int


def cited_lines(session: Session, records: Iterable[Record]) -> dict[int, list[CitedLine]]:
    """The memories that rest on each line of a session."""
    found: dict[int, list[CitedLine]] = defaultdict(list)
    for record in records:
        for piece in record.evidence:
            if (piece.agent, piece.run_id) == (session.agent, session.run_id):
                cited = CitedLine(record.id, record.title, str(record.status), piece.quote)
                for number in range(piece.first_line, min(piece.last_line, piece.first_line + _MOST_CITED) + 1):
                    if cited not in found[number]:
                        found[number].append(cited)
    return dict(found)


def shown_lines(
    items: Iterable[tuple[int, Header | Line]], cited: Mapping[int, Sequence[CitedLine]], *, whole: bool
) -> list[ShownTraceLine]:
    """Lines to show; `whole` leaves nothing of them out."""
    shown, used = [], 0
    for number, item in items:
        if not isinstance(item, Header):
            longest = len(item.text) if whole else max(min(_LONGEST, _MOST - used), 200)
            shown.append(_line(number, item, tuple(cited.get(number, ())), longest))
            used += min(longest, len(item.text))
    return shown


def _line(number: int, item: Line, cited: tuple[CitedLine, ...], longest: int) -> ShownTraceLine:
    manner, who, is_folded = _voice(item)
    text = printable(item.text[:longest])
    return ShownTraceLine(
        number,
        manner,
        who,
        (item.at or "")[:19].replace("T", " "),
        _pieces(text, [one.quote for one in cited if one.quote]),
        (_preview(text) or "(nothing)") if is_folded else "",
        cited,
        item.undone,
        max(0, len(item.text) - longest),
        item.cut,
    )


def _voice(item: Line) -> tuple[str, str, bool]:
    """How a line looks, who speaks, and whether it is folded away."""
    match item:
        case User() | Assistant() if item.outside:
            return "aside", item.speaker or "outside", False
        case User():
            who = item.speaker or "You"
            return "user", who if item.via == "typed" else f"{who} ({item.via})", False
        case Assistant():
            return "assistant", item.speaker or "Agent", False
        case Reasoning():
            return "aside", "Thinking", True
        case ToolCall():
            return "tool", item.tool, True
        case ToolResult():
            if item.has_failed:
                return "failed", "Failed", True
            return "result", "So far" if item.running else "Result", True
        case Injected():
            return "aside", f"Injected ({item.kind})", True
        case Event():
            return "event", str(item.kind).capitalize(), False
        case Moved():
            return "event", "Moved to", False
    return "aside", item.type, False


def _preview(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}…"


def _pieces(text: str, quotes: Sequence[str]) -> tuple[tuple[str, bool], ...]:
    """A text in pieces, those that are quoted marked; where quotes overlap, as one."""
    marked = sorted(span for quote in quotes if (span := _span(text, quote)) is not None)
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in marked:
        start = max(start, at)
        if end > start:
            pieces += [(text[at:start], False), (text[start:end], True)]
            at = end
    pieces.append((text[at:], False))
    return tuple(piece for piece in pieces if piece[0])


def _span(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands, with any white space between its words."""
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    return found.span() if found and found.end() > found.start() else None
