"""What the options of a question meant: "Hybrid" alone decides nothing, what the agent offered under that name does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lerim.ingest.sheet.page import SheetNote, clip, one_line
from lerim.ingest.sheet.statements import UserStatement
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import ToolCall

#: By question: what each option was offered as.
Offers = Mapping[str, Mapping[str, str]]
_SHOWN = 240
#: "2", "option B", "1 and 3": the reply names no option by its words.
_BY_NUMBER = re.compile(r"\W*(?:(?:options?|number|and|,|&|\d{1,2}|[A-Ha-h])\W*){1,6}", re.IGNORECASE)


def offers_in(transcript: Transcript) -> Offers:
    """The options of every question that the agent asked through a tool, with their descriptions."""
    found: dict[str, dict[str, str]] = {}
    for numbered in transcript.lines:
        line = numbered.line
        if isinstance(line, ToolCall) and '"options"' in line.text:
            for question, options in _questions(line.text):
                found.setdefault(question, {}).update(options)
    return found


def with_offers(said: Iterable[UserStatement | SheetNote], offers: Offers) -> Iterator[UserStatement | SheetNote]:
    """What the user said, each answer followed by what its option was offered as."""
    for one in said:
        yield one
        if isinstance(one, UserStatement) and one.manner == "answer":
            picked = one.unit.text.rpartition("\nA: ")[2]
            yield from _meant(one.unit.number, picked, offers.get(one_line(one.unit.question), {}))


def _meant(line: int, picked: str, options: Mapping[str, str]) -> Iterator[SheetNote]:
    """What the options that were picked were offered as; all of them, counted, when they are picked by a number."""
    if _BY_NUMBER.fullmatch(picked):
        for number, (label, meaning) in enumerate(options.items(), 1):
            yield SheetNote(line, f"option {number}, “{clip(label, 80)}”: {clip(meaning, _SHOWN)}")
        return
    for label, meaning in options.items():
        if label in picked:
            yield SheetNote(line, f"offered as “{clip(label, 80)}”: {clip(meaning, _SHOWN)}")


def _questions(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        asked: Any = json.loads(text)
    except ValueError:
        return
    questions = asked.get("questions", [asked]) if isinstance(asked, dict) else ()
    for one in questions if isinstance(questions, list) else ():
        if isinstance(one, dict) and isinstance(one.get("question"), str) and isinstance(one.get("options"), list):
            yield one_line(one["question"]), dict(_described(one["options"]))


def _described(options: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for option in options:
        if isinstance(option, dict):
            label, meaning = option.get("label"), option.get("description")
            if isinstance(label, str) and label.strip() and isinstance(meaning, str) and meaning.strip():
                yield label.strip(), meaning
