"""The catalog: what sessions exist, which of them changed, and to which project each belongs.

`discover` is safe to kill and to run twice at once. Files are read outside of transactions, and every batch of
containers is written in one short transaction of its own; what a batch did not reach is found by the next scan.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from lerim.config.scope import refusal
from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, NotFound
from lerim.printable import shell_word
from lerim.sessions.admission import settle
from lerim.sessions.catalog_update import CatalogUpdate
from lerim.sessions.containers import Before, Scan, SessionChange, Stat, UnreadableContainer, batches, walk
from lerim.sessions.discovery import ContainerInspector, InspectedContainer
from lerim.sessions.facts import SessionFacts
from lerim.sessions.routing import Atlas, FormerDirectory, Route, route
from lerim.sessions.session import (
    NO_PROJECT,
    SELECT,
    Held,
    Session,
    clean,
    decode,
    is_no_text,
    stored_path,
    time_text,
    unstored_path,
)
from lerim.sources.base import Container, Machine, Source
from lerim.storage.database import Database, Transaction

#: The step in words, how much of it is done, and how much there is.
OnScan = Callable[[str, int, int], None]
#: Containers written in one transaction.
BATCH = 100

KNOWN = "SELECT path, mtime_ns, size, inode FROM containers WHERE agent = ? AND gone = 0"

# Where else the sessions of a lost container can be found.
HEIRS = """
SELECT DISTINCT h.path, h.mtime_ns, h.size, h.inode
FROM containers lost
JOIN sessions s ON s.container_id = lost.id
JOIN copies k ON k.session_id = s.id
JOIN containers h ON h.id = k.container_id
WHERE lost.agent = ? AND lost.path = ? AND h.gone = 0 AND h.mtime_ns IS NOT NULL
"""

LOSE_CONTAINER = "UPDATE containers SET gone = 1, mtime_ns = NULL WHERE agent = ? AND path = ? RETURNING id"
LOSE_SESSIONS = "UPDATE sessions SET gone = 1 WHERE container_id = ? RETURNING state"

LOSE_COPIES = "DELETE FROM copies WHERE container_id = ?"

# A lost container whose sessions live on elsewhere, or that never held any.
FORGET = """
DELETE FROM containers
WHERE gone = 1 AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.container_id = containers.id)
  AND NOT EXISTS (SELECT 1 FROM copies k WHERE k.container_id = containers.id)
"""

NOTE = """
UPDATE sessions
SET branch = ?, model = ?, version = ?, title = coalesce(?, title, ?), started = coalesce(?, started), ended = ?,
    turns = ?, tool_calls = ?, errors = ?, input_tokens = ?, output_tokens = ?, other_cwds = ?,
    active = CASE WHEN size IS NULL THEN coalesce(?, active) ELSE active END
WHERE id = ?
"""


MOVE = f"""
UPDATE sessions
SET project_id = ?, project_root = ?,
    state = CASE WHEN ? = '' AND state IN ('pending', 'failed') THEN 'skipped' ELSE state END,
    reason = CASE WHEN ? = '' AND state IN ('pending', 'failed') THEN '{Held.NO_PROJECT}' ELSE reason END
