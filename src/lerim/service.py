"""Lerim as one line: builds the rooms, offers them as attributes, and has methods only for what spans them.

with Lerim() as lerim:
    lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens"))
    for hit in lerim.search("auth tokens"):
        print(hit.kept.record.title)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lerim.config.scope import Scope, lerim_dir, locate
from lerim.config.settings import Config, Unscoped, home_dir, load
from lerim.context.decay import DecayRule
from lerim.context.filters import Filter
from lerim.context.memory import Memory, Place, PlaceStatus
from lerim.context.progress import Progress, silent
from lerim.context.projects import GLOBAL, Project, Projects
from lerim.context.records import Clock, time_text, utc_now
from lerim.context.recovery import STORE, is_damaged, open_store, replace_damaged
from lerim.errors import NotFound, ScopeError, StoreCorrupt, StoreError, UsageError
from lerim.storage.database import Database

if TYPE_CHECKING:
    from lerim.context.intake import Reconciled
    from lerim.context.search import Hit
    from lerim.context.transfer import Imported
    from lerim.context.upkeep import Finding
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session
    from lerim.sources.redact import Redactor


@dataclass(frozen=True)
class Overview:
    """What `lerim status` tells."""

    home: Path
    scope: Scope
    places: list[PlaceStatus]
    projects: int
    record_count: int
    fts_count: int
    #: Sessions by state, as the last look at the disk left them; empty before the first.
    sessions: dict[str, int]
    #: Commands worth typing next, most useful first.
    next_steps: list[str]


@dataclass
class Reset:
    """What a reset forgot, and where its backup lies."""

    records: dict[str, int] = field(default_factory=dict)
    backup: Path | None = None
    queue_kept: bool = True


class Lerim:
    """Everything, for one working directory. Cheap to build: rooms open when they are first used."""

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

    def __enter__(self) -> Lerim:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        for room in ("database", "_session_database"):
            if room in self.__dict__:
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
    def memory(self) -> Memory:
        return Memory(self.database, self.scope, self.projects, self.lay_out, self.clock, self.progress)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions of all agents on this machine, within the configured window."""
        days = self._user_config.settings.sources.window_days
        return self.sessions_since(self.clock() - timedelta(days=days) if days else None)

    @cached_property
    def decay(self) -> DecayRule:
        said = self.config.settings.decay
        return DecayRule(said.period_days, said.floor, said.archive_threshold, said.grace_days)

    # What spans rooms

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
        for room in ("project_root", "config", "scope", "memory"):
            self.__dict__.pop(room, None)
        return project

    def find_project(self, name: str | None) -> Project:
        """A registered project by name, path or id; without one, the project here. Raises NotFound."""
        if name is not None:
            return self.projects.find(name)
        project = self.projects.at(self.project_root) if self.project_root else None
        if project is None:
            raise NotFound("this folder belongs to no registered project", hint="lerim init")
        return project

    def lay_out(self, project: Project) -> Path:
        said = self.config.settings.memory
        return self.projects.lay_out(project, share_summaries=said.share_summaries, share_traces=said.share_traces)

    def search(self, query: str, wanted: Filter = Filter(), limit: int = 10) -> list[Hit]:  # noqa: B008 - frozen
        """The memories that match a query best, project before global."""
        from lerim.context.search import search  # Only a search needs it.

        return search(self.memory, query, wanted, limit)

    def sessions_since(self, since: datetime | None) -> Sessions:
        """The sessions that were active since a moment; None for all there ever were."""
        # Start-up: the readers of a dozen agents are wanted by few commands.
        from lerim.sessions.opening import connected
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
            fallback=Registered(GLOBAL, self.home) if said.sources.unscoped is Unscoped.GLOBAL else None,
        )
        around = Surroundings(
            machine=Machine(Path(self.env.get("HOME") or Path.home()), self.env),
            atlas=atlas,
            since=since,
            disabled=frozenset(said.sources.disabled),
            folder=lambda root: lerim_dir(root or self.home, self.home),
        )
        roots = [project.root for project in projects]
        sources = connected(self._session_database, said.sources, self.home, roots, self._redactor)
        return Sessions(self._session_database, sources, around)

    def import_trace(self, text: str | Path, name: str, cwd: Path | None = None) -> Session:
        """Take in a trace of one's own: checked, redacted, catalogued and queued. Raises TraceError with the line."""
        from lerim.sessions.archive import archive, safe_name
        from lerim.sessions.opening import imports_folder
        from lerim.sources.base import Reading
        from lerim.sources.custom import read_trace

        if safe_name(name) != name:
            raise UsageError(
                f"'{name}' is no name for a trace", hint=f"letters, digits, dots and dashes: --name {safe_name(name)}"
            )
        reading, redactor = read_trace(text, name), self._redactor()
        where = reading.header.cwd or str((cwd or self.project_root or self.cwd).resolve())
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

    def check(self) -> list[Finding]:
        """Every promise about the memory that does not hold, in all places of this scope."""
        from lerim.context import upkeep  # Start-up: a check is rare.

        places = self.memory.places()
        found = [finding for place in places for finding in upkeep.check(place, self.progress)]
        return found + (upkeep.check_database(places[0]) if places else [])

    def rebuild_store(self) -> list[tuple[Place, Reconciled]]:
        """Remake the store from the files. A database that is damaged inside is replaced by a new one first."""
        from lerim.context import upkeep  # Start-up: a rebuild is rare.

        if is_damaged(self.home):
            self.recover()
        return [(place, upkeep.rebuild_store(place)) for place in self.memory.places()]

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

    def status(self) -> Overview:
        """How the memory stands, and what to type next."""
        places = [] if self.scope.is_empty else [place.status() for place in self.memory.places()]
        with self.database.read() as tx:
            row = tx.row("SELECT count(*) FROM records")
            records, indexed = int(row[0]) if row else 0, self.database.text_count(tx)
        sessions = self._session_counts()
        steps = self._next_steps(places, sessions)
        return Overview(self.home, self.scope, places, len(self.projects.all()), records, indexed, sessions, steps)

    def recover(self) -> None:
        """Replace whichever database is damaged by a new one: the store is filled from the files, the catalog anew."""
        from lerim.sessions.database import is_catalog_damaged, replace_catalog

        self.close()
        for room in ("database", "_session_database", "projects", "memory", "sessions"):
            self.__dict__.pop(room, None)
        if is_damaged(self.home):
            self.__dict__["database"] = self._told(replace_damaged(self.home, self.clock, self._stamp()))
        if is_catalog_damaged(self.home):
            self.__dict__["_session_database"] = self._told(replace_catalog(self.home, self._stamp()))

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
        from lerim.sessions.opening import salt_of

        return salt_of(self.home)

    def _told(self, opened: tuple[Database, str | None]) -> Database:
        database, notice = opened
        if notice:
            self.notices.append(notice)
        return database

    def _session_counts(self) -> dict[str, int]:
        from lerim.sessions.database import catalog_path, counts

        return counts(self._session_database) if catalog_path(self.home).exists() else {}

    def _next_steps(self, places: list[PlaceStatus], sessions: Mapping[str, int]) -> list[str]:
        steps = []
        if any(place.problems for place in places):
            steps.append("lerim memory check")
        if sessions.get("failed") or sessions.get("dead"):
            steps.append("lerim queue")
        if sessions.get("no project"):
            steps.append("lerim unscoped")
        if not sessions:
            steps.append("lerim connect auto")
        if self.project_root is None and self.cwd not in (self.home, self.home.parent):
            steps.append("lerim init")
        if not any(place.counts for place in places):
            steps.append('lerim memory add --primitive decision --title "..." --body "..."')
        else:
            steps += ["lerim memory list", "lerim search WORDS"]
        return steps

    def _stamp(self) -> str:
        return time_text(self.clock()).replace(":", "").replace("-", "").replace("T", "-").rstrip("Z")
