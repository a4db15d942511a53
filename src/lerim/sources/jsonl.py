"""JSON lines as agents leave them: live, cut, glued together, oversized or damaged. A bad line costs only itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from lerim.lazy_regex import compile_later
from lerim.sources import zstd
from lerim.sources.base import Account
from lerim.sources.loose_json import decoded, patiently_decoded
from lerim.sources.plain_file import BOM, opened_file

# An image in a record may take tens of megabytes. What is longer is no record, and must not fill the memory.
MAX_LINE_BYTES = 64 * 1024 * 1024
_CHUNK = 1024 * 1024
# How a record begins: its bracket and its first key.
_OPENING = compile_later(r'\{\s*"[^"\\]{1,60}"\s*:')
_BEFORE_VALUES = {"[", ",", ":"}
_MOST_TRIES = 16


def read_lines(path: Path, account: Account) -> Iterator[tuple[int, bytes]]:
    """Each complete line with its number, without its ending. Blank lines are not counted as records.

    A tail without a line ending is given too when it is whole JSON; else it is waiting, not broken.
    """
    with _opened(path) as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if line.endswith(b"\n"):
                if not line.isspace():
                    yield number, line.rstrip(b"\r\n")
            elif len(line) > MAX_LINE_BYTES:
                _pass_over(file)
                account.records += 1
                account.trouble(number, f"a line of more than {MAX_LINE_BYTES // 1024 // 1024} MB")
            else:
                # Not read on: what a live agent appends meanwhile belongs to this line.
                if _is_whole(line):
                    yield number, line
                elif not line.isspace():
                    account.waiting_bytes = len(line)
                return


def objects(line: bytes) -> list[dict[str, Any]]:
    """The JSON objects on a line: one, or several that were written without a line ending between them.

    Raises ValueError when there is none.
    """
    found, problem = _salvaged(line)
    if not found:
        raise ValueError(problem)
    return found


def records(path: Path, account: Account) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object of a file with its line number, counted in the account; bad lines noted there with their number."""
    for number, line in read_lines(path, account):
        for item in counted(number, line, account):
            yield number, item


def counted(number: int, line: bytes, account: Account) -> list[dict[str, Any]]:
    """The objects on a line, counted as records. What cannot be read is one more record, noted as bad."""
    found, problem = _salvaged(line)
    account.records += len(found)
    if problem:
        account.records += 1
        account.trouble(number, f"not JSON: {problem}")
    return found


def _salvaged(line: bytes) -> tuple[list[dict[str, Any]], str]:
    """The objects on a line, and what is wrong with the rest: empty when nothing is."""
    if b"{" not in line:
        # Documents over many lines are tried as records, too: their lines are not worth a second look.
        return [], _without_object(line)
    try:
        found = decoded(line)
    except ValueError:
        return _glued(line)
    return ([found], "") if isinstance(found, dict) else ([], f"a {type(found).__name__}, not an object")


def _without_object(line: bytes) -> str:
    import orjson  # Start-up: a look at the disk reads nothing.

    try:
        return f"a {type(orjson.loads(line)).__name__}, not an object"
    except orjson.JSONDecodeError as error:
        return error.msg


def _glued(line: bytes) -> tuple[list[dict[str, Any]], str]:
    # NUL bytes are what a crash leaves where a block was never written.
    text = line.removeprefix(BOM).decode("utf-8", "replace").replace("\0", "").strip()
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(text):
        try:
            item, at = patiently_decoded(text, at)
        except ValueError as error:
            return [*found, *_after_damage(text, at)], str(error)
        if not isinstance(item, dict):
            return [*found, *_after_damage(text, at)], f"a {type(item).__name__}, not an object"
        found.append(item)
        while at < len(text) and text[at].isspace():
            at += 1
    return found, "" if found else "an empty line"


def _after_damage(text: str, at: int) -> list[dict[str, Any]]:
    """The record that was appended to one that a crash had cut: it begins as the line does, and ends with it.

    What stands where a value of the damaged record may stand is part of that: it could be anybody's words.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return []
    for _ in range(_MOST_TRIES):
        at = text.find(opening[0], at + 1)
        if at < 0:
            break
        if text[max(0, at - 8) : at].rstrip()[-1:] in _BEFORE_VALUES:
            continue
        try:
            item, end = patiently_decoded(text, at)
        except ValueError:
            continue
        if end == len(text) and isinstance(item, dict):
            return [item]
    return []


def _is_whole(line: bytes) -> bool:
    found, problem = _salvaged(line)
    return bool(found) and not problem


def _pass_over(file: IO[bytes]) -> None:
    while (piece := file.readline(_CHUNK)) and not piece.endswith(b"\n"):
        pass


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with opened_file(path) as file:
        head = file.read(4)
        file.seek(0)
        if head == zstd.MAGIC:
            with zstd.decompressed(path, file) as plain:
                yield plain
        else:
            yield file
