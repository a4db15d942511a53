"""The first reading of a Codex file: the facts of the session, and what no record can know by itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.sources.base import Account
from lerim.sources.codex_words import cwd_in, is_misshapen, key, kind_of, parts, spoken_in, typed_text
from lerim.sources.jsonl import records
from lerim.sources.pieces import Record, words
from lerim.sources.values import instant, string

#: Kinds of records beside items, events and settings that may stand anywhere.
_OTHERS = {
    "session_meta",
    "compacted",
    "world_state",
    "ghost_snapshot",
    "security_risk_score",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
}


@dataclass
class CodexFacts:
    """What the whole file says about each of its records. These are numbered, as two may stand on one line."""

    meta: Record = field(default_factory=dict)
    cwd: str | None = None
    model: str | None = None
    title: str | None = None
    began: str | None = None
    #: The first record that is this session's own; before it stands the history of the session it was forked from.
    own_from: int = 0
    #: Its line.
    own_line: int = 0
    #: What the events say was typed. Without any such event, items under the user's role speak for the user.
    typed: set[int] = field(default_factory=set)
    undone: list[range] = field(default_factory=list)
    #: The last record that is an item, or a damaged event: if it is under the user's role, its event may still come.
    last_item: int = 0

    def is_undone(self, number: int) -> bool:
        return any(number in turns for turns in self.undone)


def surveyed(path: Path, most: int | None = None, *, with_history: bool = False) -> CodexFacts:
    """The facts of a file, or of its first `most` records; with the history that a fork begins with, or without.

    Raises SourceError when there is no record in it.
    """
    account = Account()
    survey = _CodexSurvey(account, is_gated=not with_history)
    survey.note_all(islice(records(path, account), most))
    if not account.records or len(account.bad) == account.records:
        raise SourceError(f"no Codex session in {path}")
    if survey.fork and (not survey.fork.is_dated or survey.is_doubtful):
        # An old fork without dated turns does not say where its own part begins, nor does one whose turns may be
        # among what is damaged; telling twice beats losing it.
        return surveyed(path, most, with_history=True)
    return survey.finished()


@dataclass
class _CodexSurvey:
    """Notes who speaks where, in one pass over the file."""

    #: Of the same pass: it knows the damaged lines up to here.
    account: Account
    facts: CodexFacts = field(default_factory=CodexFacts)
    is_gated: bool = True
    fork: _Fork | None = None
    items: dict[int, int] = field(default_factory=dict)
    prompts: list[int] = field(default_factory=list)
    event_prompts: list[int] = field(default_factory=list)
    rollbacks: list[tuple[int, int, int, int]] = field(default_factory=list)
    #: Whether a turn is running, and whether words have begun it; more words in it only steer it.
    is_running: bool = False
    is_begun: bool = False
    #: A prompt that came as an item just now; its event should be next.
    single: _SinglePrompt | None = None
    misshapen: int = 0
    #: The words of all prompts that came as items.
    spoken: set[int] = field(default_factory=set)
    #: An item and the event behind it, when they say something different.
    pairs: list[tuple[int, int]] = field(default_factory=list)

    def note_all(self, found: Iterable[tuple[int, Record]]) -> None:
        for number, (line, record) in enumerate(found, 1):
            # What has an unexpected shape is named when the record is read.
            self.misshapen += is_misshapen(record)
            with contextlib.suppress(Exception):
                self._note_twin(record)
            with contextlib.suppress(Exception):
                self.note(number, record)
            if self.facts.own_from == number:
                self.facts.own_line = line
        if self.single and self._is_after_damage():
            self._believe(self.single)
        # An event right behind an item, in words that no item has: one of the two is damaged in its very words.
        self.facts.typed.update(item for item, event in self.pairs if event not in self.spoken)

    def _note_twin(self, record: Record) -> None:
        """The event of a prompt may be damaged: then its item has to speak for the user."""
        single = self.single
        if single is None:
            return
        if is_misshapen(record) or _repeats_unnamed(record, single.text):
            single.is_before_damage = True
            return
        text = typed_text(record["payload"]) if record.get("type") == "event_msg" else None
        if self._is_after_damage() and not (text and _is_in(text, single.text)):
            # The next prompt's event, or none: its own is what was damaged.
            self._believe(single)
        elif text is not None and not self._is_after_damage() and key(text) != key(single.text):
            self.pairs.append((key(single.text), key(text)))
        self.single = None

    def _is_after_damage(self) -> bool:
        assert self.single is not None
        return self.single.is_before_damage or len(self.account.bad) > self.single.damaged_lines

    def _believe(self, single: _SinglePrompt) -> None:
        self.facts.typed.add(key(single.text))
        self.items.pop(single.item, None)
        self._begin_turn(single.number)

    def _begin_turn(self, number: int) -> None:
        self.event_prompts += [] if self.is_begun else [number]
        self.is_begun = self.is_running

    def note(self, number: int, record: Record) -> None:
        payload = record.get("payload")
        kind, body = (record.get("type"), payload) if isinstance(payload, dict) else ("response_item", record)
        self.facts.began = self.facts.began or instant(record.get("timestamp"))
        if kind == "session_meta" or is_bare_head(record):
            self._note_meta(body)
        if self.fork and not self.facts.own_from:
            if not self.fork.begins_with(record, body):
                return
            self.facts.own_from = number
        note = {"response_item": self._note_item, "event_msg": self._note_event, "turn_context": self._note_settings}
        if isinstance(kind, str) and kind in note:
            note[kind](number, body)
        elif kind not in _OTHERS and isinstance(body.get("message"), str):
            # An event whose kind is damaged: nothing waits for its event behind it.
            self.facts.last_item = number

    @property
    def is_doubtful(self) -> bool:
        return bool(self.account.bad) or self.misshapen > 0

    def finished(self) -> CodexFacts:
        if self.fork and not self.facts.own_from:
            self.facts.own_from = self.facts.own_line = 1 << 62
        self.facts.undone = self._undone()
        return self.facts

    def _note_meta(self, meta: Record) -> None:
        # A fork's head repeats the parent's session_meta, and a resumed session may write its own again.
        if self.facts.meta:
            return
        self.facts.meta = meta
        self.facts.cwd = string(meta.get("cwd")) or None
        inherits = meta.get("forked_from_id") or meta.get("subagent_history_start_ordinal") is not None
        self.fork = _Fork(meta) if inherits and self.is_gated else None

    def _note_settings(self, _: int, settings: Record) -> None:
        self.facts.model = self.facts.model or string(settings.get("model")) or None
        self.facts.cwd = self.facts.cwd or string(settings.get("cwd")) or None

    def _note_item(self, number: int, item: Record) -> None:
        self.facts.model = self.facts.model or string(item.get("model")) or None
        self.facts.last_item = number
        if item.get("role") != "user":
            return
        text = "\n".join(map(words, parts(item)))
        self.facts.cwd = self.facts.cwd or cwd_in(text)
        if any(kind_of(part) is None for part in map(words, parts(item))):
            self.prompts.append(number)
            self.items[key(text)] = number
            self.spoken.add(key(text))
            self.single = _SinglePrompt(number, spoken_in(item), key(text), len(self.account.bad))

    def _note_event(self, number: int, event: Record) -> None:
        match event.get("type"):
            case "user_message" | "item_completed" if (text := typed_text(event)) is not None:
                self.facts.typed.add(key(text))
                self._begin_turn(self.items.pop(key(text), number))
            case "task_started" | "turn_started":
                self.is_running, self.is_begun = True, False
            case "task_complete" | "turn_complete" | "turn_aborted":
                self.is_running, self.is_begun = False, False
            case "thread_rolled_back":
                turns = max(int(event.get("num_turns") or 0), 0)
                self.rollbacks.append((number, turns, len(self.prompts), len(self.event_prompts)))
            case "thread_name_updated":
                self.facts.title = self.facts.title or string(event.get("thread_name")) or None
            case "thread_settings_applied":
                self._note_settings(number, event.get("thread_settings") or {})

    def _undone(self) -> list[range]:
        """Each rollback takes back the last turns that still stand, from the words that began them."""
        prompts = self.event_prompts if self.facts.typed else self.prompts
        standing: list[int] = []
        taken_back: list[range] = []
        seen = 0
        for number, turns, items, events in self.rollbacks:
            until = events if self.facts.typed else items
            standing += prompts[seen:until]
            seen = until
            if turns and standing:
                taken_back.append(range(standing[-turns:][0], number))
                del standing[-turns:]
        return taken_back


@dataclass
class _SinglePrompt:
    """Words under the user's role whose event has not come yet."""

    number: int
    #: What was typed, and all of the item.
    text: str
    item: int
    #: Lines that could not be read, up to here.
    damaged_lines: int
    is_before_damage: bool = False


