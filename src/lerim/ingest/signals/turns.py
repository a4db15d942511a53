"""The conversation behind a transcript: what the user said, what it came after, and what the agent made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest

from lerim.ingest.transcript import Numbered, Transcript, told_speaker
from lerim.sources.trace import Assistant, Event, Happening, ToolResult, User, Via

#: More than this much of one text is a paste; its beginning says what it is.
MAX_TEXT = 20_000
_STOPPED = frozenset({Happening.INTERRUPTED, Happening.REJECTED})
_COMMAND = re.compile(r"/[a-z][\w-]*\s+(?=\S)")
#: What is no longer may be said again and be meant.
_FEW_CHARS = 200


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words of the user or the agent, and the number of their line."""

    number: int
    text: str
    #: Who speaks, where the trace says more than that.
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the user between what the agent said before and after it."""

    index: int
    message: Utterance
    via: Via
    before: tuple[Utterance, ...]
    after: tuple[Utterance, ...]
    #: The user stopped the agent or refused a call right before.
    stopped: bool = False
    #: Tool calls that failed and that went well before the next turn.
    failed: int = 0
    passed: int = 0
    #: What the agent said before the turn before, when that only asked something.
    asked_about: tuple[Utterance, ...] = ()
    #: What the user asked right before, to which the agent's last words are the answer.
    asked: str = ""

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def proposal(self) -> str:
        """The last thing the agent said before, which is what a reply most often answers."""
        return self.before[-1].text if self.before else ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """All turns in order, and what the agent said before the first one."""

    turns: tuple[Turn, ...]
    opening: tuple[Utterance, ...]
    is_subagent: bool = False
    #: How often somebody spoke whose word counts for nothing here, as a customer's.
    outside: int = 0

    @property
    def answers(self) -> Iterable[tuple[Turn | None, Utterance]]:
        """Everything the agent said, each with the turn it came after."""
        yield from ((None, message) for message in self.opening)
        for turn in self.turns:
            yield from ((turn, message) for message in turn.after)


def conversation(transcript: Transcript) -> Conversation:
    """The session as turns. What was taken back, or typed again in full, is left out."""
    parts: list[_Part] = [_Part(None)]
    stopped = False
    for numbered in transcript.lines:
        line = numbered.line
        if line.undone:
            continue
        if isinstance(line, User):
            if line.text.strip():
                parts.append(_Part(numbered, stopped))
                stopped = False
        elif isinstance(line, Assistant) and line.text.strip():
            parts[-1].answers.append(Utterance(numbered.number, line.text[:MAX_TEXT], _named(line)))
        elif isinstance(line, ToolResult):
            parts[-1].count(line)
        elif isinstance(line, Event):
            stopped = stopped or line.kind in _STOPPED
    talk = _linked(_without_handed_back(_without_retyped(parts)), is_subagent=transcript.header.parent is not None)
    return replace(talk, outside=len(transcript.outside)) if transcript.outside else talk


def _named(line: User | Assistant) -> str:
    return told_speaker(line.speaker) if line.speaker else ""


class _Part:
    """A user line and what came after it, while the lines go by."""

    def __init__(self, numbered: Numbered | None, stopped: bool = False) -> None:
        self.numbered = numbered
        self.stopped = stopped
        self.answers: list[Utterance] = []
        self.failed = self.passed = 0

    def count(self, result: ToolResult) -> None:
        self.failed += result.has_failed
        self.passed += not (result.has_failed or result.running)

    def take(self, other: _Part) -> None:
        """What came after another line came after this one."""
        self.answers += other.answers
        self.failed += other.failed
        self.passed += other.passed

    @property
    def user(self) -> User:
        assert self.numbered is not None and isinstance(self.numbered.line, User)
        return self.numbered.line


def _without_retyped(parts: list[_Part]) -> list[_Part]:
    """A prompt that was stopped and typed again, longer, counts once: its last form. So does one that a program notes
    twice, with the command it was given to and without."""
    kept = parts[:1]
    for part, following in zip_longest(parts[1:], parts[2:]):
        if following is not None and _is_retyped(part, following):
            following.answers[:0] = part.answers
        else:
            kept.append(part)
    return kept


def _is_retyped(part: _Part, following: _Part) -> bool:
    if not part.answers and (command := _COMMAND.match(part.user.text)) is not None:
        return _letters(part.user.text[command.end() :]) == _letters(following.user.text)
    if not following.stopped or len(part.answers) > 1:
        return False
    one, two = _letters(part.user.text), _letters(following.user.text)
    return len(one) > 12 and (two.startswith(one[: len(one) * 4 // 5]) or one == two)


def _without_handed_back(parts: list[_Part]) -> list[_Part]:
    """Without what a program hands back under the user's name: the agent's last message, for another agent to do."""
    kept = parts[:1]
    for part in parts[1:]:
        if kept[-1].answers and _is_handed_back(part.user.text, kept[-1].answers[-1].text):
            kept[-1].take(part)
        else:
            kept.append(part)
    return kept


def _is_handed_back(text: str, said: str) -> bool:
    """Whether every line of a text stands in what was said before it. Few words may be said again and be meant."""
    if len(text) <= _FEW_CHARS:
        return False
    before = _letters(said)
    return all(_letters(line) in before for line in text[:MAX_TEXT].splitlines())


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text[:MAX_TEXT]).lower()


def _linked(parts: list[_Part], *, is_subagent: bool) -> Conversation:
    turns: list[Turn] = []
    before: tuple[Utterance, ...] = tuple(parts[0].answers)
    for index, part in enumerate(parts[1:]):
        assert part.numbered is not None
        message = Utterance(part.numbered.number, part.user.text[:MAX_TEXT], _named(part.user))
        after = tuple(part.answers)
        counts = part.stopped, part.failed, part.passed
        asked_about = turns[-1].before if turns and turns[-1].text.rstrip().endswith("?") else ()
        asked = turns[-1].text if turns and "?" in turns[-1].text else ""
        turns.append(Turn(index, message, part.user.via, before, after, *counts, asked_about, asked))
        # A prompt queued while the agent works answers what came before it as much as the prompt it follows.
        before = after or before
    return Conversation(tuple(turns), tuple(parts[0].answers), is_subagent)
