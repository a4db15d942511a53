"""Lerim as one line: offers the rooms as attributes, and has methods only for what spans them.

with Lerim() as lerim:
    lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens"))
    for hit in lerim.search("auth tokens"):
        print(hit.kept.record.title)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Self, TypeVar

from lerim.config.scope import Scope, ScopeMode, foreign_store, refusal
from lerim.context.filters import Filter
from lerim.context.news import OnEdits, ignore_edits
from lerim.context.place import PlaceStatus
from lerim.context.progress import Progress, silent
from lerim.context.projects import ProjectTrust
from lerim.context.records import Clock, Random, utc_now
from lerim.dataclass import dataclass, replace
from lerim.errors import (
    Conflict,
    LerimError,
    NotFound,
    ScopeError,
    StoreCorrupt,
    StoreError,
    UsageError,
    VerdictRefused,
)
from lerim.house import House
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from lerim.answer.conversation import Exchange
    from lerim.answer.pipeline import Answer
    from lerim.config.settings import Config, RoleSettings
    from lerim.context.backups import Backup, Backups
    from lerim.context.face.edits import Reconciled
    from lerim.context.feedback import Verdict
    from lerim.context.memory import Memory, Which
    from lerim.context.place import Kept, Place
    from lerim.context.projects import OnlyInStore, Project, Projects
    from lerim.context.records import Record, RecordId
    from lerim.context.review import Proposed, Review
    from lerim.context.share_check import Revelation
    from lerim.context.upkeep import Reset
    from lerim.ingest.sheet.page import Sheet
    from lerim.llm import Estimate, Models, UsageLedger
    from lerim.llm.check import RoleCheck
    from lerim.llm.models import RoleName
    from lerim.llm.readers import SessionReader
    from lerim.llm.use import ReaderPlan
    from lerim.runtime.remembering import Remark, Remembered
    from lerim.runtime.replay import ReplayedSession
    from lerim.runtime.results import MaintainResult
    from lerim.runtime.runs.folder import Runs
    from lerim.runtime.second_opinion import JudgedCandidate
    from lerim.runtime.why import Considered, Why
    from lerim.runtime.worker import Taken
    from lerim.search.health import IndexHealth
    from lerim.search.room import SearchIndex
    from lerim.search.search import Hit
    from lerim.sessions.imports import TraceImports
    from lerim.sessions.room import Sessions
    from lerim.sessions.served import Usefulness
    from lerim.sessions.session import Session
    from lerim.sessions.spooled import Spool
    from lerim.views.room import Views
    from lerim.views.view import RenderedView

_T = TypeVar("_T")
#: Seconds for which a project's first sync goes on into the time before the window.
PATIENCE = 60.0
#: Seconds before each look for the sessions that hooks named: agents write the last lines after they called.
SPOOL_WAITS = (1.0, 5.0, 20.0)
#: How the names begin of sessions that agents told.
TOLD_NAMES = "told-"
#: States of a session that may be taken in. In words, since the enum of them is for those who read sessions.
_TAKEABLE = frozenset({"pending", "failed", "running"})
# Memories that a sync or an ingest has compared by their meaning before it ends: a few seconds of work.
_VECTORS_AT_ONCE = 256
# Projects whose views follow a change of the global memory at once; those of others are stale until something changes.
_OTHER_VIEWS = 8


@dataclass(frozen=True)
class Overview:
    """What `lerim status` tells."""

    home: Path
    scope: Scope
    places: list[PlaceStatus]
    projects: int
    record_count: int
    fts_count: int
    index: IndexHealth
    #: Sessions by state, as the last look at the disk left them; empty before the first.
    sessions: dict[str, int]
    #: Candidates that wait for somebody to decide.
    waiting: int
    #: Commands worth typing next, most useful first.
    next_steps: list[str]


@dataclass(frozen=True)
class RemovedProject:
    """A project that is forgotten, what only the store knew of it, and the backup that still has it."""

    project: Project
    lost: OnlyInStore
    backup: Backup | None


@dataclass(frozen=True)
class Outlook:
    """What is left to do, for whoever has done something."""

    #: As in an `Overview`.
    sessions: dict[str, int]
    waiting: int
    next_steps: list[str]


@dataclass(frozen=True)
class Due:
    """What a sync would ingest: the sessions and their bytes."""

    sessions: list[Session]
    size: int
    #: Whether some of them are older than the window: it does not count for a project that was never read.
    is_first: bool = False


@entries
class Lerim:
    """Everything, for one working directory. Cheap to build: rooms open when they are first used.

    Every call sees the files as they are now, and none fails for a damaged store that can be mended: what people did
    to the files is in `news`, what was mended in `notices`.
    """

    def __init__(
        self,
        cwd: Path | str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        clock: Clock = utc_now,
        random: Random = os.urandom,
        progress: Progress = silent,
        on_edits: OnEdits = ignore_edits,
    ) -> None:
        """`progress` hears how far a long step has come, `on_edits` at once what was picked up from files."""
        self.house = House(cwd, env=env, clock=clock, random=random, progress=progress, on_edits=on_edits)
        #: What was committed when the views were last looked at, and the projects that were taught something since.
        self._written = 0
        self._taught: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if exc[0] is None:
            self.refresh_views()
        self.close()

    @not_an_entry
    def refresh_views(self) -> None:
        """Bring the views up to date if anything was written here: of this scope, and of projects whose sessions were
        taken in. Never fails: a view that is stale says so."""
        written, self._written = self._written, self.house.database.commits
        if self._written == written and not self._taught:
            return
        # Whatever a view trips over, the command that changed the memory has done its work.
        with suppress(Exception):
            here = self.house.views
            taught, self._taught = self._taught, set()
            others = [self.projects.find(one) for one in sorted(taught)]
            if here.refresh_all():
                others += [project for project in self.projects.all() if self.house.has_views(project)][:_OTHER_VIEWS]
            for project in dict.fromkeys(others):
                self.house.views_of(project).refresh_all()

    @not_an_entry
    def close(self) -> None:
        """Let go of all files."""
        self.house.close()

    def enter(self, work: Callable[[], _T]) -> _T:
        return self.house.memory.enter(work)

    # The rooms

    @property
    def memory(self) -> Memory:
        """Records: read, written, moved in and out, checked, rebuilt, reset."""
        return self.house.memory

    @property
    def review(self) -> Review:
        """What nobody is sure of and waits for a decision."""
        return self.house.review

    @property
    def backups(self) -> Backups:
        """Copies of all that cannot be made again: made, listed, restored."""
        return self.house.backups

    @property
    def index(self) -> SearchIndex:
        """The search index: refreshed, and how it stands."""
        return self.house.index

    @property
    def views(self) -> Views:
        """The documents that are made from the memory: brief, working memory, run clinic."""
        return self.house.views

    @property
    def sessions(self) -> Sessions:
        """The sessions of all agents on this machine, within the configured window."""
        return self.house.sessions

    @property
    def traces(self) -> TraceImports:
        """Traces that a person brings."""
        return self.house.traces

    @property
    def runs(self) -> Runs:
        """What runs left behind."""
        return self.house.runs

    @property
    def models(self) -> Models:
        """The models of all roles, as they are configured here."""
        return self.house.models

    @property
    def usage(self) -> UsageLedger:
        """What models used on this machine."""
        return self.house.usage

    @property
    def projects(self) -> Projects:
        """The projects whose memory is kept."""
        return self.house.projects

    @property
    def config(self) -> Config:
        """The settings that hold here, and the layer each came from."""
        return self.house.config

    # The line: sessions in

    def sync(
        self,
        sessions: Sessions | None = None,
        *,
        project: Project | None = None,
        limit: int | None = None,
        patience: float | None = PATIENCE,
        jobs: int = 1,
    ) -> Iterator[Taken]:
        """Take in everything due, oldest first: what became of each session, as it is done.

        A project of which nothing was ever read comes first, newest session first, and the window does not count for
        it: what is older is taken for `patience` seconds, and not at all when that is None. `sessions` are those of
        somebody who read the disk already; without them, that is done first. With several `jobs`, so many processes
        read ahead what is next; what is written, and in which order, stays the same.
        """
        self.enter(lambda: None)  # A generator is no entry by itself.
        if sessions is None:
            sessions = self.sessions
            sessions.discover()
        taken, wrote, project_id = 0, False, project.id if project else None
        begun = sessions.queue.never_read(project_id)
        beginnings = (self._beginning(sessions, one, patience, limit, jobs) for one in begun)
        for work in (*beginnings, self._work(sessions, project_id, limit, jobs)):
            for done in islice(work, limit and limit - taken):
                taken += 1
                wrote = self._has_taught(done) or wrote
                yield done
        if wrote:
            self._index_written()
        self._note_served()

    def _note_served(self) -> None:
        """What sessions made of their memories. The work is done, whatever becomes of this: the next sync looks."""
        with suppress(LerimError, OSError):
            self.take_served()

    def _index_written(self) -> None:
        """Have the next search find what was written without making its vectors first. The work is done, whatever
        becomes of this: a search makes up for it."""
        with suppress(LerimError, OSError):
            self.index.follow(_VECTORS_AT_ONCE)

    def _beginning(
        self, sessions: Sessions, project_id: str, patience: float | None, limit: int | None, jobs: int
    ) -> Iterator[Taken]:
        """What there is of a project that was never read, newest first: those of the window, then what is older."""
        until = time.monotonic() + (patience or 0.0)
        yield from self._work(sessions, project_id, limit, jobs, newest_first=True)
        if patience is None or not sessions.queue.admit(project_id):
            return
        try:
            if time.monotonic() < until:
                for done in self._work(sessions, project_id, limit, jobs, newest_first=True):
                    yield done
                    if time.monotonic() >= until:
                        return
        finally:
            sessions.catalog.settle()

    def _work(
        self, sessions: Sessions, project_id: str | None, limit: int | None, jobs: int, *, newest_first: bool = False
    ) -> Iterator[Taken]:
        waiting = sessions.queue.due(project_id, None if newest_first else limit) if jobs > 1 else []
        ahead = self.house.helpers(waiting[::-1] if newest_first else waiting, jobs)
        with ahead or nullcontext():
            for is_last in (False, True):
                try:
                    worker = self.house.worker(sessions, ahead)
                    yield from worker.work(project_id, limit, newest_first=newest_first)
                except StoreCorrupt:
                    # Its next use mends it. The session in hand went back to the queue, and what is done stays done.
                    if is_last:
                        raise
                else:
                    return

    def ingest(self, session: Session, sessions: Sessions | None = None) -> Taken:
        """Take in this session now, even if it was taken before. Raises Conflict when another worker is at it."""
        taken = self.house.worker(sessions or self.sessions).take_one(session)
        if taken is None:
            raise Conflict(f"{session.name}: its project is being worked on", hint="lerim queue")
        if self._has_taught(taken):
            self._index_written()
        return taken

    def sync_spooled(self, sleep: Callable[[float], None] = time.sleep) -> Iterator[Taken]:
        """Take in the sessions that agents' hooks said have ended, and no others: what became of each, as it is done.

        Waits a little first, since a hook is called before its agent has written all; and for those that cannot be
        taken yet a little longer each time. Nothing when another process is at it.
        """
        self.enter(lambda: None)  # As in `sync`.
        spool, waits, wrote = self.house.spool, iter(SPOOL_WAITS), False
        # Looked at again after the others were let in: who came meanwhile went away again.
        while spool.has_ended(self.house.clock()) and (wait := next(waits, None)) is not None:
            sleep(wait)
            with spool.alone() as is_ours:
                if not is_ours:
                    break
                for done in self._take_spooled(spool):
                    waits = iter(SPOOL_WAITS)
                    wrote = self._has_taught(done) or wrote
                    yield done
        if wrote:
            self._index_written()
        self._note_served()

    def _take_spooled(self, spool: Spool) -> Iterator[Taken]:
        from lerim.sessions.spooled import find_session, tried  # Start-up: as in `house.spool`.

        taken = spool.take(self.house.clock())
        self.sessions.discover()
        left = list(taken.waiting)
        worker = self.house.worker(self.sessions)
        read = {source.name for source in self.sessions.sources}
        # Of agents that nobody reads, nothing will ever be found.
        for event in (event for event in taken.ended if event.agent in read):
            session = find_session(self.house.catalog, event)
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
        return bool(taken.result and taken.result.written)

    @not_an_entry
    def take_served(self) -> int:
        """Take in what hooks gave to sessions, and judge what became of it in those that were read since. How many."""
        # Start-up: most homes have no hooks.
        if self.house.catalog.is_read_only or not (self.house.home / "spool").is_dir():
            return 0
        spool, served = self.house.spool, self.house.served
        notes = spool.served()
        served.take_in((note.stem, said) for note, said in notes)
        for note, _ in notes:
            spool.keep_as_lock(note)
        spool.sweep(self.house.clock())
        if not (read := served.read_since()):
            return 0
        from lerim.runtime.usefulness import ServingJudge  # Start-up: most syncs find nothing new.

        return ServingJudge(served, self.house.memory_at, self.sessions.trace_of).judge(read)

    def usefulness(self, *, everywhere: bool = False) -> Usefulness:
        """What handing out memories was good for: in this project, or `everywhere` on this machine."""
        self.take_served()
        return self.house.served.usefulness(self.house.project_root, everywhere=everywhere)

    def replay(self, session: Session) -> ReplayedSession | None:
        """What the brief would have said before a session, and what of it that would have spared. None when nobody
        knows when it began. Raises Conflict when it belongs to no project, SourceError when it cannot be read."""
        from lerim.ingest.transcript import Transcript  # Start-up: few ask.
        from lerim.runtime.replay import replay
        from lerim.views.view import ViewName

        if session.project_root is None:
            raise Conflict(f"{session.name} belongs to no project", hint="lerim unscoped")
        path, root = self.sessions.trace_of(session), session.project_root
        trace = Transcript.read(path) if path.is_file() else Transcript.of(self.sessions.show(session).items)
        views, memory = (
            self.house.views_of(self.projects.at(root) or self.project(str(root))),
            self.house.memory_at(root),
        )

        def record(record_id: RecordId) -> Record | None:
            with suppress(NotFound, Conflict):
                return memory.find(record_id).record
            return None

        return replay(session, trace, lambda moment: views.render(ViewName.BRIEF, as_of=moment), record)

    def sheet(self, session: Session, sessions: Sessions | None = None) -> tuple[Sheet, ...]:
        """A session as its readers get it, with the nearest records that its project keeps. Raises SourceError."""
        from lerim.ingest.sheet.making import beside, sheets  # Start-up: only who looks at a sheet needs one.
        from lerim.ingest.transcript import Transcript

        made = sheets(Transcript.of((sessions or self.sessions).show(session).items))
        project = self.projects.at(session.project_root) if session.project_root else None
        return beside(made, self.house.known_in(project, made)) if project else made

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

        models = self.house.models_with(roles or {})
        if all(models.is_embedded(role) for role in ROLE_NAMES):
            return {role: models.estimate(role, 0, Tokens(0)) for role in ROLE_NAMES}
        from lerim.runtime.rehearsal import RoleForecast, forecast

        found = forecast(sessions, due.sessions, partial(self.house.rehearse, roles=roles or {}))
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

    # The line: kept true

    def maintain(self) -> list[MaintainResult]:
        """Keep the memory true in every place of this scope: merge, revise, archive. One run each."""
        places = self.memory.places()
        return [self.house.agent(place.project).maintain(place.folder.root) for place in places]

    def feedback(self, record_id: str, verdict: Verdict | str, *, note: str = "") -> Kept:
        """Say that a memory was useful, wrong or outdated: its confidence follows, as a version of its own."""
        from lerim.context.feedback import Verdict, feedback  # Only a verdict needs it.

        return feedback(self.memory.find(record_id), Verdict(verdict), note=note)

    # What agents say

    def remember(self, remark: Remark) -> Remembered:
        """Keep what an agent says the user said, when a session that is going on has their own words for it; else let
        it wait for review. Raises InvalidRecord, and Conflict when it was decided on already."""
        from lerim.runtime.remembering import going_on, keep, note, vouched  # Start-up: reads sessions.

        house, place = self.house, self.memory.target()
        # As the trace was, before anything is compared with it: what is told to people must hold no secret either.
        clean = house.traces.redactor(str(place.project.root)).clean
        remark = replace(remark, title=clean(remark.title), quote=clean(remark.quote), body=clean(remark.body))
        among = going_on(house.sessions, place, str(house.cwd), house.clock(), remark.agent)
        found = vouched(remark, house.sessions, among, house.clock())
        if not isinstance(found, str):
            return keep(found, place, remark.agent, house.random)
        return note(remark, found, place, house.stamp(), house.random)

    def agent_feedback(
        self, record_id: str, verdict: Verdict | str, *, note: str = "", quote: str = "", agent: str = ""
    ) -> Kept:
        """An agent's word on a memory. One that is the user's own is not lessened by it: that takes the user's words,
        as `quote`, in a session that is going on. Raises VerdictRefused."""
        from lerim.context.feedback import Verdict, feedback  # As above.
        from lerim.runtime.remembering import AUTHOR, going_on, is_theirs, unsaid

        kept, house = self.memory.find(record_id), self.house
        quote = house.traces.redactor(str(kept.place.project.root)).clean(quote) if quote else ""
        if Verdict(verdict) is not Verdict.USEFUL and is_theirs(kept.record):
            among = going_on(house.sessions, kept.place, str(house.cwd), house.clock(), agent) if quote else []
            if not quote or (why := unsaid(quote, kept.record, house.sessions, among)):
                raise VerdictRefused(
                    f"'{kept.record.id}' is the user's own, and an agent's word does not lessen it"
                    + (f": {why}" if quote else ""),
                    hint=f"give the user's words as quote, or let them say: lerim feedback {kept.record.id} {verdict}",
                )
        return feedback(kept, Verdict(verdict), note=note, author=AUTHOR)

    def submit_trace(self, text: str, name: str) -> Session:
        """Take in a session as an agent tells it, as one of this folder. Its user may be anybody, so what it teaches
        waits for review. Raises TraceError with the line."""
        here = self.house.project_root or self.house.cwd
        # A name of its own: what a person imported is not overwritten.
        return self.traces.add(text, f"{TOLD_NAMES}{name}", here, told=True)

    def second_opinion(self, waiting: list[Proposed]) -> Iterator[JudgedCandidate]:
        """Let the model of the extract role decide on candidates. Raises ModelError when none is configured."""
        from lerim.llm import Spending  # Start-up: most commands ask no model.
        from lerim.runtime.second_opinion import SecondOpinion

        spending = Spending(f"review-{self.house.stamp()}")
        self.models.model("extract", spending)  # What is missing is reported before the work begins.
        judge = SecondOpinion(
            self.review,
            lambda: self.models.model("extract", spending),
            self.house.trace_of,
            spending.run_id,
            self.house.rooms().tracing,
        )
        yield from judge.judge(waiting)

    # The line: answers out

    def search(
        self,
        query: str,
        wanted: Filter = Filter(),  # noqa: B008 - frozen
        limit: int = 10,
        *,
        as_of: datetime | None = None,
    ) -> list[Hit]:
        """The memories that match a query best, project before global; as they stood at `as_of` when that is given.

        Nothing when nothing has to do with it. Raises UsageError for a query without a word.
        """
        from lerim.search.search import Searcher, search  # Only a search needs it.

        searcher = Searcher(self.index.embedder, self.index.folder)
        return search(self.memory, query, wanted, limit, searcher=searcher, as_of=as_of)

    def ask(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        history: Sequence[Exchange] = (),
        limit: int = 3,
        embedded: bool = False,
    ) -> Answer:
        """What the memory answers to a question, each sentence citing the records it rests on.

        `supported` is False when nothing stored supports an answer. A configured lead model writes it, unless it shall
        be `embedded`; it may say only what the records it cites say. `history` are the turns of a conversation before.
        """
        from lerim.runtime.asking import Asker  # Only a question needs it; a model's framework is loaded by a model.

        asker = Asker(rooms=self.house.rooms())
        return asker.ask(question, as_of=as_of, history=history, limit=limit, embedded=embedded)

    def why(self, kept: Kept) -> Why:
        """Where a memory comes from: its words where they stand, and the run that made it one."""
        from lerim.runtime.why import why_record  # Start-up: pydantic is wanted by few.

        candidate, history = self.review.of_record(kept), self.memory.history(kept)
        runs, folder = self.house.runs_of(kept.place), self.house.folder_of(kept.place)
        return why_record(history, kept.record.evidence, candidate, runs, folder)

    def why_waiting(self, proposed: Proposed) -> Why:
        """Where a candidate for review comes from."""
        from lerim.runtime.why import why_candidate  # As above.

        runs, folder = self.house.runs_of(proposed.place), self.house.folder_of(proposed.place)
        return why_candidate(proposed.candidate, runs, folder)

    @not_an_entry
    def considered(self, session: str) -> Considered:
        """All that the newest run over a session considered. Raises NotFound or Conflict."""
        from lerim.runtime.why import considered  # As above.

        return considered(session, self.runs)

    def reword_brief(self) -> RenderedView:
        """Have the model of the extract role say the lines of the brief better, as far as the memories behind each say
        the same. Raises ModelError when none is configured, or when it gives no answer."""
        from lerim.llm import Spending  # Start-up: most commands ask no model.
        from lerim.views.view import ViewName

        spending = Spending(f"brief-{self.house.stamp()}")
        self.models.model("extract", spending)  # What is missing is reported before the work begins.
        from lerim.views.writer import worded

        return self.views.reword(
            ViewName.BRIEF,
            lambda lines, records: worded(lines, records, lambda: self.models.model("extract", spending)),
        )

    # Projects

    def init(self, root: Path | None = None, name: str | None = None) -> Project:
        """Make a folder a project: registered, with its `.lerim/` folder laid out."""
        house = self.house
        chosen = (root or house.project_root or house.cwd).resolve()
        if not chosen.is_dir():
            raise StoreError(f"{chosen} is not a folder", hint="lerim project add PATH")
        if (reason := refusal(chosen, house.home)) is not None:
            store = foreign_store(chosen)
            away = f"move it away: mv {quote(str(store))} {quote(f'{store}.away')}" if store else ""
            raise ScopeError(reason, hint=away or "cd into a repository, then: lerim init")
        project = house.projects.add(chosen, name)
        house.lay_out(project)
        # The project was found before it was registered: look again from here on.
        house.reopen()
        return project

    def adopt(self) -> Project | None:
        """Register the repository here, if it is none yet: whoever syncs in it wants its memory. None if it was."""
        root = self.house.project_root
        if root is None or self.house.scope.mode is ScopeMode.GLOBAL_ONLY or self.projects.at(root) is not None:
            return None
        return self.init(root)

    def trust(self, project: Project, *, trusted: bool = True) -> tuple[Project, int]:
        """Remember whether the user trusts a project: its settings count, and its memory files are their own word; or
        not. How many records that changed."""
        from lerim.context.hearsay import believe, doubt  # Only this needs it.

        if not trusted and project.root in self.house.named:
            raise UsageError(
                f"your settings name {project.root} in trust.projects, so it is trusted",
                hint="lerim config show names the file; take the folder out of it",
            )
        changed = (believe if trusted else doubt)(self.memory.place(project))
        said = ProjectTrust.TRUSTED if trusted else ProjectTrust.UNTRUSTED
        project = self.projects.set_trust(project, said)
        # Other settings count now; and the rules for git follow.
        self.house.reopen()
        self.house.lay_out(project)
        return project, changed

    def would_reveal(self, project: Project | None = None, *, fix: bool = False) -> list[Revelation]:
        """What a commit of a project's `.lerim` would tell others; said again without it where Lerim wrote it, when
        `fix` is asked."""
        from lerim.context.share_check import Sharing, names_here, take_out, would_reveal  # Start-up: few ask.

        place = self.memory.place(project or self.project())
        settings = self.house.settings_of(place.project).memory
        sharing = Sharing(
            settings.share_summaries, settings.share_traces, names_here(self.house.env, place.project.root)
        )
        found = would_reveal(place, sharing)
        return take_out(place, found) if fix and found else found

    def remove_project(self, project: Project) -> RemovedProject:
        """Forget a project; its files stay. What only the store knows is backed up first, if there is anything."""
        lost = self.projects.only_in_store(project)
        made = self.backups.make(f"before {project.name} was removed") if lost else None
        self.projects.remove(project)
        self.house.forget_views(project.root)
        # It was found here before: look again from here on.
        self.house.reopen()
        return RemovedProject(project, lost, made)

    @not_an_entry
    def would_lose(self, which: Which) -> dict[str, OnlyInStore]:
        """What a reset would delete that is in no file, by scope."""
        scope = self.house.scope
        roots = [scope.project] * (which != "global") + [scope.home] * (which != "project")
        known = [project for root in roots if root and (project := self.projects.at(root))]
        return {"global" if one.is_global else "project": self.projects.only_in_store(one) for one in known}

    @not_an_entry
    def reset(self, which: Which, *, backup: bool = True) -> Reset:
        """Forget everything of a scope as it is, by default after a backup to go back to, if one can be made."""
        made = None
        if backup and any(self.would_lose(which).values()):
            # Of a store that cannot be copied soundly, the reset itself keeps what there is.
            with suppress(StoreError):
                made = self.backups.make(f"before a reset of the {which} memory")
        return replace(self.memory.reset(which, backup=backup), restore=made.name if made else None)

    def project(self, name: str | None = None) -> Project:
        """A registered project by name, path or id; without one, the project here. Raises NotFound."""
        if name is not None:
            return self.projects.find(name)
        project = self.projects.at(self.house.project_root) if self.house.project_root else None
        if project is None:
            raise NotFound("this folder belongs to no registered project", hint="lerim init")
        return project

    # How things stand

    @property
    def notices(self) -> list[str]:
        """What people should know once the work is done: repairs, and where things were put."""
        return self.house.notices

    @not_an_entry
    def news(self) -> list[tuple[Place, Reconciled]]:
        """The edits picked up from people's files since this was last asked, place by place."""
        return self.house.news.take()

    @not_an_entry
    def check_models(self, *, offline: bool = False) -> list[RoleCheck]:
        """Whether each role can do its work. Unless offline, each configured model proves what its role needs."""
        from lerim.llm import Spending
        from lerim.llm.check import check

        engine = self.config.settings.engine
        return check(self.models, Spending(f"check-{self.house.stamp()}"), offline=offline, engine=engine)

    @not_an_entry
    def readers(self, *, at_a_glance: bool = False) -> list[SessionReader]:
        """Who could read sessions on this machine: agents' programs, local servers, providers with a key.

        At a glance, servers are not asked for their models: whether one listens is known in a few milliseconds.
        """
        from lerim.llm.readers import find_readers

        return find_readers(self.house.env, at_a_glance=at_a_glance)

    @not_an_entry
    def plan_reader(self, name: str, model: str = "", base_url: str = "", *, also_lead: bool = False) -> ReaderPlan:
        """What it would take to have a reader read: its place, and the exact change of the user's settings.

        Raises UsageError for a name that there is not, and ModelNotReady for a reader that cannot be used.
        """
        from lerim.llm.use import plan_reader

        return plan_reader(name, model, base_url, self.house.env, self.house.home / "config.toml", also_lead)

    @not_an_entry
    def use_reader(self, plan: ReaderPlan) -> list[RoleCheck]:
        """Let a reader prove what it will need, and write the settings if it did. Costs a few tokens."""
        from lerim.config.writing import write_settings
        from lerim.llm import Spending
        from lerim.llm.check import check

        spending = Spending(f"check-{self.house.stamp()}")
        checks = check(self.house.models_with(plan.roles), spending, offline=False)
        proved = [one for one in checks if one.role in plan.roles]
        if all(one.ok and all(model.works for model in one.models) for one in proved):
            write_settings(plan.path, plan.after)
            self.house.reopen()
        return proved

    @not_an_entry
    def sessions_on(self, branch: str) -> frozenset[tuple[str, str]]:
        """The sessions that worked on a git branch, as (agent, run id), as the last look at the disk knew them."""
        from lerim.sessions.database import catalog_path, on_branch

        catalog = self.house.catalog
        if not catalog_path(self.house.home).exists():
            return frozenset()
        return catalog.guarded(lambda: on_branch(catalog, branch))

    @not_an_entry
    def session_counts(self) -> dict[str, int]:
        """Sessions by state, and those that only lack a project by that; empty before the first look at the disk."""
        from lerim.sessions.database import catalog_path, counts

        catalog = self.house.catalog
        return catalog.guarded(lambda: counts(catalog)) if catalog_path(self.house.home).exists() else {}

    def status(self) -> Overview:
        """How the memory stands, and what to type next."""
        from lerim.search.health import IndexState

        scope, places, index, left = self.house.scope, self._places(), self.index.health(), self.outlook()
        steps = left.next_steps
        if index.fix and index.state is not IndexState.DEGRADED:
            steps.append(index.fix)
        projects = len(self.projects.all())
        return Overview(
            *(self.house.home, scope, places, projects, index.records, index.fts, index),
            *(left.sessions, left.waiting, steps),
        )

    def outlook(self) -> Outlook:
        """What is left to do, and what to type next. Looks at no index: it costs next to nothing."""
        sessions = self.session_counts()
        waiting = 0 if self.house.scope.is_empty else self.review.waiting()
        return Outlook(sessions, waiting, self._next_steps(self._places(), sessions, waiting))

    def _places(self) -> list[PlaceStatus]:
        return [] if self.house.scope.is_empty else [place.status() for place in self.memory.places()]

    def _next_steps(self, places: list[PlaceStatus], sessions: Mapping[str, int], waiting: int) -> list[str]:
        """What is worth typing next: what is broken, then what waits, then what one does with a memory."""
        has_memories = any(place.counts for place in places)
        house = self.house
        found = (
            ("lerim memory check", any(place.problems for place in places)),
            ("lerim queue --state dead", sessions.get("dead")),
            ("lerim queue", sessions.get("failed")),
            ("lerim sync", sessions.get("pending") or not self._has_looked()),
            ("lerim sync --all", sessions.get("outside the window") and not has_memories),
            ("lerim project trust", any(not place.place.project.is_trusted for place in places)),
            ("lerim review", waiting),
            ("lerim unscoped", sessions.get("no project")),
            ("lerim sources list", self._has_looked() and not sessions),
            ("lerim init", house.project_root is None and house.cwd not in (house.home, house.home.parent)),
            ("lerim memory list", has_memories),
            ("lerim search WORDS", has_memories),
            ('lerim memory add --primitive decision --title "..." --body "..."', not has_memories),
        )
        return [step for step, is_due in found if is_due]

    def _has_looked(self) -> bool:
        """Whether anybody has looked for sessions on this machine yet."""
        from lerim.sessions.database import catalog_path

        return catalog_path(self.house.home).exists()


def _in_turn(waiting: Sequence[Session], never_read: Sequence[str]) -> list[Session]:
    """As a sync takes them: projects that were never read first, newest first, those of the window before others."""
    begun = {project: place for place, project in enumerate(never_read)}
    first = [session for session in reversed(waiting) if session.project_id in begun]
    first.sort(key=lambda session: (begun[session.project_id or ""], session.state == "skipped"))
    return [*first, *(session for session in waiting if session.project_id not in begun)]
