"""Whether the place that keeps the memory can do so: each thing that has to be right, and what to do when it is not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lerim.dataclass import dataclass
from lerim.errors import ConfigError, LerimError, StoreError
from lerim.storage.connections import MOST_CONNECTIONS, Address, connect
from lerim.storage.database import migrations
from lerim.storage.depots import NAMES, Depot
from lerim.storage.postgres import PostgresDatabase, applied_step
from lerim.storage.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from psycopg import Connection

OLDEST_SERVER = 15
#: Machines whose clocks differ by more tell each other wrong times.
MOST_SECONDS_APART = 5.0
_SLOW_MILLISECONDS = 100.0


@dataclass(frozen=True)
class StorageCheck:
    """One thing that has to be right. `fix` is what to do when it is not."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


@dataclass(frozen=True)
class SchemaStep:
    """How far the schema of a database is, and how far this Lerim needs it. 0: there is none yet."""

    name: str
    found: int
    needed: int


def checks(where: Depot) -> list[StorageCheck]:
    """Everything that has to be right there. Nothing is made or changed."""
    return list(_server_checks(where.address) if where.address else _file_checks(where))


def schema_steps(where: Depot) -> list[SchemaStep]:
    """How far each database is. Raises StoreUnreachable, StoreError."""
    if where.address is None:
        return [SchemaStep(name, where.schema_number(name), _newest("sqlite", name)) for name in NAMES]
    with closing(connect(where.address)) as connection:
        return _steps_on(connection)


def _steps_on(connection: Connection[Any]) -> list[SchemaStep]:
    return [SchemaStep(name, applied_step(connection, f"lerim_{name}"), _newest("postgres", name)) for name in NAMES]


def _newest(engine: str, name: str) -> int:
    return migrations(engine, name)[-1].number


def _server_checks(address: Address) -> Iterator[StorageCheck]:
    began = time.monotonic()
    try:
        connection = connect(address)
    except ConfigError as error:
        yield StorageCheck("driver", ok=False, detail=error.message, fix=error.hint or "")
        return
    except StoreError as error:
        fix = error.hint if error.hint != "lerim storage check" else "start the server, or correct storage.url"
        yield StorageCheck("reachable", ok=False, detail=error.message, fix=fix or "")
        return
    with closing(connection):
        yield StorageCheck("reachable", ok=True, detail=f"connected in {_milliseconds(began):.0f} ms")
        yield _latency(connection)
        yield _version(connection)
        yield _encoding(connection)
        yield _extension(connection)
        steps = _steps_on(connection)
        yield from map(_schema, steps)
        yield _rights(connection)
        yield _clock(connection)
        yield _connections(connection)
    # A look at a store makes none, and brings none up to date.
    if steps[0].found and all(step.found in (0, step.needed) for step in steps):
        yield _soundness(PostgresDatabase(address, NAMES[0]).problems(), "lerim storage upgrade")


def _measured(name: str, ok: bool, detail: str, fix: str) -> StorageCheck:
    """A check, with what to do about it only where that is needed."""
    return StorageCheck(name, ok, detail, "" if ok else fix)


def _latency(connection: Connection[Any]) -> StorageCheck:
    began = time.monotonic()
    for _ in range(5):
        connection.execute("SELECT 1")
    each = _milliseconds(began) / 5
    fix = "searches will take long from here: choose a server nearby"
    return _measured("latency", each <= _SLOW_MILLISECONDS, f"{each:.1f} ms a question", fix)


def _milliseconds(began: float) -> float:
    return (time.monotonic() - began) * 1000


def _version(connection: Connection[Any]) -> StorageCheck:
    number = connection.info.server_version // 10_000
    fix = f"upgrade the server: it takes PostgreSQL {OLDEST_SERVER} or newer"
    return _measured("version", number >= OLDEST_SERVER, f"PostgreSQL {number}", fix)


def _encoding(connection: Connection[Any]) -> StorageCheck:
    found = _value(connection, "SHOW server_encoding")
    return _measured("encoding", found == "UTF8", str(found), "make the database anew: createdb -E UTF8 -T template0")


