"""Writing what a scan found into the catalog, one container after the other, within one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from lerim.dataclass import dataclass, field
from lerim.sessions.containers import SessionChange, fit
from lerim.sessions.discovery import FoundSession, InspectedContainer
from lerim.sessions.session import NO_PROJECT, Held, SessionState, clean, stored_path, time_of
from lerim.sources.base import Container
from lerim.sources.trace import Header
from lerim.storage.database import Transaction, Value

OLDER_COPY = "an older copy of the same session"
SMALLER_COPY = "a smaller copy of the same session"


def next_state(state: SessionState, *, has_project: bool, is_ingested: bool) -> SessionState:
    """Where a session goes when it turns out to have changed."""
    if not has_project:
        return SessionState.SKIPPED
    if is_ingested:
        return SessionState.DONE  # it is again what it was when we took it
    return (
        SessionState.FAILED if state is SessionState.FAILED else SessionState.PENDING
    )  # a wait after a failure goes on


SEE = """
INSERT INTO containers (agent, path, mtime_ns, size, inode, digest) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (agent, path) DO UPDATE
SET mtime_ns = excluded.mtime_ns, size = excluded.size, inode = excluded.inode, digest = excluded.digest,
    problem = NULL, gone = 0
RETURNING id
"""

# Size and digest stay those of the last good look, for the comparison when it can be read again.
TROUBLE = """
INSERT INTO containers (agent, path, mtime_ns, size, inode, problem) VALUES (?, ?, NULL, ?, ?, ?)
ON CONFLICT (agent, path) DO UPDATE SET mtime_ns = NULL, problem = excluded.problem, gone = 0
"""

ADD = """
INSERT INTO sessions (agent, run_id, container_id, project_id, fingerprint, active, state)
SELECT ?, ?, ?, '', '', '', 'skipped' WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE agent = ? AND run_id = ?)
"""

BEFORE = """
SELECT s.id, s.container_id, s.fingerprint, s.state, s.reason, s.choice, s.ingested, s.rewritten, s.project_id,
       CASE WHEN s.gone = 1 OR c.gone = 1 THEN 1 ELSE 0 END, coalesce(c.mtime_ns, -1), c.size
FROM sessions s JOIN containers c ON c.id = s.container_id
WHERE s.agent = ? AND s.run_id = ?
"""

COPY = """
INSERT INTO copies (container_id, session_id, reason) VALUES (?, ?, ?)
ON CONFLICT (container_id, session_id) DO UPDATE SET reason = excluded.reason
"""

DROP_COPY = "DELETE FROM copies WHERE container_id = ? AND session_id = ?"

# A copy elsewhere takes over with the next scan.
CALL_HEIRS = "UPDATE containers SET mtime_ns = NULL WHERE id IN (SELECT container_id FROM copies WHERE session_id = ?)"

PLACE = """
INSERT INTO places (cwd, root, remote) VALUES (?, ?, ?)
ON CONFLICT (cwd) DO UPDATE SET root = excluded.root, remote = excluded.remote
"""


@dataclass(frozen=True)
class KnownSession:
    """A session's row before the change, and how its own container stands: a row of BEFORE."""

    id: int
    container_id: int
    fingerprint: str
    state: str
    reason: str | None
    choice: str | None
    ingested: str | None
    rewritten: int
    project_id: str | None
    is_lost: int
    mtime_ns: int
    size: int

    @property
    def is_fixed(self) -> bool:
        """Held by a worker, or left out by a person: a change does not alter its state."""
        return self.state == SessionState.RUNNING or self.choice == "leave"


