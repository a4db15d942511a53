"""Backups: copies of all that cannot be made again, each verified, a few of them kept; and the way back.

A backup is a folder of its own under `backups/`: the store, the catalog, the ledger, and the memory files of every
project. It appears whole or not at all. A restore makes one of what is there first, and is noted before it changes
anything: killed anywhere, whoever opens the store next finishes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from lerim.config.scope import STORE, lerim_dir, memory_dir
from lerim.context.face.folder import MemoryFolder, holds_memories
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Project, Projects, is_global
from lerim.context.records import Clock, parse_time, stamp_text, time_text
from lerim.context.recovery import StoreCopy, open_local, replace_local
from lerim.dataclass import dataclass
from lerim.errors import LerimError, NotFound, StoreCorrupt, StoreError
from lerim.private import make_home, make_private, open_private, sweep, sweep_top, sync_folder, tighten_all
from lerim.storage.database import Database
from lerim.storage.engine import copy, inspect
from lerim.storage.entries import entries, not_an_entry
from lerim.storage.quarantine import alone

FOLDER = "backups"
_PREFIX = "backup-"
_MANIFEST = "manifest.json"
_MARKER = "restoring"
_FILES = "memory-"
#: Databases beside the store, by what they are called in a backup; and small files that nobody can make again.
_DATABASES = {"sessions.sqlite3": "index/sessions.sqlite3", "usage.sqlite3": "index/usage.sqlite3"}
CATALOG = "sessions.sqlite3"
_SMALL = ("config.toml", "redaction.salt")
#: What is counted before and after a copy is made.
_COUNTED = ("projects", "records", "versions", "changes", "review")
#: Opens the catalog on its own, with nobody else in this process at it.
OpenCatalog = Callable[[], Database]
#: Raises unless a restore may be made: of a store that others use too, when it is asked for them all.
Guard = Callable[[bool], None]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Backup:
    """One backup: where it lies, when and why it was made, and what it holds."""

    folder: Path
    created: datetime
    reason: str
    #: Rows of the store by table, as they were counted in the copy.
    counts: Mapping[str, int]
    #: The digest of each file.
    files: Mapping[str, str]
    #: The projects whose files are in it, and where they were.
    projects: Mapping[str, Path]
    size: int

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def records(self) -> int:
        return self.counts.get("records", 0)


@dataclass(frozen=True)
class Restored:
    """What was restored, the backup of what was there before, and how many memory files were written or taken away."""

    backup: Backup
    before: Backup
    files: int


@dataclass(frozen=True)
class Rotation:
    """How many backups stay, and after how many hours the next is due; 0 for never."""

    keep: int
    every_hours: int


@entries
class Backups:
    """The backups of one home. Whatever is asked of it, what people did to the files is picked up first."""

    def __init__(
        self,
        home: Path,
        memory: Memory,
        database: Database,
        projects: Projects,
        open_catalog: OpenCatalog,
        rotation: Rotation,
        clock: Clock,
        guard: Guard,
    ) -> None:
        self._home = home
        self._memory = memory
        self._database = database
        self._projects = projects
        self._guard = guard
        self._open_catalog = open_catalog
        self._rotation = rotation
        self._clock = clock

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._memory.enter(work)

    def make(self, reason: str = "by hand") -> Backup:
        """Copy all that cannot be made again, while others may go on. Raises StoreError when the copy is not sound."""
        with _workshop(self._home):
            made = self._build(reason)
            self._rotate(made)
        self._tidy()
        return made

    def _tidy(self) -> None:
        """What killed processes left goes, and what others could read is closed: once a day is often enough."""
        sweep_top(self._home)
        for name in ("context.sqlite3", "index", "memory", "meta", "workspace", FOLDER, "traces", "imports", "views"):
            sweep(self._home / name)
            tighten_all(self._home / name)
        roots = [project.root for project in self._projects.all()]
        for folder in (lerim_dir(root, self._home) for root in roots):
            if not folder.is_symlink():
                sweep_top(folder)
        for folder in (lerim_dir(root, self._home) / name for root in roots for name in ("meta", "workspace", "index")):
            if folder.is_dir() and not folder.is_symlink() and not folder.parent.is_symlink():
                sweep(folder)
                tighten_all(folder)

    @not_an_entry
    def all(self) -> list[Backup]:
        """What there is, newest first. One that cannot be read is not among them."""
        return list(_newest_first(self._home))

    @not_an_entry
    def find(self, name: str | None = None) -> Backup:
        """A backup by name or the end of one; the newest without. Raises NotFound."""
        for backup in self.all():
            if name is None or name in (backup.name, str(backup.folder), backup.name.removeprefix(_PREFIX)):
                return backup
        what = f"no backup '{name}'" if name else "there is no backup yet"
        raise NotFound(what, hint="lerim backup list" if name else "lerim backup")

    @not_an_entry
    def due(self) -> bool:
        """Whether the next backup is due: the newest is too old, or there is none of a store that is."""
        if not self._rotation.every_hours or self._database.is_read_only:
            return False
        newest = next((backup.created for backup in self.all()), None) or self._first_change()
        return newest is not None and self._clock() - newest >= timedelta(hours=self._rotation.every_hours)

    def make_if_due(self) -> Backup | None:
        """The backup of the day, for whoever comes by: None when it is not due."""
        return self.make("daily") if self.due() else None

    def restore(self, backup: Backup, *, for_all: bool = False) -> Restored:
        """Bring both faces back to what they were, and keep what they are now in a backup of its own. A store that
        others use too goes back `for_all` of them.

        Raises StoreCorrupt when the backup is damaged, StoreBusy when another process has the store open; UsageError or
        NotAllowed when it is others' store, too.
        """
        self._guard(for_all)
        verify(backup)
        before: list[Backup] = []

        def keep() -> None:
            before.append(self._build(f"before the restore of {backup.name}"))

        with _workshop(self._home):
            try:
                known = (self._home, self._database, self._projects, self._open_catalog, self._clock)
                files = _put_back(backup, *known, keep)
            except (LerimError, OSError):
                self._give_up(before)
                raise
        return Restored(backup, before[0], files)

    def _give_up(self, before: list[Backup]) -> None:
        """The store was not changed: neither shall the files be."""
        if (self._home / FOLDER / _MARKER).exists() and before:
            for folder, archive in _folders(before[0], self._home):
                with suppress(LerimError, OSError):
                    _unpack(folder, archive)
            (self._home / FOLDER / _MARKER).unlink(missing_ok=True)

    def _first_change(self) -> datetime | None:
        with self._database.read() as tx:
            row = tx.row("SELECT min(at) FROM changes")
        return parse_time(row[0]) if row and row[0] else None

    def _build(self, reason: str) -> Backup:
        folder = self._home / FOLDER
        target = folder / f"{_PREFIX}{_free_stamp(folder, self._clock())}"
        temp = folder / f".{target.name}.tmp"
        make_private(temp)
        try:
            before = self._counts()
            self._database.backup(temp / STORE)
            self._copy_beside(temp)
            projects = self._copy_files(temp)
            counts = self._sound_store(temp / STORE, before)
            _write_manifest(temp, self._clock(), reason, counts, projects)
            sync_folder(temp)
            temp.rename(target)
            sync_folder(folder)
        except OSError as error:
            raise StoreError(
                f"cannot write {target}: {error.strerror}; no backup was made",
                hint="free some space, then: lerim backup",
            ) from error
        finally:
            _remove(temp)
        made = _read(target)
        assert made is not None
        return made

    def _sound_store(self, copied: Path, before: Mapping[str, int]) -> dict[str, int]:
        try:
            return _sound_counts(copied, before, self._counts())
        except StoreCorrupt as error:
            # The copy is what the store is: whoever guards the work mends it.
            with self._database.read():
                raise StoreCorrupt(error.message, location=self._database.location, hint=error.hint) from error

    def _counts(self) -> dict[str, int]:
        with self._database.read() as tx:
            return {table: int((tx.row(f"SELECT count(*) FROM {table}") or (0,))[0]) for table in _COUNTED}

    def _copy_beside(self, temp: Path) -> None:
        for name, path in _DATABASES.items():
            if (self._home / path).exists():
                copy(self._home / path, temp / name)
                _sound_counts(temp / name, {}, {})
        for name in _SMALL:
            source = self._home / name
            if source.is_file() and not source.is_symlink():
                with open_private(temp / name) as file:
                    file.write(source.read_bytes())

    def _copy_files(self, temp: Path) -> dict[str, Path]:
        copied = {}
        for project in _here(self._projects, self._home):
            folder = MemoryFolder(self._projects.folder(project))
            if folder.exists():
                _pack(folder, temp / f"{_FILES}{project.id}.tar")
                copied[project.id] = project.root
        return copied

    def _rotate(self, made: Backup) -> None:
        for backup in self.all()[self._rotation.keep :]:
            if backup.name != made.name:
                _remove(backup.folder)


def finish_restore(
    home: Path,
    open_store: Callable[[], Database],
    projects_in: Callable[[Database], Projects],
    open_catalog: OpenCatalog,
    clock: Clock,
) -> str | None:
    """Finish the restore that a killed process began, if nobody is at it; what to tell."""
    with _workshop(home):
        marker = home / FOLDER / _MARKER
        if not marker.exists():
            return None  # Somebody was, and finished it.
        name, _, location = marker.read_text("utf-8", "replace").strip().partition("\n")
        backup = _read(home / FOLDER / Path(name).name)
        try:
            if backup is None:
                raise NotFound("it is gone")
            verify(backup)
        except LerimError as error:
            marker.unlink(missing_ok=True)
            return f"a restore was interrupted and its backup cannot be used ({error.message}): lerim backup list"
        with closing(open_store()) as database:
            if location not in ("", database.location):
                marker.unlink(missing_ok=True)
                return f"a restore of {location} was interrupted; this is another store: lerim backup list"
            _put_back(backup, home, database, projects_in(database), open_catalog, clock, lambda: None)
    return f"finished the interrupted restore of {backup.name}"


def newest_sound(home: Path) -> StoreCopy | None:
    """The store as the newest backup has it that could be restored."""
    for backup in _newest_first(home):
        with suppress(LerimError, OSError):
            verify(backup)
            return StoreCopy(backup.name, backup.folder / STORE)
    return None


def verify(backup: Backup) -> None:
    """Raise StoreCorrupt unless a backup holds what it held when it was made."""
    for name, digest in backup.files.items():
        if _digest(backup.folder / name) != digest:
            raise _damaged(backup.folder / name, "its content changed since it was made, or is gone")
    problems, counts = inspect(backup.folder / STORE)
    if problems or counts != dict(backup.counts):
        raise _damaged(backup.folder / STORE, "; ".join(problems) or "rows are missing")


# --- back ------------------------------------------------------------------------------------------------------------


def _put_back(
    backup: Backup,
    home: Path,
    database: Database,
    projects: Projects,
    open_catalog: OpenCatalog,
    clock: Clock,
    keep: Callable[[], None],
) -> int:
    """Files, catalog and store, while nobody else can get in; then both faces agree. How many files that changed.

    `keep` comes before anything is changed.
    """
    changed: list[int] = []

    def files_first() -> None:
        _note(home, backup, database)
        changed.append(sum(_unpack(folder, archive) for folder, archive in _folders(backup, home)))
        _put_small(backup, home)

    def catalog_first() -> None:
        keep()
        if CATALOG not in backup.files:
            files_first()
            return
        with closing(open_catalog()) as catalog:
            catalog.become(backup.folder / CATALOG, files_first)

    database.become(backup.folder / STORE, catalog_first)
    # Another store than the one that files and index have followed: what they noted of it counts no more.
    with database.write() as tx:
        tx.run("UPDATE identity SET id = ?", (os.urandom(16).hex(),))
    _agree(projects, database, home, clock)
    (home / FOLDER / _MARKER).unlink(missing_ok=True)
    sync_folder(home / FOLDER)
    return changed[0]


def _agree(projects: Projects, database: Database, home: Path, clock: Clock) -> None:
    with closing(_local(home)) as local:
        for project in _here(projects, home):
            if project.root.is_dir():
                Place(project, database, local, projects.folder(project), clock).face.take_in()


def _here(projects: Projects, home: Path) -> list[Project]:
    """The projects that lie on this machine, and the global memory."""
    return [*projects.all(), *([found] if (found := projects.at(home)) else [])]


def _local(home: Path) -> Database:
    try:
        return open_local(home)
    except StoreCorrupt:
        return replace_local(home)


def _folders(backup: Backup, home: Path) -> Iterator[tuple[MemoryFolder, Path]]:
    """The memory folders whose files are in a backup, of projects that are still where they were."""
    for project_id, root in backup.projects.items():
        if root.is_dir():
            folder = MemoryFolder(memory_dir(root, home), private=is_global(project_id))
            yield folder, backup.folder / f"{_FILES}{project_id}.tar"


def _unpack(folder: MemoryFolder, archive: Path) -> int:
    """Make the memory files of a folder what they were. How many were written or taken away."""
    kept = dict(_packed(archive))
    there = folder.scan().files if folder.exists() else {}
    extra = [path for path in there if path not in kept]
    for path in extra:
        folder.remove(path)
    other = {path: data for path, data in kept.items() if path not in there or folder.read(path) != data}
    for path, data in other.items():
        folder.publish(folder.prepare(path, data, "restore"), path, replaces=True)
    folder.sync_names()
    return len(extra) + len(other)


def _put_small(backup: Backup, home: Path) -> None:
    """What is gone comes back; what is there is newer."""
    for name in _SMALL:
        if name in backup.files and not (home / name).exists():
            with open_private(home / name) as file:
                file.write((backup.folder / name).read_bytes())


# --- a backup on disk -------------------------------------------------------------------------------------------------


@contextmanager
def _workshop(home: Path) -> Iterator[None]:
    """The folder of backups, for one process at a time; what a killed one left of a backup is removed."""
    try:
        make_home(home)
        folder = make_private(home / FOLDER)
        with alone(folder / ".lock"):
            for path in folder.glob(f".{_PREFIX}*.tmp"):
                _remove(path)
            yield
    except OSError as error:
        raise StoreError(
            f"cannot write to {home / FOLDER}: {error.strerror}; nothing was changed",
            hint="check its permissions, or set LERIM_HOME to another folder",
        ) from error


def _note(home: Path, backup: Backup, database: Database) -> None:
    with open_private(home / FOLDER / _MARKER) as file:
        file.write(f"{backup.name}\n{database.location}".encode())
        file.flush()
        os.fsync(file.fileno())
    sync_folder(home / FOLDER)


def _pack(folder: MemoryFolder, target: Path) -> None:
    import io
    import tarfile  # Start-up: a backup is rare.

    with open_private(target) as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            for path in sorted(folder.scan().files):
                try:
                    data = folder.read(path)
                except FileNotFoundError:
                    continue  # A person was faster.
                entry = tarfile.TarInfo(path)
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        file.flush()
        os.fsync(file.fileno())


def _packed(archive: Path) -> Iterator[tuple[str, bytes]]:
    import tarfile  # As above.

    with tarfile.open(archive) as tar:
        for entry in tar:
            data = tar.extractfile(entry)
            if entry.isreg() and data is not None and holds_memories(entry.name) and ".." not in entry.name.split("/"):
                yield entry.name, data.read()


def _sound_counts(path: Path, before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """The rows of a copy, by table. Raises StoreError unless it is sound and whole: others may have written meanwhile,
    so it has at least what there was or at most what there is."""
    problems, counts = inspect(path)
    short = [name for name in before if not _is_between(counts.get(name, -1), before[name], after[name])]
    if problems:
        raise StoreCorrupt(f"{path} is damaged: {'; '.join(problems)}", location=str(path), hint="lerim memory check")
    if short:
        why = f"rows of {', '.join(short)} are missing"
        raise StoreError(f"the copy {path} is not sound: {why}; no backup was made", hint="lerim memory check")
    return counts


def _is_between(number: int, one: int, other: int) -> bool:
    return min(one, other) <= number <= max(one, other)


def _write_manifest(
    folder: Path, now: datetime, reason: str, counts: Mapping[str, int], projects: Mapping[str, Path]
) -> None:
    files = {path.name: _digest(path) for path in sorted(folder.iterdir())}
    document = {
        "created": time_text(now),
        "reason": reason,
        "counts": counts,
        "files": files,
        "projects": {project_id: str(root) for project_id, root in projects.items()},
    }
    with open_private(folder / _MANIFEST) as file:
        file.write(json.dumps(document, indent=1).encode())
        file.flush()
        os.fsync(file.fileno())


def _newest_first(home: Path) -> Iterator[Backup]:
    names = sorted((path for path in (home / FOLDER).glob(f"{_PREFIX}*") if path.is_dir()), reverse=True)
    return (backup for path in names if (backup := _read(path)) is not None)


def _read(folder: Path) -> Backup | None:
    try:
        document = json.loads((folder / _MANIFEST).read_bytes())
        return Backup(
            folder,
            parse_time(document["created"]),
            str(document["reason"]),
            dict(document["counts"]),
            dict(document["files"]),
            {project_id: Path(root) for project_id, root in document["projects"].items()},
            sum(path.stat().st_size for path in folder.iterdir()),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, LerimError):
        return None


def _remove(folder: Path) -> None:
    from shutil import rmtree  # Start-up: a sync only asks whether a backup is due.

    rmtree(folder, ignore_errors=True)


def _digest(path: Path) -> str:
    import hashlib  # As above.

    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _damaged(path: Path, why: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} is damaged: {why}; nothing was changed", location=str(path), hint="lerim backup list")


def _free_stamp(folder: Path, now: datetime) -> str:
    stamp = stamp_text(now)
    number = 1
    while (folder / f"{_PREFIX}{stamp}").exists():
        number += 1
        stamp = f"{stamp_text(now)}-{number}"
    return stamp
