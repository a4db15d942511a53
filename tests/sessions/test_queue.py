"""The queue: order, leases, tokens, backing off, and one worker for a project."""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lerim.errors import Conflict, NotFound
from lerim.sessions.forks import already_ingested, remember
from lerim.sessions.queue import FIRST_FREE, HOLDERS, WAITING, Queue, Rules, database_clock
from lerim.sessions.routing import Registered
from lerim.sessions.session import SessionState
from lerim.storage.postgres import PostgresDatabase

from ..conftest import SqliteEngine, examples
from ..postgres_server import MISSING, PostgresEngine, programs


def fill(laptop, *started: str, project: str = "app") -> None:
    """Sessions named by when they began."""
    for start in started:
        laptop.write(f"{project}-{start}.log", cwd=laptop.home.parent / project, started=start)


@pytest.fixture
def lib(laptop):
    laptop.projects.append(Registered("prj-lib", laptop.folder("lib")))


def test_sessions_of_a_project_are_taken_oldest_first(laptop):
    """By when they began, however they were found: older truth must not overrule newer."""
    fill(laptop, "2026-03", "2026-01", "2026-02")
    laptop.discover()

    assert ["app-2026-01", "app-2026-02", "app-2026-03"] == laptop.work_off()
    assert laptop.queue().claim("w") is None


