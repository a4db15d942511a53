"""The projects of a store that several machines share. Everybody knows a project by its repository; where it lies, and
whether its files are trusted, is each machine's own business and noted there.

What is asked about this machine is answered from its notes, so that it is known while the server is silent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from lerim.config.identity import identity_of, is_same, remote_of
from lerim.context.places import Membership, NotedPlaces, follow_names
from lerim.context.projects import GLOBAL, Project, Projects, ProjectTrust, global_of
from lerim.context.records import Clock, time_text, utc_now
from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, NotFound, StoreUnreachable
from lerim.storage.database import Database, Row
from lerim.storage.entries import entries

_T = TypeVar("_T")
_SELECT = "SELECT id, name, root FROM projects"
#: A store that was never met: nothing is noted of it.
_NONE = ""
#: Where a machine keeps what it needs of a project that it has no clone of, below Lerim's home.
ELSEWHERE = "projects"


@dataclass(frozen=True)
class SharedProject:
    """A project as all machines know it: `key` is its repository, or stands for a folder of one machine."""

    id: str
    name: str
    key: str
    #: Where it lies on this machine; None when it does not.
    here: Project | None


@entries
class SharedProjects(Projects):
    """The projects of a shared store, and where they lie on this machine."""

    is_shared = True

    def __init__(
        self,
        database: Database,
        local: Database,
        home: Path,
        membership: Callable[[], Membership],
        salt: Callable[[], bytes],
        clock: Clock = utc_now,
        named: Callable[[], frozenset[Path]] = frozenset,
    ) -> None:
        """`membership` says which store it is; `salt` tells this machine's folders from all others."""
        super().__init__(database, home, clock, named)
        self._local = local
        self._membership = membership
        self._salt = salt

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._local.guarded(work)

    @property
    def global_id(self) -> str:
        return global_of(self._membership().person)

    # What this machine knows by itself

    def all(self) -> list[Project]:
        """Every project that lies on this machine, by name; the global memory is not listed."""
        with self._noted() as places:
            found = places.all()
        return [self._believed(project) for project in found if not project.is_global]

    def at(self, root: Path) -> Project | None:
        if root.parent == self._home / ELSEWHERE:
            return self._standing_in(root)
        main = self.clones().get(root, root)
        with self._noted() as places:
            found = places.at(main)
        return self._believed(found) if found else None

    def former_roots(self) -> dict[Path, Path]:
        """Folders that belong to a project, and where that one lies: where it was before, and further clones."""
        with self._noted() as places:
            return {alias.root: alias.main for alias in places.aliases()}

    def clones(self) -> dict[Path, Path]:
        """Further clones of projects on this machine, each as it was when it was noted, and where the project lies."""
        with self._noted() as places:
            found = places.aliases()
        return {one.root: one.main for one in found if is_same(one.identity, identity_of(one.root))}

    def set_trust(self, project: Project, trust: ProjectTrust) -> Project:
        said = replace(project, said=trust, identity=identity_of(project.root))
        with self._noting() as places:
            places.keep(said)
        return said

    # What all machines know

    def find(self, name: str) -> Project:
        """A project by name, id or path; one that does not lie here, too. Raises NotFound, or Conflict."""
        here = self.at(Path(name).expanduser().resolve()) or next(
            (one for one in (*self.all(), *self._global_here()) if one.id == name), None
        )
        if here is not None:
            return here
        found = [one for one in self.everywhere() if name in (one.id, one.name)]
        if not found:
            raise NotFound(f"no project '{name}'", hint="lerim project list")
        if len(found) > 1:
            keys = ", ".join(one.key for one in found)
            raise Conflict(f"several projects are called '{name}': {keys}", hint="name it by its id")
        return found[0].here or self._elsewhere(found[0])

    def elsewhere(self) -> list[Project]:
        found = [one for one in self.everywhere() if one.here is None]
        return [self._elsewhere(one) for one in found if one.id != self.global_id]

    def everywhere(self) -> list[SharedProject]:
        """Every project of the store that this user may see, by name, and the user's own global memory."""
        with self._database.read() as tx:
            rows = tx.rows(f"{_SELECT} WHERE id NOT LIKE ? OR id = ? ORDER BY name, id", ("global-%", self.global_id))
        with self._noted() as places:
            here = {project.id: project for project in places.all()}
        return [
            SharedProject(project_id, name, key, self._believed(here[project_id]) if project_id in here else None)
            for project_id, name, key in rows
        ]

    def add(self, root: Path, name: str | None = None) -> Project:
        known = self.at(root)
        if known is not None and name in (None, known.name):
            return known
        key = self._key(root)
        row = self._known_by(key)
        if row is None:
            default = GLOBAL if root == self._home else root.name or str(root)
            row = self._founded(self.global_id if root == self._home else _new_id(), key, name or default)
        if name not in (None, row[1]):
            with self._database.write(row[0]) as tx:
                tx.run("UPDATE projects SET name = ? WHERE id = ?", (name, row[0]))
            row = (row[0], name, key)
        return self._place_at(root, row)

    def _known_by(self, key: str) -> Row | None:
        with self._database.read() as tx:
            return tx.row(f"{_SELECT} WHERE root = ?", (key,))

    def _founded(self, project_id: str, key: str, name: str) -> Row:
        """A new project; the one that another machine made at the same moment, when there is one."""
        with self._database.write(project_id) as tx:
            sql = "INSERT INTO projects (id, root, name, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
            tx.run(sql, (project_id, key, name, time_text(self._clock())))
            row = tx.row(f"{_SELECT} WHERE root = ?", (key,))
        if row is None:
            raise Conflict(f"the project of {key} is not yours to see", hint="lerim team whoami")
        return row

    def register(self, project: Project) -> Project:
        key = self._key(project.root)
        if self._known_by(key) is None:
            self._founded(project.id, key, project.name)
        return self.add(project.root)

    def join(self, root: Path, name: str) -> Project:
        """Tie a folder to a project of the store by hand, where nothing else tells. Raises NotFound, Conflict."""
        known = self.at(root)
        found = [one for one in self.everywhere() if name in (one.id, one.name) and one.id != self.global_id]
        if len(found) != 1:
            self.find(name)
            raise NotFound(f"no project '{name}'", hint="lerim project list")
        if known is not None and known.id != found[0].id and self.only_in_store(known):
            raise Conflict(
                f"{root} has a memory of its own: the project {known.name}",
                hint=f"take it along first: lerim memory export {known.name}.jsonl",
            )
        return self._place_at(root, (found[0].id, found[0].name, found[0].key))

    def adopt(self, root: Path) -> Project | None:
        """The project of a folder that this machine does not know yet: another one may have registered it."""
        row = self._known_by(self._key(root))
        return super().adopt(root) if row is None else self._place_at(root, row)

    def moved_to(self, root: Path) -> Project | None:
        """A repository is known by its address wherever it lies: nothing has to be guessed by its files."""
        return None

    def remove(self, project: Project) -> None:
        super().remove(project)
        with self._noting() as places:
            places.forget(project.id)

    def refresh(self) -> None:
        """Note how projects are called by now, and forget those that are not this user's to see any more."""
        follow_names(self._database, self._local, self._membership().store)

    @contextmanager
    def _noted(self) -> Iterator[NotedPlaces]:
        # First: who does not know yet which store it is has to ask, and note it.
        try:
            store = self._membership().store
        except StoreUnreachable:
            store = _NONE
        with self._local.read() as local:
            yield NotedPlaces(local, store)

    @contextmanager
    def _noting(self) -> Iterator[NotedPlaces]:
        store = self._membership().store
        with self._local.write() as local:
            yield NotedPlaces(local, store)

    def _global_here(self) -> list[Project]:
        found = self.at(self._home)
        return [found] if found else []

    def _believed(self, project: Project) -> Project:
        return replace(project, said=ProjectTrust.TRUSTED, identity="") if project.root in self._named() else project

    def _standing_in(self, root: Path) -> Project | None:
        """The project of a folder of ours that stands in for a clone."""
        found = next((one for one in self.everywhere() if one.id == root.name), None)
        return self._elsewhere(found) if found else None

    def _elsewhere(self, found: SharedProject) -> Project:
        """One that does not lie here, with a folder of ours for what work on it needs."""
        return Project(found.id, self._home / ELSEWHERE / found.id, found.name)

    def _place_at(self, root: Path, row: Row) -> Project:
        """Note that a project lies here. A folder beside the one it has already is one more clone of it."""
        project_id, name, _ = row
        with self._noting() as places:
            before = places.find(project_id)
            if before is not None and before.root != root and before.root.exists() and before.root != self._home:
                places.keep_alias(root, project_id, identity_of(root))
                return self._believed(replace(before, name=name))
            said, identity = ProjectTrust(self._first_trust(root)), identity_of(root)
            if before is not None and before.root == root:
                said, identity = before.said, before.identity
            project = Project(project_id, root, name, said, identity)
            places.keep(project)
            if before is not None and before.root != root:
                places.keep_alias(before.root, project_id, before.identity)
            if before is None or before.root != root:
                # Its files are others now: that some are missing here does not mean that anybody deleted them.
                places.forget_files(project_id)
        return self._believed(project)

    def _key(self, root: Path) -> str:
        if root == self._home:
            return person_key(self._membership().person)
        return repository_key(root) or folder_key(root, self._salt())


def person_key(person: str) -> str:
    """What a person's own memory is known by to all machines."""
    return f"person:{person}"


def repository_key(root: Path) -> str | None:
    """What a folder is known by to all machines: its repository, and where in it; None when it is in none."""
    for above in (root, *root.parents):
        remote = remote_of(above)
        if remote is not None and not remote.startswith(("/", ".", "~")):
            inside = root.relative_to(above).as_posix()
            return remote if inside == "." else f"{remote}#{inside}"
        with suppress(OSError):
            if (above / ".git").exists():
                break
    return None


def folder_key(root: Path, salt: bytes) -> str:
    """What stands for a folder that only one machine has."""
    from lerim.digests import blake2b  # Start-up: most folders are repositories.

    return f"folder:{blake2b(str(root).encode(), key=salt, digest_size=16).hexdigest()}"


def _new_id() -> str:
    return f"prj-{os.urandom(5).hex()}"
