"""Agents' files on disk: read whole, put in place whole or not at all, where a link leads, with the rights they had.

In the user's own settings links are followed, since people keep theirs in a repository of dotfiles. In a project they
are not: what came with a repository must not choose which file is written.
"""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import suppress
from pathlib import Path

from lerim.dataclass import dataclass
from lerim.errors import ConnectError, Refused
from lerim.openat import reach
from lerim.private import TEMP_SUFFIX, sync_folder

#: Agents keep histories in their settings; beyond this, it is something else.
_MOST = 64 << 20
_NEW_FILE, _EXECUTABLE = 0o644, 0o755
_NEW_FOLDER = 0o755


@dataclass(frozen=True)
class AgentFile:
    """A file of an agent's, by the name that the agent knows it by."""

    path: Path
    #: The project it lies in, when it does not belong to the user's own settings.
    project: Path | None = None

    def read(self) -> bytes | None:
        """What is in it; None when it is not there. Raises ConnectError when it is no file."""
        try:
            return self._read_in_project() if self.project else self._read()
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise ConnectError(f"{self.path.parent} is no folder", hint=f"ls -l {_quoted(self.path.parent)}") from error
        except Refused as error:
            raise ConnectError(f"{self.path}: {error.message}; a project's links are not followed") from error
        except PermissionError as error:
            raise ConnectError(f"{self.path} cannot be read", hint=f"chmod u+r {_quoted(self.path)}") from error
        except OSError as error:
            why = error.strerror or str(error)
            raise ConnectError(f"{self.path} cannot be read: {why}", hint=f"ls -l {_quoted(self.path)}") from error

    def check_writable(self) -> None:
        """Raises ConnectError, with the command that helps, when it cannot be written to."""
        target = self._target()
        if target.exists() and not _is_writable(target):
            raise ConnectError(f"{target} is read-only", hint=f"chmod u+w {_quoted(target)}")
        folder = next(parent for parent in target.parents if parent.exists())
        if not folder.is_dir():
            raise ConnectError(f"{folder} is no folder", hint=f"ls -l {_quoted(folder)}")
        if not _is_writable(folder):
            raise ConnectError(f"the folder {folder} is read-only", hint=f"chmod u+w {_quoted(folder)}")

    def write(self, data: bytes, *, executable: bool = False) -> list[Path]:
        """Put it in place. The folders that had to be made for it, the outermost first."""
        if self.project:
            return self._write_in_project(self.project, data, executable=executable)
        target = self._target()
        made = self.missing_folders()
        target.parent.mkdir(_NEW_FOLDER, parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.{os.getpid()}{TEMP_SUFFIX}")
        try:
            _write_new(fresh, data, _look(target), executable=executable)
            fresh.replace(target)
        except BaseException:
            with suppress(OSError):
                fresh.unlink()
            raise
        sync_folder(target.parent)
        return made

    def remove(self) -> None:
        """Take it away. A link that led to it stays: somebody else made it."""
        with suppress(FileNotFoundError):
            self._target().unlink()

    def missing_folders(self) -> list[Path]:
        """The folders that are not there yet, the outermost first."""
        target = self._target()
        return [parent for parent in reversed(target.parents) if not parent.exists()]

    def _target(self) -> Path:
        return self.path if self.project else Path(os.path.realpath(self.path))

    def _read(self) -> bytes:
        target = self._target()
        found = target.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ConnectError(f"{self.path} is no file", hint=f"ls -l {_quoted(self.path)}")
        if found.st_size > _MOST:
            raise ConnectError(f"{self.path} is too large to be changed: {found.st_size:,} bytes")
        return target.read_bytes()

    def _read_in_project(self) -> bytes:
        assert self.project is not None
        names = self.path.relative_to(self.project).parts
        with reach(self.project, names[:-1]) as folder, folder.open(names[-1], _MOST) as file:
            return file.read()

    def _write_in_project(self, project: Path, data: bytes, *, executable: bool) -> list[Path]:
        names = self.path.relative_to(project).parts
        made = self.missing_folders()
        found = _look(self.path)
        mode = _mode(found, executable=executable)
        with reach(project, names[:-1], make=True) as folder:
            folder.put(names[-1], data, mode)
        for new in made:
            new.chmod(_NEW_FOLDER)
        return made


def remove_empty(folders: list[Path]) -> None:
    """Take away the folders that were made for files which are gone, the innermost first, unless they hold more."""
    for folder in sorted(set(folders), key=lambda one: len(one.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _write_new(path: Path, data: bytes, like: os.stat_result | None, *, executable: bool) -> None:
    mode = _mode(like, executable=executable)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, mode if like is None else 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        if like is not None:
            if like.st_uid != os.geteuid() or like.st_gid != os.getegid():
                with suppress(OSError):
                    os.fchown(file.fileno(), like.st_uid, like.st_gid)
            os.fchmod(file.fileno(), mode)


def _mode(like: os.stat_result | None, *, executable: bool) -> int:
    if like is None:
        return _EXECUTABLE if executable else _NEW_FILE
    return stat.S_IMODE(like.st_mode)


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _is_writable(path: Path) -> bool:
    """Whether its owner may write: what somebody has locked stays so for root, who could."""
    return bool(path.stat().st_mode & stat.S_IWUSR) and os.access(path, os.W_OK)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
