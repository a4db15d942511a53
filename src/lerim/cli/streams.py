"""The standard streams of a command: there, and able to say whether they take colors. Loads nothing."""

from __future__ import annotations

import atexit
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from typing import TextIO


def open_standard_streams() -> None:
    """Put nothing where a stream is closed (`lerim chat <&-`): else a database would be opened there and written to."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # The lowest number that is free is the one that is closed.
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole life
            setattr(sys, name, stream)


class OtherScreen(io.StringIO):
    """What is printed for another process: as wide as its terminal, or plain (0 columns), and as colorful."""

    def __init__(self, columns: int, takes_color: bool) -> None:
        super().__init__()
        self.columns = columns
        self.takes_color = takes_color

    def isatty(self) -> bool:
        return self.columns > 0


def columns_of(stream: TextIO) -> int:
    """How wide a terminal is. Some say 0 when they do not know."""
    return stream.columns if isinstance(stream, OtherScreen) else os.get_terminal_size(stream.fileno()).columns or 80


def wants_color(stream: TextIO) -> bool:
    if isinstance(stream, OtherScreen):
        return stream.takes_color
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def close_pipe() -> None:
    """The reader closed the pipe (`| head`): not our failure. Python would complain at exit otherwise."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def leave(code: int) -> NoReturn:
    """End the process once all is printed and everybody who asked for it was told. To take apart first what the system
    takes away anyway would cost a sixth of a quick command."""
    try:
        if threads := sys.modules.get("threading"):
            threads._shutdown()  # Waits for those that others wait for, as the interpreter would.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    except OSError:
        sys.exit(code or 1)  # A full disk: Python says so.
    os._exit(code)


def print_reply(code: int, out: str, err: str) -> int:
    """Print what another process would have printed here, which is safe to print already."""
    try:
        for stream, text in ((sys.stdout, out), (sys.stderr, err)):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
            stream.write(text)
            stream.flush()
    except BrokenPipeError:
        close_pipe()
    return code
