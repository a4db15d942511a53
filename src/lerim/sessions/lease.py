"""Keep a claimed session while its worker is busy: a thread renews the lease, however long one step takes."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread

from lerim.digests import blake2b
from lerim.errors import Conflict, StoreError
from lerim.sessions.queue import Job, Queue
from lerim.storage.database import Database

#: Seconds between two renewals: a few of them may fail before the lease runs out.
RENEW_EVERY = 30.0


def this_worker() -> str:
    """The name this process works under: its machine and its number."""
    return f"{platform.node()}:{os.getpid()}"


def this_team_worker(machine: str = "") -> str:
    """The same where several machines work, and some may well have the same name."""
    return f"{machine or platform.node()}-{_this_machine()}:{os.getpid()}"


def machine_of(worker: str) -> str:
    """What the machine of a team's worker is called."""
    return worker.rpartition(":")[0].rpartition("-")[0] or worker


def has_ended(worker: str) -> bool:
    """Whether a worker's process has surely ended. Of another machine's nothing is known: its lease must run out."""
    return _has_ended(worker, platform.node())


def has_team_worker_ended(worker: str) -> bool:
    """The same of a worker among those of several machines."""
    machine, _, number = worker.rpartition(":")
    return _has_ended(f"{machine.rpartition('-')[2]}:{number}", _this_machine())


@cache
def _this_machine() -> str:
    """This machine and no other, as far as processes are numbered together: until it is started again."""
    known = [platform.node()]
    with suppress(OSError):
        known += [Path("/proc/sys/kernel/random/boot_id").read_text(), str(Path("/proc/self/ns/pid").readlink())]
    if len(known) == 1:
        from uuid import getnode  # Start-up: where the system does not tell.

        known.append(f"{getnode():x}")
    return blake2b(" ".join(known).encode(), digest_size=4).hexdigest()


def _has_ended(worker: str, here: str) -> bool:
    machine, _, number = worker.rpartition(":")
    if machine != here or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)  # Sends nothing; only asks.
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False  # It is there, and somebody else's.
    return False


@contextmanager
def kept(job: Job, open_database: Callable[[], Database], every: float = RENEW_EVERY) -> Iterator[None]:
    """Hold the session while the block runs. Whoever lost it learns so when finishing: the queue refuses them."""
    done = Event()
    thread = Thread(target=_renew, args=(job, open_database, every, done), daemon=True, name="lerim-lease")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(job: Job, open_database: Callable[[], Database], every: float, done: Event) -> None:
    # Most sessions take less than a second: no connection is opened for them.
    while not done.wait(every):
        try:
            with closing(open_database()) as database:  # A connection belongs to one thread.
                Queue(database, random=lambda: 0.0).heartbeat(job)
        except Conflict:
            return
        except StoreError:
            pass  # Busy or out of reach for once; the lease outlasts several renewals.
