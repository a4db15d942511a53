"""An entry in a YAML file: the first of its block, right below its name, where no comment of another belongs to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lerim.connect.edits import Unfit, newline_of, settled
from lerim.dataclass import dataclass

_NOTHING: Any = object()
_ODD = "it is written in a way that cannot be changed line by line"


@dataclass(frozen=True)
class YamlMember:
    """A mapping below a name at the top of the file."""

    path: tuple[str, str]
    value: Mapping[str, Any]
    essential: tuple[str, ...]
    label: str = "mcp"

    def put(self, text: str | None) -> str:
        text = text or ""
        document, (outer, name) = _loaded(text), self.path
        others = self._entries(document)
        found = others.get(name)
        if isinstance(found, dict) and all(found.get(key) == self.value[key] for key in self.essential):
            return text
        if found is not None:
            text = self._without(text, outer_stays=True)
        return self._proved(self._with(text), {**document, outer: {**others, name: dict(self.value)}})

    def take(self, text: str, like: str | None) -> str | None:
        document, (outer, name) = _loaded(text), self.path
        left = self._entries(document)
        if left.pop(name, None) is None:
            return text
        was = _loaded(like).get(outer, _NOTHING) if like is not None else _NOTHING
        after = self._without(text, outer_stays=was is not _NOTHING, braces=was == {})
        after = self._proved(settled(after, text, like), {**document, outer: left})
        return after if after.strip() or like is not None else None

    def finds(self, text: str) -> bool:
        return self.path[1] in self._entries(_loaded(text))

    def value_in(self, text: str) -> dict[str, Any]:
        """The entry as the file has it, for whoever wants to try it."""
        found = self._entries(_loaded(text)).get(self.path[1])
        return found if isinstance(found, dict) else {}

    def _entries(self, document: Mapping[str, Any]) -> dict[str, Any]:
        found = document.get(self.path[0]) or {}
        if not isinstance(found, dict):
            raise Unfit(f"{self.path[0]} is not what it should be")
        return dict(found)

    def _proved(self, text: str, document: Mapping[str, Any]) -> str:
        """The text, if it says what was meant; no entries are as good as an empty list of them."""
        try:
            loaded = _loaded(text)
        except Unfit:
            loaded = {}
        known, wanted = ({**one, self.path[0]: one.get(self.path[0]) or {}} for one in (loaded, document))
        if known != wanted:
            raise Unfit(_ODD)
        return text

    def _with(self, text: str) -> str:
        newline, (outer, name) = newline_of(text), self.path
        found = _children(text, outer)
        if found is None:
            gap = "" if not text or text.endswith("\n") else newline
            return f"{text}{gap}{outer}:{newline}{self._written('  ', newline)}"
        key, value = found
        if value.tag.endswith(":null") or not value.value:
            return self._into_empty(text, key, value, newline)
        if value.flow_style:
            at = value.start_mark.index + 1
            return f"{text[:at]}{json.dumps(name)}: {json.dumps(dict(self.value))}, {text[at:]}"
        at = _line_start(text, key.end_mark.line + 1)
        return text[:at] + self._written(" " * value.value[0][0].start_mark.column, newline) + text[at:]

    def _into_empty(self, text: str, key: Any, value: Any, newline: str) -> str:
        """Below a name that has nothing: what says so goes."""
        if value.start_mark.line != key.end_mark.line and value.end_mark.index > value.start_mark.index:
            raise Unfit(_ODD)
        empty = text[value.start_mark.index : value.end_mark.index]
        head = text[: value.start_mark.index] if empty else text[: key.end_mark.index] + ":"
        rest = text[len(head) + len(empty) :]
        line, _, below = rest.partition("\n")
        own = self._written(" " * (key.start_mark.column + 2), newline)
        return f"{head.rstrip(' ')}{line.rstrip()}{newline}{own}{below}"

    def _written(self, indent: str, newline: str) -> str:
        lines = [f"{self.path[1]}:", *(f"  {key}: {json.dumps(value)}" for key, value in self.value.items())]
        return "".join(f"{indent}{line}{newline}" for line in lines)

    def _without(self, text: str, *, outer_stays: bool, braces: bool = False) -> str:
        """The text without our lines; without the name above them, too, when it has nothing else and does not stay."""
        found = _children(text, self.path[0])
        if found is None:
            return text
        key, value = found
        pairs = value.value
        ours = next(pair for pair in pairs if pair[0].value == self.path[1])
        alone = len(pairs) == 1
        if value.flow_style and (outer_stays or not alone):
            return self._without_in_flow(text, pairs, ours)
        first = key.start_mark.line if alone and not outer_stays else ours[0].start_mark.line
        start, end = _line_start(text, first), _line_start(text, _last_line(ours[1]) + 1)
        head = text[:start]
        if alone and outer_stays and braces:
            colon = head.index(":", key.end_mark.index) + 1
            head = f"{head[:colon]} {{}}{head[colon:]}"
        return head + text[end:]

    def _without_in_flow(self, text: str, pairs: Any, ours: Any) -> str:
        number = pairs.index(ours)
        if number + 1 < len(pairs):
            return text[: ours[0].start_mark.index] + text[pairs[number + 1][0].start_mark.index :]
        start = pairs[number - 1][1].end_mark.index if number else ours[0].start_mark.index
        return text[:start] + text[ours[1].end_mark.index :]


def _children(text: str, name: str) -> tuple[Any, Any] | None:
    """The nodes of a name at the top and of its value."""
    import yaml  # Start-up: few agents keep YAML.

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return next(((key, value) for key, value in pairs if key.value == name), None)


def _last_line(node: Any) -> int:
    """The line that the last plain value of a node ends on: a block itself is said to end where the next begins."""
    if isinstance(node.value, str) or not node.value or node.flow_style:
        end: int = node.end_mark.line - (
            1 if not node.end_mark.column and node.end_mark.line > node.start_mark.line else 0
        )
        return end
    last = node.value[-1]
    return max(_last_line(part) for part in (last if isinstance(last, tuple) else (last,)))


def _line_start(text: str, line: int) -> int:
    lines = text.split("\n")
    if line >= len(lines):
        return len(text)
    return sum(len(each) + 1 for each in lines[:line])


def _loaded(text: str) -> dict[str, Any]:
    import yaml  # As above.

    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1} is" if mark else "it is"
        raise Unfit(f"{place} not valid YAML ({getattr(error, 'problem', None) or error})") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise Unfit("it holds no YAML mapping")
    return document
