"""Edit one memory in the user's own editor; the text is checked before it is saved."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkstemp
from typing import TypeVar

from lerim import openat
from lerim.cli.output import Output
from lerim.context.face.folder import MAX_FILE_BYTES
from lerim.context.place import Kept
from lerim.errors import LerimError, MarkdownError, UsageError
from lerim.service import Lerim

_T = TypeVar("_T")


def edit_file(lerim: Lerim, kept: Kept, out: Output) -> Kept:
    """Open the memory's file in $VISUAL or $EDITOR and save the result. On failure the text is kept in a file."""
    path, name = kept.path, kept.record.id
    if path is None:
        raise UsageError(f"'{name}' has no file", hint=f"lerim memory restore {name}")
    before = openat.read(path, MAX_FILE_BYTES)
    take = partial(lerim.memory.replace_text, kept, before)
    return edit_text(name, before, take, out, hint=f"lerim memory edit {name}")


def edit_text(name: str, text: bytes, take: Callable[[bytes], _T], out: Output, *, hint: str) -> _T:
    """Open a text in the editor and pass the result to `take`, repeating while it cannot be parsed.

    On failure the text is kept in a file; `hint` is the command that tries again.
    """
    editor = _editor()
    draft = _draft(name, text)
    while True:
        _run(editor, draft)
        edited = draft.read_bytes()
        try:
            taken = take(edited)
        except MarkdownError as error:
            out.warn(f"{draft}:{error.line}: {error.problem}")
            if not _again(out):
                raise UsageError(f"nothing was changed; your text is in {draft}", hint=hint) from error
        except LerimError as error:
            if edited.strip() in (b"", text.strip()):
                draft.unlink()  # Nobody wrote anything that could be lost.
                raise
            raise type(error)(f"{error.message}; your text is in {draft}", hint=error.hint) from error
        else:
            draft.unlink()
            return taken


def _draft(name: str, data: bytes) -> Path:
    descriptor, path = mkstemp(prefix=f"{name}-", suffix=".md")
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return Path(path)


def _editor() -> list[str]:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("vi" if sys.stdin.isatty() else "")
    if not editor:
        raise UsageError("no editor is set", hint="set EDITOR, or use flags: lerim memory edit ID --title ...")
    return shlex.split(editor)


def _run(editor: list[str], draft: Path) -> None:
    try:
        code = subprocess.run([*editor, str(draft)], check=False).returncode
    except OSError as error:
        draft.unlink()
        raise UsageError(
            f"cannot start '{editor[0]}': {error.strerror}", hint="set EDITOR to an editor that is installed"
        ) from error
    if code != 0:
        raise UsageError(f"'{editor[0]}' exited with {code}; nothing was changed, your text is in {draft}")


def _again(out: Output) -> bool:
    return sys.stdin.isatty() and out.ask("Edit again? [Y/n]").strip().lower() in ("", "y", "yes")
