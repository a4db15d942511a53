"""What a host tells a hook: read within bounds of size and time, in whatever words the host has for it."""

from __future__ import annotations

import _thread
import json
import os
import time
from collections.abc import Mapping
from typing import Any

#: Seconds that a host has to say what it has to say, and bytes of it that are kept.
PATIENCE, MOST = 1.0, 16 << 20
#: Up to so many bytes it is tried whether all was said: some hosts never close the pipe.
_SHORT = 256 << 10
_PIECE = 1 << 16
_SESSION = ("conversation_id", "session_id", "sessionId", "taskId", "thread_id", "sessionID")
_CWD = ("cwd", "working_dir", "directory")
_ROOTS = ("workspace_roots", "workspaceRoots")
_TRANSCRIPT = ("transcript_path", "transcriptPath")
#: Where hosts say in the environment where they are.
_CWD_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PROJECT_DIR", "FACTORY_PROJECT_DIR", "CURSOR_PROJECT_DIR")
_LONGEST = 4096


class HookCall:
    """One call of a hook: the host that calls, and what it tells."""

    def __init__(self, agent: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> None:
        self.host = host_of(agent, payload, env)
        #: startup, resume, clear, compact, …; hosts that make no difference say nothing, or "new".
        self.source = _text(payload, ("source",)).lower()
        self.transcript = _text(payload, _TRANSCRIPT)
        #: As Lerim knows it when it reads it.
        self.session = _text(payload, _SESSION)
        if self.host == "gemini" and self.transcript:
            self.session = _named_by_file(self.session, self.transcript)
        self.cwd = _folder(payload, env)


def read_payload(descriptor: int = 0) -> dict[str, Any]:
    """The JSON object on standard input; an empty one when there is none, or nobody says anything in time."""
    if os.isatty(descriptor):
        return {}
    pieces: list[bytes] = []
    done = _thread.allocate_lock()
    done.acquire()
    # A thread, since a pipe that somebody holds open cannot be read with a deadline on every system.
    _thread.start_new_thread(_read, (descriptor, pieces, done))
    done.acquire(timeout=PATIENCE)
    return _object(b"".join(pieces)) or {}


def _read(descriptor: int, pieces: list[bytes], done: _thread.LockType) -> None:
    size, until = 0, time.monotonic() + PATIENCE
    try:
        while time.monotonic() < until and (piece := os.read(descriptor, _PIECE)):
            size += len(piece)
            # More is read and thrown away: a host that cannot get rid of it may wait, or fail.
            if size <= MOST:
                pieces.append(piece)
            if size <= _SHORT and piece.rstrip().endswith(b"}") and _object(b"".join(pieces)) is not None:
                break
    except OSError:
        pass
    finally:
        done.release()


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def host_of(agent: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> str:
    """Who really calls: some hosts run the hooks that were written for another one, and take other answers."""
    if "cursor_version" in payload:
        return "cursor"
    if agent != "claude" or env.get("CLAUDE_CODE_SESSION_ID"):
        return agent
    if env.get("CURSOR_VERSION"):
        return "cursor"
    if env.get("GEMINI_SESSION_ID"):
        return "gemini"
    # Claude Code tells no time; Copilot and VS Code do, and some of their dialects have other names.
    return "copilot" if {"timestamp", "sessionId", "hookEventName"} & payload.keys() else agent


def _text(payload: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = (payload.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and 0 < len(value) <= _LONGEST), "")


def _named_by_file(session: str, transcript: str) -> str:
    """Gemini's sessions go by the names of their files, which begin with a time and end with some of its own name for
    it. One that is resumed stays in its file, though another is told."""
    folder, told = os.path.split(transcript)
    try:
        found = [name for name in os.listdir(folder) if session and name.endswith(f"-{session[:8]}.jsonl")]
    except OSError:
        found = []
    return os.path.splitext(min(found, default=told))[0]


def _folder(payload: Mapping[str, Any], env: Mapping[str, str]) -> str:
    """Where the session is at work: a full path, or nothing."""
    roots = [value[0] for name in _ROOTS if isinstance(value := payload.get(name), list) and value]
    named = [_text(payload, _CWD), *(one for one in roots if isinstance(one, str))]
    named += [env.get(name, "") for name in _CWD_VARIABLES]
    return (
        next((one for one in named if os.path.isabs(one) and "\0" not in one and len(one) <= _LONGEST), "") or _here()
    )


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
