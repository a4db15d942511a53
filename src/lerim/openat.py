"""Opening what lies below a folder without ever leaving it: name by name, from an open folder, following no link.

Whoever wrote a repository that was cloned laid out what lies in its `.lerim`: links, devices, FIFOs, endless files. All
that Lerim reads and writes there goes through here; `below` and what is built on it say what is wrong in words.

A check of a path and the use of it are two steps; between them anybody may put a link where a folder was. So nothing
here looks a whole path up twice: a folder is opened once, and every further name is looked up inside the open folder.

Windows has neither `dir_fd` nor `O_NOFOLLOW`. There each name is looked at first and then opened by its full path:
links are still refused, a swap between the two steps is not seen.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from _thread import get_ident
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from lerim.dataclass import dataclass
from lerim.errors import Refused, UnsafePath

_BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _NO_LINK
# O_NONBLOCK: a FIFO put in place of a file after the look at it must not make the run wait for a writer.
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)
# O_PATH passes through a folder one may enter but not list. It exists on Linux only.
_PASSING = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER
# What systems answer when they were told not to follow a link and met one, or something that cannot be opened so.
_NO_FOLDER = {errno.ELOOP, errno.EMLINK, errno.ENOTDIR}
_NO_FILE = {errno.ELOOP, errno.EMLINK, errno.ENXIO, getattr(errno, "EOPNOTSUPP", errno.ENXIO)}
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_REPARSE_POINT = 0x400
_TEMP = ".lerim-{}-{}.tmp"

#: The folder Lerim keeps its own files in, in a repository as in the user's home.
LERIM = ".lerim"
_LAID_OUT = ("memory", "meta", "workspace", "index")


@dataclass(frozen=True)
class Folder:
    """An open folder. Names are looked up in it, wherever its path leads by now."""

    path: Path
    #: None where the system cannot look names up in an open folder.
    descriptor: int | None

    def look(self, name: str) -> os.stat_result | None:
        """What `name` is, links not followed; None when there is nothing."""
        try:
            return os.stat(self._name(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def enter(self, name: str, *, listing: bool = False) -> Folder:
        """The folder `name` in this one; to be closed. Raises Refused when it is none, FileNotFoundError."""
        if self.descriptor is None:
            self._require(name, folder=True)
            return Folder(self.path / name, None)
        flags = os.O_RDONLY | _FOLDER if listing else _PASSING
        try:
            return Folder(self.path / name, os.open(name, flags, dir_fd=self.descriptor))
        except OSError as error:
            if error.errno in _NO_FOLDER:
                raise self._refused(name, f"no folder but {self._kind(name)}") from error
            raise

    def open(self, name: str, most: int | None = None) -> BinaryIO:
        """The regular file `name`, to read. Raises Refused when it is none or has more bytes than `most`,
        FileNotFoundError."""
        # A device is told by looking: opening one can have effects of its own.
        self._require(name)
        try:
            descriptor = os.open(self._name(name), _FILE, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in _NO_FILE:
                raise self._refused(name, self._kind(name)) from error
            raise
        file = os.fdopen(descriptor, "rb")
        opened = os.fstat(descriptor)
        problem = None if stat.S_ISREG(opened.st_mode) else kind_of(opened)
        if problem is None and most is not None and opened.st_size > most:
            problem = f"too large: {opened.st_size:,} bytes, and at most {most:,} are read"
        if problem is not None:
            file.close()
            raise self._refused(name, problem)
        return file

    def create(self, name: str, mode: int = 0o600, *, buffering: int = -1) -> BinaryIO:
        """A new file of our own to write. A leftover of that name goes first; a link is never followed."""
        try:
            descriptor = os.open(self._name(name), _NEW_FILE, mode, dir_fd=self.descriptor)
        except FileExistsError:
            self.remove(name)
            descriptor = os.open(self._name(name), _NEW_FILE, mode, dir_fd=self.descriptor)
        return os.fdopen(descriptor, "wb", buffering)

    def write_new(self, name: str, data: bytes, mode: int = 0o600, *, sync: bool = True) -> None:
        """The same at once: a new file with these bytes in it, and on the disk if told so."""
        # Without a buffer: for thousands of small files that is a third of the time.
        with self.create(name, mode, buffering=0) as file:
            written = 0
            while written < len(data):
                written += file.write(data[written:] if written else data)
            if sync:
                os.fsync(file.fileno())

    def put(self, name: str, data: bytes, mode: int = 0o600) -> None:
        """Put a file in place, whole or not at all. What stands there is replaced, never written into: no link and no
        second name of a file leads out. Raises Refused when that is no file."""
        found = self.look(name)
        if found is not None and (is_link(found) or not stat.S_ISREG(found.st_mode)):
            raise self._refused(name, kind_of(found))
        temp = _TEMP.format(os.getpid(), get_ident())
        try:
            self.write_new(temp, data, mode)
            self.rename(temp, name)
        except BaseException:
            with suppress(OSError):
                self.remove(temp)
            raise

    def make(self, name: str, mode: int = 0o700) -> Folder:
        """Enter the folder `name`, made if need be."""
        try:
            return self.enter(name)
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.mkdir(self._name(name), mode, dir_fd=self.descriptor)
            return self.enter(name)

    def make_new(self, name: str) -> bool:
        """Make the folder `name`, 0700. False when something has that name already."""
        try:
            os.mkdir(self._name(name), 0o700, dir_fd=self.descriptor)
        except FileExistsError:
            return False
        return True

    def duplicate(self) -> int:
        """A descriptor of the folder that outlives it, as to hold a lock. It must have been entered for listing."""
        return os.open(self.path, os.O_RDONLY) if self.descriptor is None else os.dup(self.descriptor)

    def rename(self, name: str, to: str) -> None:
        """Put `name` in the place of `to`. A link there is replaced, not followed."""
        os.replace(self._name(name), self._name(to), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def add(self, name: str, to: str) -> bool:
        """Give `name` the name `to`, unless something has it. False then, and `name` stays."""
        try:
            folder = self.descriptor
            os.link(self._name(name), self._name(to), src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            # File systems without hard links (FAT, some network mounts): the check and the rename are two steps.
            if error.errno not in _NO_HARD_LINKS:
                raise
            if self.look(to) is not None:
                return False
            self.rename(name, to)
            return True
        self.remove(name)
        return True

    def remove(self, name: str, *, missing_ok: bool = True) -> None:
        try:
            os.unlink(self._name(name), dir_fd=self.descriptor)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """What is in it, in no order. The folder must have been entered for listing."""
        with os.scandir(self.path if self.descriptor is None else self.descriptor) as found:
            yield from found

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _name(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)

    def _kind(self, name: str) -> str:
        found = self.look(name)
        return "gone" if found is None else kind_of(found)

    def _require(self, name: str, *, folder: bool = False) -> None:
        found = self.look(name)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        if is_link(found) or not (stat.S_ISDIR if folder else stat.S_ISREG)(found.st_mode):
            raise self._refused(name, f"{'no folder but ' if folder else ''}{kind_of(found)}")

    def _refused(self, name: str, kind: str) -> Refused:
        return Refused(f"'{name}' is {kind}", at=self.path / name)


@contextmanager
def reach(root: Path, names: Iterable[str], *, make: bool = False, listing: bool = False) -> Iterator[Folder]:
    """The folder that `names` lead to from `root`, a path without links. Missing ones are made if told so.

    Raises Refused at the first link or file on the way, FileNotFoundError when there is no such folder.
    """
    steps = [*names]
    with ExitStack() as opened:
        folder = opened.enter_context(_enter_root(root, listing=listing and not steps))
        for number, name in enumerate(steps, 1):
            last = listing and number == len(steps)
            folder = opened.enter_context(folder.make(name) if make else folder.enter(name, listing=last))
        yield folder


# --- in a `.lerim` folder ---------------------------------------------------------------------------------------------


@contextmanager
def below(folder: Path, *, make: bool = False, listing: bool = False, mode: int = 0o700) -> Iterator[Folder]:
    """A folder of Lerim's, open: from where the `.lerim` around it lies, no link is followed. Made if told so.

    Above that, paths are the user's own to lay out.
    Raises UnsafePath, with what to do about it, at the first link or file on the way; FileNotFoundError.
    """
    with speaking(), enter(folder, make=make, listing=listing, mode=mode) as entered:
        yield entered


def enter(folder: Path, *, make: bool = False, listing: bool = False, mode: int = 0o700) -> Folder:
    """The same, to be closed by whoever keeps it open."""
    ground, names = split(folder)
    if make:
        ground.mkdir(mode=0o700, parents=True, exist_ok=True)
    with speaking():
        return _walk_down(ground, names, make=make, listing=listing, mode=mode)


def _walk_down(ground: Path, names: tuple[str, ...], *, make: bool, listing: bool, mode: int) -> Folder:
    folder = _enter_ground(ground, listing=listing and not names)
    for number, name in enumerate(names, 1):
        with folder:
            folder = folder.make(name, mode) if make else folder.enter(name, listing=listing and number == len(names))
    return folder


@lru_cache(maxsize=1024)  # Files are written many at a time, to few folders.
def split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that holds the nearest `.lerim` around a path, and the names that lead on from there.

    LERIM_HOME may have any name: without a `.lerim` on the way, they lead on from the folder it was laid out in.
    """
    parts = path.parts
    for marks in ((LERIM,), _LAID_OUT):
        for place in range(len(parts) - 1, 0, -1):
            if parts[place] in marks:
                return Path(*parts[:place]), parts[place:]
    return path, ()


