"""A busy worker keeps its session, however long one step takes."""

from __future__ import annotations

import time

import pytest

from lerim.errors import Conflict
from lerim.sessions.lease import kept
from lerim.sessions.queue import Queue, Rules
from lerim.sessions.session import SessionState
from lerim.storage.database import Database

LEASE = 60.0
#: Machines are shared: only a lease that nobody renews takes as long as this.
PATIENCE = 120.0


@pytest.fixture
def job(laptop):
    laptop.write("one.log", cwd=laptop.app, started="2026-01")
    laptop.discover()
    job = Queue(laptop.database, lambda: 0.0, Rules(lease_seconds=LEASE)).claim("busy")
    assert job is not None
    return job


def leased_at(laptop) -> float | None:
    with laptop.database.read() as tx:
        row = tx.row("SELECT leased_at FROM sessions")
    assert row is not None
    return row[0]


def wait_for_renewal(laptop, since: float) -> float:
    deadline = time.monotonic() + PATIENCE
    while (renewed := leased_at(laptop)) is None or renewed <= since:
        assert time.monotonic() < deadline, "nobody renewed the lease"
        time.sleep(0.01)
    return renewed


def test_a_lease_is_renewed_while_the_worker_is_busy(engine, tmp_path, laptop, job):
    """Again and again: when it would have run out nobody else gets the session, and its worker may finish it."""
    others = []

    with kept(job, lambda: engine.open(tmp_path, "sessions"), every=0.05):
        given = leased_at(laptop)
        assert given is not None
        for _ in range(3):
            renewed = wait_for_renewal(laptop, given)
            at_the_old_end = given + LEASE
            others.append(Queue(laptop.database, lambda: 0.0, clock=lambda tx, now=at_the_old_end: now).claim("eager"))
            given = renewed

    assert [None] * 3 == others
    assert SessionState.DONE == Queue(laptop.database, lambda: 0.0).complete(job)


def test_a_worker_that_lost_its_session_is_refused_in_the_end(engine, tmp_path, laptop, job):
    """A person took it out of its hands; renewing stops, and finishing has no effect."""
    queue = Queue(laptop.database, lambda: 0.0)

    with kept(job, lambda: engine.open(tmp_path, "sessions"), every=0.05):
        wait_for_renewal(laptop, leased_at(laptop) or 0.0)
        queue.skip(job.session.id, "not this one")

    with pytest.raises(Conflict):
        queue.complete(job)
    assert SessionState.SKIPPED == queue.list()[0].state


def test_a_short_step_opens_no_connection(job):
    """Most sessions take less than a second."""

    def never() -> Database:
        raise AssertionError

    with kept(job, never, every=30.0):
        pass
