"""Secrets in tables: the cells below a telling heading, in Markdown, CSV, what databases print, and INSERT."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lerim.lazy_regex import compile_later
from lerim.sources.secret_names import sort_of
from lerim.sources.secret_values import ASSIGNED, SecretSpan, Suspicion, is_assigned

#: A heading with another one beside it, or the last one of its line. Counted repeats would make the search slow.
HEADING = (
    r"(?:password|passwd|secret|token|api[_ ]?key|pwd|(?:access|secret|private|signing|master) key|_pass|_key)"
    r"[\"'`* ]*(?:[|,;\t)│]|\r?\n)"
)
_MOST_ROWS, _LONGEST_ROW, _MOST_COLUMNS = 60, 2_000, 40
_LABEL = compile_later(r"[A-Za-z_][\w .\-/]{0,40}")
_HAS_MARK = compile_later(r"[|,;\t│]")
_RULE = compile_later(r"[\s|+:\-=─━│┼├┤╞╪╡═]*")
_INSERT = compile_later(r"\)\s{0,8}values\s{0,8}", re.IGNORECASE)
_QUOTED = compile_later(r"'((?:[^'\\]|''){0,256})'|\"([^\"\\]{0,256})\"|([^,()'\"]{1,256})")


def table_at(text: str, start: int, end: int) -> tuple[list[SecretSpan], int]:
    """The secrets below the heading that stands from `start` to `end`, and where its table ends."""
    line_start = text.rfind("\n", max(0, start - _LONGEST_ROW), start + 1) + 1
    line_end = _line_end(text, max(start, end - 2))
    if line_end - line_start > _LONGEST_ROW or not _HAS_MARK.search(text, line_start, line_end):
        return [], start
    heading = text[line_start:line_end]
    if (insert := _INSERT.search(text, start, min(len(text), end + 200))) and "(" in heading:
        return list(_inserted(text, text.rfind("(", max(0, start - 400), start) + 1, insert)), insert.end()
    mark = next((mark for mark in "│|\t;," if mark in heading), "")
    if not _is_heading(_cells(heading, mark), mark):
        return [], start
    wanted = {column: found for column, cell in enumerate(_cells(heading, mark)) if (found := sort_of(_bare(cell)))}
    return _below(text, line_end, mark, heading.count(mark), wanted) if wanted else ([], start)


def _is_heading(cells: list[str], mark: str) -> bool:
    """Whether a line names columns: plain words, at least two. A line of a program that ends with a comma does not."""
    labels = [_bare(cell) for cell in cells]
    if mark in "│|" and len(labels) > 2:
        labels = labels[1 if not labels[0] else 0 : len(labels) - (not labels[-1])]
    return len(labels) > 1 and all(map(_LABEL.fullmatch, labels))


def _below(
    text: str, at: int, mark: str, marks: int, wanted: Mapping[int, tuple[str, Suspicion]]
) -> tuple[list[SecretSpan], int]:
    found: list[SecretSpan] = []
    for _ in range(_MOST_ROWS):
        begin = at + 1
        at = _line_end(text, begin)
        row = text[begin:at]
        if begin >= len(text) or len(row) > _LONGEST_ROW:
            break
        if row.count(mark) == marks:
            found += _in_row(row, begin, mark, wanted)
        elif not row.strip() or not _RULE.fullmatch(row):
            break
    return found, at


def _in_row(row: str, offset: int, mark: str, wanted: Mapping[int, tuple[str, Suspicion]]) -> Iterator[SecretSpan]:
    for column, cell in enumerate(_cells(row, mark)):
        value = _bare(cell)
        if column in wanted and is_assigned(value, wanted[column][1], bare=True):
            start = offset + cell.index(value)
            yield SecretSpan(start, ASSIGNED, start + len(value), wanted[column][0])
        offset += len(cell) + 1


def _inserted(text: str, begin: int, insert: re.Match[str]) -> Iterator[SecretSpan]:
    """The values of an INSERT whose columns begin at `begin`."""
    names = text[begin : insert.start()].split(",")
    at = insert.end() + 1
    for name in names[:_MOST_COLUMNS]:
        while at < len(text) and text[at] in ", \n":
            at += 1
        value = _QUOTED.match(text, at)
        if value is None:
            return
        at = value.end()
        found, group = sort_of(_bare(name)), value.lastindex or 3
        if found and group < 3 and is_assigned(value[group], found[1], bare=False):
            yield SecretSpan(value.start(group), ASSIGNED, value.end(group), found[0])


def _cells(row: str, mark: str) -> list[str]:
    return row.split(mark) if mark else []


def _bare(cell: str) -> str:
    return cell.strip(" \t\r\"'`*")


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + _LONGEST_ROW + 1)
    return end if end >= 0 else min(len(text), at + _LONGEST_ROW + 1)
