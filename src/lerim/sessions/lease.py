"""Keep a claimed session while its worker is busy: a thread renews the lease, however long one step takes."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Event, Thread

from lerim.errors import Conflict, StoreError
from lerim.sessions.queue import Job, Queue
from lerim.storage.database import Database

#: Seconds between two renewals: a few of them may fail before the lease runs out.
RENEW_EVERY = 30.0


def this_worker() -> str:
    """The name this process works under: its machine and its number."""
    return f"{platform.node()}:{os.getpid()}"


def has_ended(worker: str) -> bool:
    """Whether a worker's process has surely ended. Of another machine's nothing is known: its lease must run out."""
    machine, _, number = worker.rpartition(":")
    if machine != platform.node() or not number.isdecimal():
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
