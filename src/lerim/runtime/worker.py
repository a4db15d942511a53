"""Work off the queue: claim a session, read it, let the agent take from it, complete it. Whole or not at all.

A session that cannot be read or taken fails by itself and lets the others pass. What concerns all of them, as a
budget that is spent or a key that is refused, ends the work; the session in hand goes back to the queue untouched.
Where machines share a store, each takes its own sessions by uploading them, and workers take what was uploaded.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from lerim.dataclass import dataclass
from lerim.errors import (
    BudgetReached,
    ConfigError,
    Conflict,
    LerimError,
    ModelNotReady,
    ModelUnavailable,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreTooNew,
    StoreTooOld,
    StoreUnreachable,
)
from lerim.sessions.session import Session, SessionState

if TYPE_CHECKING:
    # Start-up: most syncs find nothing to do, and learn that before they load the agent's framework.
    from lerim.runtime.agent import LeadAgent
    from lerim.runtime.results import SyncResult
    from lerim.sessions.archive import Archived
    from lerim.sessions.queue import Job, Queue
    from lerim.sessions.team import TeamSessions

    #: The agent for one session: its project's memory, its models, and a last look before anything is written.
    AgentFor = Callable[[Session, Callable[[], None]], LeadAgent]
    #: Holds a claimed session while the block runs.
    Keep = Callable[[Job], AbstractContextManager[None]]
    #: Takes a claimed session in a process of its own. Raises SessionCrash when that one ends without a word.
    Alone = Callable[[Job], "Taken"]

    class WorkedSessions(Protocol):
        """Sessions that wait for their turn: those of this machine, or those that machines share."""

        @property
        def queue(self) -> Queue: ...

        def read(self, session: Session) -> Archived: ...

        def complete(self, job: Job, archived: Archived) -> SessionState: ...


# Opened and closed again, or run by a machine for machines.
NO_USER_TURN = "the user said nothing"
#: Nobody's fault, and the next session would fare no better.
CONCERNS_ALL = (
    *(BudgetReached, ConfigError, ModelNotReady),
    *(StoreBusy, StoreCorrupt, StoreTooNew, StoreTooOld, StoreUnreachable),
)
#: What became of a session that other machines take from here.
UPLOADED = "uploaded"
#: One session may be too much for a model. When so many in a row get no answer, there is none to be had.
UNANSWERED = 2
#: So many new values are let be before those that nothing leads to any more are looked for.
_VALUES_AT_ONCE = 100_000


@dataclass(frozen=True)
class Taken:
    """What became of one session. `result` is there when the agent took it, `reason` when it did not."""

    session: Session
    state: SessionState
    seconds: float
    result: SyncResult | None = None
    reason: str | None = None
    #: Why no model answered, if that is the reason.
    unanswered: ModelUnavailable | None = None

    @property
    def wrote(self) -> bool:
        """Whether a record was written: a memory, or the session's summary."""
        return self.result is not None and bool(self.result.written or self.result.summary)


