"""Sessions in: what is due, in which order, and what it would cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from lerim.dataclass import dataclass
from lerim.errors import Conflict, LerimError, StoreCorrupt
from lerim.flows.flow import Flow
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from datetime import datetime

    from lerim.config.settings import RoleSettings
    from lerim.context.projects import Project
    from lerim.curate.grounding import GroundingReport
    from lerim.flows.serving import Serving
    from lerim.house.rooms import House
    from lerim.llm import Estimate
    from lerim.llm.models import RoleName
    from lerim.runtime.ahead import Ahead
    from lerim.runtime.worker import Taken
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session
    from lerim.sessions.spooled import Spool

#: Seconds for which a project's first sync goes on into the time before the window.
PATIENCE = 60.0
#: Seconds before each look for the sessions that hooks named: agents write the last lines after they called.
SPOOL_WAITS = (1.0, 5.0, 20.0)
#: States of a session that may be taken in. In words, since the enum of them is for those who read sessions.
_TAKEABLE = frozenset({"pending", "failed", "running"})
# Memories whose meaning a sync or an ingest takes in before it ends: so many of the newest, which is done in a moment;
# and so many where no other process goes on with the rest, which takes seconds.
_NEWEST = 24
_VECTORS_AT_ONCE = 256


@dataclass(frozen=True)
class Due:
    """What a sync would ingest: the sessions and their bytes."""

    sessions: list[Session]
    size: int
    #: Whether some of them are older than the window: it does not count for a project that was never read.
    is_first: bool = False


@entries
class Intake(Flow):
    """Takes sessions in: everything that is due, one of them, or those that hooks named."""

    def __init__(self, house: House, serving: Serving) -> None:
        super().__init__(house)
        self._serving = serving
        #: The projects that were taught something since somebody asked.
        self._taught: set[str] = set()

    @not_an_entry
    def take_taught(self) -> list[str]:
        """The ids of the projects whose sessions were taken in since this was last asked."""
        taught, self._taught = sorted(self._taught), set()
        return taught

    def sync(
        self,
        sessions: Sessions | None = None,
        *,
        project: Project | None = None,
        limit: int | None = None,
        patience: float | None = PATIENCE,
        jobs: int | None = 1,
        quiet: float = 0.0,
    ) -> Iterator[Taken]:
        """Take in everything due, oldest first: what became of each session, as it is done.

        A project of which nothing was ever read comes first, newest session first, and the window does not count for
        it: what is older is taken for `patience` seconds, and not at all when that is None. `sessions` are those of
        somebody who read the disk already; without them, that is done first. With several `jobs`, so many processes
        read, this one among them, and with None as many as fit what is due and this machine; what is written, and in
        which order, stays the same. What an agent wrote to within `quiet` seconds is left for later.
        """
        self.enter(lambda: None)  # A generator is no entry by itself.
        if sessions is None:
            sessions = self._house.sessions
            sessions.discover()
        taken, wrote, project_id, began = 0, False, project.id if project else None, self._house.clock()
        begun = sessions.queue.never_read(project_id)
        due = self.due(sessions, project, limit, older=patience is not None) if jobs != 1 else None
        ahead = self._workforce.helpers(due.sessions if due else (), jobs)
        with ahead or nullcontext():
            beginnings = (self._beginning(sessions, one, patience, limit, ahead, quiet) for one in begun)
            for work in (*beginnings, self._work(sessions, project_id, limit, ahead, quiet)):
                for done in islice(self._paced(work), limit and limit - taken):
                    taken += 1
                    wrote = self._has_taught(done) or wrote
                    yield done
        self._house.note_waiting(lambda: sessions.queue.due_count(project_id))
        with self._house.looks.paced():
            self._follow_up(began, wrote=wrote)
            self.refresh_grounds()

    def _follow_up(self, began: datetime, *, wrote: bool) -> None:
        """What becomes of what was taken in since then."""
        if wrote:
            self._index_written()
            self._doubt_memories(began)
        self._note_served()

    def _paced(self, work: Iterator[Taken]) -> Iterator[Taken]:
        """One session after the other, each without a look at all files for every step of it."""
        while True:
            with self._house.looks.paced():
                done = next(work, None)
            if done is None:
                return
            yield done

    @not_an_entry
    def check_grounds(self) -> GroundingReport:
        """Find out what the memories here rest on in their repository; the views follow."""
        report, here = self._house.grounding.check(), self._here()
        self._taught |= {here.id} if here else set()
        return report

    @not_an_entry
    def refresh_grounds(self) -> None:
        """Look up what memories rest on: here, and where something was learned. The work is done, whatever becomes of
        this: the next one looks."""
        with suppress(LerimError, OSError):
            taught = [self._house.projects.find(one) for one in sorted(self._taught)]
            for project in dict.fromkeys(one for one in (self._here(), *taught) if one and not one.is_global):
                if self._house.grounding_of(project).refresh().has_changed:
                    self._taught.add(project.id)

    def _here(self) -> Project | None:
        root = self._house.project_root
        return self._house.projects.at(root) if root else None

    def _note_served(self) -> None:
        """What sessions made of their memories. The work is done, whatever becomes of this: the next sync looks."""
        with suppress(LerimError, OSError):
            self._serving.take()

    def _index_written(self) -> None:
        """Have the next search find what was written without making its vectors first, and link it. The work is done,
        whatever becomes of this: who searches or looks at the graph makes up for it."""
        with suppress(LerimError, OSError):
            index = self._house.index
            if index.follow(_NEWEST) and not index.start_in_background():
                index.follow(_VECTORS_AT_ONCE)
            self._house.graph.follow([self._house.projects.find(one) for one in sorted(self._taught)])

    def _doubt_memories(self, since: datetime) -> None:
        """Have whoever reads a memory know that the user may have said otherwise since. The work is done, whatever
        becomes of this: `maintain` looks at what somebody accepts."""
        from lerim.curate.waiting import doubt_memories  # Start-up: a small model may read.

        with suppress(LerimError, OSError):
            for project_id in sorted(self._taught):
                doubt_memories(self._house.memory.place(self._house.projects.find(project_id)), since)

    def _beginning(
        self,
        sessions: Sessions,
        project_id: str,
        patience: float | None,
        limit: int | None,
        ahead: Ahead | None,
        quiet: float,
    ) -> Iterator[Taken]:
        """What there is of a project that was never read, newest first: those of the window, then what is older."""
        until = time.monotonic() + (patience or 0.0)
        yield from self._work(sessions, project_id, limit, ahead, quiet, newest_first=True)
        if patience is None or not sessions.queue.admit(project_id):
            return
        try:
            if time.monotonic() < until:
                for done in self._work(sessions, project_id, limit, ahead, quiet, newest_first=True):
                    yield done
                    if time.monotonic() >= until:
                        return
        finally:
            sessions.catalog.settle()

    def _work(
        self,
        sessions: Sessions,
        project_id: str | None,
        limit: int | None,
        ahead: Ahead | None,
        quiet: float,
        *,
        newest_first: bool = False,
    ) -> Iterator[Taken]:
        for is_last in (False, True):
            try:
                worker = self._workforce.worker(sessions, ahead)
                yield from worker.work(project_id, limit, newest_first=newest_first, quiet=quiet)
            except StoreCorrupt:
                # Its next use mends it. The session in hand went back to the queue, and what is done stays done.
                if is_last:
                    raise
            else:
                return

    def ingest(self, session: Session, sessions: Sessions | None = None) -> Taken:
        """Take in this session now, even if it was taken before. Raises Conflict when another worker is at it."""
        began = self._house.clock()
        taken = self._workforce.worker(sessions or self._house.sessions).take_one(session)
        if taken is not None and self._house.team is not None and taken.result is None and taken.state == "done":
            # Uploaded; and now it is taken here, whoever else would.
            taken = self._workforce.team_worker().take_one(self._house.team.find(session.name))
        if taken is None:
            raise Conflict(f"{session.name}: its project is being worked on", hint="lerim queue")
        if self._has_taught(taken):
            self._index_written()
            self._doubt_memories(began)
        return taken

    def spooled(self, sleep: Callable[[float], None] = time.sleep) -> Iterator[Taken]:
        """Take in the sessions that agents' hooks said have ended, and no others: what became of each, as it is done.

        Waits a little first, since a hook is called before its agent has written all; and for those that cannot be
        taken yet a little longer each time. Nothing when another process is at it.
        """
        self.enter(lambda: None)  # As in `sync`.
        spool, waits, wrote, began = self._house.spool, iter(SPOOL_WAITS), False, self._house.clock()
        # Looked at again after the others were let in: who came meanwhile went away again.
        while spool.has_ended(self._house.clock()) and (wait := next(waits, None)) is not None:
            sleep(wait)
            with spool.alone() as is_ours:
                if not is_ours:
                    break
                for done in self._paced(self._take_spooled(spool)):
                    waits = iter(SPOOL_WAITS)
                    wrote = self._has_taught(done) or wrote
                    yield done
        with self._house.looks.paced():
            self._follow_up(began, wrote=wrote)

    def _take_spooled(self, spool: Spool) -> Iterator[Taken]:
        from lerim.sessions.spooled import find_session, tried  # Start-up: as in `house.spool`.

        taken = spool.take(self._house.clock())
        self._house.sessions.discover()
        left = list(taken.waiting)
        worker = self._workforce.worker(self._house.sessions)
        read = {source.name for source in self._house.sessions.sources}
        # Of agents that nobody reads, nothing will ever be found.
        for event in (event for event in taken.ended if event.agent in read):
            session = find_session(self._house.catalog, event)
            # Who holds one that is running may have been killed: then it is free.
            is_due = session is not None and session.state in _TAKEABLE
            done = worker.take_due(session) if session and is_due else None
            if done is not None:
                yield done
            elif (session is None or is_due) and (again := tried(event)):
                left.append(again)
        spool.settle(taken, left)

    def _has_taught(self, taken: Taken) -> bool:
        """Whether a session that was taken wrote anything; noted for the views."""
        if taken.session.project_id:
            self._taught.add(taken.session.project_id)
        return taken.wrote

    @not_an_entry
    def due(
        self, sessions: Sessions, project: Project | None = None, limit: int | None = None, *, older: bool = False
    ) -> Due:
        """What a sync would ingest; with `older`, what a first sync may go on to as well."""
        project_id = project.id if project else None
        waiting = _in_turn(sessions.queue.due(project_id, older=older), sessions.queue.never_read(project_id))[:limit]
        is_first = any(session.state == "skipped" for session in waiting)
        return Due(waiting, sum(session.size or 0 for session in waiting), is_first)

    @not_an_entry
    def forecast(
        self, sessions: Sessions, due: Due, roles: Mapping[RoleName, RoleSettings] | None = None
    ) -> dict[str, Estimate]:
        """What each role's model would use for what is due: prompts are built as a sync builds them, and not sent.

        Of many sessions a sample is read, and the others are taken to be like it, by their size. `roles` are played
        otherwise than the settings say.
        """
        from lerim.llm.models import ROLE_NAMES  # Start-up: only who plans asks.
        from lerim.llm.prices import Tokens

        models = self._workforce.models_with(roles or {})
        if all(models.is_embedded(role) for role in ROLE_NAMES):
            return {role: models.estimate(role, 0, Tokens(0)) for role in ROLE_NAMES}
        from lerim.runtime.rehearsal import RoleForecast, forecast

        found = forecast(sessions, due.sessions, partial(self._workforce.rehearse, roles=roles or {}))
        used = {role: found.get(role, RoleForecast()) for role in ROLE_NAMES}
        return {
            role: models.estimate(role, one.requests, Tokens(one.input_tokens, one.output_tokens))
            for role, one in used.items()
        }

    @not_an_entry
    def given_up(self, sessions: Sessions, project: Project | None = None) -> list[Session]:
        """The sessions that nobody will try again by himself, until they change or a person says so."""
        from lerim.sessions.session import SessionState  # Start-up: only a sync asks.

        return sessions.queue.list(SessionState.DEAD, project.id if project else None)


def _in_turn(waiting: Sequence[Session], never_read: Sequence[str]) -> list[Session]:
    """As a sync takes them: projects that were never read first, newest first, those of the window before others."""
    begun = {project: place for place, project in enumerate(never_read)}
    first = [session for session in reversed(waiting) if session.project_id in begun]
    first.sort(key=lambda session: (begun[session.project_id or ""], session.state == "skipped"))
    return [*first, *(session for session in waiting if session.project_id not in begun)]
