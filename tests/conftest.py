"""What every room's tests stand on: a home, a project, a real database, and a clock that a test moves by hand."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from lerim.config.scope import Scope, ScopeMode
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Projects
from lerim.context.recovery import local_path, open_local
from lerim.storage.database import Database
from lerim.storage.engine import open_database

from .postgres_server import MISSING, PostgresEngine, server

# Tests run side by side and ask for few vectors each: threads of the matrix library would only wait for one another.
# Read when numpy is loaded, and inherited by every process that a test starts.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No example has a deadline: machines are shared, and a slow one is no bug. CI tries the same examples every time.
# A tenth of the examples by default; `make drill` tries them all.
for _profile, _examples in {"lerim": 10, "drill": 100}.items():
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("lerim")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line each what is not here: tests that need it were skipped."""
    for folder, name, target in _OTHERS:
        skipped = [report for report in terminalreporter.getreports("skipped") if folder in report.nodeid]
        if reasons := sorted({str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped}):
            terminalreporter.write_line(f"{name}: {'; '.join(reasons)}: {target}")


#: What tests need that no Python package brings.
_OTHERS = (
    ("/agents/", "agents' programs", "make test-agents installs them"),
    ("/browser/", "the dashboard in a browser", "make browser installs what it may"),
)


def _can_hold_tests(folder: str) -> bool:
    """Whether there is room for what tests write, and programs that they put there can be started."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    has_room = found.f_bavail * found.f_frsize > 4 << 30
    return has_room and not found.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK)


# Lerim syncs what it writes, some thirty times a test: on a disk the suite would wait for that as long as it computes.
# Where there is no such place, or a run names another, tests stand on the disk.
if sys.platform == "linux" and _can_hold_tests("/dev/shm"):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")

# No search leaves a process behind; the tests of the helper ask for one.
os.environ["LERIM_NO_HELPER"] = "1"


def examples(whole: int) -> int:
    """How many examples a test tries that wants its own number of them: so many in the drill."""
    return max(whole * settings.default.max_examples // 100, 3)  # type: ignore[union-attr]


class Prepared:
    """A folder that is filled once and put back as it was for each test: much quicker than to fill it again.

    It is always the same folder, since a store knows a project by its path, and trusts it by its inode.
    """

    def __init__(self, folder: Path, fill: Callable[[Path], object]) -> None:
        self.folder, self._copy, self._aside = folder / "here", folder / "copy", folder / "aside"
        self._fill = fill
        self._used = count(1)
        self._aside.mkdir()
        self._make()

    def anew(self) -> Path:
        """Put it back. Whoever took one of its folders away costs the next test the filling."""
        if self._folders() == self._were:
            self._put_back(self._copy, self.folder)
        else:
            self._put_aside(self.folder)
            self._put_aside(self._copy)
            self._make()
        return self.folder

    def _make(self) -> None:
        self.folder.mkdir()
        self._fill(self.folder)
        shutil.copytree(self.folder, self._copy, symlinks=True)
        self._were = self._folders()
        self._states = {path: _state(path) for path in self.folder.rglob("*")}

    def _folders(self) -> list[int | None]:
        """The folders that were there to begin with."""
        folders = (self.folder / Path(path).relative_to(self._copy) for path, _, _ in os.walk(self._copy))
        return [folder.lstat().st_ino if folder.is_dir() else None for folder in folders]

    def _put_back(self, copy: Path, folder: Path) -> None:
        folder.chmod(0o700)
        names = {path.name: path.is_dir() and not path.is_symlink() for path in copy.iterdir()}
        for path in folder.iterdir():
            if not names.get(path.name) and not self._is_as_it_was(path):
                self._put_aside(path)
        for name, is_folder in names.items():
            path = folder / name
            if is_folder:
                self._put_back(copy / name, path)
            elif not os.path.lexists(path):
                shutil.copy2(copy / name, path, follow_symlinks=False)
                self._states[path] = _state(path)
        shutil.copystat(copy, folder)

    def _is_as_it_was(self, path: Path) -> bool:
        # A connection that was forgotten may still hold a database.
        return path.suffix != ".sqlite3" and self._states.get(path) == _state(path)

    def _put_aside(self, path: Path) -> None:
        # Whatever a test made of it, it need not be anything that can be removed.
        path.rename(self._aside / str(next(self._used)))


def _state(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_ino, found.st_ctime_ns, found.st_size


class HandClock:
    """A clock that stands still until told otherwise."""

    def __init__(self) -> None:
        self.now = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def tick(self, **step: float) -> datetime:
        """Move on, by a minute unless told by how much; a negative step goes back."""
        self.now += timedelta(**(step or {"minutes": 1}))
        return self.now


@pytest.fixture(scope="session", autouse=True)
def _somebody_elses_project(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every test stands below a repository with a memory of its own: what is above its folder must not matter."""
    above = tmp_path_factory.getbasetemp()
    (above / ".git").mkdir()
    (above / ".lerim" / "memory").mkdir(parents=True)


