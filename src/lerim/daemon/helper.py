"""The helper: one process for a home that has everything loaded, answers one request at a time, and ends when idle.

Nobody needs it. It is started by the first search that could have used it, does what that search would have done, with
the same settings and in the same folder, and takes requests from its own user alone. It does not outlive its code: when
another version asks, or a file it has loaded changed, it ends, and the next search starts one anew.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lerim.daemon.single import held, holder
from lerim.daemon.talk import (
    MAX_REQUEST,
    HelperReply,
    HelperRequest,
    decoded_request,
    encoded_reply,
    ready,
    received,
    this_code,
)
from lerim.private import make_private

if TYPE_CHECKING:
    from socket import socket

    from lerim.daemon.address import SocketAddress

RUN = "from lerim.cli.main import run; run()"
#: How often it looks whether it is still wanted where it listens.
_TICK = 5.0
_REQUEST_SECONDS = 2.0
#: Where the daemon tells a helper of its own what it inherits.
GIVEN = "LERIM_HELPER_LINE"

#: Does one command; None when it is better done by whoever asked.
DoCommand = Callable[[HelperRequest], HelperReply | None]


class HelperEnd(StrEnum):
    """Why a helper ended."""

    OFF = "it is turned off here"
    TAKEN = "another one is running"
    IDLE = "nobody asked"
    STOPPED = "it was stopped"
    REPLACED = "its code is not the newest"
    MOVED = "its socket is gone"
    ORPHANED = "its daemon is gone"


class GivenLine(NamedTuple):
    """A socket that listens already, from whoever started this helper; and where to say that it is ready."""

    line: socket
    ready: int

    @classmethod
    def in_env(cls, env: Mapping[str, str]) -> GivenLine | None:
        """What the daemon gave the helper that it started."""
        from socket import socket

        numbers = env.get(GIVEN, "").split(",")
        if len(numbers) != 2 or not all(map(str.isdigit, numbers)):
            return None
        line, ready = map(int, numbers)
        return cls(socket(fileno=line), ready)


class Helper:
    """One helper at work."""

    def __init__(
        self,
        address: SocketAddress,
        do: DoCommand,
        idle_seconds: float,
        prepare: Callable[[], None] = lambda: None,
        tick: float = _TICK,
        given: GivenLine | None = None,
    ) -> None:
        """`prepare` is done before anybody is heard, by the one helper that will listen. Of a `given` line,
        whoever gave it holds the lock."""
        self._address = address
        self._do = do
        self._idle = idle_seconds
        self._prepare = prepare
        self._tick = tick
        self._given = given
        self._parent = os.getppid() if given else None
        self._answered = 0
        self._code = this_code()
        self._files: dict[str, object] = {}
        self._end: HelperEnd | None = None

    def run(self) -> HelperEnd:
        """Listen until there is a reason to end. Raises OSError where no socket can be."""
        if self._given is not None:
            return self._run_on(self._given)
        make_private(Path(self._address.folder))
        with held(self._address.lock) as is_held:
            if not is_held:
                return HelperEnd.TAKEN
            self._prepare()
            self._files = loaded_files()
            with listening(self._address.socket) as line:
                return self._serve(line, os.stat(self._address.socket).st_ino)

    def _run_on(self, given: GivenLine) -> HelperEnd:
        self._prepare()
        self._files = loaded_files()
        inode = inode_of(self._address.socket)
        if inode is None:
            return HelperEnd.MOVED
        os.write(given.ready, b".")
        return self._serve(given.line, inode)

    def _serve(self, line: socket, inode: int) -> HelperEnd:
        last = time.monotonic()
        while self._end is None:
            line.settimeout(min(self._tick, self._idle))
            try:
                caller, _ = line.accept()
            except TimeoutError:
                caller = None
            if caller is not None:
                with caller, suppress(OSError, ValueError):  # A caller that hangs up or talks nonsense.
                    self._hear(caller)
                last = time.monotonic()
            elif time.monotonic() - last >= self._idle:
                self._end = HelperEnd.IDLE
            elif inode_of(self._address.socket) != inode:
                self._end = HelperEnd.MOVED
            elif self._parent not in (None, os.getppid()):
                self._end = HelperEnd.ORPHANED
        return self._end

    def _hear(self, caller: socket) -> None:
        if not is_same_user(caller):
            return
        caller.sendall(ready())
        request = decoded_request(b"".join(received(caller, MAX_REQUEST, _REQUEST_SECONDS)))
        if request.verb == "stop":
            self._end = HelperEnd.STOPPED
        elif request.code != self._code or loaded_files(self._files) != self._files:
            self._end = HelperEnd.REPLACED
            return
        caller.settimeout(_REQUEST_SECONDS)
        caller.sendall(encoded_reply(self._answer(request)))

    def _answer(self, request: HelperRequest) -> HelperReply | None:
        if request.verb in ("stop", "status"):
            return HelperReply(0, f"{os.getpid()} {self._answered}", "")
        try:
            reply = self._do(request)
        except Exception:
            # Whatever went wrong will go wrong in the command's own process, too, where somebody can read of it.
            return None
        self._files |= {name: mark for name, mark in loaded_files().items() if name not in self._files}
        self._answered += reply is not None
        return reply


@contextmanager
def listening(path: str) -> Iterator[socket]:
    """A socket there for its owner alone. Only for who holds the lock of that place."""
    from socket import AF_UNIX, socket

    folder, name = os.path.split(path)
    # It gets its name when it listens: whoever sees it is heard. The other one is shorter: a socket's may not be long.
    fresh = os.path.join(folder, f"{name[0]}.new")
    with suppress(FileNotFoundError):
        os.unlink(fresh)  # Of one that was killed: nobody else holds the lock.
    umask = os.umask(0o177)
    try:
        line = socket(AF_UNIX)
        line.bind(fresh)
    finally:
        os.umask(umask)
    try:
        line.listen(8)
        os.replace(fresh, path)
        yield line
    finally:
        line.close()
        with suppress(OSError):
            os.unlink(path)


def start_helper(address: SocketAddress, env: Mapping[str, str]) -> bool:
    """Start a helper in the background. False when none can be, or one is there: the daemon is one, too."""
    if not os.access(os.path.dirname(address.folder), os.W_OK) or holder(address.lock) is not None:
        return False
    try:
        started(env, "helper", "run")
    except (OSError, NotImplementedError):
        return False
    return True


def started(env: Mapping[str, str], *command: str) -> int:
    """Start a command of ours that stays in the background; its process. Raises OSError, NotImplementedError."""
    # -P: what lies in the folder somebody stands in is no program of ours, whatever it is called.
    argv = [sys.executable, "-P", "-c", RUN, *command]
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    # A session of its own: closing the terminal does not end it.
    return os.posix_spawn(sys.executable, argv, dict(env), file_actions=quiet, setsid=True)


def is_same_user(caller: socket) -> bool:
    """Whether the other side runs for our own user. Where the system does not tell, the folder has kept others out."""
    import socket as sockets
    import struct

    if not hasattr(sockets, "SO_PEERCRED"):
        return True
    found = caller.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", found)
    return bool(user == os.geteuid())


def inode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def loaded_files(known: Mapping[str, object] | None = None) -> dict[str, object]:
    """How the files look that our code came from; of `known` ones, those."""
    if known is None:
        modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "lerim"]
        known = dict.fromkeys(file for module in modules if (file := getattr(module, "__file__", None)))
    return {file: _mark(file) for file in known}


def _mark(file: str) -> object:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
