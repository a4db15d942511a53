"""Conversations in the exports of platforms that watch agents: many calls of a model, each with all that went before.

Such an export has a record for every call. What is said in a call is most often said in the next one again, as its
history: told once here, in its order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lerim.dataclass import dataclass, field, replace
from lerim.digests import blake2b
from lerim.errors import TraceError
from lerim.sources.base import Account
from lerim.sources.chat import ChatReader
from lerim.sources.pieces import Record
from lerim.sources.trace import Assistant, Injected, Line, Reasoning, ToolCall, ToolResult, User
from lerim.sources.values import shown, string

#: A message, with the time it has when it says none itself.
Timed = tuple[str | None, Record]
#: What a call without an id of its own is named by.
_UNNAMED = "message-"
_QUOTES = dict.fromkeys(map(ord, "\"'\\"))
#: Records of one conversation that are looked at. Whoever has more has a loop.
MAX_STEPS = 20_000


@dataclass(frozen=True)
class Step:
    """One record of an export: a call of a model or a tool, and what was said in it."""

    #: The line or place in the file.
    number: int
    #: What it belongs to: one turn of a conversation, and the conversation.
    trace: str
    talk: str
    messages: tuple[Timed, ...]
    #: When it began, so that steps can be told in their order; then their place in the file counts.
    order: str = ""
    #: What a record says that encloses others: mostly what those say.
    echo: tuple[Timed, ...] = ()


@dataclass(frozen=True)
class Talk:
    """A conversation of an export: its id, what is known of it, and its steps in order."""

    id: str
    facts: Record
    steps: tuple[Step, ...]
    #: What of the file belongs to no conversation, noted with the first one.
    account: Account = field(default_factory=Account)

    @property
    def fingerprint(self) -> str:
        """Changes when the conversation does."""
        digest = blake2b(digest_size=12)
        for step in self.steps:
            digest.update(repr(step.messages + step.echo).encode("utf-8", "replace"))
        return digest.hexdigest()

    def lines(self, account: Account) -> list[Line]:
        """What was said, each thing once, in true order. What cannot be read is noted in the account."""
        merging = _Merging()
        for step in self.steps[:MAX_STEPS]:
            account.records += 1
            found, problem = _read(step)
            if found:
                merging.add(step, found)
            if problem:
                account.trouble(step.number, problem)
            elif found:
                account.used += 1
            else:
                account.skip("empty")
        if skipped := len(self.steps) - MAX_STEPS:
            for _ in range(max(0, skipped)):
                account.records += 1
                account.skip("too many")
        return [*merging.lines, *_only_echoed(self.steps[:MAX_STEPS], merging.lines)]


def _only_echoed(steps: Iterable[Step], lines: Iterable[Line]) -> Iterator[Line]:
    """What enclosing records say and none inside does, as one that is damaged may not: nobody's, and at the end."""
    known = {_plain_words(line.text) for line in lines}
    for step in steps:
        for line in _read(replace(step, messages=step.echo))[0] if step.echo else ():
            if (words := _plain_words(line.text)) and words not in known:
                known.add(words)
                yield Injected(**shown(line.text), src=step.number)


def _read(step: Step) -> tuple[list[Line], str]:
    """The lines of a step, and what is wrong with the first message that cannot be read."""
    reader = ChatReader()
    lines: list[Line] = []
    problem = ""
    for at, message in step.messages:
        try:
            lines += reader.understand(step.number, message, at)
        except TraceError as error:
            problem = problem or error.message
        # Whatever a message does to its reader, it costs only itself.
        except Exception as error:
            problem = problem or f"unexpected shape: {type(error).__name__}: {error}"
    return lines, problem


class _Merging:
    """The lines of a conversation while its steps go by. A step repeats what went before it, in its order."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._begins: dict[str, int] = {}
        #: Calls without a result yet, by what was called how; and those that a tool's own record named otherwise.
        self._open: dict[tuple[str, str], str] = {}
        self._other_names: dict[str, str] = {}

    def add(self, step: Step, found: Sequence[Line]) -> None:
        begin = self._begins.setdefault(step.trace, len(self.lines))
        # A call that tells no history may well say again what was said before: "yes" is no repetition.
        at = 0 if _has_history(found) else begin
        # Only what went before can be repeated: within one call, "yes" twice was said twice.
        before = len(self.lines)
        for line in map(self._named, found):
            places = self._places.setdefault(_key(line), [])
            known = bisect_left(places, 0 if isinstance(line, Injected) else at)
            if known < len(places) and places[known] < before and self._is_same(line, places):
                at = max(at, places[known] + 1)
            else:
                places.append(len(self.lines))
                self.lines.append(line)

    def _is_same(self, line: Line, places: Iterable[int]) -> bool:
        """Whether one by the same key says as much: of two records of one call, one may be damaged."""
        words = _plain_words(line.text)
        told = [_plain_words(self.lines[place].text) for place in places]
        # A tool's own record may have a name around what it was given.
        is_wrapped = isinstance(line, ToolCall) and any(one and words.find(one) > 0 for one in told)
        return is_wrapped or any(words in one for one in told)

    def _named(self, line: Line) -> Line:
        """A call or its result by the name that the model gave the call: the record of a tool may have another."""
        if isinstance(line, ToolResult):
            return replace(line, call=self._other_names.get(line.call, line.call))
        if not isinstance(line, ToolCall) or _key(line) in self._places:
            return line
        known = self._open.setdefault((line.tool, line.text), line.call)
        if known == line.call or ("result", known) in self._places:
            self._open[line.tool, line.text] = line.call
            return line
        self._other_names[line.call] = known
        return replace(line, call=known)


def _has_history(found: Iterable[Line]) -> bool:
    """Whether somebody speaks after an agent did: then what stands before is history."""
    has_answer = False
    for line in found:
        if isinstance(line, Assistant | ToolCall | Reasoning):
            has_answer = True
        elif has_answer and isinstance(line, User | ToolResult):
            return True
    return False


def _key(line: Line) -> tuple[str, ...]:
    """What makes two lines one: the id of a call where it has one, else who says what."""
    if isinstance(line, ToolCall) and not line.call.startswith(_UNNAMED):
        return "call", line.call
    if isinstance(line, ToolResult) and not line.call.startswith(_UNNAMED):
        return "result", line.call
    return line.type, line.tool if isinstance(line, ToolCall) else "", line.text


def _plain_words(text: str) -> str:
    """A text without its blanks and quotes: values are written in many ways."""
    return "".join(text.translate(_QUOTES).split())


# --- values of exports ---------------------------------------------------------------------------------------------


def grouped(steps: Iterable[Step], facts: dict[str, Record]) -> list[Talk]:
    """The steps as conversations, each in its order; conversations by when they began."""
    by_talk: dict[str, list[Step]] = {}
    for step in steps:
        by_talk.setdefault(step.talk, []).append(step)
    talks = [
        Talk(name, facts.get(name, {}), tuple(sorted(of, key=lambda step: (step.order, step.number))))
        for name, of in by_talk.items()
    ]
    return sorted(talks, key=lambda talk: (talk.steps[0].order, talk.steps[0].number))


def first_text(record: Record, *names: str) -> str:
    """The first of the values named that is a text with something in it."""
    return next((value for name in names if (value := string(record.get(name)).strip())), "")


def first_value(record: Record, *names: str) -> Any:
    """The first of the values named that is there."""
    return next((record[name] for name in names if record.get(name) is not None), None)
