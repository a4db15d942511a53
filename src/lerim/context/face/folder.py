"""A memory folder on disk: where a record's file belongs, what is there now, and how a file is written whole or not."""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lerim.context.records import LESSONS, Primitive, Record, Status
from lerim.errors import FileNotWritten

ARCHIVED = "archived"
#: Which primitive lies in which folder.
FOLDERS = {primitive.traits.folder: primitive for primitive in Primitive}
_SUMMARIES = Primitive.SUMMARY.traits.folder
_OUTSIDE = f"lies outside {' and '.join(f'{lesson.traits.folder}/' for lesson in LESSONS)}; move it there"

README = "README.md"
MAX_SLUG = 60
TEMP_PREFIX = ".lerim-"
TEMP_SUFFIX = ".tmp"
# Names Windows keeps for devices, with any extension; and the one file that explains a folder instead of being in it.
_RESERVED = {"readme", "con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


#: The line of the frontmatter that says whose file it is, for those who need no more.
ID_LINE = re.compile(rb"^id:[ \t]*['\"]?([a-z]+-[a-z2-7]+)['\"]?[ \t]*\r?$", re.MULTILINE)

#: What one `stat` says of a file: mtime_ns, size, inode. A plain tuple: a walk makes one per file.
FileState = tuple[int, int, int]


@dataclass
class Listing:
    """What a walk through the folder found."""

    files: dict[str, FileState]
    #: Files of ours that a crash left behind, by path.
    temps: list[str]
    #: What cannot be a memory where it lies: path and why.
    strays: dict[str, str]


class MemoryFolder:
    """The folder `<repo>/.lerim/memory` or `~/.lerim/memory`. Paths are relative to it, with `/`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = str(root)

    def exists(self) -> bool:
        return self.root.is_dir()

    def absolute(self, path: str) -> Path:
        return self.root / path

    def scan(self) -> Listing:
        """Every memory file with its state. Links are not followed: what lies elsewhere is not ours to read."""
        listing = Listing({}, [], {})
        self._walk("", listing)
        return listing

    def _walk(self, folder: str, listing: Listing) -> None:
        try:
            entries = os.scandir(f"{self._root}/{folder}")
        except FileNotFoundError:
            return
        except OSError as error:
            listing.strays[folder.rstrip("/")] = f"cannot be read: {error.strerror}"
            return
        files, ours = listing.files, _holds_memories(folder)
        with entries:
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
                        files[folder + name] = found.st_mtime_ns, found.st_size, found.st_ino
                    elif name != README:
                        listing.strays[folder + name] = _OUTSIDE
                elif entry.is_dir(follow_symlinks=False):
                    self._walk(f"{folder}{name}/", listing)
                elif entry.is_symlink() and (name.endswith(".md") or entry.is_dir()):
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
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self, path: str) -> bytes:
        # O_NOFOLLOW: the link check and the read must be one step, or a swapped file could point anywhere.
        descriptor = os.open(f"{self._root}/{path}", os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def prepare(self, path: str, data: bytes, tag: str, *, sync: bool = True) -> str:
        """Write `data` beside where it will stand. Raises FileNotWritten; nothing is left behind then."""
        temp = temp_path(path, tag)
        try:
            self._make(path.rpartition("/")[0])
            descriptor = self._create(temp)
            try:
                _write_all(descriptor, data)
                if sync:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.remove(temp)
            raise _not_written(self.absolute(path), error) from error
        return temp

    def _create(self, path: str) -> int:
        # O_EXCL makes the file ours: a link planted under this name is not followed, and a leftover goes first.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            return os.open(f"{self._root}/{path}", flags, 0o644)
        except FileExistsError:
            self.remove(path)
            return os.open(f"{self._root}/{path}", flags, 0o644)

    def publish(self, temp: str, path: str, *, replaces: bool) -> bool:
        """Put a prepared file in its place. False when something stands there that it must not replace."""
        source, target = f"{self._root}/{temp}", f"{self._root}/{path}"
        try:
            if replaces:
                os.replace(source, target)
                return True
            try:
                os.link(source, target)
            except FileExistsError:
                return False
            except OSError as error:
                # File systems without hard links (FAT, some network mounts): the check and the rename are two steps.
                if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}:
                    raise
                if os.path.lexists(target):
                    return False
                os.rename(source, target)
                return True
            os.unlink(source)
        except OSError as error:
            raise _not_written(self.absolute(path), error) from error
        return True

    def remove(self, path: str) -> None:
        """Remove a file and the folders that it leaves empty. Not there: nothing to do."""
        try:
            os.unlink(f"{self._root}/{path}")
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
            folder = folder.rpartition("/")[0]

    def set_aside(self, path: str) -> None:
        """Keep a file that is about to be written over, under a name that no walk takes for a memory."""
        source, number = f"{self._root}/{path}", 1
        target = f"{source}.bak"
        while os.path.lexists(target):
            number += 1
            target = f"{source}.bak{number}"
        try:
            os.rename(source, target)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _not_written(self.absolute(path), error) from error

    def _make(self, folder: str) -> None:
        """Make the folder, step by step: a `decisions` that links elsewhere would let a memory leave its folder."""
        target = self._root
        for part in folder.split("/"):
            target = f"{target}/{part}"
            try:
                mode = os.lstat(target).st_mode
            except FileNotFoundError:
                os.makedirs(target, exist_ok=True)
            else:
                if not stat.S_ISDIR(mode):
                    raise FileNotWritten(
                        f"{target} is not a folder but a link or a file; nothing was changed",
                        hint=f"replace {target} by a folder",
                    )


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


def slug(title: str) -> str:
    """A file name for a title: lower case, dashes, safe on every system; empty when it has no letter or digit."""
    folded = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", folded.replace("'", "")).strip("-")
    if not title.isascii() and _letters(name) * 2 < _letters(title):
        # Written in another script: its own letters are more readable than what is left in ASCII.
        name = _own_script(unicodedata.normalize("NFC", title.casefold()))
    name = _cut(name)
    return f"{name}-memory" if name in _RESERVED else name


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


def _holds_memories(folder: str) -> bool:
    parts = folder.split("/")[:-1]
    if parts[:1] == [ARCHIVED]:
        parts = parts[1:]
    if parts[:1] == [_SUMMARIES]:
        return len(parts) <= 3
    return len(parts) == 1 and parts[0] in FOLDERS


def _is_text(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


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
