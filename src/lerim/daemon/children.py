"""The processes that a daemon starts: one for a chore, which tells what it does; one that answers searches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lerim.daemon.helper import GIVEN, RUN
from lerim.daemon.schedule import CHORE_PROGRAM

if TYPE_CHECKING:
    from socket import socket

#: Bytes of one line: what is longer is no word of ours.
_MOST = 4 * 1024 * 1024
_CHUNK = 64 * 1024


class ChildProcess:
    """A process of ours, and the end of the pipe on which it speaks."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], *, inherits: Sequence[int] = ()) -> None:
        # A session of its own: what is typed at our terminal is for us. -P: as everywhere.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            cwd="/",
            start_new_session=True,
            pass_fds=inherits,
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        os.set_blocking(self._out, False)
        self._rest = b""
        #: Nothing more will be said.
        self.is_silent = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        return self._out

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it said since this was last asked."""
        with suppress(BlockingIOError):
            while chunk := os.read(self._out, _CHUNK):
                self._rest = (self._rest + chunk)[-_MOST:]
            self.is_silent = True
        *whole, self._rest = self._rest.split(b"\n")
        for line in whole:
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    yield message

    def ended(self) -> int | None:
        """Its exit code, minus the signal's number if one ended it; None while it runs."""
        return self._process.poll()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self._process.kill()

    def wait(self, seconds: float) -> None:
        """Wait for its end; then end it."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def start_chore(kind: str, quiet: float, env: Mapping[str, str]) -> ChildProcess:
    """Have a chore done. Raises OSError when no process can be started."""
    return ChildProcess([CHORE_PROGRAM, kind, str(quiet)], env)


def start_searcher(line: socket, env: Mapping[str, str]) -> tuple[ChildProcess, int]:
    """Have searches answered on a socket that listens: the process, and where it says that it is ready."""
    ready, theirs = os.pipe()
    try:
        given = {**env, GIVEN: f"{line.fileno()},{theirs}"}
        child = ChildProcess([RUN, "helper", "run"], given, inherits=(line.fileno(), theirs))
    except OSError:
        os.close(ready)
        raise
    finally:
        os.close(theirs)
    return child, ready
