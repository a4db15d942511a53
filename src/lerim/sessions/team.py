"""The sessions that machines share: each uploads what its agents left, and any worker takes what is next.

A machine has its own catalog of what lies on its disk. What it read, redacted and archived goes from there into this
one, which is the same schema on a server: a session's fingerprint is its trace, and `Queue` says whose turn it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import BytesIO
from pathlib import Path, PurePath
from typing import Protocol

from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, LerimError, NotFound, SourceError
from lerim.sessions.archive import Archived, ShownTrace, numbered_lines, read_archived, restore, trace_path
from lerim.sessions.catalog import find_in, note
from lerim.sessions.catalog_update import header_columns, next_state
from lerim.sessions.facts import SessionFacts, describe
from lerim.sessions.lease import has_team_worker_ended
from lerim.sessions.queue import Job, Queue
from lerim.sessions.session import Session, SessionState
from lerim.sessions.traces import CutTrace, TraceName, UploadedTraces
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Header
from lerim.storage.database import Database, Transaction, Value

# Where everything that was uploaded lies, as far as anybody can tell: the files are where nobody else can look.
_UPLOADED = "INSERT INTO containers (agent, path, size, inode) VALUES ('', 'uploaded', 0, 0) ON CONFLICT DO NOTHING"
_UPLOADED_ID = "SELECT id FROM containers WHERE agent = '' AND path = 'uploaded'"

_ADD = """
INSERT INTO sessions (agent, run_id, container_id, project_id, fingerprint, active, state)
VALUES (?, ?, ?, ?, '', '', 'skipped')
ON CONFLICT DO NOTHING
"""

# What was ingested comes first, and then what came last.
_KNOWN = """
SELECT id, project_id, fingerprint, state, choice, ingested FROM sessions WHERE agent = ? AND run_id = ?
ORDER BY CASE WHEN ingested IS NULL THEN 1 ELSE 0 END, id DESC
"""
# The same of one project, and ours until this is over: whoever else would change it waits.
_LOCKED = """
UPDATE sessions SET agent = agent WHERE project_id = ? AND agent = ? AND run_id = ?
RETURNING id, project_id, fingerprint, state, choice, ingested
"""
_DROP = """
DELETE FROM sessions
WHERE project_id = ? AND id = ? AND ingested IS NULL AND state <> 'running' AND coalesce(choice, '') <> 'leave'
"""


class CitedLines(Protocol):
    """What rests on lines of a trace."""

    @property
    def agent(self) -> str: ...

    @property
    def run_id(self) -> str: ...

    @property
    def last_line(self) -> int: ...


@dataclass(frozen=True)
class Uploaded:
    """What became of an upload: whether the team's queue has something to do now, and how many pieces were sent."""

    is_news: bool
    pieces: int


@dataclass(frozen=True)
class _TeamSession:
    """What the team knows of a session: a row of _KNOWN."""

    id: int
    project_id: str
    fingerprint: str
    state: str
    choice: str | None
    ingested: str | None

    @property
    def is_fixed(self) -> bool:
        return self.state == SessionState.RUNNING or self.choice == "leave"

    @property
    def is_settled(self) -> bool:
        """Whether it stays where it is: it was ingested there, or is being."""
        return self.ingested is not None or self.is_fixed