def _extension(connection: Connection[Any]) -> StorageCheck:
    installed = _value(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if installed:
        return StorageCheck("pgvector", ok=True, detail=f"version {installed}")
    offered = _value(connection, "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
    if offered:
        return StorageCheck("pgvector", ok=True, detail=f"version {offered} is there, not in use yet")
    detail = "not installed: each machine compares meanings by itself"
    return StorageCheck("pgvector", False, detail, "install pgvector on the server")


def _schema(step: SchemaStep) -> StorageCheck:
    name = f"schema {step.name}"
    if step.found == 0:
        return StorageCheck(name, ok=True, detail="not there yet; it is made when it is first used")
    if step.found < step.needed:
        detail = f"step {step.found}; this Lerim needs {step.needed}"
        return StorageCheck(name, ok=False, detail=detail, fix="lerim storage upgrade")
    if step.found > step.needed:
        detail = f"step {step.found}; this Lerim knows {step.needed}"
        return StorageCheck(name, ok=False, detail=detail, fix="pip install --upgrade lerim")
    return StorageCheck(name, ok=True, detail=f"step {step.found}")


def _rights(connection: Connection[Any]) -> StorageCheck:
    """What this login may do. One that may make nothing needs a store that is there, and rights in it."""
    who, makes, there = connection.execute(
        "SELECT current_user, has_database_privilege(current_database(), 'CREATE'),"
        " to_regclass('lerim_context.records') IS NOT NULL"
    ).fetchone() or ("", False, False)
    if makes:
        return StorageCheck("rights", ok=True, detail=f"{who} may make and change everything")
    may = (
        there
        and _value(connection, "SELECT has_schema_privilege('lerim_context', 'USAGE')")
        and _value(connection, "SELECT has_table_privilege('lerim_context.records', 'SELECT, INSERT')")
    )
    if may:
        return StorageCheck("rights", ok=True, detail=f"{who} is a member: what they may do is said project by project")
    fix = (
        "have an admin add you: lerim team add NAME"
        if there
        else "have whoever owns the database run: lerim storage check"
    )
    return StorageCheck("rights", False, f"{who} may neither make a store here nor use one", fix)


def _clock(connection: Connection[Any]) -> StorageCheck:
    before = time.time()
    there = float(_value(connection, "SELECT extract(epoch FROM clock_timestamp())::double precision"))
    apart = there - (before + time.time()) / 2
    detail = f"{abs(apart):.1f} seconds {'ahead of' if apart > 0 else 'behind'} this machine"
    fix = "set this machine's clock by the network (NTP), or the server's"
    return _measured("clock", abs(apart) <= MOST_SECONDS_APART, detail, fix)


def _connections(connection: Connection[Any]) -> StorageCheck:
    most = int(_value(connection, "SHOW max_connections"))
    used = int(_value(connection, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"))
    detail = f"{used} of {most} in use; a process of ours takes up to {MOST_CONNECTIONS}"
    fix = "raise max_connections there, or put a pooler such as PgBouncer in front of it"
    return _measured("connections", most - used >= MOST_CONNECTIONS, detail, fix)


def _value(connection: Connection[Any], sql: str) -> Any:
    row = connection.execute(sql.encode()).fetchone()
    return row[0] if row else None


def _soundness(problems: list[str], fix: str) -> StorageCheck:
    detail = "; ".join(problems[:3]) or "nothing is missing, and no row points nowhere"
    return _measured("soundness", not problems, detail, fix)


def _file_checks(where: Depot) -> Iterator[StorageCheck]:
    if not where.path.exists():
        yield StorageCheck("reachable", True, f"{where} is not there yet; it is made when it is first used")
        return
    yield StorageCheck("reachable", True, str(where))
    for name in NAMES:
        if where.has(name):
            yield _file_check(where, name)


def _file_check(where: Depot, name: str) -> StorageCheck:
    try:
        with where.open(name) as database:
            assert isinstance(database, SqliteDatabase)
            problems = database.problems()
    except LerimError as error:
        return StorageCheck(f"schema {name}", ok=False, detail=error.message, fix=error.hint or "lerim memory check")
    detail = "; ".join(problems[:3]) or f"step {where.schema_number(name)}, sound"
    return _measured(f"schema {name}", not problems, detail, "lerim memory rebuild --from files")
