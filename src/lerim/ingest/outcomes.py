"""What became of memories in a session: followed, ignored or contradicted; and what the user had to say again. Pure.

Judged by what the agent did and what was said to each other. Careful: a memory counts as followed only when the agent
did what it says and nothing else in the session told it to; and who is not sure says that it was ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cached_property

from lerim.context.records import Kind, Record, RecordId, is_choice, is_rule
from lerim.context.standing import are_choices, ruled_words, words_of
from lerim.dataclass import dataclass
from lerim.ingest.own_words import own_text
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.units import Unit, UnitRole, user_units
from lerim.ingest.stances import Stance, is_choosable, rivals, stance
from lerim.ingest.transcript import Transcript
from lerim.ingest.words import covered, jaccard, stems
from lerim.sources.given import GIVEN
from lerim.sources.trace import Assistant, Injected, ToolCall, ToolResult, User
from lerim.text.bearing import Judgment
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import words

#: Characters of a memory's body that are looked at: what it says first.
_BODY = 800
#: Characters of one text of the session.
_TEXT = 20_000
_NAME = re.compile(
    r"`([^`\n]{2,60})`|(?<![\w/])((?:[\w.@-]+/)+[\w.@-]+)|\b([\w.-]+\.(?:py|tsx?|jsx?|go|rs|md|json|ya?ml|toml|sh|sql|lock"
    r"|cfg|ini|env))\b|(?<![\w-])(--[a-z][\w-]+)|\b([a-z]+_[a-z_]+|[A-Z]{3,}_[A-Z_]+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b"
)
_FILE_PATH = re.compile(r"[\w.@-]+(?:/[\w.@-]+){2,}|(?:[\w.@-]+/)+[\w.@-]+\.\w{1,5}")
_ARGUMENT = re.compile(r'"\w+"\s*:')
_EDITS = re.compile(r"(?i)edit|write|patch|replace|create|insert")
_STATED = frozenset({UnitRole.WORDS, UnitRole.ANSWER})
_ASKED = re.compile(r"^\s*/|\?\W*$")
#: What a command is made of: its first word, after what only sets it up.
_COMMAND = re.compile(r"(?:^|[;&|(\n])\s*(?:(?:sudo|exec|time|env|nice|command)\s+|\w+=\S*\s+)*([\w@./+-]+)")
#: What turns a name around that follows it closely.
_DENIAL = re.compile(
    r"(?:\b(?:never|not|no|avoid|without|stop|instead of|rather than)|n['’]t)\b(?:\s+[\w'’]+){0,3}\s*[`'\"(]?$"
)
_LOOKS = re.compile(r"\s*(?:rg|grep|egrep|ls|cat|find|test|diff|which|stat|git (?:diff|grep|show))\b")
#: How much of a title must be in a sentence that says the same.
_SAME, _SAID = 0.75, 0.8
_PART = 0.4
_FEW = 2
#: How much a statement must have in common with what it contradicts: else it speaks of something else.
_NEAR = 0.25
#: Words of a command that tell it from others, and of a title that is about a tool.
_COMMAND_WORDS, _SHORT_TITLE = 3, 8
#: Titles that have so many words in common, and so much, say the same in other words.
_MANY, _ALIKE = 4, 0.5


class MemoryOutcome(StrEnum):
    """What a session made of a memory that it was given."""

    FOLLOWED = "followed"
    IGNORED = "ignored"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class JudgedMemory:
    """A memory, what became of it, and the line of the trace that shows it."""

    record: RecordId
    outcome: MemoryOutcome
    line: int | None = None
    #: Whether it was the user who said otherwise: then it may hold no more.
    by_user: bool = False
    why: str = ""


@dataclass(frozen=True)
class RepeatedCorrection:
    """What the user said in a session although it was known already."""

    line: int
    record: RecordId


@dataclass(frozen=True)
class SessionFailure:
    """A call that went wrong: the line of the call, what was called, and what came of it."""

    line: int
    call: str
    outcome: str


class SessionReview:
    """One session, looked at for what became of memories in it."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def judge(self, records: Iterable[Record]) -> list[JudgedMemory]:
        """What became of each memory that was given to the session."""
        return [self._judged(record) for record in records]

    def _judged(self, record: Record) -> JudgedMemory:
        found = self._denied(record) or self._broken(record) or self._kept(record)
        return found or JudgedMemory(record.id, MemoryOutcome.IGNORED)

    # Contradicted

    def _denied(self, record: Record) -> JudgedMemory | None:
        """Whether the user said something that cannot hold together with it."""
        old = _said_by(record)
        for unit in self.user_statements:
            new = stance(unit.text, "")
            is_near = jaccard(new.title, old.title) >= _NEAR
            if is_near and (found := _against(unit.text, record)).replaces:
                return JudgedMemory(record.id, MemoryOutcome.CONTRADICTED, unit.number, True, found.reason)
        return None

    def _broken(self, record: Record) -> JudgedMemory | None:
        """Whether the agent did what it forbids, and not because the user asked for that."""
        if not is_rule(record.primitive, record.kind):
            return None
        for name in forbidden_in(record):
            for number, call in self._calls:
                if _does(call, name) and not self._is_asked(name, number):
                    why = f"the agent used {name}"
                    return JudgedMemory(record.id, MemoryOutcome.CONTRADICTED, number, why=why)
        return None

    # Followed

    def _kept(self, record: Record) -> JudgedMemory | None:
        """Whether the agent did what it says, or said so, and could not have known it from anything else."""
        for number, text in self._acts:
            if record.id.lower() in text:
                return JudgedMemory(record.id, MemoryOutcome.FOLLOWED, number, why=f"the agent cites {record.id}")
        used = self._used(record)
        telling = next((name for name in used if is_telling(name, record)), None)
        if telling is None and len(used) < _FEW:
            return self._spoken(record)
        line = max(used.values()) if telling is None else used[telling]
        why = f"the agent used {telling or ' and '.join(list(used)[:_FEW])}"
        return JudgedMemory(record.id, MemoryOutcome.FOLLOWED, line, why=why)

    def _used(self, record: Record) -> dict[str, int]:
        """The names of a memory that the agent used by itself, and the line of each first use."""
        used: dict[str, int] = {}
        for name in wanted_in(record):
            first = next((n for n, call in self._calls if _uses(call, name) and not self._is_told(name, n)), None)
            if first is not None:
                used[name] = first
        return used

    def _spoken(self, record: Record) -> JudgedMemory | None:
        about = stems(record.title)
        if len(about) <= _FEW:
            return None
        for number, sentence in self._sentences:
            said = stems(sentence)
            is_same = covered(about, said) >= _SAID and jaccard(about, said) >= _ALIKE
            if is_same and not self._is_said(about, number):
                return JudgedMemory(record.id, MemoryOutcome.FOLLOWED, number, why="the agent says it")
        return None

    # Said again

    def repeated(self, near: Callable[[str], Iterable[Record]]) -> list[RepeatedCorrection]:
        """What the user had to say although a memory says it: `near` gives those that may, all older than this."""
        found: dict[RecordId, RepeatedCorrection] = {}
        for unit in self.user_statements:
            for record in near(unit.text):
                if record.primitive.is_lesson and says_the_same(unit.text, record):
                    found.setdefault(record.id, RepeatedCorrection(unit.number, record.id))
                    break
        return list(found.values())

    @cached_property
    def failures(self) -> list[SessionFailure]:
        """Calls that went wrong, each command once. Who looks for something and finds nothing did nothing wrong."""
        calls = {n.line.call: (n.number, n.line.text) for n in self._transcript.lines if isinstance(n.line, ToolCall)}
        found: dict[str, SessionFailure] = {}
        for numbered in self._transcript.lines:
            line = numbered.line
            if isinstance(line, ToolResult) and line.has_failed and line.call in calls:
                number, text = calls[line.call]
                if _LOOKS.match(text):
                    continue
                found.setdefault(text[:_TEXT], SessionFailure(number, text[:_TEXT], line.text[:_TEXT]))
        return list(found.values())

    # What there is to see

    @cached_property
    def user_statements(self) -> list[Unit]:
        """What the user stated in their own words: no questions, no commands, no documents, nothing that was pasted."""
        units = user_units(conversation(self._transcript))
        return [unit for unit in units if unit.sort in _STATED and not _ASKED.search(unit.text) and stems(unit.text)]

    @cached_property
    def _calls(self) -> list[tuple[int, ToolCall]]:
        lines = ((n.number, n.line) for n in self._transcript.lines)
        return [(n, line) for n, line in lines if isinstance(line, ToolCall) and _is_work(line)]

    @cached_property
    def _acts(self) -> list[tuple[int, str]]:
        """All that the agent put in words or into tools, in lower case."""
        kinds = (Assistant, ToolCall)
        lines = ((n.number, n.line) for n in self._transcript.lines if isinstance(n.line, kinds))
        return [(number, line.text[:_TEXT].lower()) for number, line in lines if not line.undone]

    @cached_property
    def _sentences(self) -> list[tuple[int, str]]:
        said = [(n.number, own_text(n.line.text)) for n in self._transcript.messages if isinstance(n.line, Assistant)]
        return [(number, one) for number, text in said for one in sentences(text[:_TEXT])]

    @cached_property
    def _heard(self) -> list[tuple[int, str]]:
        """All that the agent was told: by the user, by tools and by programs, but for the brief."""
        kinds = (User, ToolResult, Injected)
        lines = ((n.number, n.line.text) for n in self._transcript.lines if isinstance(n.line, kinds))
        return [(number, text[:_TEXT].lower()) for number, text in lines if GIVEN not in text]

    def _is_told(self, name: str, before: int) -> bool:
        return any(number < before and _mentions(text, name) for number, text in self._heard)

    def _is_asked(self, name: str, before: int) -> bool:
        lines = ((n.number, n.line) for n in self._transcript.lines if n.number < before)
        return any(isinstance(line, User) and _mentions(line.text[:_TEXT].lower(), name) for _, line in lines)

    def _is_said(self, about: frozenset[str], before: int) -> bool:
        units = (unit for unit in self.user_statements if unit.number < before)
        return any(covered(about, stems(unit.text)) >= _SAID for unit in units)