class TeamSessions:
    """The team's catalog, queue and traces. `folder` is where this machine keeps what belongs to a project."""

    def __init__(self, database: Database, machine: str, folder: Callable[[str], Path]) -> None:
        self._database = database
        self._machine = machine
        self._folder = folder
        self.traces = UploadedTraces(database)
        self.queue = Queue(database, random.random, has_ended=has_team_worker_ended)

    # From machines

    def upload(self, session: Session, archived: Archived) -> Uploaded:
        """Give the team a session as this machine has archived it. The same again changes nothing."""
        assert session.project_id is not None, "the queue hands out sessions with a project only"
        with self._database.read() as tx:
            settled = [known.project_id for known in self._known(tx, session) if known.is_settled]
        project_id = next(iter(settled), session.project_id)
        cut = CutTrace.of(archived.path.read_bytes())
        sent = self.traces.send(project_id, cut)
        trace = (project_id, cut.digest, session.agent, session.run_id, self._machine, cut.lines, cut.size)
        with self._database.write_among() as tx:
            facts = _without_place(archived.facts, session.project_root)
            return Uploaded(self._enter(tx, session, facts, TraceName(*trace), cut), sent)

    def _enter(self, tx: Transaction, session: Session, facts: SessionFacts, name: TraceName, cut: CutTrace) -> bool:
        """Put a session whose pieces were sent into the queue: whether that is news to the team."""
        # Of two machines that upload a session the second one sees what the first did.
        tx.take_turn(f"upload/{session.name}")
        self._move(tx, session, name.project_id)
        holder = _holder(tx)
        tx.run(_ADD, (session.agent, session.run_id, holder, name.project_id))
        known = _TeamSession(*tx.rows(_LOCKED, (name.project_id, session.agent, session.run_id))[0])
        if known.fingerprint == cut.digest or not self._is_further(tx, known, name):
            return False
        self.traces.note(tx, name, cut)
        is_rewritten = self._follow(tx, known, cut)
        _set(tx, known, **_columns(session, facts, name, known, is_rewritten=is_rewritten))
        note(tx, known.id, facts)
        return True

    def _known(self, tx: Transaction, session: Session) -> list[_TeamSession]:
        return [_TeamSession(*row) for row in tx.rows(_KNOWN, (session.agent, session.run_id))]

    def _move(self, tx: Transaction, session: Session, project_id: str) -> None:
        """Take a session out of other projects that it waits in: a project leads its key. Raises Conflict where it
        settled meanwhile."""
        for known in self._known(tx, session):
            if known.project_id == project_id:
                continue
            if not tx.run(_DROP, (known.project_id, known.id)):
                raise Conflict(f"{session.name} belongs to another project of the team", hint="lerim team whoami")
            self.traces.forget(tx, known.project_id, known.fingerprint)

    def _is_further(self, tx: Transaction, known: _TeamSession, name: TraceName) -> bool:
        """Whether it says more than what another machine gave: copies of a session are redacted each in its own way."""
        before = self.traces.find(tx, name.project_id, known.fingerprint)
        return before is None or before.machine == name.machine or before.lines < name.lines

    def _follow(self, tx: Transaction, known: _TeamSession, cut: CutTrace) -> bool:
        """Drop what the new trace continues. Whether the agent rewrote what was ingested: then that is kept."""
        if not known.fingerprint:
            return False
        continues = self.traces.continues(tx, known.project_id, known.fingerprint, cut)
        # What a worker is at may still be looked for.
        if continues and known.state != SessionState.RUNNING:
            self.traces.forget(tx, known.project_id, known.fingerprint)
        return not continues and known.ingested is not None

    # For workers

    def read(self, session: Session) -> Archived:
        """Put a claimed session's trace where this machine archives its project's. Raises SourceError, NotFound."""
        assert session.project_id is not None, "the queue hands out sessions with a project only"
        trace = self.traces.fetch(session.project_id, session.fingerprint)
        facts, lines = _facts(trace, session)
        path = restore(trace, trace_path(self._folder(session.project_id), session.agent, session.run_id))
        return Archived(path, lines, facts, Account(), None)

    def complete(self, job: Job, archived: Archived) -> SessionState:
        """The session was ingested. Raises Conflict."""
        return self.queue.complete(job)

    def sweep(self) -> int:
        """Drop what uploads left that were killed and never went on. How many pieces there were."""
        return self.traces.sweep()

    # For readers

    def fetch(self, project_id: str, agent: str, run_id: str) -> Path:
        """Put what was uploaded of a session where this machine archives it. Raises NotFound, SourceError."""
        found = self.traces.of_session(project_id, agent, run_id)
        if not found:
            raise NotFound(f"no trace of {agent}/{run_id} was uploaded", hint="lerim sessions list")
        path = trace_path(self._folder(project_id), agent, run_id)
        # The oldest first: the archive keeps beside a trace what it does not continue.
        for name in reversed(found):
            restore(self.traces.fetch(project_id, name.digest), path)
        return path

    def find(self, name: str) -> Session:
        """A session by `agent/run_id`, or by the beginning of its run id. Raises NotFound, or Conflict for several."""
        return find_in(self._database, name)

    def show(self, name: str) -> ShownTrace:
        """A session as it was uploaded. Raises NotFound, Conflict, SourceError."""
        session = self.find(name)
        assert session.project_id is not None, "whatever was uploaded has a project"
        path = self.fetch(session.project_id, session.agent, session.run_id)
        return ShownTrace(path, list(read_archived(path)), Account())

    def bring(self, project_id: str, cited: Iterable[CitedLines]) -> None:
        """Have the traces here that evidence rests on, as far as they were uploaded: the words themselves are in the
        store, whatever becomes of this."""
        last: dict[tuple[str, str], int] = {}
        for one in cited:
            key = (one.agent, one.run_id)
            last[key] = max(last.get(key, 0), one.last_line)
        for (agent, run_id), line in last.items():
            path = trace_path(self._folder(project_id), agent, run_id)
            with suppress(LerimError, OSError):
                if not path.is_file() or path.read_bytes().count(b"\n") < line:
                    self.fetch(project_id, agent, run_id)


