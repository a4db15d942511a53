"""Which project a client works in: the folder it names, else the one its agent was started in. Pure, but for a look."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Where an agent says which project it is in, for all that it starts.
VARIABLES = ("CLAUDE_PROJECT_DIR",)
_DRIVE = re.compile(r"/[A-Za-z]:")


def folder_of(roots: Sequence[str], env: Mapping[str, str], cwd: str) -> str:
    """The folder to work in: the first root that is one, else what an agent's variable names, else where we stand."""
    named = (*map(_path_of, roots), *(env.get(name, "") for name in VARIABLES))
    return next((path for path in named if _is_folder(path)), cwd)


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_absolute() and Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _path_of(uri: str) -> str:
    """The path that a `file:` address names; nothing for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return ""
    return path[1:] if _DRIVE.match(path) else path
