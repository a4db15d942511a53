"""Files for their owner's eyes only: 0600 in folders of 0700, whatever the umask says and however they were before.

For what Lerim keeps for itself. Memory files in a repository are shared through git, and keep the user's own modes.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = 0o077
#: What a killed process leaves behind: hidden, and named so. Nobody writes one file for so long.
TEMP_SUFFIX = ".tmp"
OLD_SECONDS = 3600.0
#: How the names begin of what lies in Lerim's own folder.
_IN_HOME = (
    *("context.sqlite3", "index", "memory", "meta", "workspace", "plans", "backups", "traces", "imports", "models"),
    *("cache", "views", "config.toml", "redaction.salt", "spool", "mcp.token", "serve.", "daemon"),
)
_OUR_TEMPS = (".lerim-", *(f".{name}" for name in _IN_HOME))


#: How the folders begin that calls of agents' programs run in: a session that one leaves of it is nobody's work.
OWN_CALL = "lerim-reader-"


def make_private(folder: Path, *, below: Path | None = None) -> Path:
    """Make a folder of ours that only its owner can enter, with every one above it that is missing.

    One that others could enter is closed, and all that lies in it; so are those between it and `below`.
    """
    for step in reversed((folder, *folder.parents)):
        is_ours = step == folder or (below is not None and below in step.parents)
        if is_ours or not step.exists():
            _make(step)
        if is_ours and tighten(step):
            # It was open so far: so may be what is in it.
            tighten_all(step)
    return folder


def make_home(home: Path) -> None:
    """Make Lerim's own folder, or close it to others. Only what is ours in it is touched: somebody may have pointed it
    at a folder that holds other things too."""
    if not home.exists():
        make_private(home)
    home, user = home.resolve(), Path.home()
    if home not in (user, *user.parents) and tighten(home):
        for path in home.iterdir():
            if path.name.startswith(_IN_HOME):
                tighten_all(path)


def open_private(path: Path, *, append: bool = False) -> BinaryIO:
    """A file for writing that only its owner can read; never through a link."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, FILE_MODE)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, FILE_MODE)
    return os.fdopen(descriptor, "ab" if append else "wb")


def put_private(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Put a file of ours in place, whole or not at all; a `durable` one outlives a power cut. Raises OSError."""
    fresh = path.with_name(f".{path.name}-{os.getpid()}{TEMP_SUFFIX}")
    with open_private(fresh) as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    fresh.replace(path)
    if durable:
        sync_folder(path.parent)


def tighten(path: Path) -> bool:
    """Take everybody else's rights away from a file or folder of ours. Whether there were any."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    mode = stat.S_IMODE(found.st_mode)
    kind_fits = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    if not kind_fits or not mode & _OTHERS or mode & stat.S_ISVTX or found.st_uid != os.geteuid():
        return False
    with contextlib.suppress(OSError):  # A disk that cannot be written to: then nobody can do better.
        path.chmod(mode & ~_OTHERS)
    return True


def tighten_all(folder: Path) -> int:
    """The same for a folder and all that lies in it. How many were open."""
    return int(tighten(folder)) + sum(tighten(path) for path in _below(folder))


def sweep(folder: Path, now: float | None = None) -> list[Path]:
    """Remove what killed processes left of files they were writing, all below a folder of ours."""
    return _swept(_below(folder), now)


def sweep_top(folder: Path, now: float | None = None) -> list[Path]:
    """The same for a folder that holds other things too: only names that are ours, and nothing below. Cheap enough for
    every start: one look at the names."""
    try:
        with os.scandir(folder) as found:
            names = [entry.name for entry in found if entry.name.endswith(TEMP_SUFFIX)]
    except OSError:
        return []
    return _swept((folder / name for name in names if name.startswith(_OUR_TEMPS)), now)


def _swept(paths: Iterable[Path], now: float | None) -> list[Path]:
    before = (time.time() if now is None else now) - OLD_SECONDS
    gone = []
    for path in paths:
        if path.name.startswith(".") and path.name.endswith(TEMP_SUFFIX) and _is_older(path, before):
            with contextlib.suppress(OSError):
                path.unlink()
                gone.append(path)
    return gone


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk: a file that a power cut takes away would look deleted."""
    # Not everywhere can a folder be opened, nor synced.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_writable(path: Path) -> bool:
    """Whether this process may write there: a file and the folder it lies in, which gets files beside it."""
    checked = [path.parent, *([path] if path.exists() else [])]
    effective = os.access in os.supports_effective_ids
    return all(os.access(item, os.W_OK, effective_ids=effective) for item in checked)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(FOLDER_MODE)


def _below(folder: Path) -> Iterator[Path]:
    """All that lies below, links not followed."""
    for where, folders, files in os.walk(folder):
        yield from (Path(where, name) for name in (*folders, *files))


def _is_older(path: Path, moment: float) -> bool:
    try:
        return path.lstat().st_mtime < moment
    except OSError:
        return False


def lock_file(descriptor: int) -> None:
    """Wait until no other process has locked an open file. The lock goes with the descriptor, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