def says_the_same(text: str, record: Record) -> bool:
    """Whether a statement says what a memory says, and nothing else."""
    new, old = stance(text, ""), _said_by(record)
    if new.names != old.names or new.numbers - _numbers(record) or not new.title:
        return False
    if _against(text, record).bearing.replaces or _turned(new, old):
        return False
    shared = new.title & old.title
    if len(shared) >= _FEW and covered(old.title, new.everything) >= _SAME:
        return True
    if len(new.title) > _FEW and covered(new.title, old.everything) >= _SAID:
        return len(shared) >= _FEW and covered(old.title, new.everything) >= _PART
    alike = jaccard(new.title, old.title)
    return bool(shared) and (alike >= _SAME or (len(shared) >= _MANY and alike >= _ALIKE))


def prevents(record: Record, failure: SessionFailure) -> bool:
    """Whether who knew the memory would not have run into a failure: it forbids the call, or tells of the trap."""
    call = ToolCall(text=failure.call, tool="", call="")
    if any(_does(call, name) for name in forbidden_in(record)):
        return True
    named = [name for name in wanted_in(record) if _mentions(failure.call.lower(), name)]
    told = [name for name in wanted_in(record) if _mentions(failure.outcome.lower(), name)]
    return bool(named) and len({*named, *told}) >= _FEW and is_trap(record)


