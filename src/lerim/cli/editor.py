"""Editing one memory in the person's own editor, with their text checked before it counts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import mkstemp

from lerim.cli.output import Output
from lerim.context.memory import Kept
from lerim.errors import LerimError, MarkdownError, UsageError
from lerim.service import Lerim


def edit_file(lerim: Lerim, kept: Kept, out: Output) -> Kept:
    """Open the memory's file in $VISUAL or $EDITOR and take in what comes back. Raises with the text kept in a file."""
    path = kept.path
    if path is None:
        raise UsageError(f"'{kept.record.id}' has no file", hint=f"lerim memory restore {kept.record.id}")
    editor = _editor()
    before = path.read_bytes()
    draft = _draft(kept.record.id, before)
    while True:
        _run(editor, draft)
        try:
            new = lerim.memory.replace_text(kept, before, draft.read_bytes())
        except MarkdownError as error:
            out.warn(f"{draft}:{error.line}: {error.problem}")
            if not _again():
                raise UsageError(
                    f"nothing was changed; your text is in {draft}", hint=f"lerim memory edit {kept.record.id}"
                ) from error
        except LerimError as error:
            raise type(error)(f"{error.message}; your text is in {draft}", hint=error.hint) from error
        else:
            draft.unlink()
            return new


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
        raise UsageError(f"cannot start '{editor[0]}': {error.strerror}", hint="set EDITOR to one you have") from error
    if code != 0:
        raise UsageError(f"'{editor[0]}' ended with {code}; nothing was changed, your text is in {draft}")


def _again() -> bool:
    return sys.stdin.isatty() and input("Edit again? [Y/n] ").strip().lower() in ("", "y", "yes")