@dataclass
class CatalogUpdate:
    """Writes containers. Afterwards, the sessions in `touched` are to be settled."""

    tx: Transaction
    #: The ids of the projects there are.
    projects: Collection[str] = ()
    touched: list[int] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)

    def take(self, inspected: InspectedContainer) -> None:
        container = inspected.container
        where = (container.agent, stored_path(container.path))
        mtime_ns, size, inode = fit(container.state)
        if inspected.problem is not None:
            self.tx.run(TROUBLE, (*where, size, inode, clean(inspected.problem)))
            return
        # A session that could not be read is worth another look next time, whether or not the file changes.
        look_again = any(found.error for found in inspected.found)
        rows = self.tx.rows(SEE, (*where, None if look_again else mtime_ns, size, inode, inspected.digest))
        listed = {self._session(rows[0][0], container, found) for found in inspected.found}
        self._unlisted(rows[0][0], listed)

    def _session(self, container_id: int, container: Container, found: FoundSession) -> int:
        """Update the session's row, unless another container holds it better."""
        who = (container.agent, clean(found.run_id))
        is_new = self.tx.run(ADD, (*who, container_id, *who)) > 0
        row = self.tx.row(BEFORE, who)
        assert row is not None
        known = KnownSession(*row)
        is_elsewhere = known.container_id != container_id and not known.is_lost
        if is_elsewhere and not self._is_better(container_id, container, known):
            return known.id
        self.tx.run(DROP_COPY, (container_id, known.id))
        changes: dict[str, Value] = {}
        if found.fingerprint != known.fingerprint:
            # New to the scan but not to the catalog: back from where it was lost, with changes.
            change = SessionChange.REWRITTEN if found.change is SessionChange.NEW and not is_new else found.change
            self.found[change] += is_new or found.error is None
            changes = self._changes(container, found, known, change)
        self._set(known.id, container_id=container_id, gone=0, **changes)
        self.touched.append(known.id)
        return known.id

    def _is_better(self, container_id: int, container: Container, known: KnownSession) -> bool:
        """Whether this container holds a session better than its own does. The worse one is noted as a copy."""
        mtime_ns, size, _ = fit(container.state)
        is_better = (mtime_ns, size) > (known.mtime_ns, known.size)
        reason = SMALLER_COPY if mtime_ns == known.mtime_ns else OLDER_COPY
        self.tx.run(COPY, (known.container_id if is_better else container_id, known.id, reason))
        self.found["duplicates"] += 1
        return is_better

    def _changes(
        self, container: Container, found: FoundSession, known: KnownSession, change: SessionChange
    ) -> dict[str, Value]:
        """The columns that are different now."""
        if found.header is None:
            # Without a fingerprint, the next scan sees a difference, and reads again.
            unread: dict[str, Value] = {"fingerprint": "", "active": time_of(container.state[0])}
            dead: dict[str, Value] = {"state": SessionState.DEAD, "reason": clean(found.error)}
            return unread | ({} if known.is_fixed else dead)
        if found.place is not None:
            place = found.place
            self.tx.run(PLACE, (clean(found.header.cwd), stored_path(place.root), clean(place.remote)))
        was_ingested = known.ingested not in (None, found.fingerprint)
        is_rewritten = was_ingested and (bool(known.rewritten) or change is SessionChange.REWRITTEN)
        content = _content(container, found, found.header)
        return (
            header_columns(found.header)
            | content
            | _standing(found, known, self.projects)
            | {"rewritten": is_rewritten}
        )

    def _unlisted(self, container_id: int, listed: set[int]) -> None:
        """Sessions that were in the container and no longer are: deleted by their user, or moved elsewhere."""
        rows = self.tx.rows("SELECT id FROM sessions WHERE container_id = ? AND gone = 0", (container_id,))
        for session_id in {row[0] for row in rows} - listed:
            self._set(session_id, gone=1)
            self.tx.run(CALL_HEIRS, (session_id,))
            self.touched.append(session_id)
            self.found[SessionChange.VANISHED] += 1
        rows = self.tx.rows("SELECT session_id FROM copies WHERE container_id = ?", (container_id,))
        for session_id in {row[0] for row in rows} - listed:
            self.tx.run(DROP_COPY, (container_id, session_id))

    def _set(self, session_id: int, **columns: Value) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        self.tx.run(f"UPDATE sessions SET {names} WHERE id = ?", (*columns.values(), session_id))


def header_columns(header: Header) -> dict[str, Value]:
    """What the header says. What it does not say is left as it was."""
    texts = {
        "cwd": header.cwd,
        "branch": header.branch,
        "model": header.model,
        "version": header.version,
        "title": header.title,
        "started": header.started,
        "parent": header.parent,
        "forked_from": header.forked_from,
    }
    return {name: clean(text) for name, text in texts.items() if text is not None}


def _content(container: Container, found: FoundSession, header: Header) -> dict[str, Value]:
    active = time_of(container.state[0])
    # A database is as young as its busiest session: of one that we see for the first time we know the start only.
    if found.shared and found.change is SessionChange.NEW and header.started:
        active = header.started
    return {"fingerprint": found.fingerprint, "size": None if found.shared else container.state[1], "active": active}


def _standing(found: FoundSession, known: KnownSession, projects: Collection[str]) -> dict[str, Value]:
    """Project and state after the change."""
    if known.is_fixed:
        return {}
    project = found.route.project if found.route else None
    is_ingested = known.ingested == found.fingerprint
    # What was ingested stays where it is, and so does what it grows by: a project registered since, inside of that
    # one or around it, would be taught all of it again.
    is_settled = known.ingested is not None and known.project_id in projects
    has_project = is_settled or project is not None
    state = next_state(SessionState(known.state), has_project=has_project, is_ingested=is_ingested)
    standing: dict[str, Value] = {"state": state}
    if not is_settled:
        standing["project_id"] = project.id if project else NO_PROJECT
        standing["project_root"] = stored_path(project.root) if project else None
    if state is SessionState.SKIPPED:
        standing["reason"] = Held.NO_PROJECT
    elif state is not SessionState.FAILED:
        standing |= {"reason": None, "attempts": 0, "due": 0}
    return standing
