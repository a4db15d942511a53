"""Which project a path belongs to, and which memory a scope reads and writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from enum import StrEnum
from pathlib import Path
from typing import Literal, NamedTuple

from lerim.dataclass import dataclass
from lerim.errors import ScopeError
from lerim.openat import LERIM

_CHANGE_MODE = 'set memory.scope = "project_fallback_global" (lerim config show names the file that sets it)'
_START_PROJECT = "lerim init"
#: The file of the Context Store in a Lerim home.
STORE = "context.sqlite3"


class ScopeMode(StrEnum):
    """Where memories are looked for and kept."""

    PROJECT_FALLBACK_GLOBAL = "project_fallback_global"
    PROJECT_ONLY = "project_only"
    GLOBAL_ONLY = "global_only"


@dataclass(frozen=True)
class Scope:
    """The memory one command works with. A root is a project's folder, or `home` for the global memory."""

    mode: ScopeMode
    #: The project's root folder; None outside any project.
    project: Path | None
    home: Path

    @property
    def reads(self) -> tuple[Path, ...]:
        """The roots to read, the preferred one first. Raises ScopeError when the mode leaves none."""
        match self.mode:
            case ScopeMode.GLOBAL_ONLY:
                return (self.home,)
            case ScopeMode.PROJECT_ONLY:
                return (self._project(),)
            case ScopeMode.PROJECT_FALLBACK_GLOBAL:
                return (self.home,) if self.project is None else (self.project, self.home)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read: `project_only`, outside any project."""
        return self.mode is ScopeMode.PROJECT_ONLY and self.project is None

    def writes(self, wanted: Literal["project", "global"] | None = None) -> Path:
        """The root to write to: the `wanted` one, else the one read first. Raises ScopeError if the mode forbids it."""
        if wanted is None:
            return self.reads[0]
        if wanted == "global":
            return self._global()
        if self.mode is ScopeMode.GLOBAL_ONLY:
            raise ScopeError("memory.scope is 'global_only': no project memory is written", hint=_CHANGE_MODE)
        return self._project()

    def _global(self) -> Path:
        if self.mode is ScopeMode.PROJECT_ONLY:
            raise ScopeError("memory.scope is 'project_only': the global memory is not written", hint=_CHANGE_MODE)
        return self.home

    def _project(self) -> Path:
        if self.project is None:
            raise ScopeError("this folder belongs to no project", hint=_START_PROJECT)
        return self.project


def lerim_dir(root: Path, home: Path) -> Path:
    """The folder Lerim keeps its files in: `home` itself for the global root, else the project's `.lerim`.

    People may keep their home elsewhere behind a link; it is resolved, since below a `.lerim` none is followed.
    """
    return _resolved(home) if root == home else root / LERIM


def memory_dir(root: Path, home: Path) -> Path:
    """The folder of a root's memory files."""
    return lerim_dir(root, home) / "memory"


def foreign_store(root: Path) -> Path | None:
    """A store in a project's `.lerim`, where none belongs: only a Lerim home has one, and that is no project."""
    store = root / LERIM / STORE
    return store if os.path.lexists(store) and not store.parent.is_symlink() else None


def refusal(root: Path, home: Path, other_home: Path | None = None) -> str | None:
    """Why a folder cannot be a project; None when it can."""
    if not root.is_dir():
        return f"{root} is not a folder"
    folder = _resolved(root)
    if _is_global(folder, _Homes.of(home, other_home)):
        return f"{root} holds Lerim's own folder and cannot be a project"
    if folder == Path(folder.anchor) or folder in _shared_folders():
        return f"{root} is everybody's and cannot be a project"
    store = foreign_store(root)
    return f"{store} looks like Lerim's store, so {root} cannot be a project" if store else None


def _shared_folders() -> set[Path]:
    """Where programs of all kinds put what they need for a while."""
    named = [os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]
    return {_resolved(Path(folder)) for folder in (*named, "/tmp", "/var/tmp", "/private/tmp")}


def refuse_repository(home: Path, user: Path, cwd: Path) -> None:
    """Raises ScopeError when a new store would come to lie in the repository here, where `git add` takes it along.

    The user's own home directory may be in git: people keep their settings so. And what encloses both where they stand
    and where they live is nobody's project, as in `locate`.
    """
    tree = _git_root(_resolved(cwd), _Homes.of(home, None))
    if tree is not None and tree != _resolved(user) and _resolved(home).is_relative_to(tree):
        raise ScopeError(
            f"{home} lies in the repository {tree}, where no store is made",
            hint="set HOME to your home directory, or LERIM_HOME to a folder outside of the repository",
        )


class _Homes(NamedTuple):
    """The Lerim home, and the folders that are no project because a Lerim home is theirs; resolved."""

    home: Path
    kept: frozenset[Path]

    @classmethod
    def of(cls, home: Path, other: Path | None) -> _Homes:
        folders = [home] if other is None else [home, other]
        # By where it lies, not where it leads: a clone can bring a link that leads to the user's home.
        around = [folder.parent for folder in folders if folder.name == LERIM]
        return cls(_resolved(home), frozenset(map(_resolved, (*folders, *around))))