class SqliteEngine:
    """A database is a file in a folder."""

    def opening(self, where: Path) -> str:
        """How another process opens the database of a folder: it defines `open_database(where, schema)`."""
        return """
from lerim.storage import engine
def open_database(where, schema): return engine.open_database(where / f"{schema}.sqlite3", schema)
"""

    def open(self, where: Path, schema: str, **settings: float) -> Database:
        """The database `schema` of a folder, made if need be; each call is a connection of its own."""
        return open_database(self.file_in(where, schema), schema, **settings)

    def place(self, where: Path) -> str:
        """What the location of a folder's database says."""
        return str(where)

    def file_in(self, where: Path, schema: str) -> Path:
        """Where a backup of it is written, so that `open` finds it."""
        return where / f"{schema}.sqlite3"

    def restored(self, where: Path, schema: str) -> Database:
        """A database that became what a backup in a folder holds."""
        return self.open(where, schema)

    def copy(self, source: Path, where: Path, schema: str) -> None:
        """The database of another folder, which nobody has open, for this one."""
        shutil.copyfile(self.file_in(source, schema), self.file_in(where, schema))

    def done(self) -> None:
        """Its folder goes with the test."""


#: Every engine that can keep a store and a queue. Whatever asks for `engine` runs on each of them.
ENGINES: dict[str, SqliteEngine | PostgresEngine] = {"sqlite": SqliteEngine(), "postgres": PostgresEngine()}


#: What is tried on every engine by default; the rest of the rooms whose database may be shared is, in `make drill`.
#: Rooms above them know no engine.
_ON_EVERY_ENGINE = ("test_database.py", "test_store.py", "test_review.py", "test_queue.py")
_SHARED_ROOMS = ("contract", "context", "face", "sessions", "llm")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    above: list[pytest.Item] = []
    for item in items:
        given = getattr(item, "callspec", None)
        if given is None or given.params.get("engine") != "postgres" or item.path.name in _ON_EVERY_ENGINE:
            continue
        item.add_marker("drill")
        if item.path.parent.name not in _SHARED_ROOMS:
            above.append(item)
    if above:
        config.hook.pytest_deselected(items=above)
        left_out = set(above)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[SqliteEngine | PostgresEngine]:
    if request.param == "postgres" and not server():
        pytest.skip(MISSING)
    yield ENGINES[request.param]
    ENGINES[request.param].done()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home" / ".lerim"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def project_root(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an empty store: to copy one takes a fraction of making it, step by step."""
    folder = tmp_path_factory.mktemp("blank")
    SqliteEngine().open(folder, "context").close()
    return folder


@pytest.fixture
def database(engine: SqliteEngine | PostgresEngine, home: Path, blank: Path) -> Iterator[Database]:
    engine.copy(blank, home, "context")
    database = engine.open(home, "context")
    yield database
    database.close()


@pytest.fixture(scope="session")
def blank_local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("blank-local")
    open_local(home).close()
    return local_path(home)


@pytest.fixture
def local(home: Path, blank_local: Path) -> Iterator[Database]:
    """What this machine notes about its files and its index."""
    path = local_path(home)
    path.parent.mkdir(mode=0o700)
    shutil.copyfile(blank_local, path)
    local = open_local(home)
    yield local
    local.close()


@pytest.fixture
def memory(database: Database, local: Database, home: Path, project_root: Path, clock: HandClock) -> Memory:
    projects = Projects(database, home, clock)
    scope = Scope(ScopeMode.PROJECT_FALLBACK_GLOBAL, project_root, home)
    return Memory(database, local, scope, projects, projects.lay_out, clock)


@pytest.fixture
def place(memory: Memory) -> Place:
    """The project's own place, laid out and ready to be written to."""
    return memory.target()
