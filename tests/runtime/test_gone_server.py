"""A server that goes away right after it let somebody in: said in a word, and nothing of the driver's is shown."""

from __future__ import annotations

import socket
import struct
from threading import Thread

import pytest

from lerim.errors import StoreUnreachable
from lerim.storage.engine import open_shared

_LET_IN = b"R" + struct.pack("!ii", 8, 0) + b"Z" + struct.pack("!i", 5) + b"I"


def _let_in_and_leave(listening: socket.socket) -> None:
    """Say what a server says to a guest, hear the first wish, and hang up; as often as somebody comes."""
    while True:
        try:
            guest, _ = listening.accept()
        except OSError:
            return
        with guest:
            guest.settimeout(10)
            asked = guest.recv(1024)
            if asked[4:8] != struct.pack("!i", 196608):  # Whoever asks for encryption first is told that there is none.
                guest.sendall(b"N")
                guest.recv(1024)
            guest.sendall(_LET_IN)
            guest.recv(1024)


def test_a_server_that_leaves_its_guest_at_once_is_not_reachable() -> None:
    pytest.importorskip("psycopg", reason="psycopg, which speaks with servers, is not installed")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Thread(target=_let_in_and_leave, args=(listening,), daemon=True)
        server.start()
        port = listening.getsockname()[1]

        with pytest.raises(StoreUnreachable, match=f"cannot reach .*{port}.*nothing was changed"):
            open_shared(f"postgresql://ada@127.0.0.1:{port}/team", "context")
        # A listening socket wakes nobody by being closed alone.
        listening.shutdown(socket.SHUT_RDWR)
    server.join(10)
    assert not server.is_alive()
