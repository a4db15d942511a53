"""A memory folder on disk: where a record's file belongs, what is there now, and how a file is written whole or not."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, lru_cache
from pathlib import Path

from lerim import openat
from lerim.context.records import LESSONS, MAX_BODY_BYTES, Primitive, Record, Status
from lerim.dataclass import dataclass
from lerim.errors import FileNotWritten, Refused, UnsafePath
from lerim.lazy_regex import compile_later
from lerim.private import FILE_MODE, FOLDER_MODE

ARCHIVED = "archived"
#: Which primitive lies in which folder.
FOLDERS = {primitive.traits.folder: primitive for primitive in Primitive}
_SUMMARIES = Primitive.SUMMARY.traits.folder
_OUTSIDE = f"lies outside {' and '.join(f'{lesson.traits.folder}/' for lesson in LESSONS)}; move it there"

#: A file has its frontmatter besides the body.
MAX_FILE_BYTES = MAX_BODY_BYTES + 64 * 1024
README = "README.md"
MAX_SLUG = 60
_MOST_OPEN = 8
TEMP_PREFIX = ".lerim-"
TEMP_SUFFIX = ".tmp"
# Names Windows keeps for devices, with any extension; and the one file that explains a folder instead of being in it.
_RESERVED = {"readme", "con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


#: The line of the frontmatter that says whose file it is, for those who need no more.
ID_LINE = compile_later(rb"^id:[ \t]*['\"]?([a-z]+-[a-z2-7]+)['\"]?[ \t]*\r?$", re.MULTILINE)

#: What one `stat` says of a file: mtime_ns, size, inode. A plain tuple: a walk makes one per file.
FileState = tuple[int, int, int]
#: A file's path with its state: as plain tuples, a hundred thousand are held against as many in a moment.
FoundFile = tuple[str, int, int, int]
#: The schema of the local database says the same.
GROUPS = 256


@dataclass
class Listing:
    """What a walk through the folder found."""

    #: The files by their inode modulo GROUPS: one that changed is looked for among few.
    groups: list[list[FoundFile]]
    #: Files of ours that a crash left behind, by path.
    temps: list[str]
    #: What cannot be a memory where it lies: path and why.
    strays: dict[str, str]

    @cached_property
    def files(self) -> dict[str, FileState]:
        """The state of every memory file by its path."""
        return {file[0]: file[1:] for group in self.groups for file in group}


class MemoryFolder:
    """The folder `<repo>/.lerim/memory` or `~/.lerim/memory`. Paths are relative to it, with `/`."""

    def __init__(self, root: Path, *, private: bool = False) -> None:
        self.root = root
        self._root = str(root)
        #: Files in a repository are made by the user's umask, as all others there; the global memory is the user's own.
        self._mode = FILE_MODE if private else 0o666
        self._folder_mode = FOLDER_MODE if private else 0o777
        #: Folders with new names in them that the disk may not know of yet.
        self._unsynced: set[str] = set()
        #: Folders that stay open while many files are read or written; None when each is opened by itself.
        self._kept_open: dict[str, openat.Folder] | None = None

    @contextmanager
    def entering_once(self) -> Iterator[None]:
        """Walk down to a folder once for the many files that are read there, or written. A folder that is open stays
        the same one, whatever is put in its place meanwhile."""
        self._kept_open = {}
        try:
            yield
        finally:
            self._close()
            self._kept_open = None

    def _close(self, *folders: str) -> None:
        """Close these folders, or all of them."""
        for folder in folders or tuple(self._kept_open or ()):
            if self._kept_open and (opened := self._kept_open.pop(folder, None)):
                opened.close()

    def exists(self) -> bool:
        """Whether it is there. Raises UnsafePath when something else is, or a link on the way to it."""
        try:
            with openat.below(self.root):
                return True
        except FileNotFoundError:
            return False

    def absolute(self, path: str) -> Path:
        return self.root / path

    def scan(self) -> Listing:
        """Every memory file with its state. Links are not followed: what lies elsewhere is not ours to read."""
        listing = Listing([[] for _ in range(GROUPS)], [], {})
        self._walk("", listing)
        return listing

    def _walk(self, folder: str, listing: Listing) -> None:
        try:
            opened = _open_to_list(f"{self._root}/{folder}")
        except FileNotFoundError:
            return
        except OSError as error:
            listing.strays[folder.rstrip("/")] = f"cannot be read: {error.strerror}"
            return
        groups, ours = listing.groups, holds_memories(folder)
        with opened as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    # Editors' lock files and swap files; and ours, when a crash left them.
                    if name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX):
                        listing.temps.append(folder + name)
                    continue
                if not (name.isascii() or _is_text(name)):
                    shown = os.fsencode(folder + name).decode("utf-8", "backslashreplace")
                    listing.strays[shown] = "its name is not UTF-8; rename it"
                    continue
                if name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    if ours and name != README:
                        found = entry.stat(follow_symlinks=False)
                        inode = found.st_ino
                        groups[inode % GROUPS].append((folder + name, found.st_mtime_ns, found.st_size, inode))
                    elif name != README:
                        listing.strays[folder + name] = _OUTSIDE
                elif entry.is_dir(follow_symlinks=False):
                    self._walk(f"{folder}{name}/", listing)
                elif entry.is_symlink() and (name.endswith(".md") or not _leads_to_a_file(entry)):
                    listing.strays[folder + name] = "a symbolic link; links out of the memory folder are not read"

    def state(self, path: str) -> FileState | None:
        """What `stat` says now; None when there is no such file."""
        try:
            found = os.stat(f"{self._root}/{path}", follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except PermissionError:
            # It may well be there: whoever cannot look must not call it gone.
            return -1, -1, -1
        except OSError as error:
            # A folder that links to itself holds nothing.
            if error.errno != errno.ELOOP:
                raise
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises FileNotFoundError, and OSError also when it is no file or too large for a memory."""
        try:
            if self._kept_open is None:
                return openat.read(self.root / path, MAX_FILE_BYTES)
            folder, _, name = path.rpartition("/")
            return openat.read_in(self._kept(self._kept_open, folder), name, MAX_FILE_BYTES)
        except UnsafePath as error:
            raise OSError(errno.EINVAL, error.message.partition(" is ")[2]) from error

    def prepare(self, path: str, data: bytes, tag: str, *, sync: bool = True) -> str:
        """Write `data` beside where it will stand. Raises FileNotWritten; nothing is left behind then."""
        temp = temp_path(path, tag)
        try:
            with self._at(temp, make=True) as (folder, name):
                folder.write_new(name, data, self._mode, sync=sync)
        except OSError as error:
            self.remove(temp)
            raise _not_written(self.absolute(path), error) from error
        return temp

    @contextmanager
    def _at(self, path: str, *, make: bool = False) -> Iterator[tuple[openat.Folder, str]]:
        """The open folder of a file, and the file's name: a `decisions` that links elsewhere would let a memory leave
        its folder. Raises FileNotWritten at a link."""
        folder, _, name = path.rpartition("/")
        try:
            if self._kept_open is None:
                with openat.below(self.root / folder, make=make, mode=self._folder_mode) as opened:
                    yield opened, name
            else:
                yield self._kept(self._kept_open, folder, make=make), name
        except (UnsafePath, Refused) as error:
            met = openat.unsafe(error) if isinstance(error, Refused) else error
            raise FileNotWritten(f"{met.message}; nothing was changed", hint=met.hint) from error

    def _kept(self, kept: dict[str, openat.Folder], folder: str, *, make: bool = False) -> openat.Folder:
        """A folder that stays open, opened when it is first used."""
        if folder not in kept:
            # A process has only so many files open, and summaries lie in a folder each.
            if len(kept) == _MOST_OPEN:
                self._close()
            kept[folder] = openat.enter(self.root / folder, make=make, mode=self._folder_mode)
        return kept[folder]

    def publish(self, temp: str, path: str, *, replaces: bool) -> bool:
        """Put a prepared file in its place. False when something stands there that it must not replace."""
        try:
            with self._at(path) as (folder, name):
                source = temp.rpartition("/")[2]
                self._unsynced.add(path.rpartition("/")[0])
                if replaces:
                    _keep_mode(folder, name, source)
                    folder.rename(source, name)
                    return True
                return folder.add(source, name)
        except OSError as error:
            raise _not_written(self.absolute(path), error) from error

    def sync_names(self) -> None:
        """Have all that was put in place on the disk: after a power cut, a name that is gone would read as deleted."""
        for folder in self._unsynced:
            # Not every system can sync a folder.
            with contextlib.suppress(OSError), openat.below(self.root / folder, listing=True) as opened:
                if opened.descriptor is not None:
                    os.fsync(opened.descriptor)
        self._unsynced.clear()

    def remove(self, path: str) -> None:
        """Remove a file and the folders that it leaves empty. Not there: nothing to do."""
        try:
            with self._at(path) as (entered, name):
                entered.remove(name, missing_ok=False)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _not_written(self.absolute(path), error) from error
        folder = path.rpartition("/")[0]
        # Only the date folders of summaries come and go; the layout's own folders stay.
        while folder.removeprefix(f"{ARCHIVED}/").startswith(f"{_SUMMARIES}/"):
            try:
                os.rmdir(f"{self._root}/{folder}")
            except OSError:
                return
            self._close(folder)
            folder = folder.rpartition("/")[0]

    def set_aside(self, path: str) -> None:
        """Keep a file that is about to be written over, under a name that no walk takes for a memory."""
        try:
            with self._at(path) as (folder, name):
                number, target = 1, f"{name}.bak"
                while folder.look(target) is not None:
                    number += 1
                    target = f"{name}.bak{number}"
                folder.rename(name, target)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _not_written(self.absolute(path), error) from error


