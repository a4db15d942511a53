"""Golden sessions as the records they are made of, to damage some of them and to see what becomes of the others.

**What a lost line is.** A record is a line of a file, an item of a document's list, a file of a folder that has one for
each message, or a row. Its *words* are the texts in it that are told when nothing is damaged: as a line, or in one. A
record that was left alone is lost when one of its words that make a line is told nowhere, or, where they only stand in
longer lines, when all of them are: not as a line of its own, not in one that has more around it, as an answer has its
question, and not as another kind of line, as an answer whose question is gone is plain words. It does not help that
another record is damaged, be that the first of the file, its twin, the one before it that lost its closing bracket or
quote, or the message it is a part of.

The only records that may go with another are those in `ATTACHED`: they say what becomes of another record's words.
And a plain text whose every label is damaged is no talk: of `LABELED` ones, one label stays. Where damage sets a line
of such a text free that begins as a label does, it is told as whose words it says they are.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lerim.sources.base import Source
from lerim.sources.registry import SOURCES
from lerim.sources.trace import Event, Line, Moved

from . import mutations

GOLDEN = Path(__file__).parent.parent / "sources"
EXPECTED = "expected.jsonl"
#: Shorter ones are in every session by chance: they are asked for when they are all that a line says.
LEAST_WORDS = 8

#: Records that tell nothing by themselves, by what stands in them: they go with the damaged one that they belong to.
ATTACHED = {
    # What waits is told when another record takes it, and not when one gives it back.
    "claude": re.compile(rb'"queue-operation"'),
    # What a command printed while it ran; its call and its output are records of their own.
    "codex": re.compile(rb'"exec_command_end"'),
    # A call that begins; the message before it asked for it, by the same id.
    "copilot": re.compile(rb'"tool\.execution_start"'),
    # A span that repeats the calls of those before it, by the same ids.
    "custom": re.compile(rb'"gen_ai\.prompt\.\d+\.tool_calls'),
    # A change inside a request, named by its place in a list that other changes make.
    "vscode": re.compile(rb'"k":\s*\["requests",\s*\d'),
}
#: What makes a plain text a talk, by its folder: without any of them nobody can tell that it is one. One is left alone.
LABELED = {"custom/transcript": re.compile(rb"(?i)(?:user|assistant|tool|system):")}
_LABEL = re.compile(r"(?i)^(?:user|assistant|tool|system):(?=.{8})")


@dataclass(frozen=True)
class GoldenFile:
    """A file of an agent as its records: lines, the items of a document's list, or the one document it is."""

    name: Path
    before: bytes
    records: tuple[bytes, ...]
    between: bytes
    after: bytes

    def written(self, records: Sequence[bytes]) -> bytes:
        return self.before + self.between.join(records) + self.after

    @property
    def raw(self) -> bytes:
        return self.written(self.records)


#: A file and the number of a record in it, from 1.
Place = tuple[Path, int]
#: What a record says: the texts that are lines of their own, and those that stand in one with more.
Words = dict[Place, tuple[list[str], ...]]
#: Reads a folder with some of its files as given.
Read = Callable[[dict[Path, bytes]], Sequence[Line]]


@dataclass(frozen=True)
class GoldenFolder:
    """All files of a golden case."""

    source: Source
    path: Path
    files: tuple[GoldenFile, ...]

    def __str__(self) -> str:
        return f"{self.source.name}/{self.path.name}"

    @property
    def records(self) -> Iterator[tuple[Place, bytes]]:
        for file in self.files:
            for number, record in enumerate(file.records, 1):
                yield (file.name, number), record

    @cached_property
    def texts(self) -> dict[Place, frozenset[str]]:
        """The texts in each record, without blanks: what is told may be wrapped in another way."""
        return {place: frozenset(filter(None, map(squeezed, texts_in(record)))) for place, record in self.records}

    def words(self, read: Read) -> Words:
        """What each record says: its texts that are told when nothing is damaged, also when no other record has them.

        A title that repeats the first prompt says nothing, nor does history that another session tells.
        """
        told = Told(read({}))
        return {
            place: tuple(
                [text for text in sorted(texts) if is_told(told, text) and self._is_own(place, text, read)]
                for is_told in (Told.as_line, Told.in_line)
            )
            for place, texts in self.texts.items()
            if place not in self.attached
        }

    @cached_property
    def attached(self) -> set[Place]:
        mark = ATTACHED.get(self.source.name)
        return {place for place, record in self.records if mark and mark.search(record)}

    @cached_property
    def labels(self) -> set[Place]:
        mark = LABELED.get(str(self))
        return {place for place, record in self.records if mark and mark.match(record)}

    def _is_own(self, place: Place, text: str, read: Read) -> bool:
        others = self._holders(text) - {place}
        return not others or Told(read(self.emptied(others))).has(text)

    def _holders(self, text: str) -> set[Place]:
        return {place for place, texts in self.texts.items() if any(text in other for other in texts)}

    def emptied(self, places: set[Place]) -> dict[Path, bytes]:
        """The files with some of their records taken out."""
        return {
            file.name: file.written(
                [b"{}" if (file.name, at) in places else record for at, record in enumerate(file.records, 1)]
            )
            for file in self.files
            if any(name == file.name for name, _ in places)
        }

    def damaged(self, dice: random.Random) -> tuple[set[Place], dict[Path, bytes]]:
        """Which records are damaged, at least one, and the files that have any of them."""
        share = dice.choice((0.2, 0.5, 0.9))
        places = [place for place, _ in self.records]
        hit = {place for place in places if dice.random() < share} or {dice.choice(places)}
        if self.labels and self.labels <= hit:
            hit.remove(max(self.labels))
        written = {}
        for file in self.files:
            records = [
                mutations.mutated(record, dice) if (file.name, number) in hit else record
                for number, record in enumerate(file.records, 1)
            ]
            # What ends in nothing is not damaged: it is still being written.
            records[-1] = records[-1] if records[-1].strip() else b"{"
            if records != list(file.records):
                written[file.name] = file.written(records)
        if dice.random() < 0.1:
            written = {name: raw.replace(b"\n", b"\r\n") for name, raw in written.items()}
        return hit, written


