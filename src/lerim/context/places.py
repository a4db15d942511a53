"""Where the projects of a shared store lie on this machine, noted in its own database: no other machine knows."""

from __future__ import annotations

from pathlib import Path

from lerim.context.face.known_files import KnownFiles
from lerim.context.feed import Followed
from lerim.context.projects import Project, ProjectTrust
from lerim.dataclass import dataclass
from lerim.storage.database import Database, Row, Transaction

_SELECT = "SELECT project_id, root, name, trust, identity FROM project_places WHERE store = ?"
_KEEP = "INSERT INTO project_places (store, project_id, root, name, trust, identity) VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Membership:
    """Which store this machine shares, and who its user is there."""

    store: str
    person: str


@dataclass(frozen=True)
class PlaceAlias:
    """A folder that belongs to a project that lies in another one, and which folder that was."""

    root: Path
    main: Path
    identity: str


class NotedPlaces:
    """The places of one store, inside a transaction on the local database."""

    def __init__(self, local: Transaction, store: str) -> None:
        self._local = local
        self._store = store

    def all(self) -> list[Project]:
        return [_project(row) for row in self._local.rows(f"{_SELECT} ORDER BY name, root", (self._store,))]

    def at(self, root: Path) -> Project | None:
        """The project that lies in a folder."""
        row = self._local.row(f"{_SELECT} AND root = ?", (self._store, str(root)))
        return _project(row) if row else None

    def find(self, project_id: str) -> Project | None:
        row = self._local.row(f"{_SELECT} AND project_id = ?", (self._store, project_id))
        return _project(row) if row else None

    def keep(self, project: Project) -> None:
        """Note where a project lies, instead of whatever was noted of it or of the folder."""
        root = str(project.root)
        for table in ("project_places", "project_aliases"):
            self._local.run(f"DELETE FROM {table} WHERE store = ? AND root = ?", (self._store, root))
        self._local.run("DELETE FROM project_places WHERE store = ? AND project_id = ?", (self._store, project.id))
        values = (self._store, project.id, root, project.name, str(project.said), project.identity)
        self._local.run(_KEEP, values)

    def keep_alias(self, root: Path, project_id: str, identity: str) -> None:
        """Note that another folder belongs to a project."""
        self._local.run(
            "INSERT INTO project_aliases (store, root, project_id, identity) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (store, root) DO UPDATE SET project_id = excluded.project_id, identity = excluded.identity",
            (self._store, str(root), project_id, identity),
        )

    def aliases(self) -> list[PlaceAlias]:
        """Folders that belong to a project, and where that one lies."""
        sql = (
            "SELECT a.root, p.root, a.identity FROM project_aliases a"
            " JOIN project_places p ON p.store = a.store AND p.project_id = a.project_id WHERE a.store = ?"
        )
        return [PlaceAlias(Path(row[0]), Path(row[1]), row[2]) for row in self._local.rows(sql, (self._store,))]

    def rename(self, project_id: str, name: str) -> None:
        sql = "UPDATE project_places SET name = ? WHERE store = ? AND project_id = ?"
        self._local.run(sql, (name, self._store, project_id))

    def forget(self, project_id: str) -> None:
        for table in ("project_places", "project_aliases"):
            self._local.run(f"DELETE FROM {table} WHERE store = ? AND project_id = ?", (self._store, project_id))

    def forget_files(self, project_id: str) -> None:
        """Have the files of a project met as for the first time."""
        KnownFiles(self._local, project_id).forget_all()
        Followed(self._local, project_id, "files").forget()


def membership_at(local: Transaction, address: str) -> Membership | None:
    """Which store was found at an address, and who this machine's user was there."""
    row = local.row("SELECT store, person FROM stores WHERE address = ?", (address,))
    return Membership(*row) if row else None


def keep_membership(local: Transaction, address: str, found: Membership) -> None:
    sql = "INSERT INTO stores (address, store, person) VALUES (?, ?, ?) ON CONFLICT (address)"
    local.run(
        f"{sql} DO UPDATE SET store = excluded.store, person = excluded.person", (address, found.store, found.person)
    )


def follow_names(shared: Database, local: Database, store: str) -> None:
    """Note how projects are called by now, and forget those that are not in the store any more, or not this user's to
    see."""
    with local.read() as tx:
        noted = NotedPlaces(tx, store).all()
    if not noted:
        return
    with shared.read() as tx:
        names: dict[str, str] = dict(tx.rows("SELECT id, name FROM projects"))
    stale = [project for project in noted if names.get(project.id) != project.name]
    if stale:
        with local.write() as tx:
            places = NotedPlaces(tx, store)
            for project in stale:
                places.rename(project.id, names[project.id]) if project.id in names else places.forget(project.id)


def carry_places(local: Transaction, old: str, new: str) -> None:
    """What is known of the folders of one store, for the one that took its place. What is known of that one stays."""
    for table in ("project_places", "project_aliases"):
        known = f"SELECT root FROM {table} WHERE store = ?"
        local.run(f"UPDATE OR IGNORE {table} SET store = ? WHERE store = ? AND root NOT IN ({known})", (new, old, new))


def _project(row: Row) -> Project:
    return Project(row[0], Path(row[1]), row[2], ProjectTrust(row[3]), row[4])
