"""What stands on a sheet: units that readers name by number, notes that nobody can cite, and records already known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lerim.context.records import Kind, Primitive, Trust
from lerim.ingest.findings import Quote

#: Bytes to a token: nearer to the truth than characters, since other scripts take more tokens a letter.
_BYTES_PER_TOKEN = 4
_KNOWN_WORDS = 160
#: What parts a table's head from its rows says nothing.
_TABLE_RULE = re.compile(r"(?m)^[ \t]*\|(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t]*$")
_SPEAKER = 60


@dataclass(frozen=True, slots=True)
class SheetUnit:
    """Words that can carry a memory: a verbatim slice of a line of the user's (U1 …) or the agent's (A1 …)."""

    id: str
    speaker: Trust
    line: int
    text: str
    #: How it came about: a choice, an answer, a rejection, a plan; of the agent's, a proved cause. Often nothing.
    manner: str = ""
    #: The units it answers or chooses, and those in which the agent took it up.
    answers: tuple[str, ...] = ()
    taken_up: tuple[str, ...] = ()
    #: Who says it, where there are several people or agents.
    said_by: str = ""
    #: What it is counted by where it stands, such as "2." or "B)": replies name it by that.
    mark: str = ""

    @property
    def quote(self) -> Quote:
        return Quote(self.line, self.line, self.text, self.speaker)

    def shown(self) -> str:
        facts = [clip(self.said_by, _SPEAKER)] if self.said_by else []
        facts += [self.manner] if self.manner else []
        facts += [f"answers {' '.join(self.answers)}"] if self.answers else []
        facts += [f"taken up in {' '.join(self.taken_up)}"] if self.taken_up else []
        told = f"({'; '.join(facts)}) " if facts else ""
        mark = f"{self.mark} " if self.mark else ""
        return f"{self.id} {told}{mark}{one_line(_TABLE_RULE.sub(' ', self.text))}"


@dataclass(frozen=True, slots=True)
class SheetNote:
    """What has to be known beside the units and is nobody's words: a paste, a template, a check, a stop."""

    line: int
    text: str

    def shown(self) -> str:
        return f"[{self.text}]"


@dataclass(frozen=True, slots=True)
class NearRecord:
    """A record that is already kept (K1 …), near to what the session speaks of."""

    id: str
    record: str
    primitive: Primitive
    title: str
    body: str = ""
    kind: Kind | None = None

    def shown(self) -> str:
        body = one_line(self.body)
        more = f" — {clip(body, _KNOWN_WORDS)}" if body and body != self.title else ""
        return f"{self.id} {self.kind or self.primitive}: {one_line(self.title)}{more}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a session. `part` counts from 1; units are numbered through all parts."""

    session: str
    part: int
    parts: int
    facts: str
    goal: str
    entries: tuple[SheetUnit | SheetNote, ...]
    known: tuple[NearRecord, ...] = ()
    #: What was done with tools, on the last part.
    deeds: tuple[str, ...] = ()

    @property
    def units(self) -> dict[str, SheetUnit]:
        return {entry.id: entry for entry in self.entries if isinstance(entry, SheetUnit)}

    def text(self) -> str:
        """The sheet as readers get it."""
        # How many there are is not told: a session that grew has more, and its first sheets are the same.
        part = f", part {self.part}" if self.part > 1 else ""
        lines = [f"Session {self.session}{part}. {self.facts}".rstrip()]
        lines += [f"Goal: {self.goal}"] if self.goal else []
        lines += ["", "Known already:", *(record.shown() for record in self.known)] if self.known else []
        lines += ["", *_spaced(self.entries)] if self.entries else []
        lines += ["", "Done:", *(f"- {deed}" for deed in self.deeds)] if self.deeds else []
        return "\n".join(lines) + "\n"

    @property
    def tokens(self) -> int:
        return tokens(self.text())


def tokens(text: str) -> int:
    """About how many tokens a model counts in a text."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def clip(text: str, limit: int) -> str:
    """The text, or its beginning when it is longer."""
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _spaced(entries: Sequence[SheetUnit | SheetNote]) -> list[str]:
    """A blank line before each turn of the user's."""
    lines: list[str] = []
    was_user = True
    for entry in entries:
        is_user = isinstance(entry, SheetUnit) and entry.speaker is Trust.USER
        if is_user and not was_user:
            lines.append("")
        was_user = is_user
        lines.append(entry.shown())
    return lines


def one_line(text: str) -> str:
    """The text without breaks."""
    return " ".join(text.split())
