"""A table in a TOML file: put at its end, where it cannot come in between; or into an inline table, where one is. And a
hook, as tables in a list of tables.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lerim.config.lines import chain, statements
from lerim.connect.edits import Unfit, lines_of, newline_of, settled
from lerim.dataclass import dataclass

Value = str | int | bool | list[str] | Mapping[str, str]
_ODD = "it is written in a way that cannot be changed line by line"


@dataclass(frozen=True)
class TomlTable:
    path: tuple[str, ...]
    values: Mapping[str, Value]
    label: str = "mcp"

    def put(self, text: str | None) -> str:
        text = text or ""
        document = _parsed(text)
        found = _at(document, self.path)
        if isinstance(found, dict) and all(found.get(key) == value for key, value in self.values.items()):
            return text
        after = self._with(text) if found is None else self._mended(text)
        _put(document, self.path, self.values)
        return _proved(after, document)

    def take(self, text: str, like: str | None) -> str | None:
        document = _parsed(text)
        if _at(document, self.path) is None:
            return text
        after = settled(self._without(text), text, like)
        _drop(document, self.path, None if like is None else _parsed(like))
        after = _proved(after, document)
        return after if after.strip() or like is not None else None

    def finds(self, text: str) -> bool:
        return _at(_parsed(text), self.path) is not None

    def value_in(self, text: str) -> dict[str, Any]:
        """The table as the file has it, for whoever wants to try it."""
        found = _at(_parsed(text), self.path)
        return found if isinstance(found, dict) else {}

    def _with(self, text: str) -> str:
        newline = newline_of(text)
        inline = _inline(text, self.path[0])
        if inline is not None:
            return self._into(text, inline)
        lines = [f"[{'.'.join(map(_key, self.path))}]", *(f"{_key(k)} = {_toml(v)}" for k, v in self.values.items())]
        gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}{newline.join(lines)}{newline}"

    def _into(self, text: str, close: int) -> str:
        """The entry as the last one of an inline table, which ends at `close`."""
        entry = ", ".join(f"{_key(key)} = {_toml(value)}" for key, value in self.values.items())
        head = text[:close].rstrip(" \t")
        comma = "" if head.endswith("{") else ","
        return f"{head}{comma} {_key(self.path[-1])} = {{ {entry} }}{text[len(head) : close]}{text[close:]}"

    def _mended(self, text: str) -> str:
        """The text with our values in the table that is there; other keys and comments stay."""
        lines, left = lines_of(text), dict(self.values)
        newline, header = newline_of(text), None
        for start, end, is_header, table, statement in _walk(text):
            if is_header and table == self.path:
                header = start
            key = next(iter(statement), "") if table == self.path and not is_header else ""
            if key in left:
                lines[start:end] = [f"{_key(key)} = {_toml(left.pop(key))}{newline}", *([""] * (end - start - 1))]
        if header is not None:
            added = [f"{_key(key)} = {_toml(value)}{newline}" for key, value in left.items()]
            lines[header] = "".join([lines[header], *added])
        return "".join(lines)

    def _without(self, text: str) -> str:
        """The text without our table and those below it."""
        lines, depth = lines_of(text), len(self.path)
        gone: set[int] = set()
        for start, end, is_header, table, statement in _walk(text):
            if table[:depth] == self.path and (is_header or statement):
                gone |= {*range(start, end)}
                if is_header and table == self.path and start and not lines[start - 1].strip():
                    gone.add(start - 1)
        if gone:
            return "".join(line for number, line in enumerate(lines) if number not in gone)
        # In an inline table, or by dotted keys: as it would be written, it is found.
        name = rf"(?:{re.escape(self.path[-1])}|\"{re.escape(self.path[-1])}\")"
        return re.sub(rf",?\s*{name}\s*=\s*\{{[^{{}}]*\}}", "", text, count=1)


@dataclass(frozen=True)
class TomlHook:
    """A handler in a group of its own, in the list of an event. It is ours by the `mark` in its command."""

    event: str
    group: Mapping[str, Value]
    handler: Mapping[str, Value]
    mark: str

    @property
    def label(self) -> str:
        return f"hook {self.event}"

    @property
    def _path(self) -> tuple[str, str]:
        return "hooks", self.event

    def put(self, text: str | None) -> str:
        text = text or ""
        document, command = _parsed(text), self.command_in(text)
        if command == self.handler["command"]:
            return text
        if command is not None:
            return self._mended(text)
        newline = newline_of(text)
        outer, inner = f"[[hooks.{_key(self.event)}]]", f"[[hooks.{_key(self.event)}.hooks]]"
        settings = [f"{_key(key)} = {_toml(value)}" for key, value in self.group.items()]
        lines = [outer, *settings, inner, *(f"{_key(key)} = {_toml(value)}" for key, value in self.handler.items())]
        gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        after = f"{text}{gap}{newline.join(lines)}{newline}"
        hooks = document.setdefault("hooks", {})
        if not isinstance(hooks, dict) or not isinstance(hooks.setdefault(self.event, []), list):
            raise Unfit(f"hooks.{self.event} is not what it should be")
        hooks[self.event].append({**self.group, "hooks": [dict(self.handler)]})
        return _proved(after, document)

    def take(self, text: str, like: str | None) -> str | None:
        document = _parsed(text)
        if self.command_in(text) is None:
            return text
        lines, gone = lines_of(text), self._ours(text)
        if not gone:
            raise Unfit(_ODD)
        if min(gone) and not lines[min(gone) - 1].strip():
            gone.add(min(gone) - 1)
        after = settled("".join(line for number, line in enumerate(lines) if number not in gone), text, like)
        if _full(self._less(document)) != _full(_parsed(after)):
            raise Unfit(_ODD)
        return after if after.strip() or like is not None else None

    def finds(self, text: str) -> bool:
        return self.command_in(text) is not None

    def command_in(self, text: str) -> str | None:
        """The command as the file has it."""
        handlers = [one for group in self._groups(_parsed(text)) for one in group.get("hooks") or ()]
        return next((str(one["command"]) for one in handlers if self._is_ours(one)), None)

    def _groups(self, document: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = _at(document, self._path)
        return [group for group in found if isinstance(group, dict)] if isinstance(found, list) else []

    def _is_ours(self, handler: Any) -> bool:
        return isinstance(handler, dict) and self.mark in str(handler.get("command", ""))

    def _less(self, document: Mapping[str, Any]) -> dict[str, Any]:
        groups = []
        for group in self._groups(document):
            kept = [one for one in group.get("hooks") or () if not self._is_ours(one)]
            groups += [{**group, "hooks": kept}] if kept or not group.get("hooks") else []
        return {**document, "hooks": {**document["hooks"], self.event: groups}}

    def _ours(self, text: str) -> set[int]:
        """The lines of our handler, and of its group when it is alone in it."""
        groups: list[list[tuple[bool, list[int]]]] = []
        for start, end, is_header, table, statement in _walk(text):
            if is_header and table == self._path:
                groups.append([(False, [*range(start, end)])])
            elif groups and table[:2] == self._path and (is_header or statement):
                if is_header and table == (*self._path, "hooks"):
                    groups[-1].append((False, []))
                ours, numbers = groups[-1][-1]
                groups[-1][-1] = ours or self._is_ours(statement), [*numbers, *range(start, end)]
        gone: set[int] = set()
        for _, *handlers in groups:
            mine = [numbers for ours, numbers in handlers if ours]
            gone |= {number for numbers in mine for number in numbers}
        for head, *handlers in groups:
            if handlers and all(ours for ours, _ in handlers):
                gone |= {*head[1]}
        return gone

    def _mended(self, text: str) -> str:
        """The text with our command where another one of ours stands."""
        lines, newline = lines_of(text), newline_of(text)
        for start, end, _, table, statement in _walk(text):
            if table == (*self._path, "hooks") and self._is_ours(statement):
                lines[start:end] = [f"command = {_toml(self.handler['command'])}{newline}"]
                after = "".join(lines)
                if self.command_in(after) == self.handler["command"]:
                    return after
        raise Unfit(_ODD)


def has_hooks(text: str) -> bool:
    """Whether a file of settings has hooks in it; what it notes about their trust is none."""
    try:
        hooks = _parsed(text).get("hooks")
    except Unfit:
        return False
    return isinstance(hooks, dict) and any(isinstance(value, list) and value for value in hooks.values())


def _full(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without events that have no hook: whether a list is empty or missing makes no difference."""
    hooks = {name: value for name, value in (document.get("hooks") or {}).items() if value != []}
    rest = {name: value for name, value in document.items() if name != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest


def _walk(text: str) -> Iterator[tuple[int, int, bool, tuple[str, ...], dict[str, Any]]]:
    """Each statement: its lines, whether it is a header, the table it stands in, and what it says."""
    table: tuple[str, ...] = ()
    found = [*statements(text.removeprefix("\ufeff"))]
    ends = [first - 1 for first, _, _ in found[1:]] + [len(lines_of(text))]
    for (first, is_header, statement), end in zip(found, ends, strict=True):
        if is_header:
            table = tuple(chain(statement))
        yield first - 1, end, is_header, table, statement


def _inline(text: str, name: str) -> int | None:
    """Where the inline table of a name ends that was set at the top, if there is one."""
    lines = lines_of(text)
    for start, end, is_header, table, statement in _walk(text):
        if not table and not is_header and name in statement and isinstance(statement[name], dict):
            entry = "".join(lines[start:end])
            if re.match(rf"\s*\"?{re.escape(name)}\"?\s*=\s*\{{", entry):
                return len("".join(lines[:start])) + _closing(entry)
    return None


def _closing(statement: str) -> int:
    """The last brace that is needed for the statement to parse: one in a comment behind it is not."""
    places = [at for at, character in enumerate(statement) if character == "}"]
    for at in places:
        try:
            tomllib.loads(statement[: at + 1])
        except tomllib.TOMLDecodeError:
            continue
        return at
    raise Unfit(_ODD)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise Unfit(f"it is not valid TOML: {error}") from error


def _proved(text: str, document: Mapping[str, Any]) -> str:
    try:
        is_right = tomllib.loads(text.removeprefix("\ufeff")) == document
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise Unfit(_ODD)
    return text


def _at(document: Any, path: Sequence[str]) -> Any:
    for step in path:
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _put(document: dict[str, Any], path: Sequence[str], values: Mapping[str, Value]) -> None:
    for step in path:
        document = document.setdefault(step, {})
        if not isinstance(document, dict):
            raise Unfit(f"{step} is no table")
    document.update(values)


def _drop(document: dict[str, Any], path: Sequence[str], before: Mapping[str, Any] | None) -> None:
    """Take out a table; one around it that was there only for it has gone with its header."""
    *outer, last = path
    around = _at(document, outer)
    del around[last]
    if not around and outer and (before is None or _at(before, outer) is None):
        _drop(document, outer, before)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _toml(value: Value) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
