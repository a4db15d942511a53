"""Where something new would appear: for whoever wants to hear of it instead of looking all the time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from lerim.sessions.session import unstored_path
from lerim.sources.base import Machine, Source
from lerim.storage.database import Database

_NEWEST = "SELECT path FROM containers WHERE gone = 0 AND mtime_ns IS NOT NULL ORDER BY mtime_ns DESC LIMIT ?"
#: Files whose folders are looked at; what is older is hardly ever written to again.
_MOST_FILES = 20_000


class WatchedPlaces(NamedTuple):
    """What to hear of: all that is written to some folders and files, and some names that appear in other folders."""

    paths: tuple[str, ...] = ()
    born: Mapping[str, frozenset[str]] = {}

    def has_appeared(self) -> bool:
        """Whether one of those names is there already: nobody will hear of it then."""
        return any(_exists(Path(folder, name)) for folder, names in self.born.items() for name in names)


def watched_places(
    database: Database, sources: Iterable[Source], machine: Machine, busy: Collection[Path], limit: int
) -> WatchedPlaces:
    """The folders of the newest sessions and those above them, up to the agent's own; of sessions in a `busy` folder,
    which others write to all day, only their files. Of an agent that is not there, the folder it would appear in."""
    roots = {root for source in sources for root in source.roots(machine)}
    with database.read() as tx:
        files = [unstored_path(row[0]) for row in tx.rows(_NEWEST, (_MOST_FILES,))]
    found: dict[Path, None] = {}
    born: dict[str, set[str]] = {}
    for root in sorted(roots):  # Each is looked at once: one that appears meanwhile is in one of the two.
        if (place := _missing(root)) is not None:
            born.setdefault(str(place.parent), set()).add(place.name)
        elif root not in busy:
            found[root] = None
    for file in files:
        if len(found) >= limit:
            break
        found.update(dict.fromkeys([file] if file.parent in busy else _up_to(file.parent, roots)))
    return WatchedPlaces(
        tuple(map(str, list(found)[:limit])), {folder: frozenset(names) for folder, names in born.items()}
    )


def _up_to(folder: Path, roots: Collection[Path]) -> list[Path]:
    """A folder and those above it, up to the root that it lies in; only itself when it lies in none."""
    above = [folder, *folder.parents]
    last = next((at for at, one in enumerate(above) if one in roots), 0)
    return above[: last + 1]


def _missing(root: Path) -> Path | None:
    """What would appear first if a root did: the topmost part of its path that is not there. None when it is there."""
    missing = None
    for one in (root, *root.parents):
        if _exists(one):
            break
        missing = one
    return missing


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # Not ours to see.
