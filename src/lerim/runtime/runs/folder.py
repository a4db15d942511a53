"""One run's folder: its artifacts and logs, named by run id, written whole or not at all; and the runs that were."""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from math import isfinite
from pathlib import Path
from types import TracebackType

from lerim import openat
from lerim.dataclass import dataclass, field
from lerim.errors import Conflict, NotFound, StoreError, UnsafePath
from lerim.private import tighten

Clock = Callable[[], datetime]
Random = Callable[[int], bytes]

EXTRACT = "extract.json"
SUMMARY = "summary.json"
MEMORY_ACTIONS = "memory_actions.json"
MAINTAIN_ACTIONS = "maintain_actions.json"
AGENT_LOG = "agent.log"
SUBAGENTS_LOG = "subagents.log"
SESSION_LOG = "session.log"

#: More than any run writes. A larger file is not read: it is not ours, or something went wrong.
MAX_BYTES = 32 * 1024 * 1024
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_ID = re.compile(r"(sync|maintain)-(\d{8}-\d{6})-([a-z2-7]{6})")
_FILE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")
_ATTEMPTS = 100


class RunKind(StrEnum):
    """What a run is for."""

    SYNC = "sync"
    MAINTAIN = "maintain"

    @property
    def artifacts(self) -> tuple[str, ...]:
        """What a run of this kind leaves, in the order it is written. The last one says how the run ended."""
        return (EXTRACT, SUMMARY, MEMORY_ACTIONS) if self is RunKind.SYNC else (MAINTAIN_ACTIONS,)

    @property
    def logs(self) -> tuple[str, ...]:
        return (AGENT_LOG, SUBAGENTS_LOG, *((SESSION_LOG,) if self is RunKind.SYNC else ()))


# --- writing ----------------------------------------------------------------------------------------------------------


def open_run(workspace: Path, kind: RunKind, now: datetime, random: Random = os.urandom) -> Run:
    """A new run with a folder of its own, readable by its owner only. Raises StoreError when none can be made."""
    try:
        with openat.below(workspace, make=True) as folder:
            tighten(workspace)
            return Run(_make_folder(folder, kind, now, random))
    except OSError as error:
        raise StoreError(
            f"{workspace}: no run folder can be made: {error.strerror or error}",
            hint=f"check the permissions of {workspace.parent}; what only reads works: lerim search, lerim brief",
        ) from error


def _make_folder(workspace: openat.Folder, kind: RunKind, now: datetime, random: Random) -> Path:
    stamp = now.astimezone(UTC).strftime("%Y%m%d-%H%M%S")
    for _ in range(_ATTEMPTS):
        letters = "".join(_LETTERS[byte % 32] for byte in random(6))
        name = f"{kind}-{stamp}-{letters}"
        if workspace.make_new(name):
            return workspace.path / name
    raise StoreError(f"{workspace.path}: {_ATTEMPTS} names for a run were taken", hint="try again in a second")


class Run:
    """A run that is going on. Its folder is locked until `close`, or until the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._logs: list[RunLog] = []
        self._lock: int | None = _open_folder(folder)
        try:
            # Only readers take it besides us, for a moment, to see whether the run goes on.
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        except OSError:
            # Some network disks have no locks. The run then looks interrupted until it ends; nothing else is lost.
            self.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def id(self) -> str:
        return self.folder.name

    def path(self, name: str) -> Path:
        """Where a file of the run lies. Raises ValueError unless `name` is a plain file name."""
        if not _FILE.fullmatch(name):
            raise ValueError(f"'{name}' is no name for a file of a run")
        return self.folder / name

    def write_json(self, name: str, document: Mapping[str, object]) -> Path:
        """Put a document in place, whole or not at all. It replaces an earlier one of that name."""
        path = self.path(name)
        data = _indented(document) + b"\n"
        try:
            with openat.below(self.folder) as folder, openat.speaking():
                folder.put(name, data)
            _sync_folder(self.folder)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror or error}", hint="lerim runs list") from error
        return path

    def log(self, name: str, clock: Clock) -> RunLog:
        """A log of the run to write lines to."""
        log = RunLog(self.path(name), clock)
        self._logs.append(log)
        return log

    def close(self) -> None:
        """Let go of the folder. What was written stays."""
        for log in self._logs:
            log.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class RunLog:
    """A log of one JSON object per line: `at`, `event` and what belongs to it. Each line is on its way when written.

    A line is one system call that appends, so threads do not mix and a killed process loses at most its last line.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        if _ends_within_a_line(self._file):
            os.write(self._file, b"\n")

    def line(self, event: str, **fields: object) -> None:
        """Add a line. Values that JSON does not know are written as text."""
        if self._file is None:
            raise ValueError("the log is closed")
        at = self._clock().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        text = json.dumps({"at": at, "event": event, **fields}, ensure_ascii=False, default=str)
        os.write(self._file, _encoded(text + "\n"))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _ends_within_a_line(file: int) -> bool:
    size = os.fstat(file).st_size
    return size > 0 and os.pread(file, 1, size - 1) != b"\n"


