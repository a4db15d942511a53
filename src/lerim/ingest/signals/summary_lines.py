"""The lines that an agent's edits put into files and take out of them, and the names in these. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter

from lerim.sources.trace import ToolCall

_TOKEN = re.compile(r"[^\W\d]\w{3,}|\d[\d_,.]*\d")
_MARKS = re.compile(r"[_,]")
#: A shorter number says nothing by itself.
_LEAST_DIGITS = 3


def lines_of(text: str) -> Counter[str]:
    """How often an edit of one file puts in each line, less than none where it takes it out; nothing of what cannot be
    told."""
    found: Counter[str] = Counter()
    if text.startswith("{"):
        for edit in _edits_in(_given(text)):
            found.update(edit["new_string"].split("\n"))
            found.subtract(edit["old_string"].split("\n"))
    else:
        for line in text.split("\n"):
            if line[:1] in {"+", "-"} and not line.startswith(("+++", "---")):
                found[line[1:]] += 1 if line[0] == "+" else -1
    return found


def names_written(call: ToolCall) -> Counter[str]:
    """How often an edit puts in each name and number, less than none where it takes it out. Of a file that is written
    as a whole nobody knows what stood there."""
    found: Counter[str] = Counter()
    for line, times in lines_of(call.text).items():
        for token in tokens_in(line):
            found[token] += times
    if not found and isinstance(content := _given(call.text).get("content"), str):
        found.update(tokens_in(content))
    return found


def tokens_in(text: str) -> list[str]:
    """The words and numbers of a piece of code, numbers without their marks."""
    found = (_as_number(one) if one[0].isdigit() else one for one in _TOKEN.findall(text))
    return [one for one in found if one]


def _as_number(text: str) -> str:
    bare = _MARKS.sub("", text)
    return bare if len(bare) >= _LEAST_DIGITS else ""


def _given(text: str) -> dict[str, object]:
    if not text.startswith("{"):
        return {}
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _edits_in(given: dict[str, object]) -> list[dict[str, str]]:
    """The replacements of a call; none where it writes a whole file, or replaces more than one place."""
    edits = given.get("edits", [given])
    is_plain = isinstance(edits, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("old_string"), str)
        and isinstance(one.get("new_string"), str)
        and not one.get("replace_all")
        for one in edits
    )
    return edits if is_plain and isinstance(edits, list) else []
