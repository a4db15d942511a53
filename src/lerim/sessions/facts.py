"""What a session amounts to, counted while its lines go by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from lerim.dataclass import dataclass, field
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Event, Happening, Header, Line, Moved, ToolCall, ToolResult, User
from lerim.sources.values import count
from lerim.text.sentences import first_sentence

_OPENING = 80
_LOOKED_AT = 4_000
_LINES = 200
# What makes a heading or a list of a line, and is no word of it.
_MARKS = re.compile(r"^[#>*\-\s]+|[*`]")


@dataclass(frozen=True)
class SessionFacts:
    """A session's header and what its lines add up to."""

    header: Header
    ended: str | None
    #: Times the user spoke; what was rewound does not count.
    turns: int
    tool_calls: int
    #: Tool calls that failed, and failures of the agent or its provider.
    errors: int
    input_tokens: int
    output_tokens: int
    #: Directories it went to after the one it began in.
    other_cwds: tuple[str, ...]
    #: What the user asked for first, as a title for a session that has none.
    opening: str | None = None


@dataclass
class Tally:
    """Counts lines as they pass, so that a session is read once for all purposes."""

    header: Header
    ended: str | None = None
    turns: int = 0
    tool_calls: int = 0
    errors: int = 0
    cwds: dict[str, None] = field(default_factory=dict)
    opening: str | None = None

    def through(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            self.see(line)
            yield line

    def see(self, line: Line) -> None:
        # Lines are in true order, their clocks are not: tools run in parallel.
        if line.at is not None and (self.ended is None or line.at > self.ended):
            self.ended = line.at
        match line:
            case User(undone=False):
                self.turns += 1
                self.opening = self.opening or opening_of(line.text)
            case ToolCall():
                self.tool_calls += 1
            case ToolResult(ok=False) | Event(kind=Happening.ERROR):
                self.errors += 1
            case ToolResult(ok=None, exit_code=int(code)) if code != 0:
                self.errors += 1
            case Moved(text=cwd) if cwd and cwd != self.header.cwd:
                self.cwds[cwd] = None

    def facts(self, account: Account) -> SessionFacts:
        """The sums, once all lines have passed."""
        return SessionFacts(
            header=self.header,
            ended=self.ended,
            turns=self.turns,
            tool_calls=self.tool_calls,
            errors=self.errors,
            # What an agent counts may be anything; a column holds 64 bits.
            input_tokens=count(account.input_tokens),
            output_tokens=count(account.output_tokens),
            other_cwds=tuple(self.cwds),
            opening=self.opening,
        )


def opening_of(text: str) -> str | None:
    """The first sentence of what a user asks for, short enough for a title; None when it is a word or two."""
    lines = (" ".join(_MARKS.sub(" ", line).split()) for line in text[:_LOOKED_AT].splitlines())
    line = next((line for line in lines if line.count(" ") >= 2), None)
    if line is None:
        return None
    sentence = first_sentence(line)
    short = sentence if len(sentence) <= _OPENING else sentence[:_OPENING].rsplit(" ", 1)[0] + " …"
    return short.rstrip(".:,; ")


def first_opening(lines: Iterable[Line]) -> str | None:
    """The first such sentence of a session. Reads no further than that, nor further than is worth it."""
    asked = (line.text for line in islice(lines, _LINES) if isinstance(line, User) and not line.undone)
    return next(filter(None, map(opening_of, asked)), None)


def describe(reading: Reading) -> SessionFacts:
    """Read a session to its end for the facts alone."""
    tally = Tally(reading.header)
    for _ in tally.through(reading.lines):
        pass
    return tally.facts(reading.account)
