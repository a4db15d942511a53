"""JSON as programs leave it: half an emoji, NaN, control characters, numbers without end, nested without end.

Whatever comes out can be walked through, stored and written as JSON again: texts are valid, numbers fit into 64 bits
and are finite, and nothing is nested deeper than Python and every encoder can go.
"""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import Any

from lerim.lazy_regex import compile_later

#: Deeper than any agent nests, and as deep as `orjson` writes. A marker stands where something was nested deeper.
MAX_DEPTH = 250
TOO_DEEP = "[nested too deeply]"
# Looking for what is nested too deeply takes a second for each ten megabytes: a line that long is no record.
_MOST_FLATTENED = 8 * 1024 * 1024
#: What is nested too deeply counts as so many characters that were read.
DEEP = 8_192
_LARGEST = 2**63 - 1
# A number with more digits than any integer of 64 bits. Python refuses to read some thousand of them at all.
_MOST_DIGITS = 19
# A text, openings one right in the other with the keys between them, or closings: what is nested too deeply is mostly
# that, thousands of times.
_TOKEN = compile_later(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?+|(?:[\[{]\s*+(?:"[^"\\\[\]{}]*+"\s*+:\s*+)?)+|[\]}]++', re.DOTALL)
_OPENING = compile_later(r"[\[{]")


def decoded(raw: bytes | str) -> Any:
    """The one JSON value that a text is. Raises ValueError."""
    import orjson  # Start-up: a look at the disk reads nothing.

    try:
        found = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _whole(raw if isinstance(raw, str) else raw.decode("utf-8", "replace"))
    return found if _is_shallow(raw, found) else _whole(raw if isinstance(raw, str) else raw.decode("utf-8"))


def patiently_decoded(text: str, at: int = 0) -> tuple[Any, int]:
    """The JSON value that begins at a place, and where it ends. Raises ValueError."""
    try:
        found, end = _PATIENT.raw_decode(text, at)
        return _writable(found, MAX_DEPTH), end
    except (RecursionError, _NestedTooDeeply):
        shallow, end = _flattened(text, at)
        return _writable(_PATIENT.decode(shallow), MAX_DEPTH), end


def probed(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at a place, or None, and how far it was read to know that."""
    try:
        found, end = _PATIENT.raw_decode(text, at)
        return _writable(found, MAX_DEPTH), end
    except (RecursionError, _NestedTooDeeply):
        return None, at + DEEP
    except json.JSONDecodeError as error:
        return None, max(error.pos, at + 1)


class _NestedTooDeeply(Exception):
    """Found while walking through a value that the decoder was able to read."""


def _whole(text: str) -> Any:
    # NUL bytes are what a crash leaves where a block was never written.
    plain = text.removeprefix("\ufeff").replace("\0", "").strip()
    found, end = patiently_decoded(plain)
    if end != len(plain):
        raise ValueError("more than one value")
    return found


def _is_shallow(raw: bytes | str, found: Any) -> bool:
    """Whether nothing is nested too deeply. Most records have fewer brackets than that; else the encoder is asked."""
    brackets = raw.count("[") + raw.count("{") if isinstance(raw, str) else raw.count(b"[") + raw.count(b"{")
    if brackets <= MAX_DEPTH:
        return True
    import orjson  # As above.

    try:
        orjson.dumps(found)
    except orjson.JSONEncodeError:
        return False
    return True


def _flattened(text: str, at: int) -> tuple[str, int]:
    """The value that begins at a place with a marker for all that is nested too deeply, and where it ends."""
    end = at + _MOST_FLATTENED
    if text.count("]", at, end) + text.count("}", at, end) <= MAX_DEPTH:
        raise ValueError("nested too deeply, and cut")  # It cannot be whole; most that is nested like this is not.
    pieces: list[str] = []
    depth, kept = 0, at
    for token in _TOKEN.finditer(text, at, end):
        first, start = token[0][0], token.start()
        if first in "[{":
            deeper = token[0].count("[") + token[0].count("{")
            if depth <= MAX_DEPTH < depth + deeper:
                pieces += text[kept : _nth_opening(text, start, MAX_DEPTH - depth)], f'"{TOO_DEEP}"'
            depth += deeper
        elif first in "]}":
            closed = len(token[0])
            if depth - closed <= MAX_DEPTH < depth:
                kept = start + depth - MAX_DEPTH
            if depth <= closed:
                return "".join([*pieces, text[kept : start + depth]]), start + depth
            depth -= closed
    raise ValueError("nested too deeply, and cut")


def _nth_opening(text: str, at: int, number: int) -> int:
    """Where the bracket stands that comes after so many others."""
    return next(islice((found.start() for found in _OPENING.finditer(text, at)), number, None))


def _writable(value: Any, depth: int) -> Any:
    # Programs that count UTF-16 units cut emoji in half; what is left is a string no file can hold.
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if not isinstance(value, list | dict):
        return value
    if not depth:
        raise _NestedTooDeeply
    # Loops, not comprehensions: those are one more call for each level.
    if isinstance(value, list):
        for index, item in enumerate(value):
            value[index] = _writable(item, depth - 1)
        return value
    kept = {}
    for key, item in value.items():
        kept[_writable(key, depth)] = _writable(item, depth - 1)
    return kept


def _integer(digits: str) -> int | float:
    if len(digits) > _MOST_DIGITS + 1:
        return _number(digits)
    found = int(digits)
    return found if -_LARGEST <= found <= _LARGEST else float(found)


def _number(digits: str) -> float:
    found = float(digits)
    return found if math.isfinite(found) else 0.0


_PATIENT = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=_number, parse_constant=lambda name: None)