WHERE coalesce(cwd, '') = coalesce(?, '') AND coalesce(project_id, '') <> ? AND """


ALIAS = """
INSERT INTO aliases (old_root, root) VALUES (?, ?) ON CONFLICT (old_root) DO UPDATE SET root = excluded.root
"""

HOMELESS = """
SELECT cwd, count(*), max(active) FROM sessions
WHERE coalesce(project_id, '') = '' AND state = 'skipped' AND coalesce(choice, '') <> 'leave' AND gone = 0
GROUP BY cwd ORDER BY cwd
"""


# A project that was moved takes all its sessions along.
FOLLOW = "UPDATE sessions SET project_root = ? WHERE project_id = ? AND (project_root <> ? OR project_root IS NULL)"


@dataclass(frozen=True)
class Discovered:
    """What one look at the disk found. Counts are sessions, but for `containers` and `unchanged`."""

    containers: int
    unchanged: int
    new: int
    grown: int
    rewritten: int
    changed: int
    vanished: int
    #: The same session in one more place.
    duplicates: int
    troubles: tuple[UnreadableContainer, ...]


#: Nobody looked.
NOTHING = Discovered(0, 0, 0, 0, 0, 0, 0, 0, ())


@dataclass(frozen=True)
class UnscopedSessions:
    """Sessions that belong to no project, by the folder that would have to become one."""

    #: None: the sessions do not say where they ran.
    folder: Path | None
    cwds: tuple[str, ...]
    sessions: int
    last_active: str
    #: The command that gives them a project.
    fix: str | None
    #: A project with the same folder name. If the folder was moved there, `alias` says so.
    similar: Path | None
    #: Why the folder cannot become a project; None when it can.
    reason: str | None = None


def _unwatched(step: str, done: int, total: int) -> None:
    """Nobody is watching."""


class Catalog:
    """The sessions of all agents. `since` is the window on their last activity; None takes them all."""

    def __init__(
        self, database: Database, atlas: Atlas, since: datetime | None = None, progress: OnScan = _unwatched
    ) -> None:
        self._database = database
        self._atlas = atlas
        self._since = time_text(since) if since else ""
        self._progress = progress

    def discover(self, sources: Sequence[Source], machine: Machine) -> Discovered:
        """Look at every source once, and record what is new, changed or gone."""
        found: Counter[str] = Counter()
        troubles: list[UnreadableContainer] = []
        for source in sources:
            scan = walk(source, machine, self._known(source.name))
            found["containers"] += scan.seen
            found["unchanged"] += scan.seen - len(scan.changed)
            troubles += scan.troubles
            troubles += self._take_in(source, scan, found)
        with self._database.write() as tx:
            tx.run(FORGET)
            settle(tx, self._since)
        return Discovered(
            containers=found["containers"],
            unchanged=found["unchanged"],
            new=found[SessionChange.NEW],
            grown=found[SessionChange.GROWN],
            rewritten=found[SessionChange.REWRITTEN],
            changed=found[SessionChange.CHANGED],
            vanished=found[SessionChange.VANISHED],
            duplicates=found["duplicates"],
            troubles=tuple(troubles),
        )

    def settle(self) -> None:
        """Hold what may not be ingested, and let go of what may: by the window, as the last look at the disk did."""
        with self._database.write() as tx:
            settle(tx, self._since)

    def note(self, session_id: int, facts: SessionFacts) -> None:
        """Keep what reading the session in full has shown."""
        with self._database.write() as tx:
            note(tx, session_id, facts)

    def name(self, session: Session, title: str) -> Session:
        """Give a session that has no title one."""
        with self._database.write() as tx:
            tx.run("UPDATE sessions SET title = ? WHERE id = ? AND title IS NULL", (clean(title), session.id))
        return replace(session, title=title)

    def find(self, name: str) -> Session:
        """A session by `agent/run_id`, or by the beginning of its run id. Raises NotFound, or Conflict for several."""
        return find_in(self._database, name)

    def alias(self, old_root: Path, root: Path) -> int:
        """The project at `root` used to be at `old_root`. The number of sessions this gave a project."""
        with self._database.write() as tx:
            tx.run(ALIAS, (stored_path(old_root), stored_path(root)))
        return self.reroute()

    def reroute(self) -> int:
        """Route again what is not ingested yet, as after a project was added. The number of sessions that moved."""
        atlas = self._current_atlas()
        ids = atlas.ids
        unsettled = _unsettled(len(ids))
        with self._database.read() as tx:
            cwds = [row[0] for row in tx.rows(f"SELECT DISTINCT cwd FROM sessions WHERE {unsettled}", ids)]
        projects = {cwd: route(cwd, atlas).project for cwd in cwds}
        moved = 0
        with self._database.write() as tx:
            for cwd, project in projects.items():
                chosen = project.id if project else NO_PROJECT
                root = stored_path(project.root) if project else None
                moved += tx.run(MOVE + unsettled, (chosen, root, chosen, chosen, cwd, chosen, *ids))
            for project in atlas.projects:
                tx.run(FOLLOW, (stored_path(project.root), project.id, stored_path(project.root)))
            settle(tx, self._since)
        return moved

    def unscoped(self) -> list[UnscopedSessions]:
        """Sessions without a project, by folder, the most numerous first, each with the command that helps."""
        atlas = self._current_atlas()
        groups: dict[Path | None, list[tuple[str | None, int, str, Route]]] = defaultdict(list)
        with self._database.read() as tx:
            rows = tx.rows(HOMELESS)
        for cwd, sessions, active in rows:
            found = route(cwd, atlas)
            groups[found.folder].append((cwd, sessions, active, found))
        grouped = [_unscoped(folder, group, atlas) for folder, group in groups.items()]
        return sorted(grouped, key=lambda group: (-group.sessions, str(group.folder)))

    # Steps of discover

    def _known(self, agent: str) -> dict[str, Stat]:
        with self._database.read() as tx:
            rows = tx.rows(KNOWN, (agent,))
        # There is hardly ever a name that is no text, and tens of thousands of others.
        known = {row[0]: row[1:] for row in rows}
        for path in [path for path in known if is_no_text(path)]:
            known[str(unstored_path(path))] = known.pop(path)
        return known

    def _take_in(self, source: Source, scan: Scan, found: Counter[str]) -> list[UnreadableContainer]:
        heirs = self._lose(source.name, scan.missing, found)
        if not scan.changed and not heirs:
            return []
        inspector = ContainerInspector(source, self._current_atlas(), self._fingerprints(source.name))
        troubles: list[UnreadableContainer] = []
        done = 0
        for batch in batches(scan.changed, heirs, BATCH):
            before = self._before(source.name, batch)
            inspected = []
            for container in batch:
                inspected.append(inspector.inspect(container, before.get(str(container.path))))
                done += 1
                self._progress(f"looking at new {source.name} sessions", done, max(len(scan.changed), done))
            troubles += [trouble for one in inspected for trouble in one.troubles]
            self._write(inspected, found)
        return troubles

    def _lose(self, agent: str, missing: list[str], found: Counter[str]) -> list[Container]:
        """Mark what is gone. The containers that hold copies of it are to be inspected."""
        heirs: list[Container] = []
        for start in range(0, len(missing), BATCH):
            with self._database.write() as tx:
                for path in missing[start : start + BATCH]:
                    where = (agent, stored_path(path))
                    heirs += [Container(agent, unstored_path(row[0]), tuple(row[1:])) for row in tx.rows(HEIRS, where)]
                    for (lost,) in tx.rows(LOSE_CONTAINER, where):
                        tx.run(LOSE_COPIES, (lost,))
                        found[SessionChange.VANISHED] += len(tx.rows(LOSE_SESSIONS, (lost,)))
        return heirs

    def _write(self, inspected: Iterable[InspectedContainer], found: Counter[str]) -> None:
        with self._database.write() as tx:
            intake = CatalogUpdate(tx, self._atlas.ids)
            for one in inspected:
                intake.take(one)
            settle(tx, self._since, intake.touched)
        found.update(intake.found)

    def _fingerprints(self, agent: str) -> dict[str, str]:
        sql = "SELECT run_id, fingerprint FROM sessions WHERE agent = ? AND gone = 0"
        with self._database.read() as tx:
            return dict(tx.rows(sql, (agent,)))

    def _before(self, agent: str, batch: list[Container]) -> dict[str, Before]:
        marks = ", ".join("?" * len(batch))
        sql = f"SELECT path, size, inode, digest FROM containers WHERE agent = ? AND path IN ({marks})"
        with self._database.read() as tx:
            rows = tx.rows(sql, (agent, *(stored_path(container.path) for container in batch)))
        return {str(unstored_path(path)): Before(*rest) for path, *rest in rows}

    def _current_atlas(self) -> Atlas:
        """The atlas with what the catalog itself remembers of former places."""
        with self._database.read() as tx:
            aliases = tx.rows("SELECT old_root, root FROM aliases")
            places = tx.rows("SELECT cwd, root, remote FROM places")
        return replace(
            self._atlas,
            aliases={unstored_path(old): unstored_path(new) for old, new in aliases} | dict(self._atlas.aliases),
            places={cwd: FormerDirectory(unstored_path(root), remote) for cwd, root, remote in places}
            | dict(self._atlas.places),
        )


def find_in(database: Database, name: str) -> Session:
    """The same in any catalog."""
    agent, _, run_id = (clean(name) or "").rpartition("/")
    which = "(? = '' OR s.agent = ?) AND substr(s.run_id, 1, ?) = ?"
    sql = f"{SELECT} WHERE {which} ORDER BY s.run_id, s.active DESC LIMIT 5"
    with database.read() as tx:
        found = [decode(row) for row in tx.rows(sql, (agent, agent, len(run_id), run_id))]
    exact = [session for session in found if session.run_id == run_id]
    chosen = exact or found
    if not run_id or not chosen:
        raise NotFound(f"no session '{clean(name, 200)}'", hint="lerim sessions list")
    names = dict.fromkeys(session.name for session in chosen)
    if len(names) > 1:
        raise Conflict(f"'{name}' matches {', '.join(names)}", hint="give more of the id")
    return chosen[0]


def note(tx: Transaction, session_id: int, facts: SessionFacts) -> None:
    """The same inside a transaction of the caller's, as when a session is completed."""
    header = facts.header
    named = (header.branch, header.model, header.version, header.title, facts.opening, header.started)
    texts = [clean(text) for text in named]
    sums = (facts.turns, facts.tool_calls, facts.errors, facts.input_tokens, facts.output_tokens)
    others = json.dumps([clean(cwd) for cwd in facts.other_cwds], ensure_ascii=False)
    tx.run(NOTE, (*texts, facts.ended, *sums, others, facts.ended, session_id))


