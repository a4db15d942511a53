"""The door to the sessions: find them, list them, read one into the archive, account for all."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from lerim.dataclass import dataclass, replace
from lerim.digests import blake2b
from lerim.errors import LerimError, SourceError, UnsafePath
from lerim.sessions.archive import (
    Archived,
    ReadTrace,
    ShownTrace,
    TraceWindow,
    archive,
    keep,
    read_archived,
    read_whole,
    read_window,
    trace_path,
)
from lerim.sessions.audit import Audit, audit
from lerim.sessions.catalog import NOTHING, Catalog, Discovered, OnScan, UnscopedSessions, note
from lerim.sessions.connections import Connections, Health, examine
from lerim.sessions.facts import first_opening
from lerim.sessions.forks import copied_lines, is_ingested, remember, without_copies, without_history
from lerim.sessions.lease import has_ended
from lerim.sessions.listing import SessionListing
from lerim.sessions.queue import Job, Queue
from lerim.sessions.routing import Atlas
from lerim.sessions.session import Session, SessionState
from lerim.sessions.watching import WatchedPlaces, watched_places
from lerim.sources.base import Account, Machine, NamesRecords, Reading, ReadsOneFile, Source
from lerim.sources.trace import Header, Line
from lerim.storage.database import Database, Transaction
from lerim.storage.entries import entries, not_an_entry

_T = TypeVar("_T")


@dataclass(frozen=True)
class Surroundings:
    """What the sessions room is given: where agents keep things, who is a project, and what must not be kept."""

    machine: Machine
    atlas: Atlas
    since: datetime | None
    #: Agents the settings say not to read.
    disabled: frozenset[str]
    #: The `.lerim` folder of a project root; of None, the global one.
    folder: Callable[[Path | None], Path]
    #: Hears how far a look at the disk has come.
    progress: OnScan


@dataclass(frozen=True)
class TraceAhead:
    """A session that was read before its turn, and what that rests on."""

    read: ReadTrace
    #: What its file's bytes hash to; None where they are not all that counts.
    source: bytes | None
    #: The lines that were left out: another session had given them.
    copied: frozenset[int]


@entries
class Sessions:
    """The sessions of all agents on this machine."""

    def __init__(self, database: Database, sources: Sequence[Source], around: Surroundings) -> None:
        self._database = database
        self._around = around
        self.sources = sources
        self.connections = Connections(database)
        self.catalog = Catalog(database, around.atlas, around.since, around.progress)
        self.listing = SessionListing(database)
        self.queue = Queue(database, random.random, has_ended=has_ended)

    def enter(self, work: Callable[[], _T]) -> _T:
        """A damaged catalog is rebuilt and asked again. Not for a holder of a session: its number may change."""
        return self._database.guarded(work, repeatable=True)

    def since(self, moment: datetime | None) -> Sessions:
        """The same, of those that were active since a moment; None for all there ever were."""
        return Sessions(self._database, self.sources, replace(self._around, since=moment))

    def discover(self) -> Discovered:
        """Look at the disk: one `stat` for every file that did not change. Nothing is found that cannot be noted."""
        if self._database.is_read_only:
            return NOTHING
        out = self.left_out()
        found = self.catalog.discover([s for s in self.sources if s.name not in out], self._around.machine)
        self.catalog.reroute()
        return found

    def alias(self, old_root: Path, root: Path) -> int:
        """The project at `root` used to be at `old_root`. The number of sessions this gave a project."""
        return self.catalog.alias(old_root, root)

    def find(self, name: str) -> Session:
        """A session by `agent/run_id`, or the beginning of its run id. Raises NotFound or Conflict."""
        return self.catalog.find(name)

    def named(self, sessions: Sequence[Session]) -> list[Session]:
        """The same, and what has no title is named by what the user asked for first, if that can be read."""
        return [session if session.title or session.gone else self._named(session) for session in sessions]

    def _named(self, session: Session) -> Session:
        try:
            opening = first_opening(self._source(session.agent).read(session.ref).lines)
        except (LerimError, OSError):
            return session
        if opening is None or self._database.is_read_only:
            return replace(session, title=opening)
        return self.catalog.name(session, opening)

    @not_an_entry
    def read(self, session: Session, ahead: TraceAhead | None = None) -> Archived:
        """Read a session into the archive as it is now, redacted, and keep what it amounts to. Raises SourceError.

        What a fork only repeats of a session that was completed is left out. What was read ahead is not read again,
        where that would give the same.
        """
        if ahead is not None and self._would_be(session, ahead):
            done = keep(ahead.read, self.trace_of(session))
        else:
            # Read before its place is asked for: what cannot be read by its project's settings is a fault of this one.
            reading = self._reading(session)
            done = archive(reading, self.trace_of(session))
        self.catalog.note(session.id, done.facts)
        return done

    @not_an_entry
    def trace_of(self, session: Session) -> Path:
        """Where a session's trace is archived, whether or not it was read yet."""
        return trace_path(self._around.folder(session.project_root), session.agent, session.run_id)

    @not_an_entry
    def read_into(self, session: Session, path: Path) -> Archived:
        """Read a session as `read` does, into a file of the caller's; nothing else is changed. Raises SourceError."""
        return archive(self._reading(session), path)

    @not_an_entry
    def read_ahead(self, session: Session) -> TraceAhead:
        """Read a session as `read` would now, and keep nothing of it. Raises SourceError, OSError."""
        source, copied = self._source(session.agent), self._copied(session)
        # A database of many sessions may be large, and its bytes tell nothing of one of them.
        is_one_file = isinstance(source, ReadsOneFile) and source.reads_one_file
        before = _digest(session.path) if is_one_file else None
        reading = self._reading(session, copied)
        done = read_whole(reading)
        is_alone = before is not None and reading.header.forked_from is None
        kept = before if is_alone and before == _digest(session.path) else None
        return TraceAhead(done, kept, frozenset(copied[0]))

    def _would_be(self, session: Session, ahead: TraceAhead) -> bool:
        """Whether reading it now would give what was read ahead: from the same bytes, with as much left out."""
        try:
            is_same = ahead.source is not None and ahead.source == _digest(session.path)
        except OSError:
            return False
        return is_same and self._copied(session)[0] == ahead.copied

    def _reading(self, session: Session, known: tuple[set[int], str] | None = None) -> Reading:
        reading = self._source(session.agent).read(session.ref)
        # People and evidence name it as the catalog does, whatever the file calls itself.
        reading = replace(reading, header=replace(reading.header, agent=session.agent, run_id=session.run_id))
        copied, origin = known or self._copied(session)
        with self._database.read() as tx:
            if reading.inherited and is_ingested(tx, session.agent, reading.header.forked_from):
                reading = without_history(reading)
        return without_copies(reading, copied, origin) if copied else reading

    def _copied(self, session: Session) -> tuple[set[int], str]:
        records = self._records(session)
        with self._database.read() as tx:
            return copied_lines(tx, session, records)

    @not_an_entry
    def show(self, session: Session) -> ShownTrace:
        """A session as the archive has it now. Where nothing can be written, as it was archived, or else as its agent
        keeps it. Raises SourceError."""
        path = trace_path(self._around.folder(session.project_root), session.agent, session.run_id)
        if not self._database.is_read_only:
            done = self.read(session)
            return ShownTrace(done.path, list(read_archived(done.path)), done.account)
        if path.is_file():
            return ShownTrace(path, list(read_archived(path)), Account())
        reading = self._source(session.agent).read(session.ref)
        lines: list[Header | Line] = [reading.header, *reading.lines]
        return ShownTrace(session.path, list(enumerate(lines, 1)), reading.account)

    @not_an_entry
    def window(self, session: Session, first: int, count: int) -> TraceWindow:
        """Some lines of a session: from the archive, or else, before it was ever read, from where its agent keeps it.
        Writes nothing. Raises SourceError."""
        path = self.trace_of(session)
        if path.is_file():
            try:
                return read_window(path, first, count)
            except (OSError, ValueError, UnsafePath) as error:
                raise SourceError(f"{path} cannot be read", hint=f"lerim trace show {session.name}") from error
        reading = self._reading(session)
        lines: Iterator[Header | Line] = chain((reading.header,), reading.lines)
        items = list(islice(enumerate(lines, 1), first - 1, first + count))
        return TraceWindow(items[:count], None if len(items) > count else first + len(items) - 1, False)

    @not_an_entry
    def complete(self, job: Job, archived: Archived) -> SessionState:
        """The session was ingested: note its facts and its records with it, in one transaction. Raises Conflict."""
        records = self._records(job.session)

        def also(tx: Transaction) -> None:
            note(tx, job.session.id, archived.facts)
            remember(tx, job.session, (uuid for _, uuid in records))

        return self.queue.complete(job, also)

    def _records(self, session: Session) -> list[tuple[int, str]]:
        source = self._source(session.agent)
        return list(source.uuids(session.ref)) if isinstance(source, NamesRecords) else []

    def unscoped(self) -> list[UnscopedSessions]:
        return self.catalog.unscoped()

    def audit(self) -> Audit:
        """Where every discovered session and byte went."""
        return audit(self._database)

    def watched(self, limit: int) -> WatchedPlaces:
        """Where something new would appear, in at most so many folders."""
        out, projects = self.left_out(), self._around.atlas.projects
        read = [source for source in self.sources if source.name not in out]
        busy = {self._around.machine.home, *(project.root for project in projects)}
        return watched_places(self._database, read, self._around.machine, busy, limit)

    def examine(self, *, thoroughly: bool) -> list[Health]:
        """How each agent's connection stands."""
        out, machine = self.left_out(), self._around.machine
        return [
            examine(source, machine, enabled=source.name not in out, thoroughly=thoroughly) for source in self.sources
        ]

    def left_out(self) -> frozenset[str]:
        """The agents that are not read: disabled in the settings, or removed by hand."""
        return self._around.disabled | self.connections.removed()

    def is_disabled(self, agent: str) -> bool:
        return agent in self._around.disabled

    def _source(self, agent: str) -> Source:
        for source in self.sources:
            if source.name == agent:
                return source
        raise SourceError(f"no source reads '{agent}' sessions here", hint="lerim sources list")


def _digest(path: Path) -> bytes:
    """What a file's bytes hash to. Raises OSError."""
    digest = blake2b(digest_size=32)
    with path.open("rb") as file:
        while some := file.read(1 << 20):
            digest.update(some)
    return digest.digest()