def path_for(record: Record, taken: Callable[[str], bool]) -> str:
    """Where a record's file belongs, by a readable name that nobody has: `taken` says which are."""
    folder, name = folder_for(record), slug(record.title) or record.id
    path, number = f"{folder}/{name}.md", 1
    while taken(path):
        number += 1
        path = f"{folder}/{name}-{number}.md"
    return path


def folder_for(record: Record) -> str:
    """The folder a record's file belongs in, by primitive and status."""
    folder = record.primitive.traits.folder
    if record.primitive is Primitive.SUMMARY:
        day = re.sub(r"\D", "", record.date or "") or record.created.strftime("%Y%m%d")
        clock = re.sub(r"\D", "", record.time or "") or record.created.strftime("%H%M%S")
        folder = f"{folder}/{day[:8]}/{clock[:6]}"
    return f"{ARCHIVED}/{folder}" if record.status is Status.ARCHIVED else folder


def place_of(path: str) -> tuple[Primitive, bool]:
    """Which primitive lies at `path`, and whether it is archived."""
    first, _, rest = path.partition("/")
    archived = first == ARCHIVED
    return FOLDERS[rest.partition("/")[0] if archived else first], archived


@lru_cache(maxsize=4096)  # Asked twice of every record of an import.
def slug(title: str) -> str:
    """A file name for a title: lower case, dashes, safe on every system; empty when it has no letter or digit."""
    folded = title.lower() if title.isascii() else _folded(title)
    name = _BETWEEN.sub("-", folded.replace("'", "")).strip("-")
    if not title.isascii() and _letters(name) * 2 < _letters(title):
        # Written in another script: its own letters are more readable than what is left in ASCII.
        name = _own_script(unicodedata.normalize("NFC", title.casefold()))
    name = _cut(name)
    return f"{name}-memory" if name in _RESERVED else name


