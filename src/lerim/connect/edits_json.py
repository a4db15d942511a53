"""Entries in JSON files: a member of an object, as servers are registered, and a handler in a list, as hooks are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from lerim.connect.edits import Unfit
from lerim.connect.jsonc import NotJson, Steps, comment_in, parse, put_in, take_out
from lerim.dataclass import dataclass

_EMPTY = "{}\n"


@dataclass(frozen=True)
class JsonMember:
    """A named entry. It is ours by its name; `essential` are the keys that must be as they should."""

    path: tuple[str, ...]
    value: Mapping[str, Any]
    essential: tuple[str, ...] = ("command", "args")
    #: Whether the agent gives up a file with comments.
    strict: bool = True
    label: str = "mcp"

    def put(self, text: str | None) -> str:
        text = _checked(text, strict=self.strict)
        found = _value_at(text, self.path)
        if not isinstance(found, dict):
            return _with(text, self.path, self.value)
        for key in self.essential:
            if found.get(key) != self.value[key]:
                text = _with(text, (*self.path, key), self.value[key])
        return text

    def take(self, text: str, like: str | None) -> str | None:
        _checked(text, strict=False)
        model = _model(like)
        was = _value_at(model, self.path) if model is not None else None
        # Somebody's own entry of this name comes back.
        text = take_out(text, self.path, model) if was is None else put_in(text, self.path, was)
        return _left(text, like)

    def finds(self, text: str) -> bool:
        return _value_at(_checked(text, strict=False), self.path) is not None

    def value_in(self, text: str) -> dict[str, Any]:
        """The entry as the file has it, for whoever wants to try it."""
        found = _value_at(text, self.path)
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class JsonHook:
    """A handler in the list of an event, alone in a group of its own where the agent has groups. It is ours by the
    `mark` in its command; what people change of it, as how long it may take, is theirs."""

    path: tuple[str, ...]
    handler: Mapping[str, Any]
    mark: str
    #: What the group says besides its handlers; None when handlers stand in the list themselves.
    group: Mapping[str, Any] | None = None
    #: Where in the handler the command is, with dots between the steps.
    essential: str = "command"
    strict: bool = True
    #: What a file must say besides, when it is new.
    frame: Mapping[str, Any] | None = None
    #: The event, where the list is not called by it.
    event: str = ""

    @property
    def label(self) -> str:
        return f"hook {self.event or self.path[-1]}"

    def put(self, text: str | None) -> str:
        text = _checked(text, strict=self.strict, new=self._new())
        found = [*self._found(text)]
        if not found:
            return _with(text, (*self.path, -1), self._item())
        for extra in reversed(found[1:]):
            text = self._without(text, extra, None)
        path = (*found[0], *self._steps)
        if _value_at(text, path) != self._command:
            text = _with(text, path, self._command)
        return text

    def take(self, text: str, like: str | None) -> str | None:
        _checked(text, strict=False)
        for path in reversed([*self._found(text)]):
            text = self._without(text, path, _model(like))
        return _left(text, like, self._new())

    def finds(self, text: str) -> bool:
        return any(True for _ in self._found(_checked(text, strict=False)))

    def command_in(self, text: str) -> str | None:
        """The command as the file has it, for whoever wants to try it."""
        path = next(self._found(text), None)
        return None if path is None else str(_value_at(text, (*path, *self._steps)))

    @property
    def _steps(self) -> tuple[str, ...]:
        return tuple(self.essential.split("."))

    @property
    def _command(self) -> Any:
        found: Any = self.handler
        for step in self._steps:
            found = found[step]
        return found

    def _item(self) -> dict[str, Any]:
        return dict(self.handler) if self.group is None else {**self.group, "hooks": [dict(self.handler)]}

    def _new(self) -> str:
        return f"{json.dumps(dict(self.frame), indent=2)}\n" if self.frame else _EMPTY

    def _found(self, text: str) -> Iterator[tuple[str | int, ...]]:
        """Where our handlers are, wherever an agent put them when it wrote its file anew."""
        items = _value_at(text, self.path)
        for number, item in enumerate(items if isinstance(items, list) else []):
            if not isinstance(item, dict):
                continue
            if self._is_ours(item):
                yield (*self.path, number)
            inner = item.get("hooks")
            for place, handler in enumerate(inner if isinstance(inner, list) else []):
                if self._is_ours(handler):
                    yield (*self.path, number, "hooks", place)

    def _is_ours(self, handler: Any) -> bool:
        # What is said in a group is said by its handlers.
        rest = {k: v for k, v in handler.items() if k != "hooks"} if isinstance(handler, dict) else {}
        return self.mark in json.dumps(rest, ensure_ascii=False)

    def _without(self, text: str, path: Steps, like: str | None) -> str:
        in_group = len(path) > len(self.path) + 1
        if in_group and len(_value_at(text, path[:-1])) == 1:
            path = path[:-2]
        # Of what was there before, nothing has our command: its place in the list is somebody else's.
        return take_out(text, path, like)


def _checked(text: str | None, *, strict: bool, new: str = _EMPTY) -> str:
    """The text if it parses; that of a new file when there is none."""
    if text is None or not text.strip("\ufeff \t\r\n"):
        return (text or "") + new
    try:
        node = parse(text)
    except NotJson as error:
        raise Unfit(f"line {error.line} is not valid JSON ({str(error).partition(': line')[0]})") from error
    if not node.is_object:
        raise Unfit("it holds no JSON object")
    odd = comment_in(text) if strict else None
    if odd is not None:
        raise Unfit(f"line {odd} has a comment or a comma too many, and the agent ignores the whole file because of it")
    return text


def _with(text: str, path: Steps, value: Any) -> str:
    """The text with a value at a path, looked at once more before anybody gets it."""
    wanted = parse(text).value
    try:
        after = put_in(text, path, value)
        _set(wanted, path, value)
        is_right = parse(after).value == wanted
    except (KeyError, TypeError) as error:
        place = error.args[0] if isinstance(error, KeyError) else ".".join(map(str, path[:-1]))
        raise Unfit(f"{place} is not what it should be") from error
    except NotJson:
        is_right = False
    if not is_right:
        raise Unfit("it is laid out in a way that cannot be changed safely")
    return after


def _set(document: Any, path: Steps, value: Any) -> None:
    for step, below in pairwise(path):
        document = document.setdefault(step, [] if below == -1 else {}) if isinstance(step, str) else document[step]
    if path[-1] == -1:
        document.append(value)
    else:
        document[path[-1]] = value


def _value_at(text: str, path: Steps) -> Any:
    node = parse(text).at(path)
    return None if node is None else node.value


def _left(text: str, like: str | None, new: str = _EMPTY) -> str | None:
    """The text, unless it is a document of our own making with nothing left in it."""
    if _model(like) is not None:
        return text
    value = parse(text).value
    return like if not value or value == json.loads(new) or value == {**json.loads(new), "hooks": {}} else text


def _model(like: str | None) -> str | None:
    """A text from before, if it was a document: an empty file is none."""
    return like if like is not None and like.strip("\ufeff \t\r\n") else None