class Worker:
    """One process at work on the queue."""

    def __init__(
        self, name: str, sessions: WorkedSessions, agent_for: AgentFor, keep: Keep, alone: Alone | None = None
    ) -> None:
        self.name = name
        self._sessions = sessions
        self._agent_for = agent_for
        self._keep = keep
        self._alone = alone
        #: What could not be given back, since the queue was not to be reached.
        self._owed: list[Job] = []

    def work(
        self,
        project_id: str | None = None,
        limit: int | None = None,
        *,
        newest_first: bool = False,
        quiet: float = 0.0,
    ) -> Iterator[Taken]:
        """Take what is due, in the order asked for, until nothing is left or `limit` sessions were taken. What was
        written to within `quiet` seconds is left alone."""
        taken, unanswered = 0, 0
        while limit is None or taken < limit:
            self._return_owed()
            job = self._sessions.queue.claim(self.name, project_id, newest_first=newest_first, quiet=quiet)
            if job is None:
                return
            done = self.take(job)
            yield done
            taken += 1
            unanswered = unanswered + 1 if done.unanswered else 0
            if done.unanswered and unanswered == UNANSWERED:
                raise done.unanswered

    def take_one(self, session: Session) -> Taken | None:
        """Take this very session, whatever became of it before. None when another worker is at its project."""
        self._sessions.queue.enqueue(session.id)
        job = self._sessions.queue.claim(self.name, session_id=session.id)
        return self.take(job) if job else None

    def take_due(self, session: Session) -> Taken | None:
        """Take this very session if it waits for its turn; None when it does not, or its project is worked on."""
        job = self._sessions.queue.claim(self.name, session_id=session.id)
        return self.take(job) if job else None

    def take(self, job: Job) -> Taken:
        """Take a claimed session. Raises what concerns all of them."""
        began = time.monotonic()
        try:
            with self._keep(job), _seldom_collected():
                if job.is_suspect and self._alone:
                    return self._alone(job)
                state, result, reason = self._ingest(job)
        except KeyboardInterrupt:
            self._give_back(job)
            raise
        except Exception as error:
            # Whatever a session makes us stumble over, a bug of ours included, the others have their turn.
            if (shared := _behind(error)) is None:
                return self._failed(job, error, began)
            self._give_back(job)
            raise shared from None
        return Taken(job.session, state, time.monotonic() - began, result, reason)

    def _give_back(self, job: Job) -> None:
        # Finished in the last moment, or a queue that is busy: then its lease runs out by itself.
        try:
            self._sessions.queue.release(job)
        except StoreUnreachable:
            self._owed.append(job)
        except LerimError:
            pass

    def _return_owed(self) -> None:
        """Give back what was in hand when the queue fell silent: nobody has to wait for a lease to run out."""
        owed, self._owed = self._owed, []
        for job in owed:
            self._give_back(job)

    def _ingest(self, job: Job) -> tuple[SessionState, SyncResult | None, str | None]:
        _require_project(job.session)
        archived = self._sessions.read(job.session)
        if not _has_user_turn(archived):
            return self._sessions.queue.dismiss(job, NO_USER_TURN), None, NO_USER_TURN
        result, reason = self._take_from(job, archived)
        return self._sessions.complete(job, archived), result, reason

    def _take_from(self, job: Job, archived: Archived) -> tuple[SyncResult | None, str | None]:
        # Asked right before the commit: a worker that lost its lease writes nothing.
        agent = self._agent_for(job.session, lambda: self._sessions.queue.heartbeat(job))
        return agent.sync(archived.path), None

    def _failed(self, job: Job, error: Exception, began: float) -> Taken:
        reason = error.message if isinstance(error, LerimError) else f"{type(error).__name__}: {error}"
        from lerim.llm import failure_behind  # Start-up: as above.

        known = failure_behind(error)
        unanswered = known if isinstance(known, ModelUnavailable) else None
        try:
            state = self._sessions.queue.fail(job, reason, unanswered=unanswered is not None)
        except Conflict:
            state = SessionState.RUNNING  # Another worker holds it, and what it does counts.
        return Taken(job.session, state, time.monotonic() - began, reason=reason, unanswered=unanswered)


class UploadingWorker(Worker):
    """A worker that takes a session by giving it to the team: another one learns from it."""

    def __init__(self, name: str, sessions: WorkedSessions, team: TeamSessions, keep: Keep, alone: Alone) -> None:
        super().__init__(name, sessions, _nobody, keep, alone)
        self._team = team

    def _take_from(self, job: Job, archived: Archived) -> tuple[SyncResult | None, str | None]:
        self._team.upload(job.session, archived)
        return None, UPLOADED


def _nobody(session: Session, before_commit: Callable[[], None]) -> LeadAgent:
    raise AssertionError("what is uploaded is read by another worker")


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Reading a session makes a million values and hardly a circle: looking for some each time costs a tenth of it."""
    before = gc.get_threshold()
    gc.set_threshold(_VALUES_AT_ONCE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _behind(error: BaseException | None) -> LerimError | None:
    """What a failure comes from, if it concerns all sessions: a run that fails wraps it."""
    while error is not None and not isinstance(error, CONCERNS_ALL):
        error = error.__cause__ or error.__context__
    return error


def _require_project(session: Session) -> None:
    # Writing would make the folder again, where a disk is to be mounted or a project was deleted on purpose.
    root = session.project_root
    if root is not None and not root.is_dir():
        raise NotFound(f"its project's folder {root} is not there", hint="lerim project list")


def _has_user_turn(archived: Archived) -> bool:
    return bool(archived.facts.turns)