def is_trap(record: Record) -> bool:
    """Whether it tells how something goes wrong."""
    return record.kind in (Kind.PITFALL, Kind.FRICTION, Kind.PROCEDURE)


def names_in(record: Record) -> list[str]:
    """The names of code, files and tools that a memory speaks of, in lower case."""
    text = f"{record.title}\n{record.body[:_BODY]}"
    found = [next(filter(None, match.groups())) for match in _NAME.finditer(text)]
    found += [word for word in words(record.title) if is_choosable(word)]
    return list(dict.fromkeys(name.strip("`./ ").lower() for name in found if len(name.strip("`./ ")) > 2))


def is_telling(name: str, record: Record) -> bool:
    """Whether one use of a name shows that a memory was followed: a tool that was chosen, a command, a file by its
    path. A symbol or a file's bare name may come up in any work on the same code."""
    if is_choosable(name):
        return is_rule(record.primitive, record.kind) and len(record.title.split()) <= _SHORT_TITLE
    is_special = len(name.split()) >= _COMMAND_WORDS or _FILE_PATH.fullmatch(name) is not None
    return is_special and name in record.title.lower()


def wanted_in(record: Record) -> list[str]:
    """Those of them that it does not reject."""
    return [name for name in names_in(record) if not _is_rejected(name, record)]


