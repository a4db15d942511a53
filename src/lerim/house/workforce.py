"""Who works in a house: workers, their helpers and agents, each by the settings of the project it works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.settings import RoleSettings, Settings
from lerim.context.decay import DecayRule
from lerim.context.memory import Memory
from lerim.context.progress import silent
from lerim.context.projects import Project
from lerim.context.records import utc_moment, utc_now
from lerim.dataclass import replace
from lerim.errors import NotFound
from lerim.house.rules import scope_of

if TYPE_CHECKING:
    from lerim.house.rooms import House
    from lerim.llm import Models
    from lerim.llm.models import RoleName
    from lerim.runtime.agent import LeadAgent
    from lerim.runtime.ahead import Ahead, ReadAhead
    from lerim.runtime.curator import Curator
    from lerim.runtime.maintenance import Maintenance
    from lerim.runtime.rehearsal import RoleForecast
    from lerim.runtime.rooms import Rooms
    from lerim.runtime.worker import Taken, Worker
    from lerim.sessions.queue import Job
    from lerim.sessions.room import Sessions, TraceAhead
    from lerim.sessions.session import Session

#: With fewer sessions than this to read, starting processes that help takes longer than they save.
LEAST_SESSIONS = 8


class Workforce:
    """Workers and agents of a house."""

    def __init__(self, house: House) -> None:
        self._house = house

    def worker(self, sessions: Sessions, ahead: Ahead | None = None) -> Worker:
        """A worker that ingests sessions of any project, each by its project's settings."""
        # Start-up: the agent's framework takes a second to load, and only runs need it.
        from lerim.runtime.worker import Worker
        from lerim.sessions.database import open_catalog
        from lerim.sessions.lease import kept, this_worker

        def keep(job: Job) -> AbstractContextManager[None]:
            return kept(job, lambda: open_catalog(self._house.home, self._house.stamp())[0])

        agent_for = partial(self._agent_for, ahead)
        if ahead is not None:
            from lerim.runtime.ahead import SessionsAhead  # As in `helpers`.

            return Worker(this_worker(), SessionsAhead(sessions, ahead), agent_for, keep, self._alone)
        if self._house.team is None:
            return Worker(this_worker(), sessions, agent_for, keep, self._alone)
        from lerim.runtime.worker import UploadingWorker  # As above.

        return UploadingWorker(this_worker(), sessions, self._house.team, keep, self._alone)

    def team_worker(self) -> Worker:
        """A worker that ingests what machines uploaded, whether or not its project lies here. Raises NotFound."""
        from lerim.runtime.worker import Worker  # As in `worker`.
        from lerim.sessions.lease import kept, this_team_worker

        shared, team = self._house.shared, self._house.team
        if shared is None or team is None:
            raise NotFound(
                "no store is shared here: workers take what machines uploaded",
                hint="set storage.url (docs/teams.md); on one machine: lerim daemon run",
            )

        def keep(job: Job) -> AbstractContextManager[None]:
            return kept(job, lambda: shared.open("sessions"))

        agent_for = partial(self._agent_for, None)
        return Worker(
            this_team_worker(self._house.machine_name), team, agent_for, keep, partial(self._alone, is_team=True)
        )

    def _agent_for(self, ahead: Ahead | None, session: Session, before_commit: Callable[[], None]) -> LeadAgent:
        assert session.project_id is not None, "the queue hands out sessions with a project only"
        known = partial(ahead.found, session.id) if ahead else None
        return self.agent(self._house.projects.find(session.project_id), before_commit, known)

    def _alone(self, job: Job, *, is_team: bool = False) -> Taken:
        from lerim.runtime.alone import take_alone  # Start-up: hardly any session is suspected.

        return take_alone(job, self._house.cwd, self._house.env, is_team=is_team)

    def take_job(self, session_id: int, token: int, worker: str, *, is_team: bool) -> Taken:
        """Take a session that another process has claimed and waits for."""
        from lerim.sessions.queue import Job  # Start-up: as in `worker`.
        from lerim.sessions.session import fetch

        with (self._house.team_catalog if is_team else self._house.catalog).read() as tx:
            session = fetch(tx, session_id)
        assert session is not None, "a session that is claimed is there"
        taking = self.team_worker() if is_team else self.worker(self._house.sessions.since(None))
        return taking.take(Job(session, token, worker))

    def helpers(self, waiting: Sequence[Session], jobs: int | None) -> Ahead | None:
        """Processes that read sessions ahead, as many as fit without `jobs`; None where they would save nothing."""
        if jobs == 1 or len(waiting) < LEAST_SESSIONS or self._house.shared is not None:
            return None
        from lerim.runtime.ahead import Ahead, fitting_jobs  # As in `worker`.

        if jobs is None:
            jobs = fitting_jobs(waiting) if self._reads_itself(self._house.config.settings) else 1
        if jobs < 2:
            return None
        # This process is one of those jobs, and at the first of them before any helper has started.
        ids = [session.id for session in waiting[1:]]
        return Ahead(ids, jobs - 1, self._house.cwd, self._house.env, self.trace_ahead)

    def trace_ahead(self, session_id: int) -> TraceAhead | None:
        """A session as reading it now would give it; None when its project has a model read it, which answers to nobody
        but the run."""
        from lerim.sessions.session import fetch

        with self._house.catalog.read() as tx:
            session = fetch(tx, session_id)
        if session is None or session.project_id is None:
            return None
        settings = self._house.settings_of(self._house.projects.find(session.project_id))
        return self._house.sessions.read_ahead(session) if self._reads_itself(settings) else None

    def _reads_itself(self, settings: Settings) -> bool:
        """Whether no model reads sessions by these settings."""
        from lerim.config.settings import EngineChoice

        return self._house.models_by(settings).is_embedded("summarize") and settings.engine is EngineChoice.EMBEDDED

    def agent(
        self,
        project: Project,
        before_commit: Callable[[], None] = lambda: None,
        read_ahead: Callable[[Path], ReadAhead | None] | None = None,
    ) -> LeadAgent:
        """The lead agent for a project's memory, by that project's settings."""
        from lerim.runtime.agent import LeadAgent  # As in `worker`.

        # Sessions are what people watch go by; the steps within one would only flash up between them.
        memory = self._house.memory_of(scope_of(project, self._house.home), silent)
        rooms = self._rooms(memory, self._house.settings_of(project), before_commit)
        return LeadAgent(rooms=replace(rooms, read_ahead=read_ahead) if read_ahead else rooms)

    def curation(self) -> Maintenance:
        """What keeps the memory of this scope true."""
        from lerim.runtime.maintenance import Maintenance  # Start-up: few commands need it.

        return Maintenance(self._house.memory, self._curator, self._house.home, self._house.clock)

    def _curator(self, project: Project) -> Curator:
        """Who keeps a project's memory true, by that project's settings."""
        from lerim.runtime.curator import Curator  # As above.

        memory = self._house.memory_of(scope_of(project, self._house.home), silent)
        return Curator(rooms=self._rooms(memory, self._house.settings_of(project), lambda: None))

    def maintenance_of(self, project: Project) -> Maintenance:
        """What keeps one project's memory true."""
        from lerim.runtime.maintenance import Maintenance  # As above.

        house = self._house
        memory = house.memory_of(scope_of(project, house.home), silent)
        return Maintenance(memory, self.agent, house.home, house.clock)

    def models_with(self, roles: Mapping[RoleName, RoleSettings]) -> Models:
        """The models of all roles, some of them played otherwise than the settings say."""
        return self._house.models_by(played(self._house.config.settings, roles))

    def rehearse(
        self, project_id: str, trace: Path, workspace: Path, *, roles: Mapping[RoleName, RoleSettings]
    ) -> Mapping[RoleName, RoleForecast]:
        """What each role's model would be asked about a session of a project. Nothing is asked, and nothing kept."""
        from lerim.runtime.rehearsal import rehearse  # As in `worker`.

        project = self._house.projects.find(project_id)
        memory = self._house.memory_of(scope_of(project, self._house.home), silent)
        settings = played(self._house.settings_of(project), roles)

        def rooms_for(models: Models, before_commit: Callable[[], None]) -> Rooms:
            return self._rooms(memory, settings, before_commit, models)

        known = (self._house.models_by(settings), rooms_for, settings.engine, trace)
        return rehearse(*known, memory.place(project).folder.root, workspace)

    def rooms(self) -> Rooms:
        """What an agent needs to work in this directory."""
        return self._rooms(self._house.memory, self._house.config.settings)

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

        models = models or self._house.models_by(settings)
        tracing = self._house.tracing(settings, memory.scope.project or self._house.home)
        return Rooms(
            self._house.home,
            memory,
            self._house.projects,
            models,
            lambda spending: engine_for(
                settings.engine,
                models,
                spending,
                self._house.home,
                tracing,
                lambda made: self._house.known_beside(made, memory),
                self._house.rules.profiles.get,
            ),
            decay=DecayRule.of(settings.decay),
            clock=self._house.clock,
            # Who sets the clock sets it for the logs, too.
            log_clock=utc_moment if self._house.clock is utc_now else self._house.clock,
            random=self._house.random,
            before_commit=before_commit,
            tracing=tracing,
            searcher=lambda: Searcher(self._house.index.embedder, self._house.index.folder),
        )


def played(settings: Settings, roles: Mapping[RoleName, RoleSettings]) -> Settings:
    """The settings, with some roles played otherwise."""
    others: dict[str, RoleSettings] = {str(role): one for role, one in roles.items()}
    return replace(settings, roles=replace(settings.roles, **others)) if roles else settings
