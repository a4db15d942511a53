"""The redactor's gate: every word of a session passes it before anybody sees it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lerim.sources.base import Container, Machine, NamesRecords, Reading, SessionRef, Source, TellsHeaders
from lerim.sources.redact import Redactor
from lerim.sources.trace import Header


@dataclass(frozen=True)
class RedactedSource:
    """A source with further folders of its own, whose every word is redacted before anyone sees it.

    This is the edge: the catalog, the archive and all behind them only ever meet redacted sources.
    """

    source: Source
    extra: tuple[Path, ...]
    #: A fresh one per session, by the rules of where its header says it happened: what it takes out is that session's.
    redactor: Callable[[Header], Redactor]

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
        """The facts of a session, as cheaply as its source can give them."""
        source = self.source
        found = source.header(ref) if isinstance(source, TellsHeaders) else source.read(ref).header
        return self.redactor(found).header(found)

    def uuids(self, ref: SessionRef) -> Iterable[tuple[int, str]]:
        """The lines and ids of its records, when the agent gives them ids that survive a fork."""
        return self.source.uuids(ref) if isinstance(self.source, NamesRecords) else ()

    def read(self, ref: SessionRef) -> Reading:
        reading = self.source.read(ref)
        redactor = self.redactor(reading.header)
        # One counter, shared: it fills while the lines are read.
        reading.account.redactions = redactor.hits
        lines = (redactor.line(line) for line in reading.lines)
        return Reading(redactor.header(reading.header), lines, reading.account)


def salt_of(home: Path) -> bytes:
    """What makes the fingerprints of secrets ours: without it nobody can test a guess against them."""
    file = home / "redaction.salt"
    if not file.exists():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        temp = home / f".redaction.salt.{os.getpid()}"
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(os.urandom(32))
        try:
            os.link(temp, file)  # Of two processes at once, the first one's salt stays.
        except FileExistsError:
            pass
        except OSError:
            temp.replace(file)
        temp.unlink(missing_ok=True)
    return file.read_bytes()
