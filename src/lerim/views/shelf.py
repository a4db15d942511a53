"""Where views lie on disk, and how one is read: for hooks that have a tenth of a second. Nothing else is loaded.

They are private and derived, so they lie in the user's own folder: a repository that could bring one along would speak
to the agent in Lerim's name.
"""

from __future__ import annotations

import json
import os
import stat
from typing import Any

from lerim.digests import blake2b

VIEWS = "views"
#: The folder of the view over the global memory alone.
GLOBAL_KEY = "global"
#: The files of each view, without their endings.
FILES = {"brief": "CONTEXT_BRIEF", "working-memory": "WORKING_MEMORY", "clinic": "RUN_CLINIC"}
#: What is larger is none of ours: budgets end far below.
MAX_BYTES = 1_000_000


def shelf_key(root: str) -> str:
    """The name of a project's folder of views: 16 hex digits of its root path."""
    return blake2b(os.fsencode(root), digest_size=8).hexdigest()


def folder(home: str, root: str | None) -> str:
    """The folder of a project's views; of those of the global memory when `root` is None."""
    # Start-up: as text, since paths as objects take longer to load than to read a view.
    return os.path.join(home, VIEWS, GLOBAL_KEY if root is None else shelf_key(root))  # noqa: PTH118


def read_view(home: str, root: str | None, name: str) -> tuple[str, dict[str, Any]] | None:
    """A view (`brief`, `working-memory`, `clinic`) and its manifest as they lie on disk. Never raises.

    None when there is none, or when what is there is no plain file of this user's, too large, or not what the manifest
    says: then it is as if it had never been written.
    """
    where = f"{folder(home, root)}{os.sep}{FILES.get(name, '')}"
    # Text and manifest are two files: who comes between looks once more.
    return _read_once(where, root) or _read_once(where, root)


def _read_once(where: str, root: str | None) -> tuple[str, dict[str, Any]] | None:
    try:
        manifest = json.loads(_read(f"{where}.manifest.json"))
        data = _read(f"{where}.md")
        # Two roots may share a key one day, so the root counts, too.
        known = isinstance(manifest, dict) and (manifest.get("digest"), manifest.get("root"))
        return (data.decode("utf-8"), manifest) if known == (digest_of(data), root) else None
    except (OSError, ValueError, RecursionError):
        return None


def digest_of(data: bytes) -> str:
    """What a manifest says of a view's bytes."""
    return blake2b(data, digest_size=16).hexdigest()


def _read(path: str) -> bytes:
    """A plain file of this user's, in bounds; never through a link, never waiting for one. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES or found.st_uid != os.geteuid():
            raise OSError(f"{path} is no plain file of ours")
        data = b""
        while len(data) <= MAX_BYTES and (piece := os.read(descriptor, MAX_BYTES + 1 - len(data))):
            data += piece
        if len(data) > MAX_BYTES:
            raise OSError(f"{path} is too large")
        return data
    finally:
        os.close(descriptor)
