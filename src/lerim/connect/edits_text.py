"""Entries in plain files: a block between two marks in an instruction file, and a file that is ours as a whole."""

from __future__ import annotations

import re

from lerim.connect.edits import Unfit, newline_of, settled
from lerim.dataclass import dataclass

#: What every file of ours says somewhere: who put it there.
MARK = "lerim connect"
_START = "<!-- lerim: written by lerim connect; lerim disconnect takes it out -->"
_END = "<!-- lerim: end -->"
_BLOCK = re.compile(rf"{re.escape(_START)}.*?{re.escape(_END)}", re.DOTALL)


@dataclass(frozen=True)
class InstructionBlock:
    body: str
    label: str = "instructions"

    def put(self, text: str | None) -> str:
        text = text or ""
        newline = newline_of(text)
        block = newline.join([_START, *self.body.strip().split("\n"), _END])
        found = _BLOCK.search(text)
        if found:
            return text[: found.start()] + block + text[found.end() :]
        if _START in text:
            raise Unfit(f"a block of Lerim's begins in it and does not end; put '{_END}' behind it, or remove it")
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}{block}{newline}"

    def take(self, text: str, like: str | None) -> str | None:
        found = _BLOCK.search(text)
        if not found:
            return text
        newline = newline_of(text)
        head, tail = text[: found.start()], text[found.end() :].removeprefix(newline)
        left = settled(head.removesuffix(newline) + tail, text, like)
        return left if left.strip() or like is not None else None

    def finds(self, text: str) -> bool:
        return _BLOCK.search(text) is not None


@dataclass(frozen=True)
class OwnFile:
    """A file that is ours as a whole. One of the same name that is somebody else's is left alone."""

    content: str
    label: str

    def put(self, text: str | None) -> str:
        if text is not None and text.strip() and MARK not in text:
            raise Unfit("it is somebody else's file, and stays")
        return self.content

    def take(self, text: str, like: str | None) -> str | None:
        return like if MARK in text else text

    def finds(self, text: str) -> bool:
        return MARK in text
