"""One archived session in memory, as its lines and their numbers: what extraction reads and evidence cites."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from lerim.context.records import Trust, parse_time
from lerim.dataclass import dataclass as line_dataclass
from lerim.errors import InvalidRecord, SourceError, UnsafePath
from lerim.ingest.own_words import own_text
from lerim.ingest.words import Lexicon, Places, all_stems, distinct, stand_together
from lerim.sessions.archive import numbered_lines, read_archived
from lerim.sources.trace import Assistant, Header, Injected, Line, Reasoning, ToolResult, User, Via
from lerim.text.folding import fold
from lerim.text.words import words

#: Who speaks on a line of each type. Everything else is a tool's or the program's text: data, never a memory by itself.
_SPEAKERS: dict[type[Line], Trust] = {User: Trust.USER, Assistant: Trust.AGENT, Reasoning: Trust.AGENT}
_LABEL = re.compile(r"(?m)^[QA]: ")
_NAMED = re.compile(r"(?P<name>.+?) ?\((?P<role>[^()]+)\)")
_HIDDEN = re.compile(r"\[redacted:name:(?P<mark>[0-9a-f]{6})\]")


@line_dataclass(frozen=True, slots=True, kw_only=True)
class OutsideWords(Injected):
    """Words of somebody whose word counts for nothing here, as a customer's: to be read, and never to be kept."""

    speaker: str | None = None

    @property
    def who(self) -> str:
        """Who says it, as a reader is told."""
        return told_speaker(self.speaker or "somebody outside")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A line of the trace and the number evidence cites it by."""

    number: int
    line: Line


@dataclass(frozen=True)
class Transcript:
    """A session as it was archived. `lines` are in order; the header is line 1, so they begin at 2."""

    header: Header
    lines: tuple[Numbered, ...]

    @classmethod
    def read(cls, path: Path) -> Transcript:
        """The archived trace at `path`. Raises SourceError when it is not one."""
        try:
            return cls.of(list(read_archived(path)))
        except (OSError, ValueError, UnsafePath) as error:
            raise SourceError(f"{path} is not a canonical trace: {error}", hint="lerim trace import FILE") from error

    @classmethod
    def of(cls, items: Sequence[tuple[int, Header | Line]]) -> Transcript:
        """The trace of these numbered lines, the header first. Raises ValueError without one."""
        if not items or not isinstance(items[0][1], Header):
            raise ValueError("it has no header")
        lines = tuple(Numbered(n, _heard(line)) for n, line in items[1:] if isinstance(line, Line))
        if any(isinstance(numbered.line, OutsideWords) for numbered in lines):
            # What a conversation is called may be anybody's word, as the subject of a mail.
            return cls(replace(items[0][1], title=None), lines)
        return cls(items[0][1], lines)

    @classmethod
    def parse(cls, trace: bytes) -> Transcript:
        """A canonical trace as the archive would keep it. Raises ValueError when it is none."""
        return cls.of(list(numbered_lines(BytesIO(trace))))

    @cached_property
    def outside(self) -> tuple[Numbered, ...]:
        """What was said by somebody whose word counts for nothing here, in order."""
        return tuple(n for n in self.lines if isinstance(n.line, OutsideWords) and not n.line.undone)

    @property
    def name(self) -> str:
        """The session as people and evidence name it."""
        return f"{self.header.agent}/{self.header.run_id}"

    def at(self, number: int) -> Line | None:
        """The line with this number, or None when the trace has none."""
        return self._by_number.get(number)

    def between(self, first: int, last: int) -> Iterator[Numbered]:
        for number in range(max(first, 2), min(last, self.last) + 1):
            if (line := self._by_number.get(number)) is not None:
                yield Numbered(number, line)

    def said(self, number: int) -> datetime | None:
        """When a line was said: as it says itself, else the nearest line before that does, else the session's start."""
        place = bisect_right(self._times, number, key=lambda known: known[0])
        if place:
            return self._times[place - 1][1]
        return _time(self.header.started) or (self._times[0][1] if self._times else None)

    @cached_property
    def _times(self) -> tuple[tuple[int, datetime], ...]:
        times = ((n.number, _time(n.line.at)) for n in self.lines)
        return tuple((number, moment) for number, moment in times if moment is not None)

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.lines[-1].number if self.lines else 1

    @cached_property
    def messages(self) -> tuple[Numbered, ...]:
        """What the user and the agent said to each other and nobody took back: user and assistant lines in order."""
        return tuple(n for n in self.lines if isinstance(n.line, User | Assistant) and not n.line.undone)

    @cached_property
    def message_numbers(self) -> tuple[int, ...]:
        return tuple(n.number for n in self.messages)

    @cached_property
    def foreign_lines(self) -> tuple[tuple[int, str], ...]:
        """What tools gave back and what programs put in, in lower case, folded, with the numbers of the lines."""
        return tuple(
            (n.number, fold(n.line.text).lower()) for n in self.lines if isinstance(n.line, ToolResult | Injected)
        )

    @cached_property
    def foreign_texts(self) -> Places:
        """In which of the foreign lines words stand."""
        return Places([text for _, text in self.foreign_lines])

    @cached_property
    def own_texts(self) -> tuple[str, ...]:
        """What the user and the agent wrote themselves in each of `messages`."""
        return tuple(own_text(n.line.text, quotes=may_quote(n.line)) for n in self.messages)

    @cached_property
    def own_places(self) -> Places:
        """In which of the own texts a word stands. The marks of a question and its answer are not counted."""
        return Places([_LABEL.sub("", fold(text)).lower() for text in self.own_texts])

    def foreign_stems(self, asked: frozenset[str], least: int = 1) -> frozenset[str]:
        """Those of the stems that only tools and programs said; none when they are fewer than `least`."""
        unsaid = asked - self._own_stems
        # Nearly everything was said: what tools print is rarely looked at.
        found = self._foreign_lexicon.known(unsaid) if len(unsaid) >= least else frozenset[str]()
        return found if len(found) >= least else frozenset()

    def are_together(self, asked: frozenset[str]) -> bool:
        """Whether most of the stems stand in one place of what tools and programs said."""
        return any(stand_together(asked, text) for text in self._foreign_words)

    def own_stems(self, asked: frozenset[str], places: Iterable[int]) -> frozenset[str]:
        """Those of the stems that stand in the own texts at some places of `messages`."""
        return frozenset(one for place in places for one in asked & self._stems_at(place))

    def _stems_at(self, place: int) -> frozenset[str]:
        """Made once: what one candidate rests on stands near what the next does."""
        known: dict[int, frozenset[str]] = self.remembered("stems")
        if (found := known.get(place)) is None:
            found = known[place] = all_stems(words(self.own_texts[place]))
        return found

    @cached_property
    def _own_stems(self) -> frozenset[str]:
        return frozenset[str]().union(*map(self._stems_at, range(len(self.messages))))

    @cached_property
    def _foreign_words(self) -> tuple[str, ...]:
        """What only tools and programs said, of whatever line."""
        others = (
            n.line.text
            for n in self.lines
            if speaker(n.line) in {Trust.TOOL, Trust.INJECTED} and not isinstance(n.line, ToolResult | Injected)
        )
        return (*(text for _, text in self.foreign_lines), *others)

    @cached_property
    def _foreign_lexicon(self) -> Lexicon:
        return Lexicon(distinct(self._foreign_words))

    def remembered(self, what: str) -> dict[Any, Any]:
        """What was once found out about the session, for whoever asks again."""
        return self._remembered.setdefault(what, {})

    @cached_property
    def _remembered(self) -> dict[str, dict[Any, Any]]:
        return {}

    @cached_property
    def _by_number(self) -> dict[int, Line]:
        return {numbered.number: numbered.line for numbered in self.lines}


