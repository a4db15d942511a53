"""Which agents are read, and where their files are: what each source knows by itself, and what a person added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lerim.config.settings import SourceSettings
from lerim.dataclass import dataclass
from lerim.errors import LerimError
from lerim.sessions.session import time_of
from lerim.sources.base import Container, Machine, Source, TellsHeaders
from lerim.sources.gate import RedactedSource
from lerim.sources.registry import SOURCES, source_for
from lerim.storage.database import Database
from lerim.storage.entries import entries

if TYPE_CHECKING:
    from lerim.config.profiles import Profile
    from lerim.sources.redact import Redactor  # Start-up: as in `sources/gate.py`.
    from lerim.sources.trace import Header

_T = TypeVar("_T")
#: How many sessions of an agent a doctor looks into, the newest ones. There may be tens of thousands.
MOST_EXAMINED = 200
#: How many files that cannot be read are named.
_MOST_TOLD = 5


@dataclass(frozen=True)
class Health:
    """How one agent's connection stands."""

    source: Source
    enabled: bool
    #: Where its sessions are searched for, and which of these places exist.
    searched: tuple[Path, ...]
    roots: tuple[Path, ...]
    containers: int
    #: What is wrong, in words; empty when all is well or there is nothing to read.
    problems: tuple[str, ...]
    #: How many sessions are in the files, and when one of these was last written; None when nobody looked into them.
    sessions: int | None = None
    last: str | None = None
    #: The command that helps, or that comes next.
    command: str | None = None


@entries
class Connections:
    """What a person chose for each agent. By default every agent that is found is read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._database.guarded(work)

    def add(self, agent: str, root: Path | None, profile: str | None = None) -> None:
        """Read this agent, and this folder of it too; by a profile of its own when one is named."""
        with self._database.write() as tx:
            tx.run("DELETE FROM connections WHERE agent = ? AND root = ''", (agent,))
            if root is not None:
                sql = "INSERT INTO connections (agent, root, enabled) VALUES (?, ?, 1) ON CONFLICT DO NOTHING"
                tx.run(sql, (agent, str(root)))
            if root is not None and profile is not None:
                sql = "UPDATE connections SET profile = ? WHERE agent = ? AND root = ?"
                tx.run(sql, (profile, agent, str(root)))

    def remove(self, agent: str) -> None:
        """Do not read this agent any more. What was ingested stays."""
        with self._database.write() as tx:
            tx.run("DELETE FROM connections WHERE agent = ?", (agent,))
            tx.run("INSERT INTO connections (agent, root, enabled) VALUES (?, '', 0)", (agent,))

    def removed(self) -> set[str]:
        with self._database.read() as tx:
            return {row[0] for row in tx.rows("SELECT agent FROM connections WHERE enabled = 0")}

    def roots(self, agent: str) -> list[Path]:
        """The folders a person added for an agent."""
        with self._database.read() as tx:
            rows = tx.rows("SELECT root FROM connections WHERE agent = ? AND enabled = 1 AND root <> ''", (agent,))
        return [Path(row[0]) for row in rows]

    def profiles(self) -> dict[Path, str]:
        """The folders that a person added with a profile, and its name."""
        with self._database.read() as tx:
            rows = tx.rows("SELECT root, profile FROM connections WHERE enabled = 1 AND profile <> ''")
        return {Path(root): name for root, name in rows}


def folder_profiles(connections: Connections, home: Path) -> Mapping[Path, str]:
    """The folders whose sessions are read by a profile of their own."""
    imported = imports_folder(home)
    kept = {path: path.name for path in imported.iterdir() if path.is_dir()} if imported.is_dir() else {}
    return {**kept, **connections.profiles()}


def examine(source: Source, machine: Machine, *, enabled: bool, thoroughly: bool) -> Health:
    """Whether an agent's sessions can be found; thoroughly: whether the newest ones can be read, too."""
    searched = tuple(source.roots(machine))
    roots = tuple(root for root in searched if root.exists())
    problems: list[str] = []
    found: list[Container] = []
    for root in roots:
        try:
            found += source.containers(root)
        except (OSError, LerimError) as error:
            problems.append(f"{root}: {error}")
    if not thoroughly:
        return Health(source, enabled, searched, roots, len(found), tuple(problems))
    sessions, unread = _counted(source, found)
    newest = max(found, key=lambda container: container.state, default=None)
    # What cannot even be listed is named already.
    problems += [*_first(unread), *(_try_reading(source, newest) if newest and newest.path not in unread else ())]
    return Health(
        source,
        enabled,
        searched,
        roots,
        len(found),
        tuple(problems),
        sessions,
        time_of(newest.state[0]) if newest else None,
        _next_command(source, enabled=enabled, sessions=sessions, problems=problems),
    )


def _counted(source: Source, found: Sequence[Container]) -> tuple[int, dict[Path, str]]:
    """How many sessions there are, and for each file that does not say so, or not what a session is, why."""
    sessions, unread = 0, dict[Path, str]()
    for container in sorted(found, key=lambda container: container.state, reverse=True):
        try:
            refs = list(source.sessions(container))
            for ref in refs[: max(0, MOST_EXAMINED - sessions)]:
                source.header(ref) if isinstance(source, TellsHeaders) else source.read(ref)
            sessions += len(refs)
        except (OSError, LerimError) as error:
            unread[container.path] = _told(container, error)
    return sessions, unread


def _first(unread: Mapping[Path, str]) -> list[str]:
    more = len(unread) - _MOST_TOLD
    return [*list(unread.values())[:_MOST_TOLD], *([f"and {more} more"] if more > 0 else ())]


def _told(container: Container, error: OSError | LerimError) -> str:
    hint = f" ({error.hint})" if isinstance(error, LerimError) and error.hint else ""
    told = str(error)
    return f"{told}{hint}" if str(container.path) in told else f"{container.path}: {told}{hint}"


def _next_command(source: Source, *, enabled: bool, sessions: int, problems: Sequence[str]) -> str:
    if not enabled:
        return f"lerim sources add {source.name}"
    if problems:
        return f"lerim sessions list --agent {source.name} --state dead"
    return "lerim sync" if sessions else f"lerim sources add {source.name} --path DIR"


def _try_reading(source: Source, container: Container) -> Sequence[str]:
    try:
        for ref in source.sessions(container):
            reading = source.read(ref)
            for _ in reading.lines:
                pass
            bad = reading.account.bad
            return [f"{container.path}:{item.line}: {item.reason}" for item in bad[:3]]
    except (OSError, LerimError) as error:
        return [_told(container, error)]
    return []


def imports_folder(home: Path) -> Path:
    """Where imported traces are kept."""
    return home / "imports"


def redacted_sources(
    database: Database,
    settings: SourceSettings,
    home: Path,
    projects: Sequence[Path],
    redactor: Callable[[Header | None], Redactor],
    profile: Callable[[Header, Path], Profile],
) -> list[Source]:
    """Every source, with the folders that a person, a project or the settings add. Raises NotFound for a wrong name."""
    for name in settings.disabled:
        source_for(name)
    connections = Connections(database)
    added: dict[str, list[Path]] = {
        "custom": [imports_folder(home), *(Path(folder).expanduser() for folder in settings.custom)],
        # Their history lies in the repository they worked on.
        "aider": list(projects),
        "opencode": [root / ".opencode" for root in projects],
        "crush": list(projects),
    }
    return [
        RedactedSource(source, (*added.get(source.name, ()), *connections.roots(source.name)), redactor, profile)
        for source in SOURCES
    ]
