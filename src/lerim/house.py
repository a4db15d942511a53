"""The rooms of one working directory: built from the settings, opened when they are first used."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lerim.config.scope import Scope, ScopeMode, lerim_dir, locate
from lerim.config.settings import Config, Settings, UnscopedPolicy, home_dir, load
from lerim.context.decay import DecayRule
from lerim.context.memory import Memory, Place
from lerim.context.progress import Progress, silent
from lerim.context.projects import GLOBAL, Project, Projects
from lerim.context.records import Clock, time_text, utc_now
from lerim.context.recovery import STORE, open_store, replace_damaged
from lerim.errors import StoreCorrupt
from lerim.storage.database import Database

if TYPE_CHECKING:
    from lerim.context.review import Review
    from lerim.llm import Models, UsageLedger
    from lerim.observability import Tracing
    from lerim.runtime.agent import LerimAgent
    from lerim.runtime.rooms import Rooms
    from lerim.runtime.runs.folder import Runs
    from lerim.runtime.worker import Worker
    from lerim.search.embeddings import Embedder, NoEmbedder
    from lerim.sessions.queue import Job
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session
    from lerim.sources.redact import Redactor


class House:
    """Everything Lerim is made of, for one working directory. Cheap to build. `Lerim` is what one does with it."""

    def __init__(
        self,
        cwd: Path | str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        clock: Clock = utc_now,
        progress: Progress = silent,
    ) -> None:
        self.cwd = Path(cwd) if cwd is not None else Path.cwd()
        self.env = os.environ if env is None else env
        self.home = home_dir(self.env)
        self.clock = clock
        self.progress = progress
        #: What people should be told once the command is done: repairs, and where things were put.
        self.notices: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        for room in ("database", "_session_database", "tracing"):
            if self.__dict__.get(room) is not None:
                self.__dict__[room].close()

    # The rooms

    @cached_property
    def config(self) -> Config:
        """The settings that hold here, and the layer each came from."""
        return self._user_config if self.project_root is None else load(self.home, self.project_root, self.env)

    @cached_property
    def project_root(self) -> Path | None:
        """The project this directory belongs to, registered or not."""
        registered = [project.root for project in self.projects.all()] if (self.home / STORE).exists() else []
        separate = self._user_config.settings.memory.separate_worktrees
        return locate(self.cwd, registered, home=self.home, separate_worktrees=separate)

    @cached_property
    def scope(self) -> Scope:
        return Scope(self.config.settings.memory.scope, self.project_root, self.home)

    @cached_property
    def database(self) -> Database:
        """The Context Store's database. A damaged one is set aside and remade from the files."""
        try:
            return open_store(self.home)
        except StoreCorrupt:
            return self._told(replace_damaged(self.home, self.clock, self._stamp()))

    @cached_property
    def projects(self) -> Projects:
        return Projects(self.database, self.home, self.clock)

    @cached_property
    def usage(self) -> UsageLedger:
        """What models used up on this machine."""
        from lerim.llm import UsageLedger  # Start-up: most commands ask no model.

        return UsageLedger(self.home, self.clock, self.notices.append)

    @cached_property
    def models(self) -> Models:
        """The models of all roles, as they are configured here."""
        return self._models(self.config.settings)

    @cached_property
    def runs(self) -> Runs:
        """The runs of this scope: the project's and those of the global memory."""
        from lerim.runtime.runs.folder import Runs  # Start-up: few commands look at runs.

        roots = () if self.scope.is_empty else self.scope.reads
        return Runs([lerim_dir(root, self.home) / "workspace" for root in roots])

    @cached_property
    def tracing(self) -> Tracing | None:
        """Where spans go; None when tracing is off. Only runs ask for it."""
        from lerim.observability import StatusLine, TracingOptions, start_tracing

        said = self.config.settings.tracing
        options = TracingOptions(said.enabled, str(said.exporter), said.endpoint, said.include_httpx)
        redactor = cache(self._redactor)  # Start-up: most people trace nothing.
        return start_tracing(
            options, self.home, self.env, redact=lambda text: redactor().clean(text), tell=StatusLine().say
        )

    @cached_property
    def memory(self) -> Memory:
        return Memory(self.database, self.scope, self.projects, self.lay_out, self.clock, self.progress)

    @cached_property
    def review(self) -> Review:
        """What nobody is sure of and waits for a decision."""
        from lerim.context.review import Review  # Start-up: few commands look at it.

        return Review(self.memory)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions of all agents on this machine, within the configured window."""
        days = self._user_config.settings.sources.window_days
        return self.sessions_since(self.clock() - timedelta(days=days) if days else None)

    @cached_property
    def decay(self) -> DecayRule:
        return DecayRule.of(self.config.settings.decay)

    @cached_property
    def embedder(self) -> Embedder | NoEmbedder:
        """The model that compares meanings, not loaded yet; or why there is none, and what to do about it."""
        from lerim.search.embeddings import find_embedder

        said = self._user_config.settings.embeddings
        return find_embedder(self.home, enabled=said.enabled, model=said.model)

    @property
    def index_folder(self) -> Path:
        return self.home / "index" / "search"

    def sessions_since(self, since: datetime | None) -> Sessions:
        """The sessions that were active since a moment; None for all there ever were."""
        # Start-up: the readers of a dozen agents are wanted by few commands.
        from lerim.sessions.connections import redacted_sources
        from lerim.sessions.room import Sessions, Surroundings
        from lerim.sessions.routing import Atlas, Registered, remote_of
        from lerim.sources.base import Machine

        # The catalog is one for all projects, so what it reads is the user's to say, not a project's.
        said = self._user_config.settings
        projects = tuple(Registered(p.id, p.root, remote_of(p.root)) for p in self.projects.all())
        atlas = Atlas(
            projects,
            self.home,
            said.memory.separate_worktrees,
            aliases=self.projects.former_roots(),
            fallback=Registered(GLOBAL, self.home) if said.sources.unscoped is UnscopedPolicy.GLOBAL else None,
        )
        around = Surroundings(
            machine=Machine(Path(self.env.get("HOME") or Path.home()), self.env),
            atlas=atlas,
            since=since,
            disabled=frozenset(said.sources.disabled),
            folder=lambda root: lerim_dir(root or self.home, self.home),
        )
        if atlas.fallback is not None:
            self.projects.add(self.home)
        roots = [project.root for project in projects]
        sources = redacted_sources(self._session_database, said.sources, self.home, roots, self._redactor)
        return Sessions(self._session_database, sources, around)

    def lay_out(self, project: Project) -> Path:
        said = self.config.settings.memory
        return self.projects.lay_out(project, share_summaries=said.share_summaries, share_traces=said.share_traces)

    # Who works

    def _worker(self, sessions: Sessions) -> Worker:
        # Start-up: the agent's framework takes a second to load, and only runs need it.
        from lerim.runtime.worker import Worker
        from lerim.sessions.database import open_catalog
        from lerim.sessions.lease import kept, this_worker

        def agent_for(session: Session, before_commit: Callable[[], None]) -> LerimAgent:
            assert session.project_id is not None, "the queue hands out sessions with a project only"
            return self._agent(self.projects.find(session.project_id), before_commit)

        def keep(job: Job) -> AbstractContextManager[None]:
            return kept(job, lambda: open_catalog(self.home, self._stamp())[0])

        return Worker(this_worker(), sessions, agent_for, keep)

    def _agent(self, project: Project | None, before_commit: Callable[[], None] | None = None) -> LerimAgent:
        """The lead agent for a project's memory, by that project's settings; for this scope's without a project."""
        from lerim.runtime.agent import LerimAgent  # As in `_worker`.

        return LerimAgent(rooms=self._rooms(project, before_commit))

    def _rooms(self, project: Project | None = None, before_commit: Callable[[], None] | None = None) -> Rooms:
        """What an agent works with: as `_agent` says."""
        from lerim.ingest.choice import engine_for  # Start-up: few commands have runs or questions.
        from lerim.runtime.rooms import Rooms
        from lerim.search.search import Searcher

        said = self._config_of(project).settings
        models = self._models(said)
        memory = self.memory if project is None else self._memory_of(project, said)
        return Rooms(
            self.home,
            memory,
            self.projects,
            models,
            lambda spending: engine_for(said.engine, models, spending, self.home),
            decay=DecayRule.of(said.decay),
            clock=self.clock,
            before_commit=before_commit or (lambda: None),
            tracing=self.tracing,
            searcher=lambda: Searcher(self.embedder, self.index_folder),
        )

    def _models(self, said: Settings) -> Models:
        from lerim.llm import Models  # Start-up: most commands ask no model.

        return Models(said.roles, said.budget, self.env, self.usage)

    def _config_of(self, project: Project | None) -> Config:
        if project is None or project.root == self.project_root:
            return self.config
        return self._user_config if project.is_global else load(self.home, project.root, self.env)

    def _memory_of(self, project: Project, said: Settings) -> Memory:
        """The memory of one project alone: where a run over its sessions reads and writes."""
        root = None if project.is_global else project.root
        mode = ScopeMode.GLOBAL_ONLY if root is None else ScopeMode.PROJECT_ONLY
        scope = Scope(mode, root, self.home)
        # Sessions are what people watch go by; the steps within one would only flash up between them.
        return Memory(self.database, scope, self.projects, self.lay_out, self.clock)

    def _folder_of(self, place: Place) -> Path:
        return lerim_dir(place.project.root, self.home)

    def _runs_of(self, place: Place) -> Runs:
        from lerim.runtime.runs.folder import Runs  # As in `runs`.

        return Runs([self._folder_of(place) / "workspace"])

    # Opening

    @cached_property
    def _user_config(self) -> Config:
        return load(self.home, None, self.env)

    @cached_property
    def _session_database(self) -> Database:
        from lerim.sessions.database import open_catalog

        return self._told(open_catalog(self.home, self._stamp()))

    def _redactor(self) -> Redactor:
        """A fresh redactor, made once per session that is read: whatever it needs is at hand."""
        from lerim.sources.redact import Redactor

        # A project may have secrets of a shape of its own; it cannot take away what the user wants redacted.
        patterns = (*self._user_config.settings.redaction.patterns, *self.config.settings.redaction.patterns)
        return Redactor(self._salt, tuple(dict.fromkeys(patterns)))

    @cached_property
    def _salt(self) -> bytes:
        from lerim.sources.gate import salt_of

        return salt_of(self.home)

    def _told(self, opened: tuple[Database, str | None]) -> Database:
        database, notice = opened
        if notice:
            self.notices.append(notice)
        return database

    def _stamp(self) -> str:
        return time_text(self.clock()).replace(":", "").replace("-", "").replace("T", "-").rstrip("Z")
