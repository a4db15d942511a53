"""Where in a TOML file a key is set: the parser does not tell, and an error without a line is half an error."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

# Each line of a statement is parsed once more than the one before. Past this, the line found so far has to do.
_LONGEST_STATEMENT = 200


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line that sets the key at `path`; else the line of its table; else 1."""
    table: tuple[str, ...] = ()
    depth, line = 0, 1
    for number, header, statement in statements(text):
        if header:
            table = tuple(chain(statement))
            statement = {}
        reached = _reach(statement, table, path)
        if reached > depth:
            depth, line = reached, number
    return line


def statements(text: str) -> Iterator[tuple[int, bool, dict[str, Any]]]:
    """The first line of each statement, whether it is a table header, and what it says by itself.

    The parser tells no lines, but it does tell where a statement ends: at the first line up to which it parses alone.
    That is right for quoted keys, inline tables and multi-line strings without knowing anything about them.
    """
    first, pending = 1, ""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        pending += line + "\n"
        try:
            statement = tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            if number - first > _LONGEST_STATEMENT:
                return
            continue
        yield first, pending.lstrip().startswith("["), statement
        first, pending = number + 1, ""


def chain(value: Any) -> Iterator[str]:
    """The names of a table header: `[roles.lead]` alone parses to {"roles": {"lead": {}}}."""
    while value:
        if isinstance(value, list):
            value = value[0]
        else:
            (name, value), *_ = value.items()
            yield name


def _reach(statement: Mapping[str, Any], table: tuple[str, ...], path: tuple[str, ...]) -> int:
    """How many names of `path` a statement inside `table` leads to."""
    shared = min(len(table), len(path))
    if table[:shared] != path[:shared]:
        return 0
    depth: int = shared
    value: Any = statement
    while depth < len(path) and isinstance(value, dict) and path[depth] in value:
        value, depth = value[path[depth]], depth + 1
    return depth
