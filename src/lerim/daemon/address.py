"""Where the helper and the daemon of a home listen: sockets for their owner alone. Every command looks, so it loads
nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

# What a socket's name may have, on the system with the least.
_LONGEST = 100
_SOCKET, _LOCK = "helper.sock", "helper.lock"
_DAEMON_SOCKET, _DAEMON_LOCK = "daemon.sock", "daemon.lock"
_FOLDER = "run"
#: What the helper does in the place of a command: what takes long to load for a search.
HELPED = frozenset({"search", "ask", "answer"})


class SocketAddress:
    """The helper and the daemon of one home: their folder, and the socket and lock that each holds."""

    def __init__(self, home: str, folder: str) -> None:
        self.home = home
        self.folder = folder
        self.socket = os.path.join(folder, _SOCKET)
        self.lock = os.path.join(folder, _LOCK)
        self.daemon = os.path.join(folder, _DAEMON_SOCKET)
        # In the home, wherever sockets are: what decides that place may differ between a terminal and a service.
        self.daemon_lock = os.path.join(home, _FOLDER, _DAEMON_LOCK)

    def is_ours(self) -> bool:
        """Whether the folder is there, and nobody else can have put anything into it."""
        try:
            found = os.lstat(self.folder)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def address_in(env: Mapping[str, str]) -> SocketAddress | None:
    """The helper of the home that an environment names; None where there cannot be one, or somebody wants none."""
    return None if env.get("LERIM_NO_HELPER") else daemon_address(env)


def daemon_address(env: Mapping[str, str]) -> SocketAddress | None:
    """The same of the daemon, whether or not it may answer searches."""
    home = env.get("LERIM_HOME") or os.path.join(env.get("HOME", ""), ".lerim")
    # Seen from another process, a relative path is another one.
    named = (home, env.get("LERIM_CONFIG") or "/")
    if os.name != "posix" or not all(map(os.path.isabs, named)):
        return None
    home = os.path.normpath(home)
    return next((address for address in _places(home, env) if _fits(address)), None)


def _places(home: str, env: Mapping[str, str]) -> Iterator[SocketAddress]:
    """Where its socket may lie: the name of a socket must be short."""
    yield SocketAddress(home, os.path.join(home, _FOLDER))
    yield SocketAddress(home, _short_folder(home, env.get("XDG_RUNTIME_DIR") or "/tmp"))
    yield SocketAddress(home, _short_folder(home, "/tmp"))


def _fits(address: SocketAddress) -> bool:
    return len(os.fsencode(address.socket)) <= _LONGEST


def _short_folder(home: str, where: str) -> str:
    """A folder for a home whose own name is too long for a socket."""
    from lerim.digests import blake2b  # Hardly anybody has such a home.

    return f"{where}/lerim-{os.geteuid()}-{blake2b(os.fsencode(home), digest_size=8).hexdigest()}"
