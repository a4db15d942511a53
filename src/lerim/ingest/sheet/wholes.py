"""What is one thing although it has many lines: a table, some code. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lerim.ingest.signals.replies import is_option
from lerim.ingest.signals.text import TextBlock, blocks
from lerim.text.sentences import TextSpan

#: The kinds of block that are shown whole.
WHOLE = frozenset({"table", "code"})
#: What is longer is cut between its rows or lines: nobody can point at a page.
_LONGEST = 1_200
#: Fewer lines in a row are no program.
_FEWEST_LINES, _MOST_OF_THEM = 3, 0.6
#: A line that is no code by itself may stand between two that are.
_BETWEEN = 90
_CODE_LINE = re.compile(
    r"""\s*(?:
      [^\n]*[{};]\s*$ | [\])}>,;]+\s*$ | [^\n]*=>\s*$                      # how statements end
    | </?[A-Za-z][\w-]*(?:\s[^>]*)?/?>                                    # an element
    | \d+\ ?[|│] | [\w.-]+-\d+\s+\|\s                                      # a numbered line, a container's log
    | [$@]?[\w.\[\]'"]+\s*(?:[-+:]?=)\s*\S                                 # an assignment
    | [$\w.]+\([^)\n]*\)\s*;?\s*$                                          # a call
    | (?:def|class|function|func|fn|param|interface|struct|enum)\b[^\n]*[:({]
    | (?:if|for|while|elif|switch|foreach|catch)\s?\([^\n]*\)\s*[{:]?\s*$
    | (?://|/\*|\*/|@\w+|\#!)
    )""",
    re.VERBOSE,
)


def with_wholes(text: str) -> list[TextBlock]:
    """A text's blocks, each table and each run of code as one."""
    return list(_joined(text, _marked_code(text, list(blocks(text)))))


def tables(text: str) -> list[TextSpan]:
    """Where the tables of a text stand. One whose rows are options is none: a reply names one of them."""
    rows = [block for block in blocks(text) if block.kind == "table"] if "|" in text else []
    return [
        whole.span
        for whole in _joined(text, rows)
        if sum(is_option(text, row) for row in rows if _is_within(row.span, whole.span)) < 2
    ]


def _is_within(one: TextSpan, other: TextSpan) -> bool:
    return other.start <= one.start and one.end <= other.end


def _joined(text: str, found: Sequence[TextBlock]) -> Iterator[TextBlock]:
    last: TextBlock | None = None
    for block in found:
        if last is not None and _goes_on(text, last, block):
            last = replace(last, span=TextSpan(last.span.start, block.span.end))
            continue
        if last is not None:
            yield last
        last = block
    if last is not None:
        yield last


def _goes_on(text: str, last: TextBlock, block: TextBlock) -> bool:
    if last.kind != block.kind or block.kind not in WHOLE or block.span.end - last.span.start > _LONGEST:
        return False
    between = text[last.span.end : block.span.start]
    return "```" not in between and (block.kind == "code" or "\n\n" not in between)


def _marked_code(text: str, found: list[TextBlock]) -> list[TextBlock]:
    """The blocks with runs of them that are code, although nobody fenced it, marked as such."""
    looks = [block.kind != "table" and _looks_like_code(block.span.of(text)) for block in found]
    for at in range(1, len(found) - 1):
        is_short = len(found[at].span.of(text)) <= _BETWEEN and found[at].kind != "table"
        looks[at] = looks[at] or (is_short and looks[at - 1] and looks[at + 1])
    marked = list(found)
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and looks[end]:
            end += 1
        if sum(block.span.of(text).count("\n") + 1 for block in found[at:end]) >= _FEWEST_LINES:
            marked[at:end] = [replace(block, kind="code", mark="") for block in found[at:end]]
        at = max(end, at + 1)
    return marked


def _looks_like_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(_CODE_LINE.match(line) is not None for line in lines) >= _MOST_OF_THEM * max(1, len(lines))