def _unsettled(projects: int) -> str:
    """Every session whose project may still change, out of so many that there are; what was ingested stays where it
    is, also when it has grown since."""
    marks = ", ".join("?" * projects) or "''"
    waiting = "state IN ('pending', 'failed', 'dead', 'skipped')"
    return f"{waiting} AND (ingested IS NULL OR coalesce(project_id, '') = '' OR project_id NOT IN ({marks}))"


def _unscoped(folder: Path | None, group: list[tuple[str | None, int, str, Route]], atlas: Atlas) -> UnscopedSessions:
    similar = next((found.similar for *_, found in group if found.similar), None)
    reason = refusal(folder, atlas.home, atlas.other_home) if folder else None
    return UnscopedSessions(
        folder=folder,
        cwds=tuple(cwd for cwd, *_ in group if cwd is not None),
        sessions=sum(sessions for _, sessions, *_ in group),
        last_active=max(active for _, _, active, _ in group),
        fix=_fix(folder, similar, reason),
        similar=similar,
        reason=reason,
    )


def _fix(folder: Path | None, similar: Path | None, reason: str | None) -> str | None:
    """The command that gives the sessions of a folder a project, if one would."""
    if folder is None:
        return None
    if similar:
        return f"lerim project alias {shell_word(str(similar))} {shell_word(str(folder))}"
    return None if reason else f"lerim project add {shell_word(str(folder))}"
