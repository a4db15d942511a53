"""JSON as people keep it, with comments, commas too many and any layout: where each value stands, so that one can be
put in or taken out and every other byte stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from lerim.dataclass import dataclass

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[-+.\w]+")
_DEEPEST = 200
_BOM = "\ufeff"
#: A list of plain values this short stands on one line.
_SHORT = 72

Steps = Sequence[str | int]


class NotJson(Exception):
    """A text is no JSON, even with comments. `line` is where, counted from 1."""

    def __init__(self, problem: str, text: str, at: int) -> None:
        super().__init__(problem)
        self.line = text.count("\n", 0, at) + 1


@dataclass(frozen=True)
class Child:
    """A value in an object or a list, with its key if it has one; `start` is where the key or the value begins."""

    key: str | None
    start: int
    node: Node


@dataclass(frozen=True)
class Node:
    """A value and where it stands. `children` are those of an object or a list, `comma` is one behind the last."""

    value: Any
    start: int
    end: int
    children: tuple[Child, ...] = ()
    comma: int | None = None

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def child(self, step: str | int) -> Child | None:
        """The one of this key, of several the last, as every parser has it; or the one of this number."""
        if isinstance(step, int):
            return self.children[step] if self.is_list and step < len(self.children) else None
        return next((child for child in reversed(self.children) if child.key == step), None)

    def at(self, path: Steps) -> Node | None:
        node: Node | None = self
        for step in path:
            child = node.child(step) if node is not None else None
            node = child.node if child else None
        return node


# --- reading ----------------------------------------------------------------------------------------------------------


def parse(text: str) -> Node:
    """The document. Raises NotJson."""
    reader = _Reader(text)
    try:
        return reader.document()
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error), text, getattr(error, "pos", 0)) from error


def comment_in(text: str) -> int | None:
    """The line of the first comment, or of a comma too many: what strict JSON does not have."""
    reader = _Reader(text)
    reader.document()
    return None if reader.oddity is None else text.count("\n", 0, reader.oddity) + 1


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        #: Where the first thing stands that strict JSON does not have.
        self.oddity: int | None = None

    def document(self) -> Node:
        node, at = self._value(self._skip(1 if self.text.startswith(_BOM) else 0), 0)
        at = self._skip(at)
        if at < len(self.text):
            raise self._error("there is something behind the end", at)
        return node

    def _value(self, at: int, depth: int) -> tuple[Node, int]:
        if depth > _DEEPEST:
            raise self._error("it is nested too deeply", at)
        first = self.text[at : at + 1]
        if first in ("{", "["):
            return self._container(at, depth)
        if first == '"':
            value, end = scanstring(self.text, at + 1, True)
            return Node(value, at, end), end
        word = _WORD.match(self.text, at)
        if word is None:
            raise self._error("a value is missing", at)
        try:
            return Node(json.loads(word[0]), at, word.end()), word.end()
        except ValueError:
            raise self._error(f"'{word[0][:40]}' is no value", at) from None

    def _container(self, start: int, depth: int) -> tuple[Node, int]:
        is_object = self.text[start] == "{"
        close = "}" if is_object else "]"
        children: list[Child] = []
        comma: int | None = None
        at = self._skip(start + 1)
        while self.text[at : at + 1] != close:
            if children and comma is None:
                raise self._error("a comma is missing", at)
            child, at = self._child(at, depth, is_object=is_object)
            children.append(child)
            at, comma = self._skip(at), None
            if self.text[at : at + 1] == ",":
                comma, at = at, self._skip(at + 1)
        if comma is not None:
            self._odd(comma)
        values = {child.key: child.node.value for child in children} if is_object else [c.node.value for c in children]
        return Node(values, start, at + 1, tuple(children), comma), at + 1

    def _child(self, at: int, depth: int, *, is_object: bool) -> tuple[Child, int]:
        if not is_object:
            node, end = self._value(at, depth + 1)
            return Child(None, at, node), end
        if self.text[at : at + 1] != '"':
            raise self._error("a name in quotes is missing", at)
        key, end = scanstring(self.text, at + 1, True)
        colon = self._skip(end)
        if self.text[colon : colon + 1] != ":":
            raise self._error("a colon is missing", colon)
        node, end = self._value(self._skip(colon + 1), depth + 1)
        return Child(key, at, node), end

    def _skip(self, at: int) -> int:
        """Past blanks and comments."""
        at = _BLANK.match(self.text, at).end()  # type: ignore[union-attr]
        while comment := _COMMENT.match(self.text, at):
            self._odd(at)
            at = _BLANK.match(self.text, comment.end()).end()  # type: ignore[union-attr]
        return at

    def _odd(self, at: int) -> None:
        self.oddity = at if self.oddity is None else min(at, self.oddity)

    def _error(self, problem: str, at: int) -> json.JSONDecodeError:
        return json.JSONDecodeError(problem, self.text, min(at, len(self.text)))


# --- putting in -------------------------------------------------------------------------------------------------------


def put_in(text: str, path: Steps, value: Any) -> str:
    """The text with a value at a path: in place of what is there, or new behind all others, with the objects that lead
    to it. A last step of -1 appends to a list. Raises KeyError when something else is in the way."""
    root = parse(text)
    node = root
    for number, step in enumerate(path):
        found = None if step == -1 else node.child(step)
        if found is None:
            if not (node.is_list if isinstance(step, int) else node.is_object):
                raise KeyError(".".join(map(str, path[:number])) or "the document")
            return _inserted(text, root, node, step, _wrapped(path[number + 1 :], value))
        node = found.node
    layout = _Layout.of(text, root)
    return text[: node.start] + layout.written(value, layout.indent_at(node.start)) + text[node.end :]


def _wrapped(path: Steps, value: Any) -> Any:
    for step in reversed(path):
        value = [value] if step == -1 else {step: value}
    return value


@dataclass(frozen=True)
class _Layout:
    """How a file is laid out, so that what is put in looks like the rest."""

    text: str
    newline: str
    unit: str
    #: What stands behind a comma and a colon on one line.
    gap: str

    @classmethod
    def of(cls, text: str, root: Node) -> _Layout:
        newline = "\r\n" if "\r\n" in text else "\n"
        indent = next((i for child in root.children if (i := _indent_before(text, child.start))), "  ")
        return cls(text, newline, indent, " " if '": ' in text or '":' not in text else "")

    def indent_at(self, at: int) -> str:
        """The blanks that the line of a place begins with."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))].lstrip(_BOM)

    def written(self, value: Any, indent: str | None) -> str:
        """A value as text; on one line when `indent` is None."""
        flat = json.dumps(value, ensure_ascii=False, separators=(f",{self.gap}", f":{self.gap}"))
        if indent is None or not value or not isinstance(value, (dict, list)) or _is_short(value, flat):
            return flat
        inner = indent + self.unit
        if isinstance(value, dict):
            parts = [f"{self.name(key)}{self.written(item, inner)}" for key, item in value.items()]
            return self._lines("{", parts, "}", indent)
        return self._lines("[", [self.written(item, inner) for item in value], "]", indent)

    def name(self, key: str) -> str:
        return f"{json.dumps(key, ensure_ascii=False)}:{self.gap}"

    def _lines(self, first: str, parts: Sequence[str], last: str, indent: str) -> str:
        start = f"{self.newline}{indent}{self.unit}"
        return f"{first}{start}{f',{start}'.join(parts)}{self.newline}{indent}{last}"


