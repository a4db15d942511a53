"""What hooks leave for later: one appended line for each event, and one file for each session that was given a view.

Writing is for hooks that have a tenth of a second, so this loads nothing. Nothing that was written is lost: whoever
takes the lines in renames the file first, and who appended meanwhile notices and appends again.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

SPOOL, EVENTS, SERVED, ERRORS = "spool", "events.jsonl", "served", "errors.log"
#: Bytes of events that wait, and of complaints: what is more is found by the next look at the disk anyway.
MOST_EVENTS, MOST_ERRORS = 4 << 20, 64 << 10
#: Bytes of one line or file: what is longer was not written by a hook.
MOST_LINE = 64 << 10
#: Seconds in which a second start of the same session is the same start, heard by another hook.
SAME_START = 10.0
#: How often a session may be given a view: after each compaction once more.
_MOST_GIVEN = 200
#: Days after which a session is not started again.
KEPT_DAYS = 60
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def spool_path(home: str, *names: str) -> str:
    return os.path.join(home, SPOOL, *names)


# For hooks


def make_spool(home: str) -> None:
    """Make the folders, for their owner alone. Raises OSError."""
    for folder in (spool_path(home), spool_path(home, SERVED)):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            continue
        os.chmod(folder, 0o700)


def note_event(home: str, event: dict[str, Any]) -> None:
    """Append one event. Raises OSError."""
    line = json.dumps(event).encode() + b"\n"
    if len(line) > MOST_LINE:
        raise OSError("an event of that size is none")
    make_spool(home)
    for _ in range(3):
        if _append(spool_path(home, EVENTS), line, MOST_EVENTS):
            return


def note_error(home: str, message: str) -> None:
    """Append a line to what went wrong in hooks; an old log makes room. Never raises."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {' '.join(message.split())[:500]}\n"
    path = spool_path(home, ERRORS)
    try:
        make_spool(home)
        if os.path.exists(path) and os.stat(path).st_size > MOST_ERRORS:
            os.replace(path, f"{path}.old")
        _append(path, line.encode("utf-8", "replace"), 2 * MOST_ERRORS)
    except OSError:
        return


def _append(path: str, line: bytes, most: int) -> bool:
    """Append in one piece. Whether the file is still the one of that name, so that whoever reads it will see it."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
    descriptor = os.open(path, flags, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size > most:
            return True
        # What a full disk cut short must not take this line with it.
        is_cut = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n" if hasattr(os, "pread") else False
        os.write(descriptor, b"\n" + line if is_cut else line)
        return _is_there(path, os.fstat(descriptor).st_ino)
    finally:
        os.close(descriptor)


def _is_there(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False


def claim(home: str, session: str, served: dict[str, Any], *, again: bool) -> str | None:
    """Note that a session is given a view, and have the right to give it: the path of the note.

    None when it was given one before, unless `again` says that it forgot it; and when somebody else was just faster.
    Raises OSError where nothing can be noted.
    """
    from lerim.digests import blake2b

    make_spool(home)
    key = blake2b(session.encode("utf-8", "replace"), digest_size=16).hexdigest()
    for number in range(1, _MOST_GIVEN):
        path = spool_path(home, SERVED, f"{key}.json" if number == 1 else f"{key}-{number}.json")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
        except FileExistsError:
            if not again or time.time() - os.lstat(path).st_mtime < SAME_START:
                return None
            continue
        try:
            os.write(descriptor, json.dumps(served).encode())
        finally:
            os.close(descriptor)
        return path
    return None


def unclaim(path: str) -> None:
    """Take it back: the view did not reach the session."""
    try:
        os.unlink(path)
    except OSError:
        return


def waits_since(home: str) -> float | None:
    """When the last event was noted that nobody has taken in yet; None when there is none."""
    try:
        found = os.stat(spool_path(home, EVENTS))
    except OSError:
        return None
    return found.st_mtime if found.st_size else None
