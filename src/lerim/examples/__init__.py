"""Example sessions: two weeks on a small booking service, by four coding agents. To try Lerim without a history.

`install` lays them out below a home folder exactly as Claude Code, Codex, Gemini CLI and pi do.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path


def install(home: Path, project: Path, now: datetime | None = None) -> None:
    """Write the example sessions below `home`, as if they had been held in `project`.

    Their dates are fixed. With `now` (aware), they are moved by whole days so that the newest ended a day before it, or
    at most two: whoever looks back a month finds all of them. Files that are there already are overwritten.
    """
    from lerim.examples.layouts import LAYOUTS
    from lerim.examples.sessions import SESSIONS

    newest = max(session.ended for session in SESSIONS)
    later = timedelta(days=(now - timedelta(days=1) - newest).days) if now else timedelta()
    project = project.resolve()
    for session in SESSIONS:
        moved = session.moved(later)
        file = LAYOUTS[session.agent](moved, home, project)
        # Discovery goes by when a file was last written: that is when its session ended.
        os.utime(file, (moved.ended.timestamp(), moved.ended.timestamp()))
