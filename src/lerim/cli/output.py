"""What people and programs see: color and tables on a terminal, plain text when piped, one JSON document if asked.

All that a command prints goes through here, and is made safe on its way: whose words they are need not be known. Only
this module may color, move the cursor and end a line.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from lerim.printable import json_text, one_line, printable, without_line_ends

Style = str
BOLD: Style = "1"
DIM: Style = "2"
RED: Style = "31"
GREEN: Style = "32"
YELLOW: Style = "33"
CYAN: Style = "36"
# A bar that flashes up and disappears again helps nobody.
PROGRESS_AFTER_SECONDS = 1.0


class Output:
    """Where a command's words go. `say` is the answer, `note` is about it, `data` is the whole answer as JSON."""

    def __init__(self, *, as_json: bool = False, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        for stream in (self._out, self._err):
            # A character that the terminal cannot encode is shown as its number instead of ending the command.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        self._started: dict[str, float] = {}
        #: Whether a progress bar is on the last line, where the next text would run into it.
        self._bar = False
        self._colors = {id(stream): _wants_color(stream) for stream in (self._out, self._err)}
        # Nobody can write a mark of ours into a text: styles become escape sequences at the very end.
        self._mark = f"<{os.urandom(8).hex()}:"
        self._marks = re.compile(f"{self._mark}([0-9;]+)>")

    @property
    def is_terminal(self) -> bool:
        return self._out.isatty()

    def say(self, text: str = "") -> None:
        """One line of the answer, whatever is in it."""
        if not self.as_json:
            self._print(self._out, without_line_ends(text))

    def block(self, text: str) -> None:
        """A text of several lines, such as the body of a memory."""
        if not self.as_json:
            self._print(self._out, printable(text))

    def json_lines(self, lines: Iterable[str]) -> None:
        """Documents of one line each, which are the answer for people, too."""
        if not self.as_json:
            for line in lines:
                self._print(self._out, json_text(line))

    def note(self, text: str) -> None:
        """One line about the answer."""
        self._print(self._err, without_line_ends(text))

    def data(self, value: Any) -> None:
        if self.as_json:
            document = json.dumps(value, ensure_ascii=False, indent=2 if self.is_terminal else None)
            self._print(self._out, json_text(document))

    def fail(self, message: str, hint: str | None) -> None:
        self.note(f"{self.style('lerim:', RED, self._err)} {message}")
        if hint:
            self.note(f"  {self.style('try:', DIM, self._err)} {hint}")

    def warn(self, message: str) -> None:
        self.note(f"{self.style('lerim:', YELLOW, self._err)} {message}")

    def ask(self, prompt: str) -> str:
        """What somebody types. Raises EOFError when nobody does."""
        self._wipe()
        return input(one_line(prompt) + " ")

    def prompt(self, text: str) -> None:
        """A question, with the answer to be typed behind it on standard input."""
        self._wipe()
        self._err.write(self._styled(self.style(one_line(text), BOLD, self._err)) + " ")
        self._err.flush()

    def style(self, text: str, style: Style, stream: TextIO | None = None) -> str:
        return f"{self._mark}{style}>{text}{self._mark}0>" if self._colors[id(stream or self._out)] else text

    def _print(self, stream: TextIO, safe: str) -> None:
        self._wipe()
        stream.write(self._styled(safe) + "\n")

    def _styled(self, safe: str) -> str:
        return self._marks.sub("\033[\\1m", safe)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]], flexible: int) -> None:
        """Aligned columns. On a terminal the `flexible` column is cut so that a row stays one line."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        widths = [max(map(_width, column)) for column in zip(header, *cells, strict=True)]
        if self.is_terminal:
            room = os.get_terminal_size(self._out.fileno()).columns if self._out.isatty() else 100
            spare = room - sum(widths) - 2 * (len(widths) - 1)
            widths[flexible] = max(widths[flexible] + min(spare, 0), 12)
        self.say(self.style(_row(header, widths), BOLD))
        for row in cells:
            self.say(_row(row, widths))

    def progress(self, step: str, done: int, total: int) -> None:
        """A bar on standard error once a step takes longer than a second; nothing when nobody is watching."""
        started = self._started.setdefault(step, time.monotonic())
        if self._err.isatty() and time.monotonic() - started > PROGRESS_AFTER_SECONDS:
            filled = 30 * done // max(total, 1)
            self._bar = done < total
            end = "" if self._bar else "\n"
            self._err.write(f"\r{one_line(step)} [{'#' * filled}{'.' * (30 - filled)}] {done:,}/{total:,}{end}")
            self._err.flush()

    def _wipe(self) -> None:
        if self._bar:
            self._err.write("\r\033[K")
            self._err.flush()
            self._bar = False


def _wants_color(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (_fit(cell, width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def _fit(text: str, width: int) -> str:
    if _width(text) > width:
        while _width(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns on a terminal: wide letters take two, joining marks none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    none = sum(unicodedata.combining(character) != 0 or unicodedata.category(character) == "Cf" for character in text)
    return len(text) + wide - none
