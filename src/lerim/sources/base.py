"""What a source is: it knows an agent's folders, finds its sessions with a `stat` each, and reads one into lines."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from lerim.dataclass import dataclass, field
from lerim.sources.trace import Header, Line


@dataclass(frozen=True)
class Machine:
    """Where agents keep their things on this machine. Passed in, so that a test can be any machine."""

    home: Path
    env: Mapping[str, str]
    platform: str = sys.platform

    @property
    def app_support(self) -> Path:
        """Where desktop programs keep their data: ~/.config, ~/Library/Application Support or %APPDATA%."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.env.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.env.get("XDG_CONFIG_HOME") or self.home / ".config")

    @property
    def data_home(self) -> Path:
        """The XDG data folder; agents that use it do so on every system."""
        return Path(self.env.get("XDG_DATA_HOME") or self.home / ".local" / "share")


class Container(NamedTuple):
    """A file that holds one session, or a database or log that holds several. Found with one `stat`.

    A plain tuple with the path as the system gave it: a scan makes tens of thousands of them and looks into few.
    """

    agent: str
    where: str | Path
    #: mtime_ns, size, inode; for a database in WAL mode, of the newest of its files.
    state: tuple[int, int, int]

    @property
    def path(self) -> Path:
        return Path(self.where)


@dataclass(frozen=True)
class SessionRef:
    """One session in a container. `fingerprint` changes when the session does; empty: the container's state says it."""

    agent: str
    path: Path
    run_id: str
    fingerprint: str = ""


@dataclass(frozen=True)
class Trouble:
    """A piece of a file that could not be read, with its line or index from 1."""

    line: int
    reason: str


@dataclass
class Account:
    """Where every record of a source went: into lines, skipped for a named reason, or bad with its number."""

    records: int = 0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    bad: list[Trouble] = field(default_factory=list)
    #: Bytes after the last line ending of a file that is still being written: not yet, rather than broken.
    waiting_bytes: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    #: Secrets taken out, by kind.
    redactions: Counter[str] = field(default_factory=Counter)

    def skip(self, reason: str) -> None:
        self.skipped[reason] += 1

    def trouble(self, line: int, reason: str) -> None:
        self.bad.append(Trouble(line, reason))

    @property
    def is_balanced(self) -> bool:
        return self.records == self.used + sum(self.skipped.values()) + len(self.bad)


@dataclass(frozen=True)
class Reading:
    """A session being read. `account` is complete when `lines` is exhausted."""

    header: Header
    lines: Iterable[Line]
    account: Account
    #: Lines from here up in the source are copied from the session that the header names in `forked_from`. They are
    #: given when that one's file is gone; whoever knows it otherwise leaves them out.
    inherited: int = 0


@runtime_checkable
class TellsHeaders(Protocol):
    """A source that knows a session's header from the beginning of its file. Not all have to."""

    def header(self, ref: SessionRef) -> Header:
        """The header without reading on; what comes late, such as a title, may be missing. Raises SourceError."""
        ...


class Source(Protocol):
    """One coding agent. Implementations are stateless; they never write into an agent's folder."""

    @property
    def name(self) -> str:
        """The short name in paths and commands: claude, codex, cursor …"""
        ...

    @property
    def title(self) -> str:
        """What people call it: Claude Code, Codex CLI …"""
        ...

    def roots(self, machine: Machine) -> list[Path]:
        """The folders to look into, existing or not, most likely first."""
        ...

    def containers(self, root: Path) -> Iterator[Container]:
        """Everything under a root that may hold sessions. One `stat` each, no file is opened."""
        ...

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        """The sessions in a container. A file that is one session is not opened for this."""
        ...

    def accepts(self, path: Path) -> bool:
        """Whether a loose file looks like this agent's format, by its content."""
        ...

    def read(self, ref: SessionRef) -> Reading:
        """One session as raw lines, not yet redacted. Raises SourceError when nothing of it can be read."""
        ...


@runtime_checkable
class ReadsOneFile(Protocol):
    """A source that says whether it reads a session that is no fork from the file of its ref alone: then the same bytes
    give the same lines."""

    reads_one_file: bool


@runtime_checkable
class NamesRecords(Protocol):
    """A source whose agent gives every record an id that survives a fork."""

    def uuids(self, ref: SessionRef) -> Iterable[tuple[int, str]]:
        """The line and the id of each record."""
        ...
