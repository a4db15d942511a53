"""What is put into an agent's file and taken out again: an `Edit` knows one entry, and how a text looks with and
without it. Texts in, texts out; nothing here opens a file.
"""

from __future__ import annotations

from typing import Protocol


class Unfit(Exception):
    """A text cannot be changed safely: it does not parse, or something else is where the entry belongs."""


class Edit(Protocol):
    @property
    def label(self) -> str:
        """What it is, for people and in the books: `hook SessionStart`, `mcp`, `skill` …"""

    def put(self, text: str | None) -> str:
        """The text with the entry; the same text when it has it as it should be. Raises Unfit."""

    def take(self, text: str, like: str | None) -> str | None:
        """The text without the entry; None when nothing of it is left. `like` is how it was before. Raises Unfit."""

    def finds(self, text: str) -> bool:
        """Whether the entry is there, as it should be or otherwise."""


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def lines_of(text: str) -> list[str]:
    """The lines with their ends, as every parser counts them."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def settled(text: str, before: str, like: str | None) -> str:
    """A text from which something was taken, with the end that it had: a line may have been ended for what followed,
    and is so no more when that stood at the end of what was there `before`."""
    if like is None:
        return text
    if text.rstrip("\r\n") == like.rstrip("\r\n"):
        return like
    was_ended = like.strip() and not like.endswith("\n") and before.startswith(text)
    return text.removesuffix("\n").removesuffix("\r") if was_ended else text