def _indented(document: Mapping[str, object]) -> bytes:
    import msgspec  # Start-up: who reads sessions has it; a question leaves no document.

    try:
        # In two steps, which takes a third of the time: Python's own writer is slow when it indents.
        return msgspec.json.format(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(), indent=2)
    except UnicodeEncodeError:
        return _encoded(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def _encoded(text: str) -> bytes:
    # Half a surrogate pair has no bytes in UTF-8; as an escape it is valid JSON.
    return text.encode("utf-8", "backslashreplace")


def _sync_folder(folder: Path) -> None:
    # The name is in the folder: without this, a power cut could bring the old file back.
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


# --- reading ----------------------------------------------------------------------------------------------------------


class RunStatus(StrEnum):
    """How a run stands. Only the first two were set by the run itself."""

    DONE = "done"
    FAILED = "failed"
    RUNNING = "running"  # its process lives and has not finished it
    INTERRUPTED = "interrupted"  # its process ended without a word
    DAMAGED = "damaged"  # its folder cannot be read


@dataclass(frozen=True)
class RunInfo:
    """One run in a line: read from its last artifact, without trusting it."""

    id: str
    kind: RunKind
    folder: Path
    started: datetime
    status: RunStatus
    session: str | None = None
    #: How many actions of each sort: added, updated, unchanged; merged, archived, revised, unchanged.
    counts: Mapping[str, int] = field(default_factory=dict)
    engine: str | None = None
    provider: str | None = None
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    #: None when the price is not known.
    cost_usd: float | None = None
    seconds: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class RunFile:
    """A file in a run's folder."""

    name: str
    bytes: int


class Runs:
    """The runs whose folders lie in some workspaces, newest first. Reading never raises for what is in a folder."""

    def __init__(self, workspaces: Sequence[Path]) -> None:
        self.workspaces = tuple(workspaces)

    def list(
        self, limit: int = 0, kind: RunKind | None = None, *, failed: bool = False, after: str | None = None
    ) -> list[RunInfo]:
        """The newest runs, at most `limit` unless it is 0; of those that began before the run `after`, if it is given.
        `failed` leaves out those that are done or going on."""
        found: list[RunInfo] = []
        for folder in self._folders():
            is_older = after is None or folder.name.partition("-")[2] < after.partition("-")[2]
            if is_older and kind in (None, RunKind(folder.name.partition("-")[0])):
                info = read_run(folder)
                if not (failed and info.status in (RunStatus.DONE, RunStatus.RUNNING)):
                    found.append(info)
                if 0 < limit == len(found):
                    break
        return found

    def find(self, name: str | None = None) -> RunInfo:
        """The run with this id, its beginning or its last six letters; the newest without one.

        Raises NotFound, and Conflict when several begin like that.
        """
        folders = self._folders()
        if not folders:
            raise NotFound("there are no runs yet", hint="lerim sync")
        if name is None:
            return read_run(folders[0])
        found = [f for f in folders if f.name == name][:1] or [f for f in folders if _is_meant(f.name, name)]
        if not found:
            raise NotFound(f"no run is called '{name}'", hint="lerim runs list")
        if len(found) > 1:
            raise Conflict(f"{len(found)} runs begin with '{name}'", hint=f"lerim runs show {found[0].name}")
        return read_run(found[0])

    def _folders(self) -> Sequence[Path]:
        found = [folder for workspace in dict.fromkeys(self.workspaces) for folder in _run_folders(workspace)]
        return sorted(found, key=lambda folder: folder.name.partition("-")[2], reverse=True)


def _run_folders(workspace: Path) -> Iterator[Path]:
    try:
        with openat.below(workspace, listing=True) as folder:
            found = [entry.name for entry in folder.entries()]
    except (OSError, UnsafePath):
        return
    yield from (workspace / name for name in found if _started(name) is not None)


def _is_meant(run_id: str, name: str) -> bool:
    return bool(name) and (run_id.startswith(name) or run_id.rpartition("-")[2] == name)


def _started(name: str) -> datetime | None:
    """When the run of this id began; None when it is no run's id."""
    if (found := _ID.fullmatch(name)) is None:
        return None
    try:
        return datetime.strptime(found[2], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def read_run(folder: Path) -> RunInfo:
    """What became of the run in this folder, named by its id. What cannot be read is given as its error."""
    kind, started = RunKind(folder.name.partition("-")[0]), _started(folder.name)
    assert started is not None, "only folders with a run's name are read"
    blank = RunInfo(folder.name, kind, folder, started, RunStatus.DAMAGED)
    try:
        running = _is_locked(folder)
        document = _last_word(folder, kind)
    except FileNotFoundError:
        status = RunStatus.RUNNING if running else RunStatus.INTERRUPTED
        return _with(blank, status, {})
    except Unreadable as error:
        return _with(blank, RunStatus.DAMAGED, {"error": str(error)})
    ended = str(document.get("status"))
    if ended not in (RunStatus.DONE, RunStatus.FAILED):
        return _with(blank, RunStatus.DAMAGED, {**document, "error": "its last artifact does not say how it ended"})
    return _with(blank, RunStatus(ended), document)


def _last_word(folder: Path, kind: RunKind) -> Mapping[str, object]:
    """The last artifact, or an earlier one that says that the run failed. Raises FileNotFoundError without one."""
    *earlier, last = kind.artifacts
    try:
        return read_json(folder, last)
    except FileNotFoundError:
        for name in reversed(earlier):
            try:
                document = read_json(folder, name)
            except (FileNotFoundError, Unreadable):
                continue
            if document.get("status") == RunStatus.FAILED:
                return document
        raise


def _with(blank: RunInfo, status: RunStatus, document: Mapping[str, object]) -> RunInfo:
    usage = document.get("usage")
    used: Mapping[str, object] = usage if isinstance(usage, dict) else {}
    return RunInfo(
        id=blank.id,
        kind=blank.kind,
        folder=blank.folder,
        started=blank.started,
        status=status,
        session=_text(document.get("session")),
        counts=_counts(document.get("counts")),
        engine=_text(document.get("engine")),
        provider=_text(document.get("provider")),
        model=_text(document.get("model")),
        input_tokens=_count(used.get("input_tokens")) or 0,
        output_tokens=_count(used.get("output_tokens")) or 0,
        cost_usd=_amount(used.get("cost_usd")),
        seconds=_amount(document.get("seconds")),
        error=_text(document.get("error")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 10**15 else None


def _amount(value: object) -> float | None:
    return float(value) if type(value) in (int, float) and isfinite(value) and 0 <= value < 10**15 else None  # type: ignore[arg-type, operator]


def _counts(value: object) -> dict[str, int]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): count for name, number in pairs if (count := _count(number)) is not None}


# --- files of a run, without trusting them ----------------------------------------------------------------------------


class Unreadable(Exception):
    """A run's file or folder is not what a run leaves. Shown, never raised to whoever lists runs."""


def read_json(folder: Path, name: str) -> Mapping[str, object]:
    """A JSON object of a run. Raises FileNotFoundError, or Unreadable when it is anything else."""
    try:
        document = json.loads(read_bytes(folder, name))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{name} is no JSON document") from error
    if not isinstance(document, dict):
        raise Unreadable(f"{name} is no JSON object")
    return document


def read_bytes(folder: Path, name: str) -> bytes:
    """What a file of a run holds. No link is followed, no pipe waited for. Raises FileNotFoundError or Unreadable."""
    try:
        return openat.read(folder / name, MAX_BYTES)
    except FileNotFoundError:
        raise
    except UnsafePath as error:
        raise Unreadable(f"{name} is {error.message.partition(' is ')[2]}") from error
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}") from error


def read_tail(folder: Path, name: str, lines: int) -> list[str]:
    """The last lines of a log, [] when it is not there or cannot be read."""
    try:
        text = read_bytes(folder, name).decode("utf-8", "backslashreplace")
    except (FileNotFoundError, Unreadable):
        return []
    return [line for line in text.split("\n") if line][-lines:]


def files_of(folder: Path) -> list[RunFile]:
    """What lies in a run's folder, by name. Links and folders are left out."""
    try:
        with openat.below(folder, listing=True) as entered:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entered.entries()]
    except (OSError, UnsafePath):
        return []
    return sorted(
        (RunFile(name, about.st_size) for name, about in found if stat.S_ISREG(about.st_mode)),
        key=lambda file: file.name,
    )


def _open_folder(folder: Path) -> int:
    """A run's folder, to lock it. Raises Unreadable."""
    try:
        with openat.below(folder, listing=True) as entered:
            return entered.duplicate()
    except UnsafePath as error:
        raise Unreadable(f"its folder is {error.message.partition(' is ')[2]}") from error
    except OSError as error:
        raise Unreadable(f"its folder cannot be read: {error.strerror}") from error


def _is_locked(folder: Path) -> bool:
    base = _open_folder(folder)
    try:
        fcntl.flock(base, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(base)
    return False