def _is_in(text: str, other: str) -> bool:
    """Whether these words are among the other ones, however they are broken into parts and lines."""
    return "".join(text.split()) in "".join(other.split())


def _repeats_unnamed(record: Record, text: str) -> bool:
    """Whether an event says the same under a name that Codex does not know: its own name is what is damaged."""
    body, kind = record["payload"], record.get("type")
    is_event = kind == "event_msg" and body.get("type") in {"user_message", "agent_message"}
    if kind == "response_item" or is_event:
        return False
    return any(isinstance(value, str) and key(value) == key(text) for value in body.values())


class _Fork:
    """Where a forked session's own part begins. The copied head gets new times, but its turn ids keep their age."""

    def __init__(self, meta: Record) -> None:
        self.first_ordinal = meta.get("subagent_history_start_ordinal")
        self.since = _born(meta.get("id")) or 0
        self.is_dated = self.first_ordinal is not None

    def begins_with(self, record: Record, body: Record) -> bool:
        if self.first_ordinal is not None:
            return bool(record.get("ordinal", -1) >= self.first_ordinal)
        if record.get("type") != "turn_context" and body.get("type") not in {"task_started", "turn_started"}:
            return False
        born = _born(body.get("turn_id"))
        started = body.get("started_at")
        if born is None and isinstance(started, int):
            born = started * 1000 + 999
        self.is_dated = self.is_dated or born is not None
        return born is not None and born >= self.since


def _born(identifier: object) -> int | None:
    """The milliseconds since 1970 in a UUID of version 7; None for anything else."""
    from uuid import UUID  # Start-up: only who reads a session needs it.

    try:
        found = UUID(str(identifier))
    except ValueError:
        return None
    return found.int >> 80 if found.version == 7 else None


def is_bare_head(record: Record) -> bool:
    """Whether this is how sessions began before records had envelopes."""
    return "type" not in record and {"id", "timestamp", "instructions"} <= record.keys()


def spawned(meta: Record) -> Any:
    """How a subagent came to be: `{"thread_spawn": …}`, `"review"`, …; None for a session a person started."""
    source = meta.get("source")
    return source.get("subagent") if isinstance(source, dict) else None
