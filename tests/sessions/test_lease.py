"""A busy worker keeps its session, however long one step takes."""

from __future__ import annotations

import threading

import pytest

from lerim.errors import Conflict
from lerim.sessions.lease import kept
from lerim.sessions.queue import Queue, Rules
from lerim.sessions.session import SessionState
from lerim.storage.sqlite import SqliteDatabase


@pytest.fixture
def job(desk):
    desk.write("one.log", cwd=desk.app, started="2026-01")
    desk.discover()
    job = Queue(desk.database, lambda: 0.0, Rules(lease_seconds=1.5)).claim("busy")
    assert job is not None
    return job


def another(desk) -> SqliteDatabase:
    return SqliteDatabase(desk.database.path, "sessions")


def test_a_lease_is_renewed_while_the_worker_is_busy(desk, job):
    """Several leases long nobody else gets the session, and its worker may finish it."""
    queue = Queue(desk.database, lambda: 0.0)
    others = []

    with kept(job, lambda: another(desk), every=0.05):
        for _ in range(25):
            threading.Event().wait(0.1)
            others.append(queue.claim("eager"))

    assert [None] * 25 == others
    assert SessionState.DONE == queue.complete(job)


def test_a_worker_that_lost_its_session_is_refused_in_the_end(desk, job):
    """A person took it out of its hands; renewing stops, and finishing has no effect."""
    queue = Queue(desk.database, lambda: 0.0)

    with kept(job, lambda: another(desk), every=0.05):
        queue.skip(job.session.id, "not this one")
        threading.Event().wait(0.2)

    with pytest.raises(Conflict):
        queue.complete(job)
    assert SessionState.SKIPPED == queue.list()[0].state


def test_a_short_step_opens_no_connection(job):
    """Most sessions take less than a second."""

    def never() -> SqliteDatabase:
        raise AssertionError

    with kept(job, never, every=30.0):
        pass