def _is_short(value: Any, flat: str) -> bool:
    return isinstance(value, list) and len(flat) < _SHORT and not any(isinstance(one, (dict, list)) for one in value)


def _inserted(text: str, root: Node, node: Node, key: str | int, value: Any) -> str:
    layout = _Layout.of(text, root)
    name = layout.name(key) if isinstance(key, str) else ""
    if not node.children:
        return _into_empty(text, layout, node, name, value)
    last = node.children[-1]
    own = _indent_before(text, last.start)
    lines = own is not None
    at = last.node.end if node.comma is None else node.comma + 1
    behind = _same_line_comments(text, at)
    if behind > at and not lines:
        lines, own = True, layout.indent_at(node.start) + layout.unit
    lead = f"{layout.newline}{own}" if lines else layout.gap
    piece = lead + name + layout.written(value, own if lines else None)
    comma, tail = ("", ",") if node.comma is not None else (",", "")
    return f"{text[:at]}{comma}{text[at:behind]}{piece}{tail}{text[behind:]}"


def _into_empty(text: str, layout: _Layout, node: Node, name: str, value: Any) -> str:
    inner = text[node.start + 1 : node.end - 1]
    kept = inner.rstrip(" \t\r\n")
    base = layout.indent_at(node.start)
    if "\n" not in text and not kept and node.start > 1:
        return f"{text[: node.start + 1]}{name}{layout.written(value, None)}{text[node.end - 1 :]}"
    own = base + layout.unit
    piece = f"{layout.newline}{own}{name}{layout.written(value, own)}"
    rest = inner[len(kept) :] if "\n" in inner[len(kept) :] else f"{layout.newline}{base}"
    return f"{text[: node.start + 1]}{kept}{piece}{rest}{text[node.end - 1 :]}"