class Told:
    """All that a reading says, without blanks."""

    def __init__(self, lines: Iterable[Line]) -> None:
        #: What only happened has no words of its own: it names a tool, or a folder.
        said = [squeezed(line.text) for line in lines if not isinstance(line, Event | Moved)]
        self.lines = frozenset(said)
        self.all = "\n".join(said)

    def as_line(self, text: str) -> bool:
        return text in self.lines

    def in_line(self, text: str) -> bool:
        return text not in self.lines and len(text) >= LEAST_WORDS and text in self.all

    def has(self, text: str) -> bool:
        return self.as_line(text) or self.in_line(text)


def lost(words: Words, hit: set[Place], found: Iterable[Line]) -> Iterator[str]:
    """The words of records that were left alone, and that are told nowhere."""
    told = "\n".join(squeezed(line.text) for line in found)

    def is_told(text: str) -> bool:
        return text in told or _LABEL.sub("", text) in told

    for place, (lines, parts) in words.items():
        if place in hit:
            continue
        gone = [text for text in lines if not is_told(text)]
        gone += parts if not lines and not any(map(is_told, parts)) else ()
        yield from (f"{place[0].name}:{place[1]} {text}" for text in gone)


def golden_folders() -> Iterator[GoldenFolder]:
    for source in SOURCES:
        for folder in sorted(path for path in (GOLDEN / source.name).iterdir() if path.is_dir()):
            paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != EXPECTED]
            files = [_taken_apart(path, path.relative_to(folder)) for path in paths if path.suffix in _SUFFIXES]
            if files:
                yield GoldenFolder(source, folder, tuple(files))


_SUFFIXES = {".json", ".jsonl", ".md", ".txt"}


def _taken_apart(path: Path, name: Path) -> GoldenFile:
    raw = path.read_bytes()
    try:
        document = json.loads(raw)
    except ValueError:
        return GoldenFile(name, b"", tuple(raw.rstrip(b"\n").split(b"\n")), b"\n", b"\n")
    # A tree has a file for each message.
    is_single = not {"storage", "events"}.isdisjoint(name.parts)
    key, listed = ("", None) if is_single else ("", document) if isinstance(document, list) else _listed(document)
    if not listed:
        return GoldenFile(name, b"", (json.dumps(document).encode(),), b"\n", b"\n")
    records = tuple(json.dumps(item).encode() for item in listed)
    if isinstance(document, list):
        return GoldenFile(name, b"[", records, b",\n", b"]")
    facts = json.dumps({name: value for name, value in document.items() if name != key}).encode()
    before = (facts[:-1] + b", " if len(facts) > 2 else b"{") + json.dumps(key).encode() + b": ["
    return GoldenFile(name, before, records, b",\n", b"]}")


def _listed(document: Any) -> tuple[str, list[Any] | None]:
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict):
            return key, value
    return "", None


def texts_in(record: bytes | str) -> Iterator[str]:
    """Every text in a record, those in the JSON of a text too; of a line that is no JSON, the line."""
    try:
        waiting = [json.loads(record)]
    except ValueError:
        yield (record if isinstance(record, str) else record.decode("utf-8", "replace")).lstrip("#> ")
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
            if value[:1] in ("{", "["):
                yield from texts_in(value)
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value


def squeezed(text: str) -> str:
    return "".join(text.split())
