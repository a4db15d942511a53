"""The composition root: every room of one working directory, built from the settings and opened when first used.

Settings belong to a project: whatever works on a project's memory is built from that project's own settings, wherever
somebody stands. Only what is one for the whole machine, as the catalog and the index, follows the user's.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache, cached_property, partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from lerim.config.identity import remote_of
from lerim.config.layers import Config, home_dir, load, named_projects, user_home
from lerim.config.scope import STORE, Scope, ScopeMode, foreign_store, lerim_dir, locate, refuse_repository
from lerim.config.settings import RoleSettings, Settings, UnscopedPolicy
from lerim.context.decay import DecayRule
from lerim.context.looking import Looks
from lerim.context.memory import Memory, Neighbors
from lerim.context.news import News, OnEdits, ignore_edits
from lerim.context.place import Place
from lerim.context.progress import Progress, silent
from lerim.context.projects import Project, Projects
from lerim.context.records import Clock, Random, parse_time, stamp_text, utc_moment, utc_now
from lerim.context.recovery import open_local, open_store, replace_damaged, replace_local
from lerim.dataclass import replace
from lerim.errors import ConfigError, Conflict, InvalidRecord, LerimError, NotFound, ScopeError, SourceError
from lerim.openat import LERIM
from lerim.private import is_writable, sweep_top
from lerim.storage.database import Database
from lerim.storage.reopening import ReopeningDatabase

if TYPE_CHECKING:
    from lerim.config.profiles import Profile, Profiles
    from lerim.context.backups import Backups
    from lerim.context.review.desk import Proposed
    from lerim.context.review.room import Review
    from lerim.curate.grounding import Grounding
    from lerim.curate.room import Curation
    from lerim.graph.room import ContextGraph
    from lerim.ingest.sheet.page import NearRecord, Sheet
    from lerim.llm import Models, UsageLedger
    from lerim.llm.answers import KeptAnswers
    from lerim.llm.models import RoleName
    from lerim.observability import Tracing, TracingOptions
    from lerim.runtime.agent import LeadAgent
    from lerim.runtime.ahead import Ahead, ReadAhead
    from lerim.runtime.curator import Curator
    from lerim.runtime.judging import SheetDesk
    from lerim.runtime.maintenance import Maintenance
    from lerim.runtime.rehearsal import RoleForecast
    from lerim.runtime.rooms import Rooms
    from lerim.runtime.runs.folder import Runs
    from lerim.runtime.worker import Taken, Worker
    from lerim.search.room import SearchIndex
    from lerim.sessions.archive import ShownTrace
    from lerim.sessions.imports import TraceImports
    from lerim.sessions.queue import Job
    from lerim.sessions.room import Sessions, TraceAhead
    from lerim.sessions.served import ServedViews
    from lerim.sessions.session import Session
    from lerim.sessions.spooled import Spool
    from lerim.sessions.team import TeamSessions
    from lerim.shared import SharedStore
    from lerim.sources.redact import Redactor
    from lerim.sources.trace import Header
    from lerim.views.room import Views

#: With fewer sessions than this to read, starting processes that help takes longer than they save.
LEAST_SESSIONS = 8


class House:
    """Everything Lerim is made of, for one working directory. Cheap to build. `Lerim` is what one does with it."""

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
        self.cwd = Path(cwd) if cwd is not None else Path.cwd()
        self.env = os.environ if env is None else env
        self.home = home_dir(self.env)
        # Who names LERIM_HOME in full has chosen it; HOME may be whatever a script left.
        if not self.env.get("LERIM_HOME") and not (self.home / STORE).exists():
            refuse_repository(self.home, user_home(self.env), self.cwd)
        self.clock = clock
        self.random = random
        self.progress = progress
        #: What people should know once the work is done: repairs, and where things were put.
        self.notices: list[str] = []
        #: The edits picked up from people's files, and when somebody last looked for some.
        self.news = News(on_edits)
        self.looks = Looks()
        self.database = ReopeningDatabase(self._open_store, self._mend_store)
        #: What this machine alone notes: how its files looked last, and what its search index holds. All derived.
        self.local = ReopeningDatabase(lambda: open_local(self.home), lambda: replace_local(self.home))
        self.catalog = ReopeningDatabase(self._open_catalog, self._mend_catalog)
        #: The catalog of all machines, where a store is shared.
        self.team_catalog = ReopeningDatabase(self._open_team_catalog, self._open_team_catalog)
        self._tracings: dict[tuple[TracingOptions, tuple[str, ...]], Tracing | None] = {}

    def close(self) -> None:
        """Let go of all files. Whatever is used after that opens them again."""
        for database in (self.database, self.local, self.catalog, self.team_catalog):
            database.close()
        for tracing in self._tracings.values():
            if tracing is not None:
                tracing.close()
        self._tracings.clear()

    def reopen(self) -> None:
        """Forget what was built: a folder became a project, or settings changed. Rooms are built again when used."""
        self.close()
        for name in [name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)]:
            del self.__dict__[name]

    # Where we are

    @cached_property
    def config(self) -> Config:
        """The settings that hold here, and the layer each came from."""
        return self.user_config if self.project_root is None else self._load(self.project_root)

    @cached_property
    def user_config(self) -> Config:
        """The settings that hold outside of any project, and for what is one for all of them."""
        return load(self.home, None, self.env)

    @cached_property
    def project_root(self) -> Path | None:
        """The project this directory belongs to, registered or not. Raises ScopeError when a store lies in it."""
        root = self._root_of(self.cwd)
        if root is not None and (store := foreign_store(root)) is not None:
            raise ScopeError(
                f"{store} looks like Lerim's store, and {root} is a project; nothing was read or written",
                hint=f"move it away: mv {quote(str(store))} {quote(f'{store}.away')}",
            )
        return root

    @cached_property
    def scope(self) -> Scope:
        return Scope(self.config.settings.memory.scope, self.project_root, self.home)

    def project_here(self) -> Project:
        """The registered project of this directory. Raises NotFound."""
        project = self.projects.at(self.project_root) if self.project_root else None
        if project is None:
            raise NotFound("this folder belongs to no registered project", hint="lerim init")
        return project

    def settings_of(self, project: Project) -> Settings:
        """What a project says about its own memory; the user's word for the global one."""
        return (self.user_config if project.is_global else self._config_at(project.root)).settings

    def folder_of(self, place: Place) -> Path:
        """The `.lerim` folder around a place's memory."""
        return lerim_dir(place.project.root, self.home)

    # The rooms

    @cached_property
    def shared(self) -> SharedStore | None:
        """The store that several machines share; None when it is this machine's own."""
        url = self.user_config.settings.storage.url
        if not url:
            return None
        from lerim.shared import SharedStore, address_of  # Start-up: most stores are files.

        return SharedStore(address_of(url, self.env), self.local)

    def note_access(self, what: str, kind: str = "read") -> None:
        """Have it noted in a shared store that somebody looked. Raises StoreError."""
        if self.shared is not None:
            from lerim.context.access_log import AccessKind  # As above.

            project = self.projects.at(self.project_root) if self.project_root else None
            self.shared.note(AccessKind(kind), what, project.id if project else None)

    @property
    def has_store(self) -> bool:
        """Whether there is a store; nobody who only looks gets one made."""
        return (self.home / STORE).exists() or self.shared is not None

    @cached_property
    def projects(self) -> Projects:
        return self._projects_in(self.database)

    def _projects_in(self, database: Database) -> Projects:
        if self.shared is None:
            return Projects(database, self.home, self.clock, lambda: self.named)
        from lerim.context.shared_projects import SharedProjects  # As above.

        shared = self.shared
        known = (database, self.local, self.home, lambda: shared.membership, lambda: self._salt)
        return SharedProjects(*known, self.clock, lambda: self.named)

    @cached_property
    def named(self) -> frozenset[Path]:
        """The projects that the user's own settings name as trusted."""
        return named_projects(self.user_config.settings.trust.projects, self.env)

    @cached_property
    def memory(self) -> Memory:
        self._date_records()
        return self._memory(self.scope, self.progress)

    def _date_records(self) -> None:
        """Date the records of an earlier version by when they were said. Once; what goes wrong is tried again."""
        with suppress(LerimError, OSError):
            # Who shares a store has none of an earlier version, and need not wait for the server here.
            if self.shared or not self.has_store or self.database.is_read_only:
                return
            with self.database.read() as tx:
                sql = "SELECT DISTINCT r.project_id FROM undated u JOIN records r ON r.seq = u.record_seq"
                due = [row[0] for row in tx.rows(sql)]
            for project_id in due:
                self._date_records_of(self.projects.find(project_id))

    def _date_records_of(self, project: Project) -> None:
        from lerim.runtime.dating import Dating  # Start-up: hardly ever needed.
        from lerim.sessions.archive import trace_path
        from lerim.sessions.database import catalog_path, starts

        place = self._memory(_scope_of(project, self.home), silent).place(project)
        known = starts(self.catalog) if catalog_path(self.home).exists() else {}
        folder = self.folder_of(place)

        def started(agent: str, run_id: str) -> datetime | None:
            with suppress(InvalidRecord):
                return parse_time(known[agent, run_id]) if (agent, run_id) in known else None
            return None

        Dating(place, partial(trace_path, folder), started).run()

    @cached_property
    def review(self) -> Review:
        """What nobody is sure of and waits for a decision."""
        from lerim.context.review.room import Review  # Start-up: few commands look at it.

        def desk() -> SheetDesk:
            from lerim.runtime.judging import SheetDesk  # Start-up: only who judges reads sessions.

            return SheetDesk(self.trace_of)

        return Review(self.memory, self.random, desk)

    def trace_of(self, proposed: Proposed) -> Path:
        """Where the session of a candidate is archived."""
        from lerim.sessions.archive import trace_path  # As above.

        agent, _, run_id = proposed.candidate.session.partition("/")
        if self.team is not None:
            self.team.bring(proposed.place.project.id, proposed.candidate.evidence)
        return trace_path(self.folder_of(proposed.place), agent, run_id)

    @cached_property
    def backups(self) -> Backups:
        """The backups of all that is kept here. One store for all projects, so the user says how many there are."""
        from lerim.context.backups import Backups, Rotation  # Start-up: few commands look at them.

        settings = self.user_config.settings.backup
        rotation = Rotation(settings.keep, settings.every_hours)
        known = (self.home, self.memory, self.database, self.projects, self._open_catalog_alone)
        return Backups(*known, rotation, self.clock, self._guard_restore)

    def _guard_restore(self, for_all: bool) -> None:
        if self.shared is not None:
            self.shared.guard_restore(for_all=for_all)

    @cached_property
    def index(self) -> SearchIndex:
        """The search index. One for all projects, so the user says how meanings are compared."""
        from lerim.search.embeddings import find_embedder  # Start-up: seldom needed.
        from lerim.search.room import SearchIndex

        settings = self.user_config.settings.embeddings
        embedder = find_embedder(self.home, enabled=settings.enabled, model=settings.model)
        known = (self.database, self.local, self.memory, self.projects, embedder, self.home, settings, self.env)
        return SearchIndex(*known, self.clock, self.progress)

    @cached_property
    def graph(self) -> ContextGraph:
        """How the records here bear on each other."""
        from lerim.graph.room import ContextGraph  # Start-up: few commands look at it.

        return ContextGraph(self.memory, lambda: self.index, self.progress)

    @cached_property
    def views(self) -> Views:
        """The documents that are made from the memory here: brief, working memory, run clinic."""
        return self._views(self.memory, self.config.settings)

    def views_of(self, project: Project) -> Views:
        """The same of any project, by its own settings."""
        settings = self.settings_of(project)
        scope = Scope(settings.memory.scope, None if project.is_global else project.root, self.home)
        return self._views(self._memory(scope, silent), settings)

    @cached_property
    def curation(self) -> Maintenance:
        """What keeps the memory of this scope true."""
        from lerim.runtime.maintenance import Maintenance  # Start-up: few commands need it.

        return Maintenance(self.memory, self._curator, self.home, self.clock)

    def _curator(self, project: Project) -> Curator:
        """Who keeps a project's memory true, by that project's settings."""
        from lerim.runtime.curator import Curator  # As above.

        memory = self._memory(_scope_of(project, self.home), silent)
        return Curator(rooms=self._rooms(memory, self.settings_of(project), lambda: None))

    def maintenance_of(self, project: Project) -> Maintenance:
        """The same of one project alone."""
        from lerim.runtime.maintenance import Maintenance  # As above.

        return Maintenance(self._memory(_scope_of(project, self.home), silent), self.agent, self.home, self.clock)

    def curation_of(self, place: Place) -> Curation:
        """What keeps one place's memory true, by its words alone."""
        from lerim.curate.room import Curation  # As above.
        from lerim.search.search import Searcher

        rule = DecayRule.of(self.settings_of(place.project).decay)
        return Curation(place, Searcher(self.index.embedder, self.index.folder), rule, self.clock)

    def memory_at(self, root: Path | None) -> Memory:
        """What sessions of a project read: its memory before the global one, or only that. As its settings say."""
        project = self.projects.at(root) if root else None
        settings = self.settings_of(project) if project else self.user_config.settings
        mode = ScopeMode.GLOBAL_ONLY if project is None else settings.memory.scope
        return self._memory(Scope(mode, project.root if project else None, self.home), silent)

    @cached_property
    def grounding(self) -> Grounding:
        """What the records here rest on in their repository."""
        return self._grounding(self.memory)

    def grounding_of(self, project: Project) -> Grounding:
        """The same of any project."""
        return self._grounding(self._memory(_scope_of(project, self.home), silent))

    def _grounding(self, memory: Memory) -> Grounding:
        from lerim.curate.grounding import Grounding  # Start-up: few commands look at it.

        def branches() -> Mapping[tuple[str, str], str]:
            from lerim.sessions.database import branches, catalog_path

            return branches(self.catalog) if catalog_path(self.home).exists() else {}

        return Grounding(memory, branches, self.env)

    @cached_property
    def served(self) -> ServedViews:
        """What sessions were given, by hooks and over MCP."""
        from lerim.sessions.served import ServedViews  # Start-up: as for sessions.

        return ServedViews(self.catalog)

    def _views(self, memory: Memory, settings: Settings) -> Views:
        from lerim.context.grounds import RecordGrounds  # Start-up: few commands look at them.
        from lerim.views.room import Views

        def served() -> ServedViews | None:
            from lerim.sessions.database import catalog_path

            return self.served if catalog_path(self.home).exists() else None

        known = (memory, self.database, self.projects, memory.scope, self.clock)
        by = (settings.profile.name, lambda name: self.profiles.get(name))
        is_silent = self.shared.is_silent if self.shared else lambda: False
        return Views(*known, settings.views.budget, served, partial(RecordGrounds, self.local), *by, is_silent)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions of all agents on this machine, within the configured window."""
        return self._sessions_in(self.catalog)

    @cached_property
    def team(self) -> TeamSessions | None:
        """The sessions that machines share; None where nothing is shared."""
        if self.shared is None:
            return None
        from lerim.sessions.team import TeamSessions  # Start-up: as for sessions.

        def folder(project_id: str) -> Path:
            project = self.projects.find(project_id)
            self.lay_out(project)
            return lerim_dir(project.root, self.home)

        return TeamSessions(self.team_catalog, self.machine_name, folder)

    @property
    def machine_name(self) -> str:
        """What this machine is called among those that share a store."""
        from platform import node  # Start-up: as for sessions.

        return self.user_config.settings.storage.machine or node()

    def show_trace(self, name: str) -> ShownTrace:
        """A session as the archive has it; one of another machine, as it was uploaded. Raises NotFound, Conflict,
        SourceError."""
        try:
            return self.sessions.show(self.sessions.find(name))
        except (NotFound, SourceError):
            if self.team is None:
                raise
        return self.team.show(name)

    @cached_property
    def traces(self) -> TraceImports:
        """Traces that a person brings."""
        from lerim.sessions.imports import TraceImports  # Start-up: as for sessions.

        here = self.project_root or self.cwd

        def redactor(cwd: str | None) -> Redactor:
            return self._redactor(self._root_at(cwd))

        def profile(cwd: str | None, name: str | None) -> Profile:
            return self.profile_named(name) if name else self._profile_at(self._root_at(cwd))

        known = (self.sessions.since(None), redactor, profile)
        return TraceImports(self.home, here, *known, self.notices.append)

    @cached_property
    def spool(self) -> Spool:
        """What agents' hooks left for later."""
        from lerim.sessions.spooled import Spool  # Start-up: as for sessions.

        return Spool(self.home)

    @cached_property
    def runs(self) -> Runs:
        """The runs of this scope: the project's and those of the global memory."""
        from lerim.runtime.runs.folder import Runs  # Start-up: few commands look at runs.

        roots = () if self.scope.is_empty else self.scope.reads
        return Runs([lerim_dir(root, self.home) / "workspace" for root in roots])

    def runs_of(self, place: Place) -> Runs:
        from lerim.runtime.runs.folder import Runs  # As above.

        return Runs([self.folder_of(place) / "workspace"])

    @cached_property
    def models(self) -> Models:
        """The models of all roles, as they are configured here."""
        return self._models(self.config.settings)

    @cached_property
    def usage(self) -> UsageLedger:
        """What models used on this machine."""
        from lerim.llm import UsageLedger  # Start-up: most commands ask no model.

        return UsageLedger(self.home, self.clock, self.notices.append, self._opening("usage"))

    @cached_property
    def _answers(self) -> KeptAnswers:
        """What models answered in runs of this machine."""
        from lerim.llm.answers import KeptAnswers  # As in `usage`.

        return KeptAnswers(self.home, self.clock, self._opening("answers"))

    def _opening(self, name: str) -> Callable[[], Database] | None:
        """How a database is opened that machines share; None where each has its own."""
        return partial(self.shared.open, name) if self.shared else None

    @cached_property
    def decay(self) -> DecayRule:
        """How attention fades here."""
        return DecayRule.of(self.config.settings.decay)

    # Who works

    def worker(self, sessions: Sessions, ahead: Ahead | None = None) -> Worker:
        """A worker that ingests sessions of any project, each by its project's settings."""
        # Start-up: the agent's framework takes a second to load, and only runs need it.
        from lerim.runtime.worker import Worker
        from lerim.sessions.database import open_catalog
        from lerim.sessions.lease import kept, this_worker

        def keep(job: Job) -> AbstractContextManager[None]:
            return kept(job, lambda: open_catalog(self.home, self.stamp())[0])

        agent_for = partial(self._agent_for, ahead)
        if ahead is not None:
            from lerim.runtime.ahead import SessionsAhead  # As in `helpers`.

            return Worker(this_worker(), SessionsAhead(sessions, ahead), agent_for, keep, self._alone)
        if self.team is None:
            return Worker(this_worker(), sessions, agent_for, keep, self._alone)
        from lerim.runtime.worker import UploadingWorker  # As above.

        return UploadingWorker(this_worker(), sessions, self.team, keep, self._alone)

    def team_worker(self) -> Worker:
        """A worker that ingests what machines uploaded, whether or not its project lies here. Raises NotFound."""
        from lerim.runtime.worker import Worker  # As in `worker`.
        from lerim.sessions.lease import kept, this_team_worker

        shared, team = self.shared, self.team
        if shared is None or team is None:
            raise NotFound(
                "no store is shared here: workers take what machines uploaded",
                hint="set storage.url (docs/teams.md); on one machine: lerim daemon run",
            )

        def keep(job: Job) -> AbstractContextManager[None]:
            return kept(job, lambda: shared.open("sessions"))

        agent_for = partial(self._agent_for, None)
        return Worker(this_team_worker(self.machine_name), team, agent_for, keep, partial(self._alone, is_team=True))

    def _agent_for(self, ahead: Ahead | None, session: Session, before_commit: Callable[[], None]) -> LeadAgent:
        assert session.project_id is not None, "the queue hands out sessions with a project only"
        known = partial(ahead.found, session.id) if ahead else None
        return self.agent(self.projects.find(session.project_id), before_commit, known)

    def _alone(self, job: Job, *, is_team: bool = False) -> Taken:
        from lerim.runtime.alone import take_alone  # Start-up: hardly any session is suspected.

        return take_alone(job, self.cwd, self.env, is_team=is_team)

    def take_job(self, session_id: int, token: int, worker: str, *, is_team: bool) -> Taken:
        """Take a session that another process has claimed and waits for."""
        from lerim.sessions.queue import Job  # Start-up: as in `worker`.
        from lerim.sessions.session import fetch

        with (self.team_catalog if is_team else self.catalog).read() as tx:
            session = fetch(tx, session_id)
        assert session is not None, "a session that is claimed is there"
        taking = self.team_worker() if is_team else self.worker(self.sessions.since(None))
        return taking.take(Job(session, token, worker))

    def helpers(self, waiting: Sequence[Session], jobs: int | None) -> Ahead | None:
        """Processes that read sessions ahead, as many as fit without `jobs`; None where they would save nothing."""
        if jobs == 1 or len(waiting) < LEAST_SESSIONS or self.shared is not None:
            return None
        from lerim.runtime.ahead import Ahead, fitting_jobs  # As in `worker`.

        if jobs is None:
            jobs = fitting_jobs(waiting) if self._reads_itself(self.config.settings) else 1
        if jobs < 2:
            return None
        # This process is one of those jobs, and at the first of them before any helper has started.
        ids = [session.id for session in waiting[1:]]
        return Ahead(ids, jobs - 1, self.cwd, self.env, self.trace_ahead)

    def trace_ahead(self, session_id: int) -> TraceAhead | None:
        """A session as reading it now would give it; None when its project has a model read it, which answers to nobody
        but the run."""
        from lerim.sessions.session import fetch

        with self.catalog.read() as tx:
            session = fetch(tx, session_id)
        if session is None or session.project_id is None:
            return None
        settings = self.settings_of(self.projects.find(session.project_id))
        return self.sessions.read_ahead(session) if self._reads_itself(settings) else None

    def _reads_itself(self, settings: Settings) -> bool:
        """Whether no model reads sessions by these settings."""
        from lerim.config.settings import EngineChoice

        return self._models(settings).is_embedded("summarize") and settings.engine is EngineChoice.EMBEDDED

    def agent(
        self,
        project: Project,
        before_commit: Callable[[], None] = lambda: None,
        read_ahead: Callable[[Path], ReadAhead | None] | None = None,
    ) -> LeadAgent:
        """The lead agent for a project's memory, by that project's settings."""
        from lerim.runtime.agent import LeadAgent  # As in `worker`.

        # Sessions are what people watch go by; the steps within one would only flash up between them.
        memory = self._memory(_scope_of(project, self.home), silent)
        rooms = self._rooms(memory, self.settings_of(project), before_commit)
        return LeadAgent(rooms=replace(rooms, read_ahead=read_ahead) if read_ahead else rooms)

    def models_with(self, roles: Mapping[RoleName, RoleSettings]) -> Models:
        """The models of all roles, some of them played otherwise than the settings say."""
        return self._models(_played(self.config.settings, roles))

    def rehearse(
        self, project_id: str, trace: Path, workspace: Path, *, roles: Mapping[RoleName, RoleSettings]
    ) -> Mapping[RoleName, RoleForecast]:
        """What each role's model would be asked about a session of a project. Nothing is asked, and nothing kept."""
        from lerim.runtime.rehearsal import rehearse  # As in `worker`.

        project = self.projects.find(project_id)
        memory = self._memory(_scope_of(project, self.home), silent)
        settings = _played(self.settings_of(project), roles)

        def rooms_for(models: Models, before_commit: Callable[[], None]) -> Rooms:
            return self._rooms(memory, settings, before_commit, models)

        known = (self._models(settings), rooms_for, settings.engine, trace)
        return rehearse(*known, memory.place(project).folder.root, workspace)

    def rooms(self) -> Rooms:
        """What an agent needs to work in this directory."""
        return self._rooms(self.memory, self.config.settings)

    def stamp(self) -> str:
        """The present as a part of a name."""
        return stamp_text(self.clock())

    def _rooms(
        self,
        memory: Memory,
        settings: Settings,
        before_commit: Callable[[], None] = lambda: None,
        models: Models | None = None,
    ) -> Rooms:
        from lerim.ingest.choice import engine_for  # Start-up: few commands have runs or questions.
        from lerim.runtime.rooms import Rooms
        from lerim.search.search import Searcher

        models = models or self._models(settings)
        tracing = self._tracing(settings, memory.scope.project or self.home)
        return Rooms(
            self.home,
            memory,
            self.projects,
            models,
            lambda spending: engine_for(
                settings.engine,
                models,
                spending,
                self.home,
                tracing,
                lambda made: self.known_beside(made, memory),
                self.profiles.get,
            ),
            decay=DecayRule.of(settings.decay),
            clock=self.clock,
            # Who sets the clock sets it for the logs, too.
            log_clock=utc_moment if self.clock is utc_now else self.clock,
            random=self.random,
            before_commit=before_commit,
            tracing=tracing,
            searcher=lambda: Searcher(self.index.embedder, self.index.folder),
        )

    def known_beside(self, made: Sequence[Sheet], memory: Memory) -> tuple[NearRecord, ...]:
        """The records of a scope's own project that are nearest to what some sheets speak of."""
        project = self.projects.at(memory.scope.project) if memory.scope.project else None
        return self.known_in(project, made) if project else ()

    def known_in(self, project: Project, made: Sequence[Sheet]) -> tuple[NearRecord, ...]:
        """The records of a project that are nearest to what some sheets speak of."""
        from lerim.ingest.sheet.known import known_records  # Only who looks at a sheet needs it.

        return known_records(self.memory.place(project), made)

    def _models(self, settings: Settings) -> Models:
        from lerim.llm import Models  # As in `usage`.

        return Models(settings.roles, settings.budget, self.env, self.usage, answers=self._answers)

    @contextmanager
    def timed_search(self) -> Iterator[None]:
        """Count and time a search, where that is wanted."""
        tracing = self._tracing_here()
        began = time.monotonic()
        yield
        if tracing is not None:
            from lerim.observability import Metric, note  # Loaded by then.

            note(tracing, Metric.SEARCHES)
            note(tracing, Metric.SEARCH_DURATION, time.monotonic() - began)

    def note_waiting(self, count: Callable[[], int]) -> None:
        """Say how many sessions wait, where that is wanted."""
        if (tracing := self._tracing_here()) is not None:
            from lerim.observability import Metric, note  # Loaded by then.

            note(tracing, Metric.WAITING, count())

    def _tracing_here(self) -> Tracing | None:
        """Where metrics of this directory go. Start-up: nothing is loaded where they go nowhere."""
        settings = self.config.settings
        if not settings.tracing.enabled and not self.env.get("LERIM_TRACING"):
            return None
        return self._tracing(settings, self.project_root or self.home)

    def _tracing(self, settings: Settings, root: Path) -> Tracing | None:
        """Where the spans of a project's runs go; None when it has tracing off."""
        from lerim.observability import StatusLine, TracingOptions, start_tracing  # Only runs ask for it.

        tracing = settings.tracing
        options = TracingOptions(tracing.enabled, str(tracing.exporter), tracing.endpoint, tracing.include_httpx)
        key = (options, self._patterns_of(self._root_of(root)))
        if key not in self._tracings:
            redactor = cache(lambda: self._redactor(self._root_of(root)))  # Start-up: most people trace nothing.
            self._tracings[key] = start_tracing(
                options, self.home, self.env, redact=lambda text: redactor().clean(text), tell=StatusLine().say
            )
        return self._tracings[key]

    # How rooms are built

    def _memory(self, scope: Scope, progress: Progress) -> Memory:
        forget = (self._forget_index, self._forget_sessions, self.forget_views)
        neighbors = Neighbors(self.news.add, self.database.suspect, *forget)
        known = (self.database, self.local, scope, self.projects)
        return Memory(*known, self.lay_out, self.clock, progress, neighbors, self.looks)

    def lay_out(self, project: Project) -> Path:
        settings = self.settings_of(project).memory
        return self.projects.lay_out(
            project, share_summaries=settings.share_summaries, share_traces=settings.share_traces
        )

    def _sessions_in(self, catalog: Database) -> Sessions:
        # Start-up: the readers of a dozen agents are wanted by few commands.
        from lerim.sessions.connections import Connections, folder_profiles, redacted_sources
        from lerim.sessions.room import Sessions, Surroundings
        from lerim.sessions.routing import Atlas, Registered, route
        from lerim.sources.base import Machine

        # The catalog is one for all projects, so what it reads is the user's to say, not a project's.
        settings = self.user_config.settings
        projects = tuple(Registered(p.id, p.root, remote_of(p.root)) for p in self.projects.all())
        atlas = Atlas(
            projects,
            self.home,
            settings.memory.separate_worktrees,
            aliases=self.projects.former_roots(),
            fallback=Registered(self.projects.global_id, self.home)
            if settings.sources.unscoped is UnscopedPolicy.GLOBAL
            else None,
            other_home=self._other_home,
        )
        around = Surroundings(
            machine=Machine(user_home(self.env), self.env),
            atlas=atlas,
            since=self._window_start(),
            disabled=frozenset(settings.sources.disabled),
            folder=self._folder_for_talk,
            progress=self.progress,
        )
        if atlas.fallback is not None:
            self.projects.add(self.home)
        # Some agents leave their history in the repository. In a stranger's it is a stranger's.
        roots = [project.root for project in self.projects.all() if project.is_trusted]

        def redactor(header: Header | None) -> Redactor:
            """By the project the session goes to, wherever somebody stands."""
            if header is None:
                return self._redactor(None)
            found = route(header.cwd, atlas)
            root = found.project.root if found.project else found.folder
            return self._redactor(None if root == self.home else root)

        connections = Connections(catalog)

        def profile(header: Header, path: Path) -> Profile:
            """By the folder it lies in, else by the project it goes to."""
            folders = folder_profiles(connections, self.home)
            named = next((folders[folder] for folder in path.parents if folder in folders), None)
            found = route(header.cwd, atlas).project if named is None else None
            return self.profile_named(named) if named else self._profile_at(found.root if found else None)

        sources = redacted_sources(catalog, settings.sources, self.home, roots, redactor, profile)
        return Sessions(catalog, sources, around)

    @cached_property
    def profiles(self) -> Profiles:
        """The profiles there are: those that come with Lerim, and the user's own."""
        from lerim.config.profiles import Profiles  # Start-up: few commands read sessions.

        return Profiles(self.home)

    def profile_of(self, project: Project) -> Profile:
        """How sessions of a project are read and told. Raises NotFound, ConfigError."""
        return self.profile_named(self.settings_of(project).profile.name)

    def profile_named(self, name: str) -> Profile:
        """A profile, with what the user's own default one takes out, too: no project takes that away. Raises
        ConfigError."""
        try:
            found, own = self.profiles.find(name), self.profiles.find(self.user_config.settings.profile.name)
        except NotFound as error:
            raise ConfigError(error.message, hint=error.hint) from None
        private = tuple(dict.fromkeys((*own.private, *found.private)))
        return replace(found, private=private, patterns=tuple(dict.fromkeys((*own.patterns, *found.patterns))))

    def set_profile(self, project: Project, named: str) -> tuple[Profile, Path]:
        """Have a project's sessions read by another profile: one there is, or a file that becomes one of the user's.
        The profile, and the file of settings that names it. Raises NotFound, Conflict, ConfigError."""
        from lerim.config.profiles import name_profile  # As above.

        if not project.is_trusted:
            raise Conflict(
                f"{project.name} is not trusted: what its file says does not count", hint="lerim project trust"
            )
        is_file = named.endswith(".toml") or "/" in named
        profile = self.profiles.add(Path(named).expanduser()) if is_file else self.profiles.find(named)
        file = name_profile(self.lay_out(project), profile.name)
        self.reopen()
        return profile, file

    def _profile_at(self, root: Path | None) -> Profile:
        is_global = root is None or root == self.home
        settings = self.user_config.settings if is_global or root is None else self._config_at(root).settings
        return self.profile_named(settings.profile.name)

    def _folder_for_talk(self, root: Path | None) -> Path:
        """The `.lerim` folder that a project's conversations are kept in, with the rules that keep git out of it."""
        project = None if root is None else self.projects.at(root)
        return lerim_dir(self.home, self.home) if project is None else self.lay_out(project)

    def _window_start(self) -> datetime | None:
        days = self.user_config.settings.sources.window_days
        return self.clock() - timedelta(days=days) if days else None

    def _redactor(self, root: Path | None) -> Redactor:
        """A fresh redactor for what happened in a project: it counts what it takes out. Raises ConfigError."""
        from lerim.sources.redact import Redactor

        return Redactor(self._salt, self._patterns_of(root))

    def _patterns_of(self, root: Path | None) -> tuple[str, ...]:
        """A project may have secrets of a shape of its own; it cannot take away what the user wants redacted."""
        if root not in self._patterns:
            own = self.user_config.settings.redaction.patterns
            added = () if root is None else self._config_at(root).settings.redaction.patterns
            self._patterns[root] = tuple(dict.fromkeys((*own, *added)))
        return self._patterns[root]

    def _root_at(self, cwd: str | None) -> Path | None:
        """The project of a directory that a trace names. A relative one would be taken as seen from here."""
        return self._root_of(Path(cwd)) if cwd and Path(cwd).is_absolute() else None

    @cached_property
    def _patterns(self) -> dict[Path | None, tuple[str, ...]]:
        return {}

    @cached_property
    def _salt(self) -> bytes:
        from lerim.sources.gate import salt_of

        return salt_of(self.home)

    def _config_at(self, root: Path) -> Config:
        return self.config if root == self.project_root else self._load(root)

    def _load(self, root: Path) -> Config:
        project = self._registered.get(root)
        return load(self.home, root, self.env, trusted=project is not None and project.is_trusted)

    def _root_of(self, cwd: Path) -> Path | None:
        separate = self.user_config.settings.memory.separate_worktrees
        known = self._registered
        found = locate(cwd, known, home=self.home, separate_worktrees=separate, other_home=self._other_home)
        return known[found].root if found in known else found

    @cached_property
    def _other_home(self) -> Path:
        return user_home(self.env) / LERIM

    @cached_property
    def _registered(self) -> dict[Path, Project]:
        """The registered projects. Whoever only looks at the settings gets no store made for it."""
        if not self.has_store:
            return {}
        here = {project.root: project for project in self.projects.all()}
        return {**here, **{clone: here[root] for clone, root in self.projects.clones().items()}}

    # Opening, and mending what is damaged

    def _open_store(self) -> Database:
        opened = self.shared.open_context if self.shared else partial(open_store, self.home)
        # What a killed restore left: looked for here, so that nobody sees a half of it.
        if (self.home / "backups" / "restoring").exists() and (self.shared or is_writable(self.home / STORE)):
            from lerim.context.backups import finish_restore  # Start-up: hardly ever needed.

            if notice := finish_restore(self.home, opened, self._projects_in, self._open_catalog_alone, self.clock):
                self.notices.append(notice)
        for folder in (self.home, self.home / "index"):
            sweep_top(folder)
        return opened()

    def _open_catalog_alone(self) -> Database:
        from lerim.sessions.database import open_catalog  # Start-up: as for sessions.

        self.catalog.close()
        return open_catalog(self.home, self.stamp())[0]

    def _mend_store(self) -> Database:
        if self.shared is not None:
            return self.shared.open_context()
        return self._with_notice(*replace_damaged(self.home, self.clock, self.stamp()))

    def _open_catalog(self) -> Database:
        from lerim.sessions.database import open_catalog  # Start-up: as for sessions.

        return self._refilled(*open_catalog(self.home, self.stamp()))

    def _open_team_catalog(self) -> Database:
        assert self.shared is not None, "who asks for it knows that there is one"
        return self.shared.open("sessions")

    def _mend_catalog(self) -> Database:
        from lerim.sessions.database import replace_catalog  # As above.

        return self._refilled(*replace_catalog(self.home, self.stamp()))

    def _refilled(self, catalog: Database, notice: str | None) -> Database:
        """The catalog; one that had to be made again has found the sessions again."""
        if notice:
            self._sessions_in(catalog).discover()
        return self._with_notice(catalog, notice)

    def _forget_index(self, project_id: str) -> None:
        from lerim.search.health import forget_parts  # Start-up: a rebuild is rare.

        with self.local.write() as local:
            forget_parts(local, project_id)

    def has_views(self, project: Project) -> bool:
        """Whether views of a project were ever made."""
        from lerim.views.shelf import folder  # Start-up: as above.

        return Path(folder(str(self.home), str(project.root))).is_dir()

    def forget_views(self, root: Path | None) -> None:
        """Remove a project's views from disk, or all of them: they come back from what is still known."""
        from lerim.views.writing import Shelf, forget_all  # Start-up: as above.

        forget_all(self.home) if root is None else Shelf(self.home, root).forget()

    def _forget_sessions(self, backup: Path | None) -> None:
        from lerim.llm.answers import remove_answers  # Start-up: a reset is rare.
        from lerim.sessions.database import remove_catalog

        remove_answers(self.home)
        self.catalog.close()
        remove_catalog(self.home, backup)

    def _with_notice(self, database: Database, notice: str | None) -> Database:
        if notice:
            self.notices.append(notice)
        return database


def take_errand() -> None:
    """What runs in the process of a session that is taken alone."""
    from lerim.runtime.alone import run_errand  # Start-up: as in `worker`.

    def take(errand: Mapping[str, Any]) -> Taken:
        house = House(errand["cwd"])
        try:
            return house.take_job(errand["session"], errand["token"], errand["worker"], is_team=errand["is_team"])
        finally:
            house.close()

    run_errand(take)


def _played(settings: Settings, roles: Mapping[RoleName, RoleSettings]) -> Settings:
    played: dict[str, RoleSettings] = {str(role): one for role, one in roles.items()}
    return replace(settings, roles=replace(settings.roles, **played)) if roles else settings


def read_ahead() -> None:
    """What runs in a process that reads sessions ahead."""
    from lerim.runtime.ahead import run_helper  # Start-up: as in `worker`.

    house = House(sys.argv[1])
    try:
        run_helper(house.trace_ahead)
    finally:
        house.close()


def _scope_of(project: Project, home: Path) -> Scope:
    """One project alone: where a run over its sessions reads and writes."""
    mode = ScopeMode.GLOBAL_ONLY if project.is_global else ScopeMode.PROJECT_ONLY
    return Scope(mode, None if project.is_global else project.root, home)
