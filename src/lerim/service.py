"""Lerim as one line: offers the rooms as attributes, and has methods only for what spans them.

with Lerim() as lerim:
    lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens"))
    for hit in lerim.search("auth tokens"):
        print(hit.kept.record.title)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import Filter
from lerim.context.memory import Place, PlaceStatus
from lerim.context.projects import Project
from lerim.context.recovery import STORE, is_damaged, replace_damaged
from lerim.errors import Conflict, NotFound, ScopeError, StoreError, UsageError
from lerim.house import House

if TYPE_CHECKING:
    from lerim.answer.conversation import Exchange
    from lerim.answer.pipeline import Answer
    from lerim.context.face.edits import Reconciled
    from lerim.context.feedback import Verdict
    from lerim.context.memory import Kept
    from lerim.context.review import Proposed
    from lerim.context.transfer import Imported
    from lerim.context.upkeep import CheckFinding
    from lerim.llm import Estimate
    from lerim.llm.check import RoleCheck
    from lerim.llm.models import RoleName
    from lerim.runtime.results import MaintainResult
    from lerim.runtime.second_opinion import JudgedCandidate
    from lerim.runtime.why import Considered, Why
    from lerim.runtime.worker import Taken
    from lerim.search.health import IndexHealth
    from lerim.search.search import Hit
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session
    from lerim.sources.base import Reading


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
class Due:
    """What a sync would take in: the sessions, their bytes, and what each role's model would use up at most."""

    sessions: list[Session]
    size: int
    estimates: Mapping[str, Estimate]


@dataclass
class Indexed:
    """What bringing the index up to date did: records written into files, and vectors made."""

    records: int = 0
    vectors: int = 0


@dataclass
class Reset:
    """What a reset forgot, and where its backup lies."""

    records: dict[str, int] = field(default_factory=dict)
    backup: Path | None = None
    queue_kept: bool = True


