"""`lerim hook EVENT --agent NAME`, which agents call when a session starts, goes on and ends.

A hook runs inside somebody else's program. So it never blocks, never fails and never prints anything but what its host
takes: whatever goes wrong is a line in `spool/errors.log`, and the exit code is 0. It opens no database: it reads a
view that lies rendered on disk, appends one line to the spool, and leaves the work to a process of its own.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from collections.abc import Mapping, Sequence

from lerim.connect.hook_payload import HookCall, read_payload
from lerim.connect.hook_shapes import FORGET_ON_RESUME, FORGETFUL, SHAPES, framed
from lerim.sessions.spool import claim, note_error, note_event, unclaim, waits_since

EVENTS = ("session-start", "session-end", "pre-compact", "turn-end", "prompt")
AGENTS = tuple(SHAPES)
#: Seconds after which a hook is gone, whatever it was doing.
HARD_LIMIT = 2.0
#: A session that was just told to forget, and one that goes on with what it has.
_FORGOT, _GOES_ON = {"clear", "compact"}, {"resume", "fork"}
#: Seconds after which events of sessions that never end are taken in by the next start.
_QUIET = 600.0
#: How the folders begin in which Lerim calls an agent's program itself (private.py).
_OWN_CALL = "lerim-reader-"
#: Nobody waits for it, so whatever else runs comes first.
_WORK = "import os; getattr(os, 'nice', int)(10); from lerim.cli.main import run; run()"


def run_hook(argv: Sequence[str], env: Mapping[str, str] = os.environ) -> int:
    """Answer one call on standard output. 0, whatever happens."""
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(_watch, (done,))
    home = ""
    try:
        if env.get("LERIM_CHILD"):
            return 0
        home = _home(env)
        # What Lerim never worked in has nothing to tell, and no place to note anything.
        if os.path.isdir(home):
            _answer(argv, home, env)
    except BaseException as error:
        if home:
            note_error(home, f"lerim hook {' '.join(argv)}: {type(error).__name__}: {error}")
    finally:
        done.release()
    return 0


def _watch(done: _thread.LockType) -> None:
    """End the process, whatever it is doing, unless the hook is done in time."""
    if not done.acquire(timeout=HARD_LIMIT):
        os._exit(0)


def _home(env: Mapping[str, str]) -> str:
    """The folder of the store, or nothing where nobody knows a full path."""
    named = os.path.expanduser(env.get("LERIM_HOME") or os.path.join(env.get("HOME") or "~", ".lerim"))
    return os.path.normpath(named) if os.path.isabs(named) else ""


def _answer(argv: Sequence[str], home: str, env: Mapping[str, str]) -> None:
    event, agent = _words(argv)
    call = HookCall(agent, read_payload(), env)
    if os.path.basename(call.cwd).startswith(_OWN_CALL):
        return
    if event in ("session-start", "prompt"):
        _give(event, call, home)
    else:
        fields = {"session": call.session, "cwd": call.cwd, "transcript": call.transcript}
        note_event(home, {"at": _now(), "event": event, "agent": call.host, **fields})
        _print(SHAPES[call.host]("", event))
    if event == "session-end" or (event == "session-start" and _waits_long(home)):
        start_worker(home, env)


def _words(argv: Sequence[str]) -> tuple[str, str]:
    """The event and the agent of a command line. Raises ValueError."""
    flag = argv.index("--agent") if "--agent" in argv[:-1] else -1
    agent = argv[flag + 1] if flag >= 0 else ""
    rest = [word for at, word in enumerate(argv) if flag < 0 or at not in (flag, flag + 1)]
    if len(rest) != 1 or rest[0] not in EVENTS or agent not in SHAPES:
        raise ValueError(f"usage: lerim hook {'|'.join(EVENTS)} --agent {'|'.join(AGENTS)}")
    return rest[0], agent


# A session starts


def _give(event: str, call: HookCall, home: str) -> None:
    """Print the brief of where the session is at work, once."""
    has_it = _goes_on(event, call) and call.host not in FORGET_ON_RESUME
    found = None if has_it else _view(home, call.cwd)
    text = ""
    note = None
    if found is not None:
        brief, served = found
        note = _claimed(home, event, call, served)
        if note is not None:
            text = framed(brief, call.host)
    try:
        _print(SHAPES[call.host](text, event))
    except OSError:
        if note:
            unclaim(note)
        raise


def preview(event: str, agent: str, home: str, cwd: str) -> str:
    """What a session that starts in a folder would be given, as it would be printed. Notes nothing."""
    found = _view(home, cwd) if event in ("session-start", "prompt") else None
    return SHAPES[agent](framed(found[0], agent) if found else "", event)


def _goes_on(event: str, call: HookCall) -> bool:
    return event == "session-start" and call.source in _GOES_ON


def _claimed(home: str, event: str, call: HookCall, served: dict[str, object]) -> str | None:
    """The note that this call gives the session its view; None when it has it. An empty one where none can be made."""
    resumed = _goes_on(event, call)
    again = resumed or (event == "session-start" and call.source in _FORGOT)
    # A host that names no session: starts at the same place and time are one.
    session = call.session or f"{call.host} {call.cwd} {int(time.time() / 10)}"
    if resumed:
        # However soon it follows: its start and its going on are two things.
        session = f"{session} resumed"
    fields = {"at": _now(), "agent": call.host, "session": call.session, "cwd": call.cwd, **served}
    try:
        note = claim(home, session, fields, again=again)
    except OSError as error:
        # Better twice than never: a disk that is full or cannot be written to is no reason to know nothing.
        note_error(home, f"cannot note what was given: {error}")
        return ""
    return "" if note is None and call.host in FORGETFUL else note


def _view(home: str, cwd: str) -> tuple[str, dict[str, object]] | None:
    """The brief for a folder: its project's, or that of the global memory where it belongs to none that is known."""
    from lerim.views.shelf import read_view

    for root in (*_roots(home, cwd), None):
        if (found := read_view(home, root, "brief")) is not None:
            text, manifest = found
            facts = {"root": root, "view": "brief", "digest": manifest.get("digest")}
            facts |= {"characters": len(text), "records": manifest.get("records")}
            # A page that only says how to fill it is nothing to be told.
            return (text, facts) if manifest.get("records") else None
    return None


