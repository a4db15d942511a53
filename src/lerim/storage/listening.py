"""Hearing of what others did in a shared store as soon as they did it. Without a connection, one looks now and then."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lerim.errors import StoreError
from lerim.storage.connections import Address, connect

if TYPE_CHECKING:
    from psycopg import Connection

#: What the server says when a project's records changed, and when a session waits or its project is free again.
CHANGES, SESSIONS = "lerim_changes", "lerim_sessions"


class Listener:
    """Hears what is said on a channel, on a connection of its own; made anew when it breaks."""

    def __init__(self, address: Address, channel: str) -> None:
        self._address = address
        self._channel = channel
        self._connection: Connection[Any] | None = None

    def wait(self, seconds: float) -> bool:
        """Whether something was said since this was last asked, or within so many seconds."""
        connection = self._connected()
        if connection is None:
            time.sleep(seconds)
            return False
        import psycopg  # It is loaded where there is a connection.

        try:
            return next(connection.notifies(timeout=seconds, stop_after=1), None) is not None
        except psycopg.Error:
            self.close()
            time.sleep(seconds)
            return False

    def fileno(self) -> int | None:
        """What a selector waits on; None when the server cannot be reached."""
        connection = self._connected()
        return connection.fileno() if connection is not None else None

    def heard(self) -> bool | None:
        """Whether something was said since; None when the connection is gone. Does not wait."""
        import psycopg  # As above.

        try:
            return self._connection is not None and any(True for _ in self._connection.notifies(timeout=0))
        except psycopg.Error:
            self.close()
            return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> Connection[Any] | None:
        if self._connection is None:
            with suppress(StoreError):
                self._connection = connect(self._address)
                self._connection.execute(f"LISTEN {self._channel}")
        return self._connection
