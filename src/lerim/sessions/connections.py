"""Which agents are read, and where their files are: what each source knows by itself, and what a person added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lerim.errors import LerimError
from lerim.sessions.forks import NamesRecords
from lerim.sources.base import Container, Machine, Reading, SessionRef, Source, TellsHeaders
from lerim.sources.redact import Redactor
from lerim.sources.trace import Header
from lerim.storage.database import Database


@dataclass(frozen=True)
class Connected:
    """A source with further folders of its own, whose every word is redacted before anyone sees it.

    This is the edge: the catalog, the archive and all behind them only ever meet connected sources.
    """

    source: Source
    extra: tuple[Path, ...]
    #: A fresh one per session: what it takes out is that session's.
    redactor: Callable[[], Redactor]

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def title(self) -> str:
        return self.source.title

    def roots(self, machine: Machine) -> list[Path]:
        return list(dict.fromkeys([*self.source.roots(machine), *self.extra]))

    def containers(self, root: Path) -> Iterator[Container]:
        return self.source.containers(root)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        return self.source.sessions(container)

    def accepts(self, path: Path) -> bool:
        return self.source.accepts(path)

    def header(self, ref: SessionRef) -> Header:
        """The facts of a session, as cheaply as its source can tell them."""
        source = self.source
        found = source.header(ref) if isinstance(source, TellsHeaders) else source.read(ref).header
        return self.redactor().header(found)

    def uuids(self, ref: SessionRef) -> Iterable[tuple[int, str]]:
        """The lines and ids of its records, when the agent gives them ids that survive a fork."""
        return self.source.uuids(ref) if isinstance(self.source, NamesRecords) else ()

    def read(self, ref: SessionRef) -> Reading:
        reading, redactor = self.source.read(ref), self.redactor()
        # One counter, shared: it fills while the lines are read.
        reading.account.redactions = redactor.hits
        lines = (redactor.line(line) for line in reading.lines)
        return Reading(redactor.header(reading.header), lines, reading.account)


@dataclass(frozen=True)
class Health:
    """How one agent's connection stands."""

    source: Source
    enabled: bool
    #: Where its sessions are looked for, and which of these places are there.
    looked: tuple[Path, ...]
    roots: tuple[Path, ...]
    containers: int
    #: What is wrong, in words; empty when all is well or there is nothing to read.
    problems: tuple[str, ...]


class Connections:
    """What a person said about each agent. By default every agent that is found is read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, agent: str, root: Path | None) -> None:
        """Read this agent, and this folder of it too."""
        with self._database.write() as tx:
            tx.run("DELETE FROM connections WHERE agent = ? AND root = ''", (agent,))
            if root is not None:
                sql = "INSERT INTO connections (agent, root, enabled) VALUES (?, ?, 1) ON CONFLICT DO NOTHING"
                tx.run(sql, (agent, str(root)))

    def remove(self, agent: str) -> None:
        """Do not read this agent any more. What was taken in stays."""
        with self._database.write() as tx:
            tx.run("DELETE FROM connections WHERE agent = ?", (agent,))
            tx.run("INSERT INTO connections (agent, root, enabled) VALUES (?, '', 0)", (agent,))

    def removed(self) -> set[str]:
        with self._database.read() as tx:
            return {row[0] for row in tx.rows("SELECT agent FROM connections WHERE NOT enabled")}

    def roots(self, agent: str) -> list[Path]:
        """The folders a person added for an agent."""
        with self._database.read() as tx:
            rows = tx.rows("SELECT root FROM connections WHERE agent = ? AND enabled AND root <> ''", (agent,))
        return [Path(row[0]) for row in rows]


def examine(source: Source, machine: Machine, *, enabled: bool, thoroughly: bool) -> Health:
    """Whether an agent's sessions can be found; thoroughly: whether its newest one can be read, too."""
    looked = tuple(source.roots(machine))
    roots = tuple(root for root in looked if root.exists())
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
    return Health(source, enabled, looked, roots, len(found), tuple(problems))


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
