"""The worker on a real queue: what it finishes, what it gives back, what fails by itself, what it must not write."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.context.filters import ANY
from lerim.errors import (
    BudgetReached,
    ConfigError,
    Conflict,
    ModelError,
    ModelNotReady,
    ModelUnavailable,
    RunFailed,
    SourceError,
    StoreBusy,
    StoreCorrupt,
)
from lerim.examples import install
from lerim.runtime.worker import NO_USER_TURN, UNANSWERED, Taken, Worker
from lerim.service import Lerim
from lerim.sessions.lease import has_ended, has_team_worker_ended, machine_of, this_team_worker, this_worker
from lerim.sessions.queue import Queue
from lerim.sessions.session import Session, SessionState

from ..samples import sampled, sampled_rows

Play = Callable[[Session, Callable[[], None]], Any]


class Scripted:
    """An agent that does what a test says instead of taking in a session."""

    def __init__(self, play: Callable[[], Any]) -> None:
        self._play = play

    def sync(self, trace_path: Path) -> Any:
        assert trace_path.is_file(), "the session was archived first"
        return self._play()


class Office:
    """A project with the six example sessions in line, and workers for them."""

    def __init__(self, lerim: Lerim) -> None:
        self.lerim = lerim
        self.sessions = lerim.sessions
        self.sessions.discover()

    @property
    def queue(self) -> Queue:
        return self.sessions.queue

    def worker(self, play: Play, name: str = "tester") -> Worker:
        """A worker whose agent is a function of the session and the last look before the commit."""
        return Worker(
            name,
            self.sessions,
            lambda session, before: Scripted(lambda: play(session, before)),  # type: ignore[arg-type, return-value]
            lambda job: nullcontext(),
        )

    def real_worker(self, before_commit: Callable[[Session], None]) -> Worker:
        """A worker with the agent there is; `before_commit` happens right before it asks whether it may write."""

        def agent_for(session: Session, before: Callable[[], None]) -> Any:
            def hook() -> None:
                before_commit(session)
                before()

            assert session.project_id is not None
            return self.lerim.workforce.agent(self.lerim.projects.find(session.project_id), hook)

        return Worker("tester", self.sessions, agent_for, lambda job: nullcontext())

    def states(self) -> list[str]:
        return [str(session.state) for session in self.queue.list()]

    def attempts(self) -> list[int]:
        return [session.attempts for session in self.queue.list()]

    def memories(self) -> list[str]:
        return [kept.record.title for kept in self.lerim.memory.select(ANY)]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    project = tmp_path / "berths"
    project.mkdir()
    install(tmp_path, project, datetime.now(UTC))
    with Lerim(project, env={"HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / ".lerim")}) as lerim:
        lerim.setup.init()
        yield Office(lerim)


def nothing(session: Session, before: Callable[[], None]) -> None:
    """An agent that has nothing to write."""


def raising(*errors: Exception) -> Play:
    """An agent that fails with each of these in turn, and then succeeds."""
    left = list(errors)

    def play(session: Session, before: Callable[[], None]) -> None:
        if left:
            raise left.pop(0)

    return play


def failed_run(cause: Exception) -> RunFailed:
    """What an agent raises when a run fails: the cause is behind it."""
    error = RunFailed("run sync-1 failed")
    error.__cause__ = cause
    return error


# --- taking -----------------------------------------------------------------------------------------------------------


def test_the_oldest_session_is_taken_first_and_all_of_them_once(office):
    """Each is done, and there is nothing left to claim."""
    began = [session.started for session in office.queue.list()]

    taken = list(office.worker(nothing).work())

    assert began == [done.session.started for done in taken] == sorted(began)
    assert ["done"] * 6 == office.states()
    assert office.queue.claim("another") is None


def test_a_limit_is_kept_to(office):
    """Two of six; the rest waits untouched."""
    taken = list(office.worker(nothing).work(limit=2))

    assert 2 == len(taken)
    assert ["done", "done", "pending", "pending", "pending", "pending"] == office.states()
    assert [0] * 6 == office.attempts()


def test_only_the_project_that_was_asked_for_is_worked_on(office):
    """Nobody else's sessions are claimed."""
    assert [] == list(office.worker(nothing).work("prj-of-somebody-else"))
    assert ["pending"] * 6 == office.states()


def test_a_session_where_the_user_said_nothing_is_dismissed(office, tmp_path):
    """No agent is asked, it counts as skipped with its reason, and comes back when it changes."""
    trace = tmp_path / "silent.jsonl"
    header = {"type": "session", "schema": 1, "agent": "custom", "run_id": "silent", "started": "2026-01-01T00:00:00Z"}
    trace.write_text(json.dumps(header) + "\n" + json.dumps({"type": "assistant", "text": "Hello?"}) + "\n")
    session = office.lerim.traces.add(trace, "silent")

    taken = office.worker(raising(AssertionError("nobody should be asked"))).take_one(session)

    assert (SessionState.SKIPPED, NO_USER_TURN, None) == (taken.state, taken.reason, taken.result)


