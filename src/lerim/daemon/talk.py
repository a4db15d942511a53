"""What is said to the helper, and what it says: a request of a few texts, and an answer as it is to be printed.

Each side bounds what it takes. A helper that is busy, frozen, gone or of another version costs a moment, and no answer:
whoever asked does it alone.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lerim import __version__

if TYPE_CHECKING:
    from socket import socket

    from lerim.daemon.address import SocketAddress

MAX_REQUEST = 64 * 1024
MAX_REPLY = 16 * 1024 * 1024
#: A helper that is free says so at once.
_READY, _READY_SECONDS = b".", 0.5
_ANSWER_SECONDS = 20.0
_CHUNK = 64 * 1024
# What decides how a search ends, besides its words: no key and no path of anybody's programs.
_PASSED = ("HOME", "TZ", "XDG_RUNTIME_DIR")


class HelperRequest(NamedTuple):
    """One thing asked of the helper: to do a command, to say how it is, or to end."""

    verb: str
    argv: tuple[str, ...] = ()
    cwd: str = "/"
    env: Mapping[str, str] = {}
    umask: int = 0o077
    #: How wide the terminals of standard output and standard error are, 0 where it is none; and which take colors.
    columns: tuple[int, int] = (0, 0)
    colors: tuple[bool, bool] = (False, False)
    #: Who asks: the very code it runs.
    code: str = ""


class HelperReply(NamedTuple):
    """What the helper did: a command's exit code and what it printed."""

    code: int
    out: str
    err: str


def this_code() -> str:
    """What tells this very code from any other: its version, its place and when that was last changed, and Python."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = os.stat(package)
    return f"{__version__} {package} {found.st_ino} {found.st_mtime_ns} {sys.version}"


def command_request(
    argv: Sequence[str], env: Mapping[str, str], columns: tuple[int, int], colors: tuple[bool, bool]
) -> HelperRequest:
    """A command line, with all of its surroundings that count. Raises OSError when the folder is gone."""
    passed = {name: value for name, value in env.items() if name in _PASSED or name.startswith("LERIM_")}
    umask = os.umask(0o077)
    os.umask(umask)
    return HelperRequest(argv[0], tuple(argv), os.getcwd(), passed, umask, columns, colors, this_code())


def ask(address: SocketAddress, request: HelperRequest, at: str | None = None) -> HelperReply | None:
    """What the helper answers, or who listens `at` another socket; None for no answer: there is none, or it cannot."""
    if not address.is_ours():
        return None
    from socket import AF_UNIX, SHUT_WR, socket  # Start-up: most commands ask nobody.

    try:
        with socket(AF_UNIX) as line:
            line.settimeout(_READY_SECONDS)
            line.connect(at or address.socket)
            line.sendall(encoded(request))
            line.shutdown(SHUT_WR)
            if line.recv(1) != _READY:
                return None
            return _reply(b"".join(received(line, MAX_REPLY, _ANSWER_SECONDS)))
    except (OSError, ValueError):
        return None


def helper_asked(address: SocketAddress | None, verb: str) -> tuple[int, int] | None:
    """How the helper is, or that it ends: its process and how many searches it answered; None without one."""
    reply = ask(address, HelperRequest(verb, code=this_code())) if address else None
    if reply is None:
        return None
    pid, answered = map(int, reply.out.split())
    return pid, answered


def encoded(request: HelperRequest) -> bytes:
    """A request as bytes. None of its texts can have a NUL in it. Raises ValueError when it is too long."""
    env = [f"{name}={value}" for name, value in request.env.items()]
    numbers = map(str, (request.umask, *request.columns, *map(int, request.colors), len(env)))
    texts = (request.code, request.verb, request.cwd, *numbers, *env, *request.argv)
    raw = b"\0".join(map(os.fsencode, texts))
    if len(raw) > MAX_REQUEST:
        raise ValueError("a request that is too long")
    return raw


def decoded_request(raw: bytes) -> HelperRequest:
    """The same the other way. Raises ValueError for anything else."""
    code, verb, cwd, *rest = map(os.fsdecode, raw.split(b"\0"))
    umask, out, err, out_color, err_color, count = map(int, rest[:6])
    env, argv = dict(map(_pair, rest[6 : 6 + count])), tuple(rest[6 + count :])
    colors = (bool(out_color), bool(err_color))
    return HelperRequest(verb, argv, cwd, env, umask & 0o777, (out, err), colors, code)


def encoded_reply(reply: HelperReply | None) -> bytes:
    """An answer as bytes; nothing says: do it yourself."""
    if reply is None:
        return b""
    out, err = reply.out.encode("utf-8", "backslashreplace"), reply.err.encode("utf-8", "backslashreplace")
    return f"{reply.code} {len(out)} {len(err)}\n".encode() + out + err


def received(line: socket, most: int, seconds: float) -> Iterator[bytes]:
    """All that comes in until the other side is done. Raises ValueError for too much of it, OSError for too late."""
    end, size = time.monotonic() + seconds, 0
    while True:
        line.settimeout(max(end - time.monotonic(), 0.001))
        chunk = line.recv(_CHUNK)
        if not chunk:
            return
        size += len(chunk)
        if size > most:
            raise ValueError("more than anybody would say")
        yield chunk


def ready() -> bytes:
    """What the helper says first."""
    return _READY


def _pair(text: str) -> tuple[str, str]:
    name, is_pair, value = text.partition("=")
    if not is_pair:
        raise ValueError("no variable")
    return name, value


def _reply(raw: bytes) -> HelperReply | None:
    head, _, rest = raw.partition(b"\n")
    if not head:
        return None
    code, out, err = map(int, head.split())
    if len(rest) != out + err:  # It ended while it spoke.
        return None
    return HelperReply(code, rest[:out].decode(), rest[out:].decode())