def locate(
    path: Path, registered: Iterable[Path], *, home: Path, separate_worktrees: bool, other_home: Path | None = None
) -> Path | None:
    """The root of the project `path` belongs to, symlinks resolved; None outside any project. `path` need not exist.

    The nearest registered project wins, then the git root, then the nearest folder that holds a memory; neither is
    looked for above the folder that `path` and `home` share: what encloses a user's own folder is not their project.
    All worktrees of a repository are the project of its main one, unless `separate_worktrees`. `other_home` is a Lerim
    home that is not in use: with LERIM_HOME elsewhere, ~/.lerim still does not make ~ a project.
    """
    place, homes = _resolved(path), _Homes.of(home, other_home)
    roots = {_resolved(root) for root in registered}
    tree = _git_root(place, homes)
    if tree is None:
        return _nearest(place, roots, homes) or _memory_root(place, homes)
    project = _registered(place, tree, roots, homes, separate_worktrees)
    if project is None:
        project = tree if separate_worktrees else _main_worktree(tree)
    return _memory_root(place, homes) if _is_global(project, homes) else project


def candidates(path: Path, home: Path) -> Iterator[Path]:
    """Every folder that `locate` would take for the project of `path` if it were registered."""
    place = _resolved(path)
    yield from (place, *place.parents)
    tree = _git_root(place, _Homes.of(home, None))
    if tree is not None and (main := _main_worktree(tree)) != tree:
        same = main / place.relative_to(tree)
        yield from (same, *same.parents)


def _registered(
    place: Path, tree: Path, roots: AbstractSet[Path], homes: _Homes, separate_worktrees: bool
) -> Path | None:
    """The registered project of a `place` inside the git worktree `tree`."""
    found, main = _nearest(place, roots, homes), _main_worktree(tree)
    if main == tree:
        # A submodule lies in another repository and is one of its own.
        return None if found and not found.is_relative_to(tree) and _is_submodule(tree) else found
    if separate_worktrees:
        # Agents keep worktrees inside the main one (.claude/worktrees/x): below it on disk, yet a project of their own.
        inherited = found and found.is_relative_to(main) and not found.is_relative_to(tree)
        return None if inherited else found
    if found and not main.is_relative_to(found):
        return found
    # The same folder in the main worktree: in a monorepo, a package may be a project within the repository's.
    return _nearest(main / place.relative_to(tree), roots, homes)


def _nearest(place: Path, roots: AbstractSet[Path], homes: _Homes) -> Path | None:
    return next((f for f in (place, *place.parents) if f in roots and not _is_global(f, homes)), None)


def _git_root(place: Path, homes: _Homes) -> Path | None:
    return next((folder for folder in _upward(place, homes) if _exists(folder / ".git")), None)


def _memory_root(place: Path, homes: _Homes) -> Path | None:
    folders = _upward(place, homes)
    return next((f for f in folders if _exists(f / LERIM / "memory") and not _is_global(f, homes)), None)


def _upward(place: Path, homes: _Homes) -> Iterator[Path]:
    """`place` and the folders above it, up to the first that encloses `home` too."""
    for folder in (place, *place.parents):
        yield folder
        if homes.home.is_relative_to(folder):
            return


def _is_global(root: Path, homes: _Homes) -> bool:
    """Whether the project folder of `root` would be the global one. People keep their home directory in git."""
    return root in homes.kept


def _main_worktree(tree: Path) -> Path:
    """The main worktree of the repository `tree` is linked to; `tree` itself when none is known."""
    pointer = _read(tree / ".git")
    if not pointer.startswith("gitdir:"):
        return tree
    git_dir = _resolved(tree / pointer.removeprefix("gitdir:").strip())
    common = _read(git_dir / "commondir").strip()
    if not common:  # a submodule, or a repository whose .git was moved away
        return tree
    shared = _resolved(git_dir / common)
    # Only git's own layout is believed: a made-up pointer must not put a cloned folder into somebody else's project.
    if git_dir.parent != shared / "worktrees" or not _is_pointed_at(git_dir, tree):
        return tree
    # Any other name is a bare repository among others (/srv/git/app.git); its parent is nobody's project.
    return shared.parent if shared.name in (".git", ".bare") else tree


def _is_submodule(tree: Path) -> bool:
    pointer = _read(tree / ".git")
    git_dir = _resolved(tree / pointer.removeprefix("gitdir:").strip())
    return pointer.startswith("gitdir:") and any(
        folder.name == "modules" and folder.parent.name == ".git" for folder in git_dir.parents
    )


def _is_pointed_at(git_dir: Path, tree: Path) -> bool:
    """Whether the repository knows this worktree. A clone can name any repository as its own, but not have it agree."""
    back = _read(git_dir / "gitdir").strip()
    return not back or _resolved(git_dir / back) == _resolved(tree / ".git")


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a symlink loop, a NUL in a path some trace recorded
        return path.absolute()


def _exists(path: Path) -> bool:
    # Path.exists raises on a folder we may not enter; to us that folder holds nothing.
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def _read(path: Path) -> str:
    """The text of a small file of git's; nothing when it is a folder, missing or unreadable."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            # A path in whatever encoding the file system uses, not necessarily UTF-8.
            return os.fsdecode(file.read(8192))
    except (OSError, ValueError):
        return ""