# --- what fails by itself ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "reason"),
    sampled_rows(
        [
            (SourceError("cannot be read"), "cannot be read"),
            (RunFailed("run sync-1 failed: no"), "run sync-1 failed: no"),
            (Conflict("changed meanwhile"), "changed meanwhile"),
            (failed_run(ModelError("nonsense")), "run sync-1 failed"),
            (KeyError("a bug of ours"), "KeyError: 'a bug of ours'"),
            (OSError(28, "No space left on device"), "OSError: [Errno 28] No space left on device"),
        ],
        2,
    ),
)
def test_a_session_fails_by_itself_and_the_others_pass(office, error, reason):
    """Its reason is in the queue, it counts as one attempt, and five others are done."""
    taken = list(office.worker(raising(error)).work())

    assert ["failed", "done", "done", "done", "done", "done"] == office.states()
    assert reason == taken[0].reason == office.queue.list()[0].reason
    assert [1, 0, 0, 0, 0, 0] == office.attempts()


def test_a_session_is_dead_after_five_attempts_until_somebody_retries(office):
    """It is not tried a sixth time by itself."""
    first = office.queue.list()[0]
    for _ in range(5):
        with office.lerim.house.catalog.write() as tx:
            tx.run("UPDATE sessions SET due = 0")
        taken = list(office.worker(raising(RunFailed("again"))).work(limit=1))

    assert (SessionState.DEAD, first.id) == (taken[0].state, taken[0].session.id)
    office.queue.retry(first.id)
    assert first.id == next(office.worker(nothing).work()).session.id


def test_a_project_whose_folder_is_gone_is_not_made_again(office, tmp_path):
    """A disk that is not mounted looks like that, too: nothing is written where it will be."""
    (tmp_path / "berths").rename(tmp_path / "elsewhere")

    taken = list(office.worker(nothing).work(limit=1))

    assert SessionState.FAILED == taken[0].state
    assert str(tmp_path / "berths") in str(taken[0].reason)
    assert not (tmp_path / "berths").exists()


# --- what concerns all ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    sampled(
        [
            BudgetReached("used up"),
            ConfigError("roles.lead.model"),
            ModelNotReady("no key"),
            StoreBusy("busy"),
            StoreCorrupt("damaged"),
            KeyboardInterrupt(),
        ],
        2,
    ),
    ids=lambda error: type(error).__name__,
)
def test_what_concerns_all_sessions_ends_the_work(office, error):
    """The session in hand goes back in line without an attempt, and no other is touched."""
    with pytest.raises(type(error)):
        list(office.worker(raising(error)).work())

    assert ["pending"] * 6 == office.states()
    assert [0] * 6 == office.attempts()
    assert 6 == len(list(office.worker(nothing).work()))


@pytest.mark.parametrize("error", [BudgetReached("used up"), ModelNotReady("no key"), StoreCorrupt("damaged")])
def test_it_does_so_from_behind_a_failed_run_as_well(office, error):
    """A run says that it failed; what counts is why."""
    with pytest.raises(type(error)) as raised:
        list(office.worker(raising(failed_run(error))).work())

    assert error is raised.value
    assert [0] * 6 == office.attempts()


def test_when_no_model_answers_the_work_ends_after_a_few(office):
    """A provider that is down must not cost every session an attempt; what failed is reported, and so is why."""
    down = [failed_run(ModelUnavailable("cannot be reached", hint="lerim models check")) for _ in range(6)]
    taken: list[Taken] = []

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        taken.extend(office.worker(raising(*down)).work())

    assert ["failed"] * UNANSWERED + ["pending"] * (6 - UNANSWERED) == office.states()


def test_one_session_that_gets_no_answer_lets_the_others_pass(office):
    """It may only be too long for the model."""
    taken = list(office.worker(raising(failed_run(ModelUnavailable("too slow")))).work())

    assert 6 == len(taken)
    assert ["failed", "done", "done", "done", "done", "done"] == office.states()


def test_attempts_without_an_answer_do_not_give_a_session_up(office):
    """As many as would do so for any other reason: the provider may be out for hours."""
    office.queue.fail(office.queue.claim("tester"), "no")
    with office.queue._database.write() as tx:
        tx.run("UPDATE sessions SET attempts = 10, due = 0")

    unanswered = list(office.worker(raising(failed_run(ModelUnavailable("too slow")))).work(limit=1))
    with office.queue._database.write() as tx:
        tx.run("UPDATE sessions SET due = 0")
    broken = list(office.worker(raising(failed_run(ValueError("a bug")))).work(limit=1))

    assert ["failed", "dead"] == [str(taken.state) for taken in (*unanswered, *broken)]


