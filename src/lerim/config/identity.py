"""What tells a folder from another one that lies at the same path later: trust by path alone would pass on to it.

A repository is known by its remote, any folder by its inode. Neither alone will do: file systems give the number of a
deleted folder to the next one, and many folders have no remote, or get one only later.
"""

from __future__ import annotations

import re
from pathlib import Path

from lerim.errors import UnsafePath
from lerim.lazy_regex import compile_later
from lerim.openat import read_own

_MAX_CONFIG = 1_000_000
_ORIGIN = compile_later(r'\s*\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_URL = compile_later(r"\s*url\s*=\s*(.+)", re.IGNORECASE)


def identity_of(root: Path) -> str:
    """A folder's identity as text to keep; empty when there is no such folder."""
    try:
        numbers = f"{root.stat().st_ino}.{_inode(root / '.git')}"
    except OSError:
        return ""
    return f"{numbers} {remote_of(root) or ''}".strip()


def is_same(kept: str, now: str) -> bool:
    """Whether a folder is the one that an identity was kept of. Nothing kept is anybody's: older stores kept none."""
    if not kept:
        return True
    numbers, _, remote = kept.partition(" ")
    numbers_now, _, remote_now = now.partition(" ")
    return remote == remote_now if remote and remote_now else _are_same(numbers, numbers_now)


def _are_same(numbers: str, now: str) -> bool:
    """Whether these are the inodes of one folder and its `.git`, which may have been made since, or taken away."""
    folder, _, git = numbers.partition(".")
    folder_now, _, git_now = now.partition(".")
    return folder == folder_now and (git == git_now or "0" in (git, git_now))


def remote_of(root: Path) -> str | None:
    """What `origin` of a repository points at, the same however it was cloned and without any password in it."""
    try:
        text = read_own(root / ".git" / "config", _MAX_CONFIG).decode()
    except (OSError, ValueError, UnsafePath):
        return None
    url, inside = "", False
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            inside = bool(_ORIGIN.match(line))
        elif inside and (found := _URL.match(line)):
            url = found[1].strip().strip('"')
    return normalized_remote(url) if url else None


def _inode(path: Path) -> int:
    try:
        return path.lstat().st_ino
    except OSError:
        return 0


def normalized_remote(url: str) -> str:
    """git@host:team/app.git, ssh://git@host/team/app and https://user:key@host/team/app.git are one repository."""
    text = re.sub(r"^[a-z+]+://", "", url.strip(), flags=re.IGNORECASE)
    text = re.sub(r"^[^@/]*@", "", text)
    text = re.sub(r"^([^/:]+):(?:\d+(?=/))?/*", r"\1/", text)
    return text.rstrip("/").removesuffix(".git").lower()
