"""Where databases are kept, as somebody names it: a server, a folder such as Lerim's home or a backup, or one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lerim.config.setting_checks import public_address
from lerim.dataclass import dataclass
from lerim.errors import NotFound, StoreError, UsageError
from lerim.private import make_home, make_private
from lerim.storage.connections import Address, connect, is_address
from lerim.storage.database import Database, Transaction, migrations
from lerim.storage.postgres import PostgresDatabase, applied_step, refuse_newer
from lerim.storage.sqlite import SqliteDatabase, read_file, schema_number

#: The databases of a store, the truth first: nobody copies the rest without it.
CONTEXT = "context"
NAMES = (CONTEXT, "usage", "answers", "sessions")
_SUFFIX = ".sqlite3"
_SUFFIXES = (_SUFFIX, ".sqlite", ".db")


@dataclass(frozen=True)
class Depot:
    """One place that keeps databases: `address` when it is a server, else `path`."""

    path: Path
    address: Address | None = None

    def __str__(self) -> str:
        return str(self.address or self.path)

    @property
    def is_file(self) -> bool:
        """Whether it is one database, and no folder of several."""
        return (
            self.address is None and not self.path.is_dir() and (self.path.is_file() or self.path.suffix in _SUFFIXES)
        )

    def has(self, name: str) -> bool:
        """Whether it keeps this database. A look: nothing is made. Raises StoreTooNew, StoreUnreachable."""
        if self.is_file and name != schema_of(self.path):
            return False
        return self.step(name) > 0 if self.address else self._file(name).is_file()

    def step(self, name: str) -> int:
        """How far its schema is on a server; 0 when there is none."""
        assert self.address is not None
        with closing(connect(self.address)) as connection:
            found = applied_step(connection, f"lerim_{name}")
        refuse_newer(self.address, found, migrations("postgres", name)[-1].number)
        return found

    def schema_number(self, name: str) -> int:
        """How far the schema of a file is; 0 when there is none."""
        return schema_number(self._file(name)) if self.has(name) else 0

    @contextmanager
    def read(self, name: str) -> Iterator[Transaction]:
        """What it keeps, as of one moment. Raises NotFound."""
        if not self.has(name):
            raise NotFound(f"there is no memory at {self}", hint="lerim storage status")
        if self.address is None:
            with read_file(self._file(name), name) as tx:
                yield tx
        else:
            with PostgresDatabase(self.address, name).read() as tx:
                yield tx

    @contextmanager
    def open(self, name: str) -> Iterator[Database]:
        """The database, made if need be."""
        if self.address is not None:
            yield PostgresDatabase(self.address, name)
            return
        file = self._file(name, make=True)
        try:
            make_home(self.path.parent if self.is_file else self.path)
            make_private(file.parent)
        except OSError as error:
            raise StoreError(f"cannot write to {file.parent}: {error.strerror}; nothing was changed") from error
        with closing(SqliteDatabase(file, name)) as database:
            yield database

    def _file(self, name: str, *, make: bool = False) -> Path:
        if self.is_file:
            return self.path
        # A backup has its files side by side, Lerim's home has those beside the store in a folder.
        beside = self.path / f"{name}{_SUFFIX}"
        home = beside if name == CONTEXT else self.path / "index" / beside.name
        return beside if beside.is_file() and not home.is_file() and not make else home


def schema_of(path: Path) -> str:
    """Which database a file is, by its name; the store itself unless it says otherwise."""
    return next((name for name in NAMES if path.name.startswith(name)), CONTEXT)


def depot(named: str) -> Depot:
    """What somebody names. Raises UsageError; an address that is none is not repeated: a password may be in it."""
    if not is_address(named) and "://" not in named and named.strip():
        return Depot(Path(named).expanduser().resolve())
    # An @ behind the first slash belongs to a password that should have been written otherwise.
    if not is_address(named) or not public_address(named) or "@" in named.partition("://")[2].partition("/")[2]:
        raise UsageError(
            "this is neither a folder, nor a file, nor the address of a PostgreSQL",
            hint="postgresql://USER@HOST/DATABASE, with %40 for @, %2F for / and %20 for a space in a password",
        )
    return Depot(Path(), Address(named))
