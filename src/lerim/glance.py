r"""Patterns of our own that are seldom there, looked for all at once: RE2 reads a text in one pass, whatever is asked.

Python's `re` tries each alternative of each pattern at each character. A glance rules out nearly all of them, for sure;
what it does not rule out has to be looked for by its own pattern. To RE2 `\w`, `\d`, `\s` and `\b` mean ASCII: a text
with other letters or blanks is not glanced at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Any, cast

_ASCII = re.compile(r"[\x00-\x7f]+")
#: Letters, digits and blanks that RE2 does not take for such.
_STRANGE = re.compile(r"\w|\s")
_MEMORY = 64 << 20
_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
#: Asked less often, a pattern is not worth preparing a glance for.
_WORTH_IT = 50
#: A piece that may be there more than nine times.
_OFTEN = re.compile(r"\{(\d+),(?:\d\d+)?\}")
_LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")


class Glance:
    """Several patterns, and which of them may be found in a text."""

    def __init__(self, *patterns: re.Pattern[str] | str) -> None:
        self._patterns = patterns
        self._all = range(len(patterns))

    def likely(self, text: str) -> Collection[int]:
        """The places of the patterns that may be found; no other is."""
        data = _read_as(text)
        if data is None:
            return self._all
        found: list[int] | None = self._match(data)
        if found is None:
            return ()
        # The last one is for blanks that RE2 knows no better. What is found comes in no order.
        return self._all if len(self._patterns) in found else found

    def misses(self, text: str) -> bool:
        """Whether none of the patterns is in the text."""
        return not self.likely(text)

    @cached_property
    def _match(self) -> Any:
        import re2  # type: ignore[import-untyped]  # Start-up: as in regex.py.

        options = re2.Options()
        options.max_mem = _MEMORY
        options.never_capture = True
        together = re2.Set.SearchSet(options)
        for pattern in self._patterns:
            together.Add(loosened(pattern))
        together.Add(r"[\v\x1c-\x1f]")
        together.Compile()
        return together.Match


#: What was glanced at last, by any pattern, and as what: many look at a text in turn.
_last: tuple[str, bytes | None] = ("", b"")


def _read_as(text: str) -> bytes | None:
    """The text as RE2 reads it; None where it would not see what `re` does."""
    global _last
    last, data = _last
    if last is not text:
        data = _encoded(text)
        _last = text, data
    return data


def _encoded(text: str) -> bytes | None:
    if not text.isascii() and _STRANGE.search(_ASCII.sub("", text)) is not None:
        return None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None  # Halves of characters.


def seldom(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same as `re.compile`, for a pattern that takes long to look for and is rarely there: a glance comes first."""
    return Together().seldom(pattern, flags)


class Together:
    """Patterns that are looked for in the same texts, one after the other: one glance at a text is for all of them."""

    def __init__(self) -> None:
        self._patterns: list[re.Pattern[str]] = []
        self._asked = 0
        #: What was looked at last, and what may be there.
        self._last: tuple[str | None, Collection[int]] = (None, ())

    def seldom(self, pattern: str, flags: int = 0) -> re.Pattern[str]:
        """As the function of this name."""
        return self.also(re.compile(pattern, flags))

    def also(self, pattern: re.Pattern[str]) -> re.Pattern[str]:
        """The same pattern, looked for together with these."""
        self._patterns.append(pattern)
        return cast("re.Pattern[str]", _Seldom(pattern, self, len(self._patterns) - 1))

    def may_have(self, text: str, place: int) -> bool:
        """Whether the pattern at a place may be found in a text."""
        last, likely = self._last
        if last is not text:
            self._asked += 1
            likely = self._glance.likely(text) if self._asked > _WORTH_IT else range(len(self._patterns))
            self._last = text, likely
        return place in likely

    @cached_property
    def _glance(self) -> Glance:
        return Glance(*self._patterns)


class _Seldom:
    """A pattern behind a glance."""

    def __init__(self, pattern: re.Pattern[str], together: Together, place: int) -> None:
        self._pattern = pattern
        self._together = together
        self._place = place

    def search(self, text: str, *bounds: int) -> re.Match[str] | None:
        if not bounds and not self._together.may_have(text, self._place):
            return None
        return self._pattern.search(text, *bounds)

    def fullmatch(self, text: str, *bounds: int) -> re.Match[str] | None:
        if not bounds and not self._together.may_have(text, self._place):
            return None
        return self._pattern.fullmatch(text, *bounds)

    def finditer(self, text: str, *bounds: int) -> Iterator[re.Match[str]]:
        if not bounds and not self._together.may_have(text, self._place):
            return iter(())
        return self._pattern.finditer(text, *bounds)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self._pattern.sub(replacement, text, count) if self._together.may_have(text, self._place) else text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)


def loosened(pattern: re.Pattern[str] | str) -> str:
    """The pattern as RE2 understands it: found wherever the pattern is, and where only what is around it forbids it."""
    if isinstance(pattern, str):
        return "".join(_pieces(pattern))
    flags = "".join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)
    is_verbose = bool(pattern.flags & re.VERBOSE)
    return f"(?{flags or '-s'}:{''.join(_pieces(pattern.pattern, is_verbose=is_verbose, by_line='m' in flags))})"


def _pieces(source: str, *, is_verbose: bool = False, by_line: bool = False) -> Iterator[str]:
    at = 0
    while at < len(source):
        end = _piece_end(source, at)
        piece = source[at:end]
        if is_verbose and piece == "#":
            end = (source.find("\n", at) + 1) or len(source)
        elif piece.startswith(_LOOKS_AROUND):
            end = _group_end(source, at)
        elif piece == "{" and (often := _OFTEN.match(source, at)) is not None:
            # To count so far takes RE2 long, and hardly tells texts apart.
            end = often.end()
            yield "+" if int(often[1]) else "*"
        elif piece == "$" and not by_line:
            yield r"(?:\n?\z)"
        elif piece == r"\Z":
            yield r"\z"
        elif not (is_verbose and piece.isspace()) and not piece.startswith("(?#"):
            yield piece
        at = end


def _piece_end(source: str, at: int) -> int:
    """Where a piece ends that stands for itself: an escape, a class of characters, how a group opens, a character."""
    if source[at] == "\\":
        return at + 2
    if source[at] == "[":
        return _class_end(source, at)
    if source.startswith("(?", at):
        opening = next((sign for sign in _LOOKS_AROUND if source.startswith(sign, at)), "(?")
        return at + len(opening)
    return at + 1


def _class_end(source: str, at: int) -> int:
    at += 2 if source.startswith("[^", at) else 1
    at += source.startswith("]", at)
    while source[at] != "]":
        at += 2 if source[at] == "\\" else 1
    return at + 1


def _group_end(source: str, at: int) -> int:
    depth = 0
    while True:
        end = _piece_end(source, at)
        depth += source[at] == "("
        depth -= source[at] == ")"
        at = end
        if not depth:
            return at
