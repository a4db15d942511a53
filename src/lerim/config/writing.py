"""Settings written into a person's own file: only the lines that change, with everything else as it was.

What comes out is parsed and compared with what was meant; a file that cannot be changed line by line is left alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

from lerim.errors import ConfigError
from lerim.openat import read_own
from lerim.private import make_home, put_private

MAX_FILE = 1_000_000
#: The keys of a table and their values; None takes a key away.
TableChange = Mapping[str, str | None]


def changed(text: str, tables: Mapping[str, TableChange]) -> str:
    """The text with other values in some of its tables. Raises ConfigError when that cannot be done line by line."""
    wanted = tomllib.loads(text)
    for table, values in tables.items():
        text = _with_table(text, table, values)
        _apply(wanted, table.split("."), values)
    try:
        is_right = tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        lines = [f"[{table}] {key} = {_toml(v)}" for table, some in tables.items() for key, v in some.items() if v]
        raise ConfigError("the file is written in a way that cannot be changed line by line", hint="; ".join(lines))
    return text


def difference(old: str, new: str, name: str) -> list[str]:
    """The lines that change, as people know them from other programs."""
    return [line.rstrip("\n") for line in unified_diff(old.splitlines(), new.splitlines(), name, name, "", "", 1, "")]


def read_settings(path: Path) -> str:
    """The text of a file of settings; nothing when it is not there."""
    try:
        return read_own(path, MAX_FILE).decode("utf-8")
    except FileNotFoundError:
        return ""


def write_settings(path: Path, text: str) -> None:
    """Put a file of settings in place, whole or not at all. A link to it stays one."""
    target = path.resolve()
    make_home(path.parent)
    put_private(target, text.encode(), durable=True)


def _with_table(text: str, table: str, values: TableChange) -> str:
    lines = text.splitlines()
    header = re.compile(rf"^\s*\[\s*{re.escape(table)}\s*\]\s*(#.*)?$")
    at = next((number for number, line in enumerate(lines) if header.match(line)), None)
    if at is None:
        added = [f"{key} = {_toml(value)}" for key, value in values.items() if value is not None]
        return "\n".join([*lines, *([""] if lines and lines[-1].strip() else []), f"[{table}]", *added]) + "\n"
    end = next((n for n in range(at + 1, len(lines)) if lines[n].lstrip().startswith("[")), len(lines))
    return "\n".join([*lines[: at + 1], *_with_values(lines[at + 1 : end], values), *lines[end:]]) + "\n"


def _with_values(lines: list[str], values: TableChange) -> list[str]:
    left = dict(values)
    kept: list[str] = []
    for line in lines:
        key = line.partition("=")[0].strip().strip('"')
        if "=" not in line or key not in values:
            kept.append(line)
        elif (value := left.pop(key)) is not None:
            kept.append(f"{key} = {_toml(value)}")
    new = [f"{key} = {_toml(value)}" for key, value in left.items() if value is not None]
    return [*new, *kept]


def _apply(document: dict[str, Any], path: list[str], values: TableChange) -> None:
    for name in path:
        document = document.setdefault(name, {})
    for key, value in values.items():
        if value is None:
            document.pop(key, None)
        else:
            document[key] = value


def _toml(value: str | None) -> str:
    text = (value or "").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
