"""What reading records has in common: writing lines, text and image parts, and accounting for each record."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass
from lerim.sources.base import Account, Container
from lerim.sources.plain_file import BOM, MAX_DOCUMENT_BYTES, opened_file
from lerim.sources.templates import typed_in
from lerim.sources.thoughts import set_apart
from lerim.sources.trace import (
    Assistant,
    Event,
    Happening,
    Injected,
    Injection,
    Line,
    Moved,
    Reasoning,
    ToolCall,
    ToolResult,
    User,
    Via,
)
from lerim.sources.values import as_object, call_text, payload, shown, spoken, string

Record = dict[str, Any]
#: What became of a record: its lines, or the reason why it gives none.
Outcome = list[Line] | str


@dataclass
class Pen:
    """Writes the lines of one record: where it stands, when it was written, whether it was taken back."""

    src: int = 0
    at: str | None = None
    undone: bool = False
    #: Who speaks, where there are several people or agents.
    speaker: str | None = None

    def user(self, text: str, via: Via = Via.TYPED) -> User:
        return User(**spoken(text), via=via, at=self.at, src=self.src, undone=self.undone, speaker=self.speaker)

    def typed(self, text: str) -> list[Line]:
        """What the user typed; of a command whose template was sent in its place, what they typed behind it."""
        typed = typed_in(text)
        if typed is None:
            return [self.user(text)]
        return [self.injected(text, Injection.TEMPLATE), *([self.user(typed, Via.COMMAND)] if typed else [])]

    def said(self, text: str) -> list[Line]:
        """What the agent wrote: its words, and apart from them what it only thought."""
        return [self.reasoning(piece) if is_thought else self._words(piece) for is_thought, piece in set_apart(text)]

    def _words(self, text: str) -> Assistant:
        return Assistant(**spoken(text), at=self.at, src=self.src, undone=self.undone, speaker=self.speaker)

    def reasoning(self, text: str) -> Reasoning:
        return Reasoning(**spoken(text), at=self.at, src=self.src, undone=self.undone)

    def call(self, call: str, tool: str, text: str) -> ToolCall:
        return ToolCall(**shown(text), tool=tool, call=call, at=self.at, src=self.src, undone=self.undone)

    def result(self, call: str, text: str, ok: bool | None = None, exit_code: int | None = None) -> ToolResult:
        return ToolResult(
            **shown(text), call=call, ok=ok, exit_code=exit_code, at=self.at, src=self.src, undone=self.undone
        )

    def so_far(self, call: str, text: str) -> ToolResult:
        """What a command printed that goes on."""
        return ToolResult(**shown(text), call=call, running=True, at=self.at, src=self.src, undone=self.undone)

    def injected(self, text: str, kind: Injection) -> Injected:
        return Injected(**shown(text), kind=kind, at=self.at, src=self.src, undone=self.undone)

    def event(self, kind: Happening, text: str = "") -> Event:
        return Event(**shown(text), kind=kind, at=self.at, src=self.src, undone=self.undone)

    def moved(self, cwd: str, branch: str | None = None) -> Moved:
        return Moved(text=cwd, branch=branch, at=self.at, src=self.src, undone=self.undone)


def translated(
    found: Iterable[tuple[int, Record]], account: Account, translate: Callable[[int, Record], Outcome]
) -> Iterator[Line]:
    """The lines of each record, with the account kept. A record of an unexpected shape costs only itself."""
    for number, record in found:
        try:
            outcome = translate(number, record)
        # Whatever a record does to its reader, it costs only itself.
        except Exception as error:
            account.trouble(number, f"unexpected shape: {type(error).__name__}: {error}")
            continue
        if isinstance(outcome, str):
            account.skip(outcome)
        elif not outcome:
            account.skip("empty")
        else:
            account.used += 1
            yield from outcome


def container(agent: str, path: Path) -> Iterator[Container]:
    """The file at a path as a container; nothing when it went away meanwhile or is no file."""
    try:
        found = path.stat()
    except OSError:
        return
    if path.is_file():
        yield Container(agent, path, (found.st_mtime_ns, found.st_size, found.st_ino))


def show_all(found: Iterable[tuple[int, Record]], note: Callable[[int, Record], None]) -> None:
    """Show every record to `note`, which looks at the whole file first. One of an unforeseen shape is skipped."""
    for number, record in found:
        with contextlib.suppress(Exception):
            note(number, record)


def files_in(
    agent: str, folder: str, is_wanted: Callable[[str], bool], *, deep: bool = False, folders: list[str] | None = None
) -> Iterator[Container]:
    """The wanted files of a folder, by name; deep: also those of the folders inside it. One `stat` each.

    The folders inside are noted in `folders`, so that nobody has to walk the same folder twice.
    """
    try:
        entries = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    with entries:
        for entry in entries:
            if is_wanted(entry.name):
                try:
                    found = entry.stat()
                except OSError:
                    continue
                if stat.S_ISREG(found.st_mode):
                    yield Container(agent, entry.path, (found.st_mtime_ns, found.st_size, found.st_ino))
            elif (deep or folders is not None) and entry.is_dir():
                if deep:
                    yield from files_in(agent, entry.path, is_wanted, deep=True)
                elif folders is not None:
                    folders.append(entry.path)


def document(path: Path, *listing: str) -> Record | None:
    """The one object of a JSON file with one of the lists named; None when it holds JSON lines, or nothing of the kind.

    Names lie: lines are found in .json files and documents in .jsonl files.
    """
    with opened_file(path) as file:
        first = file.readline(MAX_DOCUMENT_BYTES).removeprefix(BOM)
        found = as_object(first)
        if not found and first.lstrip().startswith(b"{"):
            found = as_object(first + file.read(MAX_DOCUMENT_BYTES))
    return found if any(name in found for name in listing) else None


def words(content: object, depth: int = 32) -> str:
    """The text of a content that is a string, a part, or a list of parts; images and files as markers."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        # A list that nests without end is damage, or malice.
        return "\n".join(filter(None, (words(part, depth - 1) for part in content))) if depth else ""
    if isinstance(content, dict):
        if isinstance(content.get("text"), str):
            return str(content["text"])
        # A tool that was found, and is only named.
        is_tool = content.get("type") == "tool_reference"
        return f"[tool {string(content.get('tool_name'))}]" if is_tool else picture(content)
    return ""