def test_a_claim_looks_at_the_first_of_each_project_that_waits(sessions_database):
    """However many there are behind it: what is next in a project, and which projects wait, is where the index says."""
    states = ["pending"] + 19 * ["done"]
    rows = (("fake", f"run-{n}", 1, "x", "2026-01-01", f"prj-{n % 50}", states[n // 50 % 20]) for n in range(4000))
    columns = ("agent", "run_id", "container_id", "fingerprint", "active", "project_id", "state")
    is_server = isinstance(sessions_database, PostgresDatabase)
    explain = "EXPLAIN" if is_server else "EXPLAIN QUERY PLAN"
    with sessions_database.write() as tx:
        tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'fake', 'fake', 0, 0)")
        tx.load("sessions", columns, rows)
        tx.run("ANALYZE sessions")  # As a server does by itself, in a while.
        if is_server:
            tx.run("SET LOCAL enable_seqscan = off")  # It reads a table as small as this one at once.
        named = {"projects": WAITING, "asked": "", "passed": "", "order": "ASC", "unheld": tx.unheld("w")}
        plan = str(tx.rows(f"{explain} {FIRST_FREE.format(**named)}", (1e9, 2e9)))
        holders = str(tx.rows(f"{explain} {HOLDERS}", (0.0, 0.0)))

    assert plan.count("sessions_waiting") >= 2, "which projects wait, and what is next in each"
    by_state = "sessions_by_state (state=?" in plan  # As good as the other: what runs is as many as there are workers.
    assert ("sessions_running" in plan or by_state) and "sessions_running" in holders
    assert "agent" not in plan, "the index of names knows those that are done, too"
    assert "SCAN w" not in plan and "Seq Scan" not in plan + holders


def test_one_project_is_worked_on_by_one_worker(laptop, lib):
    """A second worker gets another project's session, a third nothing."""
    fill(laptop, "2026-01", "2026-02")
    fill(laptop, "2026-03", project="lib")
    laptop.discover()
    queue = laptop.queue()

    first, second = queue.claim("a"), queue.claim("b")

    assert ["app-2026-01", "lib-2026-03"] == [first.session.run_id, second.session.run_id]
    assert queue.claim("c") is None
    queue.complete(first)
    assert "app-2026-02" == queue.claim("c").session.run_id


def test_a_worker_may_ask_for_one_session(laptop):
    """`lerim ingest` takes the session it was given, not the oldest one."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    newer = laptop.queue().list()[1]

    assert "app-2026-02" == laptop.queue().claim("w", session_id=newer.id).session.run_id


def test_a_worker_may_ask_for_one_project(laptop, lib):
    """A sync inside a project does not start with somebody else's sessions."""
    fill(laptop, "2026-01")
    fill(laptop, "2026-02", project="lib")
    laptop.discover()

    assert "lib-2026-02" == laptop.queue().claim("w", "prj-lib").session.run_id
    assert laptop.queue().claim("w", "prj-lib") is None


def test_a_session_that_is_being_written_to_is_left_alone_until_it_falls_quiet(laptop):
    """It holds up no other, and whoever asks for it by name gets it."""
    for name, age in (("live", 10), ("rests", 500)):
        laptop.touch(laptop.write(f"{name}.log", started=f"2026-01-{name}"), int(laptop.now) - age)
    laptop.discover()
    queue = laptop.queue()

    assert 0.0 == queue.due_in(quiet=300.0)
    queue.complete(queue.claim("w", quiet=300.0))
    assert {"live": "pending", "rests": "done"} == laptop.states()
    assert queue.claim("w", quiet=300.0) is None
    assert 290.0 == queue.due_in(quiet=300.0)

    laptop.now += 290
    queue.release(queue.claim("w", quiet=300.0))
    laptop.now -= 290
    assert "live" == queue.claim("w", session_id=queue.due()[0].id).session.run_id


def test_a_session_from_the_future_is_not_waited_for(laptop):
    """The clock was ahead when its file was written, and was put right since."""
    laptop.touch(laptop.write("a.log"), int(laptop.now) + 90 * 86400)
    laptop.discover()

    assert 0.0 == laptop.queue().due_in(quiet=300.0)
    assert laptop.queue().claim("w", quiet=300.0) is not None


def test_it_is_known_when_the_next_one_is_due(laptop):
    """By its wait, as far as that can be right; never when nothing waits."""
    assert laptop.queue().due_in() is None
    fill(laptop, "2026-01")
    laptop.discover()
    queue = laptop.queue(first_wait=40, longest_wait=100)
    assert 0.0 == queue.due_in()

    queue.fail(queue.claim("w"), "no model")
    assert 40.0 == queue.due_in()
    laptop.now -= 5000
    assert 0.0 == queue.due_in()
    assert queue.claim("w") is not None
    assert queue.due_in() is None


def test_a_bad_session_does_not_block_the_others(laptop):
    """While it backs off, and when it is dead, its project goes on."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    queue = laptop.queue(max_attempts=2, first_wait=10)

    assert SessionState.FAILED is queue.fail(queue.claim("w"), "no model")
    job = queue.claim("w")
    assert "app-2026-02" == job.session.run_id
    queue.complete(job)
    assert queue.claim("w") is None

    laptop.now += 10
    assert SessionState.DEAD is queue.fail(queue.claim("w"), "no model again")
    assert {"app-2026-01": "dead: no model again", "app-2026-02": "done"} == laptop.states()


def test_an_outage_of_models_gives_no_session_up(laptop):
    """That nobody answered says little about a session: it is tried for most of a day before it is dead."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue, began, states = laptop.queue(), laptop.now, []
    while SessionState.DEAD not in states:
        states.append(queue.fail(queue.claim("w"), "no answer", unanswered=True))
        laptop.now += queue.due_in() or 0.0

    assert 8 < (laptop.now - began) / 3600 < 30
    assert 30 == len(states)


def test_waits_double_up_to_a_limit_and_are_spread_by_chance():
    """Half of each wait is certain, the other half is chance."""
    rules = Rules(first_wait=10, longest_wait=60)

    assert [10, 20, 40, 60, 60] == [rules.wait(attempt, lambda: 1.0) for attempt in (1, 2, 3, 4, 5000)]
    assert 5 == rules.wait(1, lambda: 0.0)


def test_a_silent_worker_loses_its_session(laptop):
    """After a crash the session is tried again; a worker that keeps renewing its lease keeps it."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue = laptop.queue(lease_seconds=60, first_wait=1)
    job = queue.claim("a")

    laptop.now += 59
    queue.heartbeat(job)
    laptop.now += 59
    assert queue.claim("b") is None
    laptop.now += 1
    assert queue.claim("b") is None  # it waits like any failure: it may be what killed its worker
    assert {"app-2026-01": "failed: worker a stopped without reporting"} == laptop.states()

    laptop.now += 1
    job = queue.claim("b")
    assert (2, 1, 1) == (job.token, job.attempt, job.session.deaths)


def test_no_number_of_killed_workers_gives_a_session_up(laptop):
    """Being stopped is nobody's failure: only failures that are reported count towards the last attempt."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    queue = laptop.queue(lease_seconds=60, first_wait=0, max_attempts=2)

    suspected = []
    for _ in range(25):
        job = queue.claim("killed", session_id=1)
        suspected.append(job.is_suspect)
        laptop.now += 60
    queue.complete(queue.claim("w"))

    assert [False] * 3 + [True] * 22 == suspected
    left = queue.claim("w")
    # The other one was first: a session that may end its workers lets everybody pass.
    assert ("app-2026-01", 25, 1) == (left.session.run_id, left.session.deaths, left.attempt)
    queue.complete(left)
    assert {"app-2026-01": "done", "app-2026-02": "done"} == laptop.states()
    assert [0, 0] == [session.deaths for session in queue.list()]


def test_a_person_who_retries_a_session_trusts_it_again(laptop):
    """It has its old place in line, and is taken as all others are."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    queue = laptop.queue(lease_seconds=60, first_wait=0)
    for _ in range(4):
        queue.claim("killed", session_id=1)
        laptop.now += 60
    assert queue.claim("w").session.id == 2
    laptop.now += 60

    queue.retry()

    job = queue.claim("w")
    assert (1, 0, False) == (job.session.id, job.session.deaths, job.is_suspect)


def test_a_worker_thought_dead_cannot_finish(laptop):
    """Its token is old: completing, failing, renewing and giving back are all refused, and change nothing."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue = laptop.queue(lease_seconds=60, first_wait=0)
    zombie = queue.claim("a")
    laptop.now += 60
    holder = queue.claim("b")
    effects = []

    for late in (
        lambda: queue.complete(zombie, lambda tx: effects.append("zombie")),
        lambda: queue.dismiss(zombie, "nothing in it"),
        lambda: queue.fail(zombie, "late"),
        lambda: queue.heartbeat(zombie),
        lambda: queue.release(zombie),
    ):
        with pytest.raises(Conflict):
            late()
    queue.complete(holder, lambda tx: effects.append("holder"))
    with pytest.raises(Conflict):
        queue.complete(holder, lambda tx: effects.append("twice"))

    assert ["holder"] == effects
    assert {"app-2026-01": "done"} == laptop.states()


def test_an_effect_that_fails_leaves_the_session_running(laptop):
    """What happens together with completing happens, or nothing does."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue = laptop.queue()
    job = queue.claim("w")

    with pytest.raises(ZeroDivisionError):
        queue.complete(job, lambda tx: 1 / 0)
    assert SessionState.DONE is queue.complete(job)


def test_a_session_that_grows_while_it_runs_goes_back_in_line(laptop):
    """What its worker read is in; what came after is still to be done."""
    path = laptop.write("one.log", "hello")
    laptop.discover()
    queue = laptop.queue()
    job = queue.claim("w")

    laptop.append(path, "more")
    laptop.discover()
    assert {"one": "running"} == laptop.states()

    assert SessionState.PENDING is queue.complete(job)
    assert SessionState.DONE is queue.complete(queue.claim("w"))


def test_a_worker_with_a_wrong_clock_takes_nothing_from_the_living(laptop, monkeypatch):
    """Leases are measured by the database's clock; what a worker's own clock says does not enter."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue = Queue(laptop.database, lambda: 1.0)
    job = queue.claim("a")

    for offset in (-86_400, 86_400):
        monkeypatch.setattr(time, "time", lambda offset=offset, now=time.time: now() + offset)
        assert Queue(laptop.database, lambda: 1.0).claim("b") is None
    monkeypatch.undo()

    assert SessionState.DONE is queue.complete(job)


def test_the_database_knows_the_time(laptop):
    """To the fraction of a second, in UTC."""
    with laptop.database.read() as tx:
        assert abs(time.time() - database_clock(tx)) < 5


def test_a_clock_that_is_set_back_neither_steals_nor_hangs(laptop):
    """A lease from the future starts over: its worker may live. If it does not, the lease runs out like any other."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    queue = laptop.queue(lease_seconds=60, first_wait=10)
    queue.fail(queue.claim("w"), "no model")
    queue.claim("a")

    laptop.now -= 1_000_000
    assert queue.claim("b") is None
    laptop.now += 59
    assert queue.claim("b") is None
    laptop.now += 1
    # The first one's wait would end in a far future that was never meant.
    assert "app-2026-01" == queue.claim("b").session.run_id


def test_a_session_given_back_does_not_count_as_an_attempt(laptop):
    """Stopping a run by hand is nobody's failure."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue = laptop.queue()

    queue.release(queue.claim("w"))

    job = queue.claim("w")
    assert (1, 2) == (job.attempt, job.token)


def test_a_session_with_nothing_in_it_comes_back_when_there_is(laptop):
    """A worker leaves it out for what it is now; a person leaves it out for good."""
    paths = [laptop.write(f"{name}.log") for name in ("dismissed", "skipped")]
    laptop.discover()
    queue = laptop.queue()
    assert SessionState.SKIPPED is queue.dismiss(queue.claim("w"), "nobody said anything")
    queue.skip(laptop.catalog.find("skipped").id, "private")
    assert {"dismissed": "skipped: nobody said anything", "skipped": "skipped: private"} == laptop.states()

    for path in paths:
        laptop.append(path, "words")
    laptop.discover()

    assert {"dismissed": "pending", "skipped": "skipped: private"} == laptop.states()
    assert SessionState.PENDING is queue.enqueue(laptop.catalog.find("skipped").id).state


def test_skipping_a_running_session_takes_it_from_its_worker(laptop):
    """The person's word counts; what the worker finishes later is refused."""
    fill(laptop, "2026-01")
    laptop.discover()
    queue = laptop.queue()
    job = queue.claim("w")

    queue.skip(job.session.id, "private")

    with pytest.raises(Conflict):
        queue.complete(job)


def test_what_a_person_asks_for_is_taken_from_outside_the_window(laptop):
    """Enqueueing by hand survives the next scan; without a project it says what to do."""
    fill(laptop, "2026-01")
    laptop.write("lost.log", cwd="/nowhere/else")
    laptop.since = datetime(2030, 1, 1, tzinfo=UTC)
    laptop.discover()
    queue = laptop.queue()

    queue.enqueue(laptop.catalog.find("app-2026-01").id)
    laptop.discover()

    assert "pending" == laptop.states()["app-2026-01"]
    with pytest.raises(Conflict) as caught:
        queue.enqueue(laptop.catalog.find("lost").id)
    assert "lerim project add /nowhere/else" == caught.value.hint


def test_retrying_brings_back_what_failed(laptop):
    """One or all, at once and with all attempts restored; an unknown session is an error."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    queue = laptop.queue(max_attempts=1)
    for _ in range(2):
        queue.fail(queue.claim("w"), "no model")
    first = laptop.catalog.find("app-2026-01").id

    assert (1, 0, 1, 0) == (queue.retry(first), queue.retry(first), queue.retry(), queue.retry())
    assert {SessionState.PENDING: 2} == {state: n for state, n in queue.counts().items() if n}
    with pytest.raises(NotFound):
        queue.retry(999)


def test_a_fork_does_not_give_the_same_records_again(laptop):
    """Records carry the id they had in the session they were copied from; the first to give one keeps it."""
    fill(laptop, "2026-01", "2026-02")
    laptop.discover()
    queue = laptop.queue()
    original = queue.claim("w")
    queue.complete(original, lambda tx: remember(tx, original.session, [f"u{n}" for n in range(1200)]))
    fork = queue.claim("w")

    with laptop.database.read() as tx:
        known = already_ingested(tx, fork.session, [f"u{n}" for n in range(600, 1800)])
        own = already_ingested(tx, original.session, ["u1", "u2"])

    assert {f"u{n}" for n in range(600, 1200)} == known
    assert set() == own


# --- the queue against a model of it ----------------------------------------------------------------------------------


class QueueMachine(RuleBasedStateMachine):
    """Any order of events, from three workers on two projects, compared with what plain Python says must hold."""

    engine: Any = SqliteEngine()

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.database = self.engine.open(Path(self.folder.name), "sessions")
        self.now = 1000.0
        self.rules = Rules(lease_seconds=10, max_attempts=3, first_wait=4, longest_wait=8)
        self.queue = Queue(self.database, lambda: 1.0, self.rules, clock=lambda tx: self.now)
        self.jobs = []
        self.model = {}
        self.effects = Counter()
        self.completed = Counter()
        with self.database.write() as tx:
            tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'fake', '/x', 0, 0)")

    def teardown(self) -> None:
        self.database.close()
        self.engine.done()
        self.folder.cleanup()

    def _expire(self) -> None:
        for row in self.model.values():
            if row["state"] == "running" and row["leased"] + 10 <= self.now:
                self._die(row)

    def _die(self, row) -> None:
        """The worker's end is not the session's failure."""
        row |= {"state": "failed", "attempts": row["attempts"] - 1, "deaths": row["deaths"] + 1}
        row["due"] = self.now + min(8, 4 * 2 ** (row["deaths"] - 1))

    def _fail(self, row) -> None:
        row["state"] = "dead" if row["attempts"] >= 3 else "failed"
        row["due"] = self.now + min(8, 4 * 2 ** (row["attempts"] - 1))

    def _next(self):
        busy = {row["project"] for row in self.model.values() if row["state"] == "running"}
        ready = [
            (row["deaths"] >= 3, row["started"], key)
            for key, row in self.model.items()
            if row["state"] in ("pending", "failed") and row["due"] <= self.now and row["project"] not in busy
        ]
        return min(ready)[2] if ready else None

    @rule(project=st.sampled_from(["p", "q"]), started=st.integers(1, 9))
    def arrive(self, project, started) -> None:
        key = len(self.model) + 1
        sql = """INSERT INTO sessions (id, agent, run_id, container_id, fingerprint, active, started, project_id, state)
                 VALUES (?, 'fake', ?, 1, '1', '', ?, ?, 'pending')"""
        with self.database.write() as tx:
            tx.run(sql, (key, str(key), str(started), project))
        self.model[key] = {
            "project": project, "started": str(started), "state": "pending", "due": 0.0,
            "attempts": 0, "token": 0, "leased": 0.0, "version": 1, "taken": 0, "deaths": 0,
        }  # fmt: skip

    @rule(seconds=st.sampled_from([1, 3, 5, 11]))
    def wait(self, seconds) -> None:
        self.now += seconds

    @rule()
    def claim(self) -> None:
        self._expire()
        expected, job = self._next(), self.queue.claim("w")
        assert expected == (job.session.id if job else None)
        if job is None:
            return
        row = self.model[expected]
        row |= {"state": "running", "attempts": row["attempts"] + 1, "token": row["token"] + 1}
        row |= {"leased": self.now, "taken": row["version"]}
        assert (row["token"], row["attempts"]) == (job.token, job.attempt)
        self.jobs.append(job)

    def _try(self, data, act) -> tuple[object, dict, bool] | None:
        if not self.jobs:
            return None
        job = data.draw(st.sampled_from(self.jobs))
        row = self.model[job.session.id]
        holds = row["state"] == "running" and row["token"] == job.token
        try:
            act(job)
        except Conflict:
            assert not holds
        else:
            assert holds
        return job, row, holds

    @rule(data=st.data())
    def complete(self, data) -> None:
        def act(job) -> None:
            self.queue.complete(job, lambda tx: self.effects.update([(job.session.id, job.token)]))

        if (tried := self._try(data, act)) and tried[2]:
            _, row, _ = tried
            row |= {"state": "done" if row["taken"] == row["version"] else "pending", "attempts": 0, "deaths": 0}
            row["due"] = 0.0

    @rule(data=st.data())
    def fail(self, data) -> None:
        if (tried := self._try(data, lambda job: self.queue.fail(job, "x"))) and tried[2]:
            self._fail(tried[1])

    @rule(data=st.data())
    def beat(self, data) -> None:
        if (tried := self._try(data, self.queue.heartbeat)) and tried[2]:
            tried[1]["leased"] = self.now

    @rule(data=st.data())
    def release(self, data) -> None:
        if (tried := self._try(data, self.queue.release)) and tried[2]:
            tried[1].update(state="pending", due=0.0, attempts=tried[1]["attempts"] - 1)

    @rule(data=st.data())
    def grow(self, data) -> None:
        if self.model:
            key = data.draw(st.sampled_from(sorted(self.model)))
            row = self.model[key]
            if row["state"] == "running":
                row["version"] += 1
                with self.database.write() as tx:
                    tx.run("UPDATE sessions SET fingerprint = ? WHERE id = ?", (str(row["version"]), key))

    @rule()
    def retry(self) -> None:
        self.queue.retry()
        for row in self.model.values():
            if row["state"] in ("failed", "dead"):
                row |= {"state": "pending", "attempts": 0, "deaths": 0, "due": 0.0}

    @invariant()
    def the_states_agree(self) -> None:
        listed = {session.id: session.state.value for session in self.queue.list()}
        assert {key: row["state"] for key, row in self.model.items()} == listed

    @invariant()
    def no_project_runs_twice(self) -> None:
        running = Counter(session.project_id for session in self.queue.list(SessionState.RUNNING))
        assert all(count == 1 for count in running.values())

    @invariant()
    def no_claim_has_two_effects(self) -> None:
        assert all(count == 1 for count in self.effects.values())


class SharedQueueMachine(QueueMachine):
    """The same, for a queue that several machines share."""

    engine = PostgresEngine()


TestQueueAgainstItsModel = QueueMachine.TestCase
TestSharedQueueAgainstItsModel = pytest.mark.skipif(programs() == Path(), reason=MISSING)(SharedQueueMachine.TestCase)
TestQueueAgainstItsModel.settings = TestSharedQueueAgainstItsModel.settings = settings(
    max_examples=examples(40), stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
