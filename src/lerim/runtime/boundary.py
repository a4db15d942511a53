"""What the tools of a run may touch: the text of a path becomes a path, and a path is allowed or refused with a reason.

The rules on text are pure. What lies on disk is only examined, through `openat`; opening is safe by itself, so nothing
depends on what was checked here still being so. A check is for the message.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lerim.context.face.folder import ARCHIVED, FOLDERS
from lerim.context.records import Primitive
from lerim.errors import Refused
from lerim.openat import is_link, kind_of, reach
from lerim.runtime.roots import Roots

MAX_NAME = 255
MAX_PATH = 4096
_SHOWN = 200
_WINDOWS = os.name == "nt"


@dataclass(frozen=True)
class Refusal:
    """Why a path may not be read or written, in words for a model."""

    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Spot:
    """Where a path lies: a root, resolved when the run began, and the names that lead on from there."""

    root: Path
    names: tuple[str, ...]

    @property
    def folder(self) -> tuple[Path, tuple[str, ...]]:
        """What `reach` takes to get to the folder that holds it. A root may be a single file, too."""
        return (self.root, self.names[:-1]) if self.names else (self.root.parent, ())

    @property
    def name(self) -> str:
        return self.names[-1] if self.names else self.root.name


def resolve(text: str, start: Path) -> Path:
    """The path that `text` names, seen from `start`. Raises Refused.

    Text in, text out: `~` and `$VAR` are names like any other, and `..` takes back the name before it. No link is
    looked at. That is exact, since none is followed later either.
    """
    problem = _problem(text)
    if problem is not None:
        raise Refused(f"Cannot use {show(text)} as a path: {problem}.")
    return Path(os.path.normpath(start / text))


def _problem(text: str) -> str | None:
    if not text:
        return "it is empty"
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        return "it has control characters, or is not valid Unicode"
    # One rule on all systems: what only Windows reads as another path is refused everywhere, unless this is Windows.
    if text.startswith(("//", "\\\\")):
        return "network paths are not opened"
    if not _WINDOWS and (re.match(r"[A-Za-z]:($|[\\/])", text) or "\\" in text):
        return "write it with '/' and without a drive"
    names = re.split(r"[\\/]" if _WINDOWS else "/", text)
    if len(text.encode()) > MAX_PATH or any(len(name.encode()) > MAX_NAME for name in names):
        return "it is too long"
    if any(name.endswith((" ", ".")) and name not in {".", ".."} for name in names):
        return "a name ends with a dot or a space, which some systems drop"
    if _WINDOWS and any(":" in name for name in names[1:]):
        return "it names a stream of a file"
    return None


def check_read(path: Path, roots: Roots) -> Refusal | None:
    """None when `path` may be read: it is below a readable root, and no link, device, FIFO or socket."""
    spot = locate(path, roots, roots.readable)
    if spot is None:
        return Refusal(f"Cannot read {show(path)}: outside allowed roots. Readable paths: {_listed(roots.readable)}")
    try:
        found = _look(spot)
    except Refused as refused:
        return Refusal(f"Cannot read {show(path)}: {refused}.")
    if found is None or (not is_link(found) and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))):
        return None
    return Refusal(f"Cannot read {show(path)}: it is {kind_of(found)}.")


def check_write(path: Path, roots: Roots) -> Refusal | None:
    """None when `path` may be written: below the memory root or the run folder, and new or a plain file of its own."""
    spot = locate(path, roots, roots.writable)
    if spot is None:
        return Refusal(f"Cannot write {show(path)}: outside allowed roots. Writable paths: {_listed(roots.writable)}")
    if not spot.names:
        return Refusal(f"Cannot write {show(path)}: it is a folder.")
    try:
        require_replaceable(_look(spot))
    except Refused as refused:
        return Refusal(f"Cannot write {show(path)}: {refused}.")
    return None


def require_replaceable(found: os.stat_result | None) -> None:
    """Raises Refused unless there is nothing yet, or a regular file that has no other name."""
    if found is None:
        return
    if is_link(found) or not stat.S_ISREG(found.st_mode):
        raise Refused(f"it is {kind_of(found)}")
    if found.st_nlink > 1:
        # The other name may be anywhere. Whoever made it expects both to stay one file.
        raise Refused("it is a hard link: the same file has another name elsewhere")


def locate(path: Path, roots: Roots, allowed: Iterable[Path]) -> Spot | None:
    """Where `path` lies below one of `allowed`, as they are spelled or as they resolved; None when it is outside."""
    found = [
        Spot(real, path.relative_to(spelling).parts)
        for real, spelling in (
            (roots.real[root], spelling) for root in allowed for spelling in (root, roots.real[root])
        )
        if path.is_relative_to(spelling)
    ]
    return min(found, key=lambda spot: len(spot.names), default=None)


def memory_primitive(path: Path, memory_root: Path) -> Primitive | None:
    """Which kind of memory lies at `path`; None when it is none of them.

    Compared as the most forgiving file system would: one that ignores case, Unicode forms and invisible characters.
    """
    names, root = [*map(fold, path.parts)], [*map(fold, memory_root.parts)]
    if names[: len(root)] != root:
        return None
    inside = names[len(root) :]
    if inside[:1] == [ARCHIVED]:
        inside = inside[1:]
    return FOLDERS.get(inside[0]) if inside else None


def fold(name: str) -> str:
    """A name as a file system may see it that takes alike names for one."""
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold())


def show(path: Path | str) -> str:
    """A path in quotes for a message or a listing: one line, whatever its characters."""
    return f"'{plain(str(path))}'"


def plain(text: str) -> str:
    """Text on one line: control characters and broken ones are written out, so that no name can pass for output."""
    text = text if len(text) <= _SHOWN * 5 else f"{text[:_SHOWN]}… ({len(text)} characters)"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _look(spot: Spot) -> os.stat_result | None:
    """What is there; None when nothing is. Raises Refused when something on the way is no folder."""
    try:
        with reach(*spot.folder) as folder:
            return folder.look(spot.name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{error.strerror}") from error


def _listed(roots: Iterable[Path]) -> str:
    return ", ".join(map(str, roots)) or "none"