class Lerim(House):
    """Everything, for one working directory. Cheap to build: rooms open when they are first used."""

    # The line: sync, maintain, ask

    def sync(
        self, sessions: Sessions | None = None, *, project: Project | None = None, limit: int | None = None
    ) -> Iterator[Taken]:
        """Take in everything due, oldest first: what became of each session, as it is done.

        `sessions` are those of somebody who looked at the disk already; without them, that is done first.
        """
        if sessions is None:
            sessions = self.sessions
            sessions.discover()
        yield from self._worker(sessions).work(project.id if project else None, limit)

    def ingest(self, session: Session, sessions: Sessions | None = None) -> Taken:
        """Take in this session now, even if it was taken before. Raises Conflict when another worker is at it."""
        taken = self._worker(sessions or self.sessions).take_one(session)
        if taken is None:
            raise Conflict(f"{session.name}: its project is being worked on", hint="lerim queue")
        return taken

    def due(self, sessions: Sessions, project: Project | None = None, limit: int | None = None) -> Due:
        """What a sync would take in, and what its models would use up at most."""
        waiting = sessions.queue.list(project_id=project.id if project else None)
        waiting = [session for session in waiting if session.state in ("pending", "failed")][:limit]
        size = sum(session.size or 0 for session in waiting)
        roles: tuple[RoleName, ...] = ("extract", "summarize")
        return Due(waiting, size, {role: self.models.estimate(size, role) for role in roles})

    def maintain(self) -> list[MaintainResult]:
        """Keep the memory true in every place of this scope: merge, revise, archive. One run each."""
        places = self.memory.places()
        return [self._agent(place.project).maintain(place.folder.root) for place in places]

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

        asker = Asker(rooms=self._rooms())
        return asker.ask(question, as_of=as_of, history=history, limit=limit, embedded=embedded)

    def feedback(self, record_id: str, verdict: Verdict | str, *, note: str = "") -> Kept:
        """Say that a memory was useful, wrong or outdated: its confidence follows, as a version of its own."""
        from lerim.context.feedback import Verdict, feedback  # Only a verdict needs it.

        return feedback(self.memory.find(record_id), Verdict(verdict), note=note)

    def second_opinion(self, waiting: list[Proposed]) -> Iterator[JudgedCandidate]:
        """Let the model of the extract role decide on candidates. Raises ModelError when none is configured."""
        from lerim.llm import Spending  # As in `_worker`.
        from lerim.runtime.second_opinion import SecondOpinion
        from lerim.sessions.archive import trace_path

        spending = Spending(f"review-{self._stamp()}")

        def trace_of(proposed: Proposed) -> Path:
            agent, _, run_id = proposed.candidate.session.partition("/")
            return trace_path(self._folder_of(proposed.place), agent, run_id)

        self.models.model("extract", spending)  # What is missing is told before the work begins.
        judge = SecondOpinion(self.review, lambda: self.models.model("extract", spending), trace_of, spending.run_id)
        yield from judge.judge(waiting)

    def why(self, kept: Kept) -> Why:
        """Where a memory comes from: its words where they stand, and the run that made it one."""
        from lerim.runtime.why import why_record  # Start-up: pydantic is wanted by few.

        candidate, history = self.review.of_record(kept), self.memory.history(kept)
        runs, folder = self._runs_of(kept.place), self._folder_of(kept.place)
        return why_record(history, kept.record.evidence, candidate, runs, folder)

    def why_waiting(self, proposed: Proposed) -> Why:
        """Where a candidate for review comes from."""
        from lerim.runtime.why import why_candidate  # As above.

        return why_candidate(proposed.candidate, self._runs_of(proposed.place), self._folder_of(proposed.place))

    def considered(self, session: str) -> Considered:
        """All that the newest run over a session considered. Raises NotFound or Conflict."""
        from lerim.runtime.why import considered  # As above.

        return considered(session, self.runs)

    # What else spans rooms

    def reconcile(self) -> list[tuple[Place, Reconciled]]:
        """Take in what people did to the files. Every command that opens a project does this first."""
        return [] if self.scope.is_empty else self.memory.reconcile()

    def init(self, root: Path | None = None, name: str | None = None) -> Project:
        """Make a folder a project: registered, with its `.lerim/` folder laid out."""
        chosen = (root or self.project_root or self.cwd).resolve()
        if not chosen.is_dir():
            raise StoreError(f"{chosen} is not a folder", hint="lerim project add PATH")
        if chosen in (self.home, self.home.parent) and self.home.name == ".lerim":
            raise ScopeError(
                f"{chosen} holds Lerim's own folder and cannot be a project",
                hint="cd into a repository, then: lerim init",
            )
        project = self.projects.add(chosen, name)
        self.lay_out(project)
        # The project was found before it was registered: look again from here on.
        for room in ("project_root", "config", "scope", "memory", "review"):
            self.__dict__.pop(room, None)
        return project

    def adopt(self) -> Project | None:
        """Register the repository here, if it is none yet: whoever syncs in it wants its memory. None if it was."""
        root = self.project_root
        if root is None or self.scope.mode is ScopeMode.GLOBAL_ONLY or self.projects.at(root) is not None:
            return None
        return self.init(root)

    def find_project(self, name: str | None) -> Project:
        """A registered project by name, path or id; without one, the project here. Raises NotFound."""
        if name is not None:
            return self.projects.find(name)
        project = self.projects.at(self.project_root) if self.project_root else None
        if project is None:
            raise NotFound("this folder belongs to no registered project", hint="lerim init")
        return project

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

        searcher = Searcher(self.embedder, self.index_folder)
        return search(self.memory, query, wanted, limit, searcher=searcher, as_of=as_of)

    def sessions_on(self, branch: str) -> frozenset[tuple[str, str]]:
        """The sessions that worked on a git branch, as (agent, run id), as the last look at the disk knew them."""
        from lerim.sessions.database import catalog_path, on_branch

        return on_branch(self._session_database, branch) if catalog_path(self.home).exists() else frozenset()

    def refresh_index(self, until: Callable[[], bool] = lambda: False, *, anew: bool = False) -> Indexed:
        """Bring the index up to date, of the places here first, then of all others: terms, then vectors.

        What is left when `until` says stop is left to the next time. With `anew`, the files are made from the records.
        """
        from lerim.search.index import Index, sweep  # Start-up: numpy.

        done = Indexed()
        sweep(self.database, self.index_folder, self.clock())
        here = [] if self.scope.is_empty else [place.project for place in self.memory.places()]
        others = [project for project in (*self.projects.all(), self.projects.at(self.home)) if project]
        indexes = [
            Index.of(self.database, project_id, self.index_folder, self.embedder)
            for project_id in dict.fromkeys(project.id for project in (*here, *others))
        ]
        for index in indexes:
            if anew:
                index.forget()
            done.records += index.write_terms()
        for index in indexes:
            index.follow_model()
            done.vectors += index.embed(until, tell=self.progress)
        return done

    def vectors_missing(self) -> int:
        """How many memories of this scope a search could not compare by their meaning; 0 when there is no model."""
        from lerim.search.embeddings import Embedder
        from lerim.search.health import missing_vectors

        if self.scope.is_empty or not isinstance(self.embedder, Embedder):
            return 0
        return sum(missing_vectors(self.database, place.project.id) for place in self.memory.places())

    def index_in_background(self) -> bool:
        """Have another process make what is missing. False when that is switched off, or one is at it already."""
        from lerim.search.background import start  # Start-up: seldom needed.

        return self._user_config.settings.embeddings.background and start(self.index_folder, self.env)

    def download_model(self, name: str) -> Path:
        """Fetch an embedding model from the hub into its folder. Raises ConfigError when that is not allowed."""
        from lerim.search.download import download  # Nothing else ever uses the network.

        said = self._user_config.settings.embeddings
        return download(self.home, name, hub=said.hub, allowed=said.download)

    def index_health(self) -> IndexHealth:
        """What the index holds of the records, and what to type when something is missing."""
        from lerim.search.health import check_index

        return check_index(self.database, self.embedder)

    def import_trace(self, text: str | Path, name: str, cwd: Path | None = None) -> Session:
        """Take in a trace of one's own: checked, redacted, catalogued and queued. Raises TraceError with the line."""
        from lerim.sessions.archive import safe_name
        from lerim.sources.custom import read_trace

        if safe_name(name) != name:
            raise UsageError(
                f"'{name}' is no name for a trace", hint=f"letters, digits, dots and dashes: --name {safe_name(name)}"
            )
        reading = read_trace(text, name)
        return self._import(reading, name, reading.header.cwd if cwd is None else str(cwd.resolve()))

    def sessions_of(self, trace: str, cwd: Path | None = None) -> list[Session]:
        """The sessions somebody means: one of the catalog by name, or those in a file, which is imported if need be."""
        everything, path = self.sessions_since(None), Path(trace).expanduser()
        everything.discover()
        if not path.is_file():
            return [everything.find(trace)]
        known = [s for s in everything.queue.list() if s.path.name == path.name and s.path.samefile(path)]
        return known or self._import_file(path, cwd)

    def _import_file(self, path: Path, cwd: Path | None) -> list[Session]:
        from lerim.sessions.archive import safe_name
        from lerim.sources.pieces import container
        from lerim.sources.registry import recognise

        source = recognise(path)
        if source is None or source.name == "custom":
            return [self.import_trace(path, safe_name(path.stem), cwd)]
        refs = [ref for found in container(source.name, path) for ref in source.sessions(found)]
        return [
            self._import(
                source.read(ref), safe_name(f"{source.name}-{ref.run_id}"), str(cwd.resolve()) if cwd else None
            )
            for ref in refs
        ]

    def _import(self, reading: Reading, name: str, cwd: str | None) -> Session:
        """Keep a reading among the imported traces, redacted, as a session that happened in `cwd`, or here."""
        from lerim.sessions.archive import archive
        from lerim.sessions.connections import imports_folder
        from lerim.sources.base import Reading

        redactor = self._redactor()
        where = cwd or str((self.project_root or self.cwd).resolve())
        header = redactor.header(replace(reading.header, run_id=name, cwd=where))
        path = imports_folder(self.home) / f"{name}.jsonl"
        archive(Reading(header, map(redactor.line, reading.lines), reading.account), path)
        everything = self.sessions_since(None)
        everything.discover()
        return everything.find(f"custom/{name}")

    def import_from(
        self,
        source: Path | None,
        lines: list[str] | None = None,
        where: Literal["project", "global"] | None = None,
        *,
        overwrite: bool = False,
    ) -> Imported:
        """Take in records, memory files or plain notes from a file or folder, or JSON lines given as `lines`."""
        from lerim.context import transfer  # Start-up: only an import needs the readers.

        if source is not None:
            incoming, refused = transfer.read_source(source, self.clock())
        else:
            incoming, refused = transfer.read_jsonl(lines or [], "-")
        name = str(source) if source else "standard input"
        place, reason = self.memory.target(where), f"imported from {name}"
        done = transfer.import_records(place, incoming, overwrite=overwrite, reason=reason, progress=self.progress)
        done.not_placed = refused + done.not_placed
        return done

    def check(self) -> list[CheckFinding]:
        """Every promise about the memory that does not hold, in all places of this scope."""
        from lerim.context import upkeep  # Start-up: a check is rare.

        places = self.memory.places()
        found = [finding for place in places for finding in upkeep.check(place, self.progress)]
        return found + (upkeep.check_database(places[0]) if places else [])

    def rebuild_store(self) -> list[tuple[Place, Reconciled]]:
        """Remake the store from the files. A database that is damaged inside is replaced by a new one first."""
        from lerim.context import upkeep  # Start-up: a rebuild is rare.
        from lerim.search.health import forget_parts

        if is_damaged(self.home):
            self.recover()
        return [(place, upkeep.rebuild_store(place, forget_parts)) for place in self.memory.places()]

    def rebuild_files(self) -> dict[str, int]:
        """Remake the files from the store. How many were written, by scope."""
        from lerim.context import upkeep  # Start-up: a rebuild is rare.

        return {place.scope: upkeep.rebuild_files(place) for place in self.memory.places()}

    def reset(self, which: Literal["project", "global", "both"], *, backup: bool = True) -> Reset:
        """Forget everything of a scope, with a backup unless told otherwise. The session queue is global."""
        from lerim.context import upkeep  # Start-up: a reset is rare.
        from lerim.sessions.database import remove_catalog

        roots = [self.project_root] * (which != "global") + [self.home] * (which != "project")
        if which == "project" and self.project_root is None:
            raise ScopeError("this folder belongs to no project", hint="lerim memory reset --scope global --yes")
        done = Reset(queue_kept=which == "project")
        known = [project for root in roots if root and (project := self.projects.at(root))]
        if backup and known:
            done.backup = self.home / "backups" / f"reset-{self._stamp()}"
            done.backup.mkdir(parents=True, exist_ok=True)
            self.database.backup(done.backup / STORE)
        for project in known:
            place = self.memory.place(project)
            done.records[place.scope] = upkeep.reset(place, done.backup / project.name if done.backup else None)
        if which != "project":
            remove_catalog(self.home, done.backup)
        return done

    def check_models(self, *, offline: bool = False) -> list[RoleCheck]:
        """Whether each role can do its work. Unless offline, each configured model is asked for a word."""
        from lerim.llm import Spending
        from lerim.llm.check import check

        return check(self.models, Spending(f"check-{self._stamp()}"), offline=offline)

    def status(self) -> Overview:
        """How the memory stands, and what to type next."""
        from lerim.search.health import IndexState

        places = [] if self.scope.is_empty else [place.status() for place in self.memory.places()]
        index = self.index_health()
        sessions = self._session_counts()
        waiting = 0 if self.scope.is_empty else self.review.waiting()
        steps = self._next_steps(places, sessions, waiting)
        if index.fix and index.state is not IndexState.DEGRADED:
            steps.append(index.fix)
        projects = len(self.projects.all())
        return Overview(
            *(self.home, self.scope, places, projects, index.records, index.fts, index, sessions, waiting, steps)
        )

    def recover(self) -> None:
        """Replace whichever database is damaged by a new one: the store is filled from the files, the others anew."""
        from lerim.sessions.database import is_catalog_damaged, replace_catalog

        self.close()
        for room in ("database", "_session_database", "projects", "memory", "review", "sessions"):
            self.__dict__.pop(room, None)
        if is_damaged(self.home):
            self.__dict__["database"] = self._told(replace_damaged(self.home, self.clock, self._stamp()))
        if is_catalog_damaged(self.home):
            self.__dict__["_session_database"] = self._told(replace_catalog(self.home, self._stamp()))
        self.usage.replace_damaged()

    def _session_counts(self) -> dict[str, int]:
        from lerim.sessions.database import catalog_path, counts

        return counts(self._session_database) if catalog_path(self.home).exists() else {}

    def _next_steps(self, places: list[PlaceStatus], sessions: Mapping[str, int], waiting: int) -> list[str]:
        steps = []
        if any(place.problems for place in places):
            steps.append("lerim memory check")
        if sessions.get("failed") or sessions.get("dead"):
            steps.append("lerim queue")
        if sessions.get("no project"):
            steps.append("lerim unscoped")
        if waiting:
            steps.append("lerim review")
        if not sessions:
            steps.append("lerim connect auto")
        if self.project_root is None and self.cwd not in (self.home, self.home.parent):
            steps.append("lerim init")
        if not any(place.counts for place in places):
            steps.append('lerim memory add --primitive decision --title "..." --body "..."')
        else:
            steps += ["lerim memory list", "lerim search WORDS"]
        return steps
