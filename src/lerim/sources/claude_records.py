"""The records of Claude Code, decoded no further than needed: tool results and progress are most of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lerim.sources import jsonl
from lerim.sources.base import Account
from lerim.sources.values import instant

MESSAGES = frozenset({"user", "assistant"})
#: A line has at most 64 MB, so it holds fewer records than this.
_RECORDS_ON_A_LINE = 1 << 26
#: The model of replies that the harness wrote itself.
SYNTHETIC = "<synthetic>"


class Ids(msgspec.Struct, gc=False):
    type: str | None = None
    uuid: str | None = None


class OutlineBlock(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


class OutlineMessage(msgspec.Struct, gc=False):
    model: str | None = None
    content: str | list[OutlineBlock] | None = None


class Outline(msgspec.Struct, gc=False):
    """What the first pass needs of a record."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    sessionId: str | None = None
    forkedFrom: Any = None
    message: OutlineMessage | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    summary: str | None = None
    leafUuid: str | None = None


class ContentBlock(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None
    source: Any = None


class TokenUsage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def read(self) -> int:
        return sum(filter(None, (self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens)))


class ClaudeMessage(msgspec.Struct, gc=False):
    id: str | None = None
    model: str | None = None
    content: str | list[ContentBlock] | None = None
    usage: TokenUsage | None = None


class ClaudeRecord(msgspec.Struct, gc=False):
    """What the second pass needs of a record. `content` is the text of a system record or of a queued prompt."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    requestId: str | None = None
    message: ClaudeMessage | None = None
    toolUseResult: msgspec.Raw = msgspec.Raw()
    toolDenialKind: str | None = None
    sourceToolUseID: str | None = None
    toolUseID: str | None = None
    parentToolUseID: str | None = None
    #: What a record of progress tells.
    data: msgspec.Raw = msgspec.Raw()
    promptSource: str | None = None
    origin: Any = None
    operation: str | None = None
    content: Any = None
    attachment: msgspec.Raw = msgspec.Raw()
    compactMetadata: Any = None
    hookAdditionalContext: Any = None
    error: Any = None


class Decided(msgspec.Struct, gc=False):
    """What Claude Code keeps beside the result of its own tools that ask the user: answers, and an approved plan."""

    answers: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None
    plan: str | None = None
    planWasEdited: bool | None = None
    #: Whether it was an agent that approved it.
    isAgent: bool | None = None


_T = TypeVar("_T", Ids, Outline, ClaudeRecord)
IDS = msgspec.json.Decoder(Ids)
OUTLINE = msgspec.json.Decoder(Outline)
RECORD = msgspec.json.Decoder(ClaudeRecord)


def decoded(path: Path, account: Account, decoder: msgspec.json.Decoder[_T]) -> Iterator[tuple[int, _T]]:
    """Every record with its place: the same in every reading, and another one for each of two on one line."""
    for number, line in jsonl.read_lines(path, account):
        place = number * _RECORDS_ON_A_LINE
        try:
            record = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            for nth, item in enumerate(jsonl.counted(number, line, account)):
                yield place + nth, _fitting(item, decoder)
        else:
            account.records += 1
            yield place, record


def line_of(place: int) -> int:
    """The number of the line that a record stands on."""
    return place // _RECORDS_ON_A_LINE


def _fitting(item: dict[str, Any], decoder: msgspec.json.Decoder[_T]) -> _T:
    """A record without the fields whose type nobody expected, and without such content blocks."""

    def fits(part: dict[str, Any]) -> bool:
        try:
            decoder.decode(json.dumps(part))
        except (msgspec.MsgspecError, RecursionError):
            return False
        return True

    kept = {key: value for key, value in item.items() if fits({key: value})}
    message = item.get("message")
    if "message" not in kept and isinstance(message, dict):
        content = message.get("content")
        if isinstance(content, list):
            message = {**message, "content": [block for block in content if fits({"message": {"content": [block]}})]}
        kept["message"] = {key: value for key, value in message.items() if fits({"message": {key: value}})}
    return decoder.decode(json.dumps(kept, ensure_ascii=False, separators=(",", ":")))


def moment(value: str | float | None) -> str | None:
    """A record's time to the second."""
    # What Claude Code writes; parsing dates would take as long as decoding the records.
    if isinstance(value, str) and len(value) == 24 and value[10] == "T" and value[19] == "." and value[23] == "Z":
        return value[:19] + "Z"
    return instant(value)
