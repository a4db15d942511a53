"""Damage to a record of a coding agent, by a fixed seed: bytes, fields, types, numbers, texts, nesting."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

HUGE = 30_000
#: How much is damaged in one part of a drill, and its parts: one in `make drill`, all of `make damage`. None takes
#: longer than a test may.
PART = 5_000
PARTS = range(1, max(1, int(os.environ.get("LERIM_DAMAGED_LINES", "0")) // PART) + 1)
JUNK = (
    *(b"\x00", b"\x00" * 512, b"\xff\xfe", b"\xc3", b"\xed\xa0\xbd", b"\xef\xbb\xbf", b"\r", b"\x1b[2J", b'"', b"\\"),
    *(b"}", b"{", b"]", b"[", b",", b":", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\\ud83d", b"\\u0000", b"NaN", b"1e999"),
)
#: Whole lines that are no record.
NO_RECORDS = (b"oops", b"[1, 2]", b'"text"', b"null", b"{" * 3_000, b"[" * 20_000, b"\xff\xff", b"\x00" * 4_096, b"{}")
#: Values as raw JSON: what no well-meant encoder writes.
RAW_VALUES = (
    *('"\\ud83d"', '"\\ude00\\ud83d"', '"\\u0000"', '"\\u202e\\u2066 x"', '"\\ufeff"', '"\\u001b]0;x\\u0007"', "NaN"),
    *("-Infinity", "1e999", "-1e400", "9" * 5_000, "-" + "9" * 25, "18446744073709551616", "9223372036854775808", "-1"),
    *("0", "true", "null", "{}", "[]", "[[]]", '{"type":null}', '{"text":["x",7]}', '[{"type":"text","text":7}]', '""'),
    *('"9999-99-99T99:99:99Z"', '"-1"', '"0000-00-00"', '"2026-01-01T00:00:00+99:99"', "99999999999999999", "1e308"),
    *('"/"', '"../../../etc/passwd"', '"a\\u0000b"', '"user"', '"assistant"', '"tool_result"', '"session"', "[null]"),
)
DEPTHS = (40, 251, 300, 490, 900, 1_030, 6_000)
NAMES = ("type", "role", "text", "content", "message", "payload", "timestamp", "id", "uuid", "parentUuid", "", "\ud83d")

Mutation = Callable[[bytes, random.Random], bytes]


def mutated(record: bytes, dice: random.Random) -> bytes:
    """The record with one to three kinds of damage, and never with a line ending in it."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        record = dice.choice(MUTATIONS)(record, dice)
    return record.replace(b"\n", b" ") or b" "


def flipped(record: bytes, dice: random.Random) -> bytes:
    """A few bits are not what they were."""
    changed = bytearray(record)
    for _ in range(dice.randint(1, 4)):
        if changed:
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def cut(record: bytes, dice: random.Random) -> bytes:
    """A piece is missing, mostly the end."""
    begin, end = sorted((dice.randint(0, len(record)), dice.randint(0, len(record))))
    return record[:begin] if dice.random() < 0.6 else record[:begin] + record[end:]


def stuffed(record: bytes, dice: random.Random) -> bytes:
    """Bytes that do not belong there."""
    at = dice.randint(0, len(record))
    return record[:at] + dice.choice(JUNK) + record[at:]


def repeated(record: bytes, dice: random.Random) -> bytes:
    """A piece stands there twice."""
    begin, end = sorted((dice.randint(0, len(record)), dice.randint(0, len(record))))
    return record[:end] + record[begin:end] + record[end:]


def replaced(record: bytes, dice: random.Random) -> bytes:
    """No record at all."""
    return dice.choice(NO_RECORDS)


def retyped(record: bytes, dice: random.Random) -> bytes:
    """A value is of another type, or one that hardly anybody can read."""
    return _with_value(record, dice, dice.choice(RAW_VALUES))


def nested(record: bytes, dice: random.Random) -> bytes:
    """A value is nested without end, with half an emoji or a word at its ground."""
    depth, ground = dice.choice(DEPTHS), dice.choice(('"\\ud83d"', '"x"', "NaN", ""))
    if dice.random() < 0.5:
        return _with_value(record, dice, "[" * depth + ground + "]" * depth)
    return _with_value(record, dice, '{"a":' * depth + (ground or "1") + "}" * depth)


def swollen(record: bytes, dice: random.Random) -> bytes:
    """A text of a size that nobody expects."""
    text = dice.choice(("x" * HUGE, "a b. " * (HUGE // 5), "\n" * HUGE, "<" * HUGE, "é" * HUGE, "{" * HUGE))
    return _with_value(record, dice, json.dumps(text))


def without_field(record: bytes, dice: random.Random) -> bytes:
    """A field is missing, renamed, or there twice."""
    value = _parsed(record)
    owners = [inside for inside in _inside(value) if isinstance(inside, dict) and inside]
    if not owners:
        return record
    owner = dice.choice(owners)
    key = dice.choice(list(owner))
    if dice.random() < 0.5:
        del owner[key]
    else:
        owner[dice.choice(NAMES)] = owner[key]
    return json.dumps(value).encode()


MUTATIONS: tuple[Mutation, ...] = (
    *(flipped, flipped, cut, stuffed, repeated, replaced),
    *(retyped, retyped, retyped, nested, swollen, without_field, without_field),
)


def _with_value(record: bytes, dice: random.Random, raw: str) -> bytes:
    """The record with one of its values replaced by raw JSON."""
    value = _parsed(record)
    places = [(inside, key) for inside in _inside(value) for key in _keys(inside)]
    if not places:
        return record
    inside, key = dice.choice(places)
    inside[key] = _MARK
    return json.dumps(value).replace(json.dumps(_MARK), raw, 1).encode()


_MARK = "the value to be replaced"


def _parsed(record: bytes) -> Any:
    try:
        return json.loads(record)
    except (ValueError, RecursionError):
        return None


def _inside(value: Any, depth: int = 8) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            if depth:
                yield from _inside(item, depth - 1)


def _keys(inside: Any) -> list[Any]:
    return list(inside) if isinstance(inside, dict) else list(range(len(inside)))