def _columns(
    session: Session, facts: SessionFacts, name: TraceName, known: _TeamSession, *, is_rewritten: bool
) -> dict[str, Value]:
    """What changes in a session's row when there is more of it, or it is new."""
    content: dict[str, Value] = {
        "fingerprint": name.digest,
        "size": name.size,
        "active": session.active,
        "gone": 0,
        "rewritten": is_rewritten,
    }
    columns = header_columns(facts.header) | content
    if known.is_fixed:
        return columns
    is_ingested = known.ingested == name.digest
    state = next_state(SessionState(known.state), has_project=True, is_ingested=is_ingested)
    fresh: dict[str, Value] = {"reason": None, "attempts": 0, "due": 0}
    return {**columns, "state": state, **(fresh if state is not SessionState.FAILED else {})}


def _without_place(facts: SessionFacts, root: Path | None) -> SessionFacts:
    """The same for others: where a machine has its folders is its own business."""
    cwd = _inside(facts.header.cwd, root) if facts.header.cwd else None
    others = tuple(dict.fromkeys(_inside(other, root) for other in facts.other_cwds))
    return replace(facts, header=replace(facts.header, cwd=cwd), other_cwds=others)


def _inside(folder: str, root: Path | None) -> str:
    """A folder from its project's on; of one that is elsewhere, its name."""
    path = PurePath(folder)
    return str(path.relative_to(root)) if root and path.is_relative_to(root) else path.name


def _set(tx: Transaction, known: _TeamSession, **columns: Value) -> None:
    names = ", ".join(f"{name} = ?" for name in columns)
    tx.run(
        f"UPDATE sessions SET {names} WHERE project_id = ? AND id = ?", (*columns.values(), known.project_id, known.id)
    )


def _holder(tx: Transaction) -> int:
    tx.run(_UPLOADED)
    row = tx.row(_UPLOADED_ID)
    assert row is not None
    return int(row[0])


def _facts(trace: bytes, session: Session) -> tuple[SessionFacts, int]:
    """What a trace amounts to, and how many lines it has. Raises SourceError for what is no trace of this session."""
    try:
        header, *lines = [item for _, item in numbered_lines(BytesIO(trace))]
    except ValueError as error:
        raise SourceError(f"the uploaded trace of {session.name} cannot be read", hint="lerim queue") from error
    # Whoever uploads may write anything: evidence of one session must not be taken for that of another.
    if not isinstance(header, Header) or (header.agent, header.run_id) != (session.agent, session.run_id):
        raise SourceError(f"what was uploaded as {session.name} is another session's", hint="lerim queue")
    known = [line for line in lines if not isinstance(line, Header)]
    return describe(Reading(header, known, Account())), len(lines) + 1
