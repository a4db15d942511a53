"""What a reader answers: memories by the numbers of units, and a summary. Read as generously as it can be meant.

Loads pydantic: only who reads with a model imports this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from lerim.context.records import Kind, Primitive

_UNIT = re.compile(r"[UAK]\d{1,5}")
_NUMBER = re.compile(r"\d{1,5}")
_TRAILING = re.compile(r",(?=\s*[\]}])")
#: Characters of an answer that are looked at.
_MOST = 400_000


class MemoryType(StrEnum):
    """What a memory is: a decision, or a learning of some kind."""

    DECISION = Primitive.DECISION.value
    PREFERENCE = Kind.PREFERENCE.value
    PROCEDURE = Kind.PROCEDURE.value
    PITFALL = Kind.PITFALL.value
    INSIGHT = Kind.INSIGHT.value
    FRICTION = Kind.FRICTION.value

    @property
    def primitive(self) -> Primitive:
        return Primitive.DECISION if self is MemoryType.DECISION else Primitive.LEARNING

    @property
    def kind(self) -> Kind | None:
        return None if self is MemoryType.DECISION else Kind(self.value)


_ALSO = {"rule": MemoryType.PREFERENCE, "bug": MemoryType.PITFALL, "cause": MemoryType.PITFALL}


class Importance(StrEnum):
    """How much a memory is worth."""

    MUST = "must"
    SHOULD = "should"
    NICE = "nice"


def _units(value: object) -> object:
    """Numbers of units, however they are listed: ["U1"], "U1, A2", ["U1 (main)"]."""
    texts = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(unit for text in texts for unit in _UNIT.findall(str(text).upper())))


def _numbers(value: object) -> object:
    texts = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(int(number) for text in texts for number in _NUMBER.findall(str(text))))


def _word(value: object) -> object:
    return str(value).strip().lower().replace("-", "_") if isinstance(value, str) else value


def _type(value: object) -> object:
    """The type; what is called by another name, or is no type at all, is an insight."""
    word = _word(value)
    word = _ALSO.get(word, word) if isinstance(word, str) else word
    return word if word in set(MemoryType) else MemoryType.INSIGHT


def _importance(value: object) -> object:
    word = _word(value)
    return word if word in set(Importance) else Importance.SHOULD


def _text(value: object) -> object:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else value


def _tags(value: object) -> object:
    texts = value if isinstance(value, list) else str(value or "").split(",")
    return [str(text).strip() for text in texts if str(text).strip()][:8]


Text = Annotated[str, BeforeValidator(_text)]


class MemoryAnswer(BaseModel):
    """One memory: the units that say it, what it is, and how it is said."""

    units: Annotated[list[str], BeforeValidator(_units)] = Field(default_factory=list, max_length=40)
    main: Text = ""
    type: Annotated[MemoryType, BeforeValidator(_type)] = MemoryType.INSIGHT
    importance: Annotated[Importance, BeforeValidator(_importance)] = Importance.SHOULD
    title: Text = Field(max_length=400)
    body: Text = Field(default="", max_length=4_000)
    known: Text = Field(default="", max_length=100)


class StoryAnswer(BaseModel):
    """What happened in the session."""

    title: Text = Field(default="", max_length=400)
    description: Text = Field(default="", max_length=2_000)
    body: Text = Field(default="", max_length=20_000)
    tags: Annotated[list[str], BeforeValidator(_tags)] = Field(default_factory=list)


class SheetAnswer(BaseModel):
    """What a sheet gives. No memories when it holds nothing that lasts."""

    memories: list[MemoryAnswer] = Field(default_factory=list, max_length=60)
    summary: StoryAnswer = Field(default_factory=StoryAnswer)


class MergedMemory(BaseModel):
    """One memory of several that parts of a session gave."""

    sources: Annotated[list[int], BeforeValidator(_numbers)] = Field(alias="from", default_factory=list, max_length=40)
    type: Annotated[MemoryType, BeforeValidator(_type)] = MemoryType.INSIGHT
    importance: Annotated[Importance, BeforeValidator(_importance)] = Importance.SHOULD
    title: Text = Field(max_length=400)
    body: Text = Field(default="", max_length=4_000)
    known: Text = Field(default="", max_length=100)


class MergeAnswer(BaseModel):
    """The memories of a whole session, and its summary."""

    memories: list[MergedMemory] = Field(default_factory=list, max_length=60)
    summary: StoryAnswer = Field(default_factory=StoryAnswer)


_Answer = TypeVar("_Answer", SheetAnswer, MergeAnswer)


def parsed(text: str, answer: type[_Answer]) -> _Answer:
    """The answer in a text: after thoughts, between fences, with a comma too many. Raises ValueError."""
    problem = "There is no JSON object in it."
    for found in _objects(text[:_MOST]):
        document = {"memories": found} if isinstance(found, list) else found
        if not isinstance(document, dict) or not {"memories", "summary"} & document.keys():
            problem = 'The JSON object has neither "memories" nor "summary".'
            continue
        try:
            return answer.model_validate(document)
        except ValidationError as error:
            first = error.errors()[0]
            problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
    raise ValueError(problem)


def _objects(text: str) -> Iterator[Any]:
    """The JSON values that begin in a text and are not inside of another, the outermost first."""
    decoder = json.JSONDecoder(strict=False)
    at = 0
    while (match := re.compile(r"[{\[]").search(text, at)) is not None:
        at = match.start() + 1
        for candidate in (text[match.start() :], _TRAILING.sub("", text[match.start() :])):
            try:
                value, end = decoder.raw_decode(candidate)
            except (ValueError, RecursionError):
                continue
            yield value
            at = match.start() + end
            break


def json_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The form of an answer as servers constrain it: every field required, none besides."""
    schema = answer.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        if part.get("type") == "object":
            part["required"] = list(part["properties"])
            part["additionalProperties"] = False
    plain: dict[str, Any] = _plain(schema)
    return plain


#: Limits are checked when an answer is read; servers that build grammars know few of them.
_LIMITS = frozenset({"default", "maxLength", "maxItems", "title", "description"})


def _plain(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: {name: _plain(one) for name, one in value.items()} if key in {"properties", "$defs"} else _plain(value)
            for key, value in schema.items()
            if key not in _LIMITS
        }
    return [_plain(one) for one in schema] if isinstance(schema, list) else schema