_BETWEEN = compile_later(r"[^a-z0-9]+")


def _folded(title: str) -> str:
    return unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()


def _letters(text: str) -> int:
    return sum(character.isalnum() for character in text)


def _own_script(text: str) -> str:
    """Letters and digits of any script, each with the marks that belong to it: Hindi and Thai write vowels so."""
    name = ""
    for character in text:
        mark = unicodedata.category(character)[0] == "M" and name[-1:] not in {"", "-"}
        name += character if mark or character.isalnum() else "-"
    return re.sub("-+", "-", name).strip("-")


def _cut(name: str) -> str:
    """At most MAX_SLUG characters and twice as many bytes, at a word's end where there is one."""
    if len(name) > MAX_SLUG:
        head = name[: MAX_SLUG + 1].rpartition("-")[0]
        name = head if len(head) > MAX_SLUG // 2 else name[:MAX_SLUG]
    return name.encode()[: 2 * MAX_SLUG].decode("utf-8", "ignore").strip("-")


def holds_memories(folder: str) -> bool:
    parts = folder.split("/")[:-1]
    if parts[:1] == [ARCHIVED]:
        parts = parts[1:]
    if parts[:1] == [_SUMMARIES]:
        return len(parts) <= 3
    return len(parts) == 1 and parts[0] in FOLDERS


def _open_to_list(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """What lies in a folder. Through a descriptor where a system knows that: then no `stat` has a path to walk down."""
    return (
        _entries_of(os.open(path, os.O_RDONLY | os.O_DIRECTORY)) if os.scandir in os.supports_fd else os.scandir(path)
    )


@contextmanager
def _entries_of(descriptor: int) -> Iterator[Iterator[os.DirEntry[str]]]:
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)


def _leads_to_a_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # It leads to itself.
        return False


def _is_text(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _keep_mode(folder: openat.Folder, old: str, new: str) -> None:
    """Whoever changed a file's mode meant it."""
    found = folder.look(old)
    with contextlib.suppress(OSError):
        if found is not None and stat.S_ISREG(found.st_mode):
            with folder.open(new) as file:
                os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))


def _not_written(path: Path, error: OSError) -> FileNotWritten:
    full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    hint = "free some space, then try again" if full else f"check the permissions of {path.parent}"
    return FileNotWritten(f"cannot write {path}: {error.strerror}; nothing was changed", hint=hint)


def temp_path(path: str, tag: str) -> str:
    """Where the file for `path` lies until it is put in place."""
    return f"{path.rpartition('/')[0]}/{TEMP_PREFIX}{tag}{TEMP_SUFFIX}"


def temp_tag(temp: str) -> str:
    """The tag a leftover was prepared under."""
    return temp.rpartition("/")[2][len(TEMP_PREFIX) : -len(TEMP_SUFFIX)]