def test_an_interrupt_in_the_last_moment_undoes_nothing(office):
    """The session was done already; the interrupt is still what the caller gets."""
    job = office.queue.claim("tester")

    class Late(nullcontext):  # type: ignore[type-arg]
        def __exit__(self, *exc: object) -> None:
            raise KeyboardInterrupt

    worker = office.worker(nothing)
    worker._keep = lambda job: Late()
    with pytest.raises(KeyboardInterrupt):
        worker.take(job)

    assert ["done"] + ["pending"] * 5 == office.states()


# --- leases -----------------------------------------------------------------------------------------------------------


def take_over(office: Office, session: Session) -> None:
    """Another machine's worker was told that ours is dead, and has it now."""
    with office.lerim.house.catalog.write() as tx:
        tx.run("UPDATE sessions SET leased_at = 0, due = 0 WHERE id = ?", (session.id,))
    queue = Queue(office.lerim.house.catalog, random=lambda: 0.0)
    assert queue.claim("another:1", session_id=session.id) is None  # Only given up by now.
    with office.lerim.house.catalog.write() as tx:
        tx.run("UPDATE sessions SET due = 0")
    assert queue.claim("another:1", session_id=session.id) is not None


def test_a_worker_that_lost_its_session_writes_nothing(office):
    """It asks before the commit and is refused; the session is the other's, whatever it does."""
    taken = next(office.real_worker(lambda session: take_over(office, session)).work())

    assert (SessionState.RUNNING, None) == (taken.state, taken.result)
    assert "no longer held" in str(taken.reason)
    assert [] == office.memories()
    assert "another:1" == holder(office, taken.session)


def holder(office: Office, session: Session) -> str:
    with office.lerim.house.catalog.read() as tx:
        row = tx.row("SELECT worker FROM sessions WHERE id = ?", (session.id,))
    assert row is not None
    return str(row[0])


def test_a_session_that_a_person_skips_during_the_run_is_left_out(office):
    """Nothing of it is written, and it stays skipped."""
    taken = next(office.real_worker(lambda session: office.queue.skip(session.id, "not this one") and None).work())

    assert taken.result is None
    assert [] == office.memories()
    assert "skipped" == office.states()[0]


def test_a_worker_that_was_killed_is_not_waited_for(office):
    """Its session is taken at once. The attempt does not count: whoever stopped it, the session did not fail."""
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    ended.wait()
    job = office.queue.claim(f"{platform.node()}:{ended.pid}")
    assert job is not None

    again = office.queue.claim("another")

    assert again is not None
    assert (job.session.id, 1, 1) == (again.session.id, again.attempt, again.session.deaths)


def test_a_worker_that_lives_is_waited_for(office):
    """Its project has its turn when it is done; so has that of a worker on another machine."""
    for name in (this_worker(), f"{platform.node()}:1", "elsewhere:99999999", "somebody"):
        assert office.queue.claim(name) is not None
        assert office.queue.claim("eager") is None
        with office.lerim.house.catalog.write() as tx:
            tx.run("UPDATE sessions SET state = 'done' WHERE state = 'running'")


@pytest.mark.parametrize(
    ("worker", "ended"),
    [
        (f"{platform.node()}:{os.getpid()}", False),
        (f"{platform.node()}:{10**9}", True),
        (f"{platform.node()}:{10**30}", False),
        (f"another-{platform.node()}:{10**9}", False),
        ("plain", False),
        ("", False),
        (f"{platform.node()}:-1", False),
    ],
    ids=["this one", "nobody", "no number", "elsewhere", "plain", "empty", "negative"],
)
def test_only_a_process_of_this_machine_is_known_to_have_ended(worker, ended):
    """In doubt it lives."""
    assert ended == has_ended(worker)


def test_a_machine_of_the_same_name_is_another_one():
    """Of its processes nothing is known: their numbers are other processes here."""
    here, _, number = this_team_worker().rpartition(":")

    assert "build box" == machine_of(this_team_worker("build box"))
    assert (platform.node(), str(os.getpid())) == (here.rpartition("-")[0], number)
    assert not has_team_worker_ended(this_team_worker())
    assert has_team_worker_ended(f"{here}:{10**9}")
    assert not has_team_worker_ended(f"{platform.node()}-0badc0de:{10**9}")
    assert not has_team_worker_ended(f"{platform.node()}:{10**9}")
