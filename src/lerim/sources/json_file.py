"""JSON documents with a list in them, as some agents rewrite them after each turn. A bad item costs only itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account
from lerim.sources.loose_json import DEEP, MAX_DEPTH, decoded, patiently_decoded, probed
from lerim.sources.plain_file import read_bytes

Record = dict[str, Any]

# How much is read to find whole items after damaged ones: so often the document, and as many characters.
_MOST_READ_AGAIN, _MOST_READ = 4, 64 * 1024 * 1024
_OBJECT = compile_later(r"\{\s*\"")
_OPENED = compile_later(r"\{\s*\"([^\"\\]{1,60})\"\s*[:}]")
# The end of the list, unless another item follows: a bracket of a damaged one ends nothing.
_END = compile_later(r"\]\s*(?:\}(?!\s*,[\s,]*\{\s*\")|$|,\s*\"|\])")
_OPENINGS = compile_later(r"[^,\]}]++")
_BLANKS = compile_later(r"[\s,]*")
_REST = compile_later(r"\s*\Z")


@dataclass(frozen=True)
class JsonDocument:
    """The items of the list with their index from 1, and what the document says beside them."""

    facts: Record
    items: list[tuple[int, Record]]


def read_document(path: Path, account: Account, key: str, is_item: Callable[[Record], bool]) -> JsonDocument:
    """The list a document is, or has under a key, counted in the account.

    A document that is cut or damaged gives the items that are whole; `is_item` tells them from objects inside a
    damaged one. Raises SourceError when there is no such list.
    """
    raw = read_bytes(path)
    try:
        found = decoded(raw)
    except ValueError:
        return salvaged(path, raw, account, key, is_item)
    listed = found.get(key) if isinstance(found, dict) else found
    if not isinstance(listed, list):
        raise SourceError(f"no session in {path}: no list of {key}")
    facts = {name: value for name, value in found.items() if name != key} if isinstance(found, dict) else {}
    return JsonDocument(facts, _counted(listed, account))


def _counted(listed: list[Any], account: Account) -> list[tuple[int, Record]]:
    items = []
    for number, item in enumerate(listed, 1):
        account.records += 1
        if isinstance(item, dict):
            items.append((number, item))
        else:
            account.trouble(number, f"a {type(item).__name__}, not an object")
    return items


def salvaged(path: Path, raw: bytes, account: Account, key: str, is_item: Callable[[Record], bool]) -> JsonDocument:
    """What is whole of a document out of a file. Raises SourceError when there is no list."""
    # NUL bytes are what a crash leaves where a block was never written.
    text = raw.decode("utf-8", "replace").replace("\0", "")
    opening = re.match(r"\s*\[", text) or re.search(rf"\"{key}\"\s*:\s*\[", text)
    if opening is None:
        raise SourceError(f"cannot read {path}: not JSON, or cut before its list of {key}")
    search = ItemSearch(text, account, is_item)
    search.run(opening.end())
    return JsonDocument({}, search.items)


class ItemSearch:
    """Decodes the items of a list one by one, and after a damaged one looks for the next that is whole."""

    def __init__(self, text: str, account: Account, is_item: Callable[[Record], bool]) -> None:
        self.text = text
        self.account = account
        self.is_item = is_item
        self.items: list[tuple[int, Record]] = []
        self._left = _MOST_READ_AGAIN * len(text) + _MOST_READ
        #: The first key of an item that stands where one is expected: what is found behind damage may be a part of one.
        self._first_key = ""

    def run(self, at: int) -> int:
        """Read the list that begins at a place; where it ends."""
        is_behind_damage = False
        while at < len(self.text):
            at = self._after(_BLANKS, at)
            if at == len(self.text):
                return at
            if _END.match(self.text, at):
                behind = self._next_alike(at)
                if behind == len(self.text):
                    return at
                at, is_behind_damage = behind, True
            self.account.records += 1
            known = self._first_key
            if not is_behind_damage and (opened := _OPENED.match(self.text, at)):
                self._first_key = self._first_key or opened[1]
            try:
                item, end = patiently_decoded(self.text, at)
            except ValueError as error:
                self.account.trouble(self.account.records, f"not JSON: {error}")
                at, is_behind_damage = self._next_whole(at), True
                continue
            inside = self._swallowed(at, end)
            if inside < end:
                self.account.trouble(self.account.records, "not closed before the next item")
                at, is_behind_damage = inside, True
                continue
            self._add(item)
            if not (isinstance(item, dict) and self.is_item(item)):
                # What is left of a damaged one does not tell how the others begin.
                self._first_key = known
            # A text or a list among the items is a damaged one: with its closing gone it reaches into the next.
            is_behind_damage = isinstance(item, str | list)
            at = self._next_whole(at) if is_behind_damage else end
        return at

    def _swallowed(self, at: int, end: int) -> int:
        """Where the next item begins inside one that has no end of its own and took the document's; else its end."""
        return end if _REST.match(self.text, end) is None else min(end, self._next_whole(at))

    def _after(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self.text, at)
        return found.end() if found else at

    def _add(self, item: Any) -> None:
        if isinstance(item, dict):
            self.items.append((self.account.records, item))
        else:
            self.account.trouble(self.account.records, f"a {type(item).__name__}, not an object")

    def _next_alike(self, at: int) -> int:
        """Where a next item begins behind what looks like the end of the list, but may be that of a list in an item
        which lost its head. Only what begins as the items before is one: behind the list anything may stand."""
        if not self._first_key:
            # None is known yet: this was the end of something in the first, damaged one.
            return self._next_whole(at)
        opening = re.compile(rf"(\[|,)\s*(\{{\s*\"{re.escape(self._first_key)}\"\s*:)")
        is_in_damage = False
        while self._left > 0 and (found := opening.search(self.text, at)):
            item, end = probed(self.text, found.start(2))
            self._left -= end - at
            is_item = isinstance(item, dict) and self.is_item(item)
            # One that stands at the beginning of a list belongs to another list; here, or in a damaged item.
            if is_item and found[1] == "[" and not is_in_damage:
                break
            if is_item and found[1] != "[":
                return found.start(2)
            is_in_damage, at = True, found.end()
        return len(self.text)

    def _next_whole(self, at: int) -> int:
        while self._left > 0 and (candidate := _OBJECT.search(self.text, at + 1)):
            at = candidate.start()
            item, end = probed(self.text, at)
            self._left -= end - at
            if isinstance(item, dict) and self.is_item(item):
                return at
            if item is None and end - at >= DEEP and _OPENINGS.fullmatch(self.text, at, at + MAX_DEPTH):
                # Nothing but openings for as many characters: none of them begins an item.
                at += MAX_DEPTH
        return len(self.text)
