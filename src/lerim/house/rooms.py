"""The composition root: every room of one working directory, built from the settings and opened when first used.

Settings belong to a project: whatever works on a project's memory is built from that project's own settings, wherever
somebody stands. Only what is one for the whole machine, as the catalog and the index, follows the user's.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.identity import remote_of
from lerim.config.layers import Config, home_dir, named_projects, user_home
from lerim.config.scope import STORE, Scope, ScopeMode, lerim_dir, refuse_repository
from lerim.config.settings import Settings, UnscopedPolicy
from lerim.context.decay import DecayRule
from lerim.context.looking import Looks
from lerim.context.memory import Memory, Neighbors
from lerim.context.news import News, OnEdits, ignore_edits
from lerim.context.place import Place
from lerim.context.progress import Progress, silent
from lerim.context.projects import Project, Projects
from lerim.context.records import Clock, Random, parse_time, stamp_text, utc_now
from lerim.context.recovery import open_local, replace_local
from lerim.errors import InvalidRecord, LerimError, NotFound, SourceError
from lerim.house.openings import Openings
from lerim.house.rules import HouseRules, scope_of
from lerim.storage.database import Database
from lerim.storage.reopening import ReopeningDatabase

if TYPE_CHECKING:
    from lerim.config.profiles import Profile
    from lerim.context.backups import Backups
    from lerim.context.review.desk import Proposed
    from lerim.context.review.room import Review
    from lerim.curate.grounding import Grounding
    from lerim.curate.room import Curation
    from lerim.graph.room import ContextGraph
    from lerim.ingest.sheet.page import NearRecord, Sheet
    from lerim.llm import Models, UsageLedger
    from lerim.llm.answers import KeptAnswers
    from lerim.observability import Tracing, TracingOptions
    from lerim.runtime.judging import SheetDesk
    from lerim.runtime.runs.folder import Runs
    from lerim.search.room import SearchIndex
    from lerim.sessions.archive import ShownTrace
    from lerim.sessions.imports import TraceImports
    from lerim.sessions.room import Sessions
    from lerim.sessions.served import ServedViews
    from lerim.sessions.spooled import Spool
    from lerim.sessions.team import TeamSessions
    from lerim.shared import SharedStore
    from lerim.sources.redact import Redactor
    from lerim.sources.trace import Header
    from lerim.views.room import Views


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
        self._openings = Openings(
            self.home,
            clock,
            self.notices.append,
            shared=lambda: self.shared,
            projects_in=self.projects_in,
            find_sessions=lambda catalog: self.sessions_in(catalog).discover(),
            let_go=lambda: self.catalog.close(),
        )
        self.database = ReopeningDatabase(self._openings.store, self._openings.mended_store)
        #: What this machine alone notes: how its files looked last, and what its search index holds. All derived.
        self.local = ReopeningDatabase(lambda: open_local(self.home), lambda: replace_local(self.home))
        self.catalog = ReopeningDatabase(self._openings.catalog, self._openings.mended_catalog)
        #: The catalog of all machines, where a store is shared.
        self.team_catalog = ReopeningDatabase(self._openings.team_catalog, self._openings.team_catalog)
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

    @cached_property
    def rules(self) -> HouseRules:
        """What holds in each project."""
        return HouseRules(self.cwd, self.home, self.env, lambda: self.projects, lambda: self.has_store)

    # Where we are

    @property
    def config(self) -> Config:
        """The settings that hold here, and the layer each came from."""
        return self.rules.here

    @property
    def user_config(self) -> Config:
        """The settings that hold outside of any project, and for what is one for all of them."""
        return self.rules.users

    @property
    def project_root(self) -> Path | None:
        """The project this directory belongs to, registered or not. Raises ScopeError when a store lies in it."""
        return self.rules.project_root

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
        return self.rules.settings_of(project)

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
        return self.projects_in(self.database)

    def projects_in(self, database: Database) -> Projects:
        if self.shared is None:
            return Projects(database, self.home, self.clock, lambda: self.named)
        from lerim.context.shared_projects import SharedProjects  # As above.

        shared = self.shared
        known = (database, self.local, self.home, lambda: shared.membership, lambda: self.rules.salt)
        return SharedProjects(*known, self.clock, lambda: self.named)

    @cached_property
    def named(self) -> frozenset[Path]:
        """The projects that the user's own settings name as trusted."""
        return named_projects(self.user_config.settings.trust.projects, self.env)

    @cached_property
    def memory(self) -> Memory:
        self._date_records()
        return self.memory_of(self.scope, self.progress)

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

        place = self.memory_of(scope_of(project, self.home), silent).place(project)
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
        known = (self.home, self.memory, self.database, self.projects, self._openings.catalog_alone)
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
        return self._views(self.memory_of(scope, silent), settings)

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
        return self.memory_of(Scope(mode, project.root if project else None, self.home), silent)

    @cached_property
    def grounding(self) -> Grounding:
        """What the records here rest on in their repository."""
        return self._grounding(self.memory)

    def grounding_of(self, project: Project) -> Grounding:
        """The same of any project."""
        return self._grounding(self.memory_of(scope_of(project, self.home), silent))

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
        by = (settings.profile.name, lambda name: self.rules.profiles.get(name))
        is_silent = self.shared.is_silent if self.shared else lambda: False
        return Views(*known, settings.views.budget, served, partial(RecordGrounds, self.local), *by, is_silent)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions of all agents on this machine, within the configured window."""
        return self.sessions_in(self.catalog)

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
            return self.rules.redactor(self.rules.root_at(cwd))

        def profile(cwd: str | None, name: str | None) -> Profile:
            return self.rules.profile_named(name) if name else self.rules.profile_at(self.rules.root_at(cwd))

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
        return self.models_by(self.config.settings)

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

    def stamp(self) -> str:
        """The present as a part of a name."""
        return stamp_text(self.clock())

    def known_beside(self, made: Sequence[Sheet], memory: Memory) -> tuple[NearRecord, ...]:
        """The records of a scope's own project that are nearest to what some sheets speak of."""
        project = self.projects.at(memory.scope.project) if memory.scope.project else None
        return self.known_in(project, made) if project else ()

    def known_in(self, project: Project, made: Sequence[Sheet]) -> tuple[NearRecord, ...]:
        """The records of a project that are nearest to what some sheets speak of."""
        from lerim.ingest.sheet.known import known_records  # Only who looks at a sheet needs it.

        return known_records(self.memory.place(project), made)

    def models_by(self, settings: Settings) -> Models:
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
        return self.tracing(settings, self.project_root or self.home)

    def tracing(self, settings: Settings, root: Path) -> Tracing | None:
        """Where the spans of a project's runs go; None when it has tracing off."""
        from lerim.observability import StatusLine, TracingOptions, start_tracing  # Only runs ask for it.

        tracing = settings.tracing
        options = TracingOptions(tracing.enabled, str(tracing.exporter), tracing.endpoint, tracing.include_httpx)
        key = (options, self.rules.patterns_of(self.rules.root_of(root)))
        if key not in self._tracings:
            redactor = cache(
                lambda: self.rules.redactor(self.rules.root_of(root))
            )  # Start-up: most people trace nothing.
            self._tracings[key] = start_tracing(
                options, self.home, self.env, redact=lambda text: redactor().clean(text), tell=StatusLine().say
            )
        return self._tracings[key]

    # How rooms are built

    def memory_of(self, scope: Scope, progress: Progress) -> Memory:
        forget = (self._forget_index, self._forget_sessions, self.forget_views)
        neighbors = Neighbors(self.news.add, self.database.suspect, *forget)
        known = (self.database, self.local, scope, self.projects)
        return Memory(*known, self.lay_out, self.clock, progress, neighbors, self.looks)

    def lay_out(self, project: Project) -> Path:
        settings = self.settings_of(project).memory
        return self.projects.lay_out(
            project, share_summaries=settings.share_summaries, share_traces=settings.share_traces
        )

    def sessions_in(self, catalog: Database) -> Sessions:
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
            other_home=self.rules.other_home,
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
                return self.rules.redactor(None)
            found = route(header.cwd, atlas)
            root = found.project.root if found.project else found.folder
            return self.rules.redactor(None if root == self.home else root)

        connections = Connections(catalog)

        def profile(header: Header, path: Path) -> Profile:
            """By the folder it lies in, else by the project it goes to."""
            folders = folder_profiles(connections, self.home)
            named = next((folders[folder] for folder in path.parents if folder in folders), None)
            found = route(header.cwd, atlas).project if named is None else None
            return self.rules.profile_named(named) if named else self.rules.profile_at(found.root if found else None)

        sources = redacted_sources(catalog, settings.sources, self.home, roots, redactor, profile)
        return Sessions(catalog, sources, around)

    def _folder_for_talk(self, root: Path | None) -> Path:
        """The `.lerim` folder that a project's conversations are kept in, with the rules that keep git out of it."""
        project = None if root is None else self.projects.at(root)
        return lerim_dir(self.home, self.home) if project is None else self.lay_out(project)

    def _window_start(self) -> datetime | None:
        days = self.user_config.settings.sources.window_days
        return self.clock() - timedelta(days=days) if days else None

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