def _enter_ground(ground: Path, *, listing: bool) -> Folder:
    if not _BY_DESCRIPTOR:
        return Folder(ground, None)
    flags = (os.O_RDONLY if listing else getattr(os, "O_PATH", os.O_RDONLY)) | getattr(os, "O_DIRECTORY", 0)
    return Folder(ground, os.open(ground, flags | getattr(os, "O_CLOEXEC", 0)))


def read(path: Path, most: int) -> bytes:
    """A file of Lerim's. Raises UnsafePath when it is none, or larger than `most`; FileNotFoundError."""
    with below(path.parent) as folder:
        return read_in(folder, path.name, most)


def read_in(folder: Folder, name: str, most: int) -> bytes:
    """The same, of a folder that is open."""
    with speaking(), folder.open(name, most) as file:
        return file.read(most + 1)


def write(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Put a file of Lerim's in place, whole or not at all. Its folder must be there. Raises UnsafePath."""
    with below(path.parent) as folder, speaking():
        folder.put(path.name, data, mode)


def read_own(path: Path, most: int) -> bytes:
    """A file that the user named or laid out: links are theirs to make. Raises UnsafePath when it is no file."""
    real = Path(os.path.realpath(path))
    if str(real) == os.devnull:
        return b""
    try:
        with Folder(real.parent, None).open(real.name, most) as file:
            return file.read(most + 1)
    except Refused as refused:
        raise _unsafe_own(path, real, refused) from refused


def _unsafe_own(path: Path, real: Path, refused: Refused) -> UnsafePath:
    """What a path of the user's leads to must not be opened. A link is theirs to move, never what it leads to, which
    may be the system's."""
    what = refused.message.partition(" is ")[2]
    if path.is_symlink():
        return UnsafePath(f"{path} leads to {real}, which is {what}", hint=f"move the link away: {_move_away(path)}")
    is_systems = "device" in what or real.is_relative_to("/proc")
    return UnsafePath(f"{path} is {what}", hint="name a file" if is_systems else f"move it away: {_move_away(path)}")


def _move_away(path: Path) -> str:
    return f"mv {shlex.quote(str(path))} {shlex.quote(f'{path}.away')}"


@contextmanager
def speaking() -> Iterator[None]:
    """What must not be opened, as an error that says what to do about it."""
    try:
        yield
    except UnsafePath:
        raise
    except Refused as refused:
        raise unsafe(refused) from refused


def unsafe(refused: Refused) -> UnsafePath:
    """What must not be opened, with what to do about it."""
    at = refused.at
    hint = None if at is None else f"move it away: {_move_away(at)}"
    return UnsafePath(f"{at} is {refused.message.partition(' is ')[2]}", hint=hint)


def _enter_root(root: Path, *, listing: bool) -> Folder:
    """The root itself was resolved when the run began, so on the way to it there is no link to follow either."""
    if not _BY_DESCRIPTOR:
        return Folder(root.parent, None).enter(root.name)
    if not hasattr(os, "O_PATH"):
        # Passing through by name would need the right to list every folder above. macOS can refuse links at once.
        try:
            return Folder(root, os.open(root, os.O_RDONLY | _FOLDER | getattr(os, "O_NOFOLLOW_ANY", 0)))
        except OSError as error:
            if error.errno in _NO_FOLDER:
                raise Refused(f"'{root}' is no folder but a link or a file") from error
            raise
    folder = Folder(Path(root.anchor), os.open(root.anchor, os.O_RDONLY | _FOLDER))
    for number, name in enumerate(root.parts[1:], 2):
        with folder:
            folder = folder.enter(name, listing=listing and number == len(root.parts))
    return folder


def is_link(found: os.stat_result) -> bool:
    """A symbolic link; on Windows also a junction."""
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_file_attributes", 0) & _REPARSE_POINT)


def kind_of(found: os.stat_result) -> str:
    """What this is, in words."""
    if is_link(found):
        return "a symbolic link; links are not followed"
    return _KINDS.get(stat.S_IFMT(found.st_mode), "neither a file nor a folder")


_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO, which is never opened",
    stat.S_IFSOCK: "a socket, which is never opened",
    stat.S_IFCHR: "a device, which is never opened",
    stat.S_IFBLK: "a device, which is never opened",
}