def _indent_before(text: str, at: int) -> str | None:
    """The blanks before a place when nothing else is before it on its line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line if "\n" in text[:at] and not line.strip(" \t") else None


def _same_line_comments(text: str, at: int) -> int:
    """Where the comments end that follow on the same line: they belong to what stands before them."""
    end = at
    while comment := re.compile(r"[ \t]*(//[^\r\n]*|/\*[^\r\n]*?\*/)").match(text, end):
        end = comment.end()
    return end


# --- taking out -------------------------------------------------------------------------------------------------------


def take_out(text: str, path: Steps, like: str | None = None) -> str:
    """The text without the value at a path. What would be left empty goes with it, unless it was empty `like` the text
    from before. Nothing is done when there is no such value."""
    root = parse(text)
    around = [root]
    for step in path:
        found = around[-1].child(step)
        if found is None:
            return text
        around.append(found.node)
    before = parse(like) if like is not None else None
    depth = len(path) - 1
    while depth > 0 and len(around[depth].children) == 1 and not _was_there(before, path[:depth]):
        depth -= 1
    holder = around[depth]
    number = next(i for i, child in enumerate(holder.children) if child.node is around[depth + 1])
    empty = before.at(path[:depth]) if before is not None else None
    filling = like[empty.start + 1 : empty.end - 1] if like is not None and empty and not empty.children else None
    return _without(text, holder, number, filling)


def _was_there(before: Node | None, path: Steps) -> bool:
    return before is not None and before.at(path) is not None


def _without(text: str, holder: Node, number: int, filling: str | None) -> str:
    child = holder.children[number]
    if len(holder.children) == 1 and filling is not None:
        return text[: holder.start + 1] + filling + text[holder.end - 1 :]
    commas = [at for kind, at in _signs(text, holder) if kind == ","]
    lead = child.start - len(text[: child.start]) + len(text[: child.start].rstrip(" \t\r\n"))
    if number < len(commas):
        end = commas[number] + 1
        cut = text[:lead] + text[end:]
        # A comment that ends with its line must not swallow what comes next.
        return cut if _same(cut, text, holder, number) else text[: child.start] + text[end:].lstrip(" \t")
    if number:
        comma = commas[number - 1]
        return text[:comma] + text[comma + 1 : lead] + text[child.node.end :]
    inner = text[holder.start + 1 : lead] + text[child.node.end : holder.end - 1]
    return text[: holder.start + 1] + ("" if not inner.strip() else inner) + text[holder.end - 1 :]


def _same(cut: str, text: str, holder: Node, number: int) -> bool:
    try:
        left = parse(cut)
    except NotJson:
        return False
    whole = parse(text)
    return _size(left) == _size(whole) - _size(holder.children[number].node)


def _size(node: Node) -> int:
    return 1 + sum(_size(child.node) for child in node.children)


def _signs(text: str, holder: Node) -> Iterator[tuple[str, int]]:
    """The commas between the children of a container, which is all there is between them but blanks and comments."""
    ends = [child.node.end for child in holder.children]
    starts = [child.start for child in holder.children[1:]] + [holder.end - 1]
    for end, start in zip(ends, starts, strict=True):
        at = end
        while at < start:
            comment = _COMMENT.match(text, at)
            if comment:
                at = comment.end()
                continue
            if text[at] == ",":
                yield ",", at
            at += 1
