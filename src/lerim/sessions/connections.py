"""Which agents are read, and where their files are: what each source knows by itself, and what a person added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lerim.config.settings import SourceSettings
from lerim.dataclass import dataclass
from lerim.errors import LerimError
from lerim.sources.base import Container, Machine, Source
from lerim.sources.gate import RedactedSource
from lerim.sources.registry import SOURCES, source_for
from lerim.storage.database import Database
from lerim.storage.entries import entries

if TYPE_CHECKING:
    from lerim.sources.redact import Redactor  # Start-up: as in `sources/gate.py`.
    from lerim.sources.trace import Header

_T = TypeVar("_T")


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


@entries
class Connections:
    """What a person chose for each agent. By default every agent that is found is read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._database.guarded(work)

    def add(self, agent: str, root: Path | None) -> None:
        """Read this agent, and this folder of it too."""
        with self._database.write() as tx:
            tx.run("DELETE FROM connections WHERE agent = ? AND root = ''", (agent,))
            if root is not None:
                sql = "INSERT INTO connections (agent, root, enabled) VALUES (?, ?, 1) ON CONFLICT DO NOTHING"
                tx.run(sql, (agent, str(root)))

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


def examine(source: Source, machine: Machine, *, enabled: bool, thoroughly: bool) -> Health:
    """Whether an agent's sessions can be found; thoroughly: whether its newest one can be read, too."""
    searched = tuple(source.roots(machine))
    roots = tuple(root for root in searched if root.exists())
    problems: list[str] = []
    found: list[Container] = []
    for root in roots:
        try:
            found += source.containers(root)
        except (OSError, LerimError) as error:
            problems.append(f"{root}: {error}")
    if thoroughly and found:
        newest = max(found, key=lambda container: container.state)
        problems += _try_reading(source, newest)
    return Health(source, enabled, searched, roots, len(found), tuple(problems))


def _try_reading(source: Source, container: Container) -> Sequence[str]:
    try:
        for ref in source.sessions(container):
            reading = source.read(ref)
            for _ in reading.lines:
                pass
            bad = reading.account.bad
            return [f"{container.path}:{item.line}: {item.reason}" for item in bad[:3]]
    except (OSError, LerimError) as error:
        return [f"{container.path}: {error}"]
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
    }
    return [
        RedactedSource(source, (*added.get(source.name, ()), *connections.roots(source.name)), redactor)
        for source in SOURCES
    ]
