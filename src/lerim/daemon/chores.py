"""What the daemon has done, in a process of its own for each chore: it begins with today's code and settings, and takes
all it needed with it when it ends.

It tells whoever started it what it does, a line of JSON for each thing. When that one is gone, or asks it to, it ends:
the session at hand is finished if that takes a moment, and else given back.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from lerim.daemon.schedule import ChoreKind
from lerim.errors import LerimError
from lerim.service import Lerim

#: Sessions of one process: then another begins with an empty memory, and the night has its turn.
MOST_SESSIONS = 200
#: Folders and files to hear of: systems allow eight thousand or more.
_MOST_WATCHED = 4000
#: Seconds for the session at hand; then it is given back. And after that, for giving back.
_GRACE, _LAST = 5, 20.0
#: New objects between two looks for garbage, as for a command.
_GARBAGE = 50_000

#: Says one thing to whoever waits for it.
TellDaemon = Callable[[Mapping[str, Any]], None]


class Stop:
    """Whether somebody asked for an end. After a moment of grace, KeyboardInterrupt says so wherever one is."""

    def __init__(self) -> None:
        self.is_asked = False

    def ask(self, *_: object) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
        signal.alarm(_GRACE)

    def insist(self, *_: object) -> None:
        raise KeyboardInterrupt


def begin() -> Stop:
    """What a process that works for another one does first: it ends with that one, and when it is asked to."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_GARBAGE)
    stop = Stop()
    signal.signal(signal.SIGTERM, stop.ask)
    signal.signal(signal.SIGINT, stop.ask)
    signal.signal(signal.SIGALRM, stop.insist)
    _end_with_parent()
    return stop


def run() -> None:
    """The whole process: `sys.argv` names the chore, standard output is the daemon's."""
    stop = begin()
    with suppress(OSError):
        os.nice(10)
    kind, quiet = ChoreKind(sys.argv[1]), float(sys.argv[2])
    code = do(kind, quiet, os.environ, tell_parent, stop)
    sys.stdout.flush()
    os._exit(code)


def do(kind: ChoreKind, quiet: float, env: Mapping[str, str], tell: TellDaemon, stop: Stop) -> int:
    """Do a chore and tell what comes of it. 0 when it is done, or was stopped."""
    try:
        # What a command leaves to a process in the background, this one does itself.
        with Lerim("/", env={**env, "LERIM_NO_HELPER": "1"}) as lerim, _stoppable():
            chore = {ChoreKind.SYNC: sync, ChoreKind.MAINTAIN: maintain}[kind]
            chore(lerim, quiet, tell, stop)
    except LerimError as error:
        tell({"error": error.message, "hint": error.hint})
    except KeyboardInterrupt:
        return 0
    except Exception as error:
        # Whatever it trips over, a bug of ours included, the daemon goes on and tries again later.
        tell({"error": f"{type(error).__name__}: {error}", "hint": None})
    else:
        return 0
    return 1


@contextmanager
def _stoppable() -> Iterator[None]:
    """Being stopped is no failure: what was done stays, and the views follow it."""
    with suppress(KeyboardInterrupt):
        yield
    signal.alarm(0)


# Sessions in


def sync(lerim: Lerim, quiet: float, tell: TellDaemon, stop: Stop) -> None:
    """Look at the disk, and take in what is due: what hooks said has ended, then what fell quiet."""
    count = 0
    for work in (lerim.intake.spooled(), lerim.sync(limit=MOST_SESSIONS, quiet=quiet)):
        for taken in work:
            count += 1
            written = len(taken.result.written) if taken.result else 0
            tell({"taken": taken.session.name, "state": taken.state, "reason": taken.reason, "written": written})
            if stop.is_asked:
                raise KeyboardInterrupt
    lerim.index.follow(sys.maxsize)
    if lerim.house.shared is not None:
        _follow_others(lerim, tell)
    _back_up(lerim, tell)
    places = lerim.sessions.watched(_MOST_WATCHED)
    born = {folder: sorted(names) for folder, names in places.born.items()}
    tell({"watch": places.paths, "born": born})
    tell({"done": count, "due_in": lerim.sessions.queue.due_in(quiet)})


def _follow_others(lerim: Lerim, tell: TellDaemon) -> None:
    """Have the files and views of this machine say what others changed in a store that they share."""
    for project in (lerim.projects.at(lerim.house.home), *lerim.projects.all()):
        if project is None or not project.root.is_dir():
            continue
        try:
            lerim.memory.place(project)
            lerim.house.views_of(project).refresh_all()
        except (LerimError, OSError) as error:
            hint = error.hint if isinstance(error, LerimError) else None
            tell({"problem": f"{project.name}: {getattr(error, 'message', error)}", "hint": hint})


def _back_up(lerim: Lerim, tell: TellDaemon) -> None:
    """The backup of the day. The rest is done, whatever becomes of it."""
    try:
        lerim.backups.make_if_due()
    except LerimError as error:
        tell({"problem": error.message, "hint": error.hint})


# The night


def maintain(lerim: Lerim, quiet: float, tell: TellDaemon, stop: Stop) -> None:
    """Keep the memory of every project true, as far as that needs nobody's eye; index, graph and views follow."""
    projects = {
        project.id: project for project in (lerim.projects.at(lerim.house.home), *lerim.projects.all()) if project
    }
    for project in projects.values():
        if not project.root.is_dir():
            continue  # A disk that is not there, or a project that was deleted.
        tell({"maintains": project.name})
        try:
            _maintain_one(lerim, project.id)
        except (LerimError, OSError) as error:
            hint = error.hint if isinstance(error, LerimError) else None
            tell({"problem": f"{project.name}: {getattr(error, 'message', error)}", "hint": hint})
        if stop.is_asked:
            raise KeyboardInterrupt
    lerim.index.refresh(lambda: stop.is_asked)
    if lerim.house.team is not None:
        # As workers do; where there are none, uploads that were killed are seen after all the same.
        with suppress(LerimError):
            lerim.house.team.sweep()
    tell({"done": len(projects), "due_in": None})


def _maintain_one(lerim: Lerim, project_id: str) -> None:
    project = lerim.projects.find(project_id)
    house = lerim.house
    if not project.is_global:
        house.grounding_of(project).refresh()
    lerim.workforce.maintenance_of(project).maintain(unattended=True)
    lerim.graph.follow([project])
    house.views_of(project).refresh_all()


# The line to whoever started it


def tell_parent(message: Mapping[str, Any]) -> None:
    with suppress(OSError):  # It is gone; so are we in a moment.
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def _end_with_parent() -> None:
    """Standard input ends when that one does, however it ends."""
    from threading import Thread

    Thread(target=_wait_for_end, daemon=True, name="lerim-parent").start()


def _wait_for_end() -> None:
    with suppress(OSError):
        while os.read(0, 64):
            pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_LAST)
    os._exit(1)
