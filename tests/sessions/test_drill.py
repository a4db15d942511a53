"""The drill: several processes on one queue, killed, frozen and with wrong clocks. Each session counts exactly once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import lerim
from lerim.sessions.routing import Registered
from lerim.sessions.session import SessionState

WORKER = Path(__file__).with_name("drill_worker.py")
PROJECTS = 5
#: Machines are shared: only a queue that stands still takes as long as this.
PATIENCE = 240


class Crew:
    """Worker processes that are replaced as they are killed."""

    def __init__(self, opening: str, where: Path, skews: list[float]) -> None:
        self.database = (opening, str(where))
        self.skews = skews
        self.hired = 0
        self.workers = [self.hire(skew) for skew in skews]

    def hire(self, skew: float) -> subprocess.Popen[bytes]:
        self.hired += 1
        env = os.environ | {"PYTHONPATH": str(Path(lerim.__file__).parents[1])}
        words = [sys.executable, str(WORKER), *self.database, f"w{self.hired}", str(skew)]
        return subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def kill(self, index: int) -> None:
        self.workers[index].send_signal(signal.SIGKILL)
        self.fire(self.workers[index])
        self.workers[index] = self.hire(self.skews[index])

    def freeze(self, index: int, seconds: float) -> None:
        """Long enough to lose the lease, then back as if nothing had happened."""
        self.workers[index].send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.workers[index].send_signal(signal.SIGCONT)

    def fire(self, worker: subprocess.Popen[bytes]) -> None:
        worker.communicate()

    def errors(self) -> list[bytes]:
        """What workers that were left alone printed at the end."""
        return [error for worker in self.workers if (error := worker.communicate(timeout=PATIENCE)[1])]


@contextmanager
def crew(opening: str, where: Path, skews: list[float]) -> Iterator[Crew]:
    hired = Crew(opening, where, skews)
    try:
        yield hired
    finally:
        for worker in hired.workers:
            worker.kill()
            worker.communicate()


def wait_for_more(laptop, done: int) -> int:
    """Until more than `done` sessions are done; how many that are."""
    deadline = time.monotonic() + PATIENCE
    while (now := laptop.queue().counts()[SessionState.DONE]) <= done:
        assert time.monotonic() < deadline, f"nothing was done after {done} sessions"
        time.sleep(0.02)
    return now


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("blows", [5, pytest.param(25, marks=pytest.mark.drill)])
@pytest.mark.parametrize(
    "skews",
    [
        pytest.param([0.0, 0.0, 0.0], id="true clocks", marks=pytest.mark.drill),
        pytest.param([0.0, 3600.0, -3600.0], id="wrong clocks"),
    ],
)
def test_killed_and_frozen_workers_leave_each_session_done_once(laptop, engine, tmp_path, skews, blows):
    """Exactly one effect for every session, in the same transaction as its completion; none is lost, none is double.

    With wrong clocks workers take each other's live sessions all the time. That wastes work and changes nothing else.
    """
    chance = random.Random(7)
    sessions = 60 + 10 * blows
    for number in range(PROJECTS):
        laptop.projects.append(Registered(f"prj-{number}", laptop.folder(f"p{number}")))
    for number in range(sessions):
        laptop.write(f"s{number:03}.log", cwd=laptop.home.parent / f"p{number % PROJECTS}", started=f"2026-{number:04}")
    laptop.discover()
    with laptop.database.write() as tx:
        # A database may have had an earlier drill.
        tx.run("DROP TABLE IF EXISTS effects")
        tx.run("CREATE TABLE effects (session INTEGER, token INTEGER, worker TEXT)")

    done = 0
    with crew(engine.opening(tmp_path), tmp_path, skews) as workers:
        for _ in range(blows):
            # Between two blows somebody gets something done, however slow the machine is.
            done = min(wait_for_more(laptop, done), sessions - 1)
            if chance.random() < 0.7:
                workers.kill(chance.randrange(len(skews)))
            else:
                workers.freeze(chance.randrange(len(skews)), 0.6)
        errors = workers.errors()

    with laptop.database.read() as tx:
        effects = tx.row("SELECT count(*), count(DISTINCT session) FROM effects")
        stale = tx.rows("SELECT e.session FROM effects e JOIN sessions s ON s.id = e.session WHERE e.token <> s.token")
    assert [] == errors
    assert (sessions, sessions) == effects
    assert [] == stale
    assert sessions == laptop.queue().counts()[SessionState.DONE]
    assert workers.hired > len(skews)