def told_speaker(speaker: str) -> str:
    """Who speaks, as a reader is told: what they are, and their name, or what stands for it."""
    named = _NAMED.fullmatch(" ".join(speaker.split()))
    if named is None:
        return " ".join(speaker.split())
    hidden = _HIDDEN.fullmatch(named["name"])
    return f"{named['role']} {hidden['mark'] if hidden else named['name']}"


def _heard(line: Line) -> Line:
    """A line as it is read here. What was said outside is data, like a tool's output: whatever reads a session next
    takes it for that, unless it asks."""
    if not isinstance(line, User | Assistant) or not line.outside:
        return line
    return OutsideWords(
        text=line.text, at=line.at, src=line.src, undone=line.undone, cut=line.cut, speaker=line.speaker
    )


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidRecord:
        return None  # Agents write all sorts of times.


def may_quote(line: Line) -> bool:
    """Whether a line is a person's own writing, who may introduce another's words in it. A plan is the agent's."""
    return isinstance(line, User) and line.via is not Via.PLAN


def speaker(line: Line) -> Trust:
    """Whose words a line holds: the user's, the agent's, a tool's or the program's."""
    if (trust := _SPEAKERS.get(type(line))) is not None:
        return trust
    return Trust.INJECTED if line.type == "injected" else Trust.TOOL


def voice(line: Line) -> str:
    """Who speaks on a line, as readers are told: the agent's thoughts are not its word."""
    return "thoughts" if isinstance(line, Reasoning) else speaker(line).value
