"""A person's notes as blocks: headings, list items with what hangs below them, paragraphs, code, tables, comments.

Only as much Markdown as telling memories apart needs. Every line ends up in one block, or is blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby
from typing import Final


class Shape(Enum):
    BLANK = auto()
    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()
    FENCE = auto()
    TABLE = auto()
    COMMENT = auto()
    IMPORT = auto()
    #: Numbered items, or code, that a how-to heading makes one procedure.
    STEPS = auto()


@dataclass
class Block:
    shape: Shape
    line: int
    lines: list[str]

    @property
    def last_line(self) -> int:
        return self.line + len(self.lines) - 1


ITEM = re.compile(r"(\s*)(?:[-*+]|(\d{1,3})[.)])(?:\s+|$)")
_FENCE = re.compile(r"\s*(?:`{3,}(?!.*`)|~{3,})")
HEADING = re.compile(r" {0,3}(#{1,6})(?!\S)")
NUMBER = re.compile(r"\d[\d.]*(?:[a-z]?[.)])?\s+")  # `2b. Contracts`
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{2,})\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*\|[\s:|-]*$")
# `@docs/style.md` alone on a line: the agent reads that file too.
IMPORT = re.compile(r"\s*@[\w~-]*[./][^\s@]*\s*$")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OPENINGS: Final = (
    (re.compile(r"\s*$"), Shape.BLANK),
    (_RULE, Shape.BLANK),
    (_FENCE, Shape.FENCE),
    (HEADING, Shape.HEADING),
    (ITEM, Shape.ITEM),
    (IMPORT, Shape.IMPORT),
    (re.compile(r"\s*<!--"), Shape.COMMENT),
    (re.compile(r"\s*\|"), Shape.TABLE),
)


def blocks(lines: list[str], first: int) -> Iterator[Block]:
    """The blocks of Markdown lines, the first of which is line `first`. Each line is in one block, or blank."""
    at = 0
    while at < len(lines):
        shape = _shape_at(lines, at)
        end = _end(lines, at, shape)
        if shape is not Shape.BLANK:
            yield Block(shape, first + at, lines[at:end])
        at = end


def paragraphs(lines: list[str], first: int) -> Iterator[Block]:
    """The blocks of plain text: paragraphs between blank lines, and lists where somebody wrote one."""
    for blank, run in groupby(enumerate(lines, first), key=lambda numbered: not numbered[1].strip()):
        numbers, texts = zip(*run, strict=True)
        if not blank and ITEM.match(texts[0]):
            yield from blocks(list(texts), numbers[0])
        elif not blank:
            yield Block(Shape.PARAGRAPH, numbers[0], list(texts))


def shape_of(line: str) -> Shape:
    return next((shape for pattern, shape in _OPENINGS if pattern.match(line)), Shape.PARAGRAPH)


def _shape_at(lines: list[str], at: int) -> Shape:
    shape = shape_of(lines[at])
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if shape is Shape.PARAGRAPH and _UNDERLINE.match(below):
        return Shape.HEADING
    if shape is Shape.PARAGRAPH and "|" in lines[at] and _TABLE_RULE.match(below):
        return Shape.TABLE
    return shape


def _end(lines: list[str], at: int, shape: Shape) -> int:
    match shape:
        case Shape.ITEM:
            return _item_end(lines, at)
        case Shape.FENCE:
            return _fence_end(lines, at)
        case Shape.PARAGRAPH:
            return end_of_run(lines, at + 1, lambda line: shape_of(line) is Shape.PARAGRAPH)
        case Shape.TABLE:
            return end_of_run(lines, at + 1, lambda line: "|" in line)
        case Shape.COMMENT:
            # One that is never closed goes to the end, as a browser reads it.
            return end_of_run(lines, at, lambda line: "-->" not in line) + 1
        case Shape.HEADING if not HEADING.match(lines[at]):
            return at + 2
    return at + 1


def end_of_run(lines: list[str], at: int, going: Callable[[str], bool]) -> int:
    while at < len(lines) and going(lines[at]):
        at += 1
    return at


def _fence_end(lines: list[str], at: int) -> int:
    mark = lines[at].strip()[:1]
    length = len(lines[at].strip()) - len(lines[at].strip().lstrip(mark))
    return end_of_run(lines, at + 1, lambda line: set(line.strip()) != {mark} or len(line.strip()) < length) + 1


def _item_end(lines: list[str], at: int) -> int:
    """Where the item's own lines, its nested items and its code end."""
    base = _indent(lines[at])
    at += 1
    while at < len(lines):
        following = end_of_run(lines, at, lambda line: not line.strip())
        if following == len(lines) or not _continues(lines, following, base, after_blank=following > at):
            return at
        at = _fence_end(lines, following) if _FENCE.match(lines[following]) else following + 1
    return at


def _continues(lines: list[str], at: int, base: int, *, after_blank: bool) -> bool:
    indent = _indent(lines[at])
    if ITEM.match(lines[at]):
        # One space more is a slip of the hand, not a child.
        return indent >= base + 2
    # Markdown lets an item's paragraph go on without any indent.
    return indent > base or (not after_blank and _shape_at(lines, at) is Shape.PARAGRAPH)


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