def _roots(home: str, cwd: str) -> list[str]:
    """The project that a folder belongs to, as everywhere in Lerim; a project that has views is known."""
    if not cwd:
        return []
    from pathlib import Path

    from lerim.config.scope import candidates, locate
    from lerim.views.shelf import folder

    place, base = Path(cwd), Path(home)
    known = [root for root in candidates(place, base) if os.path.isdir(folder(home, str(root)))]
    other = Path(os.path.expanduser("~"), ".lerim")
    root = locate(place, known, home=base, separate_worktrees=False, other_home=other)
    return [] if root is None else [str(root)]


# A session ends


def _waits_long(home: str) -> bool:
    since = waits_since(home)
    return since is not None and time.time() - since > _QUIET


def start_worker(home: str, env: Mapping[str, str]) -> None:
    """Start the process that takes the spool in. It shares nothing with the host, which waits for open pipes."""
    # -P: what lies in the folder somebody stands in is no program of ours, whatever it is called.
    argv = [sys.executable, "-P", "-c", _WORK, "sync", "--spooled"]
    os.chdir(home)
    if not hasattr(os, "posix_spawn"):
        _start_on_windows(argv, env)
        return
    os.closerange(3, 256)
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    os.posix_spawn(sys.executable, argv, dict(env), file_actions=quiet, setsid=True)


def _start_on_windows(argv: Sequence[str], env: Mapping[str, str]) -> None:
    import subprocess  # Start-up: only there.

    # Detached from the console, and in a group of its own.
    options = {"creationflags": 0x00000008 | 0x00000200, "close_fds": True}
    nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(argv, env=dict(env), **nowhere, **options)  # type: ignore[call-overload]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _print(text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(1, data) :]