def picture(part: Record) -> str:
    """A marker for a part that is an image or a file, with its size when the data is in it; empty for other parts."""
    inline = next((part[key] for key in ("inlineData", "source") if isinstance(part.get(key), dict)), part)
    data = string(inline.get("data") or inline.get("image_url"))
    mime = str(inline.get("mimeType") or inline.get("media_type") or "")
    if "image" in str(part.get("type")) and not mime.startswith("image/"):
        mime = "image/*"
    if not mime and "fileData" not in part:
        return ""
    is_link = not data or data.startswith(("data:", "http:", "https:", "file:"))
    return payload(mime, data if is_link else f"data:{mime};base64,{data}")


def answered(pairs: Iterable[tuple[str, str]]) -> str:
    """The user's answers, each below its question."""
    # A question is the agent's. On one line it cannot hold an answer of its own.
    asked = ((" ".join(question.split()), answer) for question, answer in pairs if answer)
    return "\n".join(f"Q: {question}\nA: {answer}" if question else answer for question, answer in asked)


def taken_apart(text: str, opening: str, closing: str) -> tuple[str, str, str]:
    """What stands before a block, the block with its marks, and the rest; ("", "", text) without one.

    Read from outside in: from the first opening mark to the last closing one. What a program puts into a block (a file,
    a selection) may close it and go on talking, so words between two blocks are nobody's.
    """
    start, end = text.find(opening), text.rfind(closing)
    if start < 0 or end < start:
        return "", "", text
    end += len(closing)
    return text[:start], text[start:end], text[end:]


def command_line(arguments: object, cwd: str | None = None) -> str:
    """A tool's input. A command given as a list of words is written as the line a person would type."""
    fields = as_object(arguments)
    command = fields.get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return call_text(arguments, cwd)
    # ["bash", "-lc", "make test"] only wraps the line `make test`.
    line = command[2] if len(command) == 3 and command[1] in {"-lc", "-c"} else shlex.join(command)
    return call_text({**fields, "command": line}, cwd)
