"""The memory from one place to another: between files and a server that several machines share, and how each stands."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.identity import remote_of
from lerim.context.projects import GLOBAL
from lerim.dataclass import dataclass
from lerim.errors import Conflict, LerimError, NotFound, UsageError
from lerim.flows.flow import Flow
from lerim.storage.database import Transaction, Value
from lerim.storage.depots import CONTEXT, NAMES, Depot, depot

if TYPE_CHECKING:
    from lerim.storage.checkup import SchemaStep, StorageCheck
    from lerim.storage.copying import Renamed, Renaming
    from lerim.storage.moving import CopiedDatabase

#: Which sessions lie where is a machine's own business: they are copied between places of one kind only.
_SESSIONS = "sessions"
#: Where a machine keeps what it needs of a project that it has no clone of, below Lerim's home.
_ELSEWHERE = "projects"
# What all machines know such a project by, noted where a folder's identity would stand.
_KEY = "key:"
_MEMBER = "lerim_m_"


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
        before = [step for step in schema_steps(where) if step.found < step.needed]
        for step in before:
            if where.address is not None:
                upgrade(where.address, step.name)
            elif step.found:
                with where.open(step.name):
                    pass
        return before

    def copy(self, source: str, target: str, *, overwrite: bool = False, dry_run: bool = False) -> StorageCopy:
        """Copy all that one place keeps to another one, verified. Killed, it goes on where it stood when run again.

        Raises Conflict when there is something already, unless `overwrite` is asked: then it is kept aside.
        """
        from lerim.storage.moving import copy_database, is_empty, look  # As above.

        there, here = depot(source), depot(target)
        names = self._names(there, here)
        if dry_run:
            if not overwrite and not is_empty(here, CONTEXT):
                raise _not_empty(here)
            return StorageCopy(str(there), str(here), tuple(look(there, name) for name in names), is_dry=True)
        self._house.close()
        aside = self._house.home / "backups" / f"replaced-{self._house.stamp()}"
        done = []
        for name in names:
            renaming = self._renaming(there, here) if name == CONTEXT else {}
            keep_in = aside if overwrite else None
            done.append(copy_database(there, here, name, renaming, keep_in=keep_in, tell=self._tell))
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
            rows = [dict(zip(_PROJECT, row, strict=True)) for row in tx.rows(_PROJECTS)]
        if here.address is not None:
            named = self._as_shared(rows, _person(here))
        else:
            named = self._as_files(rows, _person(there) if there.address else None, here)
        ids = {old: str(new["id"]) for old, new in named.items()}
        return {**dict.fromkeys(tables, _with_id(ids)), "projects": _with_names(named)}

    def _as_shared(self, rows: list[dict[str, Value]], person: str) -> dict[str, dict[str, Value]]:
        named: dict[str, dict[str, Value]] = {}
        taken: set[str] = set()
        for row in sorted(rows, key=lambda row: str(row["created"])):
            old, root = str(row["id"]), Path(str(row["root"]))
            if old == GLOBAL:
                named[old] = {"id": f"{GLOBAL}-{person}", "root": f"person:{person}"}
            else:
                key = str(row["identity"]).removeprefix(_KEY) if _is_key(row) else self._key_of(root)
                # Two clones on one machine are two projects there.
                named[old] = {"id": old, "root": key if key not in taken else self._folder_key(root)}
            taken.add(str(named[old]["root"]))
            named[old] |= {"trust": "trusted", "identity": ""}
        return named

    def _as_files(self, rows: list[dict[str, Value]], person: str | None, here: Depot) -> dict[str, dict[str, Value]]:
        home = here.path.parent if here.is_file else here.path
        named: dict[str, dict[str, Value]] = {}
        for row in rows:
            old = str(row["id"])
            if old == (GLOBAL if person is None else f"{GLOBAL}-{person}"):
                named[old] = {"id": GLOBAL, "root": str(home), "trust": "trusted", "identity": ""}
            elif person is not None:
                root, key = str(home / _ELSEWHERE / old), _KEY + str(row["root"])
                named[old] = {"id": old, "root": root, "trust": "trusted", "identity": key}
            else:
                named[old] = {"id": old}
        return named

    def _key_of(self, root: Path) -> str:
        remote = remote_of(root)
        return remote if remote and not remote.startswith(("/", ".", "~")) else self._folder_key(root)

    def _folder_key(self, root: Path) -> str:
        """What stands for a folder that only this machine has."""
        from hashlib import blake2b  # Only who copies needs it.

        from lerim.sources.gate import salt_of

        key = salt_of(self._house.home)
        return f"folder:{blake2b(str(root).encode(), key=key, digest_size=16).hexdigest()}"


_PROJECT = ("id", "root", "identity", "created")
_PROJECTS = f"SELECT {', '.join(_PROJECT)} FROM projects ORDER BY id"


def _is_key(row: Mapping[str, Value]) -> bool:
    return str(row["identity"]).startswith(_KEY)


def _with_id(ids: Mapping[str, str]) -> Renamed:
    def renamed(row: Mapping[str, Value]) -> Mapping[str, Value]:
        old = row.get("project_id")
        return {**row, "project_id": ids.get(old, old)} if isinstance(old, str) else row

    return renamed


def _with_names(named: Mapping[str, Mapping[str, Value]]) -> Renamed:
    return lambda row: {**row, **named.get(str(row["id"]), {})}


def _person(where: Depot) -> str:
    """Who somebody is on a server."""
    from lerim.storage.connections import connect  # As above.

    assert where.address is not None
    with closing(connect(where.address)) as connection:
        row = connection.execute("SELECT current_user").fetchone()
    return str(row[0]).removeprefix(_MEMBER) if row else ""


def _count(tx: Transaction, table: str) -> int:
    return int((tx.row(f"SELECT count(*) FROM {table}") or (0,))[0])


def _not_empty(where: Depot) -> Conflict:
    from lerim.storage.moving import not_empty  # As above.

    return not_empty(where)


def _problems(where: Depot) -> list[str]:
    """What is wrong with a store that was copied: the same promises that a check of the memory looks at."""
    from lerim.context.upkeep import check_rows  # As above.

    with where.open(CONTEXT) as database:
        return [*database.problems(), *check_rows(database)]
