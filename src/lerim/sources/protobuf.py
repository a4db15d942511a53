"""Protocol buffers without a schema: numbered fields, walked as far as the bytes make sense."""

from __future__ import annotations

from collections.abc import Iterator

#: No number in protobuf has more.
_MOST_BITS = 70
#: Messages that nest deeper are damage, or malice.
_DEPTH = 12
_PLAIN = frozenset("\n\r\t")


def fields(node: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The numbers of the fields, with their bytes or their number. Ends quietly where the bytes make no sense."""
    at = 0
    while at < len(node):
        key, at = _varint(node, at)
        match key & 7:
            case 0:
                value, at = _varint(node, at)
                yield key >> 3, value
            case 1:
                at += 8
            case 2:
                length, at = _varint(node, at)
                yield key >> 3, node[at : at + length]
                at += length
            case 5:
                at += 4
            case _:
                return


def inside(node: bytes, *path: int) -> bytes:
    """The bytes at a path of field numbers; empty when there are none."""
    for step in path:
        node = next((value for number, value in fields(node) if number == step and isinstance(value, bytes)), b"")
    return node


def texts(node: bytes, depth: int = _DEPTH) -> list[str]:
    """All texts in a message, in order, each once."""
    found: dict[str, None] = {}
    for _, value in fields(node):
        if isinstance(value, bytes):
            text = text_of(value)
            found.update(dict.fromkeys([text] if text else texts(value, depth - 1) if depth else []))
    return list(found)


def text_of(value: bytes) -> str:
    """A field's bytes as text; empty when they are none, but a message."""
    # A message that holds one text begins with a line feed, as its first field is written, and the text's length.
    if value[:1] == b"\n" and inside(value, 1) and len(inside(value, 1)) + 2 == len(value):
        return ""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return ""
    return text if all(char >= " " or char in _PLAIN or char == "\x1b" for char in text) else ""


def _varint(node: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(node):
        byte = node[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift >= _MOST_BITS:
            break
    # No number: nothing behind it makes sense either.
    return 0, len(node)
