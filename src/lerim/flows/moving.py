"""The memory from one place to another: between files and a server that several machines share, and how each stands."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.places import NotedPlaces
from lerim.context.projects import GLOBAL, Project, ProjectTrust, global_of, person_of
from lerim.context.shared_projects import ELSEWHERE, folder_key, person_key, repository_key
from lerim.dataclass import dataclass
from lerim.errors import LerimError, NotFound, UsageError
from lerim.flows.flow import Flow
from lerim.shared import SharedStore
from lerim.storage.database import Transaction, Value
from lerim.storage.depots import CONTEXT, NAMES, Depot, depot
from lerim.storage.postgres import PostgresDatabase

if TYPE_CHECKING:
    from lerim.storage.checkup import SchemaStep, StorageCheck
    from lerim.storage.copying import Renamed, Renaming
    from lerim.storage.moving import CopiedDatabase

#: Which sessions lie where is a machine's own business: they are copied between places of one kind only.
_SESSIONS = "sessions"
# What all machines know such a project by, noted where a folder's identity would stand.
_KEY = "key:"


@dataclass(frozen=True)
class StorageCopy:
    """What a copy came to, or would come to."""

    source: str
    target: str
    databases: tuple[CopiedDatabase, ...]
    #: What is wrong with the copy, in words.
    problems: tuple[str, ...] = ()
    is_dry: bool = False


@dataclass(frozen=True)
class StorageState:
    """Where the memory is kept, and how far each of its databases is."""

    where: Depot
    steps: tuple[SchemaStep, ...]
    #: Memories and projects; None when nobody can tell.
    records: int | None
    projects: int | None
    #: Why it cannot be used, and what to do.
    problem: LerimError | None = None


class Moving(Flow):
    """Where the memory is kept. None of it looks at the memory first: that may be what cannot be reached."""

    def here(self, named: str | None = None) -> Depot:
        """A place by its name; the one that the settings name without. Raises UsageError."""
        return depot(named or self._house.user_config.settings.storage.url or str(self._house.home))

    def state(self, named: str | None = None) -> StorageState:
        """How the place stands that keeps the memory. Nothing is made or changed."""
        from lerim.storage.checkup import schema_steps  # Start-up: few look at it.

        where = self.here(named)
        try:
            steps = tuple(schema_steps(where))
            with where.read(CONTEXT) as tx:
                return StorageState(where, steps, _count(tx, "records"), _count(tx, "projects"))
        except NotFound:
            return StorageState(where, steps, 0, 0)
        except LerimError as error:
            return StorageState(where, (), None, None, error)

    def check(self, named: str | None = None) -> list[StorageCheck]:
        """Everything that has to be right at a place."""
        from lerim.storage.checkup import checks  # As above.

        return checks(self.here(named))

    def upgrade(self, named: str | None = None) -> list[SchemaStep]:
        """Bring a place up to what this Lerim needs, for everybody who uses it: how far it was."""
        from lerim.storage.checkup import schema_steps  # As above.
        from lerim.storage.postgres import upgrade

        where = self.here(named)
        # Files are made when they are first needed.
        least = 0 if where.address else 1
        before = [step for step in schema_steps(where) if least <= step.found < step.needed]
        for step in before:
            if where.address is not None:
                upgrade(where.address, step.name)
            else:
                with where.open(step.name):
                    pass
        return before

    def copy(self, source: str, target: str, *, overwrite: bool = False, dry_run: bool = False) -> StorageCopy:
        """Copy all that one place keeps to another one, verified. Killed, it goes on where it stood when run again.

        Raises Conflict when there is something already, unless `overwrite` is asked: then it is kept aside.
        """
        from lerim.storage.moving import copy_database, is_empty, look, not_empty  # As above.

        there, here = depot(source), depot(target)
        names = self._names(there, here)
        if dry_run:
            if not overwrite and not is_empty(here, CONTEXT):
                raise not_empty(here)
            return StorageCopy(str(there), str(here), tuple(look(there, name) for name in names), is_dry=True)
        self._house.close()
        aside = self._house.home / "backups" / f"replaced-{self._house.stamp()}"
        done = []
        renaming = self._renaming(there, here) if CONTEXT in names else {}
        for name in names:
            keep_in = aside if overwrite else None
            done.append(copy_database(there, here, name, renaming, keep_in=keep_in, tell=self._tell))
        if CONTEXT not in names:
            return StorageCopy(str(there), str(here), tuple(done))
        self._note_places(there, here)
        return StorageCopy(str(there), str(here), tuple(done), tuple(_problems(here)))

    def _names(self, there: Depot, here: Depot) -> list[str]:
        if str(there) == str(here) and there == here:
            raise UsageError("both are the same place", hint="lerim storage copy FROM TO")
        names = [name for name in NAMES if there.has(name)]
        if not names or (CONTEXT not in names and not there.is_file):
            raise NotFound(f"there is no memory at {there}", hint="lerim storage status")
        if here.is_file:
            names = names[:1]
        if (there.address is None) != (here.address is None):
            names = [name for name in names if name != _SESSIONS]
        return names

    def _tell(self, name: str, table: str, rows: int) -> None:
        self._house.progress(f"copying {table}", rows, 0)

    # What a project is called: a path on one machine, the repository's address where several share it

    def _renaming(self, there: Depot, here: Depot) -> Renaming:
        if there.address is not None and here.address is not None:
            return {}
        with there.read(CONTEXT) as tx:
            tables = [table.name for table in tx.tables()]
            rows = [{name: str(value) for name, value in zip(_PROJECT, row, strict=True)} for row in tx.rows(_PROJECTS)]
        named = self._as_shared(rows, here) if here.address is not None else self._as_files(rows, there, here)
        ids = {old: str(new["id"]) for old, new in named.items()}
        return {**dict.fromkeys((*tables, *_BESIDES), _with_id(ids)), "projects": _with_names(named)}

    def _as_shared(self, rows: list[dict[str, str]], here: Depot) -> dict[str, dict[str, Value]]:
        person = self._person(here)
        named: dict[str, dict[str, Value]] = {}
        keys: set[str] = set()
        for row in sorted(rows, key=lambda row: row["created"]):
            is_own = row["id"] == GLOBAL
            key = person_key(person) if is_own else self._key_of(row, keys)
            named[row["id"]] = {"id": global_of(person) if is_own else row["id"], "root": key, **_NO_FOLDER}
            keys.add(key)
        return named

    def _key_of(self, row: Mapping[str, str], taken: Container[str]) -> str:
        from lerim.sources.gate import salt_of  # As above.

        root = Path(row["root"])
        key = row["identity"].removeprefix(_KEY) if row["identity"].startswith(_KEY) else repository_key(root)
        # Two clones on one machine are two projects there, and stay two.
        return key if key and key not in taken else folder_key(root, salt_of(self._house.home))

    def _as_files(self, rows: list[dict[str, str]], there: Depot, here: Depot) -> dict[str, dict[str, Value]]:
        home = here.path.parent if here.is_file else here.path
        own = global_of(self._person(there)) if there.address else GLOBAL
        places = {project.id: project for project in self._places(there)} if there.address else {}
        named: dict[str, dict[str, Value]] = {}
        for row in rows:
            project_id, place = row["id"], places.get(row["id"])
            if project_id == own:
                named[project_id] = {"id": GLOBAL, "root": str(home), **_NO_FOLDER}
            elif place is not None:
                folder = {"root": str(place.root), "trust": str(place.said), "identity": place.identity}
                named[project_id] = {"id": project_id, **folder}
            elif there.address is not None:
                root = str(home / ELSEWHERE / project_id)
                named[project_id] = {"id": project_id, "root": root, "trust": "trusted", "identity": _KEY + row["root"]}
            else:
                named[project_id] = {"id": project_id}
        return named

    def _person(self, where: Depot) -> str:
        """Who somebody is on a server."""
        assert where.address is not None
        with PostgresDatabase(where.address, CONTEXT).read() as tx:
            row = tx.row("SELECT current_user")
        return person_of(str(row[0])) if row else ""

    def _places(self, where: Depot) -> list[Project]:
        """Where the projects of a server lie on this machine."""
        membership = self._store_at(where).membership
        with self._house.local.read() as local:
            return NotedPlaces(local, membership.store).all()

    def _store_at(self, where: Depot) -> SharedStore:
        assert where.address is not None
        return SharedStore(where.address, self._house.local)

    def _note_places(self, there: Depot, here: Depot) -> None:
        """Have this machine know where its projects lie, and whether their files are trusted, as it did before."""
        if here.address is None or there.path != self._house.home:
            return
        store = self._store_at(here)
        store.open_context().close()
        with there.read(CONTEXT) as tx:
            rows = tx.rows("SELECT id, root, name, trust, identity FROM projects")
        with self._house.local.write() as local:
            for project_id, root, name, trust, identity in rows:
                own = project_id == GLOBAL
                if Path(root).is_dir():
                    known = global_of(store.membership.person) if own else project_id
                    place = Project(known, Path(root), name, ProjectTrust(trust), identity)
                    NotedPlaces(local, store.membership.store).keep(place)


# Tables beside the store's own that name projects.
_BESIDES = ("calls", "stops", "answers")
# What is said of a folder is each machine's own.
_NO_FOLDER: Mapping[str, Value] = {"trust": "trusted", "identity": ""}
_PROJECT = ("id", "root", "identity", "created")
_PROJECTS = f"SELECT {', '.join(_PROJECT)} FROM projects ORDER BY id"


def _with_id(ids: Mapping[str, str]) -> Renamed:
    def renamed(row: Mapping[str, Value]) -> Mapping[str, Value]:
        old = row.get("project_id")
        return {**row, "project_id": ids.get(old, old)} if isinstance(old, str) else row

    return renamed


def _with_names(named: Mapping[str, Mapping[str, Value]]) -> Renamed:
    return lambda row: {**row, **named.get(str(row["id"]), {})}


def _count(tx: Transaction, table: str) -> int:
    return int((tx.row(f"SELECT count(*) FROM {table}") or (0,))[0])


def _problems(where: Depot) -> list[str]:
    """What is wrong with a store that was copied: the same promises that a check of the memory looks at."""
    from lerim.context.upkeep import check_rows  # As above.

    with where.open(CONTEXT) as database:
        return [*database.problems(), *check_rows(database)]
