"""Which project a session belongs to, from the directory it began in. Values in, values out; only the disk is asked.

A directory that still exists belongs to the project `locate` finds. One that is gone is matched by what is known of it:
a registered or former root above it, the project it was in when last seen, the repository's remote. A project that
merely has the same folder name is suggested to the user and never chosen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path, PureWindowsPath

from lerim.config.scope import locate
from lerim.dataclass import dataclass, field, replace
from lerim.private import OWN_CALL


@dataclass(frozen=True)
class Registered:
    """A registered project, as routing needs it. `remote` identifies a repository that moved."""

    id: str
    root: Path
    remote: str | None = None


@dataclass(frozen=True)
class FormerDirectory:
    """What a directory was when it last existed."""

    root: Path
    remote: str | None = None


@dataclass(frozen=True)
class Atlas:
    """Everything routing goes by."""

    projects: tuple[Registered, ...]
    #: Lerim's home, whose folder is no project.
    home: Path
    separate_worktrees: bool = False
    #: Former root → the root its project has now.
    aliases: Mapping[Path, Path] = field(default_factory=dict)
    places: Mapping[str, FormerDirectory] = field(default_factory=dict)
    #: The project for sessions that belong to none; None leaves them out.
    fallback: Registered | None = None
    #: A Lerim home that is not in use, whose folder is no project either.
    other_home: Path | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all projects that a session can belong to."""
        return tuple(project.id for project in (*self.projects, *([self.fallback] if self.fallback else [])))

    @cached_property
    def by_root(self) -> dict[Path, Registered]:
        # `locate` answers with resolved paths; a repository may have been moved, with a symlink left behind.
        real = {Path(os.path.realpath(project.root)): project for project in self.projects}
        return real | {project.root: project for project in self.projects}


class RouteBasis(StrEnum):
    """What a route rests on."""

    LOCATED = "its directory"
    ALIAS = "a former root of the project"
    REMEMBERED = "what its directory was when last seen"
    REMOTE = "the repository's remote"
    FALLBACK = "no project is certain"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Route:
    """Where a session goes, and why. Without a project, `folder` is what to add and `similar` what may be meant."""

    how: RouteBasis
    project: Registered | None = None
    folder: Path | None = None
    similar: Path | None = None


UNKNOWN = Route(RouteBasis.NOTHING)


def route(cwd: str | None, atlas: Atlas) -> Route:
    """The project of a session that began in `cwd`; when none is certain, the fallback, or no project."""
    if cwd and any(part.startswith(OWN_CALL) for part in Path(cwd).parts):
        # We asked an agent's program ourselves: that is no session of anybody's, for no memory.
        return UNKNOWN
    found = _certain(cwd, atlas)
    if found.project is None and atlas.fallback:
        return replace(found, how=RouteBasis.FALLBACK, project=atlas.fallback)
    return found


def _certain(cwd: str | None, atlas: Atlas) -> Route:
    if not cwd or "\0" in cwd:
        return UNKNOWN
    place = Path(cwd)
    if not place.is_absolute():
        place_here = _mounted(cwd)
        if place_here is None:
            # A relative path would be taken as relative to our own directory.
            return _route_foreign(PureWindowsPath(cwd), atlas) if _is_windows(cwd) else UNKNOWN
        place = place_here
    located = _locate(place, atlas)
    project = atlas.by_root.get(located) if located else None
    if _is_folder(place):
        return Route(RouteBasis.LOCATED, project) if project else Route(RouteBasis.NOTHING, folder=located or place)
    return _route_gone(place, project, atlas)


def _is_windows(cwd: str) -> bool:
    return PureWindowsPath(cwd).is_absolute()


def _mounted(cwd: str) -> Path | None:
    """Where a folder of Windows is in its own Linux: `C:\\app` is /mnt/c/app, `\\\\wsl$\\Ubuntu\\app` is /app."""
    named = PureWindowsPath(cwd)
    if not _is_windows(cwd):
        return None
    if named.drive.lower().startswith(("\\\\wsl$\\", "\\\\wsl.localhost\\")):
        found = Path("/", *named.parts[1:])
    else:
        found = Path("/mnt", named.drive[:1].lower(), *named.parts[1:])
    return found if _is_folder(found) else None


def _route_foreign(place: PureWindowsPath, atlas: Atlas) -> Route:
    """A folder of another system. What a person said about it counts; a project of its name may be meant."""
    roots = {PureWindowsPath(str(old)): new for old, new in atlas.aliases.items()}
    old_root = next((folder for folder in (place, *place.parents) if folder in roots), None)
    heir = atlas.by_root.get(roots[old_root]) if old_root else None
    if heir:
        return Route(RouteBasis.ALIAS, heir)
    known = atlas.places.get(str(place))
    twins = [p for p in atlas.projects if known and known.remote and p.remote == known.remote]
    if len(twins) == 1:
        return Route(RouteBasis.REMOTE, twins[0])
    names = [folder.name for folder in (place, *place.parents) if folder.name]
    return Route(RouteBasis.NOTHING, folder=Path(str(place)), similar=_of_name(names, atlas))


def _route_gone(place: Path, project: Registered | None, atlas: Atlas) -> Route:
    """The directory does not exist any more. The deeper of a registered and a former root above it wins."""
    old_root = next((folder for folder in (place, *place.parents) if folder in atlas.aliases), None)
    heir = atlas.by_root.get(atlas.aliases[old_root]) if old_root else None
    if old_root and heir and not (project and project.root.is_relative_to(old_root)):
        return Route(RouteBasis.ALIAS, heir)
    if project:
        return Route(RouteBasis.LOCATED, project)
    known = atlas.places.get(str(place))
    if known and known.root in atlas.by_root:
        return Route(RouteBasis.REMEMBERED, atlas.by_root[known.root])
    twins = [p for p in atlas.projects if known and known.remote and p.remote == known.remote]
    if len(twins) == 1:
        return Route(RouteBasis.REMOTE, twins[0])
    return Route(RouteBasis.NOTHING, folder=known.root if known else place, similar=_namesake(known, place, atlas))


def _namesake(known: FormerDirectory | None, place: Path, atlas: Atlas) -> Path | None:
    """The one project with the folder name of the lost root; without a known root, of any folder above the place."""
    return _of_name([known.root.name] if known else [folder.name for folder in (place, *place.parents)], atlas)


def _of_name(names: Iterable[str], atlas: Atlas) -> Path | None:
    for name in filter(None, names):
        found = [project.root for project in atlas.projects if project.root.name == name]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _locate(place: Path, atlas: Atlas) -> Path | None:
    return locate(
        place,
        atlas.by_root,
        home=atlas.home,
        separate_worktrees=atlas.separate_worktrees,
        other_home=atlas.other_home,
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
