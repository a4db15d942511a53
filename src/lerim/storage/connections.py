"""Connections to PostgreSQL: one pool for each address and process, and what went wrong in words."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import time
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from lerim.config.setting_checks import SCHEMES, public_address
from lerim.dataclass import dataclass, field
from lerim.errors import ConfigError, NotAllowed, StoreBusy, StoreCorrupt, StoreError, StoreUnreachable
from lerim.storage.database import Row, Value

if TYPE_CHECKING:
    from psycopg import Connection, Error
    from psycopg_pool import ConnectionPool

#: How long a connection is waited for: for the server to answer, and for one of the pool to come back.
CONNECT_SECONDS = 10.0
# How soon somebody looks why there is none.
_LOOK_SECONDS = 0.5
#: Connections of one process at most.
MOST_CONNECTIONS = 8
_MISSING = "PostgreSQL is reached through psycopg, which is not installed"
_pools: dict[tuple[int, str], ConnectionPool[Any]] = {}


@dataclass(frozen=True)
class Address:
    """Where a server is, with everything that it takes to get in."""

    url: str = field(repr=False)
    #: The role whose rights count, where somebody works for another one.
    role: str = ""
    #: What is said of them to the server, as `lerim.<name>`: by which token they came, and through what.
    variables: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """For people: without what nobody else may know."""
        return public_address(self.url)


def is_address(text: str) -> bool:
    """Whether this names a server rather than a file."""
    return text.partition("://")[0] in SCHEMES


def pool_of(address: Address, most: int = MOST_CONNECTIONS) -> ConnectionPool[Any]:
    """The connections of this process to an address. A forked process has its own: a connection has one owner."""
    key = (os.getpid(), address.url)
    if key not in _pools:
        # A pool tries in the background and tells nobody why it fails: the first connection is made where one hears.
        connect(address).close()
        _pools[key] = _pool(address, most)
    return _pools[key]


@contextlib.contextmanager
def borrowed(address: Address) -> Iterator[Connection[Any]]:
    """A connection of the pool for a while. One that was cut is not given back."""
    pool = pool_of(address)
    connection = _taken(pool, address)
    try:
        yield connection
    finally:
        pool.putconn(connection)


def _taken(pool: ConnectionPool[Any], address: Address) -> Connection[Any]:
    """A connection of the pool, waited for as long as the server is there."""
    from psycopg_pool import PoolTimeout  # As above.

    deadline = time.monotonic() + CONNECT_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(PoolTimeout):
            return pool.getconn(timeout=_LOOK_SECONDS)  # type: ignore[no-any-return]
        connect(address).close()  # A server that is not there says why.
    raise StoreBusy(
        f"all {pool.max_size} connections of this process to {address} are in use", hint="run it again in a moment"
    )


def close_pools() -> None:
    """Let go of every connection of this process."""
    for key in [key for key in _pools if key[0] == os.getpid()]:
        _pools.pop(key).close()


atexit.register(close_pools)


def _pool(address: Address, most: int) -> ConnectionPool[Any]:
    from psycopg_pool import ConnectionPool  # As below.

    logging.getLogger("psycopg").addHandler(logging.NullHandler())  # Who uses a connection says what is wrong with it.
    return ConnectionPool(
        address.url,
        min_size=0,
        max_size=most,
        timeout=CONNECT_SECONDS,
        # A connection that nobody used for a while may have been cut: it is tried before somebody relies on it.
        check=ConnectionPool.check_connection,
        kwargs=_settings(),
        configure=_configure,
        open=True,
        name="lerim",
    )


def connect(address: Address) -> Connection[Row]:
    """A connection of its own, outside the pool: for what waits on it for long, or must not wait for others."""
    try:
        import psycopg  # Start-up: only those who share a store need it.
    except ImportError as error:
        raise ConfigError(_MISSING, hint="pip install 'lerim[postgres]'") from error
    try:
        connection = psycopg.connect(address.url, **_settings())
        with contextlib.ExitStack() as unless_configured:
            unless_configured.callback(connection.close)
            # A server may go away as soon as it has let somebody in.
            _configure(connection)
            unless_configured.pop_all()
    except psycopg.Error as error:
        raise _no_entry(error, address) from error
    return connection


def _settings() -> dict[str, Any]:
    from psycopg import ClientCursor  # As above.

    return {
        "autocommit": True,
        # Values are written into the statement, quoted: what the rooms write says no types.
        "cursor_factory": ClientCursor,
        "connect_timeout": int(CONNECT_SECONDS),
        "application_name": "lerim",
        # A server that is gone without a word is noticed within half a minute.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
    }


def _configure(connection: Connection[Any]) -> None:
    from psycopg.types.numeric import NumericLoader  # As above.

    class PlainNumber(NumericLoader):
        """Sums of whole numbers are whole numbers, as they are elsewhere."""

        def load(self, data: Any) -> Any:
            number = super().load(data)
            return int(number) if number == number.to_integral_value() else float(number)

    connection.adapters.register_loader("numeric", PlainNumber)
    connection.execute("SET client_encoding = 'UTF8'; SET timezone = 'UTC'; SET standard_conforming_strings = on")


def plain(values: Any) -> list[Value]:
    """Values as PostgreSQL takes them: truth as a number, names as text, and no text with a zero byte."""
    return [value if type(value) in _PLAIN else _plain(value) for value in values]


_PLAIN = frozenset({int, float, bytes, type(None)})


def _plain(value: Any) -> Value:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        text = str(value.value if isinstance(value, Enum) else value)
        return text.replace("\0", "\ufffd") if "\0" in text else text
    return bytes(value) if isinstance(value, bytearray | memoryview) else value


def _no_entry(error: Error, address: Address) -> StoreError:
    """Why there is no connection: a server says so in words alone."""
    from psycopg import OperationalError  # As above.

    if not isinstance(error, OperationalError):
        # What is wrong with an address is not repeated: a password may be in it.
        return StoreError(
            "the address of the server cannot be understood; nothing was changed",
            hint="postgresql://USER@HOST/DATABASE, with %40 for @, %2F for / and %20 for a space in a password",
        )
    message = str(error)
    for words, why, hint in _NO_ENTRY:
        if all(word in message for word in words):
            return StoreError(f"{address}: {why}; nothing was changed", hint=hint)
    return explain(error, address)


#: What a server says to those whom it does not let in, what that means, and what to do about it.
_NO_ENTRY = (
    (("authentication failed",), "the user or the password is wrong", "put the right ones into storage.url"),
    (("no password supplied",), "it takes a password", "put it into storage.url, or into ~/.pgpass"),
    (('role "', "does not exist"), "there is no such user", "createuser makes one; or name another one"),
    (('database "', "does not exist"), "there is no such database", "createdb makes one; or name another one"),
    (("no pg_hba.conf entry",), "it does not let this machine in", "whoever runs it adds it to pg_hba.conf"),
)


def explain(error: Error, address: Address) -> StoreError:
    """What happened, and what to do about it."""
    from psycopg import OperationalError, errors  # As above.

    text = _first_line(error)
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled() | errors.DeadlockDetected():
            return StoreBusy(f"others have been writing to {address} for a while", hint="run it again in a moment")
        case errors.SerializationFailure():
            return StoreBusy(f"somebody else wrote to {address} at the same time", hint="run it again")
        case errors.InsufficientPrivilege():
            # What the rules for rows say names a table, and means nothing to anybody.
            why = "" if "row-level security" in text else f": {text}"
            return NotAllowed(f"you have no right to do that in {address}{why}", hint="lerim team whoami")
        case errors.InvalidParameterValue() if text.startswith("role "):
            return NotAllowed(f"nobody of that name is a member of {address} any more", hint="lerim team list")
        case errors.DiskFull():
            return StoreError(f"no space left at {address}; nothing was changed", hint="free some space there")
        case errors.ReadOnlySqlTransaction():
            return StoreUnreachable(
                f"{address} only lets itself be read: it is a copy that was not promoted",
                hint="lerim config show names storage.url",
            )
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.UndefinedFunction():
            return StoreCorrupt(f"{address} lacks something: {text}", location=str(address), hint="lerim storage check")
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification() | errors.InvalidCatalogName():
            return StoreError(f"{address}: {text}", hint="lerim config show names storage.url")
        case OperationalError():
            return StoreUnreachable(f"cannot reach {address}: {text}; nothing was changed", hint="lerim storage check")
    return StoreError(f"{address}: {text}", hint="lerim storage check")


def _first_line(error: Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