def forbidden_in(record: Record) -> list[str]:
    """What it says not to use, and what it was chosen over."""
    said = _said_by(record)
    named = [name for name in names_in(record) if _is_rejected(name, record)]
    named += [word for word in words(record.title) if is_choosable(word) and stem(word) in said.rejects]
    chosen = said.adopts & frozenset(map(stem, filter(is_choosable, words(record.title))))
    if chosen and is_choice(record.primitive, record.kind):
        named += sorted(rivals(chosen) - said.claims)
    return list(dict.fromkeys(named))


def _is_rejected(name: str, record: Record) -> bool:
    title = record.title.lower()
    found = re.search(_alone(name), title)
    is_denied = found is not None and _DENIAL.search(title[: found.start()]) is not None
    return is_denied or bool(_stems_of(name) & _said_by(record).rejects)


def _said_by(record: Record) -> Stance:
    return stance(record.title, record.body)


def _against(text: str, record: Record) -> Judgment:
    """How what somebody says bears on a memory."""
    return ruled_words((text, ""), words_of(record), is_choice=are_choices(record))


def _numbers(record: Record) -> frozenset[str]:
    return frozenset(words(f"{record.title} {record.body}"))


def _turned(new: Stance, old: Stance) -> bool:
    """Whether one claims what the other rejects."""
    return bool(new.rejects & old.claims or old.rejects & new.claims)


def _stems_of(name: str) -> frozenset[str]:
    return frozenset(map(stem, words(name)))


def _is_work(call: ToolCall) -> bool:
    """Whether a call is part of the work; to ask Lerim is none."""
    return not call.undone and "lerim" not in call.tool.lower() and not call.text.lstrip().startswith("lerim ")


def _uses(call: ToolCall, name: str) -> bool:
    """Whether a name stands in what a call is about. How a tool calls its own arguments says nothing."""
    text = call.text[:_TEXT].lower()
    if is_choosable(name):
        return _does(call, name)
    return _mentions(_ARGUMENT.sub(" ", text) if text.lstrip().startswith("{") else text, name)


def _does(call: ToolCall, name: str) -> bool:
    """Whether a call does something with what a name stands for: runs it, or changes that file."""
    text = call.text[:_TEXT].lower()
    if "/" in name or "." in name:
        return bool(_EDITS.search(call.tool)) and _mentions(text, name)
    if call.text.lstrip().startswith("{"):
        return False
    return name in (match.rsplit("/", 1)[-1] for match in _COMMAND.findall(text))


def _mentions(text: str, name: str) -> bool:
    """Whether a name stands there by itself."""
    return name in text and re.search(_alone(name), text) is not None


def _alone(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"
