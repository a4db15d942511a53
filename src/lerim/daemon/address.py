"""Where the helper of a home listens: a socket for its owner alone. Asked by every search, so it loads nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

# What a socket's name may have, on the system with the least.
_LONGEST = 100
_SOCKET, _LOCK = "helper.sock", "helper.lock"


class Address:
    """The helper of one home: its folder, the socket in it, and the lock that one helper holds while it lives."""

    def __init__(self, home: str, folder: str) -> None:
        self.home = home
        self.folder = folder
        self.socket = os.path.join(folder, _SOCKET)
        self.lock = os.path.join(folder, _LOCK)

    def is_ours(self) -> bool:
        """Whether the folder is there, and nobody else can have put anything into it."""
        try:
            found = os.lstat(self.folder)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def address_in(env: Mapping[str, str]) -> Address | None:
    """The helper of the home that an environment names; None where there cannot be one, or somebody wants none."""
    home = env.get("LERIM_HOME") or os.path.join(env.get("HOME", ""), ".lerim")
    # Seen from another process, a relative path is another one.
    named = (home, env.get("LERIM_CONFIG") or "/")
    if os.name != "posix" or env.get("LERIM_NO_HELPER") or not all(map(os.path.isabs, named)):
        return None
    home = os.path.normpath(home)
    return next((address for address in _places(home, env) if _fits(address)), None)


def _places(home: str, env: Mapping[str, str]) -> Iterator[Address]:
    """Where its socket may lie: the name of a socket must be short."""
    yield Address(home, os.path.join(home, "run"))
    yield Address(home, _short_folder(home, env.get("XDG_RUNTIME_DIR") or "/tmp"))
    yield Address(home, _short_folder(home, "/tmp"))


def _fits(address: Address) -> bool:
    return len(os.fsencode(address.socket)) <= _LONGEST


def _short_folder(home: str, where: str) -> str:
    """A folder for a home whose own name is too long for a socket."""
    from lerim.digests import blake2b  # Hardly anybody has such a home.

    return f"{where}/lerim-{os.geteuid()}-{blake2b(os.fsencode(home), digest_size=8).hexdigest()}"
