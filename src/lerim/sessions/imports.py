"""Traces that a person brings: a file of any agent, or a trace of their own. Redacted, cataloged and queued."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.errors import SourceError, UsageError
from lerim.sessions.archive import archive, safe_name
from lerim.sessions.connections import imports_folder
from lerim.sessions.room import Sessions
from lerim.sessions.session import Session
from lerim.sources.base import Reading, SessionRef, Source
from lerim.sources.custom import read_trace, read_traces
from lerim.sources.gate import people_hidden
from lerim.sources.pieces import container
from lerim.sources.plain_file import read_head
from lerim.sources.redact import Redactor
from lerim.sources.registry import recognize

if TYPE_CHECKING:
    from lerim.config.profiles import Profile

#: What a session that an agent told over MCP names as the one that started it.
TOLD_BY_AGENT = "mcp"


def _check_name(name: str) -> None:
    if safe_name(name) != name:
        raise UsageError(
            f"'{name}' is not a valid trace name", hint=f"letters, digits, dots and dashes: --name {safe_name(name)}"
        )


def _is_same(known: Path, path: Path) -> bool:
    try:
        return known.samefile(path)
    except OSError:
        return False  # A file of this name that is gone, or was never there to be read.


@dataclass(frozen=True)
class TraceImports:
    """Takes traces in from files. `here` is where one happened that does not say so itself."""

    home: Path
    here: Path
    #: All sessions there ever were.
    sessions: Sessions
    #: A fresh one per trace, with the rules of the project it happened in; without one, the user's rules alone.
    redactor: Callable[[str | None], Redactor]
    #: How a trace is read that happened in a folder, or by the name that a person gave.
    profile: Callable[[str | None, str | None], Profile]
    #: Hears of sessions in a file that could not be read, when others could.
    tell: Callable[[str], None]

    def add(self, text: str | Path, name: str, cwd: Path | None = None, *, told: bool = False) -> Session:
        """Import a trace: checked, redacted, cataloged and queued. Raises TraceError with the line.

        When an agent `told` it, nobody knows whether there was a user in it: it counts as a session of the agent's.
        """
        _check_name(name)
        reading = read_trace(text, name)
        if told:
            reading = replace(reading, header=replace(reading.header, parent=TOLD_BY_AGENT))
        return self._keep(reading, name, reading.header.cwd if cwd is None else str(cwd.resolve()))

    def add_all(
        self, text: str | Path, name: str, cwd: Path | None = None, profile: str | None = None
    ) -> list[Session]:
        """Import every conversation of an export, or the one trace that there is. Raises TraceError with the line.

        `profile` says how they are read; without, their project does.
        """
        _check_name(name)
        found = read_traces(text, name)
        names = [name] if len(found) == 1 else [reading.header.run_id for reading in found]
        where = None if cwd is None else str(cwd.resolve())
        return [
            self._keep(reading, one, where or reading.header.cwd, profile)
            for one, reading in zip(names, found, strict=True)
        ]

    def find(self, trace: str, cwd: Path | None = None) -> list[Session]:
        """The sessions a name stands for: one of the catalog, or those in a file, which is imported if need be."""
        path = Path(trace).expanduser()
        self.sessions.discover()
        if not path.is_file():
            return [self.sessions.find(trace)]
        known = [s for s in self.sessions.queue.list() if s.path.name == path.name and _is_same(s.path, path)]
        return known or self._add_file(path, cwd)

    def _add_file(self, path: Path, cwd: Path | None) -> list[Session]:
        source = recognize(path)
        if source is None and b"\0" in read_head(path):
            raise UsageError(
                f"{path} is no session of any agent that Lerim reads, or a damaged one",
                hint="lerim sources list shows the agents; docs/trace.md describes traces of your own",
            )
        if source is None or source.name == "custom":
            return self.add_all(path, safe_name(path.stem), cwd)
        refs = [ref for found in container(source.name, path) for ref in source.sessions(found)]
        if not refs:
            raise SourceError(f"no session in {path}")
        where = str(cwd.resolve()) if cwd else None
        return self._kept(source, refs, where)

    def _kept(self, source: Source, refs: Sequence[SessionRef], where: str | None) -> list[Session]:
        """The sessions of a file that can be read. Those that cannot are told of; raises SourceError when none can."""
        kept: list[Session] = []
        troubles: list[SourceError] = []
        for ref in refs:
            try:
                kept.append(self._keep(source.read(ref), safe_name(f"{source.name}-{ref.run_id}"), where))
            except SourceError as error:
                troubles.append(error)
        if not kept:
            raise troubles[0]
        for trouble in troubles:
            self.tell(trouble.message)
        return kept

    def _keep(self, reading: Reading, name: str, cwd: str | None, profile: str | None = None) -> Session:
        """Keep a reading among the imported traces, redacted, as a session that happened in `cwd`, or here."""
        where = cwd or str(self.here.resolve())
        redactor = self.redactor(where)
        name = redactor.identifier(name)
        header = self.redactor(None).header(replace(reading.header, run_id=name, cwd=where))
        header = replace(header, title=redactor.clean(header.title) if header.title else header.title)
        folder = imports_folder(self.home)
        path = folder / profile / f"{name}.jsonl" if profile else folder / f"{name}.jsonl"
        lines = people_hidden(reading.lines, redactor, self.profile(where, profile))
        archive(Reading(header, lines, reading.account), path)
        # Imported by another profile before: a name is one trace.
        for other in (one for one in folder.glob(f"**/{name}.jsonl") if one != path):
            other.unlink()
        self.sessions.discover()
        return self.sessions.find(f"custom/{name}")
