"""Taking in what hooks left: whose sessions have ended, and what was given to which. One process at a time.

Safe to kill at any moment: events are renamed before they are read and removed once they are settled, so whoever comes
next finds them again, and settling one twice changes nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, replace
from lerim.sessions.session import SELECT, Session, decode, stored_path
from lerim.sessions.spool import EVENTS, KEPT_DAYS, MOST_EVENTS, MOST_LINE, SERVED, make_spool, note_event, spool_path
from lerim.storage.database import Database

#: A session that says nothing more for so long has ended, whether or not its host says so.
QUIET = timedelta(minutes=10)
#: How often a session is looked for that nobody can find, or that somebody else is at.
MOST_TRIES = 6
_LOCK = "worker.lock"
_TAKEN = "taken-"
_FIELDS = ("at", "event", "agent", "session", "cwd", "transcript")

# What an agent calls a session; else the file that it names; else its newest one in the folder.
_NAMED = (
    f"{SELECT} WHERE s.agent = ? AND s.gone = 0 AND (s.run_id = ? OR c.path = ?) ORDER BY s.run_id = ? DESC LIMIT 1"
)
_NEWEST = f"{SELECT} WHERE s.agent = ? AND s.gone = 0 AND s.cwd = ? ORDER BY s.active DESC LIMIT 1"


@dataclass(frozen=True)
class SpooledEvent:
    """One line that a hook left."""

    at: str
    event: str
    agent: str
    session: str
    cwd: str
    transcript: str
    tries: int = 0

    @property
    def names(self) -> tuple[str, str]:
        """What tells one session from another."""
        return self.agent, self.session or self.transcript or self.cwd

    def is_settled(self, now: datetime) -> bool:
        """Whether nothing more is to be expected of the session for now."""
        return self.event == "session-end" or now - (_moment(self.at) or now) >= QUIET


@dataclass(frozen=True)
class TakenEvents:
    """The last event of each session that has ended, those of the others, and the files that all of them were in."""

    ended: tuple[SpooledEvent, ...]
    waiting: tuple[SpooledEvent, ...]
    files: tuple[Path, ...]


class Spool:
    """What hooks left in a home."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self.folder = Path(spool_path(self._home))

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether this process is the only one that takes things in, as long as the block runs or the process lives."""
        make_spool(self._home)
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(descriptor)

    def has_ended(self, now: datetime) -> bool:
        """Whether there is a session to take in."""
        return bool(_grouped(_events(self._files()), now)[0])

    def take(self, now: datetime) -> TakenEvents:
        """Take what is there out of the way of hooks, and tell it apart. Only for who is alone."""
        # By chance, and not by the clock: a name that is there already would be replaced, with all that is in it.
        stamp = os.urandom(8).hex()
        with contextlib.suppress(FileNotFoundError):
            (self.folder / EVENTS).rename(self.folder / f"{_TAKEN}{stamp}.jsonl")
        files = [file for file in self._files() if file.name != EVENTS]
        return TakenEvents(*_grouped(_events(files), now), tuple(files))

    def settle(self, taken: TakenEvents, left: Iterable[SpooledEvent]) -> None:
        """All is done but `left`, which waits for the next time."""
        for event in left:
            fields: dict[str, Any] = {name: getattr(event, name) for name in _FIELDS}
            note_event(self._home, fields | {"tries": event.tries} if event.tries else fields)
        for file in taken.files:
            file.unlink(missing_ok=True)

    def served(self) -> list[tuple[Path, dict[str, Any]]]:
        """The notes of what was given to sessions that nobody has taken in yet, oldest first."""
        found = []
        for file in self._notes():
            with contextlib.suppress(OSError, ValueError, RecursionError):
                note = json.loads(_read(file, MOST_LINE))
                if isinstance(note, dict):
                    found.append((file, note))
        return sorted(found, key=lambda one: str(one[1].get("at")))

    def keep_as_lock(self, note: Path) -> None:
        """A note that was taken in only keeps its session from being given the same again."""
        with contextlib.suppress(OSError):
            os.truncate(note, 0)

    def sweep(self, now: datetime) -> None:
        """Remove what no session will ask for any more."""
        before = now.timestamp() - KEPT_DAYS * 86400
        for file in self._entries(SERVED):
            with contextlib.suppress(OSError):
                if file.stat(follow_symlinks=False).st_mtime < before:
                    Path(file).unlink()

    def _notes(self) -> list[Path]:
        names = []
        for entry in self._entries(SERVED):
            with contextlib.suppress(OSError):
                if entry.name.endswith(".json") and entry.stat(follow_symlinks=False).st_size:
                    names.append(Path(entry.path))
        return names

    def _entries(self, *names: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(spool_path(self._home, *names)) as found:
                return list(found)
        except OSError:
            return []

    def _files(self) -> list[Path]:
        names = [entry.name for entry in self._entries()]
        return [self.folder / name for name in sorted(names) if name == EVENTS or name.startswith(_TAKEN)]


def find_session(database: Database, event: SpooledEvent) -> Session | None:
    """The session that an event speaks of, as the catalog knows it."""
    path = stored_path(event.transcript)
    with database.read() as tx:
        if event.session or event.transcript:
            row = tx.row(_NAMED, (event.agent, event.session, path, event.session))
        else:
            row = tx.row(_NEWEST, (event.agent, event.cwd))
    return decode(row) if row else None


def tried(event: SpooledEvent) -> SpooledEvent | None:
    """An event that could not be settled, for the next time; None when that has gone on for long enough."""
    return replace(event, tries=event.tries + 1) if event.tries < MOST_TRIES else None


def _grouped(
    events: Iterable[SpooledEvent], now: datetime
) -> tuple[tuple[SpooledEvent, ...], tuple[SpooledEvent, ...]]:
    """The last event of each session: of those that have ended, and of the others."""
    last: dict[tuple[str, str], SpooledEvent] = {}
    for event in sorted(events, key=lambda event: event.at):
        last[event.names] = event
    ended = tuple(event for event in last.values() if event.is_settled(now))
    return ended, tuple(event for event in last.values() if not event.is_settled(now))


def _events(files: Iterable[Path]) -> Iterator[SpooledEvent]:
    for file in files:
        with contextlib.suppress(OSError):
            for line in _read(file, 2 * MOST_EVENTS).split(b"\n"):
                if event := _event(line):
                    yield event


def _event(line: bytes) -> SpooledEvent | None:
    """A line as an event; None for what is damaged, cut or not ours."""
    try:
        fields = json.loads(line) if 0 < len(line) <= MOST_LINE else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in _FIELDS):
        return None
    tries = fields.get("tries")
    known = [fields[name].encode("utf-8", "replace").decode() for name in _FIELDS]
    return SpooledEvent(*known, *([tries] if isinstance(tries, int) else ()))


def _read(path: Path, most: int) -> bytes:
    """A plain file of ours, from its beginning. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no plain file")
        return file.read(most)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
